"""How results are put into words for the model."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from app.domain.intervals import short_interval


def counted(cards: int) -> str:
    """`1 card`, `5 cards`."""
    return "1 card" if cards == 1 else f"{cards} cards"


def id_ranges(ids: Sequence[int]) -> str:
    """Ids in few letters: `3-5, 9`."""
    runs: list[tuple[int, int]] = []
    for id in sorted(ids):
        if runs and id == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], id)
        else:
            runs.append((id, id))
    return ", ".join(f"{first}" if first == last else f"{first}-{last}" for first, last in runs)


def time_words(days: float) -> str:
    """`10 minutes`, `1 day`, `1.2 months`."""
    interval = short_interval(timedelta(days=days))
    return f"{interval.number:g} {interval.unit}{'' if interval.number == 1 else 's'}"
