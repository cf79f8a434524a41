"""How a typed answer is judged, and which rating an objective result suggests and keeps.

Right but for case, punctuation or the way a number is written is CORRECT, with a note that says so. ALMOST are other
accents, spaces, kana kinds, articles and units, and a slip or two in a long word. None of these is forgiven when what
was given is the answer of another card. Work is linear in the length of the texts.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from app.domain.answer_forms import bare_keys, kana_keys, keys, lower, primary, shown, unspaced
from app.domain.answers import (
    LIST_MAX,
    Answer,
    Facts,
    equal_in_value,
    is_cjk,
    is_word,
    parted_article,
    parts,
    understand,
    value_keys,
)
from app.domain.differences import Segment, differences, distance_within
from app.domain.formulas import is_formula, is_near
from app.domain.modes import ItemKind
from app.domain.quantities import date_of, number_of
from app.domain.scheduling import Rating, State
from app.domain.unicode_forms import normal_form


class Verdict(StrEnum):
    CORRECT = "correct"
    ALMOST = "almost"
    WRONG = "wrong"


class Note(StrEnum):
    """Why the verdict is what it is."""

    EXACT = "exact"
    CASE_OR_PUNCTUATION = "case_or_punctuation"
    ALTERNATIVE = "alternative"
    """One of several accepted forms: a part of a list, without something optional, without the article."""
    SAME_VALUE = "same_value"
    """The number or the date, written otherwise."""

    ACCENTS = "accents"
    KANA = "kana"
    """Katakana for hiragana or the other way."""
    SPACING = "spacing"
    ARTICLE = "article"
    """The right word with another article."""
    UNIT = "unit"
    """The right number; one of the two has no unit."""
    TYPO = "typo"

    EMPTY = "empty"
    OTHER_CARD = "other_card"
    """The answer of another card."""
    DIFFERENT = "different"


@dataclass(frozen=True, slots=True)
class Grade:
    """A verdict with its reason. `expected` is the back as it is written.

    `difference` leads from what was given to the accepted form that it is nearest to, both as `answer_forms.shown`.
    """

    verdict: Verdict
    note: Note
    difference: tuple[Segment, ...]
    expected: str


class _Typed:
    """What was typed, with its keys computed once."""

    def __init__(self, text: str, language: str | None) -> None:
        self.text: Final = text
        self.language: Final = language
        self.keys: Final = keys(text, language)
        self.value_keys: Final = value_keys(text, language)
        self.article: Final = parted_article(text, language)
        self.letters: Final = _NO_LETTERS.sub("", lower(text, language))
        self.letter_set: Final = frozenset(self.letters)
        number, date = number_of(text, language), date_of(text, language)
        self.value_digits: Final = (
            _NO_DIGITS.sub("", number.plain_value).strip("0") if number else str(date[0] or date[2]) if date else None
        )
        """Digits that every writing of the number or date holds in one piece; None for other text."""


def grade(given: str, facts: Facts, other_answers: Collection[str] = ()) -> Grade:
    """Judge a typed answer. `other_answers` are backs of other cards of the deck; the card's own does no harm."""
    typed = _Typed(shown(given), facts.language)
    answer = understand(facts.back, facts.language)
    if not typed.text:
        return Grade(Verdict.WRONG, Note.EMPTY, differences("", answer.forms[0]), facts.back)
    if note := _right(typed, answer):
        verdict = Verdict.CORRECT
    elif note := _almost(typed, answer):
        verdict = Verdict.ALMOST
    else:
        verdict, note = Verdict.WRONG, Note.DIFFERENT
    if verdict is not Verdict.CORRECT and _is_among(typed, other_answers):
        verdict, note = Verdict.WRONG, Note.OTHER_CARD
    return Grade(verdict, note, differences(typed.text, _nearest(typed, answer)), facts.back)


def _right(typed: _Typed, answer: Answer) -> Note | None:
    if typed.text == answer.forms[0]:
        return Note.EXACT
    if typed.text in answer.forms:
        return Note.ALTERNATIVE
    if any(not typed.keys.isdisjoint(expected) for _, expected in answer.form_keys):
        return Note.CASE_OR_PUNCTUATION
    if not typed.value_keys.isdisjoint(answer.keys):
        return Note.SAME_VALUE
    given_parts = parts(typed.text)
    if len(given_parts) > 1 and all(
        not value_keys(part, typed.language).isdisjoint(answer.keys) for part in given_parts
    ):
        return Note.ALTERNATIVE
    if typed.article and not _has_other_article(typed, answer):
        return Note.ALTERNATIVE if not keys(typed.article[1], typed.language).isdisjoint(answer.keys) else None
    return None


def _almost(typed: _Typed, answer: Answer) -> Note | None:
    found, expected = typed.value_keys, answer.keys
    if not bare_keys(found).isdisjoint(bare_keys(expected)):
        return Note.ACCENTS
    if not kana_keys(found).isdisjoint(kana_keys(expected)):
        return Note.KANA
    if not kana_keys(bare_keys(found)).isdisjoint(answer.near_keys):
        return Note.ACCENTS
    if not answer.number and not unspaced(found).isdisjoint(unspaced(expected)):
        return Note.SPACING
    if _has_other_article(typed, answer):
        return Note.ARTICLE
    if _differs_in_unit(typed, answer):
        return Note.UNIT
    return Note.TYPO if any(_is_typo(typed, *form, answer.language) for form in answer.form_keys) else None


