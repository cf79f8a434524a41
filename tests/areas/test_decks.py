"""Decks and collections: titles, limits, counts, lists."""

from __future__ import annotations

from datetime import timedelta

import pytest

from app.decks import queries, service
from app.decks.changes import DeckChanges
from app.decks.views import DeckView, Usage
from app.domain.calendar import StudyClock
from app.domain.errors import Conflict, DeckLimitExceeded, InvalidInput, NotFound
from tests.areas.deck_makers import LIMITS, deck_changed_at, limits, make_card, make_deck, set_schedule
from tests.factories import NOW, make_account

CLOCK = StudyClock()
LATER = NOW + timedelta(hours=1)


async def deck_of(account_id: int, deck_id: int) -> DeckView:
    return await queries.deck(account_id, deck_id, clock=CLOCK, now=NOW)


async def test_a_new_deck_is_in_the_list_with_what_was_given(rollback: None) -> None:
    alice = await make_account()
    shelf = await service.create_collection(alice.id, title="School", now=NOW)
    deck_id = await service.create_deck(
        alice.id,
        title="  Edo \n period ",
        description="1603 to 1868",
        language="JA",
        collection_id=shelf,
        limits=LIMITS,
        now=NOW,
    )
    page = await queries.decks(alice.id, clock=CLOCK, now=NOW)
    assert page.next_cursor is None
    assert page.items == (
        DeckView(deck_id, "Edo period", "1603 to 1868", "ja", shelf, 0, 0, 0, NOW, NOW),
    )  # fmt: skip
    assert page.items[0] == await deck_of(alice.id, deck_id)


@pytest.mark.parametrize("title", ["", "   ", "\u200b", "a" * 121, "\ud800"])
async def test_a_title_has_from_1_to_120_visible_characters(rollback: None, title: str) -> None:
    alice = await make_account()
    with pytest.raises(InvalidInput) as caught:
        await service.create_deck(alice.id, title=title, limits=LIMITS, now=NOW)
    assert caught.value.field == "title"
    with pytest.raises(InvalidInput):
        await service.create_collection(alice.id, title=title, now=NOW)


async def test_the_same_deck_created_twice_is_one_deck(rollback: None) -> None:
    alice = await make_account()
    first = await service.create_deck(alice.id, title="Biology", description="cells", limits=LIMITS, now=NOW)
    same = await service.create_deck(alice.id, title="Biology ", description="cells", limits=LIMITS, now=LATER)
    bare = await service.create_deck(alice.id, title="Biology", limits=limits(decks=1), now=LATER)
    assert (same, bare) == (first, first)
    assert await deck_changed_at(first) == NOW


@pytest.mark.parametrize(
    "given",
    [{"title": "ＢＩＯＬＯＧＹ"}, {"title": "Biology", "description": "other"}, {"title": "Biology", "language": "en"}],
)
async def test_a_different_deck_of_an_equal_title_is_a_conflict_that_names_the_first(
    rollback: None, given: dict[str, str]
) -> None:
    alice = await make_account()
    first = await service.create_deck(alice.id, title="Biology", description="cells", limits=LIMITS, now=NOW)
    with pytest.raises(Conflict) as caught:
        await service.create_deck(alice.id, **given, limits=LIMITS, now=NOW)
    assert f"Deck {first} " in str(caught.value)
    assert "iology" not in str(caught.value)


async def test_the_plan_limits_live_decks_and_says_how_many(rollback: None) -> None:
    alice = await make_account()
    two = limits(decks=2)
    first = await service.create_deck(alice.id, title="one", limits=two, now=NOW)
    await service.create_deck(alice.id, title="two", limits=two, now=NOW)
    with pytest.raises(DeckLimitExceeded, match="allows 2 decks and 2 are in use"):
        await service.create_deck(alice.id, title="three", limits=two, now=NOW)
    await service.delete_deck(alice.id, first, now=NOW)
    await service.create_deck(alice.id, title="three", limits=two, now=NOW)
    with pytest.raises(DeckLimitExceeded):
        await service.restore_deck(alice.id, first, limits=two, now=NOW)


