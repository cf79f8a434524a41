"""Choices of an account and a deck: how they are written, refused and added up."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.calendar import StudyClock
from app.domain.errors import InvalidInput
from app.domain.scheduling import SchedulingOptions
from app.domain.study_settings import (
    CHOICES,
    STANDARD,
    StudyChoices,
    StudySettings,
    format_steps,
    parse_steps,
    read_choices,
    relative_load,
    settled,
    without,
    write_choices,
)

STEPS = st.lists(st.integers(1, 30 * 86_400).map(lambda seconds: timedelta(seconds=seconds)), max_size=10).map(tuple)
SOME = st.builds(
    StudyChoices,
    desired_retention=st.none() | st.integers(7000, 9700).map(lambda share: share / 10_000),
    learning_steps=st.none() | STEPS,
    relearning_steps=st.none() | STEPS,
    maximum_interval_days=st.none() | st.integers(1, 36_500),
    new_per_day=st.none() | st.integers(0, 9_999),
    reviews_per_day=st.none() | st.integers(0, 9_999),
    leech_threshold=st.none() | st.integers(2, 99),
    bury_siblings=st.none() | st.booleans(),
)


@pytest.mark.parametrize(
    ("text", "steps", "written"),
    [
        ("1m 10m 1d", (60, 600, 86_400), "1m 10m 1d"),
        ("  1M,10 ", (60, 600), "1m 10m"),
        ("90s 60m 24h", (90, 3_600, 86_400), "90s 1h 1d"),
        ("none", (), "none"),
        ("30d", (30 * 86_400,), "30d"),
    ],
)
def test_steps_are_read_and_written(text: str, steps: tuple[int, ...], written: str) -> None:
    read = parse_steps(text, "learning_steps")
    assert [step.total_seconds() for step in read] == list(steps)
    assert format_steps(read) == written


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("10x", "cannot be read"),
        ("ten minutes", "cannot be read"),
        ("1.5h", "cannot be read"),
        ("-1m", "cannot be read"),
        ("none 1m", "cannot be read"),
        ("١m", "cannot be read"),
        ("0m", "cannot be followed"),
        ("31d", "cannot be followed"),
        ("9999999d", "cannot be followed"),
        ("1m " * 11, "cannot be followed"),
    ],
)
def test_other_steps_are_refused_and_the_field_named(text: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said) as refused:
        parse_steps(text, "relearning_steps")
    assert refused.value.field == "relearning_steps"


@given(STEPS)
def test_written_steps_read_as_themselves(steps: tuple[timedelta, ...]) -> None:
    assert parse_steps(format_steps(steps), "learning_steps") == steps


@given(SOME)
def test_written_choices_read_as_themselves(choices: StudyChoices) -> None:
    assert read_choices(write_choices(choices)) == (choices, [])


@given(st.dictionaries(st.sampled_from(CHOICES), st.text(max_size=40)))
def test_no_text_breaks_the_reading_and_what_is_read_can_be_followed(texts: dict[str, str]) -> None:
    choices, errors = read_choices(texts)
    assert {error.field for error in errors} <= set(texts)
    for error in errors:
        assert error.field
        assert getattr(choices, error.field) is None
    settled(choices).scheduling(StudyClock())


def test_all_errors_are_said_at_once() -> None:
    texts = {
        "desired_retention": "99",
        "learning_steps": "soon",
        "relearning_steps": "10m",
        "maximum_interval_days": "0",
        "new_per_day": "-1",
        "reviews_per_day": "10000",
        "leech_threshold": "1",
        "bury_siblings": "perhaps",
    }
    choices, errors = read_choices(texts)
    assert [error.field for error in errors] == [name for name in CHOICES if name != "relearning_steps"]
    assert choices == StudyChoices(relearning_steps=(timedelta(minutes=10),))
    for error in errors:
        assert str(error)


@pytest.mark.parametrize("text", ["90", "90 %", "90%", "90.0", "90,00"])
def test_a_retention_is_a_percentage(text: str) -> None:
    choices, errors = read_choices({"desired_retention": text})
    assert (choices.desired_retention, errors) == (0.9, [])


@pytest.mark.parametrize("text", ["0.9", "69.99", "97.01", "nan", "1e1", "ninety"])
def test_a_retention_out_of_range_is_told_in_percent(text: str) -> None:
    _, (error,) = read_choices({"desired_retention": text})
    assert "from 70 to 97" in str(error)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("desired_retention", 0.69),
        ("desired_retention", float("nan")),
        ("learning_steps", (timedelta(0),)),
        ("maximum_interval_days", 36_501),
        ("new_per_day", -1),
        ("reviews_per_day", 10_000),
        ("leech_threshold", 1),
    ],
)
def test_choices_that_cannot_be_followed_cannot_be_made(name: str, value: Any) -> None:
    with pytest.raises(InvalidInput) as refused:
        StudyChoices(**{name: value})
    assert refused.value.field == name


def test_without_a_choice_the_settings_are_those_of_the_scheduler() -> None:
    clock = StudyClock("Asia/Tokyo", 3)
    assert settled() == settled(StudyChoices(), StudyChoices()) == STANDARD == StudySettings()
    assert STANDARD.scheduling(clock) == SchedulingOptions(clock=clock)


@given(SOME, SOME)
def test_a_deck_goes_before_the_account_and_the_account_before_the_standard(
    account: StudyChoices, deck: StudyChoices
) -> None:
    settings = settled(account, deck)
    for name in CHOICES:
        levels = (getattr(deck, name), getattr(account, name), getattr(STANDARD, name))
        assert getattr(settings, name) == next(value for value in levels if value is not None)


def test_no_steps_at_a_deck_are_a_choice() -> None:
    assert settled(StudyChoices(), StudyChoices(learning_steps=())).learning_steps == ()
    assert settled(StudyChoices(new_per_day=5), StudyChoices(new_per_day=0)).new_per_day == 0


@given(SOME)
def test_a_choice_equal_to_the_standard_is_none(choices: StudyChoices) -> None:
    kept = without(choices, STANDARD)
    assert settled(kept) == settled(choices)
    assert all(getattr(kept, name) != getattr(STANDARD, name) for name in CHOICES)


def test_own_parameters_are_scheduled_with() -> None:
    own = (0.3, *SchedulingOptions().parameters[1:])
    assert settled(parameters=own).scheduling(StudyClock()).parameters == own


def test_remembering_more_costs_more_reviews() -> None:
    loads = [relative_load(share, STANDARD) for share in (0.8, 0.85, 0.9, 0.95, 0.97)]
    assert loads == sorted(loads)
    assert loads[2] == pytest.approx(1)
    # Twice as much is known to be the price of 95 %, and more.
    assert 0.2 < loads[0] < 0.6
    assert 2 < loads[3] < 4
