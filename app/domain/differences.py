"""How two texts differ: the number of slips between them, and the parts to show in another colour.

The work is bounded for texts of any length: slips are counted in a band around the diagonal, and parts are found by
letters, else by words, else as one block.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import Final


def distance_within(one: str, other: str, limit: int) -> int | None:
    """The number of slips between two texts, None when there are more than `limit` (0 to a few).

    A slip is a letter left out, put in or replaced, or two neighbours exchanged (the restricted Damerau-Levenshtein
    distance). Takes time in proportion to length times limit.
    """
    if abs(len(one) - len(other)) > limit:
        return None
    start = _common_prefix(one, other)
    one, other = one[start:], other[start:]
    if end := _common_prefix(one[::-1], other[::-1]):
        one, other = one[:-end], other[:-end]
    if not one or not other:
        slips = len(one) + len(other)
        return slips if slips <= limit else None
    return _banded(one, other, limit)


def _common_prefix(one: Sequence[str], other: Sequence[str]) -> int:
    shorter = min(len(one), len(other))
    return next((at for at, (left, right) in enumerate(zip(one, other, strict=False)) if left != right), shorter)


def _banded(one: str, other: str, limit: int) -> int | None:
    """Rows of the usual table, of which only the cells within `limit` of the diagonal can matter."""
    far = limit + 1
    width = 2 * limit + 1
    # Cell `at` of row i stands for column i + at - limit.
    before = [far] * width
    row = [abs(at - limit) if at >= limit else far for at in range(width)]
    for i in range(1, len(one) + 1):
        previous, row = row, [far] * width
        for at in range(width):
            j = i + at - limit
            if j < 0 or j > len(other):
                continue
            if j == 0:
                row[at] = min(i, far)
                continue
            cost = one[i - 1] != other[j - 1]
            best = previous[at] + cost
            if at + 1 < width:
                best = min(best, previous[at + 1] + 1)
            if at:
                best = min(best, row[at - 1] + 1)
            if i > 1 and j > 1 and one[i - 1] == other[j - 2] and one[i - 2] == other[j - 1]:
                best = min(best, before[at] + 1)
            row[at] = min(best, far)
        if min(row) > limit:
            return None
        before = previous
    slips = row[len(other) - len(one) + limit]
    return slips if slips <= limit else None


class Part(StrEnum):
    SAME = "same"
    MISSING = "missing"
    """In the expected text only."""
    EXTRA = "extra"
    """In the given text only."""


@dataclass(frozen=True, slots=True)
class Segment:
    text: str
    part: Part


_PIECES_MAX: Final = 128
_WORDS = re.compile(r"\s+|[^\s]+")


def differences(given: str, expected: str) -> tuple[Segment, ...]:
    """The way from one text to the other. SAME and EXTRA together are `given`, SAME and MISSING `expected`.

    A letter and its marks stay together. Texts with little in common are two blocks, since scattered equal letters
    would tell nothing. What is extra stands before what is missing.
    """
    if given == expected:
        return (Segment(given, Part.SAME),) if given else ()
    left, right = _letters(given), _letters(expected)
    start = _common_prefix(left, right)
    end = _common_prefix(left[start:][::-1], right[start:][::-1])
    head, tail = "".join(right[:start]), "".join(right[len(right) - end :])
    left, right = left[start : len(left) - end], right[start : len(right) - end]
    if max(len(left), len(right)) > _PIECES_MAX:
        left, right = _WORDS.findall("".join(left)), _WORDS.findall("".join(right))
    middle = _aligned(left, right) if max(len(left), len(right)) <= _PIECES_MAX else _blocks(left, right)
    found = _merged([Segment(head, Part.SAME), *middle, Segment(tail, Part.SAME)])
    same = sum(len(segment.text) for segment in found if segment.part is Part.SAME)
    return tuple(found) if 2 * same > max(len(given), len(expected)) else tuple(_merged(_blocks([given], [expected])))


def _letters(text: str) -> list[str]:
    if text.isascii():
        return list(text)
    found: list[str] = []
    for character in text:
        if found and unicodedata.category(character) in {"Mn", "Mc", "Me"}:
            found[-1] += character
        else:
            found.append(character)
    return found


def _blocks(left: list[str], right: list[str]) -> list[Segment]:
    return [Segment("".join(left), Part.EXTRA), Segment("".join(right), Part.MISSING)]


def _aligned(left: list[str], right: list[str]) -> list[Segment]:
    """The longest common subsequence of the pieces, read from the start."""
    if set(left).isdisjoint(right):
        return _blocks(left, right)
    lengths = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i in range(len(left) - 1, -1, -1):
        row, below = lengths[i], lengths[i + 1]
        for j in range(len(right) - 1, -1, -1):
            row[j] = below[j + 1] + 1 if left[i] == right[j] else max(below[j], row[j + 1])
    found: list[Segment] = []
    i = j = 0
    while i < len(left) and j < len(right):
        if left[i] == right[j]:
            found.append(Segment(left[i], Part.SAME))
            i, j = i + 1, j + 1
        elif lengths[i + 1][j] >= lengths[i][j + 1]:
            found.append(Segment(left[i], Part.EXTRA))
            i += 1
        else:
            found.append(Segment(right[j], Part.MISSING))
            j += 1
    return [*found, *_blocks(left[i:], right[j:])]


def _merged(segments: list[Segment]) -> list[Segment]:
    """Neighbours of one kind together; between two that are the same the extra before the missing; none empty."""
    found: list[Segment] = []
    whole = (segment for segment in segments if segment.text)
    for same, run in groupby(whole, lambda segment: segment.part is Part.SAME):
        pieces = list(run)
        for part in (Part.SAME,) if same else (Part.EXTRA, Part.MISSING):
            text = "".join(piece.text for piece in pieces if piece.part is part)
            found += [Segment(text, part)] if text else []
    return found
