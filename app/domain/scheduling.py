"""When a card comes back: the memory of a card, the four possible answers and what each of them leads to.

Stability and difficulty are FSRS-6 as the `fsrs` library computes them. Around them stand the rules that a person sees,
which are Anki's: learning steps, the person's study days instead of blocks of 24 hours, buttons that differ by at least
a day. Nothing here reads a clock or a random source, so what `preview` shows is what `answer` gives.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import IntEnum
from functools import lru_cache
from math import isfinite

import fsrs
from fsrs.scheduler import DEFAULT_PARAMETERS

from app.domain.calendar import ONE_DAY, StudyClock
from app.domain.errors import N_, InvalidInput
from app.domain.fuzz import fuzz_fraction, fuzz_range, fuzzed_days, whole_days

LEARN_AHEAD = timedelta(minutes=20)
"""A learning card due within this time may be shown early when nothing else is left."""

MIN_RETENTION, MAX_RETENTION = 0.70, 0.97
MIN_STABILITY, MAX_STABILITY = 0.001, 36_500.0
MIN_DIFFICULTY, MAX_DIFFICULTY = 1.0, 10.0
MAX_INTERVAL_DAYS = 36_500
MAX_STEPS = 10
MIN_STEP, MAX_STEP = timedelta(seconds=1), timedelta(days=30)

_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)


class State(IntEnum):
    """Where a card stands. The numbers are stored."""

    NEW = 0
    LEARNING = 1
    REVIEW = 2
    RELEARNING = 3


class Rating(IntEnum):
    """How an answer went. The numbers are stored."""

    AGAIN = 1
    HARD = 2
    GOOD = 3
    EASY = 4


# Walking an enumeration costs as much as a formula, and a preview walks both.
RATINGS = tuple(Rating)
_MODEL_RATINGS = tuple(fsrs.Rating)


@dataclass(frozen=True, slots=True)
class Schedule:
    """What is remembered about a card. Stability in days, difficulty 1-10, instants in UTC.

    A new card has counters only. Every other card has a due time, a last review, stability and difficulty; a card in
    (re)learning also has the index of its step. Anything else raises ValueError: no command makes such a card.
    """

    state: State
    step: int | None
    due: datetime | None
    stability: float | None
    difficulty: float | None
    last_review: datetime | None
    reps: int
    lapses: int

    @classmethod
    def new(cls) -> Schedule:
        """A card that was never answered."""
        return cls(State.NEW, None, None, None, None, None, 0, 0)

    def __post_init__(self) -> None:
        memory = (self.due, self.last_review, self.stability, self.difficulty)
        if self.state is State.NEW:
            if memory != (None, None, None, None) or self.step is not None:
                raise ValueError("a new card has no memory and no due time")
            return
        if None in memory:
            raise ValueError(f"a card in {self.state.name} needs a due time, a last review, stability and difficulty")
        if (self.step is None) is not (self.state is State.REVIEW):
            raise ValueError("a step belongs to (re)learning, and only to it")
        if not (self.stability and self.stability > 0 and isfinite(self.stability)):
            raise ValueError("stability is a positive number of days")
        if not (self.difficulty and MIN_DIFFICULTY <= self.difficulty <= MAX_DIFFICULTY):
            raise ValueError("difficulty lies from 1 to 10")


@dataclass(frozen=True, slots=True)
class SchedulingOptions:
    """How a person's cards are scheduled; raises InvalidInput, with the field, for what no schedule can follow.

    `parameters` are the 21 weights of FSRS-6. A step shorter than a day counts from the answer by the clock; a longer
    one is rounded to whole days and ends at the start of a study day.
    """

    clock: StudyClock = field(default_factory=StudyClock)
    desired_retention: float = 0.9
    learning_steps: tuple[timedelta, ...] = (timedelta(minutes=1), timedelta(minutes=10))
    relearning_steps: tuple[timedelta, ...] = (timedelta(minutes=10),)
    maximum_interval_days: int = MAX_INTERVAL_DAYS
    parameters: tuple[float, ...] = DEFAULT_PARAMETERS
    fuzz: bool = True

    def __post_init__(self) -> None:
        if not MIN_RETENTION <= self.desired_retention <= MAX_RETENTION:
            raise InvalidInput(
                N_("The desired retention is out of range."),
                N_("Give a number from 0.70 to 0.97."),
                field="desired_retention",
            )
        for name, steps in (("learning_steps", self.learning_steps), ("relearning_steps", self.relearning_steps)):
            if len(steps) > MAX_STEPS or not all(MIN_STEP <= step <= MAX_STEP for step in steps):
                raise InvalidInput(
                    N_("These learning steps cannot be followed."),
                    N_("Give at most 10 steps, each from one second to 30 days."),
                    field=name,
                )
        if not 1 <= self.maximum_interval_days <= MAX_INTERVAL_DAYS:
            raise InvalidInput(
                N_("The maximum interval is out of range."),
                N_("Give a number of days from 1 to 36,500."),
                field="maximum_interval_days",
            )
        try:
            _model(self.parameters)
        except (TypeError, ValueError) as error:
            raise InvalidInput(
                N_("These are not parameters of FSRS-6."),
                N_("Give all 21 numbers, each within the bounds of the algorithm."),
                field="parameters",
            ) from error


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an answer leads to: the schedule to store and the interval to show.

    The interval is whole days for a card in review and the step for a card in (re)learning.
    """

    schedule: Schedule
    interval: timedelta

    @property
    def interval_days(self) -> float:
        return self.interval / ONE_DAY


