"""Fitting the 21 parameters of FSRS-6 to a person's own reviews, and when the result is worth having.

The optimiser is the `fsrs` crate of Rust (`fsrs_rs_python`). It fits whatever it is given, so the guards stand here:
enough reviews on later days, an improvement on the same reviews, parameters that the scheduler takes. It holds the
interpreter's lock while it works, a second for some hundred thousand reviews: a server calls it in another process.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

import fsrs_rs_python

from app.domain.calendar import StudyClock
from app.domain.errors import InvalidInput
from app.domain.scheduling import Rating, SchedulingOptions, State

MINIMUM_REVIEWS = 512
"""Reviews on a later study day than the card's review before: fewer say more of chance than of a person's memory."""

LONGEST_HISTORY = 256
"""Reviews of one card that count; the optimiser looks no further back than it looks forward."""

_DECIMALS = 6  # of a 32-bit number; without rounding, 0.8 comes back above the bound of 0.8


class FitOutcome(StrEnum):
    """How a fit went. The words are stored."""

    FITTED = "fitted"
    TOO_FEW = "too_few"
    NO_BETTER = "no_better"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Answer:
    """One line of a review log: the card, the rating given and the state in which the card was answered.

    `ordinal` tells the questions of a card apart, each of which has a memory of its own.
    """

    card_id: int
    rating: Rating
    state_before: State
    reviewed_at: datetime
    ordinal: int = 0


@dataclass(frozen=True, slots=True)
class History:
    """One question of a card since it was new: ratings, each with the study days since the answer before, first 0."""

    card_id: int
    reviews: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class FitResult:
    """`reviews` are those that count towards `MINIMUM_REVIEWS`. Parameters for FITTED alone; log-losses when compared.

    A log-loss is the mean of -ln of the probability that the model gave to what happened: 0 is a perfect forecast.
    """

    outcome: FitOutcome
    reviews: int
    parameters: tuple[float, ...] | None = None
    log_loss_before: float | None = None
    log_loss_after: float | None = None


def histories(answers: Iterable[Answer], clock: StudyClock) -> list[History]:
    """The histories in a log whose lines stand by card and question and in order of time.

    A history begins with an answer to a new card. What comes before one, as after an import without its past, says
    nothing about the first days of a memory and is left out; a card that was made new again begins anew.
    """
    found: list[History] = []
    question: tuple[int, int] | None = None
    reviews: list[tuple[int, int]] = []
    last_day = None

    def close() -> None:
        if len(reviews) > 1 and question is not None:
            found.append(History(question[0], tuple(reviews[:LONGEST_HISTORY])))
        reviews.clear()

    for answer in answers:
        if (answer.card_id, answer.ordinal) != question or answer.state_before is State.NEW:
            close()
            question, last_day = (answer.card_id, answer.ordinal), None
        if last_day is None and answer.state_before is not State.NEW:
            continue
        day = clock.study_day(answer.reviewed_at)
        # A clock that was set back does not make a card known before it was seen.
        reviews.append((int(answer.rating), max(0, (day - last_day).days) if last_day else 0))
        last_day = max(day, last_day) if last_day else day
    close()
    return found


def counted_reviews(found: Sequence[History]) -> int:
    """The answers on a later day than the one before: what the forgetting curve can be seen in."""
    return sum(days > 0 for history in found for _, days in history.reviews)


def fit(
    found: Sequence[History],
    *,
    current: tuple[float, ...],
    relearning_steps: int = 1,
    minimum_reviews: int = MINIMUM_REVIEWS,
) -> FitResult:
    """Parameters fitted to the histories, compared with `current` on the same reviews.

    `relearning_steps` is the number of relearning steps within a day. The same input gives the same parameters.
    """
    counted = counted_reviews(found)
    if counted < minimum_reviews:
        return FitResult(FitOutcome.TOO_FEW, counted)
    try:
        return _fitted(found, counted, current, relearning_steps)
    except (ValueError, TypeError, InvalidInput, OverflowError):
        return FitResult(FitOutcome.FAILED, counted)


def log_loss(found: Sequence[History], parameters: tuple[float, ...]) -> float:
    """The log-loss of the parameters on the counted reviews of the histories. Raises ValueError where there is none."""
    items, _ = _items(found)
    return fsrs_rs_python.FSRS(parameters).evaluate(items).log_loss


def _fitted(found: Sequence[History], counted: int, current: tuple[float, ...], relearning_steps: int) -> FitResult:
    items, card_ids = _items(found)
    optimiser = fsrs_rs_python.FSRS(fsrs_rs_python.DEFAULT_PARAMETERS)
    raw = optimiser.compute_parameters(items, card_ids=card_ids, num_relearning_steps=relearning_steps)
    parameters = tuple(round(number, _DECIMALS) for number in raw)
    SchedulingOptions(parameters=parameters)  # refuses what the scheduler could not use
    before = fsrs_rs_python.FSRS(current).evaluate(items).log_loss
    after = fsrs_rs_python.FSRS(parameters).evaluate(items).log_loss
    if not after < before:
        return FitResult(FitOutcome.NO_BETTER, counted, None, before, after)
    return FitResult(FitOutcome.FITTED, counted, parameters, before, after)


def _items(found: Sequence[History]) -> tuple[list[fsrs_rs_python.FSRSItem], list[int]]:
    """One item for each counted review: that review with all before it. Beside it the card of each item."""
    items: list[fsrs_rs_python.FSRSItem] = []
    card_ids: list[int] = []
    for history in found:
        reviews = [fsrs_rs_python.FSRSReview(rating, days) for rating, days in history.reviews]
        for place, (_, days) in enumerate(history.reviews, 1):
            if days > 0:
                items.append(fsrs_rs_python.FSRSItem(reviews[:place]))
                card_ids.append(history.card_id)
    return items, card_ids
