"""Commands on decks and collections, and the one place that names every command of the area.

Each command is one unit of work and takes the account's lock first (`lock_writes`), so that what it checks stays true
until it commits. Changing a card is in `cards`, many at once in `bulk`, new ones in `imports`, erasing in `trash`.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from asyncpg import Record
from msgspec import UNSET

from app.core.db import atomic, execute, fetch_row, fetch_value
from app.decks.batches import create_cards, import_rows
from app.decks.bulk import delete_cards, move_cards, restore_cards, tag_cards
from app.decks.cards import update_card
from app.decks.changes import CardChanges, DeckChanges, NewCard
from app.decks.imports import add_card, import_cards
from app.decks.limits import Limits, room_for_cards, room_for_deck
from app.decks.rows import (
    deck_of_title,
    insert_deck,
    live_deck,
    lock_writes,
    no_such_deck,
    own_collection,
    possible,
)
from app.decks.trash import erase_cards, erase_deck, sweep_trash
from app.decks.views import DeletedDeck
from app.domain.cards import DECK_DESCRIPTION_MAX, clean_language, clean_optional_text, clean_title, title_key
from app.domain.errors import N_, Conflict

__all__ = [
    "CardChanges",
    "DeckChanges",
    "Limits",
    "NewCard",
    "add_card",
    "create_cards",
    "create_collection",
    "create_deck",
    "delete_cards",
    "delete_collection",
    "delete_deck",
    "erase_cards",
    "erase_deck",
    "import_cards",
    "import_rows",
    "lock_writes",
    "move_cards",
    "rename_collection",
    "restore_cards",
    "restore_deck",
    "sweep_trash",
    "tag_cards",
    "update_card",
    "update_deck",
]

MAXIMUM_COLLECTIONS = 500


async def create_collection(account_id: int, *, title: str, now: datetime) -> int:
    """The id of a new collection, or of the one that has exactly this title.

    Raises `InvalidInput` for the title, `Conflict` when a collection has a title that counts as the same.
    """
    name = clean_title(title, "title")
    async with atomic():
        await lock_writes(account_id)
        same = await _collection_of_title(account_id, title_key(name))
        if same:
            if same["title"] == name:
                return int(same["id"])
            raise _collection_title_taken(same["id"])
        held = await fetch_value("SELECT count(*) FROM collection WHERE account_id = $1", account_id)
        if held >= MAXIMUM_COLLECTIONS:
            raise Conflict(
                N_("An account holds at most %(limit)s collections."),
                N_("Delete one that is no longer needed; its decks stay."),
                limit=MAXIMUM_COLLECTIONS,
            )
        return int(
            await fetch_value(
                "INSERT INTO collection (account_id, title, title_key, created_at, updated_at) "
                "VALUES ($1, $2, $3, $4, $4) RETURNING id",
                account_id,
                name,
                title_key(name),
                now,
            )
        )


async def rename_collection(account_id: int, collection_id: int, *, title: str, now: datetime) -> None:
    """Give a collection another title. Raises `InvalidInput`, `NotFound`, `Conflict` as `create_collection`."""
    name = clean_title(title, "title")
    async with atomic():
        await lock_writes(account_id)
        row = await own_collection(account_id, collection_id)
        same = await _collection_of_title(account_id, title_key(name))
        if same and same["id"] != collection_id:
            raise _collection_title_taken(same["id"])
        if row["title"] != name:
            await execute(
                "UPDATE collection SET title = $3, title_key = $4, updated_at = $5 WHERE account_id = $1 AND id = $2",
                account_id,
                collection_id,
                name,
                title_key(name),
                now,
            )


async def delete_collection(account_id: int, collection_id: int, *, now: datetime) -> None:
    """Delete a collection; its decks stay, without one. Raises `NotFound`."""
    async with atomic():
        await lock_writes(account_id)
        await own_collection(account_id, collection_id)
        await execute(
            "UPDATE deck SET collection_id = NULL, "
            "updated_at = CASE WHEN deleted_at IS NULL THEN $3 ELSE updated_at END "
            "WHERE account_id = $1 AND collection_id = $2",
            account_id,
            collection_id,
            now,
        )
        await execute("DELETE FROM collection WHERE account_id = $1 AND id = $2", account_id, collection_id)


async def _collection_of_title(account_id: int, key: str) -> Record | None:
    return await fetch_row("SELECT id, title FROM collection WHERE account_id = $1 AND title_key = $2", account_id, key)


def _collection_title_taken(collection_id: int) -> Conflict:
    return Conflict(
        N_("Collection %(collection_id)s has this title already."),
        N_("Use that collection, or choose another title."),
        collection_id=collection_id,
    )


async def create_deck(
    account_id: int,
    *,
    title: str,
    description: str = "",
    language: str | None = None,
    collection_id: int | None = None,
    limits: Limits,
    now: datetime,
) -> int:
    """The id of a new deck, or of the live deck that has this title and everything else that was given.

    So a call that is repeated because its answer was lost makes one deck. Raises `InvalidInput`, `NotFound` for the
    collection, `Conflict` when a different live deck has this title, `DeckLimitExceeded`.
    """
    name, tongue = clean_title(title, "title"), clean_language(language)
    about = clean_optional_text(description, "description", DECK_DESCRIPTION_MAX)
    async with atomic():
        await lock_writes(account_id)
        if collection_id is not None:
            await own_collection(account_id, collection_id)
        same_id = await deck_of_title(account_id, title_key(name))
        if same_id is not None:
            same = await live_deck(account_id, same_id)
            given = {"title": name, "description": about, "language": tongue, "collection_id": collection_id}
            if all(same[field] == value for field, value in given.items() if value):
                return same_id
            raise _deck_title_taken(same_id)
        await room_for_deck(account_id, limits)
        return await insert_deck(account_id, name, now, description=about, language=tongue, collection_id=collection_id)


def _deck_title_taken(deck_id: int) -> Conflict:
    return Conflict(
        N_("Deck %(deck_id)s has this title already."),
        N_("Use that deck, or choose another title."),
        deck_id=deck_id,
    )


async def update_deck(account_id: int, deck_id: int, changes: DeckChanges, *, now: datetime) -> None:
    """Change a live deck. What is equal already changes nothing, the time of the last change included.

    Raises `InvalidInput`, `NotFound` for deck or collection, `Conflict` when another live deck has the new title.
    """
    wanted: dict[str, Any] = {}
    if changes.title is not UNSET:
        wanted["title"] = clean_title(changes.title, "title")
    if changes.description is not UNSET:
        wanted["description"] = clean_optional_text(changes.description, "description", DECK_DESCRIPTION_MAX)
    if changes.language is not UNSET:
        wanted["language"] = clean_language(changes.language)
    async with atomic():
        await lock_writes(account_id)
        row = await live_deck(account_id, deck_id)
        if changes.collection_id is not UNSET:
            if changes.collection_id is not None:
                await own_collection(account_id, changes.collection_id)
            wanted["collection_id"] = changes.collection_id
        old: dict[str, Any] = dict(row)
        new = old | wanted
        if new == old:
            return
        key = title_key(new["title"])
        if key != old["title_key"]:
            same_id = await deck_of_title(account_id, key)
            if same_id is not None:
                raise _deck_title_taken(same_id)
        await execute(
            "UPDATE deck SET title = $3, title_key = $4, description = $5, language = $6, collection_id = $7, "
            "updated_at = $8 WHERE account_id = $1 AND id = $2",
            account_id,
            deck_id,
            new["title"],
            key,
            new["description"],
            new["language"],
            new["collection_id"],
            now,
        )


async def delete_deck(account_id: int, deck_id: int, *, now: datetime) -> DeletedDeck:
    """Move a live deck to the trash with its live cards; cards deleted before stay in the trash by themselves.

    Raises `NotFound`.
    """
    async with atomic():
        await lock_writes(account_id)
        row = await live_deck(account_id, deck_id)
        count = await fetch_value(
            "WITH gone AS ("
            "  UPDATE card SET deleted_at = $3, deleted_with_deck = true "
            "  WHERE account_id = $1 AND deck_id = $2 AND deleted_at IS NULL RETURNING id"
            "), unscheduled AS ("
            "  UPDATE card_schedule SET live = false FROM gone WHERE account_id = $1 AND card_id = gone.id"
            ") SELECT count(*) FROM gone",
            account_id,
            deck_id,
            now,
        )
        await execute("UPDATE deck SET deleted_at = $3 WHERE account_id = $1 AND id = $2", account_id, deck_id, now)
    return DeletedDeck(row["title"], count)


async def restore_deck(account_id: int, deck_id: int, *, limits: Limits, now: datetime) -> int:
    """Bring a deck back with the cards that went with it; gives their number, 0 for a deck that is live already.

    A title that another deck took meanwhile is no obstacle. Raises `NotFound`, `DeckLimitExceeded`,
    `DeckCardLimitExceeded`, `PlanRequired`.
    """
    async with atomic():
        await lock_writes(account_id)
        row = (
            await fetch_row(
                "SELECT deleted_at, ("
                "  SELECT count(*) FROM card WHERE card.account_id = deck.account_id "
                "  AND card.deleted_at = deck.deleted_at AND card.deck_id = deck.id AND card.deleted_with_deck"
                ") AS cards "
                "FROM deck WHERE account_id = $1 AND id = $2",
                account_id,
                deck_id,
            )
            if possible(deck_id)
            else None
        )
        if row is None:
            raise no_such_deck()
        if row["deleted_at"] is None:
            return 0
        await room_for_deck(account_id, limits)
        await room_for_cards(account_id, deck_id, row["cards"], limits)
        await execute(
            "UPDATE deck SET deleted_at = NULL, updated_at = $3 WHERE account_id = $1 AND id = $2",
            account_id,
            deck_id,
            now,
        )
        await execute(
            "WITH back AS ("
            "  UPDATE card SET deleted_at = NULL, deleted_with_deck = false "
            "  WHERE account_id = $1 AND deck_id = $2 AND deleted_at = $3 AND deleted_with_deck RETURNING id"
            ") UPDATE card_schedule SET live = true FROM back WHERE account_id = $1 AND card_id = back.id",
            account_id,
            deck_id,
            row["deleted_at"],
        )
        return int(row["cards"])
