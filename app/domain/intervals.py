"""Intervals as a person reads them on an answer button: `<10m`, `2d`, `1.2mo`, `2.3y`.

A number and a unit, so that both can be put into another language, and the English short form. The rules are Anki's:
the largest unit that gives at least one, whole minutes and days, one decimal for hours, months (a twelfth of 365 days)
and years (365 days), and `<` before what comes back within the same sitting. Unlike there, a number that rounds up to
the next unit is given in that unit: `1h`, not `60m`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from math import floor

from app.domain.errors import N_
from app.domain.scheduling import LEARN_AHEAD


class Unit(StrEnum):
    SECOND = "second"
    MINUTE = "minute"
    HOUR = "hour"
    DAY = "day"
    MONTH = "month"
    YEAR = "year"


# Message ids: `number` is the number as the language writes it.
SHORT_FORMS: Mapping[Unit, str] = {
    Unit.SECOND: N_("%(number)ss"),
    Unit.MINUTE: N_("%(number)sm"),
    Unit.HOUR: N_("%(number)sh"),
    Unit.DAY: N_("%(number)sd"),
    Unit.MONTH: N_("%(number)smo"),
    Unit.YEAR: N_("%(number)sy"),
}
# Message id: `interval` is one of the short forms above.
WITHIN_FORM = N_("<%(interval)s")


@dataclass(frozen=True, slots=True)
class ShortInterval:
    """A number of one unit; whole for seconds, minutes and days, otherwise with at most one decimal.

    `within` says that the card comes back in the same sitting, possibly earlier than stated: shown as `<10m`.
    """

    number: float
    unit: Unit
    within: bool = False

    def __str__(self) -> str:
        return english(self)


@dataclass(frozen=True, slots=True)
class _Scale:
    unit: Unit
    seconds: float
    decimals: int


_DAY_SECONDS = 86_400
_SCALES = (
    _Scale(Unit.SECOND, 1, 0),
    _Scale(Unit.MINUTE, 60, 0),
    _Scale(Unit.HOUR, 3_600, 1),
    _Scale(Unit.DAY, _DAY_SECONDS, 0),
    _Scale(Unit.MONTH, _DAY_SECONDS * 365 / 12, 1),
    _Scale(Unit.YEAR, _DAY_SECONDS * 365, 1),
)


def short_interval(interval: timedelta) -> ShortInterval:
    """`interval` in the unit that a button shows it in.

    Raises ValueError for a negative interval.
    """
    seconds = interval.total_seconds()
    if seconds < 0:
        raise ValueError("an interval is not negative")
    number, unit = 0.0, Unit.SECOND
    for scale, larger in zip(_SCALES, (*_SCALES[1:], None), strict=True):
        number, unit = _rounded(seconds / scale.seconds, scale.decimals), scale.unit
        if larger is None or number * scale.seconds < larger.seconds:
            break
    return ShortInterval(number, unit, within=interval < LEARN_AHEAD)


def english(interval: ShortInterval) -> str:
    """The English short form: `<10m`, `1.5h`, `2d`, `1.2mo`, `2.3y`."""
    text = SHORT_FORMS[interval.unit] % {"number": f"{interval.number:.1f}".removesuffix(".0")}
    return WITHIN_FORM % {"interval": text} if interval.within else text


def _rounded(number: float, decimals: int) -> float:
    """Halves go up, so that five minutes and a half are six on every button."""
    factor = 10**decimals
    return floor(number * factor + 0.5) / factor
