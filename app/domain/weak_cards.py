"""Weak cards: those that cost more than they give, each with the reasons, so that its text can be changed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

LEECH_LAPSES = 8
"""A card that was forgotten this often in review is a leech, unless the settings say another number."""
LOW_RETRIEVABILITY = 0.70
"""Below the lowest retention that can be wished for a card is probably forgotten."""
HIGH_DIFFICULTY = 9.0
MANY_AGAINS = 3
RECENT_DAYS = 30


class WeakReason(StrEnum):
    """Why a card is weak; in the order of weight."""

    LEECH = "leech"
    RECENT_AGAINS = "recent_agains"
    LOW_RETRIEVABILITY = "low_retrievability"
    HIGH_DIFFICULTY = "high_difficulty"


@dataclass(frozen=True, slots=True)
class Standing:
    """What is known of a studied card. Of a card with several questions: the worst of them, its Agains together.

    `leech`: it was forgotten as often as its settings call a leech, and was not settled since. `agains` are those
    of the last `RECENT_DAYS` study days.
    """

    leech: bool
    lapses: int
    retrievability: float
    difficulty: float
    agains: int


def weak_reasons(standing: Standing) -> tuple[WeakReason, ...]:
    """All reasons that hold, the weightiest first; none for a card that is well."""
    holds = {
        WeakReason.LEECH: standing.leech,
        WeakReason.RECENT_AGAINS: standing.agains >= MANY_AGAINS,
        WeakReason.LOW_RETRIEVABILITY: standing.retrievability < LOW_RETRIEVABILITY,
        WeakReason.HIGH_DIFFICULTY: standing.difficulty >= HIGH_DIFFICULTY,
    }
    return tuple(reason for reason in WeakReason if holds[reason])


def weakness(standing: Standing) -> tuple[int, int, int, float]:
    """What weak cards are ordered by, the weakest greatest: reasons, lapses, recent Agains, chance of forgetting."""
    return len(weak_reasons(standing)), standing.lapses, standing.agains, 1 - standing.retrievability


def is_leech(lapses: int, threshold: int = LEECH_LAPSES) -> bool:
    """Whether the learner is told at this lapse: the threshold, then each half as many on top (8, 12, 16, …)."""
    return lapses >= threshold and (lapses - threshold) % max(1, threshold // 2) == 0
