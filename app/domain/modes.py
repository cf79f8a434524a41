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
    if mode is Mode.FLASHCARDS:
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
    can_be_chosen = has_choices and not is_wordless(facts.back) and len(shown(facts.back)) <= OPTION_MAX
    return ItemKind.CHOICE if can_be_chosen else _typed(facts)


def _typed(facts: Facts) -> ItemKind:
    if not is_typeable(facts):
        return ItemKind.FLASHCARD
    return ItemKind.CLOZE if facts.is_cloze else ItemKind.TYPED


def is_wordless(side: str) -> bool:
    """Whether a side is nothing but a picture or sound. As an answer it can be recalled, but not typed or chosen."""
    return _WORDLESS.fullmatch(side.strip()) is not None


def is_typeable(facts: Facts) -> bool:
    """Whether the answer can be typed: words, and no paragraph of them."""
    return not is_wordless(facts.back) and understand(facts.back, facts.language).type is not AnswerType.PARAGRAPH


def is_short(facts: Facts) -> bool:
    """Whether both sides fit on a matching board: one line of words, at most `SIDE_MAX` characters."""
    return all(
        len(side) <= SIDE_MAX and len(side.strip().splitlines()) == 1 and not is_wordless(side)
        for side in (facts.front, facts.back)
    )