async def test_a_deck_changes_only_in_what_is_given(rollback: None) -> None:
    alice = await make_account()
    shelf = await service.create_collection(alice.id, title="School", now=NOW)
    deck_id = await service.create_deck(
        alice.id, title="one", description="text", language="en", collection_id=shelf, limits=LIMITS, now=NOW
    )
    await service.update_deck(alice.id, deck_id, DeckChanges(title="ONE"), now=LATER)
    deck = await deck_of(alice.id, deck_id)
    assert (deck.title, deck.description, deck.language, deck.collection_id) == ("ONE", "text", "en", shelf)
    assert deck.updated_at == LATER
    await service.update_deck(
        alice.id, deck_id, DeckChanges(description="", language=None, collection_id=None), now=LATER
    )
    deck = await deck_of(alice.id, deck_id)
    assert (deck.title, deck.description, deck.language, deck.collection_id) == ("ONE", "", None, None)


async def test_a_change_to_what_is_so_already_is_no_change(rollback: None) -> None:
    alice = await make_account()
    deck_id = await service.create_deck(alice.id, title="one", limits=LIMITS, now=NOW)
    await service.update_deck(alice.id, deck_id, DeckChanges(title=" one", description="", language=None), now=LATER)
    await service.update_deck(alice.id, deck_id, DeckChanges(), now=LATER)
    assert await deck_changed_at(deck_id) == NOW


async def test_a_deck_cannot_take_the_title_of_another(rollback: None) -> None:
    alice = await make_account()
    first, _ = await make_deck(alice.id, "one")
    second, _ = await make_deck(alice.id, "two")
    with pytest.raises(Conflict, match=f"Deck {first} "):
        await service.update_deck(alice.id, second, DeckChanges(title="One"), now=NOW)
    await service.delete_deck(alice.id, first, now=NOW)
    await service.update_deck(alice.id, second, DeckChanges(title="One"), now=NOW)


async def test_counts_follow_the_study_day(rollback: None) -> None:
    """A card in review due at 22:30 is shown from 8:00 on; a learning card once its minute has come."""
    alice = await make_account()
    deck_id, _ = await make_deck(alice.id)
    cards = [await make_card(alice.id, deck_id, f"card {number}") for number in range(6)]
    clock = StudyClock("Europe/Berlin", 4)
    end_of_day = clock.end_of(clock.study_day(NOW))
    await set_schedule(cards[0], 2, end_of_day - timedelta(microseconds=1))
    await set_schedule(cards[1], 2, end_of_day)
    await set_schedule(cards[2], 1, NOW)
    await set_schedule(cards[3], 3, NOW + timedelta(microseconds=1))
    await set_schedule(cards[4], 2, NOW - timedelta(days=400))
    deck = await queries.deck(alice.id, deck_id, clock=clock, now=NOW)
    assert (deck.card_count, deck.new_count, deck.due_count) == (6, 1, 3)
    await service.delete_cards(alice.id, [cards[4], cards[5]], now=NOW)
    deck = await queries.deck(alice.id, deck_id, clock=clock, now=NOW)
    assert (deck.card_count, deck.new_count, deck.due_count) == (4, 0, 2)


async def test_lists_come_in_pages_without_gap_or_repetition(rollback: None) -> None:
    alice = await make_account()
    shelf = await service.create_collection(alice.id, title="School", now=NOW)
    made = [
        await service.create_deck(
            alice.id, title=f"deck {number}", collection_id=shelf if number % 2 else None, limits=LIMITS, now=NOW
        )
        for number in range(7)
    ]
    for collection, expected in ((None, made), (shelf, made[1::2])):
        seen: list[int] = []
        cursor = None
        while True:
            page = await queries.decks(alice.id, clock=CLOCK, now=NOW, collection_id=collection, cursor=cursor, limit=2)
            assert len(page.items) <= 2
            seen += [deck.id for deck in page.items]
            cursor = page.next_cursor
            if cursor is None:
                break
        assert seen == expected


