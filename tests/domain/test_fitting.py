"""Fitting on a real log, and what keeps a bad fit out."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import fsrs_rs_python
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain import fitting
from app.domain.calendar import StudyClock
from app.domain.fitting import (
    LONGEST_HISTORY,
    MINIMUM_REVIEWS,
    Answer,
    FitOutcome,
    History,
    counted_reviews,
    fit,
    histories,
    log_loss,
)
from app.domain.scheduling import Rating, SchedulingOptions, State
from tests.domain.review_log import real_answers

CLOCK = StudyClock("UTC", 4)
STANDARD = SchedulingOptions().parameters
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
REAL = histories(real_answers(), CLOCK)


def answer(days: float, *, card_id: int = 1, rating: int = 3, state: State = State.REVIEW) -> Answer:
    return Answer(card_id, Rating(rating), state, NOON + timedelta(days=days))


def test_days_are_study_days_between_the_answers_of_one_card() -> None:
    late = timedelta(hours=13)  # 1:00 of the next calendar day, before the rollover
    log = [
        answer(0, state=State.NEW, rating=1),
        Answer(1, Rating.GOOD, State.LEARNING, NOON + late),
        answer(1),
        answer(4.2, rating=4),
        answer(0, card_id=2, state=State.NEW),
        answer(30, card_id=2),
    ]
    assert histories(log, CLOCK) == [
        History(1, ((1, 0), (3, 0), (3, 1), (4, 3))),
        History(2, ((3, 0), (3, 30))),
    ]
    assert counted_reviews(histories(log, CLOCK)) == 3


def test_a_history_begins_where_the_card_was_new() -> None:
    log = [answer(0), answer(5), answer(6, state=State.NEW), answer(8), answer(9, state=State.NEW), answer(12)]
    assert histories(log, CLOCK) == [History(1, ((3, 0), (3, 2))), History(1, ((3, 0), (3, 3)))]
    assert histories([answer(0), answer(5), answer(6)], CLOCK) == [], "a past that nobody knows was used"
    assert histories([answer(0, state=State.NEW)], CLOCK) == [], "one answer says nothing of forgetting"


def test_each_question_of_a_card_has_a_history_of_its_own() -> None:
    def of(ordinal: int, days: float, state: State) -> Answer:
        return Answer(1, Rating.GOOD, state, NOON + timedelta(days=days), ordinal)

    log = [
        of(1, 0, State.NEW),
        of(1, 3, State.REVIEW),
        of(2, 1, State.NEW),
        of(2, 6, State.REVIEW),
        of(3, 9, State.REVIEW),
    ]
    assert histories(log, CLOCK) == [History(1, ((3, 0), (3, 3))), History(1, ((3, 0), (3, 5)))]


def test_a_clock_that_was_set_back_counts_no_day_twice() -> None:
    log = [answer(0, state=State.NEW), answer(3), answer(1), answer(4)]
    assert histories(log, CLOCK) == [History(1, ((3, 0), (3, 3), (3, 0), (3, 1)))]


@given(
    st.lists(
        st.tuples(
            st.integers(1, 3), st.sampled_from(Rating), st.sampled_from(State), st.floats(-40, 40, allow_nan=False)
        ),
        max_size=60,
    )
)
def test_no_log_breaks_the_histories(lines: list[tuple[int, Rating, State, float]]) -> None:
    log = [Answer(card, rating, state, NOON + timedelta(days=days)) for card, rating, state, days in sorted(lines)]
    found = histories(log, CLOCK)
    for history in found:
        assert 2 <= len(history.reviews) <= LONGEST_HISTORY
        assert history.reviews[0][1] == 0
        assert all(days >= 0 for _, days in history.reviews)
    assert sum(len(history.reviews) for history in found) <= len(log)


def test_a_very_long_history_is_cut() -> None:
    log = [answer(day, state=State.REVIEW if day else State.NEW) for day in range(1000)]
    (history,) = histories(log, CLOCK)
    assert len(history.reviews) == LONGEST_HISTORY


def test_a_real_log_is_forecast_better_with_its_own_parameters() -> None:
    result = fit(REAL, current=STANDARD)
    assert result.outcome is FitOutcome.FITTED
    assert result.reviews == counted_reviews(REAL) > 3000
    assert result.parameters
    assert result.log_loss_before == log_loss(REAL, STANDARD)
    assert result.log_loss_after == log_loss(REAL, result.parameters)
    assert result.log_loss_after < result.log_loss_before - 0.005
    assert SchedulingOptions(parameters=result.parameters).parameters == result.parameters
    assert fit(REAL, current=STANDARD) == result, "the same log gives other parameters"


def test_a_half_of_the_log_forecasts_the_other_half_better() -> None:
    """The improvement is of the person, not of the reviews that were fitted."""
    learnt, unseen = REAL[::2], REAL[1::2]
    parameters = fit(learnt, current=STANDARD).parameters
    assert parameters
    assert log_loss(unseen, parameters) < log_loss(unseen, STANDARD)


def few(reviews: int) -> list[History]:
    found: list[History] = []
    for history in REAL:
        found.append(history)
        if counted_reviews(found) >= reviews:
            break
    surplus = counted_reviews(found) - reviews
    last = found.pop()
    kept = list(last.reviews)
    while surplus:
        surplus -= kept.pop()[1] > 0
    return [*found, History(last.card_id, tuple(kept))]


def test_one_review_fewer_than_needed_is_too_few() -> None:
    result = fit(few(MINIMUM_REVIEWS - 1), current=STANDARD)
    assert (result.outcome, result.reviews, result.parameters) == (FitOutcome.TOO_FEW, MINIMUM_REVIEWS - 1, None)
    assert fit(few(MINIMUM_REVIEWS), current=STANDARD).outcome is not FitOutcome.TOO_FEW
    assert fit([], current=STANDARD).outcome is FitOutcome.TOO_FEW


def test_answers_of_one_day_do_not_count_however_many() -> None:
    crammed = [History(card, ((1, 0), *((3, 0),) * 20)) for card in range(500)]
    assert fit(crammed, current=STANDARD).outcome is FitOutcome.TOO_FEW


def test_a_result_that_is_no_better_is_not_proposed() -> None:
    best = fit(REAL, current=STANDARD).parameters
    assert best
    again = fit(REAL, current=best)
    assert (again.outcome, again.parameters) == (FitOutcome.NO_BETTER, None)
    assert again.log_loss_after == again.log_loss_before


@pytest.mark.parametrize("wrong", [(), (float("nan"),) * 21, (1e9,) * 21, (0.1,) * 20])
def test_parameters_that_the_scheduler_would_refuse_are_not_proposed(
    wrong: tuple[float, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = fsrs_rs_python.FSRS(STANDARD)

    class Optimiser:
        evaluate = model.evaluate

        def __init__(self, _parameters: tuple[float, ...]) -> None: ...

        def compute_parameters(self, *_: object, **__: object) -> list[float]:
            return list(wrong)

    monkeypatch.setattr(fitting.fsrs_rs_python, "FSRS", Optimiser)
    result = fit(REAL, current=STANDARD)
    assert (result.outcome, result.parameters) == (FitOutcome.FAILED, None)


def test_parameters_in_use_that_cannot_be_compared_make_the_fit_fail() -> None:
    assert fit(REAL, current=(1.0,) * 5).outcome is FitOutcome.FAILED
