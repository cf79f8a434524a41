"""From statistics to what the page shows: charts with the tables behind them, figures in the reader's language."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from babel.dates import format_date
from babel.numbers import format_decimal
from markupsafe import Markup

from app.domain.errors import N_
from app.domain.statistics import (
    Group,
    Share,
    Tally,
    answer_buttons,
    answers_by_day,
    heat_levels,
    total,
    true_retention,
    within,
)
from app.domain.weak_cards import MANY_AGAINS, RECENT_DAYS, WeakReason
from app.stats.views import Statistics, WeakCard
from app.ui.charts import Bar, Cell, Part, columns, heatmap, nice_ceiling, shares
from app.ui.render import Reader, translate

WINDOWS = (30, 90, 365)

GROUP_NAMES: Mapping[Group, str] = {
    Group.LEARNING: N_("Learning"),
    Group.YOUNG: N_("Young (under 21 days)"),
    Group.MATURE: N_("Mature (21 days or more)"),
}
REASONS: Mapping[WeakReason, str] = {
    WeakReason.LEECH: N_("forgotten %(lapses)s times in review"),
    WeakReason.RECENT_AGAINS: N_("%(agains)s times “Again” in %(days)s days"),
    WeakReason.LOW_RETRIEVABILITY: N_("recalled with a chance of %(chance)s %% now"),
    WeakReason.HIGH_DIFFICULTY: N_("difficulty %(difficulty)s of 10"),
}


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text; the first cell of a row is its heading."""

    caption: str
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawing, the words at its axes, and the table behind it. `top` is the number at the upper end."""

    drawing: Markup
    axis: tuple[str, ...]
    table: Table
    top: str = ""


@dataclass(frozen=True, slots=True)
class ButtonBar:
    """How often each button was pressed for one group of cards."""

    name: str
    answers: str
    drawing: Markup


@dataclass(frozen=True, slots=True)
class WeakLine:
    """A weak card and its reasons in words."""

    card: WeakCard
    reasons: str


@dataclass(frozen=True, slots=True)
class StatisticsScreen:
    """All that `templates/statistics/statistics.html` needs. `empty`: nothing was ever answered."""

    empty: bool
    figures: tuple[tuple[str, str], ...]
    knowledge: str
    retention: Table
    forecast: Chart
    backlog: int
    days: Chart
    buttons: tuple[ButtonBar, ...]
    buttons_table: Table
    hours: Chart
    weak: tuple[WeakLine, ...]


def reason_text(card: WeakCard, reason: WeakReason, reader: Reader) -> str:
    """Why a card is weak, with the figure that says so."""
    standing = card.standing
    return translate(
        reader,
        REASONS[reason],
        lapses=_number(standing.lapses, reader),
        agains=_number(max(standing.agains, MANY_AGAINS), reader),
        days=RECENT_DAYS,
        chance=_number(round(100 * standing.retrievability), reader),
        difficulty=_number(round(standing.difficulty, 1), reader),
    )


def statistics_screen(found: Statistics, reader: Reader) -> StatisticsScreen:
    """The screen for one reader."""
    year = within(found.answers.days, found.today, WINDOWS[-1])
    return StatisticsScreen(
        empty=not found.answers.days and not found.cards.studied,
        figures=_figures(found, reader),
        knowledge=translate(
            reader,
            N_("about %(known)s of %(studied)s studied cards"),
            known=_number(round(found.cards.knowledge), reader),
            studied=_number(found.cards.studied, reader),
        ),
        retention=_retention(found, reader),
        forecast=_forecast(found, reader),
        backlog=found.cards.forecast.backlog,
        days=_days(found, reader),
        buttons=_buttons(answer_buttons(year), reader),
        buttons_table=_buttons_table(answer_buttons(year), reader),
        hours=_hours(found, reader),
        weak=tuple(
            WeakLine(card, " · ".join(reason_text(card, reason, reader) for reason in card.reasons))
            for card in found.weak
        ),
    )


def _figures(found: Statistics, reader: Reader) -> tuple[tuple[str, str], ...]:
    month = total(within(found.answers.days, found.today, WINDOWS[0]))
    seconds = month.seconds_an_answer
    return (
        (translate(reader, N_("Days in a row")), _number(found.streak.days, reader)),
        (translate(reader, N_("Due today")), _number(found.cards.due_today, reader)),
        (translate(reader, N_("Daily load in answers")), _number(round(found.cards.daily_load, 1), reader)),
        (
            translate(reader, N_("Seconds an answer")),
            "–" if seconds is None else _number(round(seconds, 1), reader),
        ),
    )


def _retention(found: Statistics, reader: Reader) -> Table:
    rows: list[tuple[str, ...]] = []
    for days in WINDOWS:
        retention = true_retention(within(found.answers.days, found.today, days))
        parts = (retention.young, retention.mature, retention.all)
        name = translate(reader, N_("Last %(days)s days"), days=_number(days, reader))
        rows.append((name, *(_share(part, reader) for part in parts)))
    headers = (N_("Time"), N_("Young"), N_("Mature"), N_("All"))
    return Table(translate(reader, N_("True retention")), _words(headers, reader), tuple(rows))


def _share(share: Share, reader: Reader) -> str:
    """`87.5 % of 120`, and of few answers their number alone."""
    if share.percent is None:
        return translate(reader, N_("%(part)s of %(whole)s"), part=share.part, whole=share.whole)
    return translate(
        reader,
        N_("%(percent)s %% of %(whole)s"),
        percent=_number(round(share.percent, 1), reader),
        whole=_number(share.whole, reader),
    )


def _forecast(found: Statistics, reader: Reader) -> Chart:
    forecast = found.cards.forecast
    days = [found.today + timedelta(days=ahead) for ahead in range(len(forecast.days))]
    names = [_day(day, reader) for day in days]
    backlog = [forecast.backlog] + [0] * (len(days) - 1)
    bars = [
        Bar(f"{name}: {_number(due + late, reader)}", (Part("backlog", late), Part("due", due)))
        for name, due, late in zip(names, forecast.days, backlog, strict=True)
    ]
    title = translate(reader, N_("Cards due in the next %(days)s days"), days=len(days))
    said = translate(
        reader,
        N_("%(today)s today with the backlog, %(all)s in all; the numbers are in the table."),
        today=_number(found.cards.due_today, reader),
        all=_number(forecast.within(len(days)), reader),
    )
    table = Table(
        title,
        _words((N_("Day"), N_("Due")), reader),
        (
            (translate(reader, N_("Backlog")), _number(forecast.backlog, reader)),
            *((name, _number(due, reader)) for name, due in zip(names, forecast.days, strict=True)),
        ),
    )
    axis = (translate(reader, N_("Today")), names[len(names) // 2], names[-1])
    return Chart(columns("forecast", title, said, bars), axis, table, _top(bars, reader))


def _days(found: Statistics, reader: Reader) -> Chart:
    """The heat map, weeks beginning on Monday, and a table of its months."""
    by_day = answers_by_day(found.answers.days)
    last = found.today
    first = last - timedelta(days=364 + last.weekday())
    levels = heat_levels(by_day.values())
    cells: list[Cell | None] = []
    months: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for place in range((last - first).days + 1):
        day = first + timedelta(days=place)
        answers = by_day.get(day, 0)
        months[day.year, day.month].append(answers)
        cells.append(
            Cell(sum(answers >= level for level in levels), f"{_day(day, reader)}: {_number(answers, reader)}")
        )
    studied = sum(1 for day in by_day if day >= first)
    title = translate(reader, N_("Answers by day"))
    said = translate(
        reader,
        N_("Studied on %(days)s days of the year; the months are in the table."),
        days=_number(studied, reader),
    )
    rows = tuple(
        (
            format_date(date(*month, 1), "MMM y", locale=reader.language),
            _number(sum(map(bool, counts)), reader),
            _number(sum(counts), reader),
        )
        for month, counts in months.items()
    )
    table = Table(title, _words((N_("Month"), N_("Days studied"), N_("Answers")), reader), rows)
    marks = [first + timedelta(days=round(part * (last - first).days / 4)) for part in range(5)]
    axis = tuple(format_date(mark, "MMM", locale=reader.language) for mark in marks)
    return Chart(heatmap("days", title, said, cells), axis, table)


_BUTTONS = (("again", N_("Again")), ("hard", N_("Hard")), ("good", N_("Good")), ("easy", N_("Easy")))


def _buttons(groups: Mapping[Group, Tally], reader: Reader) -> tuple[ButtonBar, ...]:
    bars: list[ButtonBar] = []
    for group, tally in groups.items():
        counts = (tally.again, tally.hard, tally.good, tally.easy)
        parts = tuple(Part(kind, count) for (kind, _), count in zip(_BUTTONS, counts, strict=True))
        tip = ", ".join(
            f"{translate(reader, word)} {_percent(count, tally.answers, reader)}"
            for (_, word), count in zip(_BUTTONS, counts, strict=True)
        )
        name = translate(reader, GROUP_NAMES[group])
        drawing = shares(f"buttons-{group}", name, tip, Bar(tip, parts))
        answers = translate(reader, N_("%(answers)s answers"), answers=_number(tally.answers, reader))
        bars.append(ButtonBar(name, answers, drawing))
    return tuple(bars)


def _buttons_table(groups: Mapping[Group, Tally], reader: Reader) -> Table:
    rows = tuple(
        (
            translate(reader, GROUP_NAMES[group]),
            *(_number(count, reader) for count in (tally.again, tally.hard, tally.good, tally.easy)),
            _share(Share(tally.passed, tally.answers), reader),
        )
        for group, tally in groups.items()
    )
    headers = (N_("Cards"), *(word for _, word in _BUTTONS), N_("Not Again"))
    return Table(translate(reader, N_("Answer buttons")), _words(headers, reader), rows)


def _hours(found: Statistics, reader: Reader) -> Chart:
    hours = found.answers.hours
    names = [f"{hour}:00" for hour in range(24)]
    bars = [
        Bar(f"{name}: {_number(tally.answers, reader)}", (Part("passed", tally.passed), Part("again", tally.again)))
        for name, tally in zip(names, hours, strict=True)
    ]
    title = translate(reader, N_("Answers by hour of the day"))
    busiest = max(range(24), key=lambda hour: hours[hour].answers)
    said = translate(reader, N_("Most answers from %(hour)s on; the numbers are in the table."), hour=names[busiest])
    rows = tuple(
        (name, _number(tally.answers, reader), _share(Share(tally.passed, tally.answers), reader))
        for name, tally in zip(names, hours, strict=True)
        if tally.answers
    )
    table = Table(title, _words((N_("Hour"), N_("Answers"), N_("Not Again")), reader), rows)
    return Chart(columns("hours", title, said, bars), ("0", "6", "12", "18", "24"), table, _top(bars, reader))


def _top(bars: list[Bar], reader: Reader) -> str:
    return _number(nice_ceiling(max(bar.value for bar in bars)), reader)


def _words(messages: tuple[str, ...], reader: Reader) -> tuple[str, ...]:
    return tuple(translate(reader, message) for message in messages)


def _percent(part: int, whole: int, reader: Reader) -> str:
    return f"{_number(round(100 * part / whole) if whole else 0, reader)} %"


def _day(day: date, reader: Reader) -> str:
    return format_date(day, "d MMM", locale=reader.language)


def _number(value: float, reader: Reader) -> str:
    return format_decimal(value, locale=reader.language)
