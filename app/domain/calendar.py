"""Study days: which day an instant belongs to for a person, and when that day starts and ends.

A study day runs from the rollover hour (4:00 unless chosen otherwise) in the person's time zone to the next one, so
that a late evening counts for the day on which it began. Instants are aware datetimes, results are in UTC.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cache, lru_cache
from zoneinfo import ZoneInfo, available_timezones

from app.domain.errors import N_, InvalidInput

DEFAULT_ROLLOVER_HOUR = 4
ONE_DAY = timedelta(days=1)
SHIFTS_FROM = date(2000, 1, 1)
"""Before any answer that could be in a log."""

_UNIX_DAY = date(1970, 1, 1)
# Names that say nothing about a place: the host's own setting and the placeholder of the time zone database.
_NO_PLACE = frozenset({"localtime", "Factory"})


@cache
def zone_names() -> frozenset[str]:
    """Every name of the time zone database that a person may choose."""
    return frozenset(available_timezones() - _NO_PLACE)


def checked_zone(name: str) -> str:
    """`name` itself when it is in the time zone database, spelled as there.

    Raises InvalidInput (field `zone`) otherwise.
    """
    if name not in zone_names():
        raise InvalidInput(
            N_("This time zone is not known."),
            N_("Give a name such as Europe/Berlin, spelled as in the time zone database."),
            field="zone",
        )
    return name


@dataclass(frozen=True, slots=True)
class DayShift:
    """From `since` until the next one, the study day of an instant is floor((its Unix time + `seconds`) / 86,400).

    Counted in days from 1970-01-01. The form in which a database can count study days of very many instants.
    """

    since: datetime
    seconds: float


@dataclass(frozen=True, slots=True)
class StudyClock:
    """How a person's days are counted: a zone of the time zone database and the hour at which a day begins.

    Raises InvalidInput for an unknown zone (field `zone`) or an hour outside 0-23 (field `rollover_hour`).
    """

    zone: str = "UTC"
    rollover_hour: int = DEFAULT_ROLLOVER_HOUR

    def __post_init__(self) -> None:
        checked_zone(self.zone)
        if not 0 <= self.rollover_hour <= 23:
            raise InvalidInput(
                N_("The hour at which a day begins is not an hour of the day."),
                N_("Give a whole number from 0 to 23."),
                field="rollover_hour",
            )

    def study_day(self, instant: datetime) -> date:
        """The study day that holds `instant`: `start_of(day) <= instant < end_of(day)`.

        Raises ValueError for a datetime without a zone.
        """
        if instant.tzinfo is None:
            raise ValueError("an instant needs a time zone")
        instant = instant.astimezone(UTC)
        wall = instant.astimezone(ZoneInfo(self.zone)).replace(tzinfo=None)
        day = (wall - timedelta(hours=self.rollover_hour)).date()
        # Around a change of the clocks the wall can show an hour of the neighbouring day; the bounds decide.
        while instant < self.start_of(day):
            day -= ONE_DAY
        while instant >= self.end_of(day):
            day += ONE_DAY
        return day

    def start_of(self, day: date) -> datetime:
        """The first instant of the study day, in UTC.

        Where the clocks skip the rollover hour the day starts as long after midnight as it would without the change;
        where they show it twice it starts at the first of the two.
        """
        return _start(self.zone, self.rollover_hour, day)

    def end_of(self, day: date) -> datetime:
        """The first instant of the day after, in UTC: a study day holds its start and not its end."""
        return _start(self.zone, self.rollover_hour, day + ONE_DAY)

    def days_between(self, earlier: datetime, later: datetime) -> int:
        """How many study days after `earlier` the instant `later` is; negative when it is before."""
        return (self.study_day(later) - self.study_day(earlier)).days

    def day_shifts(self, until: date) -> tuple[DayShift, ...]:
        """The shifts from `SHIFTS_FROM` to the end of the year of `until`, a new one where a day is not 24 hours long.

        Also good for earlier instants (by the first one) and later ones (by the last) as long as no clock is changed.
        """
        return _shifts(self.zone, self.rollover_hour, until.year)


# Kept because one preview asks for the same few days again and again, and the database of zones is slow in comparison.
@lru_cache(maxsize=8192)
def _start(zone: str, rollover_hour: int, day: date) -> datetime:
    return datetime.combine(day, time(rollover_hour), ZoneInfo(zone)).astimezone(UTC)


@lru_cache(maxsize=128)
def _shifts(zone: str, rollover_hour: int, last_year: int) -> tuple[DayShift, ...]:
    """Weeks of 168 hours are passed over; only the others are looked at day by day."""

    def start(day: date) -> datetime:
        return datetime.combine(day, time(rollover_hour), ZoneInfo(zone)).astimezone(UTC)

    def shift(since: datetime, day: date, starts: datetime) -> DayShift:
        return DayShift(since, (day - _UNIX_DAY).days * 86_400.0 - starts.timestamp())

    week, starts = SHIFTS_FROM, start(SHIFTS_FROM)
    found = [shift(starts, week, starts)]
    while week.year <= last_year:
        next_week = week + 7 * ONE_DAY
        next_starts = start(next_week)
        if next_starts - starts != 7 * ONE_DAY:
            for ahead in range(7):
                day = week + ahead * ONE_DAY
                begin, end = start(day), start(day + ONE_DAY)
                if end - begin != ONE_DAY:
                    # Both shifts hold within the odd day: from its start if it is short, after 24 hours if it is long.
                    since = begin if end - begin < ONE_DAY else begin + ONE_DAY
                    found.append(shift(since, day + ONE_DAY, end))
        week, starts = next_week, next_starts
    return tuple(found)
