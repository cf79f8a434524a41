"""Reading a study plan: what a session started now would ask, without starting it."""

from __future__ import annotations

from datetime import datetime

from app.domain import study_plan
from app.domain.calendar import StudyClock
from app.domain.modes import Goal, Mode
from app.domain.sessions import MAX_ITEMS, RETAIN_DAYS, queue, seconds_per_item
from app.domain.study_plan import StudyPlan
from app.study.queue import candidates, decks_of
from app.study.settings_queries import settings_for
from app.study.snapshots import whats_next
from app.study.starting import own_median_ms, questions_for
from app.study.views import Next


async def study_plan_of(
    account_id: int,
    *,
    deck_id: int | None,
    mode: Mode,
    goal: Goal | None,
    minutes: int | None,
    clock: StudyClock,
    now: datetime,
) -> tuple[StudyPlan, Next]:
    """The plan for a deck or for all decks, and what waits there at all.

    Without a goal it is chosen by what waits. Raises `NotFound` for the deck, `InvalidInput` for the minutes.
    """
    seconds = seconds_per_item(mode, await own_median_ms(account_id))
    count = questions_for(goal or Goal.REVIEW, minutes, None, seconds)
    deck_ids = await decks_of(account_id, deck_id)
    waiting = await whats_next(account_id, deck_id, clock=clock, now=now)
    found = await candidates(
        account_id, deck_ids, goal or Goal.REVIEW, horizon_days=RETAIN_DAYS, extra=0, seed=0, clock=clock, now=now
    )
    goal = goal or study_plan.goal_for(found)
    everything = queue(goal, found, count=MAX_ITEMS, seed=0, clock=clock, now=now)
    line = queue(goal, found, count=count, seed=0, clock=clock, now=now)
    settings = await settings_for(account_id, deck_id)
    made = study_plan.plan(
        goal,
        line,
        left_out=len(everything) - len(line),
        seconds=seconds,
        own_parameters=settings.parameters is not None,
        options=settings.scheduling(clock),
        now=now,
    )
    return made, waiting
