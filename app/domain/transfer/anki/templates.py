"""Anki's card templates: `{{Field}}`, sections, filters and comments, rendered to HTML.

What a template asks for that Loci does not have leaves no trace in the text: a field to type into, buttons, speech. A
broken template is rendered as far as it goes and reported. Work is bounded whatever the template: its length, the
depth of its sections, and what comes out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from app.domain.richtext import plain_from_rich, rich_from_plain, sanitize_rich

TEMPLATE_MAX: Final = 200_000
"""Characters of a template that are read."""
NESTING_MAX: Final = 32
"""Sections in sections; those that are deeper are passed over."""
RENDERED_MAX: Final = 200_000
"""Characters that come out of one side; what would follow is left out."""
TAGS_READ_MAX: Final = 2_000
"""Fields and sections of a template that are read."""
FILTERS_MAX: Final = 8
"""Filters of one field; the others are passed over."""
FILTERED_MAX: Final = 2_000_000
"""Characters that go into the filters of one side."""

FRONT_SIDE: Final = "FrontSide"
SPECIAL_FIELDS: Final = frozenset({"Tags", "Type", "Deck", "Subdeck", "Card", "CardFlag", FRONT_SIDE})


class Fault(StrEnum):
    """What is wrong with a template."""

    TOO_LONG = "too_long"
    UNCLOSED_TAG = "unclosed_tag"
    UNCLOSED_SECTION = "unclosed_section"
    WRONG_END = "wrong_end"
    TOO_DEEP = "too_deep"
    NO_SUCH_FIELD = "no_such_field"


@dataclass(frozen=True, slots=True)
class Literal:
    html: str


@dataclass(frozen=True, slots=True)
class Replacement:
    name: str
    filters: tuple[str, ...]
    """In the order in which they are applied."""


@dataclass(frozen=True, slots=True)
class Section:
    name: str
    when_empty: bool
    parts: tuple[Part, ...]


Part = Literal | Replacement | Section


@dataclass(frozen=True, slots=True)
class Template:
    parts: tuple[Part, ...]
    faults: tuple[Fault, ...] = ()

    def names(self) -> frozenset[str]:
        """The fields whose content it can show."""
        return frozenset(part.name for part in _walk(self.parts) if isinstance(part, Replacement))

    def unknown(self, names: frozenset[str]) -> bool:
        """Whether it asks for a field that is not among these."""
        known = names | SPECIAL_FIELDS
        return any(
            part.name not in known and not (isinstance(part, Section) and _CLOZE_SECTION.fullmatch(part.name))
            for part in _walk(self.parts)
            if not isinstance(part, Literal)
        )


_MUSTACHES = re.compile(r"<!--|\{\{\{?")
_ALTERNATIVE = re.compile(r"<!--|<%")
_LEGACY = re.compile(r"\s*\{\{=<% %>=\}\}")
_CLOZE_SECTION = re.compile(r"c[0-9]{1,3}")
_EMPTY = re.compile(r"(?:\s++|</?(?:br|div) ?/?>)*", re.IGNORECASE)


def parse(text: str) -> Template:
    """The parts of a template; never raises."""
    faults: dict[Fault, None] = {}
    if len(text) > TEMPLATE_MAX:
        faults[Fault.TOO_LONG] = None
        text = text[:TEMPLATE_MAX]
    legacy = _LEGACY.match(text)
    reader = _Reader(faults)
    for html, inner in _tokens(text[legacy.end() :] if legacy else text, legacy=bool(legacy), faults=faults):
        if html:
            reader.parts.append(Literal(html))
        if inner and not reader.read(inner):
            break
    return Template(reader.end(), tuple(faults))


class _Reader:
    """Puts what stands in mustaches in its place; `parts` are those of the innermost section."""

    def __init__(self, faults: dict[Fault, None]) -> None:
        self.parts: list[Part] = []
        self._faults = faults
        self._opened: list[tuple[str, bool, list[Part]]] = []
        self._too_deep = self._count = 0

    def read(self, inner: str) -> bool:
        """Whether more is read after it."""
        self._count += 1
        if self._count > TAGS_READ_MAX:
            self._faults[Fault.TOO_LONG] = None
            return False
        name = inner[1:].strip()
        if inner[0] in "#^":
            self._open(name, when_empty=inner[0] == "^")
        elif inner[0] == "/":
            self._end(name)
        else:
            self._replace(inner)
        return True

    def end(self) -> tuple[Part, ...]:
        while self._opened:
            self._faults[Fault.UNCLOSED_SECTION] = None
            self._close()
        return tuple(self.parts)

    def _open(self, name: str, *, when_empty: bool) -> None:
        if len(self._opened) >= NESTING_MAX:
            self._faults[Fault.TOO_DEEP] = None
            self._too_deep += 1
            return
        self._opened.append((name, when_empty, self.parts))
        self.parts = []

    def _end(self, name: str) -> None:
        if self._too_deep:
            self._too_deep -= 1
        elif self._opened and self._opened[-1][0] == name:
            self._close()
        else:
            self._faults[Fault.WRONG_END] = None

    def _close(self) -> None:
        name, when_empty, before = self._opened.pop()
        before.append(Section(name, when_empty, tuple(self.parts)))
        self.parts = before

    def _replace(self, inner: str) -> None:
        *filters, last = inner.split(":")
        if len(filters) > FILTERS_MAX:
            self._faults[Fault.TOO_DEEP] = None
        self.parts.append(Replacement(last.strip(), tuple(part.strip() for part in reversed(filters[-FILTERS_MAX:]))))


def _tokens(text: str, *, legacy: bool, faults: dict[Fault, None]) -> Iterator[tuple[str, str | None]]:
    """Text and, after it, what stands in the mustaches. Comments go, and what looks like a field in one."""
    position = start = 0
    # Looked for once, so that many openings without an end do not read the text many times.
    last_end = {closing: text.rfind(closing) for closing in ("-->", "%>", "}}}", "}}")}
    mustaches = _ALTERNATIVE if legacy else _MUSTACHES
    while found := mustaches.search(text, start):
        opening = found[0]
        closing = {"<!--": "-->", "<%": "%>", "{{{": "}}}"}.get(opening, "}}")
        if opening == "{{{" and last_end[closing] < found.end():
            closing = "}}"
        if opening == "<!--" and last_end[closing] < found.end():
            start = found.end()
            continue
        if last_end[closing] < found.end():
            faults[Fault.UNCLOSED_TAG] = None
            break
        end = text.index(closing, found.end())
        inner = None if opening == "<!--" else text[found.end() : end].strip()
        yield text[position : found.start()], inner
        position = start = end + len(closing)
    yield text[position:], None


def _walk(parts: tuple[Part, ...]) -> Iterator[Part]:
    for part in parts:
        yield part
        if isinstance(part, Section):
            yield from _walk(part.parts)


@dataclass(slots=True)
class Rendering:
    """What a template is filled with, and which fields it showed."""

    values: Mapping[str, str]
    """HTML of the fields, and the special fields as HTML."""
    cloze: Callable[[str], str] = str
    """What the filter `cloze` makes of a field."""
    typed: bool = False
    """Whether a field to type into shows what is right, as on the answer's side."""
    speech: bool = False
    """Whether text that would only be spoken is shown."""
    shown: set[str] = field(default_factory=set[str])
    hinted: dict[str, str] = field(default_factory=dict[str, str])
    """Fields that would be shown on demand, as they would be: they stand on no side by themselves."""
    cut: bool = False
    """Whether something was left out because the side grew too long."""
    _length: int = 0
    _filtered: int = 0

    def render(self, template: Template) -> str:
        return "".join(self._parts(template.parts))

    def _parts(self, parts: tuple[Part, ...]) -> Iterator[str]:
        for part in parts:
            if self.cut:
                return
            if isinstance(part, Section):
                if self._filled(part.name) is not part.when_empty:
                    yield from self._parts(part.parts)
                continue
            piece = part.html if isinstance(part, Literal) else self._field(part)
            self._length += len(piece)
            if self._length > RENDERED_MAX:
                self.cut = True
                return
            yield piece

    def _filled(self, name: str) -> bool:
        # Which gap is asked is not known here: a section for one is shown.
        return bool(_CLOZE_SECTION.fullmatch(name)) or not is_empty(self.values.get(name, ""))

    def _field(self, part: Replacement) -> str:
        html = self.values.get(part.name, "")
        names = [name.split(" ", 1)[0] for name in part.filters]
        if "type" in names and not self.typed:
            return ""
        if "tts" in names and not self.speech:
            return ""
        for name in names:
            self._filtered += len(html)
            if self._filtered > FILTERED_MAX:
                self.cut = True
                return ""
            html = self.cloze(html) if name == "cloze" else _FILTERS.get(name, str)(html)
        if "hint" in names:
            self.hinted[part.name] = html
            return ""
        self.shown.add(part.name)
        return html


def is_empty(html: str) -> bool:
    """Whether Anki takes a field for empty: nothing but blanks, `br` and `div`."""
    return len(html) <= RENDERED_MAX and bool(_EMPTY.fullmatch(html))


# A reading stands in square brackets after the characters that it is for, which a space may part from what is before.
_READING = re.compile(r" ?([^ >\[\]]{1,100})\[(?!sound:)([^\[\]]{1,200})\]")


def _readings(form: str) -> Callable[[str], str]:
    def filtered(html: str) -> str:
        return _READING.sub(form, html.replace("&nbsp;", " "))

    return filtered


def _text_only(html: str) -> str:
    return rich_from_plain(plain_from_rich(sanitize_rich(html[:RENDERED_MAX]).html))


_FILTERS: Final[Mapping[str, Callable[[str], str]]] = {
    "text": _text_only,
    "furigana": _readings(r"\1(\2)"),
    "kana": _readings(r"\2"),
    "kanji": _readings(r"\1"),
}
