"""What the log of answers and the schedules of cards say: retention, buttons, streak, forecast, load, knowledge.

The definitions are Anki's where it has one, so that figures can be compared. They are stated over tallies, sums of
answers that belong to one study day, hour or window, because an account may have a million answers; each answer counts
with the phase in which its card was. Cramming never enters the log, so every answer here moved a schedule.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from enum import IntEnum, StrEnum

from app.domain.scheduling import Rating, State

MATURE_DAYS = 21
"""From this interval on a card is mature; in review below it, it is young."""
LEAST_ANSWERS = 30
"""A share of fewer answers says more about chance than about memory, so none is given."""
LONGEST_ANSWER_MS = 60_000
"""What a longer answer counts as: the person was away."""

_ONE_DAY = timedelta(days=1)


class Phase(IntEnum):
    """How far a card was when it was answered. The numbers are stored."""

    LEARNING = 0
    """In (re)learning, at most a day after the answer before; new cards too."""
    LEARNING_YOUNG = 1
    """In (re)learning, but after an interval of a day or more: its steps are long, or it lapsed into them."""
    LEARNING_MATURE = 2
    """The same after an interval of 21 days or more."""
    YOUNG = 3
    MATURE = 4


class Group(StrEnum):
    """The three kinds of cards that the answer buttons are counted for."""

    LEARNING = "learning"
    YOUNG = "young"
    MATURE = "mature"


_BUTTON_GROUP: Mapping[Phase, Group] = {
    Phase.LEARNING: Group.LEARNING,
    Phase.LEARNING_YOUNG: Group.LEARNING,
    Phase.LEARNING_MATURE: Group.LEARNING,
    Phase.YOUNG: Group.YOUNG,
    Phase.MATURE: Group.MATURE,
}
_RETENTION_GROUP: Mapping[Phase, Group] = {
    Phase.LEARNING_YOUNG: Group.YOUNG,
    Phase.LEARNING_MATURE: Group.MATURE,
    Phase.YOUNG: Group.YOUNG,
    Phase.MATURE: Group.MATURE,
}


def phase_of(state_before: State, last_interval_days: float | None) -> Phase:
    """The phase of a card that was in `state_before`, `last_interval_days` after the answer before (None: none)."""
    days = last_interval_days or 0.0
    if state_before is State.REVIEW:
        return Phase.MATURE if days >= MATURE_DAYS else Phase.YOUNG
    if days < 1:
        return Phase.LEARNING
    return Phase.LEARNING_MATURE if days >= MATURE_DAYS else Phase.LEARNING_YOUNG


@dataclass(frozen=True, slots=True)
class Tally:
    """Sums over some answers: how often each button was pressed, and how long those took whose time is known.

    `elapsed_ms` is a sum of capped times over `timed` answers.
    """

    again: int = 0
    hard: int = 0
    good: int = 0
    easy: int = 0
    elapsed_ms: int = 0
    timed: int = 0

    @classmethod
    def of(cls, rating: Rating, elapsed_ms: int | None = None) -> Tally:
        """The tally of one answer."""
        again, hard, good, easy = (int(rating is each) for each in Rating)
        return cls(again, hard, good, easy, capped_ms(elapsed_ms) or 0, int(elapsed_ms is not None))

    @property
    def answers(self) -> int:
        return self.again + self.passed

    @property
    def passed(self) -> int:
        return self.hard + self.good + self.easy

    @property
    def seconds_an_answer(self) -> float | None:
        """The mean time of the answers whose time is known."""
        return self.elapsed_ms / self.timed / 1000 if self.timed else None

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.again + other.again,
            self.hard + other.hard,
            self.good + other.good,
            self.easy + other.easy,
            self.elapsed_ms + other.elapsed_ms,
            self.timed + other.timed,
        )


NOTHING = Tally()


@dataclass(frozen=True, slots=True)
class DayTally:
    """The answers of one study day to cards in one phase."""

    day: date
    phase: Phase
    tally: Tally


@dataclass(frozen=True, slots=True)
class Share:
    """`part` of `whole` answers, always told with its n."""

    part: int
    whole: int

    @property
    def percent(self) -> float | None:
        """From 0 to 100, or None below `LEAST_ANSWERS` answers."""
        return 100 * self.part / self.whole if self.whole >= LEAST_ANSWERS else None


@dataclass(frozen=True, slots=True)
class Retention:
    """True retention: of the cards that had been remembered for a day or more, how many were recalled."""

    young: Share
    mature: Share

    @property
    def all(self) -> Share:
        return Share(self.young.part + self.mature.part, self.young.whole + self.mature.whole)


def capped_ms(elapsed_ms: int | None) -> int | None:
    """The time of an answer as it is counted; None stays unknown."""
    return None if elapsed_ms is None else max(0, min(elapsed_ms, LONGEST_ANSWER_MS))


def within(tallies: Iterable[DayTally], today: date, days: int) -> list[DayTally]:
    """What was answered in the last `days` study days, today included."""
    first = today - timedelta(days=days - 1)
    return [tally for tally in tallies if first <= tally.day <= today]


def total(tallies: Iterable[DayTally]) -> Tally:
    """All of them in one."""
    return sum((each.tally for each in tallies), NOTHING)


def accuracy(tallies: Iterable[DayTally]) -> Share:
    """How many of all answers, learning included, were not Again."""
    tally = total(tallies)
    return Share(tally.passed, tally.answers)


def true_retention(tallies: Iterable[DayTally]) -> Retention:
    """Passed of all answers where the card was in review or its last interval was at least a day."""
    sums = _sums((_RETENTION_GROUP.get(each.phase), each.tally) for each in tallies)
    young, mature = sums[Group.YOUNG], sums[Group.MATURE]
    return Retention(Share(young.passed, young.answers), Share(mature.passed, mature.answers))


def answer_buttons(tallies: Iterable[DayTally]) -> Mapping[Group, Tally]:
    """How often each button was pressed, for cards in learning, young and mature ones."""
    sums = _sums((_BUTTON_GROUP[each.phase], each.tally) for each in tallies)
    return {group: sums[group] for group in Group}


def answers_by_day(tallies: Iterable[DayTally]) -> Mapping[date, int]:
    """The number of answers of each study day that has any."""
    by_day: defaultdict[date, int] = defaultdict(int)
    for each in tallies:
        by_day[each.day] += each.tally.answers
    return {day: answers for day, answers in sorted(by_day.items()) if answers}


def _sums(parts: Iterable[tuple[Group | None, Tally]]) -> defaultdict[Group | None, Tally]:
    sums: defaultdict[Group | None, Tally] = defaultdict(lambda: NOTHING)
    for group, tally in parts:
        sums[group] += tally
    return sums


@dataclass(frozen=True, slots=True)
class Streak:
    """Consecutive study days with an answer, up to today, or up to yesterday while today has none yet."""

    days: int
    today_done: bool


def streak(days: Collection[date], today: date) -> Streak:
    """The streak that ends today; a day without an answer breaks it once it is over."""
    answered = frozenset(days)
    day = today if today in answered else today - _ONE_DAY
    length = 0
    while day in answered:
        length += 1
        day -= _ONE_DAY
    return Streak(length, today in answered)


@dataclass(frozen=True, slots=True)
class Forecast:
    """How many cards fall due: `days[n]` on the n-th study day from today, `backlog` before today and still waiting."""

    backlog: int
    days: tuple[int, ...]

    def within(self, days: int) -> int:
        """Due in the first `days` study days, today being the first, with the backlog."""
        return self.backlog + sum(self.days[:days])


def forecast(days_ahead: Iterable[int], horizon_days: int) -> Forecast:
    """From how many study days ahead each card is due (negative: overdue); what lies beyond the horizon is left out."""
    counted = [0] * horizon_days
    backlog = 0
    for ahead in days_ahead:
        if ahead < 0:
            backlog += 1
        elif ahead < horizon_days:
            counted[ahead] += 1
    return Forecast(backlog, tuple(counted))


def daily_load(intervals_days: Iterable[float]) -> float:
    """How many answers a day the cards ask for, each once an interval; one in (re)learning counts as one a day."""
    return sum(1 / max(1.0, days) for days in intervals_days)


def estimated_knowledge(retrievabilities: Iterable[float]) -> float:
    """How many of the studied cards would be recalled now: the sum of their probabilities of recall."""
    return sum(retrievabilities)


def heat_levels(counts: Iterable[int], levels: int = 4) -> tuple[int, ...]:
    """The least count of each level 1..`levels` of a heat map: quartiles of the days that have any answer.

    Rising; so that a person with 20 answers a day and one with 400 both see their own good days.
    """
    ordered = sorted(count for count in counts if count > 0)
    if not ordered:
        return tuple(range(1, levels + 1))
    bounds: list[int] = [1]
    for level in range(1, levels):
        bounds.append(max(ordered[min(len(ordered) - 1, level * len(ordered) // levels)], bounds[-1] + 1))
    return tuple(bounds)