def preview(schedule: Schedule, options: SchedulingOptions, *, card_id: int, now: datetime) -> dict[Rating, Outcome]:
    """The outcome of each of the four ratings, given now.

    Time since the last review is counted in study days, as Anki counts it and as the parameters are fitted: 23 hours
    later on the next day is one day. A `now` before the last review, as after a clock was set back, counts as the same
    day: the person who answers cannot mend the server's clock. Raises ValueError for a `now` without a zone.
    """
    clock = options.clock
    today, now = clock.study_day(now), now.astimezone(UTC)
    last_day = clock.study_day(schedule.last_review) if schedule.last_review else today
    # Only a card in review has an interval in days that fuzz could cut short.
    last_interval_days = 0
    if schedule.state is State.REVIEW and schedule.due:
        last_interval_days = (clock.study_day(schedule.due) - last_day).days
    memories = _next_memories(schedule, options, max(0, (today - last_day).days))
    fraction = fuzz_fraction(card_id, schedule.reps) if options.fuzz else None

    outcomes: dict[Rating, Outcome] = {}
    least_days = 1
    for rating, (stability, difficulty) in zip(RATINGS, memories, strict=True):
        state, step, delay = _next_step(schedule, rating, options)
        if delay is None:
            exact_days = exact_interval_days(stability, options)
            if schedule.state is not State.REVIEW:
                exact_days = whole_days(exact_days)  # as Anki does before it moves the first interval after steps
            least_days = max(least_days, _kept_days(exact_days, last_interval_days, fuzzed=fraction is not None))
            days = fuzzed_days(exact_days, least_days, options.maximum_interval_days, fraction)
            interval = timedelta(days=days)
        else:
            interval = delay if delay < ONE_DAY else timedelta(days=whole_days(delay / ONE_DAY))
        due = now + interval if interval < ONE_DAY else clock.start_of(today + interval)
        lapses = schedule.lapses + (rating is Rating.AGAIN and schedule.state is State.REVIEW)
        outcomes[rating] = Outcome(
            Schedule(state, step, due, stability, difficulty, now, schedule.reps + 1, lapses), interval
        )
        # Each button is at least a day above the one before; Hard may equal Again, which rarely counts in days at all.
        least_days = interval.days
        if rating is Rating.GOOD and schedule.state is not State.REVIEW:
            # As in Anki, Easy is above the days of Good even when Good goes to another step.
            good_days = exact_interval_days(stability, options)
            least_days = max(least_days, fuzzed_days(good_days, 1, options.maximum_interval_days, fraction))
        least_days = max(1, least_days + (rating is not Rating.AGAIN))
    return outcomes


def answer(schedule: Schedule, rating: Rating, options: SchedulingOptions, *, card_id: int, now: datetime) -> Outcome:
    """The outcome of one rating: exactly the entry that `preview` gives for the same arguments."""
    return preview(schedule, options, card_id=card_id, now=now)[rating]


def retrievability(schedule: Schedule, options: SchedulingOptions, now: datetime) -> float | None:
    """The probability of recall now, None for a new card: R(t, S) = (1 + F t / S) ^ -w20, F = 0.9 ^ (-1 / w20) - 1.

    t is counted in study days, as in `preview`.
    """
    if schedule.stability is None or schedule.last_review is None:
        return None
    decay, factor = forgetting_curve(options.parameters)
    elapsed_days = max(0, options.clock.days_between(schedule.last_review, now))
    return (1 + factor * elapsed_days / _clamped_stability(schedule.stability)) ** decay


