"""Anki's review log: which lines are answers, where a history begins, and the memory after each answer.

What counts is what Anki's own conversion counts (`rslib/src/scheduler/fsrs/memory_state.rs`): answers that were given
and moved the schedule, from the last time the card was new. Where the log does not reach back so far, the first answer
gives the memory that its ease and interval stand for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from itertools import pairwise
from math import isfinite
from typing import Final

import fsrs_rs_python

from app.domain.calendar import SHIFTS_FROM, StudyClock
from app.domain.scheduling import (
    MAX_DIFFICULTY,
    MAX_INTERVAL_DAYS,
    MAX_STABILITY,
    MIN_DIFFICULTY,
    MIN_STABILITY,
    State,
)
from app.domain.transfer.bundle import BroughtReview

ANSWERS_MAX: Final = 5_000
"""Answers of one question that come along, the last ones."""
ELAPSED_MAX_MS: Final = 60_000
SM2_RETENTION: Final = 0.9
STANDARD_EASE: Final = 2.5
LEAST_EASE: Final = 1.3

_LEARN, _REVIEW, _RELEARN, _FILTERED, _MANUAL, _RESCHEDULED = range(6)
_STATES = {_LEARN: State.LEARNING, _REVIEW: State.REVIEW, _RELEARN: State.RELEARNING, _FILTERED: State.REVIEW}
_EARLIEST_MS = int(datetime(SHIFTS_FROM.year, SHIFTS_FROM.month, SHIFTS_FROM.day, tzinfo=UTC).timestamp()) * 1_000
_DAY_SECONDS = 86_400
_QUARTER = timedelta(minutes=15)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class LogLine:
    """A row of `revlog`: `id` is milliseconds of Unix time, `ivl` days or, negative, seconds."""

    id: int
    ease: int
    ivl: int
    factor: int
    time: int
    type: int


@dataclass(frozen=True, slots=True)
class Memory:
    """Stability in days and difficulty, both within the bounds of the scheduler."""

    stability: float
    difficulty: float

    @classmethod
    def of(cls, stability: object, difficulty: object) -> Memory | None:
        """None for anything that is no memory."""
        if not isinstance(stability, (int, float)) or not isinstance(difficulty, (int, float)):
            return None
        if not (isfinite(stability) and isfinite(difficulty) and stability > 0 and difficulty > 0):
            return None
        return cls(
            min(max(float(stability), MIN_STABILITY), MAX_STABILITY),
            min(max(float(difficulty), MIN_DIFFICULTY), MAX_DIFFICULTY),
        )


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers of one question in order of time; `memory` is that after the last one, None if it is new again."""

    reviews: tuple[BroughtReview, ...] = ()
    memory: Memory | None = None
    dropped: int = 0
    """Lines that no answer can have left behind."""

    @property
    def last(self) -> datetime | None:
        return self.reviews[-1].reviewed_at if self.reviews and self.memory else None


