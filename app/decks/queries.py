"""Reads of the decks area: decks, collections, cards, tags, usage, trash. What is deleted shows in the trash alone."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import msgspec
from asyncpg import Record

from app.core import cursors
from app.core.db import fetch, fetch_row
from app.decks.rows import (
    LARGEST_ID,
    live_deck,
    no_such_card,
    no_such_collection,
    no_such_deck,
    own_collection,
    possible,
)
from app.decks.search import search_cards
from app.decks.views import (
    CardView,
    CollectionView,
    DeckView,
    Page,
    TagCount,
    TrashedCard,
    TrashedDeck,
    Usage,
)
from app.domain.calendar import StudyClock

__all__ = [
    "card",
    "cards",
    "collections",
    "deck",
    "decks",
    "search_cards",
    "tags",
    "trash_cards",
    "trash_decks",
    "usage",
]

IdKey = tuple[Annotated[int, msgspec.Meta(ge=1, le=LARGEST_ID)]]
TrashKey = tuple[Annotated[datetime, msgspec.Meta(tz=True)], Annotated[int, msgspec.Meta(ge=1, le=LARGEST_ID)]]

# Due: a question in review until the end of the study day, one in (re)learning once its minute has come; not
# while it is buried. The count reads the index card_schedule_due alone.
_DECK = """
SELECT deck.id, deck.title, deck.description, deck.language, deck.collection_id,
       coalesce(counted.cards, 0) AS card_count, coalesce(counted.new_cards, 0) AS new_count,
       due.card_count AS due_count, deck.created_at, deck.updated_at
  FROM deck
  LEFT JOIN deck_count AS counted ON counted.account_id = deck.account_id AND counted.deck_id = deck.id
 CROSS JOIN LATERAL (
       SELECT count(*) AS card_count FROM card_schedule AS schedule
        WHERE schedule.account_id = deck.account_id AND schedule.deck_id = deck.id AND schedule.active
          AND schedule.state > 0 AND schedule.due < $2 AND (schedule.state = 2 OR schedule.due <= $3)
          AND (schedule.buried_until IS NULL OR schedule.buried_until <= $3)) AS due
 WHERE deck.account_id = $1 AND deck.deleted_at IS NULL
"""
_ONE_DECK = _DECK + " AND deck.id = $4"
_DECKS = _DECK + " AND deck.id > $4 ORDER BY deck.id LIMIT $5"
_DECKS_OF_COLLECTION = _DECK + " AND deck.id > $4 AND deck.collection_id = $6 ORDER BY deck.id LIMIT $5"


async def decks(
    account_id: int,
    *,
    clock: StudyClock,
    now: datetime,
    collection_id: int | None = None,
    cursor: str | None = None,
    limit: int = 50,
) -> Page[DeckView]:
    """Live decks in the order of their ids. Raises `NotFound` for a collection that is not there."""
    after = cursors.decode(cursor, "decks", IdKey)
    common = (account_id, _end_of_day(clock, now), now, after[0] if after else 0, limit + 1)
    if collection_id is None:
        rows = await fetch(_DECKS, *common)
    else:
        rows = await fetch(_DECKS_OF_COLLECTION, *common, collection_id) if possible(collection_id) else []
        if not rows:
            await own_collection(account_id, collection_id)
    views = tuple(_deck_view(row) for row in rows[:limit])
    return Page(views, cursors.encode("decks", [views[-1].id]) if len(rows) > limit else None)


async def deck(account_id: int, deck_id: int, *, clock: StudyClock, now: datetime) -> DeckView:
    """One live deck. Raises `NotFound`."""
    row = await fetch_row(_ONE_DECK, account_id, _end_of_day(clock, now), now, deck_id) if possible(deck_id) else None
    if row is None:
        raise no_such_deck()
    return _deck_view(row)


def _end_of_day(clock: StudyClock, now: datetime) -> datetime:
    return clock.end_of(clock.study_day(now))


def _deck_view(row: Record) -> DeckView:
    return DeckView(*row.values())


_COLLECTION = """
SELECT shelf.id, shelf.title, (SELECT count(*) FROM deck WHERE deck.account_id = shelf.account_id
          AND deck.collection_id = shelf.id AND deck.deleted_at IS NULL) AS deck_count,
       shelf.created_at, shelf.updated_at
  FROM collection AS shelf WHERE shelf.account_id = $1
"""


async def collections(account_id: int) -> tuple[CollectionView, ...]:
    """All collections of the account by title."""
    rows = await fetch(_COLLECTION + " ORDER BY shelf.title_key", account_id)
    return tuple(CollectionView(*row.values()) for row in rows)


async def collection(account_id: int, collection_id: int) -> CollectionView:
    """One collection. Raises `NotFound`."""
    possibly = possible(collection_id)
    row = await fetch_row(_COLLECTION + " AND shelf.id = $2", account_id, collection_id) if possibly else None
    if row is None:
        raise no_such_collection()
    return CollectionView(*row.values())


_CARD = """
SELECT card.id, card.deck_id, deck.title AS deck_title, card.front, card.back, card.front_rich, card.back_rich,
       card.tags, card.language, card.source_title, card.created_at, card.updated_at, card.version
  FROM card JOIN deck ON deck.account_id = card.account_id AND deck.id = card.deck_id
 WHERE card.account_id = $1 AND card.deleted_at IS NULL
