"""Marks on a card: whether it is asked (suspended, buried), and what only says something (flag, leech)."""

from __future__ import annotations

from app.core.db import changed_rows, execute
from app.decks.rows import no_such_card, possible
from app.domain.errors import N_, InvalidInput

FLAGS = range(8)
"""0 is none; the others mean what the person likes."""


async def set_suspended(account_id: int, card_id: int, *, suspended: bool) -> None:
    """Ask a live card no more, with all its questions, or take it up again. Raises `NotFound`."""
    await _mark(account_id, card_id, "suspended = $3", suspended)


async def dig_up(account_id: int, card_id: int) -> None:
    """Ask a buried card today after all. Raises `NotFound`."""
    await _mark(account_id, card_id, "buried_until = NULL")


async def set_flag(account_id: int, card_id: int, flag: int) -> None:
    """Flag a live card. Raises `NotFound`, `InvalidInput`."""
    if flag not in FLAGS:
        raise InvalidInput(N_("There is no such flag."), N_("Give a number from 0 to 7."), field="flag")
    await _mark(account_id, card_id, "flag = $3", flag)


async def clear_leech(account_id: int, card_id: int) -> None:
    """Note that something was done about a leech; it counts as one again after more lapses. Raises `NotFound`."""
    await _mark(account_id, card_id, "leech = false")


async def _mark(account_id: int, card_id: int, change: str, *values: object) -> None:
    tag = (
        await execute(
            f"UPDATE card_schedule SET {change} WHERE account_id = $1 AND card_id = $2 AND live",  # noqa: S608 - ours
            account_id,
            card_id,
            *values,
        )
        if possible(card_id)
        else "UPDATE 0"
    )
    if not changed_rows(tag):
        raise no_such_card()
