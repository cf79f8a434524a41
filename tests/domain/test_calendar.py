"""Study days: laws over all zones, and the nights on which clocks change."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.calendar import StudyClock, checked_zone, zone_names
from app.domain.errors import ErrorCode, InvalidInput

BERLIN = StudyClock("Europe/Berlin")
clocks = st.builds(StudyClock, zone=st.sampled_from(sorted(zone_names())), rollover_hour=st.integers(0, 23))
# Zones that skip midnight, a whole day, half an hour or two hours.
odd_clocks = st.builds(
    StudyClock,
    zone=st.sampled_from(
        [
            "America/Sao_Paulo",
            "America/St_Johns",
            "Antarctica/Troll",
            "Asia/Beirut",
            "Australia/Lord_Howe",
            "Europe/Berlin",
            "Pacific/Apia",
            "Pacific/Kwajalein",
        ]
    ),
    rollover_hour=st.integers(0, 23),
)
instants = st.datetimes(
    datetime(1970, 1, 3),  # noqa: DTZ001 - the strategy adds the zone itself
    datetime(2100, 1, 1),  # noqa: DTZ001
    timezones=st.just(UTC),
)
days = st.dates(date(1970, 1, 3), date(2100, 1, 1))


def utc(year: int, month: int, day: int, hour: int = 0, minute: int = 0) -> datetime:
    return datetime(year, month, day, hour, minute, tzinfo=UTC)


@given(clocks | odd_clocks, instants)
def test_an_instant_lies_within_its_study_day(clock: StudyClock, instant: datetime) -> None:
    day = clock.study_day(instant)
    assert clock.start_of(day) <= instant < clock.end_of(day)


@given(clocks | odd_clocks, days)
def test_consecutive_study_days_adjoin_and_go_forward(clock: StudyClock, day: date) -> None:
    assert clock.end_of(day) == clock.start_of(day + timedelta(days=1))
    # A zone that crosses the date line skips a day: it is there, and empty.
    assert timedelta(0) <= clock.end_of(day) - clock.start_of(day) <= timedelta(hours=50)


@given(clocks | odd_clocks, instants, st.timedeltas(timedelta(0), timedelta(days=400)))
def test_a_later_instant_is_never_on_an_earlier_day(clock: StudyClock, instant: datetime, later: timedelta) -> None:
    assert clock.study_day(instant) <= clock.study_day(instant + later)


@given(clocks | odd_clocks, instants, st.integers(-840, 840))
def test_the_zone_in_which_an_instant_is_written_does_not_matter(
    clock: StudyClock, instant: datetime, minutes: int
) -> None:
    elsewhere = instant.astimezone(timezone(timedelta(minutes=minutes)))
    assert clock.study_day(elsewhere) == clock.study_day(instant)


@given(clocks | odd_clocks, days)
def test_the_start_of_a_day_that_is_not_skipped_belongs_to_it(clock: StudyClock, day: date) -> None:
    if clock.start_of(day) < clock.end_of(day):
        assert clock.study_day(clock.start_of(day)) == day


def test_half_past_one_at_night_counts_for_the_day_before() -> None:
    assert BERLIN.study_day(utc(2026, 6, 10, 23, 30)) == date(2026, 6, 10)
    assert BERLIN.study_day(utc(2026, 6, 11, 1, 59)) == date(2026, 6, 10)
    assert BERLIN.study_day(utc(2026, 6, 11, 2, 0)) == date(2026, 6, 11)


def test_days_stay_one_apart_when_summer_time_begins() -> None:
    assert BERLIN.study_day(utc(2026, 3, 29, 0, 30)) == date(2026, 3, 28)
    assert BERLIN.start_of(date(2026, 3, 29)) == utc(2026, 3, 29, 2)
    assert BERLIN.end_of(date(2026, 3, 28)) - BERLIN.start_of(date(2026, 3, 28)) == timedelta(hours=23)
    # 1:30 in the morning, one evening after another.
    assert BERLIN.days_between(utc(2026, 3, 29, 0, 30), utc(2026, 3, 29, 23, 30)) == 1


def test_days_stay_one_apart_when_summer_time_ends() -> None:
    assert BERLIN.study_day(utc(2026, 10, 25, 0, 30)) == date(2026, 10, 24)
    assert BERLIN.start_of(date(2026, 10, 25)) == utc(2026, 10, 25, 3)
    assert BERLIN.end_of(date(2026, 10, 24)) - BERLIN.start_of(date(2026, 10, 24)) == timedelta(hours=25)
    assert BERLIN.days_between(utc(2026, 10, 24, 23, 30), utc(2026, 10, 26, 0, 30)) == 1


def test_a_rollover_in_the_skipped_hour_falls_on_the_change_itself() -> None:
    clock = StudyClock("Europe/Berlin", 2)
    assert clock.start_of(date(2026, 3, 29)) == utc(2026, 3, 29, 1)
    assert clock.study_day(utc(2026, 3, 29, 0, 59)) == date(2026, 3, 28)
    assert clock.study_day(utc(2026, 3, 29, 1, 0)) == date(2026, 3, 29)


def test_a_rollover_in_the_repeated_hour_happens_once() -> None:
    clock = StudyClock("Europe/Berlin", 2)
    assert clock.start_of(date(2026, 10, 25)) == utc(2026, 10, 25, 0)
    assert clock.study_day(utc(2026, 10, 24, 23, 59)) == date(2026, 10, 24)
    assert clock.study_day(utc(2026, 10, 25, 0, 30)) == date(2026, 10, 25)
    assert clock.study_day(utc(2026, 10, 25, 1, 30)) == date(2026, 10, 25)


def test_a_minute_repeated_across_midnight_stays_on_the_new_day() -> None:
    # Until 2011 the clocks of St. John's went from 0:01 back to 23:01 of the day before.
    clock = StudyClock("America/St_Johns", 0)
    midnight = utc(2010, 11, 7, 2, 30)
    assert clock.start_of(date(2010, 11, 7)) == midnight
    assert clock.study_day(midnight + timedelta(minutes=30)) == date(2010, 11, 7)


def test_a_day_that_a_zone_skipped_is_empty() -> None:
    clock = StudyClock("Pacific/Apia")
    assert clock.start_of(date(2011, 12, 30)) == clock.end_of(date(2011, 12, 30))


def test_a_datetime_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="time zone"):
        BERLIN.study_day(datetime(2026, 6, 10, 12))  # noqa: DTZ001 - the fault under test


@pytest.mark.parametrize("name", ["", "Berlin", "europe/berlin", "Europe", "../etc/passwd", "localtime", "A" * 5000])
def test_an_unknown_zone_is_refused_by_name_of_the_field(name: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        checked_zone(name)
    assert refused.value.code is ErrorCode.INVALID_INPUT
    assert refused.value.field == "zone"
    with pytest.raises(InvalidInput):
        StudyClock(name)


@pytest.mark.parametrize("hour", [-1, 24])
def test_an_hour_outside_the_day_is_refused(hour: int) -> None:
    with pytest.raises(InvalidInput) as refused:
        StudyClock("UTC", hour)
    assert refused.value.field == "rollover_hour"


def test_a_known_zone_is_given_back() -> None:
    assert checked_zone("Asia/Tokyo") == "Asia/Tokyo"
    assert "UTC" in zone_names()
