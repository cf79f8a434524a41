"""Into which decks the cards of a file's deck go: an existing one or a new one, and further ones beyond the cap."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from app.core.db import execute, fetch, fetch_row, fetch_value
from app.decks.limits import Limits, room_for_deck
from app.decks.rows import insert_deck, live_deck
from app.domain.cards import COLLECTION_TITLE_MAX, DECK_TITLE_MAX, clean_optional_text, clean_title, title_key
from app.domain.transfer.bundle import BroughtDeck
from app.transfer.views import Choices

_SUFFIX_ROOM = 7


@dataclass(slots=True)
class Part:
    """A deck of ours with room for so many more cards."""

    deck_id: int
    room: int


@dataclass(slots=True)
class Target:
    """Where a deck of the file goes. `parts` are the decks that are there, in the order in which they are filled."""

    brought: BroughtDeck
    title: str
    collection: str | None
    parts: list[Part] = field(default_factory=list[Part])

    def deck_ids(self) -> list[int]:
        return [part.deck_id for part in self.parts]


def cut_title(text: str, most: int = DECK_TITLE_MAX - _SUFFIX_ROOM) -> str:
    """A title of one line that leaves room for the number of a part."""
    cleaned = clean_title(text, "title", max(len(text), 1))
    return cleaned if len(cleaned) <= most else cleaned[: most - 1].rstrip() + "…"


def _names(brought: BroughtDeck) -> tuple[str, str | None, str]:
    """Title, collection, and the title that is unmistakable among decks of other collections."""
    if brought.own:
        collection = cut_title(brought.collection, COLLECTION_TITLE_MAX) if brought.collection else None
        title = cut_title(brought.name, DECK_TITLE_MAX)
        return title, collection, f"{collection}::{title}"[:DECK_TITLE_MAX] if collection else title
    parts = [part.strip() for part in brought.name.split("::") if part.strip()]
    whole = cut_title("::".join(parts) or "Import")
    if len(parts) < 2:
        return whole, None, whole
    return cut_title("::".join(parts[1:])), cut_title(parts[0], COLLECTION_TITLE_MAX), whole


async def target_of(
    account_id: int, brought: BroughtDeck, choices: Choices, limits: Limits, others: Iterable[Target] = ()
) -> Target:
    """Find where a deck of the file goes, which shares no title with `others` of another collection.

    Raises `NotFound` for a chosen deck that is gone.
    """
    if choices.deck_id is not None:
        deck = await live_deck(account_id, choices.deck_id)
        target = Target(brought, deck["title"], None)
        await _add_part(account_id, target, choices.deck_id, limits)
        await _find_parts(account_id, target, limits, start=2)
        return target
    title, collection, whole = (choices.title, None, choices.title) if choices.title else _names(brought)
    found = await fetch(
        "SELECT d.id, d.title, c.title_key FROM deck d LEFT JOIN collection c "
        "ON c.account_id = d.account_id AND c.id = d.collection_id "
        "WHERE d.account_id = $1 AND d.title_key = $2 AND d.deleted_at IS NULL ORDER BY d.id",
        account_id,
        title_key(title),
    )
    shelf = title_key(collection) if collection else None
    ours = [row for row in found if collection is None or row["title_key"] == shelf]
    taken = any(title_key(other.title) == title_key(title) and other.collection != collection for other in others)
    if (found and not ours) or (taken and not found):  # a deck of another collection has this title
        title = whole
    target = Target(brought, title, collection)
    await _find_parts(account_id, target, limits, start=1)
    return target


async def _find_parts(account_id: int, target: Target, limits: Limits, start: int) -> None:
    number = start
    while True:
        deck_id = await fetch_value(
            "SELECT min(id) FROM deck WHERE account_id = $1 AND title_key = $2 AND deleted_at IS NULL",
            account_id,
            title_key(_part_title(target.title, number)),
        )
        if deck_id is None:
            return
        await _add_part(account_id, target, deck_id, limits)
        number += 1


def _part_title(title: str, number: int) -> str:
    return title if number == 1 else f"{title[: DECK_TITLE_MAX - _SUFFIX_ROOM]} ({number})"


async def _add_part(account_id: int, target: Target, deck_id: int, limits: Limits) -> None:
    if deck_id in target.deck_ids():
        return
    row = await fetch_row("SELECT cards FROM deck_count WHERE account_id = $1 AND deck_id = $2", account_id, deck_id)
    target.parts.append(Part(deck_id, limits.deck_card_cap - (row["cards"] if row else 0)))


async def add_part(account_id: int, target: Target, limits: Limits, now: datetime) -> Part:
    """Make the next deck of a target. Raises `DeckLimitExceeded`."""
    await room_for_deck(account_id, limits)
    brought = target.brought
    deck_id = await insert_deck(
        account_id,
        _part_title(target.title, len(target.parts) + 1),
        brought.created_at or now,
        description=clean_optional_text(brought.description, "description", len(brought.description) + 1)[:1000],
        language=brought.language,
        collection_id=await _collection(account_id, target.collection, now) if target.collection else None,
    )
    part = Part(deck_id, limits.deck_card_cap)
    target.parts.append(part)
    return part


async def _collection(account_id: int, title: str, now: datetime) -> int:
    found = await fetch_value(
        "SELECT id FROM collection WHERE account_id = $1 AND title_key = $2", account_id, title_key(title)
    )
    if found is not None:
        return int(found)
    return int(
        await fetch_value(
            "INSERT INTO collection (account_id, title, title_key, created_at, updated_at) "
            "VALUES ($1, $2, $3, $4, $4) RETURNING id",
            account_id,
            title,
            title_key(title),
            now,
        )
    )


async def remember_decks(account_id: int, import_id: int, deck_ids: list[int]) -> None:
    """Note which decks an import made, for its undo."""
    await execute(
        "UPDATE import_job SET made_decks = made_decks || to_jsonb($3::bigint[]) WHERE account_id = $1 AND id = $2",
        account_id,
        import_id,
        deck_ids,
    )


async def made_of(account_id: int, import_id: int, deck_ids: Sequence[int]) -> list[int]:
    """Those of the decks that the import made."""
    rows = await fetch(
        "SELECT value::bigint AS id FROM import_job, jsonb_array_elements_text(made_decks) "
        "WHERE account_id = $1 AND import_job.id = $2 AND value::bigint = ANY ($3::bigint[])",
        account_id,
        import_id,
        list(deck_ids),
    )
    return [row["id"] for row in rows]


async def is_in_trash(account_id: int, brought: BroughtDeck) -> bool:
    """Whether the trash has this deck of an export of ours already."""
    return bool(
        await fetch_value(
            "SELECT 1 FROM deck WHERE account_id = $1 AND title_key = $2 AND created_at = $3 "
            "AND deleted_at IS NOT NULL",
            account_id,
            title_key(brought.name),
            brought.created_at,
        )
    )
