"""One answer of one question: written to its schedule and the log exactly once, and taken back to the byte."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from app.core.db import execute, fetch_row
from app.domain import scheduling
from app.domain.scheduling import Outcome, Rating, SchedulingOptions
from app.domain.statistics import capped_ms
from app.domain.weak_cards import is_leech
from app.study.views import StudyCard

# One statement, so one round trip: the row is locked, kept as it was, changed, and the answer logged. `reps = $4` lets
# an answer through once; the unique index on (card, ordinal, rep) would refuse a second one anyway.
_KEEP = """
WITH old AS (
  SELECT * FROM card_schedule
   WHERE account_id = $1 AND card_id = $2 AND ordinal = $3 AND reps = $4 AND active FOR UPDATE
), changed AS (
  UPDATE card_schedule s
     SET state = $5, step = $6, due = $7, stability = $8, difficulty = $9, last_review = $10, reps = $11, lapses = $12,
         leech = s.leech OR $13
    FROM old WHERE s.account_id = old.account_id AND s.card_id = old.card_id AND s.ordinal = old.ordinal
  RETURNING s.account_id
)
INSERT INTO review (account_id, card_id, ordinal, deck_id, rep, rating, reviewed_at, elapsed_ms, before, state_before,
                    interval_days, stability, difficulty, due)
SELECT old.account_id, old.card_id, old.ordinal, old.deck_id, old.reps, $14, $10, $15, to_jsonb(old), old.state, $16,
       $8, $9, $7
  FROM old JOIN changed USING (account_id)
RETURNING id
"""

_TAKE_BACK = """
WITH gone AS (DELETE FROM review WHERE account_id = $1 AND id = $2 RETURNING card_id, ordinal, rep, before)
UPDATE card_schedule s
   SET state = b.state, step = b.step, due = b.due, stability = b.stability, difficulty = b.difficulty,
       last_review = b.last_review, reps = b.reps, lapses = b.lapses, leech = b.leech
  FROM gone, jsonb_populate_record(NULL::card_schedule, gone.before) b
 WHERE s.account_id = $1 AND s.card_id = gone.card_id AND s.ordinal = gone.ordinal AND s.reps = gone.rep + 1
RETURNING s.card_id
"""


@dataclass(frozen=True, slots=True)
class Written:
    """An answer in the log."""

    review_id: int
    outcome: Outcome
    became_leech: bool


async def keep(
    account_id: int,
    card: StudyCard,
    rating: Rating,
    *,
    elapsed_ms: int | None,
    options: SchedulingOptions,
    leech_threshold: int,
    now: datetime,
) -> Written | None:
    """Schedule the question by this rating; None when it was answered, suspended or deleted in the meantime."""
    outcome = scheduling.answer(card.schedule, rating, options, card_id=card.id, now=now)
    after = outcome.schedule
    leech = after.lapses > card.schedule.lapses and is_leech(after.lapses, leech_threshold)
    row = await fetch_row(
        _KEEP,
        account_id,
        card.id,
        card.ordinal,
        card.rep,
        after.state,
        after.step,
        after.due,
        after.stability,
        after.difficulty,
        after.last_review,
        after.reps,
        after.lapses,
        leech,
        rating,
        capped_ms(elapsed_ms),
        outcome.interval_days,
    )
    return Written(row["id"], outcome, leech) if row else None


async def take_back(account_id: int, review_id: int) -> bool:
    """Undo an answer; False, with nothing changed by the caller's rollback, when its question moved on since."""
    return await fetch_row(_TAKE_BACK, account_id, review_id) is not None


async def bury_siblings(account_id: int, card: StudyCard, until: datetime, now: datetime) -> list[int]:
    """Keep the card's other questions for another day; those in (re)learning go on. Gives their ordinals."""
    row = await fetch_row(
        "WITH buried AS (UPDATE card_schedule SET buried_until = $4 WHERE account_id = $1 AND card_id = $2 "
        "AND ordinal <> $3 AND active AND state IN (0, 2) AND (buried_until IS NULL OR buried_until <= $5) "
        "RETURNING ordinal) SELECT array_agg(ordinal) AS ordinals FROM buried",
        account_id,
        card.id,
        card.ordinal,
        until,
        now,
    )
    return list(row["ordinals"] or ()) if row else []


async def dig_up(account_id: int, card_id: int, ordinals: list[int]) -> None:
    """Undo `bury_siblings`."""
    await execute(
        "UPDATE card_schedule SET buried_until = NULL WHERE account_id = $1 AND card_id = $2 "
        "AND ordinal = ANY ($3::smallint[])",
        account_id,
        card_id,
        ordinals,
    )
