"""How a session begins: what is put in line, and when there is nothing to ask."""

from __future__ import annotations

from datetime import timedelta

from app.core import db
from app.domain.modes import Goal, Mode
from app.domain.scheduling import Rating, State
from app.study import sessions, starting
from tests.areas.deck_makers import make_deck, set_schedule
from tests.areas.studying import CLOCK, begin, keep
from tests.factories import NOW, make_account


async def test_an_empty_session_is_finished_at_once(rollback: None) -> None:
    alice = await make_account()
    deck_id, _ = await make_deck(alice.id)
    session = await begin(alice, deck_id=deck_id)
    assert session.finished
    assert session.item is None


async def test_the_newer_session_is_an_open_one_of_the_same_deck_begun_later(rollback: None) -> None:
    alice = await make_account()
    deck_id, _ = await make_deck(alice.id, count=2)
    other_id, _ = await make_deck(alice.id, count=2, title="Other")
    first = await begin(alice, deck_id=deck_id)
    about = {"clock": CLOCK, "now": NOW}
    assert await starting.newer(alice.id, first.id, **about) is None  # type: ignore[arg-type]
    await begin(alice, deck_id=other_id)
    assert await starting.newer(alice.id, first.id, **about) is None  # type: ignore[arg-type]
    second = await begin(alice, deck_id=deck_id, mode=Mode.TYPED)
    assert await starting.newer(alice.id, first.id, **about) == second.id  # type: ignore[arg-type]
    assert await starting.newer(alice.id, second.id, **about) is None  # type: ignore[arg-type]
    await sessions.finish(alice.id, second.id, clock=CLOCK, now=NOW)
    assert await starting.newer(alice.id, first.id, **about) is None  # type: ignore[arg-type]


async def test_the_goals_choose_and_order_what_is_asked(rollback: None) -> None:
    alice = await make_account()
    deck_id, (new, due, later, far) = await make_deck(alice.id, count=4)
    await set_schedule(due, State.REVIEW, NOW)
    await set_schedule(later, State.REVIEW, NOW + timedelta(days=5))
    await set_schedule(far, State.REVIEW, NOW + timedelta(days=60))

    async def asked(goal: Goal, **more: object) -> list[int]:
        session = await begin(alice, deck_id=deck_id, goal=goal, **more)
        rows = await db.fetch("SELECT card_id FROM study_item WHERE session_id = $1 ORDER BY place", session.id)
        return [row["card_id"] for row in rows]

    assert await asked(Goal.LEARN) == [new, due]
    assert await asked(Goal.REVIEW) == [due, new]
    assert sorted(await asked(Goal.RETAIN)) == [due, later]
    assert sorted(await asked(Goal.RETAIN, horizon_days=90)) == [due, later, far]
    assert sorted(await asked(Goal.CRAM)) == [new, due, later, far]
    assert len(await asked(Goal.DIAGNOSE, limit=3)) == 3
    assert await asked(Goal.LEARN, limit=1) == [new]


async def test_daily_limits_hold_and_more_goes_beyond_them(rollback: None) -> None:
    alice = await make_account()
    deck_id, card_ids = await make_deck(alice.id, count=25)
    await db.execute(
        "INSERT INTO deck_settings (account_id, deck_id, new_per_day, reviews_per_day) VALUES ($1, $2, 3, 1)",
        alice.id, deck_id,
    )  # fmt: skip
    for card_id in card_ids[:2]:
        await set_schedule(card_id, State.REVIEW, NOW)
    later = NOW + timedelta(hours=1)
    session = await begin(alice, deck_id=deck_id, now=later)
    assert (session.progress.due, session.progress.new) == (1, 3)
    while session.item is not None:
        _, session = await keep(alice, session, Rating.EASY, now=later)
    assert (await begin(alice, deck_id=deck_id, now=later)).finished
    session = await starting.more(alice.id, session.id, clock=CLOCK, now=later)
    assert (session.progress.due, session.progress.new) == (1, 20)


async def test_the_own_time_of_an_answer_is_that_of_the_answers_that_were_timed(rollback: None) -> None:
    alice = await make_account()
    deck_id, _ = await make_deck(alice.id, count=25)
    session = await begin(alice, deck_id=deck_id, goal=Goal.LEARN)
    for number in range(20):  # twenty answers, of which nineteen were timed
        elapsed = None if number == 0 else 8_000
        _, session = await keep(alice, session, Rating.EASY, elapsed_ms=elapsed)
        if session.finished:
            session = await starting.more(alice.id, session.id, clock=CLOCK, now=NOW)
    assert await starting.own_median_ms(alice.id) is None
    await keep(alice, session, Rating.EASY, elapsed_ms=8_000)
    assert await starting.own_median_ms(alice.id) == 8_000
