"""What a study session would do now, and why in this order: the queue of `app.domain.sessions`, put into blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import groupby

from app.domain.modes import Goal
from app.domain.scheduling import Schedule, SchedulingOptions, State, retrievability
from app.domain.sessions import Candidate


class Source(StrEnum):
    """Whose memory the plan reckons with."""

    PERSONAL = "personal"
    """Parameters fitted to the person's own reviews."""
    SCHEDULER = "scheduler"
    """The standard parameters of FSRS-6."""


class BlockKind(StrEnum):
    LEARNING = "learning"
    """Questions in their learning steps."""
    REVIEWS = "reviews"
    NEW = "new"
    ALL = "all"
    """All questions, whatever their schedule says."""
    SAMPLE = "sample"
    """A spread over tags and difficulties."""


@dataclass(frozen=True, slots=True)
class Block:
    """Questions that come one after another. `recall_share` is the part expected to be known, None where not known."""

    kind: BlockKind
    questions: int
    minutes: float
    recall_share: float | None = None


@dataclass(frozen=True, slots=True)
class StudyPlan:
    """The blocks in their order. `left_out` are questions that wait but do not fit into the time."""

    goal: Goal
    source: Source
    seconds_per_question: float
    blocks: tuple[Block, ...]
    left_out: int

    @property
    def questions(self) -> int:
        return sum(block.questions for block in self.blocks)

    @property
    def minutes(self) -> float:
        return sum(block.minutes for block in self.blocks)


def goal_for(found: Sequence[Candidate]) -> Goal:
    """The goal for somebody who names none: to learn when all that waits is new, else to review."""
    return Goal.LEARN if found and all(candidate.state is State.NEW for candidate in found) else Goal.REVIEW


def plan(
    goal: Goal,
    line: Sequence[Candidate],
    *,
    left_out: int,
    seconds: float,
    own_parameters: bool,
    options: SchedulingOptions,
    now: datetime,
) -> StudyPlan:
    """The plan of a session that asks `line`, at `seconds` a question."""
    if goal.schedules:
        groups = [(kind, list(found)) for kind, found in groupby(line, key=_kind)]
    else:
        groups = [(BlockKind.ALL if goal is Goal.CRAM else BlockKind.SAMPLE, list(line))] if line else []
    blocks = tuple(
        Block(kind, len(found), len(found) * seconds / 60, _recall(found, options, now)) for kind, found in groups
    )
    source = Source.PERSONAL if own_parameters else Source.SCHEDULER
    return StudyPlan(goal, source, seconds, blocks, left_out)


def _kind(candidate: Candidate) -> BlockKind:
    if candidate.state is State.REVIEW:
        return BlockKind.REVIEWS
    return BlockKind.NEW if candidate.state is State.NEW else BlockKind.LEARNING


def _recall(found: Sequence[Candidate], options: SchedulingOptions, now: datetime) -> float | None:
    """The mean probability of recall of those in review, None when there are none."""
    chances: list[float] = []
    for candidate in found:
        if candidate.state is State.REVIEW:
            known = Schedule(
                State.REVIEW,
                None,
                candidate.due,
                candidate.stability,
                candidate.difficulty,
                candidate.last_review,
                1,
                0,
            )
            chances.append(retrievability(known, options, now) or 0.0)
    return sum(chances) / len(chances) if chances else None