@pytest.mark.parametrize("cursor", ["x", "AAAA", "é", "W10", "x" * 5000])
async def test_a_foreign_cursor_is_invalid_input(rollback: None, cursor: str) -> None:
    alice = await make_account()
    deck_id, _ = await make_deck(alice.id, count=3)
    other_list = (await queries.cards(alice.id, deck_id, limit=1)).next_cursor
    for wrong in (cursor, other_list):
        with pytest.raises(InvalidInput):
            await queries.decks(alice.id, clock=CLOCK, now=NOW, cursor=wrong)


async def test_collections_hold_decks_and_leave_them_when_they_go(rollback: None) -> None:
    alice = await make_account()
    shelf = await service.create_collection(alice.id, title="School", now=NOW)
    assert await service.create_collection(alice.id, title=" School", now=NOW) == shelf
    with pytest.raises(Conflict, match=f"Collection {shelf} "):
        await service.create_collection(alice.id, title="SCHOOL", now=NOW)
    other = await service.create_collection(alice.id, title="Art", now=NOW)
    with pytest.raises(Conflict):
        await service.rename_collection(alice.id, other, title="school", now=NOW)
    await service.rename_collection(alice.id, shelf, title="SCHOOL", now=LATER)
    live, gone = [
        await service.create_deck(alice.id, title=title, collection_id=shelf, limits=LIMITS, now=NOW)
        for title in ("one", "two")
    ]
    await service.delete_deck(alice.id, gone, now=NOW)
    views = await queries.collections(alice.id)
    assert [(view.id, view.title, view.deck_count, view.updated_at) for view in views] == [
        (other, "Art", 0, NOW),
        (shelf, "SCHOOL", 1, LATER),
    ]
    await service.delete_collection(alice.id, shelf, now=LATER)
    assert [view.id for view in await queries.collections(alice.id)] == [other]
    assert (await deck_of(alice.id, live)).collection_id is None
    await service.restore_deck(alice.id, gone, limits=LIMITS, now=NOW)
    assert (await deck_of(alice.id, gone)).collection_id is None
    with pytest.raises(NotFound):
        await queries.decks(alice.id, clock=CLOCK, now=NOW, collection_id=shelf)


async def test_an_account_has_a_bounded_number_of_collections(rollback: None, monkeypatch: pytest.MonkeyPatch) -> None:
    alice = await make_account()
    monkeypatch.setattr(service, "MAXIMUM_COLLECTIONS", 1)
    await service.create_collection(alice.id, title="one", now=NOW)
    with pytest.raises(Conflict, match="at most 1 "):
        await service.create_collection(alice.id, title="two", now=NOW)


async def test_usage_counts_what_is_live(rollback: None) -> None:
    alice = await make_account()
    assert await queries.usage(alice.id) == Usage(0, 0)
    _, ids = await make_deck(alice.id, count=5)
    gone, _ = await make_deck(alice.id, "other", count=3)
    await service.delete_cards(alice.id, ids[:2], now=NOW)
    await service.delete_deck(alice.id, gone, now=NOW)
    assert await queries.usage(alice.id) == Usage(1, 3)


async def test_tags_are_counted_in_a_deck_and_in_the_account(rollback: None) -> None:
    alice = await make_account()
    first, _ = await make_deck(alice.id, "one")
    second, _ = await make_deck(alice.id, "two")
    await make_card(alice.id, first, "a", tags=("kanji", "n5"))
    await make_card(alice.id, first, "b", tags=("n5",))
    gone = await make_card(alice.id, first, "c", tags=("n5", "old"))
    await make_card(alice.id, second, "a", tags=("kanji",))
    await service.delete_cards(alice.id, [gone], now=NOW)
    assert [(count.tag, count.card_count) for count in await queries.tags(alice.id, first)] == [("n5", 2), ("kanji", 1)]
    assert [(count.tag, count.card_count) for count in await queries.tags(alice.id)] == [("kanji", 2), ("n5", 2)]