"""
_ONE_CARD = _CARD + " AND card.id = $2"
_CARDS = f"""
{_CARD} AND card.deck_id = $2 AND card.id > $3 AND ($5::text IS NULL OR $5 = ANY (card.tags))
 ORDER BY card.id LIMIT $4
"""


async def card(account_id: int, card_id: int) -> CardView:
    """One live card. Raises `NotFound`."""
    row = await fetch_row(_ONE_CARD, account_id, card_id) if possible(card_id) else None
    if row is None:
        raise no_such_card()
    return _card_view(row)


async def cards(
    account_id: int, deck_id: int, *, tag: str | None = None, cursor: str | None = None, limit: int = 50
) -> Page[CardView]:
    """Live cards of a live deck in the order they were made, all or those with one tag. Raises `NotFound`."""
    after = cursors.decode(cursor, "cards", IdKey)
    rows = (
        await fetch(_CARDS, account_id, deck_id, after[0] if after else 0, limit + 1, tag) if possible(deck_id) else []
    )
    if not rows:
        await live_deck(account_id, deck_id)
    views = tuple(_card_view(row) for row in rows[:limit])
    return Page(views, cursors.encode("cards", [views[-1].id]) if len(rows) > limit else None)


def _card_view(row: Record) -> CardView:
    values: dict[str, Any] = dict(row)
    values["tags"] = tuple(values["tags"])
    return CardView(**values)


_TAGS = """
SELECT tag, count(*) AS card_count FROM card, unnest(tags) AS tag
 WHERE account_id = $1 AND deleted_at IS NULL {of_deck} GROUP BY tag ORDER BY card_count DESC, tag
"""
_TAGS_OF_ACCOUNT = _TAGS.format(of_deck="")
_TAGS_OF_DECK = _TAGS.format(of_deck="AND deck_id = $2")


async def tags(account_id: int, deck_id: int | None = None) -> tuple[TagCount, ...]:
    """The tags of a live deck or of the whole account, the commonest first. Raises `NotFound` for a missing deck."""
    if deck_id is None:
        rows = await fetch(_TAGS_OF_ACCOUNT, account_id)
    else:
        await live_deck(account_id, deck_id)
        rows = await fetch(_TAGS_OF_DECK, account_id, deck_id)
    return tuple(TagCount(row["tag"], row["card_count"]) for row in rows)


async def usage(account_id: int) -> Usage:
    """Live decks and live cards of the account."""
    row = await fetch_row(
        "SELECT (SELECT count(*) FROM deck WHERE account_id = $1 AND deleted_at IS NULL) AS decks, "
        "(SELECT coalesce(sum(cards), 0) FROM deck_count WHERE account_id = $1)::bigint AS cards",
        account_id,
    )
    return Usage(row["decks"], row["cards"]) if row else Usage(0, 0)


# Cards that went with a deck carry its time of deletion, so the index on that time finds them.
_TRASHED_DECKS = """
SELECT deck.id, deck.title, (
         SELECT count(*) FROM card WHERE card.account_id = deck.account_id AND card.deleted_at = deck.deleted_at
            AND card.deck_id = deck.id AND card.deleted_with_deck) AS card_count,
       deck.deleted_at
  FROM deck
 WHERE deck.account_id = $1 AND deck.deleted_at IS NOT NULL
   AND ($2::timestamptz IS NULL OR (deck.deleted_at, deck.id) < ($2, $3::bigint))
 ORDER BY deck.deleted_at DESC, deck.id DESC LIMIT $4
"""


async def trash_decks(account_id: int, *, cursor: str | None = None, limit: int = 50) -> Page[TrashedDeck]:
    """Deleted decks, the last deleted first."""
    after = cursors.decode(cursor, "trash-decks", TrashKey) or (None, None)
    rows = await fetch(_TRASHED_DECKS, account_id, *after, limit + 1)
    views = tuple(TrashedDeck(*row.values()) for row in rows[:limit])
    more = len(rows) > limit
    return Page(views, cursors.encode("trash-decks", [views[-1].deleted_at, views[-1].id]) if more else None)


_TRASHED_CARDS = """
SELECT card.id, card.deck_id, deck.title AS deck_title, deck.deleted_at IS NOT NULL AS deck_deleted,
       card.front, card.back, card.deleted_at
  FROM card JOIN deck ON deck.account_id = card.account_id AND deck.id = card.deck_id
 WHERE card.account_id = $1 AND card.deleted_at IS NOT NULL AND NOT card.deleted_with_deck
   AND ($2::timestamptz IS NULL OR (card.deleted_at, card.id) < ($2, $3::bigint))
 ORDER BY card.deleted_at DESC, card.id DESC LIMIT $4
"""


async def trash_cards(account_id: int, *, cursor: str | None = None, limit: int = 50) -> Page[TrashedCard]:
    """Cards deleted by themselves (not with their deck), the last deleted first."""
    after = cursors.decode(cursor, "trash-cards", TrashKey) or (None, None)
    rows = await fetch(_TRASHED_CARDS, account_id, *after, limit + 1)
    views = tuple(TrashedCard(*row.values()) for row in rows[:limit])
    more = len(rows) > limit
    return Page(views, cursors.encode("trash-cards", [views[-1].deleted_at, views[-1].id]) if more else None)
