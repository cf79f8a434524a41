"""Many cards at once: delete, restore, move, tag."""

from __future__ import annotations

from datetime import timedelta

import pytest

from app.decks import queries, service
from app.decks.views import BulkResult
from app.domain.errors import Conflict, DeckCardLimitExceeded, InvalidInput, NotFound, PlanRequired
from tests.areas.deck_makers import (
    LIMITS,
    deck_changed_at,
    limits,
    make_card,
    make_deck,
    plain_cards,
    schedule_of,
    set_schedule,
)
from tests.factories import NOW, make_account

LATER = NOW + timedelta(hours=1)
NOWHERE = 10**30


async def test_deleted_cards_are_gone_from_every_list_and_come_back_as_they_were(rollback: None) -> None:
    alice = await make_account()
    deck_id, ids = await make_deck(alice.id, count=3)
    await set_schedule(ids[0], 2, LATER)
    before, schedule = await queries.card(alice.id, ids[0]), await schedule_of(ids[0])
    result = await service.delete_cards(alice.id, [NOWHERE, ids[0], ids[0], 0, ids[1]], now=LATER)
    assert result == BulkResult((ids[0], ids[1]), (NOWHERE, 0))
    assert await service.delete_cards(alice.id, [ids[0]], now=LATER) == BulkResult((), (ids[0],))
    assert [card.id for card in (await queries.cards(alice.id, deck_id)).items] == [ids[2]]
    assert [hit.id for hit in (await queries.search_cards(alice.id, "front")).items] == [ids[2]]
    with pytest.raises(NotFound):
        await queries.card(alice.id, ids[0])
    assert (await schedule_of(ids[0]))["live"] is False
    assert await deck_changed_at(deck_id) == LATER
    result = await service.restore_cards(alice.id, [ids[2], ids[0], NOWHERE], limits=LIMITS, now=LATER)
    assert result == BulkResult((ids[2], ids[0]), (NOWHERE,))
    assert (await queries.card(alice.id, ids[0]), await schedule_of(ids[0])) == (before, schedule)
    again = await service.restore_cards(alice.id, [ids[0]], limits=limits(cards=0, cap=1), now=LATER)
    assert again == BulkResult((ids[0],), ())


async def test_a_card_comes_back_only_into_a_live_deck(rollback: None) -> None:
    alice = await make_account()
    deck_id, ids = await make_deck(alice.id, count=3)
    other, others = await make_deck(alice.id, "other", count=1)
    await service.delete_cards(alice.id, [ids[0], *others], now=NOW)
    await service.delete_deck(alice.id, deck_id, now=NOW)
    for wanted in ([ids[0]], [ids[1]], [ids[0], *others]):
        with pytest.raises(Conflict, match=rf"deleted decks: {deck_id}\. Restore the deck first"):
            await service.restore_cards(alice.id, wanted, limits=LIMITS, now=NOW)
    assert (await queries.cards(alice.id, other)).items == ()
    assert await service.restore_deck(alice.id, deck_id, limits=LIMITS, now=NOW) == 2
    assert (await service.restore_cards(alice.id, [ids[0]], limits=LIMITS, now=NOW)).done_ids == (ids[0],)


async def test_equal_cards_do_not_come_back_together(rollback: None) -> None:
    alice = await make_account()
    deck_id, (first,) = await make_deck(alice.id, count=1)
    await service.delete_cards(alice.id, [first], now=NOW)
    (second,) = (
        await service.import_cards(alice.id, plain_cards([0]), deck_id=deck_id, limits=LIMITS, now=NOW)
    ).imported_ids
    with pytest.raises(Conflict, match=f"{first}, {second}"):
        await service.restore_cards(alice.id, [first], limits=LIMITS, now=NOW)
    await service.delete_cards(alice.id, [second], now=NOW)
    with pytest.raises(Conflict, match=f"{first}, {second}"):
        await service.restore_cards(alice.id, [second, first], limits=LIMITS, now=NOW)
    assert (await queries.cards(alice.id, deck_id)).items == ()
    await service.restore_cards(alice.id, [second], limits=LIMITS, now=NOW)


async def test_limits_hold_when_cards_come_back(rollback: None) -> None:
    alice = await make_account()
    deck_id, ids = await make_deck(alice.id, count=4)
    await service.delete_cards(alice.id, ids[:2], now=NOW)
    with pytest.raises(DeckCardLimitExceeded):
        await service.restore_cards(alice.id, ids, limits=limits(cap=3), now=NOW)
    with pytest.raises(PlanRequired):
        await service.restore_cards(alice.id, ids, limits=limits(cards=3), now=NOW)
    await service.delete_deck(alice.id, deck_id, now=NOW)
    with pytest.raises(DeckCardLimitExceeded):
        await service.restore_deck(alice.id, deck_id, limits=limits(cap=1), now=NOW)
    with pytest.raises(PlanRequired):
        await service.restore_deck(alice.id, deck_id, limits=limits(cards=1), now=NOW)
    assert await service.restore_deck(alice.id, deck_id, limits=limits(cards=2, cap=2), now=NOW) == 2


