"""Answering cards, exactly once, and taking the last answer back."""

from __future__ import annotations

from datetime import datetime

from app.core.db import atomic, fetch_row
from app.domain import scheduling
from app.domain.calendar import StudyClock
from app.domain.errors import N_, Conflict, NotFound
from app.domain.scheduling import Rating, SchedulingOptions
from app.study.queries import card_to_answer
from app.study.views import Answered, StudyCard

LONGEST_ANSWER_MS = 60_000

# One statement, so one round trip and one commit: the row is locked, kept as it was, changed, and the answer logged.
# `reps = $3` lets an answer through once; the unique index on (card, rep) would refuse a second one anyway.
_ANSWER = """
WITH old AS (
  SELECT * FROM card_schedule WHERE account_id = $1 AND card_id = $2 AND reps = $3 AND live FOR UPDATE
), changed AS (
  UPDATE card_schedule s
     SET state = $4, step = $5, due = $6, stability = $7, difficulty = $8, last_review = $9, reps = $10, lapses = $11
    FROM old WHERE s.account_id = old.account_id AND s.card_id = old.card_id
  RETURNING s.account_id
)
INSERT INTO review (account_id, card_id, deck_id, rep, rating, reviewed_at, elapsed_ms, before, state_before,
                    interval_days, stability, difficulty, due)
SELECT old.account_id, old.card_id, old.deck_id, old.reps, $12, $9, $13, to_jsonb(old), old.state, $14, $7, $8, $6
  FROM old JOIN changed USING (account_id)
RETURNING id
"""


async def answer(
    account_id: int,
    card_id: int,
    rep: int,
    rating: Rating,
    *,
    elapsed_ms: int | None,
    options: SchedulingOptions,
    now: datetime,
) -> Answered:
    """Answer a card for the `rep`-th time (counted from 0) and schedule it.

    The same answer sent again changes nothing and gives the first outcome. Raises `NotFound`, and `Conflict` when
    `rep` is not the card's present one and was never answered (an undone answer, a page from long ago).
    """
    card = await card_to_answer(account_id, card_id)
    if card.rep == rep:
        outcome = scheduling.answer(card.schedule, rating, options, card_id=card_id, now=now)
        after = outcome.schedule
        written = await fetch_row(
            _ANSWER,
            account_id,
            card_id,
            rep,
            after.state,
            after.step,
            after.due,
            after.stability,
            after.difficulty,
            after.last_review,
            after.reps,
            after.lapses,
            rating,
            None if elapsed_ms is None else max(0, min(elapsed_ms, LONGEST_ANSWER_MS)),
            outcome.interval_days,
        )
        if written is not None:
            return Answered(card_id, rep, rating, after.due, outcome.interval_days, repeated=False)
    return await _first_outcome(account_id, card_id, rep)


async def _first_outcome(account_id: int, card_id: int, rep: int) -> Answered:
    row = await fetch_row(
        "SELECT rating, due, interval_days FROM review WHERE account_id = $1 AND card_id = $2 AND rep = $3",
        account_id,
        card_id,
        rep,
    )
    if row is None:
        raise Conflict(N_("This card was changed in the meantime."), N_("Go on with the card that is shown now."))
    return Answered(card_id, rep, Rating(row["rating"]), row["due"], row["interval_days"], repeated=True)


async def undo(account_id: int, deck_id: int, *, clock: StudyClock, now: datetime) -> StudyCard:
    """Take back the last answer of this study day in a deck: the schedule is again what it was, to the byte.

    Answers of cards that were deleted since are passed over. Raises `NotFound` when there is none.
    """
    async with atomic():
        last = await fetch_row(
            "DELETE FROM review WHERE account_id = $1 AND id = ("
            "  SELECT r.id FROM review r JOIN card_schedule s ON s.account_id = r.account_id AND s.card_id = r.card_id"
            "  WHERE r.account_id = $1 AND r.deck_id = $2 AND r.reviewed_at >= $3 AND s.live AND s.reps = r.rep + 1"
            "  ORDER BY r.reviewed_at DESC, r.id DESC LIMIT 1) RETURNING card_id, rep, before::text AS before",
            account_id,
            deck_id,
            clock.start_of(clock.study_day(now)),
        )
        restored = last and await fetch_row(
            "UPDATE card_schedule s SET state = b.state, step = b.step, due = b.due, stability = b.stability, "
            "difficulty = b.difficulty, last_review = b.last_review, reps = b.reps, lapses = b.lapses "
            "FROM jsonb_populate_record(NULL::card_schedule, $3::jsonb) b "
            "WHERE s.account_id = $1 AND s.card_id = $2 AND s.live AND s.reps = $4 + 1 RETURNING s.card_id",
            account_id,
            last["card_id"],
            last["before"],
            last["rep"],
        )
        if not last or not restored:
            raise NotFound(N_("There is no answer to take back."), N_("Only answers of today can be taken back."))
        return await card_to_answer(account_id, last["card_id"])
