"""What holds for every card, every option and every moment."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.calendar import ONE_DAY, StudyClock
from app.domain.fuzz import fuzz_fraction, fuzz_range, fuzzed_days
from app.domain.scheduling import (
    Rating,
    Schedule,
    SchedulingOptions,
    State,
    answer,
    exact_interval_days,
    is_due,
    preview,
    retrievability,
)

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
clocks = st.builds(
    StudyClock,
    zone=st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Pacific/Apia"]),
    rollover_hour=st.integers(0, 23),
)
steps = st.lists(st.timedeltas(timedelta(seconds=1), timedelta(hours=23)), max_size=4).map(tuple)
options = st.builds(
    SchedulingOptions,
    clock=clocks,
    desired_retention=st.floats(0.70, 0.97),
    learning_steps=steps,
    relearning_steps=steps,
    maximum_interval_days=st.sampled_from([1, 7, 180, 36_500]),
    fuzz=st.booleans(),
)
card_ids = st.integers(1, 2**63 - 1)
answers = st.lists(
    st.tuples(st.sampled_from(Rating), st.timedeltas(timedelta(hours=-2), timedelta(days=900))), max_size=12
)


def studied(
    history: list[tuple[Rating, timedelta]], options: SchedulingOptions, card_id: int
) -> tuple[Schedule, datetime]:
    schedule, now = Schedule.new(), NOW
    for rating, gap in history:
        schedule = answer(schedule, rating, options, card_id=card_id, now=now).schedule
        now += gap
    return schedule, now


@given(answers, options, card_ids)
def test_what_a_button_shows_is_what_the_answer_stores(
    history: list[tuple[Rating, timedelta]], options: SchedulingOptions, card_id: int
) -> None:
    schedule, now = studied(history, options, card_id)
    shown = preview(schedule, options, card_id=card_id, now=now)
    assert list(shown) == list(Rating)
    for rating, outcome in shown.items():
        assert answer(schedule, rating, options, card_id=card_id, now=now) == outcome


@given(answers, options, card_ids)
def test_buttons_in_days_rise_by_a_day_up_to_the_maximum(
    history: list[tuple[Rating, timedelta]], options: SchedulingOptions, card_id: int
) -> None:
    schedule, now = studied(history, options, card_id)
    buttons = preview(schedule, options, card_id=card_id, now=now)
    days = [outcome.interval.days for outcome in buttons.values() if outcome.schedule.state is State.REVIEW]
    assert all(1 <= number <= options.maximum_interval_days for number in days)
    passing = [buttons[r].interval.days for r in Rating if r > 1 and buttons[r].schedule.state is State.REVIEW]
    for below, above in pairwise(passing):
        assert above > below or above == options.maximum_interval_days
    assert days == sorted(days)


@given(answers, options, card_ids)
def test_every_outcome_lies_ahead_and_its_interval_says_how_far(
    history: list[tuple[Rating, timedelta]], options: SchedulingOptions, card_id: int
) -> None:
    schedule, now = studied(history, options, card_id)
    today = options.clock.study_day(now)
    for outcome in preview(schedule, options, card_id=card_id, now=now).values():
        due = outcome.schedule.due
        assert due is not None
        assert due > now
        assert not is_due(outcome.schedule, options.clock, now)
        assert is_due(outcome.schedule, options.clock, due)
        if outcome.interval < ONE_DAY:
            assert due - now == outcome.interval
        else:
            assert due == options.clock.start_of(today + outcome.interval)


@given(answers, options, card_ids)
def test_states_follow_one_another_as_they_may(
    history: list[tuple[Rating, timedelta]], options: SchedulingOptions, card_id: int
) -> None:
    schedule, now = studied(history, options, card_id)
    for rating, outcome in preview(schedule, options, card_id=card_id, now=now).items():
        after = outcome.schedule
        assert after.reps == schedule.reps + 1
        assert after.lapses - schedule.lapses == (schedule.state is State.REVIEW and rating is Rating.AGAIN)
        assert after.last_review == now
        assert after.state is not State.NEW
        assert after.stability is not None
        assert 0.001 <= after.stability <= 36_500
        assert after.difficulty is not None
        assert 1 <= after.difficulty <= 10
        if after.state is State.LEARNING:
            assert schedule.state in {State.NEW, State.LEARNING}
            assert after.step in range(len(options.learning_steps))
        elif after.state is State.RELEARNING:
            assert schedule.state in {State.REVIEW, State.RELEARNING}
            assert after.step in range(len(options.relearning_steps))
        if rating is Rating.EASY:
            assert after.state is State.REVIEW
        if schedule.state is State.REVIEW and rating is not Rating.AGAIN:
            assert after.state is State.REVIEW


@given(answers, options, card_ids)
def test_a_better_rating_never_leaves_a_weaker_memory(
    history: list[tuple[Rating, timedelta]], options: SchedulingOptions, card_id: int
) -> None:
    schedule, now = studied(history, options, card_id)
    after = [outcome.schedule for outcome in preview(schedule, options, card_id=card_id, now=now).values()]
    for worse, better in pairwise(after):
        assert (worse.stability or 0) <= (better.stability or 0) * (1 + 1e-12)
        assert (worse.difficulty or 0) >= (better.difficulty or 0) * (1 - 1e-12)


@given(answers, options, card_ids, st.integers(0, 2000), st.integers(0, 2000))
def test_retrievability_falls_with_time_and_recall_after_longer_strengthens_more(
    history: list[tuple[Rating, timedelta]], options: SchedulingOptions, card_id: int, sooner: int, later: int
) -> None:
    schedule, now = studied([*history, (Rating.GOOD, timedelta(0))], options, card_id)
    sooner, later = sorted((sooner, later))
    early, late = now + timedelta(days=sooner), now + timedelta(days=later)
    first, second = retrievability(schedule, options, early), retrievability(schedule, options, late)
    assert first is not None
    assert second is not None
    assert 0 < second <= first <= 1
    if sooner > 0:
        strong = answer(schedule, Rating.GOOD, options, card_id=card_id, now=early).schedule.stability
        stronger = answer(schedule, Rating.GOOD, options, card_id=card_id, now=late).schedule.stability
        assert (strong or 0) <= (stronger or 0) * (1 + 1e-12)


# Fuzz


@pytest.mark.parametrize(
    ("days", "first", "last"),
    [(1, 1, 1), (2.49, 2, 2), (2.5, 2, 4), (7, 5, 9), (17, 14, 20), (20, 17, 23), (37, 33, 41), (100, 93, 107)],
)
def test_an_interval_moves_by_a_day_and_a_share_that_shrinks(days: float, first: int, last: int) -> None:
    assert fuzz_range(days, 1, 36_500) == (first, last)


@given(st.floats(0.001, 40_000), st.integers(1, 40_000), st.integers(1, 36_500))
def test_the_limits_hold_for_the_whole_range(exact_days: float, least_days: int, most_days: int) -> None:
    first, last = fuzz_range(exact_days, least_days, most_days)
    assert min(least_days, most_days) <= first <= last <= most_days
    for fraction in (None, 0.0, 0.5, 1 - 2**-48):
        days = fuzzed_days(exact_days, least_days, most_days, fraction)
        assert min(least_days, most_days) <= days <= most_days
        assert fraction is None or first <= days <= last


@given(st.floats(1, 20_000), st.floats(1, 365), card_ids, st.integers(0, 500))
def test_fuzz_stays_in_its_range_and_never_shrinks_what_grew(
    stability: float, last_days: float, card_id: int, reps: int
) -> None:
    options = SchedulingOptions()
    day = options.clock.start_of(options.clock.study_day(NOW))
    last = timedelta(days=int(last_days))
    schedule = Schedule(State.REVIEW, None, day, stability, 5.0, day - last, reps, 0)
    plain = preview(schedule, SchedulingOptions(fuzz=False), card_id=card_id, now=NOW)
    fuzzed = preview(schedule, options, card_id=card_id, now=NOW)
    least_days = 1
    for rating in (Rating.HARD, Rating.GOOD, Rating.EASY):
        before, after = plain[rating].interval, fuzzed[rating].interval
        exact_days = exact_interval_days(plain[rating].schedule.stability or 0, options)
        grew = int(exact_days + 0.5) > last.days
        if grew and last.days < 36_500:
            assert after > last
        could_stay = fuzz_range(exact_days, 1, 36_500)[1] >= last.days
        kept_days = last.days + 1 if grew else last.days if could_stay else 0
        first, final = fuzz_range(exact_days, max(least_days, kept_days), 36_500)
        assert first <= after.days <= final
        assert after.days >= least_days or after.days == 36_500
        assert before.days <= 36_500
        least_days = after.days + 1


def test_cards_learnt_together_spread_evenly_over_the_range() -> None:
    count = 7000
    days = [fuzzed_days(17, 1, 36_500, fuzz_fraction(card_id, 3)) for card_id in range(count)]
    counts = [days.count(day) for day in range(14, 21)]
    assert sum(counts) == count
    # Chi-square with 6 degrees of freedom: 22.5 is exceeded once in a thousand.
    assert sum((n - count / 7) ** 2 / (count / 7) for n in counts) < 22.5


def test_the_fuzz_of_a_card_is_the_same_everywhere_and_new_at_each_repetition() -> None:
    assert fuzz_fraction(1, 0) == 0.12394663362863767
    assert fuzz_fraction(12345, 7) == 0.5839453060978279
    assert len({fuzz_fraction(card_id, reps) for card_id in range(50) for reps in range(50)}) == 2500
