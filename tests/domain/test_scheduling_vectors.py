"""The memory and the intervals against other implementations of FSRS-6 (tests/data/fsrs)."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from app.domain.scheduling import (
    MAX_INTERVAL_DAYS,
    Rating,
    Schedule,
    SchedulingOptions,
    State,
    answer,
    exact_interval_days,
    preview,
    retrievability,
)

VECTORS = Path(__file__).resolve().parent.parent / "data" / "fsrs"
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
STEPPED = SchedulingOptions(fuzz=False)
STEPLESS = SchedulingOptions(fuzz=False, learning_steps=(), relearning_steps=())
AGAIN, HARD, GOOD, EASY = Rating


def test_memory_and_intervals_without_steps_are_those_of_fsrs_rs() -> None:
    sequences = json.loads((VECTORS / "fsrs_rs_0.9.3_no_steps.json").read_text())["sequences"]
    answers = lifted = 0
    for sequence in sequences:
        schedule, now = Schedule.new(), NOON
        for entry in sequence:
            now += timedelta(days=entry["delta_days"])
            rating = Rating(entry["rating"])
            buttons = preview(schedule, STEPLESS, card_id=1, now=now)
            schedule = buttons[rating].schedule
            assert schedule.stability == pytest.approx(entry["stability"], rel=2e-4, abs=1e-5)
            assert schedule.difficulty == pytest.approx(entry["difficulty"], rel=2e-4)
            assert exact_interval_days(schedule.stability, STEPLESS) == pytest.approx(
                entry["interval"], rel=2e-4, abs=1e-5
            )
            # fsrs-rs knows nothing of buttons: Good and Easy may be lifted to stay a day above the one before.
            days = min(max(round(entry["interval"]), 1), MAX_INTERVAL_DAYS)
            if buttons[rating].interval_days != days:
                below = buttons[Rating(rating - 1)].interval_days
                assert days <= below < MAX_INTERVAL_DAYS
                assert buttons[rating].interval_days == below + 1
                assert rating in {GOOD, EASY}
                lifted += 1
            answers += 1
    assert answers == 1270
    assert lifted < answers / 10


def test_memory_with_steps_is_that_of_ts_fsrs() -> None:
    sequences = json.loads((VECTORS / "ts_fsrs_5.4.2_steps_1m_10m_10m.json").read_text())
    assert len(sequences) == 500
    for sequence in sequences:
        schedule = Schedule.new()
        for entry in sequence:
            now = datetime.fromisoformat(entry["at"])
            schedule = answer(schedule, Rating(entry["rating"]), STEPPED, card_id=1, now=now).schedule
            assert schedule.stability == pytest.approx(entry["s"], rel=1e-6)
            assert schedule.difficulty == pytest.approx(entry["d"], rel=1e-6)
            assert schedule.state == entry["state"]
            assert (schedule.step or 0) == entry["step"]


def test_thirteen_answers_at_their_due_times_give_the_agreed_intervals() -> None:
    schedule, now = Schedule.new(), datetime(2022, 11, 29, 12, 30, tzinfo=UTC)
    days: list[int] = []
    for rating in (*[GOOD] * 6, AGAIN, AGAIN, *[GOOD] * 5):
        outcome = answer(schedule, rating, STEPPED, card_id=1, now=now)
        days.append(outcome.interval.days)
        schedule = outcome.schedule
        assert schedule.due is not None
        now = schedule.due
    assert days == [0, 2, 11, 46, 163, 498, 0, 0, 2, 4, 7, 12, 21]


@pytest.mark.parametrize("options", [STEPPED, STEPLESS])
def test_six_answers_at_given_gaps_give_the_agreed_memory(options: SchedulingOptions) -> None:
    schedule, now = Schedule.new(), datetime(2022, 11, 29, 12, 30, tzinfo=UTC)
    for rating, gap in zip((AGAIN, *[GOOD] * 5), (0, 0, 1, 3, 8, 21), strict=True):
        now += timedelta(days=gap)
        schedule = answer(schedule, rating, options, card_id=1, now=now).schedule
    assert schedule.stability == pytest.approx(53.62691, abs=1e-5)
    assert schedule.difficulty == pytest.approx(6.3574867, abs=1e-6)
    assert schedule.state is State.REVIEW


def test_retrievability_meets_the_desired_retention_after_the_exact_interval() -> None:
    schedule = answer(Schedule.new(), EASY, STEPLESS, card_id=1, now=NOON).schedule
    assert schedule.stability is not None
    assert exact_interval_days(schedule.stability, STEPLESS) == pytest.approx(schedule.stability)
    assert retrievability(schedule, STEPLESS, NOON) == 1
    before = retrievability(schedule, STEPLESS, NOON + timedelta(days=8))
    after = retrievability(schedule, STEPLESS, NOON + timedelta(days=9))
    assert before is not None
    assert after is not None
    assert after < 0.9 < before
