"""Reads for statistics, of a whole account (`deck_id` None) or of one of its live decks.

What an account answered is read from `answer_count`, which a trigger keeps, so that a million answers cost what a
thousand do; the few answers of a deck are read from the log itself. Cards are summed in SQL by the formulas of
`app.domain` (`app.stats.sql`); study days are counted there by `StudyClock.day_shifts`, in days from 1970-01-01.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta

from app.core.db import fetch
from app.decks.rows import live_deck
from app.domain.calendar import StudyClock
from app.domain.cloze import with_gaps
from app.domain.scheduling import MAX_INTERVAL_DAYS, SchedulingOptions, forgetting_curve
from app.domain.statistics import (
    NOTHING,
    DayTally,
    Forecast,
    Phase,
    Streak,
    Tally,
    accuracy,
    streak,
    true_retention,
)
from app.domain.weak_cards import LOW_RETRIEVABILITY, RECENT_DAYS, Standing, weak_reasons
from app.stats.sql import CARDS, GAP, NEW, SUMS, WEAK
from app.stats.views import Answers, CardFigures, LearningStats, Statistics, WeakCard

HEATMAP_DAYS = 371
"""53 weeks: a year in whole weeks, whatever day it is."""
FORECAST_DAYS = 30
WEAK_CARDS = 10
_STREAK_STEP_DAYS = 100
_DAY_SECONDS = 86_400
_UNIX_DAY = date(1970, 1, 1)


async def statistics(account_id: int, deck_id: int | None, *, options: SchedulingOptions, now: datetime) -> Statistics:
    """Everything for a page. Raises `NotFound`."""
    await _check(account_id, deck_id)
    given = await answers(account_id, deck_id, clock=options.clock, now=now, days=HEATMAP_DAYS)
    return Statistics(
        today=options.clock.study_day(now),
        answers=given,
        streak=await current_streak(account_id, deck_id, clock=options.clock, now=now),
        cards=await card_figures(account_id, deck_id, options=options, now=now),
        weak=await weak_cards(account_id, deck_id, options=options, now=now),
    )


async def learning_stats(
    account_id: int, deck_id: int | None, *, days: int, options: SchedulingOptions, now: datetime
) -> LearningStats:
    """What an AI client is told of the last `days` study days and of what is ahead. Raises `NotFound`."""
    await _check(account_id, deck_id)
    given = await answers(account_id, deck_id, clock=options.clock, now=now, days=days)
    figures = await card_figures(account_id, deck_id, options=options, now=now)
    return LearningStats(
        days=days,
        accuracy=accuracy(given.days),
        retention=true_retention(given.days),
        due_now=figures.due_now,
        due_today=figures.due_today,
        due_7_days=figures.forecast.within(7),
        weak=await weak_cards(account_id, deck_id, options=options, now=now),
    )


async def answers(account_id: int, deck_id: int | None, *, clock: StudyClock, now: datetime, days: int) -> Answers:
    """The answers of the last `days` study days, today included, by day and phase and by the wall's hour."""
    by_day: list[DayTally] = []
    by_hour = [NOTHING] * 24
    for row in await fetch(SUMS[deck_id is not None], *_window(account_id, deck_id, clock, now, days)):
        day, phase, hour, *sums = row
        if day is None:
            by_hour[hour] = Tally(*sums)
        else:
            by_day.append(DayTally(_date(day), Phase(phase), Tally(*sums)))
    return Answers(tuple(by_day), tuple(by_hour))


async def card_figures(
    account_id: int, deck_id: int | None, *, options: SchedulingOptions, now: datetime
) -> CardFigures:
    """Where the cards stand now, and what falls due."""
    of_deck = () if deck_id is None else (deck_id,)
    rows = await fetch(
        CARDS[deck_id is not None],
        *_memory(account_id, options, now),
        now,
        options.clock.end_of(options.clock.study_day(now)),
        FORECAST_DAYS,
        *of_deck,
    )
    [new] = await fetch(NEW[deck_id is not None], account_id, *of_deck)
    due = {row["ahead"]: row["cards"] for row in rows}
    learning, mature = sum(row["learning"] for row in rows), sum(row["mature"] for row in rows)
    return CardFigures(
        new=new["new"],
        learning=learning,
        young=sum(due.values()) - learning - mature,
        mature=mature,
        knowledge=sum(row["knowledge"] for row in rows),
        daily_load=sum(row["load"] for row in rows),
        due_now=sum(row["due_now"] for row in rows),
        forecast=Forecast(due.get(-1, 0), tuple(due.get(day, 0) for day in range(FORECAST_DAYS))),
    )


