"""Matching boards: a few fronts on the left, their backs on the right, to be paired.

No two sides of a board are equal or nearly equal, left, right or across, so that there is one way to be right. A board
is made once and stored; its numbers tell nothing about which side belongs to which.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from app.domain.answers import Answer, Facts, equal_in_value, nearly_equal, understand
from app.domain.differences import distance_within
from app.domain.errors import N_, InvalidInput
from app.domain.modes import is_short

PAIRS_MIN: Final = 4
PAIRS_MAX: Final = 8
_CANDIDATES_MAX: Final = 100
"""How many cards are looked at for one board."""


@dataclass(frozen=True, slots=True)
class Board:
    """The sides in the order to show. `pairs[i]` is the index on the right of what belongs to `left[i]`.

    `cards[i]` is the (card id, ordinal) of `left[i]`. `pairs` and `cards` are secret until the board is answered.
    """

    left: tuple[str, ...]
    right: tuple[str, ...]
    pairs: tuple[int, ...]
    cards: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class PairResult:
    """What became of one card of a board. `chosen` is an index on the right, None where none was given."""

    card_id: int
    ordinal: int
    chosen: int | None
    right: bool | None
    """None for a card that was neither paired nor taken for another."""


def board(candidates: Sequence[Facts], seed: int, *, at_most: int = PAIRS_MAX) -> Board | None:
    """A board of the first candidates that go together, 4 to `at_most` pairs (8 at the most); None with fewer than 4.

    Of a card with several gaps one goes on a board. The same arguments give the same board.
    """
    chosen: list[Facts] = []
    sides: list[Answer] = []
    for facts in candidates[:_CANDIDATES_MAX]:
        if len(chosen) == min(at_most, PAIRS_MAX):
            break
        if not is_short(facts) or any(facts.card_id == other.card_id for other in chosen):
            continue
        pair = [understand(facts.front, facts.language), understand(facts.back, facts.language)]
        if all(side.keys for side in pair) and not _alike(*pair):
            if any(_alike(side, other) for side in pair for other in sides):
                continue
            chosen.append(facts)
            sides += pair
    if len(chosen) < PAIRS_MIN:
        return None
    random = Random(seed)  # noqa: S311 - an order that can be told again, not a secret
    random.shuffle(chosen)
    order = list(range(len(chosen)))
    random.shuffle(order)
    return Board(
        left=tuple(facts.front for facts in chosen),
        right=tuple(chosen[at].back for at in order),
        pairs=tuple(order.index(at) for at in range(len(chosen))),
        cards=tuple((facts.card_id, facts.ordinal) for facts in chosen),
    )


def _alike(one: Answer, other: Answer) -> bool:
    """Equal but for accents, or for as few letters as a typing slip takes."""
    if nearly_equal(one, other):
        return True
    if one.number or other.number or one.date or other.date:
        return False
    left, right = one.core.lower(), other.core.lower()
    shorter = min(len(left), len(right))
    return shorter >= 5 and distance_within(left, right, 1 if shorter < 9 else 2) is not None


def check(board: Board, answer: Mapping[int, int]) -> tuple[PairResult, ...]:
    """The result of every card, in the order of `board.left`. `answer` maps an index on the left to one on the right.

    Sides are compared by value. A wrong pair marks both cards: the one whose front it holds and the one whose back. A
    part of the board may be given. Raises `InvalidInput` for an index that is not on the board.
    """
    size = len(board.left)
    if not all(0 <= index < size for pair in answer.items() for index in pair):
        raise InvalidInput(
            N_("The pairs name a place that is not on the board."),
            N_("Pair the places that are shown."),
            field="answer",
        )
    results: dict[int, bool] = {}
    for left, right in answer.items():
        if _belongs(board, left, right):
            results.setdefault(left, True)
        else:
            results[left] = results[board.pairs.index(right)] = False
    return tuple(
        PairResult(card_id, ordinal, answer.get(left), results.get(left))
        for left, (card_id, ordinal) in enumerate(board.cards)
    )


def _belongs(board: Board, left: int, right: int) -> bool:
    expected = board.pairs[left]
    return expected == right or equal_in_value(
        understand(board.right[expected], None), understand(board.right[right], None)
    )
