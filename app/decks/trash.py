"""Erasing for good what lies in the trash: one deck, some cards, or all that has lain there long enough."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime

from app.core.db import atomic, changed_rows, execute, fetch
from app.decks.rows import bulk_result, checked_ids, lock_writes, possible
from app.decks.views import BulkResult
from app.domain.errors import N_, NotFound


async def erase_deck(account_id: int, deck_id: int) -> None:
    """Erase a deleted deck with all its cards, their schedules and answers.

    Raises `NotFound` for a deck that is not in the trash.
    """
    async with atomic():
        await lock_writes(account_id)
        gone = (
            await execute(
                "DELETE FROM deck WHERE account_id = $1 AND id = $2 AND deleted_at IS NOT NULL", account_id, deck_id
            )
            if possible(deck_id)
            else "DELETE 0"
        )
        if changed_rows(gone) == 0:
            raise NotFound(N_("There is no such deck in the trash."), N_("Only a deleted deck can be erased."))


async def erase_cards(account_id: int, card_ids: Sequence[int]) -> BulkResult:
    """Erase deleted cards with their schedules and answers; live cards count as not found."""
    wanted = checked_ids(card_ids)
    async with atomic():
        await lock_writes(account_id)
        rows = await fetch(
            "DELETE FROM card WHERE account_id = $1 AND id = ANY ($2::bigint[]) AND deleted_at IS NOT NULL "
            "RETURNING id",
            account_id,
            [id for id in wanted if possible(id)],
        )
    return bulk_result(wanted, {row["id"] for row in rows})


async def sweep_trash(before: datetime) -> int:
    """Erase what was deleted before that moment, account by account; gives back how many decks and cards it erased.

    Each account is a unit of work under its own lock, so a restore that runs at the same time wins or finds nothing.
    """
    accounts = await fetch(
        "SELECT account_id FROM deck WHERE deleted_at < $1 UNION SELECT account_id FROM card WHERE deleted_at < $1",
        before,
    )
    erased = 0
    for row in accounts:
        with suppress(NotFound):  # the account went in the meantime, and all its rows with it
            erased += await _sweep_account(row["account_id"], before)
    return erased


async def _sweep_account(account_id: int, before: datetime) -> int:
    async with atomic():
        await lock_writes(account_id)
        cards = await execute("DELETE FROM card WHERE account_id = $1 AND deleted_at < $2", account_id, before)
        decks = await execute("DELETE FROM deck WHERE account_id = $1 AND deleted_at < $2", account_id, before)
    return changed_rows(cards) + changed_rows(decks)
