"""Numbers and dates as they are written in several languages, and other values in the same format."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.quantities import date_of, number_of, written


@pytest.mark.parametrize(
    ("text", "language", "value", "measure"),
    [
        ("42", "en", "42", ("", "")),
        ("-3.5", "en", "-3.5", ("", "")),
        ("1,234,567", "en", "1234567", ("", "")),
        ("12,34,567", "en-IN", "1234567", ("", "")),
        ("1.234.567,8", "de", "1234567.8", ("", "")),
        ("1'234.5", "de-CH", "1234.5", ("", "")),
        ("1,234", "en", "1234", ("", "")),
        ("1,234", "de", "1.234", ("", "")),
        ("1.234", "en", "1.234", ("", "")),
        ("1.234", "de", "1234", ("", "")),
        ("0.123", "de", "0.123", ("", "")),
        ("1,5", "en", "1.5", ("", "")),
        ("10 000", "fr", "10000", ("", "")),
        ("$ 1,000", "en", "1000", ("$", "")),
        ("8,849 m", "en", "8849", ("", "m")),
        ("5 km^2", "en", "5", ("", "km2")),
        ("100 Million", "en", "100", ("", "million")),
        ("12 %", "en", "12", ("", "%")),
        ("1964年", "ja", "1964", ("", "年")),
        ("٤٢", "ar", "42", ("", "")),
    ],
)
def test_a_number_is_read_as_its_language_writes_it(
    text: str, language: str, value: str, measure: tuple[str, str]
) -> None:
    number = number_of(text, language)
    assert number is not None
    assert (number.value, number.measure) == (Decimal(value), measure)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "007",
        "1.2.3",
        "19th",
        "1st place",
        "1,23,4",
        "1 2",
        "3-5",
        "2 1/2",
        "12 of the 13",
        "5 a b c d",
        "1.000,00.0",
    ],
)
def test_other_texts_are_no_numbers(text: str) -> None:
    assert number_of(text, "en") is None


@given(
    st.decimals(min_value=-(10**9), max_value=10**9, allow_nan=False, places=3),
    st.sampled_from(["en", "de"]),
    st.sampled_from(["", " km", "%"]),
)
def test_a_value_written_in_a_format_is_read_back(value: Decimal, language: str, unit: str) -> None:
    template = number_of(("1,234.567" if language == "en" else "1.234,567") + unit, language)
    assert template is not None
    text = written(template, value)
    assert text is not None
    read = number_of(text, language)
    assert read is not None
    assert (read.value, read.measure) == (value, template.measure)


def test_a_value_with_more_decimals_than_the_format_is_not_written() -> None:
    number = number_of("1,234", "en")
    assert number is not None
    assert written(number, Decimal("0.5")) is None
    assert written(number, Decimal(98765)) == "98,765"


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("1789-07-14", None, (1789, 7, 14)),
        ("14.07.1789", "de", (1789, 7, 14)),
        ("14. 7. 1789", "cs", (1789, 7, 14)),
        ("7/4/1776", "en", (1776, 7, 4)),
        ("7/4/1776", "en-GB", (1776, 4, 7)),
        ("4/7/1776", "fr", (1776, 7, 4)),
        ("14/7/1789", "en", (1789, 7, 14)),
        ("July 4, 1776", "en", (1776, 7, 4)),
        ("the 4th of July 1776", "en", (1776, 7, 4)),
        ("4 Jul 1776", "en", (1776, 7, 4)),
        ("3. März 1900", "de", (1900, 3, 3)),
        ("1er août 1291", "fr", (1291, 8, 1)),
        ("12 de octubre de 1492", "es", (1492, 10, 12)),
        ("2 giugno 1946", "it", (1946, 6, 2)),
        ("1789年7月14日", "ja", (1789, 7, 14)),
        ("1945년 8월 15일", "ko", (1945, 8, 15)),
        ("July 1789", "en", (1789, 7, 0)),
        ("14 July", "en", (0, 7, 14)),
        ("7月14日", "ja", (0, 7, 14)),
    ],
)
def test_a_date_is_read_in_words_and_numbers(text: str, language: str | None, expected: tuple[int, int, int]) -> None:
    assert date_of(text, language) == expected


@pytest.mark.parametrize(
    "text", ["", "May", "1789", "31/31/1999", "1.2.3", "192.168.1.1", "30 February 1999", "a 3 May 1"]
)
def test_other_texts_are_no_dates(text: str) -> None:
    assert date_of(text, "en") is None


@given(st.dates(min_value=date(1000, 1, 1)))
def test_every_date_is_read_in_each_of_its_forms(day: date) -> None:
    expected = (day.year, day.month, day.day)
    assert date_of(day.isoformat(), None) == expected
    assert date_of(f"{day:%d.%m.%Y}", "de") == expected
    assert date_of(f"{day:%m/%d/%Y}", "en-US") == expected
    assert date_of(f"{day.year}年{day.month}月{day.day}日", "ja") == expected
    later = day + timedelta(days=1) if day < date.max else date.min
    assert date_of(later.isoformat(), None) != expected
