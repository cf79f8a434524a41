from __future__ import annotations

import asyncio
import itertools
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.accounts.views import AccountView
from app.core import db
from app.domain.calendar import StudyClock
from app.domain.errors import Conflict, NotFound
from app.domain.scheduling import LEARN_AHEAD, Rating, Schedule, SchedulingOptions, State, preview
from app.study import queries, service
from tests.areas.deck_makers import make_deck, schedule_of
from tests.factories import NOW, make_account

CLOCK = StudyClock("UTC", 4)
OPTIONS = SchedulingOptions(clock=CLOCK)
NUMBERS = itertools.count()


async def answer(account: AccountView, card_id: int, rep: int, rating: Rating, now=NOW, elapsed_ms: int | None = 1500):
    return await service.answer(account.id, card_id, rep, rating, elapsed_ms=elapsed_ms, options=OPTIONS, now=now)


async def next_id(account: AccountView, deck_id: int, now=NOW, with_new: bool = True) -> int | None:
    card = await queries.next_card(account.id, deck_id, clock=CLOCK, now=now, with_new=with_new)
    return card.id if card else None


async def test_an_answer_moves_the_card_as_its_button_said(rollback: None) -> None:
    alice = await make_account()
    _, (card_id,) = await make_deck(alice.id, count=1)
    expected = preview(Schedule.new(), OPTIONS, card_id=card_id, now=NOW)[Rating.EASY]
    done = await answer(alice, card_id, 0, Rating.EASY)
    assert (done.due, done.interval_days, done.repeated) == (expected.schedule.due, expected.interval_days, False)
    stored = (await queries.card_to_answer(alice.id, card_id)).schedule
    assert stored == expected.schedule
    assert stored.state is State.REVIEW


async def test_the_same_answer_twice_counts_once_and_says_the_same(rollback: None) -> None:
    alice = await make_account()
    _, (card_id,) = await make_deck(alice.id, count=1)
    first = await answer(alice, card_id, 0, Rating.GOOD)
    before = await schedule_of(card_id)
    again = await answer(alice, card_id, 0, Rating.AGAIN, now=NOW + timedelta(minutes=1))
    assert again.repeated
    assert (again.rating, again.due, again.interval_days) == (first.rating, first.due, first.interval_days)
    assert await schedule_of(card_id) == before
    assert await db.fetch_value("SELECT count(*) FROM review") == 1


async def test_ten_answers_of_one_card_at_once_are_one_review(committed: None) -> None:
    alice = await make_account()
    _, (card_id,) = await make_deck(alice.id, count=1)
    ratings = [Rating.GOOD, Rating.AGAIN] * 5
    done = await asyncio.gather(*(answer(alice, card_id, 0, rating) for rating in ratings))
    assert sum(not outcome.repeated for outcome in done) == 1
    assert len({(outcome.rating, outcome.due) for outcome in done}) == 1
    assert (await schedule_of(card_id))["reps"] == 1


async def test_an_answer_to_a_card_that_has_moved_on_is_a_conflict(rollback: None) -> None:
    alice = await make_account()
    _, (card_id,) = await make_deck(alice.id, count=1)
    with pytest.raises(Conflict):
        await answer(alice, card_id, 5, Rating.GOOD)


async def test_another_persons_card_and_a_deleted_one_do_not_exist(rollback: None) -> None:
    alice, bob = await make_account(), await make_account("bob@example.org")
    deck_id, (card_id,) = await make_deck(alice.id, count=1)
    with pytest.raises(NotFound):
        await answer(bob, card_id, 0, Rating.GOOD)
    assert await next_id(bob, deck_id) is None
    await db.execute("UPDATE card_schedule SET live = false WHERE card_id = $1", card_id)
    with pytest.raises(NotFound):
        await answer(alice, card_id, 0, Rating.GOOD)


@pytest.mark.parametrize("rating", list(Rating))
async def test_undo_gives_back_the_row_to_the_byte_and_shows_its_card(rollback: None, rating: Rating) -> None:
    alice = await make_account()
    deck_id, (card_id,) = await make_deck(alice.id, count=1)
    moment = NOW
    for rep in range(4):
        before = await schedule_of(card_id)
        await answer(alice, card_id, rep, rating, now=moment)
        card = await service.undo(alice.id, deck_id, clock=CLOCK, now=moment)
        assert (card.id, card.rep) == (card_id, rep)
        assert await schedule_of(card_id) == before
        done = await answer(alice, card_id, rep, Rating.HARD, now=moment)
        assert done.due is not None
        moment = max(done.due, moment + timedelta(microseconds=1))
    assert await db.fetch_value("SELECT count(*) FROM review") == 4


async def test_undo_takes_back_only_what_was_answered_today_in_this_deck(rollback: None) -> None:
    alice = await make_account()
    one, (first,) = await make_deck(alice.id, "One", count=1)
    two, _ = await make_deck(alice.id, "Two", count=1)
    await answer(alice, first, 0, Rating.GOOD)
    with pytest.raises(NotFound):
        await service.undo(alice.id, two, clock=CLOCK, now=NOW)
    with pytest.raises(NotFound):
        await service.undo(alice.id, one, clock=CLOCK, now=NOW + timedelta(days=1))
    assert (await service.undo(alice.id, one, clock=CLOCK, now=NOW)).id == first
    with pytest.raises(NotFound):
        await service.undo(alice.id, one, clock=CLOCK, now=NOW)


async def test_undo_passes_over_a_card_that_was_deleted_since(rollback: None) -> None:
    alice = await make_account()
    deck_id, (first, second) = await make_deck(alice.id, count=2)
    await answer(alice, first, 0, Rating.GOOD)
    await answer(alice, second, 0, Rating.GOOD, now=NOW + timedelta(seconds=5))
    await db.execute("UPDATE card_schedule SET live = false WHERE card_id = $1", second)
    assert (await service.undo(alice.id, deck_id, clock=CLOCK, now=NOW + timedelta(minutes=1))).id == first


