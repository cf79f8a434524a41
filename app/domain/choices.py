"""Multiple choice: which wrong answers stand beside the right one, and in which order.

Wrong answers are answers of other cards of the deck that could be right by their look: of the same type and script and
of similar length, first those that share tags. None is right by any reading: none equals the answer or one of its
alternatives, even but for accents, and none belongs to a card with the same front. How many of them are longer (or
greater, for numbers) than the right one is drawn from the seed, so that neither length nor size gives it away.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log
from random import Random
from typing import Final

from app.domain.answer_forms import shown
from app.domain.answers import Answer, AnswerType, Facts, understand
from app.domain.modes import OPTION_MAX
from app.domain.near_values import dates_near, numbers_near
from app.domain.quantities import Number, number_of
from app.domain.search_text import normalize

OPTIONS_MIN: Final = 3
"""The right one and two good distractors."""
_LENGTH_FACTOR: Final = 3.0
_LENGTH_SLACK: Final = 6
_JAPANESE: Final = frozenset({"HAN", "JAPANESE"})
_TEXT_TYPES: Final = frozenset({AnswerType.WORD, AnswerType.PHRASE})


@dataclass(frozen=True, slots=True)
class Option:
    """One answer to choose. `card_id` and `ordinal` say whose it is, None for a number or date that was made."""

    text: str
    card_id: int | None
    ordinal: int | None


@dataclass(frozen=True, slots=True)
class Options:
    """The answers in the order to show, and the index of the right one. No two are equal in value."""

    options: tuple[Option, ...]
    right: int


class Pool:
    """The cards of a deck, each understood once and only when a question needs it."""

    def __init__(self, facts: Iterable[Facts]) -> None:
        self.facts: Final = tuple(facts)
        self.understood: Final[dict[int, Answer]] = {}
        self._fronts: dict[int, str] = {}
        self._numbers: dict[int, Number | None] = {}

    def answer(self, at: int) -> Answer:
        answer = self.understood.get(at)
        if answer is None:
            facts = self.facts[at]
            answer = self.understood[at] = understand(facts.back, facts.language)
        return answer

    def number(self, at: int) -> Number | None:
        if at not in self._numbers:
            facts = self.facts[at]
            self._numbers[at] = number_of(shown(facts.back), facts.language)
        return self._numbers[at]

    def front(self, at: int) -> str:
        front = self._fronts.get(at)
        if front is None:
            front = self._fronts[at] = normalize(self.facts[at].front)
        return front


def options(facts: Facts, pool: Pool | Sequence[Facts], seed: int, count: int = 4) -> Options | None:
    """The options of one question, the same for the same arguments; None with fewer than two good distractors.

    The pool may hold the card itself. At least three options are given, `count` where the pool has enough. A session
    stores what it has shown: a deck that changes gives others.
    """
    pool = pool if isinstance(pool, Pool) else Pool(pool)
    right = understand(facts.back, facts.language)
    if not right.keys or len(right.forms[0]) > OPTION_MAX:
        return None
    random = Random(seed)  # noqa: S311 - an order that can be told again, not a secret
    above = random.randrange(count)
    wrong = _Search(facts, right, pool, random).distractors(count - 1, above)
    if len(wrong) < OPTIONS_MIN - 1:
        return None
    found = [Option(facts.back, facts.card_id, facts.ordinal), *wrong]
    order = list(range(len(found)))
    random.shuffle(order)
    return Options(tuple(found[at] for at in order), order.index(0))


class _Search:
    """The search for the distractors of one question."""

    def __init__(self, facts: Facts, right: Answer, pool: Pool, random: Random) -> None:
        self._facts, self._right, self._pool, self._random = facts, right, pool, random
        # A gap's siblings stand in its own prompt.
        self._others = [at for at, other in enumerate(pool.facts) if other.card_id != facts.card_id]
        # A card with the same front has another right answer to the same question.
        front = normalize(facts.front)
        same_front = [pool.answer(at).near_keys for at in self._others if pool.front(at) == front]
        self._barred = right.near_keys.union(*same_front)

    def distractors(self, wanted: int, above: int) -> list[Option]:
        """Up to `wanted` of them, `above` longer or greater than the right answer where there are as many."""
        if self._right.type is AnswerType.NUMBER:
            numbers = [number for at in self._others if (number := self._pool.number(at))]
            texts = numbers_near(self._right, numbers, self._barred, wanted, above, self._random)
            return [Option(text, None, None) for text in texts]
        found = self._from_pool(wanted, above)
        if self._right.type is AnswerType.DATE:
            for text in dates_near(self._right, wanted, above, self._random):
                made = understand(text, self._right.language)
                if len(found) < wanted and made.near_keys.isdisjoint(self._barred):
                    self._barred |= made.near_keys
                    found.append(Option(text, None, None))
        return found

    def _from_pool(self, wanted: int, above: int) -> list[Option]:
        length = len(self._right.text)
        longer: list[tuple[float, int]] = []
        shorter: list[tuple[float, int]] = []
        for at in self._others:
            back = self._pool.facts[at].back
            # Of equal length is as often one of the longer as one of the shorter.
            is_longer = len(back) > length or (len(back) == length and self._random.random() < 0.5)
            (longer if is_longer else shorter).append((self._unlikeness(self._pool.facts[at]), at))
        longer.sort()
        shorter.sort()
        found = self._best(longer, above)
        found += self._best(shorter, wanted - len(found))
        return found + self._best(longer, wanted - len(found))

    def _unlikeness(self, other: Facts) -> float:
        """Small for what could be right by its look; with some chance in it, so that a card meets several others."""
        back, text = other.back, self._right.text
        unlike = abs(log((len(back) + 2) / (len(text) + 2))) + 0.5 * self._random.random()
        if self._facts.tags:
            unlike -= 0.8 * len(set(self._facts.tags).intersection(other.tags)) / len(self._facts.tags)
        unlike += 0.5 * (back.isascii() != text.isascii()) + 0.3 * ((" " in back) != (" " in text))
        return unlike - 0.15 * (back[:1] == text[:1]) - 0.2 * (back[-2:] == text[-2:])

    def _best(self, ranked: list[tuple[float, int]], wanted: int) -> list[Option]:
        found: list[Option] = []
        for _, at in ranked:
            if len(found) >= wanted:
                break
            facts, answer = self._pool.facts[at], self._pool.answer(at)
            if self._looks_right(answer) and answer.near_keys.isdisjoint(self._barred):
                self._barred |= answer.near_keys
                found.append(Option(facts.back, facts.card_id, facts.ordinal))
        return found

    def _looks_right(self, answer: Answer) -> bool:
        right = self._right
        if not (answer.type is right.type or {answer.type, right.type} <= _TEXT_TYPES):
            return False
        if not (answer.script == right.script or {answer.script, right.script} <= _JAPANESE):
            return False
        shorter, longer = sorted((len(answer.text), len(right.text)))
        return longer - shorter <= _LENGTH_SLACK or longer <= _LENGTH_FACTOR * shorter
