"""The SQL alone: the statements that a query or command sends, noted once and sent again straight through asyncpg."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from app.core.db import atomic

Act = Callable[[], Awaitable[object]]
_FRAME = ("BEGIN", "SAVEPOINT", "RELEASE", "ROLLBACK", "COMMIT")


@dataclass(frozen=True, slots=True)
class Statement:
    text: str
    values: tuple[object, ...]


class _Undone(Exception):
    """Ends the unit of work in which statements were noted."""


async def statements_of(act: Act) -> list[Statement]:
    """What `act` sends; its effect is undone."""
    noted: list[Statement] = []

    def note(query: Any) -> None:
        noted.append(Statement(query.query, tuple(query.args)))

    with suppress(_Undone):
        async with atomic() as connection:
            with connection.query_logger(note):
                await act()
                await asyncio.sleep(0)  # the logger is called by the loop
            raise _Undone
    return [statement for statement in noted if _is_ours(statement.text)]


def _is_ours(text: str) -> bool:
    """Neither the frame of a transaction nor asyncpg asking for the make of a type, once in a connection's life."""
    return not text.startswith(_FRAME) and "typeinfo_tree" not in text and "set_config('jit'" not in text


async def milliseconds(connection: Any, statements: Sequence[Statement], *, together: bool) -> float:
    """How long the statements take one after the other, `together` in a transaction of their own."""
    started = time.perf_counter()
    if together:
        async with connection.transaction():
            for statement in statements:
                await connection.fetch(statement.text, *statement.values)
    else:
        for statement in statements:
            await connection.fetch(statement.text, *statement.values)
    return (time.perf_counter() - started) * 1000
