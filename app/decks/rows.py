"""Finding the rows that a command or a list starts from, and the lock that lets one account's writes go one by one."""

from __future__ import annotations

from collections.abc import Sequence

from asyncpg import Record

from app.core.db import fetch_row
from app.domain.errors import N_, InvalidInput, NotFound

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


async def lock_writes(account_id: int) -> None:
    """Wait until no other transaction changes decks or cards of this account, and keep others waiting until commit.

    The first statement of every command that writes: title reuse, duplicates, the deck's cap and the plan's figures are
    then read and acted upon without a race. Foreign keys to the account do not conflict with this lock. Raises `NotFound`.
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
