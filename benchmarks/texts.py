"""Generated text of cards: Latin and Chinese words whose frequencies fall as those of a language do."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_SYLLABLES = [consonant + rest for consonant in "bcdfghjklmnprstvw" for rest in ("a", "e", "i", "o", "u", "an", "er")]
_RARE_LATIN, _RARE_CHINESE = "xqz", "微分"
_RARE_SHARE = 0.001
_WORDS = 20_000
_TAGS = ["verb", "noun", "chapter 3", "exam", "名詞", "動詞", "history", "unit 12"]


@dataclass(frozen=True, slots=True)
class CardWords:
    """The sides and tags of one card."""

    front: str
    back: str
    tags: tuple[str, ...]


class Writer:
    """Writes cards from a seed: always the same ones."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        choose = self._random
        letters = [chr(0x4E00 + 7 * place) for place in range(2000)]
        letters = [letter for letter in letters if letter not in _RARE_CHINESE]
        self._latin = _distinct("".join(choose.choices(_SYLLABLES, k=choose.randint(1, 4))) for _ in range(_WORDS))
        self._chinese = _distinct("".join(choose.choices(letters, k=2)) for _ in range(_WORDS))
        self._latin_weights = list(itertools.accumulate(1 / (rank + 5) for rank in range(len(self._latin))))
        self._chinese_weights = list(itertools.accumulate(1 / (rank + 5) for rank in range(len(self._chinese))))

    def card(self) -> CardWords:
        """60 to 180 letters, a quarter of them on the front; one card in a thousand holds each of the rare words."""
        length = self._random.randint(60, 180)
        front, back = self._text(length // 4), self._text(length - length // 4)
        draw = self._random.random()
        if draw < _RARE_SHARE:
            back += f" {_RARE_LATIN}"
        elif draw < 2 * _RARE_SHARE:
            back += _RARE_CHINESE
        return CardWords(front, back, tuple(self._random.sample(_TAGS, self._random.choice((0, 1, 1, 2)))))

    def cards(self) -> Iterator[CardWords]:
        while True:
            yield self.card()

    def title(self) -> str:
        return " ".join(self._random.choices(self._latin, k=3))

    def _text(self, length: int) -> str:
        parts: list[str] = []
        written = 0
        while written < length:
            if self._random.random() < 0.5:
                part = self._random.choices(self._latin, cum_weights=self._latin_weights)[0] + " "
            else:
                part = self._random.choices(self._chinese, cum_weights=self._chinese_weights)[0]
            parts.append(part)
            written += len(part)
        return "".join(parts).strip()


def _distinct(words: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(words))


def needles(normal_forms: Iterable[str]) -> dict[str, str]:
    """What to search for, by what it is: the commonest ones are counted in some normal forms of cards."""
    pairs, letters, chinese_pairs = Counter[str](), Counter[str](), Counter[str]()
    for text in normal_forms:
        neighbours = [text[place : place + 2] for place in range(len(text) - 1)]
        pairs.update(pair for pair in set(neighbours) if pair.isascii() and pair.isalpha())
        chinese_pairs.update(pair for pair in set(neighbours) if min(pair) >= "\u4e00")
        letters.update(letter for letter in set(text) if letter >= "\u4e00")
    return {
        "rare word": _RARE_LATIN,
        "rare two Latin letters": _RARE_LATIN[:2],
        "commonest two Latin letters": pairs.most_common(1)[0][0],
        "rare CJK letter": _RARE_CHINESE[0],
        "commonest CJK letter": letters.most_common(1)[0][0],
        "rare two CJK letters": _RARE_CHINESE,
        "commonest two CJK letters": chinese_pairs.most_common(1)[0][0],
        "missing": "zzqqzz",
    }
