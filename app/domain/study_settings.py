"""How a person wants to study: what may be chosen for an account and for one of its decks, and how the two add up.

What is not chosen for a deck is as chosen for the account, and what is not chosen there has the standard value.
Steps are written as `1m 10m 1d`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from datetime import timedelta
from typing import Any, Final

from app.domain.calendar import StudyClock
from app.domain.errors import N_, InvalidInput
from app.domain.scheduling import SchedulingOptions, exact_interval_days

MOST_PER_DAY = 9_999
LEAST_LEECH_LAPSES, MOST_LEECH_LAPSES = 2, 99
NO_STEPS = "none"

_UNITS: Final[Mapping[str, timedelta]] = {
    "d": timedelta(days=1),
    "h": timedelta(hours=1),
    "m": timedelta(minutes=1),
    "s": timedelta(seconds=1),
}
_STEP = re.compile(r"([0-9]{1,7})([smhd])")
_WHOLE = re.compile(r"[0-9]{1,9}")
_PERCENT = re.compile(r"([0-9]{1,3}(?:[.,][0-9]{1,2})?) ?%?")
_STANDARD = SchedulingOptions()


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyChoices:
    """What was chosen for an account or for a deck; None is left to the level above.

    Raises InvalidInput, naming the field, for a value that no schedule can follow.
    """

    new_per_day: int | None = None
    reviews_per_day: int | None = None
    desired_retention: float | None = None
    learning_steps: tuple[timedelta, ...] | None = None
    relearning_steps: tuple[timedelta, ...] | None = None
    maximum_interval_days: int | None = None
    leech_threshold: int | None = None
    bury_siblings: bool | None = None

    def __post_init__(self) -> None:
        for name, check in _CHECKS.items():
            value = getattr(self, name)
            if value is not None:
                check(name, value)


@dataclass(frozen=True, slots=True, kw_only=True)
class StudySettings:
    """What holds for a deck, or for an account as a whole. `parameters` None: the standard set of FSRS-6.

    `new_per_day` and `reviews_per_day` are limits of one deck and one study day. `leech_threshold` is the number of
    lapses at which a card counts as a leech.
    """

    new_per_day: int = 20
    reviews_per_day: int = 200
    desired_retention: float = _STANDARD.desired_retention
    learning_steps: tuple[timedelta, ...] = _STANDARD.learning_steps
    relearning_steps: tuple[timedelta, ...] = _STANDARD.relearning_steps
    maximum_interval_days: int = _STANDARD.maximum_interval_days
    leech_threshold: int = 8
    bury_siblings: bool = True
    parameters: tuple[float, ...] | None = None

    def scheduling(self, clock: StudyClock) -> SchedulingOptions:
        """The options with which the cards are scheduled in the study days of `clock`."""
        return SchedulingOptions(
            clock=clock,
            desired_retention=self.desired_retention,
            learning_steps=self.learning_steps,
            relearning_steps=self.relearning_steps,
            maximum_interval_days=self.maximum_interval_days,
            parameters=self.parameters or _STANDARD.parameters,
        )


STANDARD: Final = StudySettings()
CHOICES: Final = tuple(field.name for field in fields(StudyChoices))
STEPS: Final = ("learning_steps", "relearning_steps")


def settled(*levels: StudyChoices, parameters: tuple[float, ...] | None = None) -> StudySettings:
    """What holds when `levels` were chosen, the account first and the deck after it: the last choice wins."""
    values: dict[str, Any] = {}
    for level in levels:
        for name in CHOICES:
            value = getattr(level, name)
            if value is not None:
                values[name] = value
    return StudySettings(**values, parameters=parameters)


def without(choices: StudyChoices, standard: StudySettings) -> StudyChoices:
    """The choices that differ from `standard`, so that the others follow it when it changes."""
    return StudyChoices(
        **{name: value for name in CHOICES if (value := getattr(choices, name)) != getattr(standard, name)}
    )


def relative_load(retention: float, settings: StudySettings) -> float:
    """Reviews at `retention` for each review at the desired retention of `settings`, stability being equal.

    The inverse ratio of the intervals after which the forgetting curve of the settings' parameters reaches the two.
    """
    parameters = settings.parameters or _STANDARD.parameters
    there, here = (
        exact_interval_days(1.0, SchedulingOptions(desired_retention=share, parameters=parameters))
        for share in (retention, settings.desired_retention)
    )
    return here / there


def parse_steps(text: str, field: str) -> tuple[timedelta, ...]:
    """`1m 10m 1d` as intervals; `none` is no step. Raises InvalidInput with `field`.

    A number has one of the units s, m, h and d; without one it means minutes, as in Anki. Commas may separate.
    """
    words = text.casefold().replace(",", " ").split()
    if words == [NO_STEPS]:
        return ()
    steps: list[timedelta] = []
    for word in words:
        found = _STEP.fullmatch(word if word[-1:].isalpha() else word + "m")
        if found is None:
            raise InvalidInput(
                N_("These steps cannot be read."),
                N_("Write numbers with s, m, h or d, such as 1m 10m 1d, or none for no steps."),
                field=field,
            )
        steps.append(int(found.group(1)) * _UNITS[found.group(2)])
    _check_scheduling(field, tuple(steps))
    return tuple(steps)


def format_steps(steps: tuple[timedelta, ...]) -> str:
    """Steps as `parse_steps` reads them, each in the largest unit that divides it."""
    return " ".join(map(_step_text, steps)) or NO_STEPS


def _step_text(step: timedelta) -> str:
    unit, length = next(((unit, length) for unit, length in _UNITS.items() if not step % length), ("s", _UNITS["s"]))
    return f"{step // length}{unit}"


def read_choices(texts: Mapping[str, str]) -> tuple[StudyChoices, list[InvalidInput]]:
    """Choices as a person types them, by the names of `StudyChoices`.

    An empty text leaves the choice to the level above. The retention is in percent. With them come all the errors, in
    the order of the fields; a field with an error is left unchosen.
    """
    values: dict[str, Any] = {}
    errors: list[InvalidInput] = []
    for name in CHOICES:
        text = texts.get(name, "").strip()
        if not text:
            continue
        try:
            values[name] = _READ[name](text, name)
            StudyChoices(**{name: values[name]})
        except InvalidInput as error:
            values.pop(name, None)
            errors.append(error)
    return StudyChoices(**values), errors


def write_choices(choices: StudyChoices | StudySettings) -> dict[str, str]:
    """The texts that `read_choices` reads, empty for what is not chosen."""
    texts: dict[str, str] = {}
    for name in CHOICES:
        value = getattr(choices, name)
        if value is None:
            texts[name] = ""
        elif name == "desired_retention":
            texts[name] = f"{value * 100:.2f}".rstrip("0").rstrip(".")
        elif name in STEPS:
            texts[name] = format_steps(value)
        else:
            texts[name] = str(int(value))
    return texts


def _read_percent(text: str, field: str) -> float:
    found = _PERCENT.fullmatch(text)
    if found is None:
        raise _retention_error(field)
    return round(float(found.group(1).replace(",", ".")) / 100, 4)


def _read_whole(text: str, field: str) -> int:
    if not _WHOLE.fullmatch(text):
        raise InvalidInput(N_("A whole number is needed here."), field=field)
    return int(text)


def _read_switch(text: str, field: str) -> bool:
    if text not in {"0", "1"}:
        raise InvalidInput(N_("This is not one of the choices."), field=field)
    return text == "1"


_READ: Final[Mapping[str, Callable[[str, str], Any]]] = {
    "desired_retention": _read_percent,
    "learning_steps": parse_steps,
    "relearning_steps": parse_steps,
    "maximum_interval_days": _read_whole,
    "new_per_day": _read_whole,
    "reviews_per_day": _read_whole,
    "leech_threshold": _read_whole,
    "bury_siblings": _read_switch,
}


def _retention_error(field: str) -> InvalidInput:
    return InvalidInput(N_("The desired retention is out of range."), N_("Give a number from 70 to 97."), field=field)


def _check_retention(name: str, value: float) -> None:
    try:
        _check_scheduling(name, value)
    except InvalidInput:
        raise _retention_error(name) from None


def _check_scheduling(name: str, value: Any) -> None:
    SchedulingOptions(**{name: value})


def _check_range(least: int, most: int) -> Callable[[str, int], None]:
    def check(name: str, value: int) -> None:
        if not least <= value <= most:
            raise InvalidInput(
                N_("This number is out of range."),
                N_("Give a whole number from %(least)s to %(most)s."),
                field=name,
                least=least,
                most=most,
            )

    return check


_CHECKS: Final[Mapping[str, Callable[[str, Any], None]]] = {
    "desired_retention": _check_retention,
    "learning_steps": _check_scheduling,
    "relearning_steps": _check_scheduling,
    "maximum_interval_days": _check_scheduling,
    "new_per_day": _check_range(0, MOST_PER_DAY),
    "reviews_per_day": _check_range(0, MOST_PER_DAY),
    "leech_threshold": _check_range(LEAST_LEECH_LAPSES, MOST_LEECH_LAPSES),
}
