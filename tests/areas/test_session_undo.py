"""Undo: what an answer did is taken back, whole and once."""

from __future__ import annotations

from datetime import timedelta

import pytest

from app.core import db
from app.domain.errors import Conflict, NotFound
from app.domain.scheduling import Rating
from app.study import sessions
from tests.areas.deck_makers import make_deck, schedule_of
from tests.areas.studying import CLOCK, begin, keep, reviews
from tests.factories import NOW, make_account


async def test_undo_restores_card_log_counts_and_place_to_the_byte(rollback: None) -> None:
    """Case 13."""
    alice = await make_account()
    deck_id, (first, _) = await make_deck(alice.id, count=2)
    session = await begin(alice, deck_id=deck_id)
    _, session = await keep(alice, session, Rating.GOOD)
    _, session = await keep(alice, session, Rating.EASY, now=NOW + timedelta(minutes=2))
    later = NOW + timedelta(minutes=11)
    session = await sessions.session(alice.id, session.id, clock=CLOCK, now=later)
    assert session.item is not None
    assert session.item.card.id == first
    before, logged = await schedule_of(first), await reviews()
    _, after = await keep(alice, session, Rating.HARD, now=later)
    undone = await sessions.undo(alice.id, session.id, clock=CLOCK, now=later + timedelta(seconds=3))
    assert await schedule_of(first) == before
    assert await reviews() == logged
    assert undone.item is not None
    assert (undone.item.id, undone.item.revealed) == (session.item.id, True)
    assert undone.progress == session.progress
    _, again = await keep(alice, undone, Rating.HARD, now=later + timedelta(seconds=9))
    assert again.progress == after.progress


async def test_undo_takes_one_answer_after_another_and_then_says_no(rollback: None) -> None:
    alice = await make_account()
    deck_id, card_ids = await make_deck(alice.id, count=3)
    before = [await schedule_of(card_id) for card_id in card_ids]
    session = await begin(alice, deck_id=deck_id)
    for second, rating in enumerate((Rating.GOOD, Rating.EASY, Rating.AGAIN)):
        _, session = await keep(alice, session, rating, now=NOW + timedelta(seconds=second))
    for _ in range(3):
        session = await sessions.undo(alice.id, session.id, clock=CLOCK, now=NOW + timedelta(minutes=1))
    assert [await schedule_of(card_id) for card_id in card_ids] == before
    assert session.progress.answered == 0
    assert not session.can_undo
    with pytest.raises(NotFound, match="no answer to take back"):
        await sessions.undo(alice.id, session.id, clock=CLOCK, now=NOW)


async def test_the_same_undo_sent_again_takes_back_one_answer(rollback: None) -> None:
    alice = await make_account()
    deck_id, _ = await make_deck(alice.id, count=4)
    session = await begin(alice, deck_id=deck_id)
    for second in range(2):
        _, session = await keep(alice, session, Rating.EASY, now=NOW + timedelta(seconds=second))
    wish, about = session.undoes, {"clock": CLOCK, "now": NOW + timedelta(minutes=1)}
    for _ in range(3):
        session = await sessions.undo(alice.id, session.id, answered=wish, **about)  # type: ignore[arg-type]
        assert session.item is not None
        assert session.item.id == wish
    assert await reviews() == 1
    _, session = await keep(alice, session, Rating.EASY, now=NOW + timedelta(minutes=2))
    earlier = wish
    _, session = await keep(alice, session, Rating.EASY, now=NOW + timedelta(minutes=3))
    with pytest.raises(Conflict, match="Another answer"):
        await sessions.undo(alice.id, session.id, answered=earlier, clock=CLOCK, now=NOW + timedelta(minutes=4))
    assert await reviews() == 3


async def test_undo_reaches_the_answer_on_the_screen_though_the_pause_is_over(rollback: None) -> None:
    alice = await make_account()
    deck_id, _ = await make_deck(alice.id, count=1)
    await db.execute("INSERT INTO study_settings (account_id, learning_steps) VALUES ($1, '45m')", alice.id)
    _, pausing = await keep(alice, await begin(alice, deck_id=deck_id), Rating.AGAIN)
    assert (pausing.item, pausing.finished) == (None, False)
    later = NOW + timedelta(minutes=50)
    asked_again = await sessions.session(alice.id, pausing.id, clock=CLOCK, now=later)
    assert asked_again.item is not None
    undone = await sessions.undo(alice.id, pausing.id, answered=pausing.undoes, clock=CLOCK, now=later)
    assert await reviews() == 0
    assert undone.item is not None
    assert undone.item.id == pausing.undoes


async def test_undo_opens_a_finished_session_again(rollback: None) -> None:
    alice = await make_account()
    deck_id, _ = await make_deck(alice.id, count=1)
    session = await begin(alice, deck_id=deck_id)
    _, session = await keep(alice, session, Rating.EASY)
    assert session.finished
    session = await sessions.undo(alice.id, session.id, clock=CLOCK, now=NOW)
    assert not session.finished
    assert session.item is not None
