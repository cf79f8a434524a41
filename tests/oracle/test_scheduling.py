"""2,000 random histories: the memory against fsrs-rs, steps and days of all four buttons against Anki.

Anki always moves long intervals by a part of a range that depends on the card and its repetition. The part is read off
a very long interval, and with the same part ours must be the same. docs/decisions/0012 explains the
differences that remain.
"""

from __future__ import annotations

import itertools
import json
import random
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import fsrs_rs_python
import pytest

from app.domain import scheduling
from app.domain.calendar import ONE_DAY, StudyClock
from app.domain.fuzz import fuzz_range
from app.domain.scheduling import (
    MAX_INTERVAL_DAYS,
    Outcome,
    Rating,
    Schedule,
    SchedulingOptions,
    State,
    exact_interval_days,
    preview,
)
from tests.oracle.conftest import add_card

HISTORIES, MOST_ANSWERS = 2_000, 7
START = datetime(2020, 1, 1, 12, tzinfo=UTC)
EXACT = SchedulingOptions(clock=StudyClock("UTC", 4), fuzz=False)
FUZZY = SchedulingOptions(clock=StudyClock("UTC", 4))


@dataclass(frozen=True)
class Step:
    """A card as it was, and the moment at which it is answered."""

    schedule: Schedule
    now: datetime

    @property
    def elapsed_days(self) -> int:
        last = self.schedule.last_review
        return max(0, EXACT.clock.days_between(last, self.now)) if last else 0


@cache
def histories() -> list[list[Step]]:
    """Each with up to seven answers, early, due and late."""
    return [_history(seed) for seed in range(HISTORIES)]


def _history(seed: int) -> list[Step]:
    draw = random.Random(seed)  # noqa: S311 - histories, not secrets
    schedule, steps, now = Schedule.new(), list[Step](), START
    for _ in range(draw.randint(1, MOST_ANSWERS)):
        steps.append(Step(schedule, now))
        rating = draw.choices(list(Rating), (20, 15, 50, 15))[0]
        schedule = preview(schedule, EXACT, card_id=1, now=now)[rating].schedule
        assert schedule.due
        now += (schedule.due - now) * draw.choice((0.3, 1, 1, 1, 1.5, 3)) + timedelta(minutes=draw.randint(0, 600))
    return steps


def test_the_memory_is_that_of_fsrs_rs() -> None:
    model = fsrs_rs_python.FSRS(list(EXACT.parameters))
    compared = 0
    for step in itertools.chain(*histories()):
        memory = None
        if step.schedule.stability is not None:
            memory = fsrs_rs_python.MemoryState(step.schedule.stability, step.schedule.difficulty)
        states = model.next_states(memory, 0.9, step.elapsed_days)
        ours = _preview(step, EXACT)
        for rating, theirs in zip(Rating, (states.again, states.hard, states.good, states.easy), strict=True):
            after = ours[rating].schedule
            assert after.stability == pytest.approx(theirs.memory.stability, rel=1e-4, abs=1e-5)
            assert after.difficulty == pytest.approx(theirs.memory.difficulty, rel=1e-4)
            assert exact_interval_days(after.stability, EXACT) == pytest.approx(theirs.interval, rel=2e-4, abs=1e-5)
            compared += 1
    assert compared > 4 * 6_000


