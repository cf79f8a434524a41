"""Retention, forecast, buttons, hours, counts and knowledge against Anki's own graphs, the same log in both.

The log is a part of a real person's, moved by whole days so that it ends yesterday; the schedule that it leads to is
ours, and Anki is given it and the log as its tables hold them.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from app.accounts.views import AccountView
from app.core import clock, db
from app.domain.calendar import ONE_DAY, StudyClock
from app.domain.scheduling import Rating, Schedule, SchedulingOptions, State, answer
from app.domain.statistics import Group, Phase, answer_buttons, answers_by_day, total, true_retention, within
from app.stats import queries
from tests.areas.deck_makers import make_deck
from tests.factories import make_account
from tests.oracle.conftest import add_card

OPTIONS = SchedulingOptions(clock=StudyClock("UTC", 4))
DAYS = OPTIONS.clock


@dataclass(frozen=True)
class Given:
    """One answer: the card's place, its schedule before and after, and the log's own fields."""

    card: int
    rep: int
    rating: Rating
    at: datetime
    elapsed_ms: int
    before: Schedule
    after: Schedule
    last_interval_days: float | None
    interval_days: float


@dataclass(frozen=True)
class Both:
    """The same in both programs."""

    account: AccountView
    anki: Any
    now: datetime
    cards: int

    def graphs(self) -> Any:
        return self.anki._backend.graphs(search="", days=365)


def answers(data: Path, now: datetime) -> Iterator[Given]:
    with (data / "reviews" / "part_of_fsrs_review_logs.csv").open(encoding="utf-8") as file:
        rows = sorted(csv.DictReader(file), key=lambda row: row["review_time"])
    last = datetime.fromisoformat(rows[-1]["review_time"])
    moved = (DAYS.study_day(now) - DAYS.study_day(last) - ONE_DAY) // ONE_DAY * ONE_DAY
    cards: dict[str, int] = {}
    known: dict[int, tuple[Schedule, float | None]] = {}
    for row in rows:
        card = cards.setdefault(row["card_id"], len(cards))
        before, last_interval = known.get(card, (Schedule.new(), None))
        rating, at = Rating(int(row["review_rating"])), datetime.fromisoformat(row["review_time"]) + moved
        outcome = answer(before, rating, OPTIONS, card_id=card + 1, now=at)
        known[card] = outcome.schedule, outcome.interval_days
        elapsed = int(row["review_duration"])
        yield Given(
            card, before.reps, rating, at, elapsed, before, outcome.schedule, last_interval, outcome.interval_days
        )


@pytest_asyncio.fixture
async def both(rollback: None, anki: Any, data: Path) -> Both:
    now = clock.now()
    given = list(answers(data, now))
    count = max(each.card for each in given) + 1
    account = await make_account(now=now)
    deck_id, ids = await make_deck(account.id, count=count + 5, now=now)
    await _load_ours(account.id, deck_id, ids, given)
    if anki.card_count() == 0:
        _load_anki(anki, given, count + 5)
    return Both(account, anki, now, count)


async def _load_ours(account_id: int, deck_id: int, ids: Sequence[int], given: Sequence[Given]) -> None:
    # The interval before each answer is left to the trigger.
    await db.execute_many(
        "INSERT INTO review (account_id, card_id, deck_id, rep, rating, reviewed_at, elapsed_ms, before, state_before, "
        "due, interval_days, stability, difficulty) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
        [
            (account_id, ids[each.card], deck_id, each.rep, each.rating, each.at, each.elapsed_ms,
             json.dumps({"due": _text(each.before.due), "last_review": _text(each.before.last_review)}),
             each.before.state, each.after.due, each.interval_days, each.after.stability, each.after.difficulty)
            for each in given
        ],
    )  # fmt: skip
    last = {each.card: each.after for each in given}
    await db.execute_many(
        "UPDATE card_schedule SET state = $3, step = $4, due = $5, stability = $6, difficulty = $7, last_review = $8, "
        "reps = $9, lapses = $10 WHERE account_id = $1 AND card_id = $2",
        [
            (account_id, ids[card], s.state, s.step, s.due, s.stability, s.difficulty, s.last_review, s.reps, s.lapses)
            for card, s in last.items()
        ],
    )


def _text(instant: datetime | None) -> str | None:
    return instant.isoformat() if instant else None


def _load_anki(anki: Any, given: Sequence[Given], count: int) -> None:
    ids = [add_card(anki, f"front {number}") for number in range(count)]
    taken: set[int] = set()
    for each in given:
        key = int(each.at.timestamp() * 1000)
        while key in taken:
            key += 1
        taken.add(key)
        kind = {State.NEW: 0, State.LEARNING: 0, State.REVIEW: 1, State.RELEARNING: 2}[each.before.state]
        anki.db.execute(
            "INSERT INTO revlog VALUES (?, ?, 0, ?, ?, ?, 2500, ?, ?)",
            key, ids[each.card], int(each.rating), _anki_interval(each.interval_days),
            _anki_interval(each.last_interval_days or 0), min(each.elapsed_ms, 60_000), kind,
        )  # fmt: skip
    today, first_day = DAYS.study_day(clock.now()), anki.sched.today
    for card, s in {each.card: each.after for each in given}.items():
        assert s.due
        assert s.last_review
        review = s.state is State.REVIEW
        interval = DAYS.days_between(s.last_review, s.due) if review else 0
        due = first_day + (DAYS.study_day(s.due) - today).days if review else int(s.due.timestamp())
        memory = {"s": s.stability, "d": s.difficulty, "dr": 0.9, "lrt": int(s.last_review.timestamp())}
        anki.db.execute(
            "UPDATE cards SET type = ?, queue = ?, ivl = ?, due = ?, left = 1, reps = ?, lapses = ?, data = ? "
            "WHERE id = ?",
            int(s.state), 2 if review else 1, interval, due, s.reps, s.lapses,
            json.dumps(memory | {"decay": OPTIONS.parameters[20]}), ids[card],
        )  # fmt: skip


def _anki_interval(days: float) -> int:
    """Whole days, or seconds as a negative number."""
    return int(days) if days >= 1 else -round(days * 86_400)


async def test_true_retention(both: Both) -> None:
    ours = (await queries.answers(both.account.id, None, clock=DAYS, now=both.now, days=365)).days
    theirs = both.graphs().true_retention
    for days, window in ((1, theirs.today), (7, theirs.week), (30, theirs.month), (365, theirs.year)):
        found = true_retention(within(ours, DAYS.study_day(both.now), days))
        assert (found.young.part, found.young.whole - found.young.part) == (window.young_passed, window.young_failed)
        assert (found.mature.part, found.mature.whole - found.mature.part) == (
            window.mature_passed,
            window.mature_failed,
        )
    assert found.young.whole > 300
    assert found.mature.whole > 0


async def test_answer_buttons_and_hours(both: Both) -> None:
    graphs = both.graphs()
    for days, buttons, hours in (
        (30, graphs.buttons.one_month, graphs.hours.one_month),
        (90, graphs.buttons.three_months, graphs.hours.three_months),
        (365, graphs.buttons.one_year, graphs.hours.one_year),
    ):
        ours = await queries.answers(both.account.id, None, clock=DAYS, now=both.now, days=days)
        for group, tally in answer_buttons(ours.days).items():
            theirs = {Group.LEARNING: buttons.learning, Group.YOUNG: buttons.young, Group.MATURE: buttons.mature}[group]
            assert [tally.again, tally.hard, tally.good, tally.easy] == list(theirs)
        assert [(tally.answers, tally.passed) for tally in ours.hours] == [(h.total, h.correct) for h in hours]
    assert total(ours.days).answers > 1000


async def test_answers_and_time_by_day(both: Both) -> None:
    ours = (await queries.answers(both.account.id, None, clock=DAYS, now=both.now, days=365)).days
    today = DAYS.study_day(both.now)
    theirs = both.graphs().reviews
    counts = {today + timedelta(days=day): _sum(each) for day, each in theirs.count.items()}
    assert answers_by_day(ours) == dict(sorted(counts.items()))
    milliseconds = {today + timedelta(days=day): _sum(each) for day, each in theirs.time.items()}
    found: Counter[Any] = Counter()
    for each in ours:
        found[each.day] += each.tally.elapsed_ms
    assert dict(found) == milliseconds
    mature = sum(each.mature for each in theirs.count.values())
    assert sum(each.tally.answers for each in ours if each.phase is Phase.MATURE) == mature


def _sum(day: Any) -> int:
    return int(day.learn + day.relearn + day.young + day.mature + day.filtered)


async def test_forecast_and_load(both: Both) -> None:
    ours = await queries.card_figures(both.account.id, None, options=OPTIONS, now=both.now)
    theirs = both.graphs().future_due
    due = dict(theirs.future_due)
    assert ours.forecast.backlog == sum(cards for day, cards in due.items() if day < 0)
    assert list(ours.forecast.days) == [due.get(day, 0) for day in range(queries.FORECAST_DAYS)]
    assert int(ours.daily_load) == theirs.daily_load  # cut to a whole number there
    assert sum(ours.forecast.days) > 0


async def test_counts_of_cards_and_estimated_knowledge(both: Both) -> None:
    ours = await queries.card_figures(both.account.id, None, options=OPTIONS, now=both.now)
    graphs = both.graphs()
    counts = graphs.card_counts.including_inactive
    assert (ours.new, ours.young, ours.mature) == (counts.newCards, counts.young, counts.mature)
    assert ours.learning == counts.learn + counts.relearn
    assert ours.studied == both.cards
    # Anki counts seconds since the answer here, not study days.
    assert ours.knowledge == pytest.approx(graphs.retrievability.sum_by_card, rel=0.02)
