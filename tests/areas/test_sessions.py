from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from app.accounts.views import AccountView
from app.core import db
from app.decks.cards import update_card
from app.decks.changes import CardChanges
from app.domain.calendar import StudyClock
from app.domain.errors import AlreadyAnswered, Conflict, InvalidInput, NotFound, SessionFinished
from app.domain.grading import Verdict
from app.domain.modes import Goal, ItemKind, Mode
from app.domain.scheduling import Rating, State
from app.study import sessions
from app.study.sessions import Wish
from app.study.views import Kept, Session
from tests.areas.deck_makers import LIMITS, make_card, make_deck, schedule_of, set_schedule
from tests.factories import NOW, make_account

CLOCK = StudyClock("UTC", 4)


async def begin(account: AccountView, now: datetime = NOW, **wish: object) -> Session:
    return await sessions.start(account.id, Wish(**wish), clock=CLOCK, now=now)  # type: ignore[arg-type]


async def keep(
    account: AccountView, session: Session, rating: Rating | None = None, now: datetime = NOW, **more: object
) -> tuple[Kept, Session]:
    assert session.item is not None
    return await sessions.keep(account.id, session.id, session.item.id, rating, clock=CLOCK, now=now, **more)  # type: ignore[arg-type]


async def submit(account: AccountView, session: Session, given: object, now: datetime = NOW) -> Session:
    assert session.item is not None
    return await sessions.submit(account.id, session.id, session.item.id, given, clock=CLOCK, now=now)  # type: ignore[arg-type]


async def reviews() -> int:
    return int(await db.fetch_value("SELECT count(*) FROM review"))


async def words(account: AccountView, count: int = 12) -> tuple[int, list[int]]:
    deck_id, _ = await make_deck(account.id)
    pairs = [("France", "Paris"), ("Spain", "Madrid"), ("Italy", "Rome"), ("Japan", "Tokyo"), ("Peru", "Lima"),
             ("Kenya", "Nairobi"), ("Egypt", "Cairo"), ("Norway", "Oslo"), ("Chile", "Santiago"), ("Cuba", "Havana"),
             ("Ghana", "Accra"), ("Austria", "Vienna")]  # fmt: skip
    return deck_id, [await make_card(account.id, deck_id, front, back) for front, back in pairs[:count]]


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


async def test_an_empty_session_is_finished_at_once(rollback: None) -> None:
    alice = await make_account()
    deck_id, _ = await make_deck(alice.id)
    session = await begin(alice, deck_id=deck_id)
    assert session.finished
    assert session.item is None


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


async def test_the_newer_session_is_an_open_one_of_the_same_deck_begun_later(rollback: None) -> None:
    alice = await make_account()
    deck_id, _ = await make_deck(alice.id, count=2)
    other_id, _ = await make_deck(alice.id, count=2, title="Other")
    first = await begin(alice, deck_id=deck_id)
    about = {"clock": CLOCK, "now": NOW}
    assert await sessions.newer(alice.id, first.id, **about) is None  # type: ignore[arg-type]
    await begin(alice, deck_id=other_id)
    assert await sessions.newer(alice.id, first.id, **about) is None  # type: ignore[arg-type]
    second = await begin(alice, deck_id=deck_id, mode=Mode.TYPED)
    assert await sessions.newer(alice.id, first.id, **about) == second.id  # type: ignore[arg-type]
    assert await sessions.newer(alice.id, second.id, **about) is None  # type: ignore[arg-type]
    await sessions.finish(alice.id, second.id, clock=CLOCK, now=NOW)
    assert await sessions.newer(alice.id, first.id, **about) is None  # type: ignore[arg-type]


async def test_undo_opens_a_finished_session_again(rollback: None) -> None:
    alice = await make_account()
    deck_id, _ = await make_deck(alice.id, count=1)
    session = await begin(alice, deck_id=deck_id)
    _, session = await keep(alice, session, Rating.EASY)
    assert session.finished
    session = await sessions.undo(alice.id, session.id, clock=CLOCK, now=NOW)
    assert not session.finished
    assert session.item is not None


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