async def test_cards_move_all_or_none(rollback: None) -> None:
    alice = await make_account()
    one, ids = await make_deck(alice.id, "one", count=3)
    two, others = await make_deck(alice.id, "two", count=2)
    three, _ = await make_deck(alice.id, "three")
    await set_schedule(ids[2], 2, LATER)
    with pytest.raises(Conflict) as caught:
        await service.move_cards(alice.id, ids, two, limits=LIMITS, now=LATER)
    assert ", ".join(map(str, [*ids[:2], *others])) in str(caught.value)
    with pytest.raises(Conflict):  # equal to each other, from two decks
        await service.move_cards(alice.id, [ids[0], others[0]], three, limits=LIMITS, now=LATER)
    with pytest.raises(DeckCardLimitExceeded):
        await service.move_cards(alice.id, ids, three, limits=limits(cap=2), now=LATER)
    with pytest.raises(NotFound):
        await service.move_cards(alice.id, ids, NOWHERE, limits=LIMITS, now=LATER)
    assert len((await queries.cards(alice.id, one)).items) == 3
    result = await service.move_cards(alice.id, [ids[2], others[0], NOWHERE], two, limits=limits(cards=5), now=LATER)
    assert result == BulkResult((ids[2], others[0]), (NOWHERE,))
    moved = await queries.card(alice.id, ids[2])
    assert (moved.deck_id, moved.version, moved.updated_at) == (two, 2, LATER)
    assert (await queries.card(alice.id, others[0])).version == 1
    schedule = await schedule_of(ids[2])
    assert (schedule["deck_id"], schedule["state"], schedule["due"]) == (two, 2, LATER)
    assert [await deck_changed_at(deck) for deck in (one, two, three)] == [LATER, LATER, NOW]


async def test_tags_are_put_on_and_taken_off_many_cards(rollback: None) -> None:
    alice = await make_account()
    deck_id, _ = await make_deck(alice.id)
    first = await make_card(alice.id, deck_id, "a", tags=("Kanji", "old"))
    second = await make_card(alice.id, deck_id, "b", tags=("n5",))
    gone = await make_card(alice.id, deck_id, "c")
    await service.delete_cards(alice.id, [gone], now=NOW)
    result = await service.tag_cards(alice.id, [first, second, gone], add=["kanji", "N5"], remove=["ＯＬＤ"], now=LATER)
    assert result == BulkResult((first, second), (gone,))
    assert (await queries.card(alice.id, first)).tags == ("Kanji", "N5")
    assert (await queries.card(alice.id, second)).tags == ("n5", "kanji")
    assert {hit.id for hit in (await queries.search_cards(alice.id, "kanji")).items} == {first, second}
    assert (await queries.search_cards(alice.id, "old")).items == ()
    await service.tag_cards(alice.id, [first], add=["kanji"], now=LATER)
    assert (await queries.card(alice.id, first)).version == 2


async def test_a_card_that_would_have_too_many_tags_refuses_the_call_and_is_named(rollback: None) -> None:
    alice = await make_account()
    deck_id, _ = await make_deck(alice.id)
    first = await make_card(alice.id, deck_id, "a")
    full = await make_card(alice.id, deck_id, "b", tags=tuple(map(str, range(12))))
    with pytest.raises(InvalidInput, match=f"Card {full} would have 13 tags"):
        await service.tag_cards(alice.id, [first, full], add=["one more"], now=NOW)
    assert (await queries.card(alice.id, first)).tags == ()
    await service.tag_cards(alice.id, [full], add=["one more"], remove=["3"], now=NOW)
    for bad in ("", "x" * 41):
        with pytest.raises(InvalidInput):
            await service.tag_cards(alice.id, [first], add=[bad], now=NOW)


async def test_a_call_names_from_1_to_500_cards(rollback: None) -> None:
    alice = await make_account()
    for ids in ([], list(range(1, 502))):
        with pytest.raises(InvalidInput, match="from 1 to 500"):
            await service.delete_cards(alice.id, ids, now=NOW)
        with pytest.raises(InvalidInput):
            await service.restore_cards(alice.id, ids, limits=LIMITS, now=NOW)
    result = await service.delete_cards(alice.id, list(range(1, 501)) * 2, now=NOW)
    assert len(result.not_found_ids) == 500
