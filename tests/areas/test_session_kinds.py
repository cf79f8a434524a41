"""Each kind of question in a session: typed, choice, board, cloze, and cram."""

from __future__ import annotations

from datetime import timedelta

import pytest

from app.accounts.views import AccountView
from app.core import db
from app.decks.cards import update_card
from app.decks.changes import CardChanges
from app.domain.errors import InvalidInput
from app.domain.grading import Verdict
from app.domain.modes import Goal, ItemKind, Mode
from app.domain.scheduling import Rating, State
from app.domain.study_settings import StudyChoices
from app.study import sessions, settings
from app.study.views import Session
from tests.areas.deck_makers import LIMITS, make_card, make_deck, schedule_of, set_schedule
from tests.areas.studying import CLOCK, begin, keep, reviews, submit, words
from tests.factories import NOW, make_account


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


async def test_four_equal_backs_make_no_choice(rollback: None) -> None:
    """Case 21."""
    alice = await make_account()
    deck_id, _ = await make_deck(alice.id)
    for front in ("a", "b", "c", "d"):
        await make_card(alice.id, deck_id, front, "same")
    session = await begin(alice, deck_id=deck_id, mode=Mode.MULTIPLE_CHOICE)
    assert session.item is not None
    assert session.item.kind is ItemKind.TYPED


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


async def test_a_board_takes_its_time_once_however_many_pairs_it_has(rollback: None) -> None:
    alice = await make_account()
    session, card_ids, _ = await board_of(alice)
    session = await submit(alice, session, {place: place for place in range(len(card_ids))})
    await keep(alice, session, elapsed_ms=30_000)
    assert await db.fetch("SELECT DISTINCT elapsed_ms FROM review") == [(30_000 // len(card_ids),)]


async def test_cram_asks_what_is_buried_and_not_what_is_put_aside_in_it(rollback: None) -> None:
    alice = await make_account()
    deck_id, (first, *_) = await make_deck(alice.id, count=3)
    tomorrow = CLOCK.end_of(CLOCK.study_day(NOW))
    await db.execute("UPDATE card_schedule SET buried_until = $2 WHERE card_id = $1", first, tomorrow)
    session = await begin(alice, deck_id=deck_id, goal=Goal.CRAM)
    assert session.progress.left == 3
    assert session.item is not None
    session = await sessions.put_aside(alice.id, session.id, session.item.id, suspend=False, clock=CLOCK, now=NOW)
    asked: list[int] = []
    while session.item is not None:
        asked.append(session.item.card.id)
        _, session = await keep(alice, session, Rating.GOOD)
    assert len(asked) == 2
    assert session.finished


async def test_a_step_of_a_day_is_for_another_session(rollback: None) -> None:
    alice = await make_account()
    deck_id, _ = await make_deck(alice.id, count=2)
    await settings.choose_for_deck(alice.id, deck_id, StudyChoices(learning_steps=(timedelta(days=1),)))
    session = await begin(alice, deck_id=deck_id)
    while session.item is not None:
        _, session = await keep(alice, session, Rating.AGAIN)
    assert session.finished
    tomorrow = NOW + timedelta(days=1)
    assert (await begin(alice, deck_id=deck_id, now=tomorrow)).item is not None


async def test_an_answer_to_a_gap_that_was_edited_away_is_taken_back_and_the_session_goes_on(rollback: None) -> None:
    alice = await make_account()
    deck_id, _ = await make_deck(alice.id)
    card_id = await make_card(alice.id, deck_id, CLOZE, "Since 1918.")
    await make_card(alice.id, deck_id, "front", "back")
    session = await begin(alice, deck_id=deck_id)
    assert session.item is not None
    assert session.item.card.ordinal == 1
    _, session = await keep(alice, session, Rating.EASY)
    await update_card(alice.id, card_id, CardChanges(front="Now {{c3::another}} gap."), limits=LIMITS, now=NOW)
    session = await sessions.undo(alice.id, session.id, clock=CLOCK, now=NOW)
    assert await reviews() == 0
    assert session.item is not None
    assert session.item.card.front == "front"