async def test_typed_answers_are_graded_and_the_rating_may_be_changed(rollback: None) -> None:
    alice = await make_account()
    deck_id, _ = await words(alice)
    session = await begin(alice, deck_id=deck_id, mode=Mode.TYPED)
    session = await submit(alice, session, "pariss")
    assert session.item is not None
    assert session.item.grade is not None
    assert (session.item.grade.verdict, session.item.suggested) == (Verdict.ALMOST, Rating.HARD)
    twice = await submit(alice, session, "Paris")
    assert twice.item == session.item
    kept, session = await keep(alice, session, Rating.GOOD)
    assert (kept.verdict, kept.rating) == (Verdict.ALMOST, Rating.GOOD)
    session = await submit(alice, session, "Barcelona")
    kept, session = await keep(alice, session, was_right=True)
    assert (kept.verdict, kept.rating) == (Verdict.CORRECT, Rating.GOOD)
    assert await db.fetch_value("SELECT overridden FROM study_item WHERE id = $1", kept.item_id)


async def test_recognition_of_a_card_in_review_moves_nothing_and_a_wrong_choice_does(rollback: None) -> None:
    alice = await make_account()
    deck_id, card_ids = await words(alice)
    for card_id in card_ids:
        await set_schedule(card_id, State.REVIEW, NOW)
    session = await begin(alice, deck_id=deck_id, mode=Mode.MULTIPLE_CHOICE, now=NOW + timedelta(hours=1))
    assert session.item is not None
    card_id = session.item.card.id
    before = await schedule_of(card_id)
    session = await submit(alice, session, session.item.facts.back)
    assert session.item is not None
    assert not session.item.keeps
    kept, session = await keep(alice, session, now=NOW + timedelta(hours=1))
    assert (kept.verdict, kept.due, await reviews()) == (Verdict.CORRECT, None, 0)
    assert await schedule_of(card_id) == before
    assert session.item is not None
    wrong = next(option for option in session.item.options if option != session.item.facts.back)
    session = await submit(alice, session, wrong)
    kept, _ = await keep(alice, session, now=NOW + timedelta(hours=1))
    assert (kept.rating, await reviews()) == (Rating.AGAIN, 1)


async def test_a_board_answers_all_its_cards_at_once_and_undo_takes_all_back(rollback: None) -> None:
    alice = await make_account()
    deck_id, card_ids = await words(alice)
    session = await begin(alice, deck_id=deck_id, mode=Mode.MATCHING)
    item = session.item
    assert item is not None
    assert (item.kind, len(item.left), len(item.right)) == (ItemKind.MATCHING, 6, 6)
    backs = dict(await db.fetch("SELECT front, back FROM card WHERE deck_id = $1", deck_id))
    right = {place: item.right.index(backs[front]) for place, front in enumerate(item.left)}
    wrong = {**right, 0: right[1], 1: right[0]}
    with pytest.raises(InvalidInput, match="Not every left side"):
        await submit(alice, session, {0: 1})
    with pytest.raises(InvalidInput, match="used twice"):
        await submit(alice, session, dict.fromkeys(range(6), 0))
    session = await submit(alice, session, wrong)
    assert session.item is not None
    assert [pair.correct for pair in session.item.pairs] == [False, False, True, True, True, True]
    _, after = await keep(alice, session)
    assert await reviews() == 6
    assert (after.progress.correct, after.progress.wrong) == (4, 2)
    undone = await sessions.undo(alice.id, session.id, clock=CLOCK, now=NOW)
    assert await reviews() == 0
    assert undone.item == session.item
    _, again = await keep(alice, undone)
    assert again.progress == after.progress
    assert {card_id for (card_id,) in await db.fetch("SELECT card_id FROM review")} < set(card_ids)


async def test_cram_asks_everything_and_moves_nothing(rollback: None) -> None:
    alice = await make_account()
    deck_id, card_ids = await make_deck(alice.id, count=4)
    await set_schedule(card_ids[0], State.REVIEW, NOW + timedelta(days=300))
    before = [await schedule_of(card_id) for card_id in card_ids]
    session = await begin(alice, deck_id=deck_id, goal=Goal.CRAM)
    asked: list[int] = []
    while session.item is not None:
        asked.append(session.item.card.id)
        rating = Rating.AGAIN if asked.count(asked[0]) == 1 and len(asked) == 1 else Rating.GOOD
        _, session = await keep(alice, session, rating)
    assert sorted(asked) == sorted([*card_ids, asked[0]])
    assert asked[-1] == asked[0]
    assert [await schedule_of(card_id) for card_id in card_ids] == before
    assert await reviews() == 0


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
    session = await sessions.more(alice.id, session.id, clock=CLOCK, now=later)
    assert (session.progress.due, session.progress.new) == (1, 20)


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


