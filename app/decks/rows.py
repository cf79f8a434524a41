"""Rows that several commands and lists find or make, and the lock that lets one account's writes go one by one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime

from asyncpg import Record

from app.core.db import execute, fetch, fetch_row, fetch_value
from app.decks.views import BulkResult
from app.domain.cards import title_key
from app.domain.errors import N_, Conflict, InvalidInput, NotFound

LARGEST_ID = 2**63 - 1
MAXIMUM_IDS = 500


def possible(id: int) -> bool:
    """Whether a row can have this id at all; the database refuses to compare larger numbers."""
    return 1 <= id <= LARGEST_ID


def checked_ids(ids: Sequence[int]) -> tuple[int, ...]:
    """The ids of a command on many cards, each once, in order. Raises `InvalidInput` for none or more than 500."""
    once = tuple(dict.fromkeys(ids))
    if not 1 <= len(once) <= MAXIMUM_IDS:
        raise InvalidInput(
            N_("A call names from 1 to %(limit)s cards."),
            N_("Split a longer list over several calls."),
            field="card_ids",
            limit=MAXIMUM_IDS,
        )
    return once


def bulk_result(wanted: Sequence[int], done: set[int]) -> BulkResult:
    """`wanted` parted into what was done and what was not found."""
    return BulkResult(tuple(id for id in wanted if id in done), tuple(id for id in wanted if id not in done))


async def lock_writes(account_id: int) -> None:
    """Wait until no other transaction changes decks or cards of this account, and keep others waiting until commit.

    The first statement of every command that writes: title reuse, duplicates, the deck's cap and the plan's figures are
    then read and acted upon without a race. Foreign keys to the account do not wait for it. Raises `NotFound`.
    """
    if await fetch_row("SELECT 1 FROM account WHERE id = $1 FOR NO KEY UPDATE", account_id) is None:
        raise NotFound(N_("There is no such account."))


def no_such_deck() -> NotFound:
    return NotFound(
        N_("There is no deck with this id."), N_("List the decks to see their ids; a deleted deck can be restored.")
    )


def no_such_card() -> NotFound:
    return NotFound(
        N_("There is no card with this id."), N_("Search the cards to find its id; a deleted card can be restored.")
    )


def no_such_collection() -> NotFound:
    return NotFound(N_("There is no collection with this id."), N_("List the collections to see their ids."))


async def live_deck(account_id: int, deck_id: int) -> Record:
    """`id, title, title_key, description, language, collection_id` of a live deck. Raises `NotFound`."""
    row = (
        await fetch_row(
            "SELECT id, title, title_key, description, language, collection_id FROM deck "
            "WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL",
            account_id,
            deck_id,
        )
        if possible(deck_id)
        else None
    )
    if row is None:
        raise no_such_deck()
    return row


async def own_collection(account_id: int, collection_id: int) -> Record:
    """`id, title, title_key` of a collection. Raises `NotFound`."""
    row = (
        await fetch_row(
            "SELECT id, title, title_key FROM collection WHERE account_id = $1 AND id = $2", account_id, collection_id
        )
        if possible(collection_id)
        else None
    )
    if row is None:
        raise no_such_collection()
    return row


async def deck_of_title(account_id: int, key: str) -> int | None:
    """The id of the live deck whose title has this compared form; the oldest of several."""
    return await fetch_value(
        "SELECT min(id) FROM deck WHERE account_id = $1 AND title_key = $2 AND deleted_at IS NULL", account_id, key
    )


async def insert_deck(
    account_id: int,
    title: str,
    now: datetime,
    *,
    description: str = "",
    language: str | None = None,
    collection_id: int | None = None,
) -> int:
    """Insert a live deck of cleaned values and give its id. Title and room have been checked under the lock."""
    return int(
        await fetch_value(
            "INSERT INTO deck "
            "(account_id, title, title_key, description, language, collection_id, created_at, updated_at) "
            "VALUES ($1, $2, $3, $4, $5, $6, $7, $7) RETURNING id",
            account_id,
            title,
            title_key(title),
            description,
            language,
            collection_id,
            now,
        )
    )


async def touch_decks(account_id: int, deck_ids: Iterable[int], now: datetime) -> None:
    """Note that cards of these decks changed."""
    await execute(
        "UPDATE deck SET updated_at = $3 WHERE account_id = $1 AND id = ANY ($2::bigint[])",
        account_id,
        sorted(set(deck_ids)),
        now,
    )


async def refuse_equals(account_id: int, deck_id: int, keys: dict[int, bytes]) -> None:
    """Raise `Conflict` when one of the cards (key by id) would equal another or a live card of the deck."""
    by_key: dict[bytes, list[int]] = defaultdict(list)
    for card_id, key in keys.items():
        by_key[key].append(card_id)
    rows = await fetch(
        "SELECT id, card_key FROM card WHERE account_id = $1 AND deck_id = $2 AND card_key = ANY ($3::bytea[]) "
        "AND deleted_at IS NULL AND id <> ALL ($4::bigint[])",
        account_id,
        deck_id,
        list(by_key),
        list(keys),
    )
    for row in rows:
        by_key[row["card_key"]].append(row["id"])
    equal = sorted(id for ids in by_key.values() if len(ids) > 1 for id in ids)
    if equal:
        raise Conflict(
            N_("These cards would be equal in front and back within deck %(deck_id)s: %(card_ids)s."),
            N_("Keep one of each, or change one first. Nothing was changed."),
            deck_id=deck_id,
            card_ids=", ".join(map(str, equal)),
        )


async def move_schedules(account_id: int, card_ids: Sequence[int], deck_id: int) -> None:
    await execute(
        "UPDATE card_schedule SET deck_id = $3 WHERE account_id = $1 AND card_id = ANY ($2::bigint[])",
        account_id,
        card_ids,
        deck_id,
    )
