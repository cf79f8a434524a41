"""What SQL sums up against the definitions of `app.domain`, on histories made through the commands."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from asyncpg import Record
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.core import db
from app.domain.calendar import StudyClock
from app.domain.errors import NotFound
from app.domain.scheduling import Rating, Schedule, SchedulingOptions, State, retrievability
from app.domain.statistics import (
    DayTally,
    Share,
    Tally,
    accuracy,
    daily_load,
    estimated_knowledge,
    forecast,
    phase_of,
    true_retention,
)
from app.domain.weak_cards import Standing, WeakReason, weak_reasons, weakness
from app.stats import queries
from app.study.answers import take_back
from app.study.rows import schedule_of as schedule_in
from tests.areas.answering import answer_card
from tests.areas.deck_makers import make_deck
from tests.factories import NOW, make_account

BERLIN = SchedulingOptions(
    clock=StudyClock("Europe/Berlin", 4), learning_steps=(timedelta(minutes=1), timedelta(days=2)), fuzz=False
)
NUMBERS = itertools.count()


async def study_days(account_id: int, card_ids: Iterable[int], seed: int, options: SchedulingOptions = BERLIN) -> None:
    """Answers of half a year up to now, some much too late; days without any."""
    draw = random.Random(seed)  # noqa: S311 - histories, not secrets
    for card_id in card_ids:
        moment = NOW - timedelta(days=draw.uniform(100, 200))
        for _ in range(draw.randint(1, 14)):
            rating = draw.choices(list(Rating), (30, 10, 50, 10))[0]
            elapsed = draw.choice([None, draw.randint(500, 90_000)])
            done = await answer_card(account_id, card_id, rating, elapsed_ms=elapsed, options=options, now=moment)
            due = done.outcome.schedule.due
            assert due
            moment = max(due, moment) + timedelta(minutes=draw.uniform(0, 3000))
            if moment > NOW:
                break


async def log_of(account_id: int, deck_id: int | None = None) -> list[Record]:
    rows = await db.fetch("SELECT * FROM review WHERE account_id = $1 ORDER BY card_id, rep", account_id)
    return [row for row in rows if deck_id in {None, row["deck_id"]}]


def tallies_of(rows: Iterable[Record], clock: StudyClock, days: int, now: datetime = NOW) -> list[DayTally]:
    """The log by the definitions: the last interval is what the answer before gave."""
    found: list[DayTally] = []
    last: Record | None = None
    for row in rows:
        same = last is not None and last["card_id"] == row["card_id"]
        phase = phase_of(State(row["state_before"]), last["interval_days"] if same and last else None)
        tally = Tally.of(Rating(row["rating"]), row["elapsed_ms"])
        found.append(DayTally(clock.study_day(row["reviewed_at"]), phase, tally))
        last = row
    return [each for each in found if clock.study_day(now) - timedelta(days=days - 1) <= each.day]


def summed(tallies: Iterable[DayTally]) -> dict[tuple[object, ...], Tally]:
    sums: dict[tuple[object, ...], Tally] = {}
    for each in tallies:
        sums[each.day, each.phase] = sums.get((each.day, each.phase), Tally()) + each.tally
    return sums


@pytest.mark.parametrize("zone", ["Europe/Berlin", "Asia/Kathmandu", "America/St_Johns"])
async def test_sums_by_day_are_those_of_the_log(rollback: None, zone: str) -> None:
    alice = await make_account()
    one, cards = await make_deck(alice.id, "One", count=25)
    _, more = await make_deck(alice.id, "Two", count=10)
    options = replace(BERLIN, clock=StudyClock(zone, 4))
    await study_days(alice.id, (*cards, *more), seed=1, options=options)
    for deck_id, days in itertools.product((None, one), (7, 90, 371)):
        log = await log_of(alice.id, deck_id)
        expected = tallies_of(log, options.clock, days)
        found = await queries.answers(alice.id, deck_id, clock=options.clock, now=NOW, days=days)
        assert summed(found.days) == summed(expected)
        assert len(found.days) == len(summed(expected))
        assert true_retention(found.days) == true_retention(expected)
        hours = Counter(
            row["reviewed_at"].astimezone(ZoneInfo(zone)).hour
            for row in log
            if options.clock.study_day(row["reviewed_at"]) > options.clock.study_day(NOW) - timedelta(days=days)
        )
        assert {hour: tally.answers for hour, tally in enumerate(found.hours) if tally.answers} == dict(hours)
    assert true_retention(expected).all.whole > 30
    assert true_retention(expected).mature.whole > 0


async def test_figures_of_cards_are_those_of_their_schedules(rollback: None) -> None:
    alice = await make_account()
    one, cards = await make_deck(alice.id, "One", count=40)
    _, more = await make_deck(alice.id, "Two", count=5)
    await study_days(alice.id, (*cards[:35], *more), seed=2)
    clock, today = BERLIN.clock, BERLIN.clock.study_day(NOW)
    rows = await db.fetch("SELECT * FROM card_schedule WHERE account_id = $1", alice.id)
    for deck_id in (None, one):
        schedules = [schedule_in(row) for row in rows if deck_id in {None, row["deck_id"]}]
        studied = [schedule for schedule in schedules if schedule.state is not State.NEW]
        found = await queries.card_figures(alice.id, deck_id, options=BERLIN, now=NOW)
        intervals = {id(schedule): interval_days(schedule, clock) for schedule in studied}
        assert found.new == len(schedules) - len(studied) > 0
        assert found.learning == sum(schedule.state is not State.REVIEW for schedule in studied) > 0
        mature = [s for s in studied if s.state is State.REVIEW and intervals[id(s)] >= 21]
        assert found.mature == len(mature) > 0
        assert found.young == len(studied) - found.learning - found.mature > 0
        recall = [retrievability(schedule, BERLIN, NOW) or 0 for schedule in studied]
        assert found.knowledge == pytest.approx(estimated_knowledge(recall), rel=1e-12)
        load = daily_load(intervals[id(s)] if s.state is State.REVIEW else 1 for s in studied)
        assert found.daily_load == pytest.approx(load, rel=1e-12)
        ahead = [(clock.study_day(s.due) - today).days for s in studied if s.due]
        assert found.forecast == forecast(ahead, queries.FORECAST_DAYS)
        assert found.forecast.backlog > 0
        assert found.due_now <= found.due_today


def interval_days(schedule: Schedule, clock: StudyClock) -> int:
    assert schedule.due
    assert schedule.last_review
    return clock.days_between(schedule.last_review, schedule.due)


async def test_weak_cards_are_the_weakest_by_the_definition(rollback: None) -> None:
    alice = await make_account()
    one, cards = await make_deck(alice.id, "One", count=40)
    await study_days(alice.id, cards, seed=3)
    await db.execute("UPDATE card_schedule SET lapses = 9, leech = true WHERE card_id = $1", cards[4])
    await db.execute(
        "UPDATE card_schedule SET difficulty = 2, stability = 900, lapses = 0 WHERE card_id > $1", cards[9]
    )
    expected: list[tuple[tuple[float, ...], int, Standing]] = []
    recent = BERLIN.clock.start_of(BERLIN.clock.study_day(NOW) - timedelta(days=29))
    log = await log_of(alice.id)
    for row in await db.fetch("SELECT * FROM card_schedule WHERE account_id = $1 AND state > 0", alice.id):
        agains = sum(r["card_id"] == row["card_id"] and r["rating"] == 1 and r["reviewed_at"] >= recent for r in log)
        recall = retrievability(schedule_in(row), BERLIN, NOW)
        assert recall is not None
        standing = Standing(row["leech"], row["lapses"], recall, row["difficulty"], agains)
        if weak_reasons(standing):
            expected.append((weakness(standing), row["card_id"], standing))
    expected.sort(key=lambda entry: (*(-part for part in entry[0]), entry[1]))
    for deck_id, limit in itertools.product((None, one), (3, 100)):
        found = await queries.weak_cards(alice.id, deck_id, options=BERLIN, now=NOW, limit=limit)
        assert [card.card_id for card in found] == [card_id for _, card_id, _ in expected[:limit]]
        for card, (_, _, standing) in zip(found, expected, strict=False):
            assert card.standing.retrievability == pytest.approx(standing.retrievability)
            assert replace(card.standing, retrievability=0) == replace(standing, retrievability=0)
            assert card.reasons == weak_reasons(standing)
            assert card.front.startswith("front")
    assert any(WeakReason.LEECH in card.reasons for card in found)
    assert 3 < len(expected) < 40


async def test_all_together_for_an_account_a_deck_and_an_ai_client(rollback: None) -> None:
    alice = await make_account()
    one, cards = await make_deck(alice.id, "One", count=12)
    await make_deck(alice.id, "Empty")
    await study_days(alice.id, cards, seed=4)
    for deck_id in (None, one):
        page = await queries.statistics(alice.id, deck_id, options=BERLIN, now=NOW)
        told = await queries.learning_stats(alice.id, deck_id, days=30, options=BERLIN, now=NOW)
        month = tallies_of(await log_of(alice.id), BERLIN.clock, 30)
        assert told.accuracy == accuracy(month)
        assert told.retention == true_retention(month)
        assert (told.due_now, told.due_today) == (page.cards.due_now, page.cards.due_today)
        assert told.due_7_days == page.cards.forecast.within(7) >= told.due_today
        assert told.weak == page.weak
        assert page.today == BERLIN.clock.study_day(NOW)


async def test_an_account_without_an_answer_has_figures_of_nothing(rollback: None) -> None:
    alice = await make_account()
    deck_id, _ = await make_deck(alice.id, "One", count=3)
    for deck in (None, deck_id):
        page = await queries.statistics(alice.id, deck, options=BERLIN, now=NOW)
        assert page.answers.days == ()
        assert page.streak.days == 0
        assert (page.cards.new, page.cards.studied, page.cards.knowledge, page.cards.daily_load) == (3, 0, 0, 0)
        assert page.weak == ()
        assert true_retention(page.answers.days).all == Share(0, 0)


async def test_another_persons_deck_a_deleted_one_and_none_are_the_same(rollback: None) -> None:
    alice, bob = await make_account(), await make_account("bob@example.org")
    deck_id, cards = await make_deck(alice.id, count=3)
    await study_days(alice.id, cards, seed=5)
    for deck in (deck_id, 987_654, 2**70):
        with pytest.raises(NotFound):
            await queries.statistics(bob.id, deck, options=BERLIN, now=NOW)
        with pytest.raises(NotFound):
            await queries.learning_stats(bob.id, deck, days=30, options=BERLIN, now=NOW)
    page = await queries.statistics(bob.id, None, options=BERLIN, now=NOW)
    assert (page.answers.days, page.cards.studied, page.weak) == ((), 0, ())


async def test_a_streak_longer_than_the_heat_map_is_told_whole(rollback: None) -> None:
    alice = await make_account()
    deck_id, (card_id,) = await make_deck(alice.id, count=1)
    clock = BERLIN.clock
    for ago in range(400, 0, -1):
        moment = clock.start_of(clock.study_day(NOW) - timedelta(days=ago))
        await answer_card(alice.id, card_id, Rating.GOOD, elapsed_ms=1, options=BERLIN, now=moment)
    for deck in (None, deck_id):
        found = (await queries.statistics(alice.id, deck, options=BERLIN, now=NOW)).streak
        assert (found.days, found.today_done) == (400, False)


async def counts_of(account_id: int) -> list[tuple[object, ...]]:
    rows = await db.fetch(
        "SELECT quarter, phase, again, hard, good, easy, elapsed_ms, timed FROM answer_count "
        "WHERE account_id = $1 AND again + hard + good + easy + timed <> 0 ORDER BY 1, 2",
        account_id,
    )
    return [tuple(row) for row in rows]


async def counts_anew(account_id: int) -> list[tuple[object, ...]]:
    rows = await db.fetch(
        "SELECT date_bin('15 minutes', reviewed_at, '2000-01-01 00:00:00+00'), phase, "
        "count(*) FILTER (WHERE rating = 1), count(*) FILTER (WHERE rating = 2), count(*) FILTER (WHERE rating = 3), "
        "count(*) FILTER (WHERE rating = 4), coalesce(sum(elapsed_ms), 0), count(elapsed_ms) "
        "FROM review WHERE account_id = $1 GROUP BY 1, 2 ORDER BY 1, 2",
        account_id,
    )
    return [tuple(row) for row in rows]


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    commands=st.lists(
        st.tuples(st.sampled_from(["answer", "answer", "undo", "erase", "edit"]), st.integers(0, 3), st.integers(1, 4)),
        max_size=25,
    )
)
async def test_counts_follow_whatever_happens_to_the_log(commands: list[tuple[str, int, int]], rollback: None) -> None:
    alice = await make_account(f"{next(NUMBERS)}@example.org")
    _, cards = await make_deck(alice.id, count=4)
    kept: list[tuple[int, int]] = []
    there = set(cards)
    moment = NOW - timedelta(hours=3)
    for what, which, rating in commands:
        moment += timedelta(minutes=6)
        card_id = cards[which]
        if what == "answer" and card_id in there:
            written = await answer_card(
                alice.id, card_id, Rating(rating), elapsed_ms=99_000, options=BERLIN, now=moment
            )
            kept.append((card_id, written.review_id))
        elif what == "undo" and kept:
            assert await take_back(alice.id, kept.pop()[1])
        elif what == "erase":
            await db.execute("DELETE FROM card WHERE account_id = $1 AND id = $2", alice.id, card_id)
            there.discard(card_id)
            kept = [(card, review) for card, review in kept if card != card_id]
        elif what == "edit":
            await db.execute("UPDATE review SET rating = $2, elapsed_ms = 5 WHERE account_id = $1", alice.id, rating)
        assert await counts_of(alice.id) == await counts_anew(alice.id)


async def test_counts_go_with_their_account(committed: None) -> None:
    alice = await make_account()
    _, cards = await make_deck(alice.id, count=3)
    await study_days(alice.id, cards, seed=6)
    assert await counts_of(alice.id)
    await db.execute("DELETE FROM account WHERE id = $1", alice.id)
    assert await db.fetch_value("SELECT count(*) FROM answer_count") == 0


async def test_the_interval_before_an_answer_without_a_log_is_that_of_the_schedule(rollback: None) -> None:
    alice = await make_account()
    _, (card_id, _) = await make_deck(alice.id, count=2)
    clock, today = BERLIN.clock, BERLIN.clock.study_day(NOW)
    await db.execute(
        "UPDATE card_schedule SET state = 2, due = $2, stability = 30, difficulty = 5, last_review = $3, reps = 7 "
        "WHERE card_id = $1",
        card_id,
        clock.start_of(today),
        clock.start_of(today - timedelta(days=30)) + timedelta(hours=9),
    )
    for moment in (NOW, NOW + timedelta(days=1)):
        await answer_card(alice.id, card_id, Rating.GOOD, options=BERLIN, now=moment)
    first, second = await log_of(alice.id)
    assert first["last_interval_days"] == 30
    assert first["phase"] == 4
    assert second["last_interval_days"] == first["interval_days"]