def _has_other_article(typed: _Typed, answer: Answer) -> bool:
    """Whether an accepted form has another article before the same word. In English no article is a mistake."""
    language = answer.language
    if not typed.article or (primary(language) in {"", "en"} and typed.article[0] in _ENGLISH_ARTICLES):
        return False
    rest = keys(typed.article[1], language)
    articles = (parted_article(form, language) for form in answer.forms)
    return any(article and not rest.isdisjoint(keys(article[1], language)) for article in articles)


_ENGLISH_ARTICLES: Final = frozenset({"the", "a", "an", "to"})


def _differs_in_unit(typed: _Typed, answer: Answer) -> bool:
    """Whether both are the same number and one of them lacks the unit or the currency."""
    given, expected = number_of(typed.text, answer.language), answer.number
    if not given or not expected or given.plain_value != expected.plain_value:
        return False
    return all(not one or not other or one == other for one, other in zip(given.measure, expected.measure, strict=True))


_ONE_SLIP_FROM: Final = 5
_TWO_SLIPS_FROM: Final = 9


def _is_typo(typed: _Typed, form: str, form_keys: frozenset[str], language: str | None) -> bool:
    """Whether two texts are so near that the difference is a slip of the fingers, by the length of the right one.

    Never in a number, a date or a single word of Chinese, Japanese or Korean, where one sign makes another word; nor
    in the digits of any text, nor in the signs and short names of a formula.
    """
    if number_of(form, language) or date_of(form, language) or (is_word(form) and is_cjk(form)):
        return False
    alike = is_near if is_formula(form) or is_formula(typed.text) else _is_slip
    return any(alike(given, expected) for given in typed.keys for expected in form_keys)


def _is_slip(given: str, expected: str) -> bool:
    if abs(len(given) - len(expected)) > _SLIPS_MAX:
        return False
    letters = sum(map(str.isalpha, expected))
    slips = (letters >= _ONE_SLIP_FROM) + (letters >= _TWO_SLIPS_FROM)
    if not slips or _digits(given) != _digits(expected):
        return False
    return distance_within(given, expected, slips) is not None


_SLIPS_MAX: Final = 2


def _digits(text: str) -> list[str]:
    return [character for character in text if character.isdecimal()]


def _is_among(typed: _Typed, others: Iterable[str]) -> bool:
    return any(
        _may_be(typed, other) and not typed.value_keys.isdisjoint(understand(other, typed.language).keys)
        for other in others
    )


def _may_be(typed: _Typed, other: str) -> bool:
    """False for most answers that are another one: understanding a whole deck would take a while."""
    text = lower(other if other.isascii() else normal_form("NFKC", other), typed.language)
    if typed.value_digits is not None:
        digits = _NO_DIGITS.sub("", text)
        return typed.value_digits in digits or not digits.isascii()
    if "(" in text and len(text) <= LIST_MAX:
        return typed.letter_set.issubset(text)
    return typed.letters in _NO_LETTERS.sub("", text)


_NO_DIGITS = re.compile(r"\D+")
_NO_LETTERS = re.compile(r"[\W_]+")


def _nearest(typed: _Typed, answer: Answer) -> str:
    """The accepted form to show a difference from: the one typed but for accents, or the one most alike."""
    if typed.text in answer.forms or len(answer.forms) == 1:
        return typed.text if typed.text in answer.forms else answer.forms[0]
    found = kana_keys(bare_keys(typed.keys))
    for form, form_keys in answer.form_keys:
        if not found.isdisjoint(kana_keys(bare_keys(form_keys))):
            return form
    letters, length = set(typed.text), len(typed.text)

    def likeness(form: str) -> float:
        return len(letters & set(form)) / len(letters | set(form)) - abs(len(form) - length) / max(len(form), length)

    return max(answer.forms, key=likeness)


_SUGGESTED: Final = {Verdict.CORRECT: Rating.GOOD, Verdict.ALMOST: Rating.HARD, Verdict.WRONG: Rating.AGAIN}
_RECOGNITION: Final = frozenset({ItemKind.CHOICE, ItemKind.MATCHING})


def suggested_rating(verdict: Verdict, *, hinted: bool = False) -> Rating:
    """The rating of an objective result: right Good, almost or with a hint Hard, wrong Again; never Easy."""
    rating = _SUGGESTED[verdict]
    return min(rating, Rating.HARD) if hinted else rating


def kept_rating(kind: ItemKind, verdict: Verdict, state: State, *, hinted: bool = False) -> Rating | None:
    """The rating that reschedules the card, None where the answer is evidence only.

    Recognising an answer among others is easier than recalling it, so it carries a card through its learning steps and
    never lengthens the interval of one in review. A wrong choice is a lapse always. Whether the session schedules at
    all is the goal's to say (`Goal.schedules`).
    """
    if verdict is not Verdict.WRONG and kind in _RECOGNITION and state is State.REVIEW:
        return None
    return suggested_rating(verdict, hinted=hinted)


def is_right(given: str, facts: Facts) -> bool:
    """Whether an option or a matched side equals the answer in value."""
    language = facts.language
    return equal_in_value(understand(given, language), understand(facts.back, language))
