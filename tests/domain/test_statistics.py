"""Definitions of the figures, with their laws."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.calendar import SHIFTS_FROM, StudyClock
from app.domain.scheduling import Rating, State
from app.domain.statistics import (
    LEAST_ANSWERS,
    DayTally,
    Group,
    Phase,
    Share,
    Tally,
    accuracy,
    answer_buttons,
    answers_by_day,
    daily_load,
    estimated_knowledge,
    forecast,
    heat_levels,
    phase_of,
    streak,
    total,
    true_retention,
    within,
)
from app.domain.weak_cards import Standing, WeakReason, is_leech, weak_reasons, weakness

TODAY = date(2026, 3, 2)
days = st.integers(0, 60).map(lambda ago: TODAY - timedelta(days=ago))
answer = st.tuples(
    days,
    st.sampled_from(State),
    st.none() | st.floats(0, 400),
    st.sampled_from(Rating),
    st.none() | st.integers(-5, 200_000),
)
log = st.lists(answer, max_size=60)
Log = Sequence[tuple[date, State, float | None, Rating, int | None]]


def tallies(answers: Log) -> list[DayTally]:
    return [DayTally(day, phase_of(state, last), Tally.of(rating, ms)) for day, state, last, rating, ms in answers]


@given(log)
def test_true_retention_is_passed_of_all_in_review_or_after_a_day(answers: Log) -> None:
    counted = [
        (last or 0, rating > Rating.AGAIN)
        for _, state, last, rating, _ in answers
        if state is State.REVIEW or (last or 0) >= 1
    ]
    found = true_retention(tallies(answers))
    assert found.all == Share(sum(passed for _, passed in counted), len(counted))
    assert found.young == Share(sum(p for days, p in counted if days < 21), sum(days < 21 for days, _ in counted))
    assert found.mature.whole == found.all.whole - found.young.whole


@given(log)
def test_every_answer_is_one_press_of_one_button_of_one_group(answers: Log) -> None:
    groups = answer_buttons(tallies(answers))
    assert list(groups) == list(Group)
    assert sum(tally.answers for tally in groups.values()) == len(answers) == total(tallies(answers)).answers
    assert sum(tally.again for tally in groups.values()) == sum(rating is Rating.AGAIN for *_, rating, _ in answers)
    in_review = sum(state is State.REVIEW for _, state, *_ in answers)
    assert groups[Group.YOUNG].answers + groups[Group.MATURE].answers == in_review
    assert accuracy(tallies(answers)) == Share(total(tallies(answers)).passed, len(answers))


@given(log, log)
def test_sums_of_parts_are_the_sum_of_all(first: Log, second: Log) -> None:
    one, two = tallies(first), tallies(second)
    assert total(one) + total(two) == total(one + two)
    assert true_retention(one + two).all.whole == true_retention(one).all.whole + true_retention(two).all.whole


@given(log)
def test_an_answer_counts_a_minute_at_most_and_an_unknown_time_not_at_all(answers: Log) -> None:
    tally = total(tallies(answers))
    known = [ms for *_, ms in answers if ms is not None]
    assert tally.timed == len(known)
    assert tally.elapsed_ms == sum(min(max(ms, 0), 60_000) for ms in known)
    if known:
        assert tally.seconds_an_answer is not None
        assert 0 <= tally.seconds_an_answer <= 60
    else:
        assert tally.seconds_an_answer is None


@given(log, st.integers(1, 60))
def test_a_window_has_today_and_the_days_before_it(answers: Log, length: int) -> None:
    inside = within(tallies(answers), TODAY, length)
    assert len(inside) == sum((TODAY - day).days < length for day, *_ in answers)
    assert sum(answers_by_day(inside).values()) == len(inside)
    assert list(answers_by_day(inside)) == sorted({each.day for each in inside})


@given(st.integers(0, 200), st.integers(0, 200))
def test_no_percentage_is_given_of_fewer_than_thirty_answers(part: int, more: int) -> None:
    share = Share(part, part + more)
    if share.whole < LEAST_ANSWERS:
        assert share.percent is None
    else:
        assert share.percent == pytest.approx(100 * part / (part + more))


@given(st.sets(days), st.integers(0, 59))
def test_a_streak_is_broken_by_a_day_that_is_over_and_not_by_today(answered: set[date], hole: int) -> None:
    answered -= {TODAY - timedelta(days=hole)}
    found = streak(answered, TODAY)
    assert found.today_done == (TODAY in answered)
    assert found.days <= max(hole, 60 if hole == 0 else 0)
    assert streak(answered - {TODAY}, TODAY).days == found.days - found.today_done
    last = TODAY if found.today_done else TODAY - timedelta(days=1)
    assert all(last - timedelta(days=back) in answered for back in range(found.days))
    assert last - timedelta(days=found.days) not in answered


def test_a_streak_of_yesterday_stands_until_today_is_over() -> None:
    yesterday, before = TODAY - timedelta(days=1), TODAY - timedelta(days=2)
    assert streak({yesterday, before}, TODAY).days == 2
    assert streak({yesterday, before, TODAY}, TODAY).days == 3
    assert streak({before}, TODAY).days == 0
    assert streak((), TODAY).days == 0


@given(st.lists(st.integers(-400, 400)), st.integers(1, 90))
def test_what_falls_due_is_counted_once_and_the_backlog_apart(ahead: list[int], horizon: int) -> None:
    found = forecast(ahead, horizon)
    assert found.backlog == sum(day < 0 for day in ahead)
    assert found.within(horizon) == sum(day < horizon for day in ahead)
    assert found.within(1) == sum(day <= 0 for day in ahead)
    assert len(found.days) == horizon


@given(st.lists(st.floats(0, 1)), st.lists(st.floats(0, 36_500)))
def test_knowledge_and_load_lie_between_nothing_and_every_card(recall: list[float], intervals: list[float]) -> None:
    assert 0 <= estimated_knowledge(recall) <= len(recall)
    assert 0 <= daily_load(intervals) <= len(intervals)
    assert daily_load([0, 1, 2, 10]) == pytest.approx(2.6)


@given(st.lists(st.integers(0, 500)))
def test_levels_of_heat_rise_and_start_with_one_answer(counts: list[int]) -> None:
    levels = heat_levels(counts)
    assert len(levels) == 4
    assert levels[0] == 1
    assert list(levels) == sorted(set(levels))


@pytest.mark.parametrize(
    ("state", "last", "phase"),
    [
        (State.NEW, None, Phase.LEARNING),
        (State.LEARNING, 0.5, Phase.LEARNING),
        (State.RELEARNING, 1, Phase.LEARNING_YOUNG),
        (State.LEARNING, 21, Phase.LEARNING_MATURE),
        (State.REVIEW, None, Phase.YOUNG),
        (State.REVIEW, 20, Phase.YOUNG),
        (State.REVIEW, 21, Phase.MATURE),
    ],
)
def test_a_card_is_mature_from_21_days_on(state: State, last: float | None, phase: Phase) -> None:
    assert phase_of(state, last) is phase


standings = st.builds(
    Standing,
    leech=st.booleans(),
    lapses=st.integers(0, 30),
    retrievability=st.floats(0, 1),
    difficulty=st.floats(1, 10),
    agains=st.integers(0, 10),
)


@given(standings)
def test_reasons_come_by_weight_and_each_can_be_checked(standing: Standing) -> None:
    reasons = weak_reasons(standing)
    assert list(reasons) == [reason for reason in WeakReason if reason in reasons]
    assert (WeakReason.LEECH in reasons) == standing.leech
    assert (WeakReason.RECENT_AGAINS in reasons) == (standing.agains >= 3)
    assert (WeakReason.LOW_RETRIEVABILITY in reasons) == (standing.retrievability < 0.7)
    assert (WeakReason.HIGH_DIFFICULTY in reasons) == (standing.difficulty >= 9)
    assert weakness(standing)[0] == len(reasons)


def test_a_leech_is_told_at_eight_lapses_and_then_at_every_fourth() -> None:
    assert [lapses for lapses in range(30) if is_leech(lapses)] == [8, 12, 16, 20, 24, 28]


ZONES = (
    "UTC", "Europe/Berlin", "America/New_York", "America/St_Johns", "Australia/Lord_Howe", "Pacific/Apia",
    "Africa/Casablanca", "Antarctica/Troll", "America/Havana", "Asia/Kathmandu", "Asia/Beirut", "Pacific/Chatham",
)  # fmt: skip
UNIX = date(1970, 1, 1)


def shifted_day(clock: StudyClock, instant: datetime) -> date:
    """The study day as a database counts it."""
    shift = [shift for shift in clock.day_shifts(TODAY) if shift.since <= instant][-1]
    return UNIX + timedelta(days=(instant.timestamp() + shift.seconds) // 86_400)


@given(
    zone=st.sampled_from(ZONES),
    rollover=st.sampled_from([0, 2, 4, 23]),
    instant=st.integers(946_900_000, 1_798_600_000).map(lambda seconds: datetime.fromtimestamp(seconds, UTC)),
)
def test_shifted_days_are_the_study_days(zone: str, rollover: int, instant: datetime) -> None:
    clock = StudyClock(zone, rollover)
    assert shifted_day(clock, instant) == clock.study_day(instant)


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("rollover", [0, 2, 4])
def test_shifted_days_are_the_study_days_around_every_change_of_the_clocks(zone: str, rollover: int) -> None:
    clock = StudyClock(zone, rollover)
    for shift in clock.day_shifts(TODAY)[1:]:
        for minutes in (-1500, -1441, -121, -61, -1, 0, 1, 31, 61, 121, 1439, 1441, 1500, 1561):
            instant = shift.since + timedelta(minutes=minutes)
            assert shifted_day(clock, instant) == clock.study_day(instant), instant


def test_there_are_few_shifts() -> None:
    assert len(StudyClock("UTC").day_shifts(TODAY)) == 1
    assert len(StudyClock("Europe/Berlin").day_shifts(TODAY)) == 1 + 2 * (TODAY.year - SHIFTS_FROM.year + 1)
