"""What is waiting in a deck, how the questions of a card stand, and what was answered."""

from __future__ import annotations

from datetime import datetime

from app.core.db import fetch, fetch_row
from app.decks.rows import no_such_card, possible
from app.domain.calendar import StudyClock
from app.domain.scheduling import Rating
from app.domain.study_settings import STANDARD
from app.study.rows import CARD, study_card
from app.study.views import Counts, ReviewView, StudyCard, Today

# One statement, because every page with a deck asks for all of it.
_COUNTS = """
SELECT coalesce((SELECT new_cards FROM deck_count WHERE account_id = $1 AND deck_id = $2), 0)
         - (SELECT count(*) FROM card_schedule WHERE account_id = $1 AND deck_id = $2 AND active AND state = 0
               AND buried_until IS NOT NULL AND buried_until > $7) AS new,
       coalesce((SELECT new_per_day FROM deck_settings WHERE account_id = $1 AND deck_id = $2),
                (SELECT new_per_day FROM study_settings WHERE account_id = $1), $5::int) AS new_per_day,
       coalesce((SELECT reviews_per_day FROM deck_settings WHERE account_id = $1 AND deck_id = $2),
                (SELECT reviews_per_day FROM study_settings WHERE account_id = $1), $6::int) AS reviews_per_day,
       waiting.*, done.*
  FROM (SELECT count(*) FILTER (WHERE state = 2) AS due, count(*) FILTER (WHERE state <> 2) AS learning,
               min(due) FILTER (WHERE state <> 2) AS next_learning_due
          FROM card_schedule
         WHERE account_id = $1 AND deck_id = $2 AND active AND state > 0 AND due < $4
           AND (buried_until IS NULL OR buried_until <= $7)) AS waiting,
       (SELECT count(*) AS answers, count(*) FILTER (WHERE rating = 1) AS again,
               count(*) FILTER (WHERE state_before = 0) AS introduced,
               count(*) FILTER (WHERE state_before = 2) AS reviewed
          FROM review WHERE account_id = $1 AND deck_id = $2 AND reviewed_at >= $3) AS done
"""

_QUESTIONS = f"""
SELECT {CARD} FROM card_schedule s
  JOIN card c ON c.account_id = s.account_id AND c.id = s.card_id
  JOIN deck d ON d.account_id = s.account_id AND d.id = s.deck_id
 WHERE s.account_id = $1 AND s.card_id = $2 AND s.live AND NOT s.gone ORDER BY s.ordinal
"""  # noqa: S608 - constants


async def counts(account_id: int, deck_id: int, *, clock: StudyClock, now: datetime) -> Counts:
    """What is left today in a deck, within the day's limits and beyond them, and what was done."""
    today = clock.study_day(now)
    row = await fetch_row(
        _COUNTS,
        account_id,
        deck_id,
        clock.start_of(today),
        clock.end_of(today),
        STANDARD.new_per_day,
        STANDARD.reviews_per_day,
        now,
    )
    assert row is not None  # noqa: S101 - an aggregate always has a row
    new = min(row["new"], max(0, row["new_per_day"] - row["introduced"]))
    due = min(row["due"], max(0, row["reviews_per_day"] - row["reviewed"]))
    return Counts(
        new=new,
        learning=row["learning"],
        due=due,
        new_beyond=row["new"] - new,
        due_beyond=row["due"] - due,
        next_learning_due=row["next_learning_due"],
        today=Today(row["answers"], row["again"], row["introduced"], row["reviewed"]),
    )


async def questions_of(account_id: int, card_id: int) -> tuple[StudyCard, ...]:
    """The questions of a live card with their schedules: one of a plain card, one for each number of a cloze.

    Raises `NotFound`.
    """
    rows = await fetch(_QUESTIONS, account_id, card_id) if possible(card_id) else []
    if not rows:
        raise no_such_card()
    return tuple(study_card(row) for row in rows)


async def last_reviews(account_id: int, card_id: int, *, limit: int = 10) -> tuple[ReviewView, ...]:
    """The newest answers of a card, over all its questions, the last first."""
    rows = await fetch(
        "SELECT ordinal, reviewed_at, rating, interval_days, elapsed_ms FROM review "
        "WHERE account_id = $1 AND card_id = $2 ORDER BY reviewed_at DESC, id DESC LIMIT $3",
        account_id,
        card_id,
        limit,
    )
    return tuple(
        ReviewView(row["ordinal"], row["reviewed_at"], Rating(row["rating"]), row["interval_days"], row["elapsed_ms"])
        for row in rows
    )
