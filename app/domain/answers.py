"""What the answer of a card is: its type and script, the forms that are accepted, and when two answers are equal.

Two answers are equal in value when one accepted form of each is the same number, the same date, or the same text but
for case and punctuation. So `1` equals `1.0`, `1,000` equals `1000`, `14.7.1789` equals `14 July 1789`, and `car; auto`
equals `the car`; but `50 %` does not equal `50`, nor `007` `7`. Accents, dakuten and doubled letters make a difference.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import product
from typing import Final

from app.domain.answer_forms import UNSPACED, bare_keys, kana_keys, keys, lower, primary, shown
from app.domain.formulas import is_optional, is_relation
from app.domain.quantities import Date, Number, date_of, number_of

PHRASE_MAX: Final = 80
"""Characters of an answer that may be asked for in writing."""
LIST_MAX: Final = 240
"""Characters of an answer with its alternatives."""
CJK_WORD_MAX: Final = 12
"""Letters of Chinese, Japanese or Korean without a space that may still be one word."""
_PARTS_MAX: Final = 64
_OPTIONAL_GROUPS_MAX: Final = 3


@dataclass(frozen=True, slots=True)
class Facts:
    """The text of one question. For a gap of a cloze card the caller passes the prompt as front, the gap as back.

    `ordinal` is 0 for a card with two sides and the number of the gap (from 1) for a cloze card. `language` is the tag
    of the back's language, None when unknown.
    """

    card_id: int
    ordinal: int
    front: str
    back: str
    tags: tuple[str, ...] = ()
    language: str | None = None

    @property
    def is_cloze(self) -> bool:
        return self.ordinal > 0


class AnswerType(StrEnum):
    NUMBER = "number"
    DATE = "date"
    WORD = "word"
    PHRASE = "phrase"
    PARAGRAPH = "paragraph"
    """More than one line, than `PHRASE_MAX` characters of one answer or `LIST_MAX` of all: too long to type."""


# Articles that may be left out, with the particle of the English infinitive. An apostrophe ends an elided one.
_ARTICLES: Final[dict[str, frozenset[str]]] = {
    "en": frozenset({"the", "a", "an", "to"}),
    "de": frozenset({"der", "die", "das", "ein", "eine"}),
    "fr": frozenset({"le", "la", "les", "l'", "un", "une", "des"}),
    "es": frozenset({"el", "la", "los", "las", "un", "una", "unos", "unas"}),
    "it": frozenset({"il", "lo", "la", "i", "gli", "le", "l'", "un", "uno", "una", "un'"}),
    "pt": frozenset({"o", "a", "os", "as", "um", "uma", "uns", "umas"}),
    "nl": frozenset({"de", "het", "een"}),
}
_ANY_ARTICLE: Final = frozenset({"a"}.union(*(
    {word for word in words if len(word) > 1} for words in _ARTICLES.values()
)) - {"to"})  # fmt: skip
_ARTICLE = re.compile(r"([^\W\d_]{1,5}(?: |'))(.+)")


def parted_article(form: str, language: str | None) -> tuple[str, str] | None:
    """The leading article of a shown form, in lower case, and the rest; None without one.

    A language that has articles of its own knows only these; without a language the usual ones of all are known. An
    article of one letter must be a small one: `A minor` is a key.
    """
    if not (match := _ARTICLE.fullmatch(form)):
        return None
    article = match[1].rstrip(" ")
    known = _ARTICLES.get(primary(language), frozenset[str]()) if language else _ANY_ARTICLE
    if len(article) == 1 and match[2][0] in "=<>+-*/^!|?:":  # `a = b`
        return None
    if len(article) == 1:
        return (article, match[2]) if article in known else None
    return (lower(article, language), match[2]) if lower(article, language) in known else None


_SEPARATOR = re.compile(r"[();]| / ")


def parts(form: str) -> list[str]:
    """`a; b` and `a / b` taken apart, not within parentheses; the form itself when there is nothing to part."""
    if ";" not in form and " / " not in form:
        return [form]
    found, depth, start = list[str](), 0, 0
    divides = is_relation(form) and not all(map(is_relation, form.split(" / ")))
    for sign in _SEPARATOR.finditer(form):
        if sign[0] == " / " and divides:
            continue
        if sign[0] in "()":
            depth = depth + 1 if sign[0] == "(" else max(0, depth - 1)
        elif not depth and len(found) < _PARTS_MAX:
            found.append(form[start : sign.start()].strip(" "))
            start = sign.end()
    found.append(form[start:].strip(" "))
    return [part for part in found if part] or [form]


_OPTIONAL = re.compile(r"\(([^()]*)\)")


def _readings(part: str) -> list[str]:
    """`colo(u)r` as `color` and `colour`; all groups together where there are more than three."""
    groups = [group for group in _OPTIONAL.finditer(part) if is_optional(part, *group.span())]
    if not groups:
        return [part]
    choices = product((False, True), repeat=len(groups))
    if len(groups) > _OPTIONAL_GROUPS_MAX:
        choices = iter([(False,) * len(groups), (True,) * len(groups)])
    found: list[str] = []
    for choice in choices:
        pieces, end = list[str](), 0
        for group, kept in zip(groups, choice, strict=True):
            pieces += [part[end : group.start()], group[1] if kept else ""]
            end = group.end()
        if reading := shown("".join([*pieces, part[end:]])):
            found.append(reading)
    return found or [part]


@dataclass(frozen=True)
class Answer:
    """An answer understood once, for any number of comparisons; `understand` makes it."""

    text: str
    language: str | None
    forms: tuple[str, ...]
    """The shown forms that count as the answer, each once, the whole text first; of a paragraph only that."""
    core: str
    """The first form without its optional parts and its article: what the learner has in mind."""
    type: AnswerType

    @cached_property
    def keys(self) -> frozenset[str]:
        """Case and punctuation left out; numbers and dates also by value. Meeting sets: equal in value."""
        return frozenset[str]().union(*(form_keys | _value(form, self.language) for form, form_keys in self.form_keys))

    @cached_property
    def form_keys(self) -> tuple[tuple[str, frozenset[str]], ...]:
        """Each accepted form with its `answer_forms.keys`, without values."""
        return tuple((form, keys(form, self.language)) for form in self.forms)

    @cached_property
    def near_keys(self) -> frozenset[str]:
        """As `keys`, with accents and kana kinds left out too."""
        return kana_keys(bare_keys(self.keys))

    @cached_property
    def number(self) -> Number | None:
        return number_of(self.core, self.language)

    @cached_property
    def date(self) -> Date | None:
        return date_of(self.core, self.language)

    @cached_property
    def script(self) -> str:
        return script_of(self.core)


def understand(text: str, language: str | None) -> Answer:
    whole = shown(text)
    if len(whole) > LIST_MAX or "\n" in text.strip():
        # The signs that part alternatives in an answer are punctuation in prose.
        return Answer(text, language, (whole,), whole, AnswerType.PARAGRAPH)
    found = {whole: None}
    readings = [reading for part in parts(whole) for reading in _readings(part)]
    for reading in readings:
        found[reading] = None
        if article := parted_article(reading, language):
            found[article[1]] = None
    article = parted_article(readings[0], language)
    core = article[1] if article else readings[0]
    kind = _type_of(core, language)
    forms = tuple(found) if kind is not AnswerType.PARAGRAPH else (whole,)
    return Answer(text, language, forms, core, kind)


def equal_in_value(one: Answer, other: Answer) -> bool:
    return not one.keys.isdisjoint(other.keys)


def nearly_equal(one: Answer, other: Answer) -> bool:
    """Equal in value but for accents and kana kinds."""
    return not one.near_keys.isdisjoint(other.near_keys)


def value_keys(form: str, language: str | None) -> frozenset[str]:
    """`answer_forms.keys` with one more for the value of a number or a date, which no text can be."""
    return keys(form, language) | _value(form, language)


def _value(form: str, language: str | None) -> frozenset[str]:
    if number := number_of(form, language):
        return frozenset((f"\0{number.plain_value} {'|'.join(number.measure)}",))
    if date := date_of(form, language):
        return frozenset((f"\0{date}",))
    return frozenset()


def _type_of(core: str, language: str | None) -> AnswerType:
    if len(core) > PHRASE_MAX:
        return AnswerType.PARAGRAPH
    if number_of(core, language):
        return AnswerType.NUMBER
    if date_of(core, language):
        return AnswerType.DATE
    return AnswerType.WORD if is_word(core) else AnswerType.PHRASE


_CJK = re.compile(f"[{UNSPACED}\uac00-\ud7a3\u1100-\u11ff]")


def is_cjk(form: str) -> bool:
    return bool(_CJK.search(form))


def is_word(form: str) -> bool:
    return " " not in form and (len(form) <= CJK_WORD_MAX or not is_cjk(form))


class _Scripts(dict[str, str]):
    """The script of a letter, by the first word of its Unicode name; an empty string for everything else."""

    def __missing__(self, character: str) -> str:
        name = unicodedata.name(character, "").partition(" ")[0] if character.isalpha() else ""
        self[character] = script = {"CJK": "HAN", "HIRAGANA": "KANA", "KATAKANA": "KANA"}.get(name, name)
        return script


_scripts = _Scripts()
_SCRIPT_SAMPLE: Final = 64


def script_of(form: str) -> str:
    """The script of most letters, `JAPANESE` for kana with or without Chinese characters; empty for no letter."""
    if form.isascii():
        return "LATIN" if any(map(str.isalpha, form)) else ""
    counts = Counter(map(_scripts.__getitem__, form[:_SCRIPT_SAMPLE]))
    counts.pop("", None)
    if not counts:
        return ""
    script = counts.most_common(1)[0][0]
    return "JAPANESE" if script in {"HAN", "KANA"} and counts["KANA"] else script