class Model:
    """FSRS with a person's parameters, counting in the study days of their clock."""

    def __init__(self, parameters: Sequence[float], clock: StudyClock) -> None:
        self.clock = clock
        self._fsrs = fsrs_rs_python.FSRS(tuple(parameters) or fsrs_rs_python.DEFAULT_PARAMETERS)
        self._day_of_quarter = lru_cache(maxsize=65_536)(self._study_day)

    def study_day(self, instant: datetime) -> date:
        """As the clock says. Zones and hours are whole quarters off UTC, so a quarter of an hour lies in one day."""
        return self._day_of_quarter((instant - _EPOCH) // _QUARTER)

    def _study_day(self, quarter: int) -> date:
        return self.clock.study_day(_EPOCH + quarter * _QUARTER)

    def from_sm2(self, ease: float, interval_days: float) -> Memory:
        """The memory that an ease (2.5 is usual) and an interval stand for."""
        usable = ease if ease > 0 else STANDARD_EASE
        interval = min(max(interval_days, 1.0), float(MAX_INTERVAL_DAYS))
        state = self._fsrs.memory_state_from_sm2(max(usable, LEAST_EASE), interval, SM2_RETENTION)
        return _memory(state)

    def first(self, rating: int) -> Memory:
        """The memory after the first answer of all."""
        return _memory(self._fsrs.memory_state(fsrs_rs_python.FSRSItem([fsrs_rs_python.FSRSReview(rating, 0)])))

    def replayed(self, answers: Sequence[tuple[int, int]], start: Memory | None = None) -> list[Memory]:
        """The memory after each of the answers: rating and study days since the one before."""
        if not answers:
            return []
        item = fsrs_rs_python.FSRSItem([fsrs_rs_python.FSRSReview(rating, days) for rating, days in answers])
        starting = fsrs_rs_python.MemoryState(start.stability, start.difficulty) if start else None
        # With a start, that one comes first.
        return [_memory(state) for state in self._fsrs.historical_memory_states(item, starting)[-len(answers) :]]


def answers(lines: Sequence[LogLine], model: Model, now: datetime) -> Answers:
    """The answers among the lines of one card, in whatever order they stand."""
    latest_ms = int(now.timestamp() * 1_000)
    ordered = sorted(lines, key=lambda line: line.id)
    histories: list[list[LogLine]] = [[]]
    dropped = 0
    before: LogLine | None = None
    for line in ordered:
        if line.type == _MANUAL and line.factor == 0:
            histories.append([])
        elif _counts(line):
            if not _possible(line, latest_ms) or (before is not None and before.id == line.id):
                dropped += 1
                continue
            # Older versions made a card new again without a line in the log.
            if line.type == _LEARN and histories[-1] and histories[-1][-1].type != _LEARN:
                histories.append([])
            histories[-1].append(line)
            before = line
    reviews: list[BroughtReview] = []
    memories: list[Memory] = []
    for history in histories:
        moments = [_EPOCH + timedelta(milliseconds=line.id) for line in history]
        days = [model.study_day(moment) for moment in moments]
        memories = _memories(history, days, model)
        reviews += (
            _review(line, at, day, memory, model, first=place == 0)
            for place, (line, at, day, memory) in enumerate(zip(history, moments, days, memories, strict=True))
        )
    return Answers(tuple(reviews[-ANSWERS_MAX:]), memories[-1] if memories else None, dropped)


def _counts(line: LogLine) -> bool:
    """Whether the line is meant as an answer that moved the schedule."""
    return 1 <= line.ease <= 4 and line.type in _STATES and not (line.type == _FILTERED and line.factor == 0)


def _possible(line: LogLine, latest_ms: int) -> bool:
    most = MAX_INTERVAL_DAYS if line.ivl >= 0 else MAX_INTERVAL_DAYS * _DAY_SECONDS
    return _EARLIEST_MS <= line.id <= latest_ms and abs(line.ivl) <= most


def _memories(history: Sequence[LogLine], days: Sequence[date], model: Model) -> list[Memory]:
    if not history:
        return []
    gaps = [0, *(max(0, (later - earlier).days) for earlier, later in pairwise(days))]
    given = [(line.ease, gap) for line, gap in zip(history, gaps, strict=True)]
    if history[0].type == _LEARN:
        return model.replayed(given)
    first = model.from_sm2(history[0].factor / 1_000, max(0, history[0].ivl))
    return [first, *model.replayed(given[1:], first)]


def _review(line: LogLine, at: datetime, day: date, memory: Memory, model: Model, *, first: bool) -> BroughtReview:
    """The answer as ours; `first` of its history."""
    days = timedelta(days=line.ivl)
    due = model.clock.start_of(day + days) if line.ivl > 0 else at - timedelta(seconds=line.ivl)
    return BroughtReview(
        reviewed_at=at,
        rating=line.ease,
        elapsed_ms=min(line.time, ELAPSED_MAX_MS) if line.time > 0 else None,
        state_before=int(State.NEW if first and line.type == _LEARN else _STATES[line.type]),
        due=due,
        interval_days=float(line.ivl) if line.ivl >= 0 else -line.ivl / _DAY_SECONDS,
        stability=memory.stability,
        difficulty=memory.difficulty,
    )


def _memory(state: fsrs_rs_python.MemoryState) -> Memory:
    stability, difficulty = state.stability, state.difficulty
    if MIN_STABILITY <= stability <= MAX_STABILITY and MIN_DIFFICULTY <= difficulty <= MAX_DIFFICULTY:
        return Memory(stability, difficulty)
    memory = Memory.of(stability, difficulty)
    if memory is None:
        raise ValueError("the model gave no memory")
    return memory
