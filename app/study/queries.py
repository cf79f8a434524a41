"""What is due: the next card of a deck, the counts of the day, the last answer."""

from __future__ import annotations

from datetime import datetime

from asyncpg import Record

from app.core.db import fetch_row
from app.decks.rows import no_such_card, possible
from app.domain.calendar import StudyClock
from app.domain.scheduling import LEARN_AHEAD, Schedule, State
from app.domain.study_settings import STANDARD
from app.study.views import Counts, StudyCard, Today

_CARD = """
SELECT c.id, c.deck_id, d.title AS deck_title, c.front, c.back, c.front_rich, c.back_rich, c.tags,
       coalesce(c.language, d.language) AS language,
       s.state, s.step, s.due, s.stability, s.difficulty, s.last_review, s.reps, s.lapses
  FROM card_schedule s
  JOIN card c ON c.account_id = s.account_id AND c.id = s.card_id
  JOIN deck d ON d.account_id = s.account_id AND d.id = s.deck_id
"""

_ONE = f"{_CARD} WHERE s.account_id = $1 AND s.card_id = $2 AND s.live"

# Order: learning cards whose time has come, then reviews by their day, then new cards, and when nothing else is left
# learning cards that are due soon.
_NEXT = f"""
WITH next AS (
  (SELECT card_id, 0 AS place FROM card_schedule
    WHERE account_id = $1 AND deck_id = $2 AND live AND state > 0 AND state <> 2 AND due <= $3 ORDER BY due LIMIT 1)
  UNION ALL
  (SELECT card_id, 1 FROM card_schedule
    WHERE account_id = $1 AND deck_id = $2 AND live AND state > 0 AND state = 2 AND due < $4 AND $7
    ORDER BY due, card_id LIMIT 1)
  UNION ALL
  (SELECT card_id, 2 FROM card_schedule
    WHERE account_id = $1 AND deck_id = $2 AND live AND state = 0 AND $6 ORDER BY card_id LIMIT 1)
  UNION ALL
  (SELECT card_id, 3 FROM card_schedule
    WHERE account_id = $1 AND deck_id = $2 AND live AND state > 0 AND state <> 2 AND due <= $5 ORDER BY due LIMIT 1)
  ORDER BY place LIMIT 1)
{_CARD} WHERE s.account_id = $1 AND s.card_id = (SELECT card_id FROM next)
"""  # noqa: S608 - constants only

# One statement, because every study page asks for all of it.
_COUNTS = """
SELECT coalesce((SELECT new_cards FROM deck_count WHERE account_id = $1 AND deck_id = $2), 0) AS new,
       coalesce((SELECT new_per_day FROM deck_settings WHERE account_id = $1 AND deck_id = $2),
                (SELECT new_per_day FROM study_settings WHERE account_id = $1), $5::int) AS new_per_day,
       coalesce((SELECT reviews_per_day FROM deck_settings WHERE account_id = $1 AND deck_id = $2),
                (SELECT reviews_per_day FROM study_settings WHERE account_id = $1), $6::int) AS reviews_per_day,
       waiting.*, done.*
  FROM (SELECT count(*) FILTER (WHERE state = 2) AS due, count(*) FILTER (WHERE state <> 2) AS learning,
               min(due) FILTER (WHERE state <> 2) AS next_learning_due
          FROM card_schedule
         WHERE account_id = $1 AND deck_id = $2 AND live AND state > 0 AND due < $4) AS waiting,
       (SELECT count(*) AS answers, count(*) FILTER (WHERE rating = 1) AS again,
               count(*) FILTER (WHERE state_before = 0) AS introduced,
               count(*) FILTER (WHERE state_before = 2) AS reviewed
          FROM review WHERE account_id = $1 AND deck_id = $2 AND reviewed_at >= $3) AS done
"""


async def counts(
    account_id: int, deck_id: int, *, clock: StudyClock, now: datetime, extra_new: int = 0, extra_due: int = 0
) -> Counts:
    """What is left today in a deck, and what was done. The extras raise the day's limits of new cards and reviews."""
    today = clock.study_day(now)
    limits = (STANDARD.new_per_day, STANDARD.reviews_per_day)
    row = await fetch_row(_COUNTS, account_id, deck_id, clock.start_of(today), clock.end_of(today), *limits)
    assert row is not None  # noqa: S101 - an aggregate always has a row
    new = min(row["new"], max(0, row["new_per_day"] + extra_new - row["introduced"]))
    due = min(row["due"], max(0, row["reviews_per_day"] + extra_due - row["reviewed"]))
    done = Today(row["answers"], row["again"], row["introduced"])
    return Counts(
        new, row["learning"], due, row["new"] - new, row["next_learning_due"], done, due_beyond=row["due"] - due
    )


async def next_card(
    account_id: int, deck_id: int, *, clock: StudyClock, now: datetime, with_new: bool, with_due: bool = True
) -> StudyCard | None:
    """The card to answer now, or None when nothing is due.

    `with_new`, `with_due`: whether the day allows a new card, and a review; learning cards come in any case.
    """
    row = await fetch_row(
        _NEXT,
        account_id,
        deck_id,
        now,
        clock.end_of(clock.study_day(now)),
        now + LEARN_AHEAD,
        with_new,
        with_due,
    )
    return _study_card(row) if row else None


async def card_to_answer(account_id: int, card_id: int) -> StudyCard:
    """A live card with its schedule. Raises `NotFound`."""
    row = await fetch_row(_ONE, account_id, card_id) if possible(card_id) else None
    if row is None:
        raise no_such_card()
    return _study_card(row)


async def forecast(account_id: int, deck_id: int, *, clock: StudyClock, now: datetime) -> int:
    """How many cards fall due in the next study day."""
    end = clock.end_of(clock.study_day(now))
    row = await fetch_row(
        "SELECT count(*) AS due FROM card_schedule "
        "WHERE account_id = $1 AND deck_id = $2 AND live AND state > 0 AND due >= $3 AND due < $4",
        account_id,
        deck_id,
        end,
        clock.end_of(clock.study_day(end)),
    )
    return row["due"] if row else 0


def schedule_of(row: Record) -> Schedule:
    """The schedule in a row of card_schedule."""
    return Schedule(
        state=State(row["state"]),
        step=row["step"],
        due=row["due"],
        stability=row["stability"],
        difficulty=row["difficulty"],
        last_review=row["last_review"],
        reps=row["reps"],
        lapses=row["lapses"],
    )


def _study_card(row: Record) -> StudyCard:
    return StudyCard(
        id=row["id"],
        deck_id=row["deck_id"],
        deck_title=row["deck_title"],
        front=row["front"],
        back=row["back"],
        front_rich=row["front_rich"],
        back_rich=row["back_rich"],
        tags=tuple(row["tags"]),
        language=row["language"],
        schedule=schedule_of(row),
    )
