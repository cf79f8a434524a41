from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from app.domain.calendar import StudyClock
from app.domain.modes import Goal
from app.domain.scheduling import SchedulingOptions, State
from app.domain.sessions import Candidate, queue
from app.domain.study_plan import BlockKind, Source, StudyPlan, goal_for, plan

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
CLOCK = StudyClock("UTC", 4)
OPTIONS = SchedulingOptions(clock=CLOCK)


def candidate(card_id: int, state: State, days: float = 5) -> Candidate:
    if state is State.NEW:
        return Candidate(card_id, 0, state)
    return Candidate(card_id, 0, state, NOW, NOW - timedelta(days=days), 5.0, 5.0)


def planned(goal: Goal, line: list[Candidate], **more: int) -> StudyPlan:
    return plan(
        goal, line, left_out=more.get("left_out", 0), seconds=12, own_parameters=False, options=OPTIONS, now=NOW
    )


def test_blocks_follow_the_order_of_the_session() -> None:
    found = [candidate(1, State.NEW), candidate(2, State.REVIEW), candidate(3, State.LEARNING), candidate(4, State.NEW)]
    for goal, kinds in (
        (Goal.REVIEW, [BlockKind.LEARNING, BlockKind.REVIEWS, BlockKind.NEW]),
        (Goal.LEARN, [BlockKind.LEARNING, BlockKind.NEW, BlockKind.REVIEWS]),
    ):
        made = planned(goal, queue(goal, found, count=9, seed=1, clock=CLOCK, now=NOW))
        assert [block.kind for block in made.blocks] == kinds
    for goal, kind in ((Goal.CRAM, BlockKind.ALL), (Goal.DIAGNOSE, BlockKind.SAMPLE)):
        [block] = planned(goal, queue(goal, found, count=9, seed=1, clock=CLOCK, now=NOW)).blocks
        assert (block.kind, block.questions) == (kind, 4)


def test_recall_at_the_stability_is_ninety_percent() -> None:
    [block] = planned(Goal.REVIEW, [candidate(1, State.REVIEW, days=5)]).blocks
    assert block.recall_share is not None
    assert abs(block.recall_share - 0.9) < 1e-9
    [block] = planned(Goal.LEARN, [candidate(1, State.NEW)]).blocks
    assert block.recall_share is None


def test_the_source_says_whose_parameters_are_used() -> None:
    assert planned(Goal.REVIEW, []).source is Source.SCHEDULER
    own = plan(Goal.REVIEW, [], left_out=0, seconds=9, own_parameters=True, options=OPTIONS, now=NOW)
    assert own.source is Source.PERSONAL
    assert (own.blocks, own.questions, own.minutes) == ((), 0, 0)


def test_without_a_goal_new_cards_are_learnt_only_when_nothing_else_waits() -> None:
    assert goal_for([candidate(1, State.NEW)]) is Goal.LEARN
    assert goal_for([candidate(1, State.NEW), candidate(2, State.REVIEW)]) is Goal.REVIEW
    assert goal_for([]) is Goal.REVIEW


@given(st.lists(st.sampled_from(State), max_size=40), st.sampled_from(Goal))
def test_a_plan_counts_every_question_once(states: list[State], goal: Goal) -> None:
    line = queue(
        goal, [candidate(id, state) for id, state in enumerate(states, 1)], count=30, seed=1, clock=CLOCK, now=NOW
    )
    made = planned(goal, line)
    assert made.questions == len(line)
    assert abs(made.minutes - len(line) * 12 / 60) < 1e-9
    assert all(block.questions for block in made.blocks)
    assert all(block.recall_share is None or 0 < block.recall_share <= 1 for block in made.blocks)