def exact_interval_days(stability: float, options: SchedulingOptions) -> float:
    """Days after which retrievability falls to the desired retention, neither rounded nor limited."""
    decay, factor = forgetting_curve(options.parameters)
    return stability / factor * (options.desired_retention ** (1 / decay) - 1)


def forgetting_curve(parameters: tuple[float, ...]) -> tuple[float, float]:
    """The exponent and the factor F of R(t, S) = (1 + F t / S) ^ exponent, as `retrievability` uses them."""
    decay = -parameters[20]
    return decay, 0.9 ** (1 / decay) - 1


def is_due(schedule: Schedule, clock: StudyClock, now: datetime) -> bool:
    """Whether the card is to be shown: a card in review on its whole study day, one in (re)learning from its minute on.

    A new card is never due; it is introduced. `LEARN_AHEAD` is for the caller to add to `now`.
    """
    if schedule.due is None:
        return False
    if schedule.state is State.REVIEW:
        return schedule.due < clock.end_of(clock.study_day(now))
    return schedule.due <= now


def _kept_days(exact_days: float, last_interval_days: int, *, fuzzed: bool) -> int:
    """The days that fuzz must leave: an interval that grows goes on growing, one that could stay does not shrink."""
    if whole_days(exact_days) > last_interval_days:
        return last_interval_days + 1
    can_stay = fuzzed and fuzz_range(exact_days, 1, MAX_INTERVAL_DAYS)[1] >= last_interval_days
    return last_interval_days if can_stay else 0


def _next_step(
    schedule: Schedule, rating: Rating, options: SchedulingOptions
) -> tuple[State, int | None, timedelta | None]:
    """The next state, its step and the delay of that step; no delay where the memory decides."""
    to_review = (State.REVIEW, None, None)
    if schedule.state is State.REVIEW:
        if rating is Rating.AGAIN and options.relearning_steps:
            return State.RELEARNING, 0, options.relearning_steps[0]
        return to_review
    relearning = schedule.state is State.RELEARNING
    state = State.RELEARNING if relearning else State.LEARNING
    steps = options.relearning_steps if relearning else options.learning_steps
    if not steps or rating is Rating.EASY:
        return to_review
    # The person may have chosen fewer steps since the last answer.
    step = min(schedule.step or 0, len(steps) - 1)
    if rating is Rating.AGAIN:
        return state, 0, steps[0]
    if rating is Rating.HARD:
        return state, step, _hard_delay(steps, step)
    return (state, step + 1, steps[step + 1]) if step + 1 < len(steps) else to_review


def _hard_delay(steps: tuple[timedelta, ...], step: int) -> timedelta:
    """The same step again; on the first one something between Again and Good."""
    if step > 0:
        return steps[step]
    again = steps[step]
    return (again + steps[1]) / 2 if len(steps) > 1 else min(again * 1.5, again + ONE_DAY)


def _next_memories(
    schedule: Schedule, options: SchedulingOptions, elapsed_days: int
) -> tuple[tuple[float, float], ...]:
    """Stability and difficulty after each rating, in the order of `Rating`."""
    model = _model(options.parameters)
    # The model counts blocks of 24 hours, so it is given instants on day boundaries instead of the true ones.
    # An id, because a card made without one waits for the clock.
    card = fsrs.Card(card_id=0, due=_EPOCH)
    if schedule.stability is not None:
        stability = _clamped_stability(schedule.stability)
        card = fsrs.Card(0, fsrs.State.Review, None, stability, schedule.difficulty, _EPOCH, _EPOCH)
    reviewed_at = _EPOCH + timedelta(days=elapsed_days)
    memories: list[tuple[float, float]] = []
    for rating in _MODEL_RATINGS:
        after, _ = model.review_card(card, rating, reviewed_at)
        if after.stability is None or after.difficulty is None:
            raise ValueError("the model gave no memory")
        memories.append((_clamped_stability(after.stability), after.difficulty))
    return tuple(memories)


@lru_cache(maxsize=1024)
def _model(parameters: tuple[float, ...]) -> fsrs.Scheduler:
    # Steps, intervals and fuzz are ours, so the library keeps the memory and nothing else.
    return fsrs.Scheduler(parameters, learning_steps=(), relearning_steps=(), enable_fuzzing=False)


def _clamped_stability(stability: float) -> float:
    return min(max(stability, MIN_STABILITY), MAX_STABILITY)
