"""A study session: what belongs in it, in which order, and what comes next. Pure: time and seed are arguments."""

from __future__ import annotations

import random
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from app.domain.calendar import StudyClock
from app.domain.errors import N_, InvalidInput
from app.domain.modes import Goal, Mode
from app.domain.scheduling import LEARN_AHEAD, State

MAX_ITEMS = 500
"""The longest queue of one session; what is left is for the next."""
DIAGNOSE_ITEMS = 20
RETAIN_DAYS = 7
MAX_HORIZON_DAYS = 365
MAX_MINUTES = 240
MORE = 20
CRAM_TRIES = 3
"""How often a session without schedule asks a card that was answered wrong."""

# Seconds for one question, until the person's own answers say more: reading, thinking, and typing where there is some.
_SECONDS: Mapping[Mode, float] = {
    Mode.FLASHCARDS: 9,
    Mode.MULTIPLE_CHOICE: 8,
    Mode.TYPED: 14,
    Mode.MATCHING: 6,
    Mode.CLOZE: 12,
    Mode.MIXED: 10,
}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A question that may be asked. Instants in UTC, stability in days; a new one has neither memory nor due time."""

    card_id: int
    ordinal: int
    state: State
    due: datetime | None = None
    last_review: datetime | None = None
    stability: float | None = None
    difficulty: float | None = None
    tags: tuple[str, ...] = ()


def seconds_per_item(mode: Mode, own_median_ms: float | None = None) -> float:
    """How long one question takes: the person's own median where it is known, within reason."""
    if own_median_ms is None:
        return _SECONDS[mode]
    return min(60.0, max(3.0, own_median_ms / 1000 + 2))  # two seconds to rate and to see the next one


def items_for(minutes: int | None, limit: int | None, seconds: float) -> int:
    """How many questions a session holds: the smaller of what was asked for. Raises `InvalidInput`."""
    if minutes is not None and not 1 <= minutes <= MAX_MINUTES:
        raise InvalidInput(
            N_("The minutes are out of range."), N_("Give a whole number from 1 to 240."), field="minutes"
        )
    if limit is not None and not 1 <= limit <= MAX_ITEMS:
        raise InvalidInput(N_("The limit is out of range."), N_("Give a whole number from 1 to 500."), field="limit")
    wanted = [MAX_ITEMS]
    if minutes is not None:
        wanted.append(max(1, round(minutes * 60 / seconds)))
    if limit is not None:
        wanted.append(limit)
    return min(wanted)


def queue(
    goal: Goal, candidates: Iterable[Candidate], *, count: int, seed: int, clock: StudyClock, now: datetime
) -> list[Candidate]:
    """The first `count` questions of a session in their order, at most one of each card where the goal schedules.

    *learn*: cards in (re)learning, then new ones, then reviews. *review*: cards in (re)learning, then reviews by
    falling retrievability, then new ones. *retain*: what is weakest first. *cram*: everything, shuffled. *diagnose*: a
    spread over tags and difficulties.
    """
    found = list(candidates)
    if goal is Goal.DIAGNOSE:
        return spread(found, count, seed)
    if goal is Goal.CRAM:
        random.Random(seed).shuffle(found)  # noqa: S311 - an order, not a secret
        return found[:count]
    rank = {
        Goal.LEARN: {State.LEARNING: 0, State.RELEARNING: 0, State.NEW: 1, State.REVIEW: 2},
        Goal.REVIEW: {State.LEARNING: 0, State.RELEARNING: 0, State.REVIEW: 1, State.NEW: 2},
        Goal.RETAIN: {State.LEARNING: 0, State.RELEARNING: 0, State.REVIEW: 0, State.NEW: 1},
    }[goal]
    sign = -1 if goal is Goal.RETAIN else 1

    def place(candidate: Candidate) -> tuple[float, float, int, int]:
        within = 0.0
        if candidate.state is State.REVIEW:
            within = sign * forgetting(candidate, clock, now)
        elif candidate.due is not None:
            within = candidate.due.timestamp() if goal is not Goal.RETAIN else sign * float("inf")
        return rank[candidate.state], within, candidate.card_id, candidate.ordinal

    chosen: dict[int, Candidate] = {}
    for candidate in sorted(found, key=place):
        chosen.setdefault(candidate.card_id, candidate)
    return list(chosen.values())[:count]


def forgetting(candidate: Candidate, clock: StudyClock, now: datetime) -> float:
    """Days since the last review over stability: retrievability falls as this grows, whatever the parameters."""
    if candidate.last_review is None or not candidate.stability:
        return 0.0
    return max(0, clock.days_between(candidate.last_review, now)) / candidate.stability


def spread(candidates: Sequence[Candidate], count: int, seed: int) -> list[Candidate]:
    """A sample for a diagnosis: in turn from every tag, and within a tag from easy, middling, hard and new alike."""
    chance = random.Random(seed)  # noqa: S311 - a sample, not a secret
    by_tag: dict[str, dict[int, deque[Candidate]]] = defaultdict(lambda: defaultdict(deque))
    shuffled = list(candidates)
    chance.shuffle(shuffled)
    for candidate in shuffled:
        tag = min(candidate.tags, default="")
        hardness = -1 if candidate.difficulty is None else min(2, int((candidate.difficulty - 1) // 3))
        by_tag[tag][hardness].append(candidate)
    turns = deque(deque(groups.values()) for _, groups in sorted(by_tag.items()))
    sample: list[Candidate] = []
    while turns and len(sample) < count:
        groups = turns.popleft()
        group = groups.popleft()
        sample.append(group.popleft())
        if group:
            groups.append(group)
        if groups:
            turns.append(groups)
    return sample


class Step(Enum):
    """What a session does next."""

    LEARNING = "learning"
    """Ask again a card whose step is over, or nearly."""
    WAITING = "waiting"
    """Ask the next of the queue."""
    PAUSE = "pause"
    """Nothing to ask until a step is over."""
    FINISH = "finish"


def next_step(*, learning_due: datetime | None, waiting: bool, now: datetime) -> Step:
    """A step that is over goes before the queue, one that is over soon after it; a later one makes a pause."""
    if learning_due is not None and learning_due <= now:
        return Step.LEARNING
    if waiting:
        return Step.WAITING
    if learning_due is None:
        return Step.FINISH
    return Step.LEARNING if learning_due <= now + LEARN_AHEAD else Step.PAUSE
