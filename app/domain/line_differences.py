"""The difference between two texts, line by line, as a history shows it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from typing import Final

CONTEXT: Final = 3
"""Unchanged lines shown around a change."""
_COMPARED_LINES: Final = 1_500
"""More changed lines than this on either side are shown as replaced as a whole: comparing takes their square."""


class Change(StrEnum):
    """What happened to a line."""

    SAME = "same"
    ADDED = "added"
    REMOVED = "removed"
    SKIPPED = "skipped"
    """Unchanged lines that are left out; `text` is their number."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a difference; the numbers count from 1, None where a text does not have the line."""

    change: Change
    text: str
    before: int | None
    after: int | None


def difference(before: str, after: str, context: int = CONTEXT) -> list[Line]:
    """The lines of both texts in order, without unchanged ones far from any change; empty for equal texts."""
    old, new = before.split("\n"), after.split("\n")
    if old == new:
        return []
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    lines = [Line(Change.SAME, text, place + 1, place + 1) for place, text in enumerate(old[:head])]
    lines += _middle(old[head : len(old) - tail], new[head : len(new) - tail], head)
    shift = len(new) - len(old)
    lines += [Line(Change.SAME, old[place], place + 1, place + shift + 1) for place in range(len(old) - tail, len(old))]
    return list(_shortened(lines, context))


def _common(left: list[str], right: list[str]) -> int:
    count = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        count += 1
    return count


def _middle(old: list[str], new: list[str], head: int) -> Iterator[Line]:
    if max(len(old), len(new)) > _COMPARED_LINES:
        blocks = [("replace", 0, len(old), 0, len(new))]
    else:
        blocks = SequenceMatcher(None, old, new).get_opcodes()
    for kind, old_start, old_end, new_start, new_end in blocks:
        if kind == "equal":
            for place in range(old_end - old_start):
                at, to = old_start + place, new_start + place
                yield Line(Change.SAME, old[at], head + at + 1, head + to + 1)
            continue
        for place in range(old_start, old_end):
            yield Line(Change.REMOVED, old[place], head + place + 1, None)
        for place in range(new_start, new_end):
            yield Line(Change.ADDED, new[place], None, head + place + 1)


def _shortened(lines: list[Line], context: int) -> Iterator[Line]:
    changed = [place for place, line in enumerate(lines) if line.change is not Change.SAME]
    near: set[int] = set()
    for place in changed:
        near.update(range(place - context, place + context + 1))
    skipped = 0
    for place, line in enumerate(lines):
        if place in near:
            if skipped:
                yield Line(Change.SKIPPED, str(skipped), None, None)
            skipped = 0
            yield line
        else:
            skipped += 1
    if skipped:
        yield Line(Change.SKIPPED, str(skipped), None, None)
