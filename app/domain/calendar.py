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


# Kept because one preview asks for the same few days again and again, and the database of zones is slow in comparison.
@lru_cache(maxsize=8192)
def _start(zone: str, rollover_hour: int, day: date) -> datetime:
    return datetime.combine(day, time(rollover_hour), ZoneInfo(zone)).astimezone(UTC)
