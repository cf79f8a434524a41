"""The rules around the memory: steps, study days, buttons, limits and what is refused."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from app.domain.calendar import StudyClock
from app.domain.errors import InvalidInput
from app.domain.scheduling import (
    LEARN_AHEAD,
    Rating,
    Schedule,
    SchedulingOptions,
    State,
    answer,
    is_due,
    preview,
    retrievability,
)

AGAIN, HARD, GOOD, EASY = Rating
NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
PLAIN = SchedulingOptions(fuzz=False)
BERLIN = SchedulingOptions(clock=StudyClock("Europe/Berlin"), fuzz=False)
IN_REVIEW = Schedule(State.REVIEW, None, NOON, 10.0, 5.0, NOON - timedelta(days=10), 4, 1)


def minutes(*numbers: float) -> tuple[timedelta, ...]:
    return tuple(timedelta(minutes=number) for number in numbers)


def after(*ratings: Rating, options: SchedulingOptions = PLAIN, start: Schedule | None = None) -> Schedule:
    schedule = start or Schedule.new()
    for rating in ratings:
        schedule = answer(schedule, rating, options, card_id=1, now=NOON).schedule
    return schedule


def intervals(schedule: Schedule, options: SchedulingOptions = PLAIN) -> list[timedelta]:
    return [outcome.interval for outcome in preview(schedule, options, card_id=1, now=NOON).values()]


# Learning steps


def test_again_then_good_gives_the_second_of_three_steps() -> None:
    options = SchedulingOptions(learning_steps=minutes(1, 10, 30))
    schedule = after(AGAIN, options=options)
    outcome = answer(schedule, GOOD, options, card_id=1, now=NOON)
    assert outcome.interval == timedelta(minutes=10)
    assert outcome.schedule.due == NOON + timedelta(minutes=10)
    assert outcome.schedule.step == 1


def test_a_new_card_offers_its_steps_and_easy_ends_them() -> None:
    assert intervals(Schedule.new()) == [*minutes(1, 5.5, 10), timedelta(days=8)]


def test_the_last_step_offers_itself_on_hard_and_review_on_good() -> None:
    assert intervals(after(GOOD)) == [*minutes(1, 10), timedelta(days=2), timedelta(days=4)]


def test_hard_on_the_only_step_is_half_as_long_again_and_at_most_a_day_more() -> None:
    assert intervals(Schedule.new(), SchedulingOptions(learning_steps=minutes(10), fuzz=False))[1] == minutes(15)[0]
    three_days = SchedulingOptions(learning_steps=(timedelta(days=3),), fuzz=False)
    assert intervals(Schedule.new(), three_days)[1] == timedelta(days=4)


def test_hard_repeats_a_later_step() -> None:
    schedule = after(GOOD, HARD, options=SchedulingOptions(learning_steps=minutes(1, 10, 30)))
    assert (schedule.step, schedule.due) == (1, NOON + timedelta(minutes=10))


def test_a_step_of_a_day_or_more_ends_at_the_start_of_a_study_day() -> None:
    options = SchedulingOptions(clock=StudyClock("Europe/Berlin"), learning_steps=(timedelta(hours=36),), fuzz=False)
    outcome = answer(Schedule.new(), AGAIN, options, card_id=1, now=NOON)
    assert outcome.interval == timedelta(days=2)
    assert outcome.schedule.due == datetime(2026, 6, 3, 2, tzinfo=UTC)
    assert outcome.schedule.state is State.LEARNING


def test_without_steps_every_answer_leads_to_review() -> None:
    options = SchedulingOptions(learning_steps=(), relearning_steps=(), fuzz=False)
    for start in (Schedule.new(), IN_REVIEW, after(AGAIN), after(AGAIN, start=IN_REVIEW)):
        for outcome in preview(start, options, card_id=1, now=NOON).values():
            assert outcome.schedule.state is State.REVIEW
            assert outcome.interval >= timedelta(days=1)


def test_a_card_on_a_step_that_no_longer_exists_is_on_the_last_one() -> None:
    schedule = after(GOOD, GOOD, options=SchedulingOptions(learning_steps=minutes(1, 10, 30)))
    assert schedule.step == 2
    assert intervals(schedule)[:2] == [*minutes(1, 10)]
    assert after(HARD, start=schedule).step == 1
    assert after(GOOD, start=schedule).state is State.REVIEW


# Review and lapses


def test_forgetting_a_card_in_review_counts_a_lapse_and_relearns_it() -> None:
    schedule = after(AGAIN, start=IN_REVIEW)
    assert (schedule.state, schedule.step, schedule.lapses, schedule.reps) == (State.RELEARNING, 0, 2, 5)
    assert schedule.due == NOON + timedelta(minutes=10)
    assert after(AGAIN, start=schedule).lapses == 2
    assert after(GOOD, start=schedule).state is State.REVIEW


def test_forgetting_counts_a_lapse_without_relearning_steps_too() -> None:
    schedule = after(AGAIN, start=IN_REVIEW, options=SchedulingOptions(relearning_steps=()))
    assert (schedule.state, schedule.step, schedule.lapses) == (State.REVIEW, None, 2)
    assert after(AGAIN).lapses == 0


def test_good_and_easy_are_a_day_above_the_button_before() -> None:
    # Twice on one day the memory hardly moves: all three would be the same.
    schedule = after(EASY)
    assert [interval.days for interval in intervals(schedule)[1:]] == [8, 9, 13]
    strict = SchedulingOptions(fuzz=False, maximum_interval_days=8)
    assert [interval.days for interval in intervals(schedule, strict)[1:]] == [8, 8, 8]


# Study days


def test_twenty_three_hours_later_on_the_next_local_day_is_one_day() -> None:
    evening = datetime(2026, 6, 1, 20, tzinfo=UTC)
    schedule = answer(Schedule.new(), EASY, BERLIN, card_id=1, now=evening).schedule
    assert schedule.stability == pytest.approx(8.30, abs=0.01)
    next_day = answer(schedule, GOOD, BERLIN, card_id=1, now=evening + timedelta(hours=23)).schedule
    assert next_day.stability == pytest.approx(13.49, abs=0.01)
    assert next_day.last_review == evening + timedelta(hours=23)


def test_a_late_night_still_belongs_to_the_same_day() -> None:
    morning = datetime(2026, 6, 1, 3, tzinfo=UTC)
    schedule = answer(Schedule.new(), EASY, BERLIN, card_id=1, now=morning).schedule
    night = answer(schedule, GOOD, BERLIN, card_id=1, now=morning + timedelta(hours=22, minutes=59)).schedule
    assert night.stability == pytest.approx(8.30, abs=0.01)


def test_a_card_in_review_is_due_from_the_start_of_its_local_day() -> None:
    for now in (NOON, datetime(2026, 6, 1, 23, 59, tzinfo=UTC), datetime(2026, 6, 2, 1, 59, tzinfo=UTC)):
        outcome = answer(Schedule.new(), EASY, BERLIN, card_id=1, now=now)
        assert outcome.schedule.due == datetime(2026, 6, 9, 2, tzinfo=UTC)


def test_days_stay_one_apart_over_both_changes_of_the_clocks() -> None:
    for now, due in (
        (datetime(2026, 3, 27, 12, tzinfo=UTC), datetime(2026, 4, 4, 2, tzinfo=UTC)),
        (datetime(2026, 10, 24, 12, tzinfo=UTC), datetime(2026, 11, 1, 3, tzinfo=UTC)),
    ):
        schedule = answer(Schedule.new(), EASY, BERLIN, card_id=1, now=now).schedule
        assert schedule.due == due
        before = retrievability(schedule, BERLIN, due - timedelta(seconds=1))
        assert before is not None
        assert before > (retrievability(schedule, BERLIN, due) or 1)


def test_a_review_card_due_at_night_is_shown_in_the_morning() -> None:
    schedule = replace(IN_REVIEW, due=datetime(2026, 6, 1, 22, 30, tzinfo=UTC))
    clock = StudyClock()
    assert is_due(schedule, clock, datetime(2026, 6, 1, 8, tzinfo=UTC))
    assert is_due(schedule, clock, datetime(2026, 6, 1, 4, tzinfo=UTC))
    assert not is_due(schedule, clock, datetime(2026, 6, 1, 3, 59, tzinfo=UTC))
    assert is_due(schedule, clock, datetime(2026, 7, 1, tzinfo=UTC))


def test_a_learning_card_is_due_by_the_minute_and_a_new_card_never() -> None:
    schedule, clock = after(GOOD), StudyClock()
    ten = NOON + timedelta(minutes=10)
    assert not is_due(schedule, clock, ten - timedelta(seconds=1))
    assert is_due(schedule, clock, ten)
    assert is_due(schedule, clock, NOON + LEARN_AHEAD)
    assert not is_due(Schedule.new(), clock, NOON)


def test_a_clock_set_back_counts_as_the_same_day() -> None:
    schedule = after(EASY)
    yesterday = NOON - timedelta(days=1)
    outcome = answer(schedule, GOOD, PLAIN, card_id=1, now=yesterday)
    assert outcome.schedule.stability == after(GOOD, start=schedule).stability
    assert outcome.schedule.last_review == yesterday
    assert retrievability(schedule, PLAIN, yesterday) == 1


# What is refused, and limits


def test_instants_are_kept_in_utc_whatever_zone_they_come_in() -> None:
    there = answer(Schedule.new(), GOOD, PLAIN, card_id=1, now=NOON.astimezone(timezone(timedelta(hours=9)))).schedule
    assert there == after(GOOD)
    assert [instant.tzinfo for instant in (there.due, there.last_review) if instant] == [UTC, UTC]
    with pytest.raises(ValueError, match="time zone"):
        preview(Schedule.new(), PLAIN, card_id=1, now=datetime(2026, 6, 1))  # noqa: DTZ001 - the fault under test


@pytest.mark.parametrize(
    "changes",
    [
        {"stability": None},
        {"stability": 0.0},
        {"stability": -1.0},
        {"stability": float("nan")},
        {"stability": float("inf")},
        {"difficulty": None},
        {"difficulty": 0.5},
        {"difficulty": float("nan")},
        {"due": None},
        {"last_review": None},
        {"step": 0},
        {"state": State.LEARNING},
        {"state": State.NEW},
    ],
)
def test_a_schedule_that_no_answer_leads_to_cannot_be_made(changes: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"."):
        replace(IN_REVIEW, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("desired_retention", 0.69),
        ("desired_retention", 0.98),
        ("desired_retention", float("nan")),
        ("learning_steps", (timedelta(0),)),
        ("learning_steps", minutes(*range(1, 12))),
        ("relearning_steps", (timedelta(days=31),)),
        ("maximum_interval_days", 0),
        ("maximum_interval_days", 36_501),
        ("parameters", ()),
        ("parameters", (*PLAIN.parameters[:-1], 5.0)),
        ("parameters", (*PLAIN.parameters[:-1], float("nan"))),
        ("parameters", (*PLAIN.parameters, 0.1)),
    ],
)
def test_options_that_no_schedule_can_follow_are_refused(field: str, value: object) -> None:
    with pytest.raises(InvalidInput) as refused:
        replace(PLAIN, **{field: value})  # type: ignore[arg-type]
    assert refused.value.field == field


def test_the_ends_of_the_allowed_ranges_are_allowed() -> None:
    for retention in (0.70, 0.97):
        assert intervals(IN_REVIEW, SchedulingOptions(desired_retention=retention, fuzz=False))
    assert max(intervals(IN_REVIEW, SchedulingOptions(maximum_interval_days=1))) == timedelta(days=1)


def test_a_higher_desired_retention_brings_cards_back_earlier() -> None:
    relaxed, usual, eager = (
        intervals(IN_REVIEW, SchedulingOptions(desired_retention=r, fuzz=False))[2] for r in (0.8, 0.9, 0.97)
    )
    assert eager < usual < relaxed


def test_stability_stays_within_its_bounds_whatever_comes_in() -> None:
    huge = replace(IN_REVIEW, stability=1e9, last_review=NOON - timedelta(days=30_000))
    assert after(EASY, start=huge).stability == 36_500
    assert intervals(huge)[3] == timedelta(days=36_500)
    tiny = replace(IN_REVIEW, stability=1e-9, difficulty=10.0)
    assert after(AGAIN, start=tiny).stability == 0.001


def test_a_new_card_has_no_retrievability() -> None:
    assert retrievability(Schedule.new(), PLAIN, NOON) is None
