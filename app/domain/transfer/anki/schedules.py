"""The schedule of one of Anki's cards as a question of ours, with its answers.

Types and queues are those of Anki's third scheduler, and of the first two where they differ. Days count from the day on
which the collection was made.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Final, cast
from zoneinfo import ZoneInfo

from fsrs.scheduler import DEFAULT_PARAMETERS

from app.domain.calendar import SHIFTS_FROM, StudyClock
from app.domain.fuzz import whole_days
from app.domain.scheduling import MAX_INTERVAL_DAYS, Schedule, SchedulingOptions, State, exact_interval_days
from app.domain.transfer.anki.log import Answers, LogLine, Memory, Model, answers
from app.domain.transfer.anki.note_types import Steps
from app.domain.transfer.bundle import BroughtQuestion, ReadOrder, ScheduleChoice

DATA_MAX: Final = 10_000
"""Characters of `cards.data` that are read."""

_NEW, _LEARN, _REVIEW, _RELEARN = range(4)
_SUSPENDED, _SIBLING_BURIED, _USER_BURIED = -1, -2, -3
_LEARN_QUEUES = frozenset({1, 3})
_STATES = {_NEW: State.NEW, _LEARN: State.LEARNING, _REVIEW: State.REVIEW, _RELEARN: State.RELEARNING}
_FIRST_SECOND = 1_000_000_000
"""A due number from here on is seconds of Unix time, one below it a day of the collection."""
_COUNT_MAX = 1_000_000
_MOST_STEP = 9
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class CardRow:
    """A row of `cards`."""

    id: int
    deck: int
    ordinal: int
    type: int
    queue: int
    due: int
    ivl: int
    factor: int
    reps: int
    lapses: int
    left: int
    home_due: int
    home_deck: int
    """Not 0 while the card is in a filtered deck."""
    flags: int
    data: str

    @property
    def own_deck(self) -> int:
        return self.home_deck or self.deck


@dataclass(frozen=True, slots=True)
class Days:
    """How a collection counts days: from `first`, its day 0."""

    first: date

    @classmethod
    def of(cls, created: int, minutes_west: int | None, zone: str) -> Days:
        """`created` in seconds of Unix time, in the zone of its maker; in the person's where that is not known."""
        instant = _instant(created) or datetime(SHIFTS_FROM.year, 1, 1, tzinfo=UTC)
        if minutes_west is not None and abs(minutes_west) <= 24 * 60:
            return cls((instant - timedelta(minutes=minutes_west)).date())
        return cls(instant.astimezone(ZoneInfo(zone)).date())

    def day(self, number: int) -> date | None:
        """None for a day on which nothing can be due."""
        if abs(number) > 2 * MAX_INTERVAL_DAYS:
            return None
        day = self.first + timedelta(days=number)
        return day if day >= SHIFTS_FROM else None


