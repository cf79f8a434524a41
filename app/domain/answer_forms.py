"""The forms in which a typed answer and an expected one are compared, from strict to lenient.

`shown` is what a person sees, with the many code points of one sign made one. `keys` leave out case and punctuation.
`bare_keys` leave out accents too, and `kana_keys` the difference of the two kana kinds. Each is defined for every
string, in linear time. Nothing here folds dakuten, doubled letters or the tone marks and vowel signs of other scripts.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from app.domain.formulas import formula_keys, is_formula
from app.domain.unicode_forms import normal_form

_QUOTES: Final = dict.fromkeys(map(ord, "‘’‚‛`´′ʼʹ＇"), "'") | dict.fromkeys(map(ord, "“”„‟″«»‹›「」『』〝〞〟＂"), '"')
_DASHES: Final = dict.fromkeys(map(ord, "‐‑‒–—―−﹘﹣－"), "-")
_SLASHES: Final = dict.fromkeys(map(ord, "⁄∕"), "/")


class _Unified(dict[int, str | None]):
    """One code point for each kind of quote, dash and space, none for what cannot be seen; filled as they are met."""

    def __missing__(self, point: int) -> str | None:
        character = chr(point)
        unified: str | None = character
        if character.isspace():
            unified = " "
        elif _selects_variation(point) or unicodedata.category(character) in {"Cc", "Cf", "Cs"}:
            unified = None
        self[point] = unified
        return unified


def _selects_variation(point: int) -> bool:
    return 0xFE00 <= point <= 0xFE0F or 0xE0100 <= point <= 0xE01EF


_unified = _Unified(_QUOTES | _DASHES | _SLASHES)
_SPACES = re.compile(r" {2,}")
# NFKC would make 102 of 10² and 21⁄2 of 2½.
_POWER = re.compile(r"[⁰¹²³⁴-⁹⁺⁻]+")
_MIXED_FRACTION = re.compile(r"(?<=\d)(?=[¼-¾⅐-⅞])")


def shown(text: str) -> str:
    """NFKC with quotes, dashes and runs of spaces unified, powers as `^2`, and nothing invisible; ends trimmed."""
    if text.isascii():
        # The translation also removes control characters.
        return _SPACES.sub(" ", text.translate(_unified)).strip(" ")
    text = _MIXED_FRACTION.sub(" ", _POWER.sub(r"^\g<0>", text)).translate(_unified)
    composed = normal_form("NFKC", text)
    unified = composed.translate(_unified)
    if unified != composed:
        composed = normal_form("NFKC", unified)
    return _SPACES.sub(" ", composed).strip(" ")


def lower(text: str, language: str | None) -> str:
    """Lower case, with the Turkish letters in Turkish. Not case folding, which makes one word of Maße and Masse."""
    if primary(language) in {"tr", "az"}:
        text = text.translate({0x130: "i", 0x49: "ı"})
    return text.lower().replace("ς", "σ")


def primary(language: str | None) -> str:
    """`pt` of `pt-BR`; an empty string for no language."""
    return (language or "").partition("-")[0].lower()


# Signs that mean something by themselves: C#, 50 %, A&B, and/or, a@b, A*.
_MEANING: Final = frozenset("#%&@*/\\")


class _Punctuation(dict[int, str | None]):
    """What becomes of punctuation; every other character stays. Filled as characters are met."""

    def __init__(self, apart: str | None) -> None:
        super().__init__({ord("'"): None, ord("."): None, 0x30FB: apart})
        self._apart = apart

    def __missing__(self, point: int) -> str | None:
        character = chr(point)
        punctuation = unicodedata.category(character).startswith("P") and character not in _MEANING
        self[point] = kept = self._apart if punctuation else character
        return kept


_joined, _parted = _Punctuation(None), _Punctuation(" ")
_GUARDED: Final = ".,:'-"
# Inside a number, and a minus: 1.5 is not 15, and x = -1 not x = 1.
_IN_NUMBER = re.compile(r"(?<=\d)[.,:'-](?=\d)|(?:(?<=[\s=<>+*/(^])|^)-(?=\d)")
_GUARD: Final = {ord(sign): chr(0xFDD0 + at) for at, sign in enumerate(_GUARDED)}
_UNGUARD: Final = {0xFDD0 + at: sign for at, sign in enumerate(_GUARDED)}
# Chinese and Japanese are written without spaces between words.
UNSPACED: Final = r"\u3005-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_BESIDE_UNSPACED = re.compile(f"(?<=[{UNSPACED}]) | (?=[{UNSPACED}])")


def keys(form: str, language: str | None) -> frozenset[str]:
    """What a shown form has in common with every other that differs in case and punctuation only.

    Two keys, because a sign may part words or not (`well-known`, `e-mail`): two forms are the same answer when their
    sets meet. In a formula signs are no punctuation. A form of nothing but punctuation is its own key, and an empty one
    has none.
    """
    lowered = lower(form, language)
    if lowered.isalnum() and lowered.isascii():
        return frozenset((lowered,))
    if is_formula(form):
        return formula_keys(lowered)
    lowered = _IN_NUMBER.sub(lambda sign: sign[0].translate(_GUARD), lowered)
    found = {_without(lowered, table) for table in (_joined, _parted)} - {""}
    return frozenset(found or {lowered} - {""})


def _without(lowered: str, punctuation: _Punctuation) -> str:
    text = _SPACES.sub(" ", lowered.translate(punctuation)).strip(" ")
    if not text.isascii():
        text = _BESIDE_UNSPACED.sub("", text)
    return text.translate(_UNGUARD)


_LETTERS: Final = {
    ord(letter): plain
    for letter, plain in {
        "ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ŧ": "t", "ı": "i",
        "ß": "ss", "æ": "ae", "œ": "oe", "þ": "th",
    }.items()
}  # fmt: skip
# How these are typed where the keyboard lacks them.
_DIGRAPHS: Final = {ord("ä"): "ae", ord("ö"): "oe", ord("ü"): "ue", ord("ø"): "oe", ord("å"): "aa"}
_WITH_DIGRAPH = re.compile("[äöüøå]")
# Marks of Latin, Greek and Cyrillic (not the stroke of ≠), Hebrew points, Arabic short vowels and the letter that only
# lengthens a line.
_ACCENTS: Final = (
    (0x300, 0x333), (0x339, 0x36F), (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF),
    (0x591, 0x5BD), (0x5BF, 0x5BF), (0x5C1, 0x5C2), (0x5C4, 0x5C5), (0x5C7, 0x5C7),
    (0x610, 0x61A), (0x640, 0x640), (0x64B, 0x652), (0x670, 0x670),
)  # fmt: skip


class _Bare(dict[int, str | None]):
    """No accents, and plain letters for those of `_LETTERS`; every other character stays. Filled as they are met."""

    def __missing__(self, point: int) -> str | None:
        accent = any(first <= point <= last for first, last in _ACCENTS)
        self[point] = bare = None if accent else _LETTERS.get(point, chr(point))
        return bare


_bare_letters = _Bare()


def bare_keys(found: Iterable[str]) -> frozenset[str]:
    """Keys without accents, `ö` both as `o` and as `oe`. Meeting sets mean: equal but for accents."""
    bare: set[str] = set()
    for key in found:
        if key.isascii():
            bare.add(key)
            continue
        bare.add(_bare(key))
        if _WITH_DIGRAPH.search(key):
            bare.add(_bare(key.translate(_DIGRAPHS)))
    return frozenset(bare)


def _bare(key: str) -> str:
    return normal_form("NFC", normal_form("NFD", key).translate(_bare_letters))


_TO_HIRAGANA: Final = {point: point - 0x60 for point in (*range(0x30A1, 0x30F7), 0x30FD, 0x30FE)}


def kana_keys(found: Iterable[str]) -> frozenset[str]:
    """Keys with katakana as hiragana; dakuten and the long vowel sign stay."""
    return frozenset(key.translate(_TO_HIRAGANA) for key in found)


def unspaced(found: Iterable[str]) -> frozenset[str]:
    """Keys without spaces."""
    return frozenset(key.replace(" ", "") for key in found)
