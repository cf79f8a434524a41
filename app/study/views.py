"""What the study area shows: a card to answer, what each button would do, what an answer did."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

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
    """What is left today in a deck. `new` is already cut to what the day allows, `new_beyond` is the rest.

    `today` is what was answered so far.
    """

    new: int
    learning: int
    due: int
    new_beyond: int
    next_learning_due: datetime | None
    today: Today

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
