"""How a session begins: what somebody wants to study, and the questions put in line for it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from app.core.db import atomic, execute, fetch_row, fetch_value
from app.decks.rows import possible
from app.domain.calendar import StudyClock
from app.domain.errors import N_, InvalidInput
from app.domain.modes import Goal, Mode
from app.domain.sessions import (
    DIAGNOSE_ITEMS,
    MAX_HORIZON_DAYS,
    MAX_ITEMS,
    MORE,
    RETAIN_DAYS,
    items_for,
    queue,
    seconds_per_item,
)
from app.study import sessions, snapshots
from app.study.queue import candidates, decks_of
from app.study.views import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What somebody wants to study. `deck_id` None: all decks; `extra` raises the day's limits of each deck."""

    mode: Mode = Mode.FLASHCARDS
    goal: Goal = Goal.REVIEW
    deck_id: int | None = None
    minutes: int | None = None
    limit: int | None = None
    extra: int = 0
    horizon_days: int | None = None


async def start(account_id: int, wish: Wish, *, clock: StudyClock, now: datetime) -> Session:
    """A new session with its first question. Raises `NotFound` for the deck, `InvalidInput` for numbers out of range.

    With nothing to ask it is finished at once.
    """
    horizon = RETAIN_DAYS if wish.horizon_days is None else wish.horizon_days
    if not 1 <= horizon <= MAX_HORIZON_DAYS:
        raise InvalidInput(
            N_("The number of days is out of range."), N_("Give a whole number from 1 to 365."), field="horizon_days"
        )
    seconds = seconds_per_item(wish.mode, await own_median_ms(account_id))
    count = questions_for(wish.goal, wish.minutes, wish.limit, seconds)
    async with atomic():
        deck_ids = await decks_of(account_id, wish.deck_id)
        session_id = int(
            await fetch_value(
                "INSERT INTO study_session (account_id, deck_id, mode, goal, horizon_days, created_at) "
                "VALUES ($1, $2, $3, $4, $5, $6) RETURNING id",
                account_id,
                wish.deck_id,
                wish.mode,
                wish.goal,
                horizon if wish.goal is Goal.RETAIN else None,
                now,
            )
        )
        found = await candidates(
            account_id,
            deck_ids,
            wish.goal,
            horizon_days=horizon,
            extra=max(0, min(wish.extra, MAX_ITEMS)),
            seed=session_id,
            clock=clock,
            now=now,
        )
        line = queue(wish.goal, found, count=count, seed=session_id, clock=clock, now=now)
        await execute(
            "INSERT INTO study_item (account_id, session_id, place, card_id, ordinal) "
            "SELECT $1, $2, place, card_id, ordinal "
            "FROM unnest($3::bigint[], $4::smallint[]) WITH ORDINALITY AS line (card_id, ordinal, place)",
            account_id,
            session_id,
            [candidate.card_id for candidate in line],
            [candidate.ordinal for candidate in line],
        )
        return await sessions.session(account_id, session_id, clock=clock, now=now)


async def more(account_id: int, session_id: int, *, clock: StudyClock, now: datetime) -> Session:
    """A new session like this one with `MORE` new cards and `MORE` reviews beyond the day's limits of each deck."""
    head = await snapshots.head(account_id, session_id)
    wish = Wish(
        mode=Mode(head["mode"]),
        goal=Goal(head["goal"]),
        deck_id=head["deck_id"],
        extra=MORE,
        horizon_days=head["horizon_days"],
    )
    return await start(account_id, wish, clock=clock, now=now)


async def resumable(account_id: int, wish: Wish, *, clock: StudyClock, now: datetime) -> int | None:
    """The newest session of this study day for the same deck, mode and goal that is not finished; its id.

    None for a deck that is not there (any more): to start one says so.
    """
    if wish.deck_id is not None and not possible(wish.deck_id):
        return None
    return await fetch_value(
        "SELECT s.id FROM study_session s LEFT JOIN deck d ON d.account_id = s.account_id AND d.id = s.deck_id "
        "WHERE s.account_id = $1 AND s.finished_at IS NULL AND s.created_at >= $2 AND d.deleted_at IS NULL "
        "AND s.deck_id IS NOT DISTINCT FROM $3 AND s.mode = $4 AND s.goal = $5 ORDER BY s.id DESC LIMIT 1",
        account_id,
        clock.start_of(clock.study_day(now)),
        wish.deck_id,
        wish.mode,
        wish.goal,
    )


async def newer(account_id: int, session_id: int, *, clock: StudyClock, now: datetime) -> int | None:
    """The newest session of this study day about the same deck that began after this one and is not finished."""
    head = await snapshots.head(account_id, session_id)
    return await fetch_value(
        "SELECT max(id) FROM study_session WHERE account_id = $1 AND id > $2 AND finished_at IS NULL "
        "AND created_at >= $3 AND deck_id IS NOT DISTINCT FROM $4",
        account_id,
        session_id,
        clock.start_of(clock.study_day(now)),
        head["deck_id"],
    )


def questions_for(goal: Goal, minutes: int | None, limit: int | None, seconds: float) -> int:
    """How many questions a session holds, at `seconds` for each. Raises `InvalidInput` for numbers out of range."""
    if goal is Goal.DIAGNOSE and limit is None and minutes is None:
        return DIAGNOSE_ITEMS
    return items_for(minutes, limit, seconds)


async def own_median_ms(account_id: int) -> float | None:
    """The median time of the account's last 200 answers, None while fewer than 20 of them have one."""
    row = await fetch_row(
        "SELECT count(elapsed_ms) AS n, percentile_cont(0.5) WITHIN GROUP (ORDER BY elapsed_ms) AS median FROM ("
        "SELECT elapsed_ms FROM review WHERE account_id = $1 ORDER BY id DESC LIMIT 200) AS recent",
        account_id,
    )
    return row["median"] if row and row["n"] >= 20 else None