def test_steps_and_days_are_those_of_anki(anki: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    card_id = add_card(anki, "front")
    now = datetime.fromtimestamp(int(time.time()), UTC)
    bounds = [_part_of_range(anki, card_id, reps, now) for reps in range(MOST_ANSWERS)]
    different: list[tuple[Step, dict[Rating, Button], dict[Rating, Button]]] = []
    compared = 0
    for step in itertools.chain(*histories()):
        moved = _moved(step, now)
        theirs = _anki_buttons(anki, card_id, moved)
        compared += 1
        for part in bounds[step.schedule.reps]:
            monkeypatch.setattr(scheduling, "fuzz_fraction", lambda _card, _reps, part=part: part)
            ours = {rating: _button(outcome) for rating, outcome in _preview(moved, FUZZY).items()}
            if ours == theirs:
                break
        else:
            different.append((moved, ours, theirs))
    assert compared > 6_000
    assert len(different) < compared / 200
    for step, ours, theirs in different:
        for rating in Rating:
            assert ours[rating][0] is theirs[rating][0]
            # The reasons are in docs/decisions/0012.
            assert abs(ours[rating][1] - theirs[rating][1]) <= 1, (step, ours, theirs)


Button = tuple[State, int]
"""The next state, and days in review or else seconds."""


def _preview(step: Step, options: SchedulingOptions) -> dict[Rating, Outcome]:
    return preview(step.schedule, options, card_id=1, now=step.now)


def _button(outcome: Outcome) -> Button:
    state = outcome.schedule.state
    return state, outcome.interval.days if state is State.REVIEW else int(outcome.interval.total_seconds())


def _moved(step: Step, now: datetime) -> Step:
    """The same card, answered now: Anki knows no other time."""
    schedule, clock = step.schedule, EXACT.clock
    if schedule.state is State.NEW:
        return Step(schedule, now)
    last_review = now - timedelta(days=step.elapsed_days)
    due = now
    if schedule.state is State.REVIEW:
        due = clock.start_of(clock.study_day(last_review) + _interval(schedule) * ONE_DAY)
    return Step(replace(schedule, last_review=last_review, due=due), now)


def _interval(schedule: Schedule) -> int:
    assert schedule.last_review
    assert schedule.due
    return EXACT.clock.days_between(schedule.last_review, schedule.due)


def _anki_buttons(collection: Any, card_id: int, step: Step) -> dict[Rating, Button]:
    """What Anki's four buttons would do now to a card in this state."""
    card = step.schedule
    kind, queue, interval, due, left, memory = int(card.state), 0, 0, 1, 0, "{}"
    if card.state is not State.NEW:
        assert card.last_review
        memory = json.dumps(
            {"s": card.stability, "d": card.difficulty, "dr": 0.9, "lrt": int(card.last_review.timestamp()),
             "decay": EXACT.parameters[20]}
        )  # fmt: skip
        if card.state is State.REVIEW:
            queue, interval = 2, _interval(card)
            due = collection.sched.today + interval - step.elapsed_days
        else:
            steps = EXACT.learning_steps if card.state is State.LEARNING else EXACT.relearning_steps
            queue, interval, due = 1, 1, int(step.now.timestamp())
            left = len(steps) - (card.step or 0)
    collection.db.execute(
        "UPDATE cards SET type = ?, queue = ?, ivl = ?, due = ?, left = ?, reps = ?, lapses = ?, data = ? WHERE id = ?",
        kind, queue, interval, due, left, card.reps, card.lapses, memory, card_id,
    )  # fmt: skip
    states = collection._backend.get_scheduling_states(card_id)  # the call behind the buttons
    return {
        rating: _anki_button(state.normal)
        for rating, state in zip(Rating, (states.again, states.hard, states.good, states.easy), strict=True)
    }


def _anki_button(state: Any) -> Button:
    match state.WhichOneof("kind"):
        case "review":
            return State.REVIEW, state.review.scheduled_days
        case "learning":
            return State.LEARNING, state.learning.scheduled_secs
        case _:
            return State.RELEARNING, state.relearning.learning.scheduled_secs


def _part_of_range(collection: Any, card_id: int, reps: int, now: datetime) -> tuple[float, float]:
    """Between what bounds the part lies by which Anki moves this card at this repetition.

    The range of a very long interval has thousands of days, so the day that it chose tells the part finely.
    """
    clock, days = EXACT.clock, 30_000
    last = now - timedelta(days=days)
    due = clock.start_of(clock.study_day(last) + days * ONE_DAY)
    step = Step(Schedule(State.REVIEW, None, due, 30_000.0, 5.0, last, reps, 0), now)
    _, chosen = _anki_buttons(collection, card_id, step)[Rating.HARD]
    stability = _preview(step, EXACT)[Rating.HARD].schedule.stability
    assert stability
    first, last_day = fuzz_range(exact_interval_days(stability, EXACT), days + 1, MAX_INTERVAL_DAYS)
    width = last_day - first + 1
    return (chosen - first) / width, (chosen - first + 1 - 1e-9) / width
