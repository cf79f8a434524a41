"""Answers in the log, for tests that need a past and no session."""

from __future__ import annotations

from datetime import datetime

from app.domain.scheduling import Rating, SchedulingOptions
from app.study import answers
from app.study.answers import Written
from app.study.queries import questions_of


async def answer_card(
    account_id: int,
    card_id: int,
    rating: Rating,
    *,
    options: SchedulingOptions,
    now: datetime,
    elapsed_ms: int | None = None,
) -> Written:
    """One more answer of a plain card."""
    (card,) = await questions_of(account_id, card_id)
    written = await answers.keep(
        account_id, card, rating, elapsed_ms=elapsed_ms, options=options, leech_threshold=8, now=now
    )
    assert written is not None
    return written
