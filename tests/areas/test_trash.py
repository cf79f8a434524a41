"""The trash: what lies in it, how decks come back, erasing, sweeping."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from app.core import db
from app.decks import queries, service
from app.decks.views import BulkResult, DeletedDeck, TrashedDeck
from app.domain.errors import InvalidInput, NotFound
from tests.areas.deck_makers import LIMITS, make_deck, schedule_of, set_schedule
from tests.factories import NOW, make_account

NOWHERE = 10**30


def later(minutes: int) -> datetime:
    return NOW + timedelta(minutes=minutes)


async def rows_of(table: str) -> int:
    return await db.fetch_value(f"SELECT count(*) FROM {table}")  # noqa: S608 - the names stand below


async def test_a_deck_comes_back_with_the_cards_that_went_with_it_and_no_others(rollback: None) -> None:
    alice = await make_account()
    deck_id, ids = await make_deck(alice.id, "Edo", count=4)
    await set_schedule(ids[1], 2, later(5))
    schedule = await schedule_of(ids[1])
    await service.delete_cards(alice.id, [ids[0]], now=later(1))
    assert await service.delete_deck(alice.id, deck_id, now=later(2)) == DeletedDeck("Edo", 3)
    with pytest.raises(NotFound):
        await service.delete_deck(alice.id, deck_id, now=later(3))
    assert (await queries.trash_decks(alice.id)).items == (TrashedDeck(deck_id, "Edo", 3, later(2)),)
    (card,) = (await queries.trash_cards(alice.id)).items
    assert (card.id, card.deck_id, card.deck_title, card.deck_deleted, card.deleted_at) == (
        ids[0],
        deck_id,
        "Edo",
        True,
        later(1),
    )
    assert await service.restore_deck(alice.id, deck_id, limits=LIMITS, now=later(4)) == 3
    assert await service.restore_deck(alice.id, deck_id, limits=LIMITS, now=later(5)) == 0
    assert [card.id for card in (await queries.cards(alice.id, deck_id)).items] == ids[1:]
    assert await schedule_of(ids[1]) == schedule
    assert (await queries.trash_decks(alice.id)).items == ()
    assert [card.deck_deleted for card in (await queries.trash_cards(alice.id)).items] == [False]


async def test_a_deck_comes_back_beside_one_that_took_its_title(rollback: None) -> None:
    alice = await make_account()
    first, _ = await make_deck(alice.id, "Edo", count=1)
    await service.delete_deck(alice.id, first, now=NOW)
    second, _ = await make_deck(alice.id, "Edo", count=1)
    assert second != first
    assert await service.restore_deck(alice.id, first, limits=LIMITS, now=NOW) == 1


async def test_the_same_cards_come_back_after_two_deletions_at_one_moment(rollback: None) -> None:
    """A card deleted in the same instant as its deck, but by itself, stays in the trash."""
    alice = await make_account()
    deck_id, ids = await make_deck(alice.id, count=2)
    await service.delete_cards(alice.id, [ids[0]], now=NOW)
    await service.delete_deck(alice.id, deck_id, now=NOW)
    assert await service.restore_deck(alice.id, deck_id, limits=LIMITS, now=NOW) == 1
    assert [card.id for card in (await queries.cards(alice.id, deck_id)).items] == [ids[1]]


async def test_the_trash_comes_in_pages_the_last_deleted_first(rollback: None) -> None:
    alice = await make_account()
    decks = [(await make_deck(alice.id, f"deck {number}", count=1))[0] for number in range(4)]
    live, ids = await make_deck(alice.id, "live", count=5)
    for number, deck_id in enumerate(decks):
        await service.delete_deck(alice.id, deck_id, now=later(number // 2))
    await service.delete_cards(alice.id, ids[:2], now=later(2))
    await service.delete_cards(alice.id, ids[2:4], now=later(1))
    seen: list[int] = []
    cursor = None
    while True:
        page = await queries.trash_decks(alice.id, cursor=cursor, limit=1)
        seen += [deck.id for deck in page.items]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert seen == decks[::-1]
    first = await queries.trash_cards(alice.id, limit=3)
    rest = await queries.trash_cards(alice.id, cursor=first.next_cursor, limit=3)
    assert [card.id for card in (*first.items, *rest.items)] == [ids[1], ids[0], ids[3], ids[2]]
    assert rest.next_cursor is None
    assert {card.deck_id for card in first.items} == {live}
    with pytest.raises(InvalidInput):
        await queries.trash_decks(alice.id, cursor=first.next_cursor)


async def test_only_what_is_in_the_trash_can_be_erased(rollback: None) -> None:
    alice = await make_account()
    deck_id, ids = await make_deck(alice.id, count=3)
    for missing in (deck_id, NOWHERE, 0):
        with pytest.raises(NotFound):
            await service.erase_deck(alice.id, missing)
    await service.delete_cards(alice.id, [ids[0]], now=NOW)
    assert await service.erase_cards(alice.id, [*ids[:2], NOWHERE]) == BulkResult((ids[0],), (ids[1], NOWHERE))
    assert (await service.restore_cards(alice.id, [ids[0]], limits=LIMITS, now=NOW)).not_found_ids == (ids[0],)
    await service.delete_deck(alice.id, deck_id, now=NOW)
    await service.erase_deck(alice.id, deck_id)
    with pytest.raises(NotFound):
        await service.restore_deck(alice.id, deck_id, limits=LIMITS, now=NOW)
    assert [await rows_of(table) for table in ("deck", "card", "card_schedule", "deck_count")] == [0, 0, 0, 0]


async def test_the_sweep_erases_what_lay_long_enough_in_every_account(rollback: None) -> None:
    alice, bob = await make_account(), await make_account("bob@example.org")
    kept: list[int] = []
    for account in (alice, bob):
        old, _ = await make_deck(account.id, "old", count=2)
        young, _ = await make_deck(account.id, "young", count=2)
        live, ids = await make_deck(account.id, "live", count=3)
        await service.delete_deck(account.id, old, now=later(0))
        await service.delete_deck(account.id, young, now=later(2))
        await service.delete_cards(account.id, [ids[0]], now=later(0))
        await service.delete_cards(account.id, [ids[1]], now=later(1))
        kept += [young, live]
    assert await service.sweep_trash(later(1)) == 8
    assert [row["id"] for row in await db.fetch("SELECT id FROM deck ORDER BY id")] == kept
    assert await rows_of("card") == await rows_of("card_schedule") == 8
    assert await service.sweep_trash(later(1)) == 0
    for account in (alice, bob):
        (deck,) = (await queries.trash_decks(account.id)).items
        assert await service.restore_deck(account.id, deck.id, limits=LIMITS, now=later(3)) == 2
