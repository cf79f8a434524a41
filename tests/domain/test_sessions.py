from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.calendar import StudyClock
from app.domain.errors import InvalidInput
from app.domain.modes import Goal, Mode
from app.domain.scheduling import LEARN_AHEAD, State
from app.domain.sessions import (
    MAX_ITEMS,
    Candidate,
    Step,
    forgetting,
    items_for,
    next_step,
    queue,
    seconds_per_item,
    spread,
)

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
CLOCK = StudyClock()


@st.composite
def candidates(draw: st.DrawFn) -> list[Candidate]:
    keys = draw(st.lists(st.tuples(st.integers(1, 30), st.integers(0, 3)), unique=True, max_size=40))
    made: list[Candidate] = []
    for card_id, ordinal in keys:
        state = draw(st.sampled_from(State))
        tags = tuple(draw(st.lists(st.sampled_from("abc"), max_size=2, unique=True)))
        if state is State.NEW:
            made.append(Candidate(card_id, ordinal, state, tags=tags))
            continue
        last = NOW - timedelta(days=draw(st.integers(0, 400)))
        due = NOW - timedelta(minutes=draw(st.integers(-19, 10_000)))
        stability, difficulty = draw(st.floats(0.1, 400)), draw(st.floats(1, 10))
        made.append(Candidate(card_id, ordinal, state, due, last, stability, difficulty, tags))
    return made


@given(candidates(), st.sampled_from(Goal), st.integers(1, 50), st.integers(0, 10**6))
def test_a_queue_holds_what_was_offered_once_and_the_same_for_the_same_arguments(
    offered: list[Candidate], goal: Goal, count: int, seed: int
) -> None:
    line = queue(goal, offered, count=count, seed=seed, clock=CLOCK, now=NOW)
    again = offered[::-1] if goal.schedules else offered
    assert line == queue(goal, again, count=count, seed=seed, clock=CLOCK, now=NOW)
    assert len(line) <= count
    assert set(line) <= set(offered)
    assert len(set(line)) == len(line)
    if goal.schedules:
        assert max(Counter(found.card_id for found in line).values(), default=0) <= 1
        assert len(line) == min(count, len({found.card_id for found in offered}))
    else:
        assert len(line) == min(count, len(offered))


@given(candidates())
def test_learn_begins_with_steps_then_new_cards_and_review_with_steps_then_reviews(offered: list[Candidate]) -> None:
    for goal, second, third in (
        (Goal.LEARN, State.NEW, State.REVIEW),
        (Goal.REVIEW, State.REVIEW, State.NEW),
    ):
        line = queue(goal, offered, count=MAX_ITEMS, seed=1, clock=CLOCK, now=NOW)
        rank = {State.LEARNING: 0, State.RELEARNING: 0, second: 1, third: 2}
        ranks = [rank[found.state] for found in line]
        assert ranks == sorted(ranks)
        reviews = [forgetting(found, CLOCK, NOW) for found in line if found.state is State.REVIEW]
        assert reviews == sorted(reviews), "the surest first: retrievability falls"


@given(candidates())
def test_retain_begins_with_the_weakest(offered: list[Candidate]) -> None:
    line = queue(Goal.RETAIN, offered, count=MAX_ITEMS, seed=1, clock=CLOCK, now=NOW)
    reviews = [forgetting(found, CLOCK, NOW) for found in line if found.state is State.REVIEW]
    assert reviews == sorted(reviews, reverse=True)


def test_cram_is_another_order_for_another_seed() -> None:
    offered = [Candidate(card_id, 0, State.NEW) for card_id in range(1, 41)]
    orders = {
        tuple(found.card_id for found in queue(Goal.CRAM, offered, count=40, seed=seed, clock=CLOCK, now=NOW))
        for seed in range(5)
    }
    assert len(orders) == 5


def test_a_diagnosis_takes_from_every_tag_and_difficulty_in_turn() -> None:
    offered = [
        Candidate(number, 0, State.REVIEW, NOW, NOW, 5.0, difficulty, (tag,))
        for number, (tag, difficulty) in enumerate(
            (pair for tag in "abcd" for difficulty in (1.5, 5.0, 9.0) for pair in [(tag, difficulty)] * 30), 1
        )
    ]
    sample = spread(offered, 24, seed=3)
    assert Counter(found.tags[0] for found in sample) == dict.fromkeys("abcd", 6)
    assert set(Counter(found.difficulty for found in sample).values()) == {8}


def test_the_length_of_a_session_is_the_smaller_of_minutes_and_limit() -> None:
    seconds = seconds_per_item(Mode.FLASHCARDS)
    assert items_for(None, None, seconds) == MAX_ITEMS
    assert items_for(None, 7, seconds) == 7
    assert items_for(3, None, seconds) == 20
    assert items_for(3, 7, seconds) == 7
    assert items_for(1, None, seconds_per_item(Mode.TYPED, 1_000_000)) == 1
    assert seconds_per_item(Mode.TYPED, 1_000_000) == 60
    assert seconds_per_item(Mode.TYPED, 6_000) == 8


@pytest.mark.parametrize(
    ("minutes", "limit", "field"),
    [(0, None, "minutes"), (241, None, "minutes"), (None, 0, "limit"), (None, MAX_ITEMS + 1, "limit")],
)
def test_lengths_out_of_range_are_refused_by_name(minutes: int | None, limit: int | None, field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        items_for(minutes, limit, 9)
    assert refused.value.field == field


def test_what_comes_next() -> None:
    soon, later = NOW + LEARN_AHEAD, NOW + LEARN_AHEAD + timedelta(seconds=1)
    assert next_step(learning_due=NOW, waiting=True, now=NOW) is Step.LEARNING
    assert next_step(learning_due=soon, waiting=True, now=NOW) is Step.WAITING
    assert next_step(learning_due=soon, waiting=False, now=NOW) is Step.LEARNING
    assert next_step(learning_due=later, waiting=False, now=NOW) is Step.PAUSE
    assert next_step(learning_due=None, waiting=True, now=NOW) is Step.WAITING
    assert next_step(learning_due=None, waiting=False, now=NOW) is Step.FINISH
