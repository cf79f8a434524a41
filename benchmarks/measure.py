"""The order of measuring: short turns of every subject, each beside a turn of the bare server, several times over.

A machine slows down and recovers within seconds, so what is compared is measured close together.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import psutil

from app.core.db import DB, execute
from benchmarks import sql
from benchmarks.client import timed, tool_call
from benchmarks.figures import BARE, CALLERS, Figures, Times, figures_of
from benchmarks.subjects import Subject

_FORGET_RATES = "DELETE FROM rate_limit"
_HEAVY = 10  # a heavy subject takes a tenth of the calls


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """How much is measured. No turn begins after `seconds`."""

    rounds: int
    one: int
    """Calls of one caller in a turn."""
    many: int
    """Calls of sixteen callers in a turn."""
    sql: int
    """Runs of the SQL in a turn."""
    seconds: float


# A turn stays under what a browser may ask for at once; before each one the account's rates are forgotten.
FULL = Amount(rounds=6, one=80, many=192, sql=40, seconds=150)
QUICK = Amount(rounds=2, one=30, many=96, sql=10, seconds=30)


@dataclass(frozen=True, slots=True)
class Target:
    """A running server: where it listens and its process."""

    port: int
    process: psutil.Process

    async def take(self, requests: Sequence[bytes], callers: int, times: Times) -> None:
        """Send the requests and add what they took."""
        before = _processor_ms(self.process)
        taken = await timed(self.port, requests, callers)
        (times.one if callers == 1 else times.many).extend(taken)
        times.cpu += _processor_ms(self.process) - before


def _processor_ms(process: psutil.Process) -> float:
    spent = process.cpu_times()
    return (spent.user + spent.system) * 1000


async def measure(subjects: Sequence[Subject], amount: Amount, *, ours: Target, bare_server: Target) -> list[Figures]:
    """The figures of the bare server and of every subject."""
    times = {subject.name: Times() for subject in subjects}
    bare = Times()
    constant = tool_call("constant", {})
    assert DB.pool is not None
    # A connection of the pool, for the settings that the application's own have.
    connection = cast("Any", await DB.pool.acquire())
    try:
        await _warm_up(subjects, ours.port, bare_server.port)
        started = time.monotonic()
        for _ in range(amount.rounds):
            for subject in subjects:
                if time.monotonic() - started > amount.seconds:
                    break
                few = _HEAVY if subject.heavy else 1
                of = times[subject.name]
                await bare_server.take([constant] * (amount.one // 2), 1, bare)
                await execute(_FORGET_RATES)
                await ours.take(_requests(subject, amount.one // few), 1, of)
                await bare_server.take([constant] * (amount.many // 2), CALLERS, bare)
                await execute(_FORGET_RATES)
                await ours.take(_requests(subject, max(CALLERS * 2, amount.many // few)), CALLERS, of)
                of.sql += await _alone(connection, subject, max(3, amount.sql // few))
    finally:
        await DB.pool.release(connection)
    lines = [figures_of(BARE, bare, bare, None)]
    return lines + [
        figures_of(subject.name, times[subject.name], bare, subject) for subject in subjects if times[subject.name].sql
    ]


def _requests(subject: Subject, count: int) -> list[bytes]:
    return [subject.request() for _ in range(count)]


async def _warm_up(subjects: Sequence[Subject], port: int, bare_port: int) -> None:
    """Connections, prepared statements, templates and pages of the database that any server has after a minute."""
    await timed(bare_port, [tool_call("constant", {})] * 200, CALLERS)
    for subject in subjects:
        await execute(_FORGET_RATES)
        await timed(port, _requests(subject, 2 if subject.heavy else 60), 1 if subject.heavy else CALLERS)


async def _alone(connection: Any, subject: Subject, count: int) -> list[float]:
    taken: list[float] = []
    for _ in range(count):
        statements = await sql.statements_of(subject.act())
        taken.append(await sql.milliseconds(connection, statements, together=subject.together))
    return taken
