"""Fitting the parameters of an account with many reviews: how long it takes, and how long it keeps others waiting."""

from __future__ import annotations

import asyncio
import random
import time
from datetime import datetime, timedelta
from typing import Any

from app import jobs
from app.accounts import service as accounts
from app.core.db import atomic, execute, fetch_value
from app.core.mail import PrintingMailer
from app.core.settings import Settings
from app.decks import rows as decks
from app.domain.plans import Plan
from app.study import fitting, settings_queries

_ANSWERS_A_CARD = 10
_TICK_SECONDS = 0.001
_PASSWORD = "a benchmark has nothing to hide"  # noqa: S105 - of a made-up account
_REVIEW = "account_id card_id deck_id rep rating reviewed_at before state_before due interval_days stability difficulty"


async def fit_many(reviews: int, *, now: datetime) -> dict[str, Any]:
    """Seconds of the job, and milliseconds of the longest pause of the process's event loop meanwhile."""
    account_id = await _account(reviews, now)
    await fitting.ask_for_fit(account_id, allowed=True, now=now)
    context = jobs.JobContext(Settings(), PrintingMailer())
    pauses: list[float] = []
    ticking = asyncio.create_task(_tick(pauses))
    await asyncio.sleep(0.05)
    started = time.perf_counter()
    await jobs.run_one(context)
    seconds = time.perf_counter() - started
    ticking.cancel()
    own = await settings_queries.own_parameters(account_id)
    assert own.last is not None
    return {
        f"fitting {reviews:,} reviews": f"{seconds:.2f} s ({own.last.outcome})",
        "longest pause of the loop": f"{1000 * max(pauses):.1f} ms",
    }


async def _tick(pauses: list[float]) -> None:
    last = time.perf_counter()
    while True:
        await asyncio.sleep(_TICK_SECONDS)
        now = time.perf_counter()
        pauses.append(now - last)
        last = now


async def _account(reviews: int, now: datetime) -> int:
    """An account whose cards were answered ten times each, at growing intervals and with a forgetting of its own."""
    draw = random.Random(17)
    account = await accounts.sign_up("fitted@example.org", _PASSWORD, now=now, plan=Plan.PRO)
    deck_id = await decks.insert_deck(account.id, "Fitted", now)
    cards = reviews // _ANSWERS_A_CARD
    first = await fetch_value("SELECT coalesce(max(id), 0) + 1 FROM card")
    await execute(
        "INSERT INTO card (id, account_id, deck_id, front, back, tags, card_key, search_text, grams, created_at, "
        "updated_at) SELECT n, $1, $2, n::text, '', '{}', decode(lpad(to_hex(n), 32, '0'), 'hex'), '', '{}', $5, $5 "
        "FROM generate_series($3::bigint, $4) AS n",
        account.id,
        deck_id,
        first,
        first + cards - 1,
        now,
    )
    rows: list[tuple[Any, ...]] = []
    for card_id in range(first, first + cards):
        at, days = now - timedelta(days=draw.uniform(900, 1000)), 0.0
        for rep in range(_ANSWERS_A_CARD):
            rating = 1 if draw.random() < 0.15 else draw.choice((2, 3, 3, 3, 4))
            state = 2 if rep else 0
            rows.append((account.id, card_id, deck_id, rep, rating, at, "{}", state, at, days, 1.0, 5.0))
            days = 1.0 if rating == 1 else max(1.0, days * draw.uniform(1.5, 2.6))
            at += timedelta(days=min(days, 80))
    async with atomic() as connection:
        await connection.copy_records_to_table("review", records=rows, columns=_REVIEW.split())
        await connection.execute("SELECT setval(pg_get_serial_sequence('card', 'id'), (SELECT max(id) FROM card))")
    return account.id
