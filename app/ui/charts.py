"""Charts as SVG text: pure functions of numbers and words that are translated already.

A chart has a title and a description for screen readers, and a tooltip on each part. Colours are classes, coloured by
`static/css/statistics.css` for both themes; no style stands inline. Words never stand in the drawing, which is
stretched to the width of the page: axes are labelled beside it, and a table behind it holds the numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from markupsafe import Markup, escape

_HEIGHT = 100
_GAP = 0.18
_CELL, _PITCH = 10, 12
_DAYS_IN_WEEK = 7


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a bar: a class that colours it, and its size."""

    kind: str
    value: float


@dataclass(frozen=True, slots=True)
class Bar:
    """Parts that stand on one another, the first at the bottom, with a tooltip."""

    tip: str
    parts: tuple[Part, ...]

    @property
    def value(self) -> float:
        return sum(part.value for part in self.parts)


@dataclass(frozen=True, slots=True)
class Cell:
    """A day of a heat map: its level (0 none, 1-4) and a tooltip; None where there is no day."""

    level: int
    tip: str


def nice_ceiling(value: float) -> int:
    """The least of 1, 2, 3, 4, 5, 6, 8, 10, 20, … that is not below `value`: where an axis may end."""
    if value <= 1:
        return 1
    power = 10 ** floor(log10(value))
    return next(int(step * power) for step in (1, 2, 3, 4, 5, 6, 8, 10) if step * power >= value)


def columns(id: str, title: str, description: str, bars: Sequence[Bar]) -> Markup:
    """Upright bars side by side, up to `nice_ceiling` of the highest; each takes the same width."""
    top = nice_ceiling(max((bar.value for bar in bars), default=0))
    drawn: list[str] = []
    for place, bar in enumerate(bars):
        below = 0.0
        rects: list[str] = []
        for part in bar.parts:
            height = part.value / top * _HEIGHT
            if height > 0:
                box = _rect(part.kind, place + _GAP / 2, _HEIGHT - below - height, 1 - _GAP, height)
                rects.append(box)
            below += height
        # The whole column answers to the pointer, however low its bar is.
        target = _rect("target", place, 0, 1, _HEIGHT)
        drawn.append(f"<g><title>{escape(bar.tip)}</title>{target}{''.join(rects)}</g>")
    return _svg("columns", id, title, description, (len(bars) or 1, _HEIGHT), "".join(drawn), stretched=True)


def shares(id: str, title: str, description: str, bar: Bar) -> Markup:
    """One lying bar whose parts are shares of its whole, from the left; empty when there is nothing."""
    drawn: list[str] = []
    left = 0.0
    for part in bar.parts if bar.value else ():
        width = part.value / bar.value * 100
        if width > 0:
            drawn.append(_rect(part.kind, left, 0, width, 1))
        left += width
    body = f"<g><title>{escape(bar.tip)}</title>{_rect('ground', 0, 0, 100, 1)}{''.join(drawn)}</g>"
    return _svg("shares", id, title, description, (100, 1), body, stretched=True)


def heatmap(id: str, title: str, description: str, cells: Sequence[Cell | None]) -> Markup:
    """A column for each week of seven cells, from the left; the first cell is the first day of a week."""
    drawn = [
        f'<rect class="heat-{cell.level}" x="{place // _DAYS_IN_WEEK * _PITCH}" y="{place % _DAYS_IN_WEEK * _PITCH}" '
        f'width="{_CELL}" height="{_CELL}" rx="2"><title>{escape(cell.tip)}</title></rect>'
        for place, cell in enumerate(cells)
        if cell is not None
    ]
    weeks = ceil(len(cells) / _DAYS_IN_WEEK) or 1
    size = (weeks * _PITCH - (_PITCH - _CELL), _DAYS_IN_WEEK * _PITCH - (_PITCH - _CELL))
    return _svg("heatmap", id, title, description, size, "".join(drawn))


def _rect(kind: str, x: float, y: float, width: float, height: float) -> str:
    box = " ".join(
        f'{name}="{value:.4g}"' for name, value in (("x", x), ("y", y), ("width", width), ("height", height))
    )
    return f'<rect class="{kind}" {box}/>'


def _svg(
    kind: str, id: str, title: str, description: str, size: tuple[int, int], body: str, *, stretched: bool = False
) -> Markup:
    fit = ' preserveAspectRatio="none"' if stretched else ""
    return Markup(  # noqa: S704 - numbers, own class names and escaped words
        f'<svg class="chart-{kind}" viewBox="0 0 {size[0]} {size[1]}"{fit} role="img" '
        f'aria-labelledby="{id}-title {id}-description"><title id="{id}-title">{escape(title)}</title>'
        f'<desc id="{id}-description">{escape(description)}</desc>{body}</svg>'
    )
