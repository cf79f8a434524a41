"""Intervals on buttons."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.intervals import SHORT_FORMS, ShortInterval, Unit, english, short_interval


@pytest.mark.parametrize(
    ("interval", "text"),
    [
        (timedelta(seconds=30), "<30s"),
        (timedelta(seconds=59.7), "<1m"),
        (timedelta(minutes=1), "<1m"),
        (timedelta(minutes=5.5), "<6m"),
        (timedelta(minutes=10), "<10m"),
        (timedelta(minutes=15), "<15m"),
        (timedelta(minutes=20), "20m"),
        (timedelta(minutes=59.5), "1h"),
        (timedelta(minutes=60), "1h"),
        (timedelta(minutes=90), "1.5h"),
        (timedelta(hours=23.99), "1d"),
        (timedelta(days=1), "1d"),
        (timedelta(days=2), "2d"),
        (timedelta(days=30), "30d"),
        (timedelta(days=31), "1mo"),
        (timedelta(days=37), "1.2mo"),
        (timedelta(days=304), "10mo"),
        (timedelta(days=364), "1y"),
        (timedelta(days=365), "1y"),
        (timedelta(days=840), "2.3y"),
        (timedelta(days=36_500), "100y"),
    ],
)
def test_a_button_names_its_interval_as_briefly_as_it_can(interval: timedelta, text: str) -> None:
    assert english(short_interval(interval)) == text
    assert str(short_interval(interval)) == text


def test_the_number_and_the_unit_can_be_put_into_other_words() -> None:
    assert short_interval(timedelta(days=37)) == ShortInterval(1.2, Unit.MONTH)
    assert short_interval(timedelta(minutes=10)) == ShortInterval(10, Unit.MINUTE, within=True)
    assert set(SHORT_FORMS) == set(Unit)


@given(st.timedeltas(timedelta(0), timedelta(days=40_000)), st.timedeltas(timedelta(0), timedelta(days=1000)))
def test_a_longer_interval_never_reads_shorter(interval: timedelta, more: timedelta) -> None:
    order = list(Unit)
    shorter, longer = short_interval(interval), short_interval(interval + more)
    assert (order.index(shorter.unit), shorter.number) <= (order.index(longer.unit), longer.number)
    assert shorter.within or not longer.within


@given(st.timedeltas(timedelta(seconds=1), timedelta(days=40_000)))
def test_the_number_is_at_least_one_and_has_no_idle_digits(interval: timedelta) -> None:
    short = short_interval(interval)
    assert short.number >= 1
    assert not english(short).removeprefix("<").startswith("0")
    assert ".0" not in english(short)


def test_a_negative_interval_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="negative"):
        short_interval(timedelta(seconds=-1))
