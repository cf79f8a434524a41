"""The modes and goals of a study session, and which kind of question a card gets."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

from app.domain.answer_forms import shown
from app.domain.answers import AnswerType, Facts, understand
from app.domain.scheduling import State


class Mode(StrEnum):
    FLASHCARDS = "flashcards"
    MULTIPLE_CHOICE = "multiple_choice"
    TYPED = "typed"
    MATCHING = "matching"
    CLOZE = "cloze"
    MIXED = "mixed"


class Goal(StrEnum):
    LEARN = "learn"
    REVIEW = "review"
    CRAM = "cram"
    RETAIN = "retain"
    DIAGNOSE = "diagnose"

    @property
    def schedules(self) -> bool:
        """Whether answers change when cards come back."""
        return self not in {Goal.CRAM, Goal.DIAGNOSE}


class ItemKind(StrEnum):
    """What the learner does with a question."""

    FLASHCARD = "flashcard"
    """Recalls, looks and rates."""
    CHOICE = "choice"
    TYPED = "typed"
    MATCHING = "matching"
    CLOZE = "cloze"
    """Types what belongs in the gap."""


SIDE_MAX: Final = 60
"""Characters of a side on a matching board."""
OPTION_MAX: Final = 300
"""Characters of an answer that may be an option among several."""
_WORDLESS: Final = re.compile(r"\[(?:image|sound)(?: [0-9]+)?\]")
WELL_KNOWN_DAYS: Final = 21.0
"""Stability from which a card is well known: where Anki calls a card mature."""


def kind_for(
    mode: Mode,
    facts: Facts,
    *,
    state: State,
    stability: float | None,
    position: int,
    has_choices: bool = True,
    has_board: bool = False,
) -> ItemKind:
    """The kind of question for one card.

    `stability` is in days, `position` counts the items of the session from 0. `has_choices` is False when there are
    fewer than two good distractors, `has_board` True when there are enough other cards for a matching board. What a
    card cannot bear falls back: matching to choice, choice and cloze to typed, typed to a flashcard.
    """
    if mode is Mode.FLASHCARDS or is_wordless(facts):
        return ItemKind.FLASHCARD
    if mode is Mode.MULTIPLE_CHOICE:
        return _choice(facts, has_choices)
    if mode is Mode.MATCHING:
        return ItemKind.MATCHING if has_board and is_short(facts) else _choice(facts, has_choices)
    if mode is Mode.MIXED and not facts.is_cloze and is_typeable(facts):
        return _mixed(facts, state, stability, position, has_choices, has_board)
    if mode is Mode.MIXED and not is_typeable(facts):
        return ItemKind.FLASHCARD
    return _typed(facts)


def _mixed(
    facts: Facts, state: State, stability: float | None, position: int, has_choices: bool, has_board: bool
) -> ItemKind:
    """Recognition while a card is learnt; then recall, from when it is well known always in writing.

    A card in review gets no recognition, which would leave it as due as before.
    """
    if state is not State.REVIEW:
        if position % 2 and has_board and is_short(facts):
            return ItemKind.MATCHING
        return _choice(facts, has_choices)
    well_known = stability is not None and stability >= WELL_KNOWN_DAYS
    return ItemKind.TYPED if well_known or position % 2 else ItemKind.FLASHCARD


def _choice(facts: Facts, has_choices: bool) -> ItemKind:
    return ItemKind.CHOICE if has_choices and len(shown(facts.back)) <= OPTION_MAX else _typed(facts)


def _typed(facts: Facts) -> ItemKind:
    if not is_typeable(facts):
        return ItemKind.FLASHCARD
    return ItemKind.CLOZE if facts.is_cloze else ItemKind.TYPED


def is_wordless(facts: Facts) -> bool:
    """Whether a side is nothing but a picture or sound: it can be recalled, but not typed, chosen or paired."""
    return any(_WORDLESS.fullmatch(side.strip()) for side in (facts.front, facts.back))


def is_typeable(facts: Facts) -> bool:
    """Whether the answer is short enough to type: anything but a paragraph."""
    return understand(facts.back, facts.language).type is not AnswerType.PARAGRAPH


def is_short(facts: Facts) -> bool:
    """Whether both sides fit on a matching board: one line of at most `SIDE_MAX` characters."""
    return not is_wordless(facts) and all(
        len(side) <= SIDE_MAX and len(side.strip().splitlines()) == 1 for side in (facts.front, facts.back)
    )
