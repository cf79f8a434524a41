"""Moving long intervals by a few days, so that cards learnt together do not stay together.

The ranges are Anki's. The choice within them depends on the card and how often it was answered and on nothing else, so
the same card shows and stores the same interval on every machine and at every look.
"""

from __future__ import annotations

import hashlib

FIRST_FUZZED_DAYS = 2.5


def fuzz_fraction(card_id: int, reps: int) -> float:
    """A number from 0 up to 1, 1 excluded, evenly spread over cards and repetitions."""
    digest = hashlib.blake2b(b"%d/%d" % (card_id, reps), digest_size=6).digest()
    return int.from_bytes(digest, "big") / (1 << 48)


def fuzz_range(exact_days: float, least_days: int, most_days: int) -> tuple[int, int]:
    """The first and last whole day that an interval may be moved to, both within `least_days` and `most_days`.

    From 2.5 days up an interval moves either way by one day, by 0.15 of its part up to 7 days, 0.1 of its part up to 20
    and 0.05 of the rest. Where the limits leave a single day above the second, the day after is allowed as well.
    """
    least_days = min(least_days, most_days)
    days = min(max(exact_days, least_days), most_days)
    reach = 0.0
    if days >= FIRST_FUZZED_DAYS:
        reach = (
            1 + 0.15 * (min(days, 7) - FIRST_FUZZED_DAYS) + 0.1 * max(min(days, 20) - 7, 0) + 0.05 * max(days - 20, 0)
        )
    first = min(max(whole_days(days - reach), least_days), most_days)
    last = min(max(whole_days(days + reach), least_days), most_days)
    if first == last and 2 < last < most_days:
        last += 1
    return first, last


def fuzzed_days(exact_days: float, least_days: int, most_days: int, fraction: float | None) -> int:
    """`exact_days` as a whole number within the limits, moved by `fraction` of its range; None leaves it where it is.

    `most_days` wins over `least_days`.
    """
    if fraction is None:
        return min(max(whole_days(exact_days), least_days), most_days)
    first, last = fuzz_range(exact_days, least_days, most_days)
    return first + int(fraction * (last - first + 1))


def whole_days(days: float) -> int:
    """The nearest whole number, halves up: banker's rounding would treat neighbouring intervals differently."""
    return int(days + 0.5)
