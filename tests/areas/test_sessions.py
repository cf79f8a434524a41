"""Sessions: one question at a time, each answered once."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from app.core import db
from app.domain.errors import AlreadyAnswered, Conflict, InvalidInput, NotFound, SessionFinished
from app.domain.grading import Verdict
from app.domain.modes import ItemKind, Mode
from app.domain.scheduling import Rating
from app.study import sessions
from app.study.views import Kept, Session
from tests.areas.deck_makers import make_deck, schedule_of
from tests.areas.studying import CLOCK, begin, keep, reviews, submit, words
from tests.factories import NOW, make_account


async def test_a_session_asks_its_cards_in_turn_and_finishes(rollback: None) -> None:
    alice = await make_account()
    deck_id, card_ids = await make_deck(alice.id, count=3)
    session = await begin(alice, deck_id=deck_id)
    asked: list[int] = []
    while session.item is not None:
        assert (session.item.kind, session.item.seen) == (ItemKind.FLASHCARD, False)
        asked.append(session.item.card.id)
        _, session = await keep(alice, session, Rating.EASY)
    assert asked == card_ids
    assert session.finished
    assert session.progress.answered == session.progress.total == 3
    assert await reviews() == 3


async def test_a_session_comes_back_to_the_same_question(rollback: None) -> None:
    """Case 15, and the same options in the same order."""
    alice = await make_account()
    deck_id, _ = await words(alice)
    session = await begin(alice, deck_id=deck_id, mode=Mode.MULTIPLE_CHOICE)
    for _ in range(2):
        assert session.item is not None
        session = await submit(alice, session, "A")
        _, session = await keep(alice, session)
    again = await sessions.session(alice.id, session.id, clock=CLOCK, now=NOW + timedelta(seconds=5))
    assert again == session
    assert again.item is not None
    assert again.item.kind is ItemKind.CHOICE
    assert again.progress.answered == 2


async def test_a_question_kept_twice_counts_once_and_says_the_same(rollback: None) -> None:
    """Cases 11 and 12."""
    alice = await make_account()
    deck_id, _ = await make_deck(alice.id, count=2)
    session = await begin(alice, deck_id=deck_id)
    first, after = await keep(alice, session, Rating.GOOD, review_key="r1")
    again, then = await keep(alice, session, Rating.AGAIN, review_key="other")
    assert again == replace(first, repeated=True)
    assert then == after
    assert after.item is not None
    key_again, _ = await sessions.keep(
        alice.id, session.id, after.item.id, Rating.AGAIN, review_key="r1", clock=CLOCK, now=NOW
    )
    assert key_again == replace(first, repeated=True)
    assert await reviews() == 1


async def test_a_card_asked_again_in_the_moment_of_its_answer_stays_the_question(rollback: None) -> None:
    alice = await make_account()
    deck_id, _ = await make_deck(alice.id, count=1)
    session = await begin(alice, deck_id=deck_id)
    _, after = await keep(alice, session, Rating.GOOD)
    assert after.item is not None
    later = NOW + timedelta(seconds=1)
    assert (await sessions.session(alice.id, session.id, clock=CLOCK, now=later)).item == after.item


async def test_two_submissions_of_one_item_at_once_are_one_review(committed: None) -> None:
    alice = await make_account()
    deck_id, _ = await make_deck(alice.id, count=2)
    session = await begin(alice, deck_id=deck_id)
    done = await asyncio.gather(*(keep(alice, session, Rating.GOOD) for _ in range(8)))
    assert sorted(kept.repeated for kept, _ in done) == [False] + [True] * 7
    assert len({replace(kept, repeated=False) for kept, _ in done}) == 1
    assert await reviews() == 1


@pytest.mark.parametrize("mode", [Mode.TYPED, Mode.MULTIPLE_CHOICE, Mode.MATCHING])
async def test_only_a_flashcard_is_turned_before_it_is_answered(rollback: None, mode: Mode) -> None:
    alice = await make_account()
    deck_id, _ = await words(alice)
    session = await begin(alice, deck_id=deck_id, mode=mode)
    assert session.item is not None
    with pytest.raises(InvalidInput, match="answered before its answer is shown"):
        await sessions.reveal(alice.id, session.id, session.item.id, clock=CLOCK, now=NOW)
    session = await sessions.session(alice.id, session.id, clock=CLOCK, now=NOW)
    assert session.item is not None
    assert not session.item.seen


async def test_an_answer_that_was_shown_is_not_graded_as_known(rollback: None) -> None:
    alice = await make_account()
    deck_id, _ = await words(alice)
    session = await begin(alice, deck_id=deck_id)
    assert session.item is not None
    shown = session.item.id
    session = await sessions.reveal(alice.id, session.id, shown, clock=CLOCK, now=NOW)
    with pytest.raises(InvalidInput, match="has been shown"):
        await submit(alice, session, "Paris")
    with pytest.raises(InvalidInput, match="has been shown"):
        await sessions.record(alice.id, session.id, shown, answer="Paris", rating=None, clock=CLOCK, now=NOW)
    assert await reviews() == 0
    await keep(alice, session, Rating.HARD)
    assert await reviews() == 1


async def test_a_card_forgotten_comes_back_after_its_step(rollback: None) -> None:
    alice = await make_account()
    deck_id, (first, second) = await make_deck(alice.id, count=2)
    session = await begin(alice, deck_id=deck_id)
    _, session = await keep(alice, session, Rating.AGAIN)
    assert session.item is not None
    assert session.item.card.id == second
    _, session = await keep(alice, session, Rating.EASY, now=NOW + timedelta(seconds=20))
    # Nothing else is left, so the card that is due in 40 seconds is shown early.
    assert session.item is not None
    assert session.item.card.id == first
    assert session.progress.learning == 1


async def test_a_step_too_far_ahead_is_a_pause(rollback: None) -> None:
    alice = await make_account()
    deck_id, _ = await make_deck(alice.id, count=1)
    await db.execute("INSERT INTO study_settings (account_id, learning_steps) VALUES ($1, '45m')", alice.id)
    session = await begin(alice, deck_id=deck_id)
    _, session = await keep(alice, session, Rating.AGAIN)
    assert (session.item, session.finished) == (None, False)
    assert session.resumes_at == NOW + timedelta(minutes=25)
    session = await sessions.session(alice.id, session.id, clock=CLOCK, now=NOW + timedelta(minutes=25))
    assert session.item is not None


async def test_what_was_put_aside_or_answered_elsewhere_is_passed_over(rollback: None) -> None:
    alice = await make_account()
    deck_id, (first, second, third, fourth) = await make_deck(alice.id, count=4)
    session = await begin(alice, deck_id=deck_id)
    assert session.item is not None
    session = await sessions.put_aside(alice.id, session.id, session.item.id, suspend=True, clock=CLOCK, now=NOW)
    assert (await schedule_of(first))["suspended"]
    assert session.item is not None
    session = await sessions.put_aside(alice.id, session.id, session.item.id, suspend=False, clock=CLOCK, now=NOW)
    assert (await schedule_of(second))["buried_until"] == CLOCK.end_of(CLOCK.study_day(NOW))
    other = await begin(alice, deck_id=deck_id, now=NOW + timedelta(seconds=1))
    assert other.item is not None
    assert other.item.card.id == third
    _, other = await keep(alice, other, Rating.EASY, now=NOW + timedelta(seconds=9))
    session = await sessions.session(alice.id, session.id, clock=CLOCK, now=NOW + timedelta(seconds=10))
    assert session.item is not None
    assert session.item.card.id == fourth
    assert session.progress.left == 1


async def test_what_is_not_the_present_question_is_refused(rollback: None) -> None:
    alice, bob = await make_account(), await make_account("bob@example.org")
    deck_id, _ = await make_deck(alice.id, count=2)
    session = await begin(alice, deck_id=deck_id)
    assert session.item is not None
    waiting = await db.fetch_value("SELECT id FROM study_item WHERE status = 'waiting'")
    with pytest.raises(Conflict, match="present question"):
        await sessions.keep(alice.id, session.id, waiting, Rating.GOOD, clock=CLOCK, now=NOW)
    with pytest.raises(NotFound):
        await keep(bob, session, Rating.GOOD)
    with pytest.raises(NotFound):
        await sessions.session(bob.id, session.id, clock=CLOCK, now=NOW)
    with pytest.raises(InvalidInput, match="rating is missing"):
        await keep(alice, session)
    _, after = await keep(alice, session, Rating.GOOD)
    with pytest.raises(AlreadyAnswered):
        await sessions.reveal(alice.id, session.id, session.item.id, clock=CLOCK, now=NOW)
    await sessions.finish(alice.id, session.id, clock=CLOCK, now=NOW)
    with pytest.raises(SessionFinished):
        await keep(alice, after, Rating.GOOD)
    kept, _ = await keep(alice, session, Rating.EASY)
    assert kept.repeated


async def test_a_chat_records_an_answer_or_a_rating_in_one_step(rollback: None) -> None:
    alice = await make_account()
    deck_id, _ = await words(alice, 3)
    session = await begin(alice, deck_id=deck_id)

    async def record(answer: str | None, rating: Rating | None, **more: object) -> tuple[Kept, Session]:
        assert session.item is not None
        return await sessions.record(
            alice.id, session.id, session.item.id, answer=answer, rating=rating, clock=CLOCK, now=NOW, **more
        )  # type: ignore[arg-type]

    with pytest.raises(InvalidInput, match="either an answer or a rating"):
        await record(None, None)
    kept, session = await record("paris", None)
    assert (kept.verdict, kept.rating) == (Verdict.CORRECT, Rating.GOOD)
    kept, session = await record(None, Rating.AGAIN)
    assert kept.verdict is Verdict.WRONG


async def test_the_sweep_ends_sessions_left_alone_and_forgets_old_ones(rollback: None) -> None:
    alice = await make_account()
    deck_id, _ = await make_deck(alice.id, count=2)
    session = await begin(alice, deck_id=deck_id)
    await sessions.sweep(NOW + timedelta(days=2))
    assert not (await sessions.session(alice.id, session.id, clock=CLOCK, now=NOW)).finished
    await sessions.sweep(NOW + timedelta(days=4))
    assert (await sessions.session(alice.id, session.id, clock=CLOCK, now=NOW)).finished
    await sessions.sweep(NOW + timedelta(days=95))
    with pytest.raises(NotFound):
        await sessions.session(alice.id, session.id, clock=CLOCK, now=NOW)


async def test_a_card_that_was_turned_stays_seen_when_it_comes_back(rollback: None) -> None:
    alice = await make_account()
    deck_id, _ = await words(alice, 3)
    session = await begin(alice, deck_id=deck_id)
    _, session = await keep(alice, session, Rating.EASY)
    assert session.item is not None
    turned = session.item
    await sessions.reveal(alice.id, session.id, turned.id, clock=CLOCK, now=NOW)
    session = await sessions.undo(alice.id, session.id, clock=CLOCK, now=NOW)
    _, session = await keep(alice, session, Rating.EASY)
    assert session.item is not None
    assert (session.item.id, session.item.seen) == (turned.id, True)
    with pytest.raises(InvalidInput):
        await sessions.record(
            alice.id, session.id, turned.id, answer=turned.card.back, rating=None, clock=CLOCK, now=NOW
        )


async def test_a_typed_answer_that_was_judged_is_not_judged_anew_after_finish_and_undo(rollback: None) -> None:
    alice = await make_account()
    deck_id, _ = await words(alice, 3)
    session = await begin(alice, deck_id=deck_id, mode=Mode.TYPED)
    _, session = await keep(alice, await submit(alice, session, "Paris"))
    assert session.item is not None
    judged = session.item
    await submit(alice, session, "falsch")
    await sessions.finish(alice.id, session.id, clock=CLOCK, now=NOW)
    session = await sessions.undo(alice.id, session.id, clock=CLOCK, now=NOW)
    _, session = await keep(alice, session)
    assert session.item is not None
    assert (session.item.id, session.item.kind, session.item.grade) == (judged.id, ItemKind.FLASHCARD, None)
    _, session = await keep(alice, session, Rating.AGAIN)


async def test_an_answer_to_what_another_screen_has_judged_is_refused_and_not_thrown_away(rollback: None) -> None:
    alice = await make_account()
    deck_id, _ = await words(alice, 3)
    session = await begin(alice, deck_id=deck_id, mode=Mode.TYPED)
    assert session.item is not None
    await submit(alice, session, "wrong")
    about = {"clock": CLOCK, "now": NOW}
    with pytest.raises(Conflict):
        await sessions.record(alice.id, session.id, session.item.id, answer="Paris", rating=None, **about)  # type: ignore[arg-type]
    assert await reviews() == 0
    await sessions.record(alice.id, session.id, session.item.id, answer=None, rating=Rating.AGAIN, **about)  # type: ignore[arg-type]
    assert await reviews() == 1


async def test_a_session_is_swept_three_days_after_its_last_answer_and_asks_nothing_then(rollback: None) -> None:
    alice = await make_account()
    deck_id, _ = await words(alice, 3)
    session = await begin(alice, deck_id=deck_id)
    later = NOW + timedelta(days=2)
    _, session = await keep(alice, session, Rating.EASY, now=later)
    await sessions.sweep(NOW + timedelta(days=4))
    assert not (await sessions.session(alice.id, session.id, clock=CLOCK, now=NOW + timedelta(days=4))).finished
    await sessions.sweep(NOW + timedelta(days=5, hours=1))
    swept = await sessions.session(alice.id, session.id, clock=CLOCK, now=NOW + timedelta(days=5, hours=1))
    assert (swept.finished, swept.item) == (True, None)


@pytest.mark.parametrize("mode", [Mode.FLASHCARDS, Mode.TYPED])
async def test_a_question_that_was_answered_in_another_session_is_not_answered_again(
    rollback: None, mode: Mode
) -> None:
    alice = await make_account()
    deck_id, _ = await make_deck(alice.id, count=1)
    first = await begin(alice, deck_id=deck_id, mode=mode)
    second = await begin(alice, deck_id=deck_id)
    later = NOW + timedelta(minutes=1)
    await keep(alice, second, Rating.EASY, now=later)
    for attempt in (keep(alice, first, Rating.GOOD, now=later), submit(alice, first, "back", now=later)):
        with pytest.raises(Conflict, match="somewhere else"):
            await attempt
    assert await reviews() == 1
    assert (await sessions.session(alice.id, first.id, clock=CLOCK, now=later)).finished
