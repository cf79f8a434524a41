"""The decks of the demo account, and a past of reviews that makes the account look like one in use.

The texts are files under `data`, with their sources beside them. Nothing here writes anything.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from importlib.resources import files
from random import Random
from typing import Final

import msgspec

from app.domain.calendar import ONE_DAY
from app.domain.scheduling import Rating, Schedule, SchedulingOptions, State, answer, is_due

HISTORY_DAYS: Final = 45


@dataclass(frozen=True, slots=True)
class DemoCard:
    """The text of a card within the limits of `app.domain.cards`; a rich side is sanitised HTML or None."""

    front: str
    back: str
    front_rich: str | None = None
    back_rich: str | None = None
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DemoDeck:
    """A deck, the language tag of its backs, the title of its collection, and its cards in order of introduction."""

    title: str
    description: str
    language: str
    collection: str
    cards: tuple[DemoCard, ...]


@cache
def demo_decks() -> tuple[DemoDeck, ...]:
    """Every deck of the demo account, in the order in which to create them."""
    return (
        _capitals("English", "en", "capital"),
        _capitals("Deutsch", "de", "capital:de"),
        _capitals("日本語", "ja", "capital:ja"),
        _from_json("japanese.json"),
        _from_json("science.json"),
        _from_json("memory.json"),
    )


def _capitals(language_name: str, language: str, column: str) -> DemoDeck:
    text = files("app.demo").joinpath("data", "capitals.csv").read_text(encoding="utf-8")
    cards = tuple(
        DemoCard(row["country"], row[column], tags=_regions(row["tags"]))
        for row in csv.DictReader(text.splitlines())
        if row["country"] and row[column]
    )
    return DemoDeck(
        title=f"World capitals: {language_name}",
        description=f"Countries and territories of the world; the answer is the capital in {language_name}.",
        language=language,
        collection="Geography",
        cards=cards,
    )


def _regions(tags: str) -> tuple[str, ...]:
    """`UG::European_Union, UG::Sovereign_State` as `("European Union",)`: what nearly every card has tells nothing."""
    labels = (tag.strip().removeprefix("UG::").replace("_", " ") for tag in tags.split(","))
    return tuple(label for label in labels if label != "Sovereign State")


def _from_json(name: str) -> DemoDeck:
    return msgspec.json.decode(files("app.demo").joinpath("data", name).read_bytes(), type=DemoDeck)


# How the decks were studied. A person studies in the evening, one deck after the other, and stays away now and then.


@dataclass(frozen=True, slots=True)
class _Habit:
    """New cards a day, how many days ago the deck was begun, and when in the evening its turn comes."""

    new_per_day: int
    first_day_ago: int
    starts_after_minutes: int


# So few new cards a day that each deck still has some today.
_HABITS: Final = {
    "World capitals: English": _Habit(new_per_day=4, first_day_ago=45, starts_after_minutes=0),
    "Japanese vocabulary": _Habit(new_per_day=3, first_day_ago=43, starts_after_minutes=45),
    "Science: ideas and common mistakes": _Habit(new_per_day=2, first_day_ago=28, starts_after_minutes=90),
}
# Cumulated: 10 in 100 answers are Again, 8 Hard, 70 Good, 12 Easy.
_RATING_BOUNDS: Final = ((0.10, Rating.AGAIN), (0.18, Rating.HARD), (0.88, Rating.GOOD), (1.0, Rating.EASY))
_EVENING_HOUR: Final = 19
_LATEST_START: Final = timedelta(hours=19)
"""After the beginning of the study day, so that three decks end within it even on a day of 23 hours."""
_LONGEST_SESSION: Final = timedelta(minutes=40)
_DEFAULTS: Final = SchedulingOptions()


def history(
    deck: DemoDeck, seed: int, now: datetime, *, options: SchedulingOptions = _DEFAULTS
) -> list[tuple[int, datetime, Rating]]:
    """The reviews of the 45 study days before today: index of the card, instant in UTC, rating; in order of time.

    Each happens when the card is due by the rules of `app.domain.scheduling`, in the evening of the clock of `options`,
    none of them today. An account in which they are answered again has cards due today. The same arguments give the
    same list, and one seed makes the days off the same for every deck. A deck that was not begun has no reviews.
    """
    habit = _HABITS.get(deck.title)
    if habit is None:
        return []
    random = _random(seed, deck.title)
    schedules: dict[int, Schedule] = {}
    reviews: list[tuple[int, datetime, Rating]] = []
    for days_ago, evening in _evenings(seed, now, options):
        if days_ago > habit.first_day_ago:
            continue
        begin = evening + timedelta(minutes=habit.starts_after_minutes + 5 * random.random())
        first_new = len(schedules)
        last_new = min(first_new + habit.new_per_day, len(deck.cards))
        schedules |= {index: Schedule.new() for index in range(first_new, last_new)}
        for index, at in _session(schedules, begin, random, options):
            rating = _rating(random.random())
            schedules[index] = answer(schedules[index], rating, options, card_id=index, now=at).schedule
            reviews.append((index, at, rating))
    return reviews


def _evenings(seed: int, now: datetime, options: SchedulingOptions) -> Iterator[tuple[int, datetime]]:
    """How many days ago the person studied and when that evening began, the earliest first."""
    random = _random(seed, "days")
    today = options.clock.study_day(now)
    after_rollover = timedelta(hours=(_EVENING_HOUR - options.clock.rollover_hour) % 24)
    pause_ends_ago = 12 + int(10 * random.random())
    for days_ago in range(HISTORY_DAYS, 0, -1):
        chance, late = random.random(), timedelta(minutes=50 * random.random())
        pause = pause_ends_ago <= days_ago < pause_ends_ago + 4
        # The first day begins the account, and the last ones are a streak to keep up.
        always = days_ago in {HISTORY_DAYS, 1, 2, 3}
        if always or (not pause and chance > 0.1):
            begin = options.clock.start_of(today - days_ago * ONE_DAY) + min(after_rollover, _LATEST_START)
            yield days_ago, begin + late


def _session(
    schedules: dict[int, Schedule], at: datetime, random: Random, options: SchedulingOptions
) -> Iterator[tuple[int, datetime]]:
    """The cards to answer and when; the caller enters each answer in `schedules` before it asks for the next."""
    end = at + _LONGEST_SESSION
    in_review = sorted(
        (schedule.due, index)
        for index, schedule in schedules.items()
        if schedule.due and schedule.state is State.REVIEW and is_due(schedule, options.clock, at)
    )
    new = [index for index, schedule in schedules.items() if schedule.state is State.NEW]
    queue = [*(index for _, index in in_review), *new]
    while at < end:
        steps = [
            (schedule.due, index)
            for index, schedule in schedules.items()
            if schedule.due and schedule.state in {State.LEARNING, State.RELEARNING}
        ]
        due, learning = min(steps, default=(None, -1))
        if due and (due <= at or not queue):
            at, index = max(at, due), learning
            if at >= end:
                return
        elif queue:
            index = queue.pop(0)
        else:
            return
        yield index, at
        at += timedelta(seconds=round(4 + 12 * random.random(), 1))


def _rating(chance: float) -> Rating:
    return next(rating for bound, rating in _RATING_BOUNDS if chance < bound)


def _random(seed: int, part: str) -> Random:
    return Random(f"{seed}/{part}")  # noqa: S311 - a story that can be told again, not a secret
