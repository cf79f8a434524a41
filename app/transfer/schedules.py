"""Schedules and answers that cards bring along: rows of card_schedule and of the log."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from app.core.db import atomic, execute, fetch
from app.domain.statistics import capped_ms
from app.domain.transfer.bundle import BroughtQuestion, BroughtReview

_REVIEW: Final = (
    "account_id", "card_id", "ordinal", "deck_id", "rep", "rating", "reviewed_at", "elapsed_ms", "before",
    "state_before", "last_interval_days", "due", "interval_days", "stability", "difficulty",
)  # fmt: skip
# Undo is a session's, and no session gave these answers.
_NOTHING_BEFORE = "{}"

_WRITE = """
INSERT INTO card_schedule AS s
       (account_id, card_id, deck_id, ordinal, lead, gone, suspended, buried_until, flag, leech,
        state, step, due, stability, difficulty, last_review, reps, lapses)
SELECT $1, card_id, deck_id, ordinal, false, true, suspended, buried_until, flag, leech,
       state, step, due, stability, difficulty, last_review, reps, lapses
  FROM unnest($2::bigint[], $3::bigint[], $4::smallint[], $5::boolean[], $6::timestamptz[], $7::smallint[],
              $8::boolean[], $9::smallint[], $10::smallint[], $11::timestamptz[], $12::float8[], $13::float8[],
              $14::timestamptz[], $15::int[], $16::int[])
       AS sent (card_id, deck_id, ordinal, suspended, buried_until, flag, leech, state, step, due, stability,
                difficulty, last_review, reps, lapses)
ON CONFLICT (account_id, card_id, ordinal) DO UPDATE
   SET suspended = excluded.suspended, buried_until = excluded.buried_until, flag = excluded.flag,
       leech = excluded.leech, state = excluded.state, step = excluded.step, due = excluded.due,
       stability = excluded.stability, difficulty = excluded.difficulty, last_review = excluded.last_review,
       reps = excluded.reps, lapses = excluded.lapses
"""


@dataclass(frozen=True, slots=True)
class Brought:
    """A question of one of our cards, with what the file says of it."""

    card_id: int
    deck_id: int
    question: BroughtQuestion


async def write_schedules(account_id: int, brought: Sequence[Brought]) -> int:
    """Give new cards the schedules and answers of the file; how many answers. In the current unit of work.

    A question that the text of the card has not is kept aside, as one that the text has lost.
    """
    if not brought:
        return 0
    questions = [each.question for each in brought]
    await execute(
        _WRITE,
        account_id,
        [each.card_id for each in brought],
        [each.deck_id for each in brought],
        [each.ordinal for each in questions],
        [each.suspended for each in questions],
        [each.buried_until for each in questions],
        [each.flag for each in questions],
        [each.leech for each in questions],
        [each.state for each in questions],
        [each.step for each in questions],
        [each.due for each in questions],
        [each.stability for each in questions],
        [each.difficulty for each in questions],
        [each.last_review for each in questions],
        [max(each.reps, len(each.reviews)) for each in questions],
        [each.lapses for each in questions],
    )
    rows = [row for each in brought for row in _reviews(account_id, each)]
    await _write_reviews(rows)
    return len(rows)


async def _write_reviews(rows: Sequence[tuple[Any, ...]]) -> None:
    if rows:
        async with atomic() as connection:
            await connection.copy_records_to_table("review", records=rows, columns=_REVIEW)


def _reviews(
    account_id: int, brought: Brought, *, first: int | None = None, last_days: float | None = None
) -> Iterable[tuple[Any, ...]]:
    """Rows of the log. Without `first` the answers are the last ones of those that the schedule counts."""
    reviews = brought.question.reviews
    number = max(brought.question.reps - len(reviews), 0) if first is None else first
    for review in reviews:
        rep = number if review.rep is None else review.rep
        yield _row(account_id, brought, review, rep, last_days if rep else None)
        last_days = review.interval_days
        number = rep + 1


def _row(
    account_id: int, brought: Brought, review: BroughtReview, rep: int, last_days: float | None
) -> tuple[Any, ...]:
    # Zero for an unknown one: a trigger would look for the answer before it, which is not there.
    last_days = 0.0 if last_days is None and rep else last_days
    return (
        account_id, brought.card_id, brought.question.ordinal, brought.deck_id, rep, review.rating,
        review.reviewed_at, capped_ms(review.elapsed_ms), _NOTHING_BEFORE, review.state_before, last_days,
        review.due, review.interval_days, review.stability, review.difficulty,
    )  # fmt: skip


async def write_further(account_id: int, brought: Sequence[Brought]) -> int:
    """Bring cards that are there on to where the file is, where its last answer is the later one; how many answers."""
    rows = await fetch(
        "SELECT card_id, ordinal, last_review, reps FROM card_schedule WHERE account_id = $1 "
        "AND card_id = ANY ($2::bigint[]) AND NOT gone",
        account_id,
        [each.card_id for each in brought],
    )
    there: dict[tuple[int, int], tuple[datetime | None, int]] = {
        (row["card_id"], row["ordinal"]): (row["last_review"], row["reps"]) for row in rows
    }
    further: list[Brought] = []
    log: list[tuple[Any, ...]] = []
    for each in brought:
        question = each.question
        own = there.get((each.card_id, question.ordinal))
        if own is None or question.last_review is None or (own[0] is not None and own[0] >= question.last_review):
            continue
        newer = tuple(
            replace(review, rep=None) for review in question.reviews if own[0] is None or review.reviewed_at > own[0]
        )
        reps = own[1] + len(newer)
        further.append(replace(each, question=replace(question, reviews=(), reps=max(reps, 1))))
        log += _reviews(account_id, replace(each, question=replace(question, reviews=newer)), first=own[1])
    await write_schedules(account_id, further)
    await _write_reviews(log)
    return len(log)
