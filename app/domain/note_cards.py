"""Cards that a note holds already: `front :: back`, `Q:` and `A:`, `{{c1::cloze}}`, headings with what stands below.

Nothing is guessed: what is found is offered to the person, who chooses. A card remembers the lines it was made of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from app.domain.cards import BACK_MAX, FRONT_MAX
from app.domain.cloze import is_cloze, revealed
from app.domain.note_links import WIKILINK, lines_of

FOUND_MAX: Final = 5_000


class Form(StrEnum):
    """How the note writes the card."""

    LINE = "line"
    QUESTION = "question"
    CLOZE = "cloze"
    HEADING = "heading"


@dataclass(frozen=True, slots=True)
class FoundCard:
    """A card in a note. `heading` is the nearest above it; `source` are its lines, letter by letter."""

    form: Form
    front: str
    back: str
    heading: str
    source: str

    @property
    def fits(self) -> bool:
        """Whether a card can hold it."""
        return 0 < len(self.front) <= FRONT_MAX and 0 < len(self.back) <= BACK_MAX


_HEADING = re.compile(r" {0,3}#{1,6}[ \t]++(.*)$")
_BULLET = re.compile(r"^\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?|^\s*>\s?")
_LINE = re.compile(r"^(?P<front>\S.{0,1000}?)\s+::\s+(?P<back>\S.*)$")
_QUESTION = re.compile(r"^[*_]{0,2}(?:Q|Question|問|질문)\s?[:：][*_]{0,2}\s*(?P<text>.*)$", re.IGNORECASE)
_ANSWER = re.compile(r"^[*_]{0,2}(?:A|Answer|答|답)\s?[:：][*_]{0,2}\s*(?P<text>.*)$", re.IGNORECASE)
_PLAIN_MAX = 3 * BACK_MAX // 2
_MARKS = re.compile(r"(?<!\\)(\*\*|__|==|~~|`)(?=\S)(.{1,300}?)(?<=\S)\1")


def cards_in(body: str, *, headings: bool = False) -> list[FoundCard]:
    """The cards in a note, in its order, each once, `FOUND_MAX` at most; with `headings`, sections are cards too."""
    found = list(_cards(body))
    if headings:
        found += _sections(body)
    once = {(card.front, card.back): card for card in reversed(found)}
    kept = [card for card in found if once[card.front, card.back] is card]
    return kept[:FOUND_MAX]


SOURCE_MAX: Final = 10_000
"""Code points of the lines that a card remembers."""


def lines_for(body: str, *, source: str, heading: str, front: str, back: str) -> str:
    """The lines of a changed note that a card is to be watched by from now on.

    Those of before where they still stand; else of the card that the note now writes with the same front or back; else
    all below its heading. An empty text when nothing of that is left.
    """
    text = body.replace("\r", "")
    if source and f"\n{source}\n" in f"\n{text}\n":
        return source
    found = cards_in(text, headings=True)
    same = [card for card in found if card.front == front] or [card for card in found if card.back == back]
    section = [card for card in found if card.form is Form.HEADING and heading and card.heading == heading]
    return next((card.source for card in (*same, *section) if len(card.source) <= SOURCE_MAX), "")


def _cards(body: str) -> Iterator[FoundCard]:
    lines = [line.removesuffix("\r") if not in_code else None for line, in_code in lines_of(body)]
    heading = ""
    place = 0
    while place < len(lines):
        line = lines[place]
        place += 1
        if line is None:
            continue
        titled = _heading(line)
        if titled is not None:
            heading = plain(titled)
            continue
        text = _unlisted(line)
        if is_cloze(text):
            yield FoundCard(Form.CLOZE, plain(text), plain(revealed(text)), heading, line)
        elif asked := _QUESTION.match(text):
            question, answer, end = _question(lines, place, asked["text"])
            if end > place:
                source = "\n".join(each or "" for each in lines[place - 1 : end])
                yield FoundCard(Form.QUESTION, question, answer, heading, source)
                place = end
        elif parted := _LINE.match(text):
            yield FoundCard(Form.LINE, plain(parted["front"]), plain(parted["back"]), heading, line)


def _question(lines: list[str | None], place: int, first: str) -> tuple[str, str, int]:
    """The question that begins with `first` and goes on at `place`, its answer, and where that ends.

    Both run over several lines until a blank line, a heading, code or the next card; blank lines may part the two. The
    end is `place` when no answer follows.
    """
    asked, at = [first], place
    while at < len(lines) and not _is_answer(lines[at]) and not _ends(lines[at]):
        asked.append((lines[at] or "").strip())
        at += 1
    while at < len(lines) and lines[at] is not None and not (lines[at] or "").strip():
        at += 1
    answered = _ANSWER.match(_unlisted(lines[at] or "")) if at < len(lines) else None
    if answered is None:
        return "", "", place
    parts, at = [answered["text"]], at + 1
    while at < len(lines) and not _is_answer(lines[at]) and not _ends(lines[at]):
        parts.append((lines[at] or "").strip())
        at += 1
    return plain("\n".join(asked).strip()), plain("\n".join(parts).strip()), at


def _unlisted(line: str) -> str:
    return _BULLET.sub("", line, count=1)


def _is_answer(line: str | None) -> bool:
    return line is not None and _ANSWER.match(_unlisted(line)) is not None


def _ends(line: str | None) -> bool:
    """Whether a question or an answer does not go on in this line: blank, code, a heading, or a card of its own."""
    if line is None or not line.strip() or _heading(line) is not None:
        return True
    text = _unlisted(line)
    return is_cloze(text) or bool(_QUESTION.match(text) or _LINE.match(text))


def _sections(body: str) -> Iterator[FoundCard]:
    """Each heading with the text up to the next one."""
    heading, source = "", ""
    below: list[str] = []
    for line, in_code in lines_of(body):
        titled = None if in_code else _heading(line)
        if titled is None:
            below.append(line.removesuffix("\r"))
            continue
        yield from _section(heading, source, below)
        heading, source, below = plain(titled), line, []
    yield from _section(heading, source, below)


def _section(heading: str, source: str, below: list[str]) -> Iterator[FoundCard]:
    text = "\n".join(below).strip()
    if heading and text:
        yield FoundCard(Form.HEADING, heading, plain(text), heading, source + "\n" + "\n".join(below).rstrip("\n"))


def _heading(line: str) -> str | None:
    """The text of a heading, without the number signs that may close it; None for any other line."""
    found = _HEADING.match(line.removesuffix("\r"))
    if found is None:
        return None
    text = found[1].rstrip(" \t")
    bare = text.rstrip("#")
    return bare.rstrip(" \t") if not bare or bare[-1] in " \t" else text


def plain(markdown: str) -> str:
    """Markdown on one or several lines without its commonest marks: a card's plain sides show none.

    A text that no card could hold stays as it is.
    """
    if len(markdown) > _PLAIN_MAX:
        return markdown.strip()
    text = WIKILINK.sub(lambda match: (match["alias"] or "|" + match["target"])[1:], markdown)
    for _ in range(2):
        text = _MARKS.sub(r"\2", text)
    return text.strip()
