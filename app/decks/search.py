"""Substring search over the cards of an account, newest first.

A card is found when its normal form holds the query's. The index of hashed letter pairs names the rows that may match
and LIKE decides. Two shapes of search never meet a bad plan: a walk from the newest card on, for a deck or for a query
without a pair of letters; and the index, after a look at the newest cards, for everything else. The look costs a
fraction of a millisecond and answers most common queries, for which the index would name half of the account. A common
one that the newest cards do not answer (they are of another language, say) shows when the index names many cards: then
a longer look is tried before all of them are fetched and sorted.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from app.core import cursors
from app.core.db import fetch
from app.decks.rows import LARGEST_ID, live_deck, possible
from app.decks.views import CardHit, Page
from app.domain.search_text import needle

_NEWEST = 500
_NAMED_MANY = 2_000
_NEWEST_MANY = 5_000
_LISTING = "card-search"

CardKey = tuple[Annotated[int, msgspec.Meta(ge=1, le=LARGEST_ID)]]

_MATCHES = "search_text LIKE $2 AND ($5::text IS NULL OR $5 = ANY (tags))"

_SHOWN = """
SELECT card.id, card.deck_id, deck.title AS deck_title, card.front, card.back, card.tags
  FROM hit JOIN card ON card.account_id = $1 AND card.id = hit.id
  JOIN deck ON deck.account_id = $1 AND deck.id = card.deck_id
 ORDER BY card.id DESC
"""

# OFFSET 0 keeps the rows in the order of the index, so that the walk ends with the last hit asked for.
_WALK = """
WITH hit AS MATERIALIZED (
  SELECT id FROM (
    SELECT id, search_text, tags FROM card
     WHERE account_id = $1 AND deleted_at IS NULL AND id < $3 {deck} ORDER BY id DESC OFFSET 0
  ) AS newest WHERE {matches} LIMIT $4
)
"""
_WALK_ACCOUNT = _WALK.format(deck="", matches=_MATCHES) + _SHOWN
_WALK_DECK = _WALK.format(deck="AND deck_id = $6", matches=_MATCHES) + _SHOWN

# `+ 0` hides a column from the planner, which would otherwise read all ids of the account to combine two indexes.
_NAMED = f"account_id + 0 = $1 AND deleted_at IS NULL AND id + 0 < $3 AND grams @> (SELECT $6::int[]) AND {_MATCHES}"
_STEP = f"""
  SELECT id FROM (
    SELECT id, search_text, tags FROM card
     WHERE account_id = $1 AND deleted_at IS NULL AND id < $3 ORDER BY id DESC LIMIT {{cards}}
  ) AS newest WHERE {{unless_found}} {_MATCHES} LIMIT $4
"""  # noqa: S608 - constants
_UNLESS_FOUND = f"(SELECT count(*) FROM named) = {_NAMED_MANY} AND"  # noqa: S608 - constants
_INDEX = f"""
WITH recent AS MATERIALIZED ({_STEP.format(cards=_NEWEST, unless_found="")}),
named AS MATERIALIZED (SELECT id FROM card WHERE (SELECT count(*) FROM recent) < $4 AND {_NAMED} LIMIT {_NAMED_MANY}),
newer AS MATERIALIZED ({_STEP.format(cards=_NEWEST_MANY, unless_found=_UNLESS_FOUND)}),
hit AS MATERIALIZED (
  (SELECT id FROM recent WHERE (SELECT count(*) FROM recent) = $4)
  UNION ALL
  (SELECT id FROM named WHERE (SELECT count(*) FROM named) < {_NAMED_MANY} ORDER BY id DESC LIMIT $4)
  UNION ALL
  (SELECT id FROM newer WHERE (SELECT count(*) FROM newer) = $4)
  UNION ALL
  (SELECT id FROM card
    WHERE (SELECT count(*) FROM named) = {_NAMED_MANY} AND (SELECT count(*) FROM newer) < $4 AND {_NAMED}
    ORDER BY id + 0 DESC LIMIT $4)
)
{_SHOWN}
"""  # noqa: S608 - constants


async def search_cards(
    account_id: int,
    query: str,
    *,
    deck_id: int | None = None,
    tag: str | None = None,
    cursor: str | None = None,
    limit: int = 20,
) -> Page[CardHit]:
    """Live cards that hold `query` in front, back or tags, newest first; case, accents and width do not matter.

    `tag` keeps the cards with exactly that tag. Raises `InvalidInput` for a query without a letter or a foreign cursor,
    `NotFound` for a deck that is not there.
    """
    wanted = needle(account_id, query)
    after = cursors.decode(cursor, _LISTING, CardKey)
    before_id = after[0] if after else LARGEST_ID
    common = (account_id, wanted.pattern_like, before_id, limit + 1, tag)
    if deck_id is not None:
        rows = await fetch(_WALK_DECK, *common, deck_id) if possible(deck_id) else []
        if not rows:
            await live_deck(account_id, deck_id)
    elif wanted.grams:
        rows = await fetch(_INDEX, *common, wanted.grams)
    else:
        rows = await fetch(_WALK_ACCOUNT, *common)
    hits = tuple(
        CardHit(row["id"], row["deck_id"], row["deck_title"], row["front"], row["back"], tuple(row["tags"]))
        for row in rows[:limit]
    )
    return Page(hits, cursors.encode(_LISTING, [hits[-1].id]) if len(rows) > limit else None)
