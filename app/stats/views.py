"""What statistics show: answers by day, hours, the standing of the cards, weak cards."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from app.domain.statistics import DayTally, Forecast, Retention, Share, Streak, Tally
from app.domain.weak_cards import Standing, WeakReason


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers of some days: by study day and phase, and by the hour (0-23) of the person's wall clock."""

    days: tuple[DayTally, ...]
    hours: tuple[Tally, ...]


@dataclass(frozen=True, slots=True)
class CardFigures:
    """Where the active cards stand. `knowledge` is how many of the studied ones would be recalled now.

    `due_now` leaves out learning steps that end later today, `due_today` has them; both have the backlog.
    `daily_load` is in answers a day.
    """

    new: int
    learning: int
    young: int
    mature: int
    knowledge: float
    daily_load: float
    due_now: int
    forecast: Forecast

    @property
    def studied(self) -> int:
        return self.learning + self.young + self.mature

    @property
    def due_today(self) -> int:
        return self.forecast.within(1)


@dataclass(frozen=True, slots=True)
class WeakCard:
    """A card worth a change, with its front and why."""

    card_id: int
    deck_id: int
    deck_title: str
    front: str
    language: str | None
    standing: Standing
    reasons: tuple[WeakReason, ...]


@dataclass(frozen=True, slots=True)
class Statistics:
    """All that a page of statistics shows, of an account or of one deck; `answers` are those of the last 53 weeks."""

    today: date
    answers: Answers
    streak: Streak
    cards: CardFigures
    weak: tuple[WeakCard, ...]


@dataclass(frozen=True, slots=True)
class LearningStats:
    """What an AI client is told: how the last `days` study days went, what is due, which cards are weak."""

    days: int
    accuracy: Share
    retention: Retention
    due_now: int
    due_today: int
    due_7_days: int
    weak: tuple[WeakCard, ...]