async def test_an_undo_that_cannot_restore_keeps_the_log(rollback: None) -> None:
    alice = await make_account()
    deck_id, (card_id,) = await make_deck(alice.id, count=1)
    await answer(alice, card_id, 0, Rating.GOOD)
    await db.execute("UPDATE card_schedule SET live = false WHERE card_id = $1", card_id)
    with pytest.raises(NotFound):
        await service.undo(alice.id, deck_id, clock=CLOCK, now=NOW)
    assert await db.fetch_value("SELECT count(*) FROM review") == 1


async def test_learning_cards_come_before_reviews_and_these_before_new_ones(rollback: None) -> None:
    alice = await make_account()
    deck_id, (learning, review, fresh) = await make_deck(alice.id, count=3)
    await answer(alice, review, 0, Rating.EASY, now=NOW - timedelta(days=60))
    await answer(alice, learning, 0, Rating.AGAIN, now=NOW)
    soon = NOW + timedelta(minutes=2)
    assert await next_id(alice, deck_id, soon) == learning
    assert await next_id(alice, deck_id, NOW) == review
    await answer(alice, review, 1, Rating.EASY, now=NOW)
    assert await next_id(alice, deck_id, NOW) == fresh
    # With no new card allowed, the learning card that is due within the next minutes is shown early.
    assert await next_id(alice, deck_id, NOW, with_new=False) == learning
    early = NOW + timedelta(minutes=1) - LEARN_AHEAD - timedelta(seconds=1)
    assert await next_id(alice, deck_id, early, with_new=False) is None


async def test_a_review_card_is_shown_from_the_start_of_its_day(rollback: None) -> None:
    """Case 17: due 22:30, opened at 08:00 that day."""
    alice = await make_account()
    deck_id, (card_id,) = await make_deck(alice.id, count=1)
    await answer(alice, card_id, 0, Rating.EASY, now=NOW)
    due_day = CLOCK.study_day((await schedule_of(card_id))["due"])
    await db.execute("UPDATE card_schedule SET due = due + interval '18 hours 30 minutes'")
    start = CLOCK.start_of(due_day)
    assert await next_id(alice, deck_id, start - timedelta(seconds=1)) is None
    assert await next_id(alice, deck_id, start) == card_id


async def test_an_answer_after_midnight_counts_for_the_day_before(rollback: None) -> None:
    """Case 16: 01:30 local with a rollover at 4:00."""
    alice = await make_account()
    deck_id, (card_id, _) = await make_deck(alice.id, count=2)
    berlin = StudyClock("Europe/Berlin", 4)
    late = NOW.replace(hour=0, minute=30)  # 01:30 in Berlin
    await service.answer(
        alice.id, card_id, 0, Rating.GOOD, elapsed_ms=1, options=SchedulingOptions(clock=berlin), now=late
    )
    before_four, after_four = late + timedelta(hours=2), late + timedelta(hours=3)
    assert (await queries.counts(alice.id, deck_id, clock=berlin, now=before_four)).today.answers == 1
    assert (await queries.counts(alice.id, deck_id, clock=berlin, now=after_four)).today.answers == 0


async def test_the_day_allows_twenty_new_cards_and_more_on_request(rollback: None) -> None:
    alice = await make_account()
    deck_id, ids = await make_deck(alice.id, count=25)
    counts = await queries.counts(alice.id, deck_id, clock=CLOCK, now=NOW)
    assert (counts.new, counts.new_beyond) == (20, 5)
    for card_id in ids[:20]:
        await answer(alice, card_id, 0, Rating.EASY)
    counts = await queries.counts(alice.id, deck_id, clock=CLOCK, now=NOW)
    assert (counts.new, counts.new_beyond, counts.due, counts.learning) == (0, 5, 0, 0)
    counts = await queries.counts(alice.id, deck_id, clock=CLOCK, now=NOW, extra_new=20)
    assert (counts.new, counts.new_beyond) == (5, 0)
    tomorrow = await queries.counts(alice.id, deck_id, clock=CLOCK, now=NOW + timedelta(days=1))
    assert tomorrow.new == 5
    today = (await queries.counts(alice.id, deck_id, clock=CLOCK, now=NOW)).today
    assert (today.answers, today.new, today.again) == (20, 20, 0)


async def test_the_time_of_an_answer_is_kept_up_to_a_minute(rollback: None) -> None:
    alice = await make_account()
    _, ids = await make_deck(alice.id, count=3)
    for card_id, elapsed in zip(ids, (3_600_000, -5, None), strict=True):
        await answer(alice, card_id, 0, Rating.GOOD, elapsed_ms=elapsed)
    rows = await db.fetch("SELECT elapsed_ms FROM review ORDER BY id")
    assert [row["elapsed_ms"] for row in rows] == [60_000, 0, None]


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ratings=st.lists(st.sampled_from(list(Rating)), min_size=1, max_size=12))
async def test_any_history_stored_equals_the_one_computed(ratings: list[Rating], rollback: None) -> None:
    alice = await make_account(f"{next(NUMBERS)}@example.org")
    _, (card_id,) = await make_deck(alice.id, count=1)
    schedule, moment = Schedule.new(), NOW
    for rep, rating in enumerate(ratings):
        schedule = preview(schedule, OPTIONS, card_id=card_id, now=moment)[rating].schedule
        await answer(alice, card_id, rep, rating, now=moment)
        assert (await queries.card_to_answer(alice.id, card_id)).schedule == schedule
        assert schedule.due is not None
        moment = schedule.due + timedelta(minutes=3)
