"""What the study area shows: a card to answer, what each button would do, what an answer did."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from app.domain.fitting import FitOutcome
from app.domain.scheduling import Rating, Schedule


@dataclass(frozen=True, slots=True)
class StudyCard:
    """A card to answer. `rep` is how often it was answered before: an answer names it, so that none counts twice."""

    id: int
    deck_id: int
    deck_title: str
    front: str
    back: str
    front_rich: str | None
    back_rich: str | None
    tags: tuple[str, ...]
    language: str | None
    schedule: Schedule

    @property
    def rep(self) -> int:
        return self.schedule.reps


@dataclass(frozen=True, slots=True)
class Today:
    """What was answered in the present study day."""

    answers: int
    again: int
    new: int


@dataclass(frozen=True, slots=True)
class Counts:
    """What is left today in a deck. `new` and `due` are cut to what the day allows; `…_beyond` is the rest of each.

    `today` is what was answered so far.
    """

    new: int
    learning: int
    due: int
    new_beyond: int
    next_learning_due: datetime | None
    today: Today
    due_beyond: int = 0

    @property
    def total(self) -> int:
        return self.new + self.learning + self.due


@dataclass(frozen=True, slots=True)
class Answered:
    """The outcome of an answer. `repeated` when the same answer had been given before and this is its first outcome."""

    card_id: int
    rep: int
    rating: Rating
    due: datetime | None
    interval_days: float
    repeated: bool


@dataclass(frozen=True, slots=True)
class FitView:
    """A fit that ended `at`: on how many reviews, and the log-loss on them before and after where compared."""

    outcome: FitOutcome
    at: datetime
    reviews: int
    log_loss_before: float | None
    log_loss_after: float | None


@dataclass(frozen=True, slots=True)
class OwnParameters:
    """What an account has of fitted parameters. `parameters` None: the standard set is in use.

    `asked_at` is set while a fit is under way, `last` until its answer was taken note of, `proposed` until the person
    agreed or declined.
    """

    parameters: tuple[float, ...] | None = None
    used: FitView | None = None
    asked_at: datetime | None = None
    last: FitView | None = None
    proposed: tuple[float, ...] | None = None
