"""The process that fits parameters: an order and a review log on standard input, the result on standard output.

A process of its own, because the optimiser holds the interpreter's lock, and so that its end is not the server's.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import msgspec

from app.domain.calendar import StudyClock
from app.domain.fitting import Answer, FitResult, fit, histories
from app.domain.scheduling import Rating, State

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_RATINGS = {str(int(rating)).encode(): rating for rating in Rating}
_STATES = {str(int(state)).encode(): state for state in State}


@dataclass(frozen=True, slots=True)
class FitOrder:
    """The first line of the input, as JSON: the person's study days and what the result is compared with."""

    zone: str
    rollover_hour: int
    current: tuple[float, ...]
    relearning_steps: int


def fitted(order: FitOrder, lines: Iterable[bytes]) -> FitResult:
    """The fit to a log, by question and in order of time: `card_id,ordinal,rating,state_before,microseconds`."""
    found = histories(_answers(lines), StudyClock(order.zone, order.rollover_hour))
    return fit(found, current=order.current, relearning_steps=order.relearning_steps)


def _answers(lines: Iterable[bytes]) -> Iterator[Answer]:
    for line in lines:
        card_id, ordinal, rating, state, microseconds = line.rstrip().split(b",")
        reviewed_at = _EPOCH + timedelta(microseconds=int(microseconds))
        yield Answer(int(card_id), _RATINGS[rating], _STATES[state], reviewed_at, int(ordinal))


def main() -> None:
    os.nice(10)  # answering people comes first
    order = msgspec.json.decode(sys.stdin.buffer.readline(), type=FitOrder)
    sys.stdout.buffer.write(msgspec.json.encode(fitted(order, sys.stdin.buffer)))


if __name__ == "__main__":
    main()
