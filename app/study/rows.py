"""From rows to questions: the columns that make a `StudyCard`, and what a missing session or item means."""

from __future__ import annotations

from asyncpg import Record

from app.core.db import fetch_row
from app.decks.rows import no_such_card, possible
from app.domain.errors import N_, NotFound
from app.domain.scheduling import Schedule, State
from app.study.views import StudyCard

CARD = """
       c.id AS card_id, s.ordinal, c.deck_id, d.title AS deck_title, c.front, c.back, c.front_rich, c.back_rich, c.tags,
       coalesce(c.language, d.language) AS language, c.version, s.suspended, s.buried_until, s.flag, s.leech,
       s.state, s.step, s.due, s.stability, s.difficulty, s.last_review, s.reps, s.lapses
"""

_ONE = f"""
SELECT {CARD} FROM card_schedule s
  JOIN card c ON c.account_id = s.account_id AND c.id = s.card_id
  JOIN deck d ON d.account_id = s.account_id AND d.id = s.deck_id
 WHERE s.account_id = $1 AND s.card_id = $2 AND s.ordinal = $3 AND s.live AND NOT s.gone
"""  # noqa: S608 - constants


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


def study_card(row: Record) -> StudyCard:
    """The card in a row with the columns of `CARD`."""
    return StudyCard(
        id=row["card_id"],
        ordinal=row["ordinal"],
        deck_id=row["deck_id"],
        deck_title=row["deck_title"],
        front=row["front"],
        back=row["back"],
        front_rich=row["front_rich"],
        back_rich=row["back_rich"],
        tags=tuple(row["tags"]),
        language=row["language"],
        version=row["version"],
        suspended=row["suspended"],
        buried_until=row["buried_until"],
        flag=row["flag"],
        leech=row["leech"],
        schedule=schedule_of(row),
    )


async def one_card(account_id: int, card_id: int, ordinal: int) -> StudyCard:
    """One question of a live card, suspended or not. Raises `NotFound`."""
    row = await fetch_row(_ONE, account_id, card_id, ordinal) if possible(card_id) else None
    if row is None:
        raise no_such_card()
    return study_card(row)


def no_such_session() -> NotFound:
    return NotFound(N_("There is no such study session."), N_("Start a new one."))


def no_such_item() -> NotFound:
    return NotFound(
        N_("There is no such question in this session."), N_("Get the session to see its present question.")
    )