async def test_four_equal_backs_make_no_choice(rollback: None) -> None:
    """Case 21."""
    alice = await make_account()
    deck_id, _ = await make_deck(alice.id)
    for front in ("a", "b", "c", "d"):
        await make_card(alice.id, deck_id, front, "same")
    session = await begin(alice, deck_id=deck_id, mode=Mode.MULTIPLE_CHOICE)
    assert session.item is not None
    assert session.item.kind is ItemKind.TYPED


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


CLOZE = "{{c1::Tallinn}} is the capital of {{c2::Estonia}}, on the {{c1::Baltic}} Sea."


async def test_a_cloze_card_is_a_question_for_each_number_and_siblings_wait_for_another_day(rollback: None) -> None:
    alice = await make_account()
    deck_id, _ = await make_deck(alice.id)
    card_id = await make_card(alice.id, deck_id, CLOZE, "A city.")
    counted = await db.fetch_row("SELECT cards, new_cards FROM deck_count WHERE deck_id = $1", deck_id)
    assert tuple(counted or ()) == (1, 2)
    session = await begin(alice, deck_id=deck_id, mode=Mode.CLOZE)
    assert session.item is not None
    assert (session.item.kind, session.item.card.id, session.item.card.ordinal) == (ItemKind.CLOZE, card_id, 1)
    assert session.item.facts.front == "[...] is the capital of Estonia, on the [...] Sea."
    session = await submit(alice, session, "tallinn, baltic")
    assert session.item is not None
    assert session.item.grade is not None
    assert session.item.grade.verdict is Verdict.CORRECT
    _, session = await keep(alice, session, Rating.EASY)
    assert session.finished
    assert (await begin(alice, deck_id=deck_id)).finished
    session = await sessions.undo(alice.id, session.id, clock=CLOCK, now=NOW)
    assert await db.fetch_value("SELECT count(*) FROM card_schedule WHERE buried_until IS NOT NULL") == 0
    _, session = await keep(alice, session, Rating.EASY)
    tomorrow = await begin(alice, deck_id=deck_id, now=NOW + timedelta(days=1))
    assert tomorrow.item is not None
    assert tomorrow.item.card.ordinal == 2


async def test_a_cloze_that_leaves_the_text_keeps_its_memory_until_it_returns(rollback: None) -> None:
    alice = await make_account()
    deck_id, _ = await make_deck(alice.id)
    card_id = await make_card(alice.id, deck_id, CLOZE)
    session = await begin(alice, deck_id=deck_id)
    _, session = await keep(alice, session, Rating.EASY)

    async def change(front: str) -> list[tuple[object, ...]]:
        await update_card(alice.id, card_id, CardChanges(front=front), limits=LIMITS, now=NOW)
        rows = await db.fetch(
            "SELECT ordinal, state, lead, active FROM card_schedule WHERE card_id = $1 ORDER BY ordinal", card_id
        )
        return [tuple(row) for row in rows]

    assert await change("no gap") == [(0, 0, True, True), (1, 2, False, False), (2, 0, False, False)]
    assert await change("{{c1::one}}") == [(0, 0, False, False), (1, 2, True, True), (2, 0, False, False)]
    counted = await db.fetch_row("SELECT cards, new_cards FROM deck_count WHERE deck_id = $1", deck_id)
    assert tuple(counted or ()) == (1, 0)
    assert await change("{{c2::one}} {{c3::two}}") == [
        (0, 0, False, False), (1, 2, False, False), (2, 0, True, True), (3, 0, False, True),
    ]  # fmt: skip


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


async def board_of(alice: AccountView) -> tuple[Session, list[int], dict[str, str]]:
    deck_id, card_ids = await words(alice, 6)
    session = await begin(alice, deck_id=deck_id, mode=Mode.MATCHING)
    assert session.item is not None
    assert session.item.kind is ItemKind.MATCHING
    rows = await db.fetch("SELECT front, back FROM card")
    return session, card_ids, {row["front"]: row["back"] for row in rows}


async def test_a_board_goes_on_when_a_card_of_it_was_suspended_meanwhile(rollback: None) -> None:
    alice = await make_account()
    session, card_ids, backs = await board_of(alice)
    assert session.item is not None
    other = next(card_id for card_id in card_ids if card_id != session.item.card.id)
    await db.execute("UPDATE card_schedule SET suspended = true WHERE card_id = $1", other)
    given = {place: session.item.right.index(backs[left]) for place, left in enumerate(session.item.left)}
    _, after = await keep(alice, await submit(alice, session, given))
    assert await reviews() == 5
    assert after.item is None or after.item.id != session.item.id


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
