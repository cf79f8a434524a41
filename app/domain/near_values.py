"""Numbers and dates near a right one, written as it is written: what a learner could take it for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from random import Random
from typing import Final

from app.domain.answers import Answer, value_keys
from app.domain.quantities import Number, date_of, number_of, written

_DIGITS_MAX: Final = 15
"""More digits than that are learnt by heart; a neighbour of such a number says nothing."""
_LAST_YEAR: Final = 2100
_YEARS_AROUND: Final = 15
_YEARS_FROM_POOL: Final = 150
_NEAR_SHARE: Final = Decimal("0.3")


def numbers_near(
    right: Answer, pool: Iterable[Number], barred: frozenset[str], wanted: int, above: int, random: Random
) -> list[str]:
    """Up to `wanted` texts of other values, `above` of them greater where there are such values.

    From the pool come values with the same sign and unit that are at most three times or a third of the right one and
    can be written in its format; the rest is made. Values among the keys `barred` are left out. None for a number of
    more than 15 digits.
    """
    number = right.number
    if number is None or number.whole_digits + number.decimals > _DIGITS_MAX:
        return []
    known = {other.value for other in pool if _is_comparable(other, number)}
    nearest = sorted(known, key=lambda value: (abs(value - number.value), value))
    greater: dict[Decimal, str] = {}
    smaller: dict[Decimal, str] = {}
    for value in (*nearest, *_made(number, random)):
        side = greater if value > number.value else smaller
        if len(side) < wanted and value not in side:
            text = _again(right, number, value)
            if text and value_keys(text, right.language).isdisjoint(barred):
                side[value] = text
    above = min(max(above, wanted - len(smaller)), len(greater))
    return [*list(greater.values())[:above], *list(smaller.values())[: wanted - above]]


def _is_comparable(other: Number, number: Number) -> bool:
    if other.value == number.value or (other.value < 0) != (number.value < 0) or other.measure != number.measure:
        return False
    if other.whole_digits + other.decimals > _DIGITS_MAX:
        return False
    low, high = sorted((abs(other.value), abs(number.value)))
    return high - low <= _YEARS_FROM_POOL if _is_year(number) else high <= 3 * low or high - low <= 3


def _again(right: Answer, number: Number, value: Decimal) -> str | None:
    """The text of a value, None when it would be read as another one."""
    text = written(number, value)
    read = number_of(text, right.language) if text else None
    return text if read and read.value == value else None


def _made(number: Number, random: Random) -> Iterator[Decimal]:
    """Values around the right one in random order, as round as it is but in steps of a tenth of it at most."""
    step = Decimal(1).scaleb(-number.decimals)
    while not number.decimals and number.value % (step * 10) == 0 and abs(number.value) >= step * 100:
        step *= 10
    if _is_year(number):
        step, reach = Decimal(1), _YEARS_AROUND
    else:
        reach = max(3, min(12, int(abs(number.value) * _NEAR_SHARE / step)))
    offsets = [offset for offset in range(-reach, reach + 1) if offset]
    random.shuffle(offsets)
    for offset in offsets:
        value = number.value + offset * step
        crosses = (value < 0) != (number.value < 0) or (value == 0 and abs(number.value) > 3 * step)
        percent = number.unit.startswith("%") and number.value <= 100 < value
        if not crosses and not percent and not (_is_year(number) and value > _LAST_YEAR):
            yield value


def _is_year(number: Number) -> bool:
    return number.whole_digits == 4 and not number.decimals and not number.grouping and not number.after


def dates_near(right: Answer, wanted: int, above: int, random: Random) -> list[str]:
    """Up to `wanted` dates some years before or after, `above` of them after; none for a date without a year."""
    date = right.date
    if date is None or not (year := date[0]) or right.core.count(str(year)) != 1:
        return []
    leap = date[1:] == (2, 29)
    offsets = [4 * offset if leap else offset for offset in range(1, _YEARS_AROUND + 1)]
    later = random.sample(offsets, wanted)
    earlier = [-offset for offset in random.sample(offsets, wanted)]
    texts: list[str] = []
    for offset in later[:above] + earlier[: wanted - above]:
        text = right.core.replace(str(year), str(year + offset))
        if date_of(text, right.language) == (year + offset, *date[1:]):
            texts.append(text)
    return texts