async def weak_cards(
    account_id: int, deck_id: int | None, *, options: SchedulingOptions, now: datetime, limit: int = WEAK_CARDS
) -> tuple[WeakCard, ...]:
    """The weakest cards first, each with at least one reason."""
    clock = options.clock
    recent = clock.start_of(clock.study_day(now) - timedelta(days=RECENT_DAYS - 1))
    of_deck = () if deck_id is None else (deck_id,)
    rows = await fetch(
        WEAK[deck_id is not None],
        *_memory(account_id, options, now),
        recent,
        limit,
        *_long_ago(options, now),
        *of_deck,
    )
    found: list[WeakCard] = []
    for row in rows:
        standing = Standing(row["leech"], row["lapses"], row["retrievability"], row["difficulty"], row["agains"])
        # A weak card may be the one that a session asks at this moment: its gaps stay gaps.
        where = (row["card_id"], row["deck_id"], row["deck_title"], with_gaps(row["front"]), row["language"])
        found.append(WeakCard(*where, standing, weak_reasons(standing)))
    return tuple(found)


async def current_streak(account_id: int, deck_id: int | None, *, clock: StudyClock, now: datetime) -> Streak:
    """The streak of study days. Each day is looked up by itself, so that a long streak costs no scan of its answers."""
    today = clock.study_day(now)
    of_deck = () if deck_id is None else (deck_id,)
    answered: list[date] = []
    day = today
    while True:
        days = [day - timedelta(days=back) for back in range(_STREAK_STEP_DAYS)]
        bounds = [clock.start_of(each) for each in days], [clock.end_of(each) for each in days]
        [row] = await fetch(GAP[deck_id is not None], account_id, *bounds, *of_deck)
        unbroken = _STREAK_STEP_DAYS if row["gap"] is None else row["gap"] - 1
        answered += days[:unbroken]
        if unbroken == _STREAK_STEP_DAYS:
            day = days[-1] - timedelta(days=1)
        elif day == today and not unbroken:
            day -= timedelta(days=1)  # today without an answer breaks nothing yet
        else:
            return streak(answered, today)


async def _check(account_id: int, deck_id: int | None) -> None:
    if deck_id is not None:
        await live_deck(account_id, deck_id)


def _window(account_id: int, deck_id: int | None, clock: StudyClock, now: datetime, days: int) -> tuple[object, ...]:
    today = clock.study_day(now)
    first = clock.start_of(today - timedelta(days=days - 1))
    common = (account_id, first, clock.end_of(today), *_shifts(clock, today), clock.zone)
    return common if deck_id is None else (*common, deck_id)


def _memory(account_id: int, options: SchedulingOptions, now: datetime) -> tuple[object, ...]:
    exponent, factor = forgetting_curve(options.parameters)
    today = options.clock.study_day(now)
    # The day on which a card is due may lie a long life ahead.
    return account_id, _number(today), *_shifts(options.clock, today + timedelta(MAX_INTERVAL_DAYS)), factor, exponent


def _long_ago(options: SchedulingOptions, now: datetime) -> tuple[float, float]:
    """An instant in Unix time, and seconds for each day of stability.

    Only a card that was last answered more than that many seconds before the instant can be below
    `LOW_RETRIEVABILITY`. The instant is a day late, because study days are coarser than seconds.
    """
    exponent, factor = forgetting_curve(options.parameters)
    days_of_stability = (LOW_RETRIEVABILITY ** (1 / exponent) - 1) / factor
    return now.timestamp() + 2 * _DAY_SECONDS, days_of_stability * _DAY_SECONDS


def _shifts(clock: StudyClock, until: date) -> tuple[list[datetime], list[float]]:
    shifts = clock.day_shifts(until)
    return [shift.since for shift in shifts], [shift.seconds for shift in shifts]


def _number(day: date) -> int:
    return (day - _UNIX_DAY).days


def _date(number: int) -> date:
    return _UNIX_DAY + timedelta(days=number)
