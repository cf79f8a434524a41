"""Cloze cards in plain text: which questions a text holds, and what is shown and typed for each of them.

The text of a cloze card holds deletions (`app.domain.cloze_grammar`). Each number in it is a question of its own, which
hides all deletions with that number and shows the others. Nothing here is HTML: a page renders the segments, a chat
takes `plain`. Sides with formatting are `app.domain.cloze_rich`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from app.domain.cloze_grammar import Deletion, Node, Text, numbers_in, parse
from app.domain.errors import N_, InvalidInput


class SegmentKind(StrEnum):
    TEXT = "text"
    GAP = "gap"
    """What is asked for; the text of the segment is the hint, empty when there is none."""
    ANSWER = "answer"
    """What was hidden."""


@dataclass(frozen=True, slots=True)
class Segment:
    kind: SegmentKind
    text: str

    @property
    def shown(self) -> str:
        """The text as it is read: a gap is its hint, or three dots, in square brackets."""
        return shown_gap(self.text) if self.kind is SegmentKind.GAP else self.text


@dataclass(frozen=True, slots=True)
class ClozePrompt:
    """A cloze text as question or as answer; no two segments of plain text follow one another."""

    segments: tuple[Segment, ...]

    @property
    def plain(self) -> str:
        return "".join(segment.shown for segment in self.segments)


def shown_gap(hint: str) -> str:
    return f"[{hint or '...'}]"


def is_cloze(text: str) -> bool:
    return bool(cloze_numbers(text))


def cloze_numbers(text: str) -> tuple[int, ...]:
    """The numbers of the deletions in `text` in rising order: one question for each."""
    return tuple(sorted(numbers_in(parse(text))))


def question(text: str, number: int) -> ClozePrompt:
    """The text with a gap for each deletion of `number`. Raises `InvalidInput` when there is none."""
    return _prompt(text, number, lambda deletion: Segment(SegmentKind.GAP, deletion.hint))


def answer(text: str, number: int) -> ClozePrompt:
    """The text with everything shown, what `question` hides marked. Raises `InvalidInput` when there is nothing."""
    return _prompt(text, number, lambda deletion: Segment(SegmentKind.ANSWER, _content(deletion.nodes)))


def gap_texts(text: str, number: int) -> tuple[str, ...]:
    """What each gap of the question hides, in order. Raises `InvalidInput` when there is none."""
    return tuple(segment.text for segment in answer(text, number).segments if segment.kind is SegmentKind.ANSWER)


def typed_answer(text: str, number: int) -> str:
    """What a learner types: the texts of the gaps with commas between them, once when all are the same (as in Anki)."""
    texts = gap_texts(text, number)
    return texts[0] if len(set(texts)) == 1 else ", ".join(texts)


def revealed(text: str) -> str:
    """The text without markers and hints."""
    return _content(parse(text))


def with_gaps(text: str) -> str:
    """The text with a gap for every deletion; a text without any as it is."""
    return "".join(node.text if isinstance(node, Text) else _gap(node) for node in parse(text))


def _gap(node: Node) -> str:
    return shown_gap(node.hint) if isinstance(node, Deletion) else ""


def no_such_number(number: int) -> InvalidInput:
    return InvalidInput(
        N_("The text has no cloze deletion with the number %(number)d."),
        N_("The card may have been edited; load it again."),
        field="number",
        number=number,
    )


def _prompt(text: str, number: int, shown: Callable[[Deletion], Segment]) -> ClozePrompt:
    nodes = parse(text)
    if number not in numbers_in(nodes):
        raise no_such_number(number)
    return ClozePrompt(tuple(_joined(_segments(nodes, number, shown))))


def _segments(nodes: tuple[Node, ...], number: int, shown: Callable[[Deletion], Segment]) -> Iterator[Segment]:
    for node in nodes:
        if isinstance(node, Text):
            yield Segment(SegmentKind.TEXT, node.text)
        elif isinstance(node, Deletion) and number in node.numbers:
            yield shown(node)
        elif isinstance(node, Deletion):
            yield from _segments(node.nodes, number, shown)


def _joined(segments: Iterable[Segment]) -> Iterator[Segment]:
    texts: list[str] = []
    for segment in segments:
        if segment.kind is SegmentKind.TEXT:
            texts.append(segment.text)
            continue
        if texts:
            yield Segment(SegmentKind.TEXT, "".join(texts))
            texts.clear()
        yield segment
    if texts:
        yield Segment(SegmentKind.TEXT, "".join(texts))


def _content(nodes: tuple[Node, ...]) -> str:
    return "".join(
        node.text if isinstance(node, Text) else _content(node.nodes)
        for node in nodes
        if isinstance(node, (Text, Deletion))
    )