@dataclass(slots=True)
class Scheduling:
    """Makes questions of cards, as an order asks for it. `dropped` counts lines of the log, `mended` due dates."""

    order: ReadOrder
    days: Days
    model: Model
    dropped: int = 0
    mended: int = 0
    _options: SchedulingOptions = field(init=False)

    def __post_init__(self) -> None:
        order = self.order
        self._options = SchedulingOptions(
            clock=self.model.clock,
            desired_retention=order.desired_retention,
            maximum_interval_days=order.maximum_interval_days,
            parameters=order.parameters or DEFAULT_PARAMETERS,
        )

    @classmethod
    def of(cls, order: ReadOrder, created: int, minutes_west: int | None) -> Scheduling:
        clock = StudyClock(order.zone, order.rollover_hour)
        return cls(order, Days.of(created, minutes_west, order.zone), Model(order.parameters, clock))

    def question(self, card: CardRow, log: Sequence[LogLine], steps: Steps, ordinal: int = 0) -> BroughtQuestion:
        """The question `ordinal`, with the schedule of `card`."""
        marks = BroughtQuestion(ordinal, suspended=card.queue == _SUSPENDED, flag=card.flags & 7)
        if self.order.schedule is ScheduleChoice.RESET:
            return marks
        given = answers(log, self.model, self.order.now)
        self.dropped += given.dropped
        schedule = self._schedule(card, given, steps)
        buried = card.queue in {_SIBLING_BURIED, _USER_BURIED}
        clock = self.model.clock
        return BroughtQuestion(
            ordinal=ordinal,
            state=int(schedule.state),
            step=schedule.step,
            due=schedule.due,
            stability=schedule.stability,
            difficulty=schedule.difficulty,
            last_review=schedule.last_review,
            reps=schedule.reps,
            lapses=schedule.lapses,
            suspended=marks.suspended,
            buried_until=clock.end_of(clock.study_day(self.order.now)) if buried else None,
            flag=marks.flag,
            reviews=given.reviews,
        )

    def _schedule(self, card: CardRow, given: Answers, steps: Steps) -> Schedule:
        reps = max(min(max(card.reps, 0), _COUNT_MAX), len(given.reviews))
        lapses = min(max(card.lapses, 0), _COUNT_MAX)
        state = _state(card)
        if state is State.NEW:
            return Schedule(State.NEW, None, None, None, None, None, reps, lapses)
        step = None if state is State.REVIEW else _step(card, state, steps)
        data = _data(card.data)
        memory = self._memory(card, given, data, step)
        due = self._due(card, state)
        last_review = self._last_review(card, given, data, due)
        if due is None:
            self.mended += 1
            due = last_review
        if state is State.REVIEW and self.order.schedule is ScheduleChoice.REPLAY and given.last:
            days = whole_days(exact_interval_days(memory.stability, self._options))
            days = max(1, min(days, self.order.maximum_interval_days))
            last_review = given.last
            due = self.model.clock.start_of(self.model.study_day(last_review) + timedelta(days=days))
        return Schedule(state, step, due, memory.stability, memory.difficulty, last_review, reps, lapses)

    def _memory(self, card: CardRow, given: Answers, data: Mapping[str, object], step: int | None) -> Memory:
        """As the file has it, else from the answers, else from ease and interval. A replay begins with the answers."""
        stored = Memory.of(data.get("s"), data.get("d"))
        found = (given.memory, stored) if self.order.schedule is ScheduleChoice.REPLAY else (stored, given.memory)
        memory = found[0] or found[1]
        if memory is not None:
            return memory
        if step is not None and card.type != _RELEARN and card.ivl <= 0:
            return self.model.first(3 if step else 1)
        return self.model.from_sm2(card.factor / 1_000, float(card.ivl))

    def _due(self, card: CardRow, state: State) -> datetime | None:
        number = card.home_due if card.home_deck and card.home_due else card.due
        if number >= _FIRST_SECOND:
            return _instant(number, self.order.now) if state is not State.REVIEW else None
        day = self.days.day(number)
        latest = self.order.now.date() + timedelta(days=MAX_INTERVAL_DAYS)
        return self.model.clock.start_of(day) if day and day <= latest else None

    def _last_review(self, card: CardRow, given: Answers, data: Mapping[str, object], due: datetime | None) -> datetime:
        """As the file has it, else by the log, else the interval before the due date; never later than now."""
        noted = data.get("lrt")
        found = _instant(noted) if isinstance(noted, int) else None
        found = found or given.last
        if found is None and due is not None:
            days = min(card.ivl, MAX_INTERVAL_DAYS) if card.ivl > 0 else 0
            found = max(due - timedelta(days=days), _EPOCH.replace(year=SHIFTS_FROM.year))
        return min(found or self.order.now, self.order.now)


def _state(card: CardRow) -> State:
    if card.type == _REVIEW and card.queue in _LEARN_QUEUES:
        return State.RELEARNING  # as the first scheduler had it
    state = _STATES.get(card.type)
    if state is None:
        return State.REVIEW if card.ivl > 0 else State.NEW
    return state


def _step(card: CardRow, state: State, steps: Steps) -> int:
    """Its place from 0; `left` says in its last three digits how many are to come."""
    count = steps.learning if state is State.LEARNING else steps.relearning
    return min(max(count - card.left % 1_000, 0), max(count - 1, 0), _MOST_STEP)


def _data(text: str) -> Mapping[str, object]:
    if not text.startswith("{") or len(text) > DATA_MAX:
        return {}
    try:
        loaded: object = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, object]", loaded) if isinstance(loaded, dict) else {}


def _instant(seconds: int, now: datetime | None = None) -> datetime | None:
    """None before the year 2000, and more than the longest interval after `now`, without one in ten thousand years."""
    earliest = int(datetime(SHIFTS_FROM.year, SHIFTS_FROM.month, SHIFTS_FROM.day, tzinfo=UTC).timestamp())
    latest = now.timestamp() + MAX_INTERVAL_DAYS * 86_400 if now else 100_000_000_000
    return _EPOCH + timedelta(seconds=seconds) if earliest <= seconds <= latest else None
