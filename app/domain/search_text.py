"""How text is compared in a search: one normal form, and hashed letter pairs of it that an index can look up.

A card or note stores its normal form and the grams of it. A query becomes a `Needle`: the index finds rows that hold
all its grams, and LIKE over the normal form decides.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from struct import unpack_from
from typing import Final

from app.domain.errors import N_, InvalidInput
from app.domain.unicode_forms import stream_safe

QUERY_MAX: Final = 200
"""Characters of a query. LIKE compares each of them with each of the text in the worst case."""

_VOICING = frozenset({0x3099, 0x309A})  # dakuten and handakuten are letters' parts, not accents
_KATAKANA: Final = (0x30A1, 0x30F6)
_TO_HIRAGANA = 0x60
# Letters with a stroke, which Unicode does not take apart into a letter and a mark.
_STROKES = {0xF8: "o", 0x142: "l", 0x111: "d", 0x127: "h", 0x167: "t", 0x131: "i"}


class _Folding(dict[int, str | None]):
    """What each decomposed character becomes, for `str.translate`; filled as characters are met."""

    def __missing__(self, point: int) -> str | None:
        character = chr(point)
        folded: str | None = character
        if _KATAKANA[0] <= point <= _KATAKANA[1] or point in {0x30FD, 0x30FE}:
            folded = chr(point - _TO_HIRAGANA)
        elif point in _STROKES:
            folded = _STROKES[point]
        elif character.isspace():
            folded = " "
        elif (unicodedata.combining(character) and point not in _VOICING) or _unseen(point, character):
            folded = None
        self[point] = folded
        return folded


def _unseen(point: int, character: str) -> bool:
    """Controls, formatting characters, halves of surrogate pairs and variation selectors."""
    selector = 0xFE00 <= point <= 0xFE0F or 0xE0100 <= point <= 0xE01EF
    return selector or unicodedata.category(character) in {"Cc", "Cf", "Cs"}


_folding = _Folding()
_SPACES = re.compile(r" {2,}")


def normalize(text: str) -> str:
    """The form in which texts are compared: compatibility forms, case, accents, kana kinds and spacing made equal.

    Katakana (of either width) becomes hiragana; dakuten stay; Hangul is composed; a run of spaces and line ends is one
    space, none at either end. Vowel signs of Indic and Thai script are letters and stay. Defined for every string, and
    the same again for its own result and for any part of it (ends apart).
    """
    if text.isascii():
        folded = text.lower().translate(_folding)
    else:
        decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", stream_safe(text)).casefold())
        folded = unicodedata.normalize("NFC", decomposed.translate(_folding))
    return _SPACES.sub(" ", folded).strip(" ")


def fold(text: str) -> str:
    """The form in which notes are compared: case folded and composed (NFC), everything else as it stands.

    A search of notes is literal: accents, kana kinds, spaces and line ends count.
    """
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", stream_safe(text)).casefold())


def grams(account_id: int, normalized: str) -> list[int]:
    """The neighbouring pairs and the single CJK, kana and Hangul letters of a normal form, as signed 32-bit numbers.

    Sorted, each once. A pair is two UTF-16 units, which fill 32 bits exactly, so within an account no two are confused;
    a letter beyond the basic plane is a pair by itself. The account is mixed in, so that one index serves all accounts
    and what is common in one costs the others next to nothing. A line end parts fields: no pair spans it.
    """
    seed = _seed(account_id)
    keys = set[int]().union(*map(_pairs, normalized.split("\n")))
    if not normalized.isascii():
        keys.update(_singles(normalized))
    return sorted([key ^ seed for key in keys])


def _pairs(field: str) -> set[int]:
    units = field.encode("utf-16-le", "surrogatepass")
    even, odd = len(units) // 4, (len(units) - 2) // 4
    return {*unpack_from(f"<{even}i", units), *(unpack_from(f"<{odd}i", units, 2) if odd > 0 else ())}


def _singles(text: str) -> set[int]:
    """Code points of letters that may be a word alone: CJK, kana, Hangul with its conjoining letters."""
    return {
        point
        for point in map(ord, set(text))
        if 0x2E7F < point < 0xD800 or 0xF900 <= point <= 0xFFFF or 0x1100 <= point <= 0x11FF
    }


def _seed(account_id: int) -> int:
    """A signed number of 32 bits for an account (the finishing steps of splitmix64, upper half)."""
    mixed = (account_id + 1) * 0x9E3779B97F4A7C15 & _MASK
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 & _MASK
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & _MASK
    return ((mixed ^ mixed >> 31) >> 32) - 0x80000000


_MASK = 0xFFFFFFFFFFFFFFFF


@dataclass(frozen=True, slots=True)
class Needle:
    """What a query looks for in one account."""

    pattern_like: str
    """Pattern for LIKE with the backslash as escape, a `%` at either end."""
    grams: list[int]
    """All must be among the grams of a text that matches; empty when only a scan can tell (a single Latin letter)."""


_LIKE_SIGNS = re.compile(r"[\\%_]")


def needle(account_id: int, query: str) -> Needle:
    """The needle for what a person typed. Raises `InvalidInput` when nothing is left of it to look for."""
    if len(query) > QUERY_MAX:
        raise InvalidInput(
            N_("A search takes at most %(max)s characters."),
            N_("Search for a word or a short phrase."),
            field="query",
            max=QUERY_MAX,
        )
    normalized = normalize(query)
    if not normalized:
        raise InvalidInput(
            N_("The search has nothing to look for."), N_("Give at least one letter or digit."), field="query"
        )
    # A pair is rarer than its letters, which are therefore asked for only where there is no pair.
    keys = _pairs(normalized) or _singles(normalized)
    seed = _seed(account_id)
    pattern = "%" + _LIKE_SIGNS.sub(r"\\\g<0>", normalized) + "%"
    return Needle(pattern, sorted(key ^ seed for key in keys))


def literal_grams(account_id: int, folded: str) -> list[int]:
    """The grams that a text holds if it holds `folded`; none when only a scan can tell."""
    fields = folded.split("\n")
    keys = set[int]().union(*map(_pairs, fields)) or set[int]().union(*map(_singles, fields))
    seed = _seed(account_id)
    return sorted(key ^ seed for key in keys)
