"""How results are put into words for the model."""

from __future__ import annotations

from collections.abc import Sequence


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
