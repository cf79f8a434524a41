"""What of a note stands on the front of a card and what on its back, as HTML.

Anki shows the answer under the question; here the two are apart. The back is what stands after `<hr id=answer>`, else
the answer without what repeats the question. Of a cloze note type, the front is the question with its deletions as they
are in the field, and the back is what the answer has besides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from app.domain.richtext import rich_from_plain
from app.domain.transfer.anki.templates import FRONT_SIDE, Fault, Rendering, Template, is_empty, parse

FIELD_MAX: Final = 200_000
"""Characters of a field; a note with a longer one is not taken."""

_ANSWER_RULE = re.compile(r"""<hr\s[^<>]{0,200}?\bid\s*+=\s*+["']?answer\b[^<>]{0,200}>""", re.IGNORECASE)
_BLANK = re.compile(r"(?:<(?!img|audio|video|source)[^<>]*+>|&nbsp;|\s++)*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CardTemplate:
    """One template of a note type, and what Anki calls it."""

    name: str
    question: Template
    answer: Template
    deck: int | None = None

    @classmethod
    def of(cls, name: str, question: str, answer: str) -> CardTemplate:
        return cls(name, parse(question), parse(_without_question(question, answer)))

    def faults(self, names: frozenset[str]) -> tuple[Fault, ...]:
        missing = (Fault.NO_SUCH_FIELD,) if self.question.unknown(names) or self.answer.unknown(names) else ()
        return tuple(dict.fromkeys((*self.question.faults, *self.answer.faults, *missing)))


@dataclass(frozen=True, slots=True)
class Sides:
    """HTML of both sides, the fields that are on one of them, and whether something was too long to be rendered."""

    front: str
    back: str
    shown: frozenset[str]
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Named:
    """The special fields of a card."""

    tags: Iterable[str]
    note_type: str
    deck: str
    card: str

    def values(self) -> dict[str, str]:
        texts = {
            "Tags": " ".join(self.tags),
            "Type": self.note_type,
            "Deck": self.deck,
            "Subdeck": self.deck.rsplit("::", 1)[-1],
            "Card": self.card,
        }
        return {name: rich_from_plain(text) for name, text in texts.items()} | {FRONT_SIDE: ""}


def sides(template: CardTemplate, fields: Mapping[str, str], named: Named, *, cloze: bool = False) -> Sides:
    """The two sides of the card that `template` makes of a note's `fields`. Those of the note's own come first."""
    values = named.values() | dict(fields)
    front, shown, hinted, cut = _rendered(template.question, values, typed=False, cloze=str)
    answer, answer_shown, answer_hinted, answer_cut = _rendered(
        template.answer, values, typed=True, cloze=_nothing if cloze else str
    )
    rule = _ANSWER_RULE.search(answer)
    back = answer[rule.end() :] if rule and not is_blank(answer[rule.end() :]) else answer
    # What a click on the question would show must not be lost, nor be there before the answer.
    for name, html in (hinted | answer_hinted).items():
        if name not in shown | answer_shown and not is_empty(html):
            back += f"<br>{html}"
            answer_shown = answer_shown | {name}
    return Sides(front, back, shown | answer_shown, cut or answer_cut)


def is_blank(html: str) -> bool:
    """Whether nothing of it can be read, seen or heard."""
    return bool(_BLANK.fullmatch(html))


def _rendered(
    template: Template, values: Mapping[str, str], *, typed: bool, cloze: Callable[[str], str]
) -> tuple[str, frozenset[str], dict[str, str], bool]:
    """HTML, fields shown, fields that a click would show, whether it was cut. Speech where there is nothing else."""
    rendering = Rendering(values, cloze, typed)
    html = rendering.render(template)
    if is_blank(html):
        rendering = Rendering(values, cloze, typed, speech=True)
        html = rendering.render(template)
    return html, frozenset(rendering.shown), rendering.hinted, rendering.cut


def _nothing(_: str) -> str:
    return ""


def _without_question(question: str, answer: str) -> str:
    """The answer's template without the question's, where it repeats it instead of `{{FrontSide}}`."""
    repeated, text = question.strip(), answer.lstrip()
    return text[len(repeated) :] if repeated and text.startswith(repeated) else answer
