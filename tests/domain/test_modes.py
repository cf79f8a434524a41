"""Which kind of question a card gets in a mode."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.answers import Facts
from app.domain.modes import Goal, ItemKind, Mode, is_short, is_typeable, kind_for
from app.domain.scheduling import State

WORD = Facts(1, 0, "Capital of France", "Paris", (), "en")
LONG = Facts(2, 0, "Why is the sky blue?", "Because short waves are scattered more. " * 4, (), "en")
ENDLESS = Facts(3, 0, "Tell it", "And then. " * 100, (), "en")
WORDY = Facts(4, 0, "A question of more characters than a board has room for, so that it stays off", "Paris", (), "en")
GAP = Facts(5, 1, "The capital of France is [...]", "Paris", (), "en")
LONG_GAP = Facts(6, 1, "The sky is blue: [...]", LONG.back, (), "en")
FLAG = Facts(7, 0, "[image 2]", "Chad", (), "en")
SKETCH = Facts(8, 0, "Draw a cat", "[image]", (), "en")
SPOKEN_GAP = Facts(9, 1, "It is said [...]", "[sound]", (), "en")
KIND = ItemKind


def kind(mode: Mode, facts: Facts, **given: object) -> ItemKind:
    arguments: dict[str, object] = {"state": State.NEW, "stability": None, "position": 0} | given
    return kind_for(mode, facts, **arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("mode", "facts", "expected"),
    [
        (Mode.FLASHCARDS, WORD, KIND.FLASHCARD),
        (Mode.FLASHCARDS, GAP, KIND.FLASHCARD),
        (Mode.MULTIPLE_CHOICE, WORD, KIND.CHOICE),
        (Mode.MULTIPLE_CHOICE, LONG, KIND.CHOICE),
        (Mode.MULTIPLE_CHOICE, ENDLESS, KIND.FLASHCARD),
        (Mode.MULTIPLE_CHOICE, GAP, KIND.CHOICE),
        (Mode.TYPED, WORD, KIND.TYPED),
        (Mode.TYPED, LONG, KIND.FLASHCARD),
        (Mode.TYPED, GAP, KIND.CLOZE),
        (Mode.TYPED, LONG_GAP, KIND.FLASHCARD),
        (Mode.CLOZE, GAP, KIND.CLOZE),
        (Mode.CLOZE, WORD, KIND.TYPED),
        (Mode.CLOZE, LONG, KIND.FLASHCARD),
        (Mode.MIXED, GAP, KIND.CLOZE),
        (Mode.MIXED, LONG, KIND.FLASHCARD),
        (Mode.MIXED, LONG_GAP, KIND.FLASHCARD),
        (Mode.MATCHING, WORD, KIND.CHOICE),
        (Mode.MULTIPLE_CHOICE, FLAG, KIND.CHOICE),
        (Mode.TYPED, FLAG, KIND.TYPED),
        (Mode.MATCHING, FLAG, KIND.CHOICE),
        (Mode.MULTIPLE_CHOICE, SKETCH, KIND.FLASHCARD),
        (Mode.TYPED, SKETCH, KIND.FLASHCARD),
        (Mode.MATCHING, SKETCH, KIND.FLASHCARD),
        (Mode.MIXED, SKETCH, KIND.FLASHCARD),
        (Mode.CLOZE, SPOKEN_GAP, KIND.FLASHCARD),
    ],
)
def test_the_kind_that_a_card_can_bear(mode: Mode, facts: Facts, expected: ItemKind) -> None:
    assert kind(mode, facts) is expected


def test_matching_takes_short_sides_where_there_is_a_board() -> None:
    assert kind(Mode.MATCHING, FLAG, has_board=True) is KIND.CHOICE
    assert kind(Mode.MATCHING, SKETCH, has_board=True) is KIND.FLASHCARD
    assert kind(Mode.MATCHING, WORD, has_board=True) is KIND.MATCHING
    assert kind(Mode.MATCHING, WORDY, has_board=True) is KIND.CHOICE
    assert kind(Mode.MATCHING, LONG, has_board=True) is KIND.CHOICE
    assert kind(Mode.MATCHING, LONG, has_board=True, has_choices=False) is KIND.FLASHCARD


def test_choice_falls_back_to_typing_and_that_to_a_flashcard() -> None:
    for mode in (Mode.MULTIPLE_CHOICE, Mode.MATCHING, Mode.MIXED):
        assert kind(mode, WORD, has_choices=False) is KIND.TYPED
        assert kind(mode, LONG, has_choices=False) is KIND.FLASHCARD
        assert kind(mode, GAP, has_choices=False) is KIND.CLOZE


def test_mixed_goes_from_recognition_to_recall_in_writing() -> None:
    def kinds(state: State, stability: float | None, **given: object) -> set[ItemKind]:
        return {
            kind(Mode.MIXED, WORD, state=state, stability=stability, position=position, **given)
            for position in range(4)
        }

    for state in (State.NEW, State.LEARNING, State.RELEARNING):
        assert kinds(state, None if state is State.NEW else 2.0) == {KIND.CHOICE}
        assert kinds(state, None, has_board=True) == {KIND.CHOICE, KIND.MATCHING}
    assert kinds(State.REVIEW, 5.0) == {KIND.FLASHCARD, KIND.TYPED}
    assert kinds(State.REVIEW, 21.0) == {KIND.TYPED}


@given(
    st.sampled_from(Mode),
    st.sampled_from([WORD, LONG, ENDLESS, WORDY, GAP, LONG_GAP]),
    st.sampled_from(State),
    st.one_of(st.none(), st.floats(0.01, 1000)),
    st.integers(0, 1000),
    st.booleans(),
    st.booleans(),
)
def test_no_card_gets_a_kind_that_it_cannot_bear(
    mode: Mode, facts: Facts, state: State, stability: float | None, position: int, has_choices: bool, has_board: bool
) -> None:
    chosen = kind_for(
        mode,
        facts,
        state=state,
        stability=stability,
        position=position,
        has_choices=has_choices,
        has_board=has_board,
    )
    assert chosen is not KIND.CHOICE or has_choices
    assert chosen is not KIND.MATCHING or (has_board and is_short(facts))
    assert chosen not in {KIND.TYPED, KIND.CLOZE} or is_typeable(facts)
    assert (chosen is KIND.CLOZE) <= facts.is_cloze
    if mode is Mode.MIXED and state is State.REVIEW:
        assert chosen not in {KIND.CHOICE, KIND.MATCHING}


def test_cram_and_diagnosis_change_no_schedule() -> None:
    assert {goal for goal in Goal if not goal.schedules} == {Goal.CRAM, Goal.DIAGNOSE}


def test_modes_and_goals_have_the_names_of_the_protocol() -> None:
    assert list(Mode) == ["flashcards", "multiple_choice", "typed", "matching", "cloze", "mixed"]
    assert list(Goal) == ["learn", "review", "cram", "retain", "diagnose"]
