"""Substring search over the cards of an account, newest first.

A card is found when its normal form holds the query's. The index of hashed letter pairs names the rows that may match
and LIKE decides. Two shapes of search never meet a bad plan: a walk from the newest card on, for a deck or for a query
without a pair of letters; and the index, after a look at the newest cards, for everything else. The look costs a
fraction of a millisecond and answers most common queries, for which the index would name half of the account. A common
one that the newest cards do not answer (they are of another language, say) shows when the index names many cards: then
a longer look is tried before all of them are fetched and sorted.
"""

from __future__ import annotations

from asyncio import Semaphore, timeout
from typing import Annotated

import msgspec
from asyncpg import Record

from app.core import cursors
from app.core.db import fetch
from app.decks.rows import LARGEST_ID, live_deck, possible
from app.decks.views import CardHit, Page
from app.domain.errors import N_, InvalidInput, Unavailable
from app.domain.search_text import needle

_LOOK, _LONG_LOOK = 500, 5_000  # cards
_MANY = 2_000
_TOO_MANY = 0  # in the place of an id: the index named many cards
_LISTING = "card-search"
_PLACES = 3  # searches at once in one process; the pool has more connections than that
_SEARCH_SECONDS = 1.5
_WAIT_SECONDS = 6.0
_places = Semaphore(_PLACES)

CardKey = tuple[Annotated[int, msgspec.Meta(ge=1, le=LARGEST_ID)]]

_MATCHES = "search_text LIKE $2 AND ($5::text IS NULL OR $5 = ANY (tags))"

_SHOWN = """
SELECT hit.id, card.deck_id, deck.title AS deck_title, card.front, card.back, card.tags
  FROM hit LEFT JOIN card ON card.account_id = $1 AND card.id = hit.id
  LEFT JOIN deck ON deck.account_id = $1 AND deck.id = card.deck_id
 ORDER BY hit.id DESC
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

# `+ 0` hides a column from the planner, which would otherwise read all ids of the account to combine two indexes; the
# inner SELECT hides how common the pairs are, for which it would read the whole table.
_NAMED = f"account_id + 0 = $1 AND deleted_at IS NULL AND id + 0 < $3 AND grams @> (SELECT $6::int[]) AND {_MATCHES}"
_NEWEST = f"""
  SELECT id FROM (
    SELECT id, search_text, tags FROM card
     WHERE account_id = $1 AND deleted_at IS NULL AND id < $3 ORDER BY id DESC LIMIT {{look}}
  ) AS newest WHERE {_MATCHES} LIMIT $4
"""  # noqa: S608 - constants
_INDEX = f"""
WITH recent AS MATERIALIZED ({_NEWEST.format(look=_LOOK)}),
named AS MATERIALIZED (SELECT id FROM card WHERE (SELECT count(*) FROM recent) < $4 AND {_NAMED} LIMIT {_MANY}),
hit AS MATERIALIZED (
  (SELECT id FROM recent WHERE (SELECT count(*) FROM recent) = $4)
  UNION ALL
  (SELECT id FROM named WHERE (SELECT count(*) FROM named) < {_MANY} ORDER BY id DESC LIMIT $4)
  UNION ALL
  SELECT {_TOO_MANY} WHERE (SELECT count(*) FROM named) = {_MANY}
)
{_SHOWN}
"""  # noqa: S608 - constants
_COMMON = f"""
WITH recent AS MATERIALIZED ({_NEWEST.format(look=_LONG_LOOK)}),
hit AS MATERIALIZED (
  (SELECT id FROM recent WHERE (SELECT count(*) FROM recent) = $4)
  UNION ALL
  (SELECT id FROM card WHERE (SELECT count(*) FROM recent) < $4 AND {_NAMED} ORDER BY id + 0 DESC LIMIT $4)
)
{_SHOWN}
"""  # noqa: S608 - constants


async def run_search(sql: str, *values: object) -> list[Record]:
    """The rows of a search that may neither take long nor take every connection: others want to study meanwhile."""
    try:
        async with timeout(_WAIT_SECONDS), _places:
            return await fetch(sql, *values, timeout_seconds=_SEARCH_SECONDS)
    except TimeoutError:
        raise Unavailable(N_("Too many searches run at this moment."), N_("Try again in a few seconds.")) from None
    except Unavailable as error:
        if not isinstance(error.__cause__, TimeoutError):
            raise
        raise InvalidInput(
            N_("This search takes too long."), N_("Search for a shorter or rarer text, or in one deck."), field="query"
        ) from None


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

    `tag` keeps the cards with exactly that tag. Raises `InvalidInput` for a query without a letter, one that is
    too long or takes too long, and a foreign cursor; `NotFound` for a deck that is not there; `Unavailable`.
    """
    wanted = needle(account_id, query)
    after = cursors.decode(cursor, _LISTING, CardKey)
    before_id = after[0] if after else LARGEST_ID
    common = (account_id, wanted.pattern_like, before_id, limit + 1, tag)
    if deck_id is not None:
        rows = await run_search(_WALK_DECK, *common, deck_id) if possible(deck_id) else []
        if not rows:
            await live_deck(account_id, deck_id)
    elif wanted.grams:
        rows = await run_search(_INDEX, *common, wanted.grams)
        if rows and rows[0]["id"] == _TOO_MANY:
            rows = await run_search(_COMMON, *common, wanted.grams)
    else:
        rows = await run_search(_WALK_ACCOUNT, *common)
    hits = tuple(
        CardHit(row["id"], row["deck_id"], row["deck_title"], row["front"], row["back"], tuple(row["tags"]))
        for row in rows[:limit]
    )
    return Page(hits, cursors.encode(_LISTING, [hits[-1].id]) if len(rows) > limit else None)
