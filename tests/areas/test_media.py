"""Pictures and sounds of cards: stored once, within limits, kept as long as a card has them."""

from __future__ import annotations

import asyncio
import hashlib
from datetime import datetime, timedelta

import pytest

from app.core import db
from app.core.db import atomic
from app.decks import bulk, trash
from app.domain.errors import InvalidInput, NotFound, PlanRequired
from app.domain.media import MEDIA_OF_SIDE_MAX, MediaKind
from app.domain.transfer.bundle import MEDIA_MAX_BYTES, Side
from app.media import service
from app.media.queries import content, media_of
from app.media.service import Use
from tests.areas.deck_makers import LIMITS, make_card, make_deck
from tests.factories import NOW, make_account

ROOM = 100_000
LATER = NOW + timedelta(days=2)


def png(number: int = 0, size: int = 50) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + number.to_bytes(4) + bytes(size - 12)


async def stored(account_id: int, data: bytes, *, room: int = ROOM, now: datetime = NOW) -> str:
    async with atomic():
        digest, _ = await service.store(account_id, data, await service.room_of(account_id, room), now=now)
    return digest


async def add(account_id: int, card_id: int, name: str, data: bytes, side: Side = Side.FRONT) -> None:
    async with atomic():
        room = await service.room_of(account_id, ROOM)
        await service.add_to_card(account_id, card_id, side, name, data, room, now=NOW)


async def names_of(account_id: int, card_id: int, side: Side = Side.FRONT) -> list[str]:
    files = (await media_of(account_id, [card_id])).get(card_id, ())
    return [file.name for file in files if file.side is side]


async def used_bytes(account_id: int) -> int:
    return (await service.room_of(account_id, ROOM)).used


async def contents() -> int:
    return await db.fetch_value("SELECT count(*) FROM media")


async def a_card(email: str = "alice@example.org") -> tuple[int, int]:
    account = await make_account(email)
    _, (card_id,) = await make_deck(account.id, count=1)
    return account.id, card_id


async def test_a_content_is_stored_once_and_shown_on_its_sides_in_order(rollback: None) -> None:
    alice, card_id = await a_card()
    await add(alice, card_id, "back.mp3", b"ID3 sound", Side.BACK)
    await add(alice, card_id, "folder/one.png", png())
    await add(alice, card_id, "two.png", png())
    one, two, back = (await media_of(alice, [card_id]))[card_id]
    assert (one.side, one.place, one.name, one.kind, one.mime, one.size_bytes) == (
        Side.FRONT, 0, "one.png", MediaKind.IMAGE, "image/png", 50,
    )  # fmt: skip
    assert (two.place, two.name, two.digest) == (1, "two.png", one.digest)
    assert (back.side, back.place, back.kind) == (Side.BACK, 0, MediaKind.SOUND)
    assert one.digest == hashlib.sha256(png()).hexdigest()
    assert (await content(alice, one.digest)).data == png()
    assert await contents() == 2
    assert await used_bytes(alice) == 50 + 9


async def test_another_accounts_contents_and_cards_are_not_there(rollback: None) -> None:
    alice, card_id = await a_card()
    bob, _ = await a_card("bob@example.org")
    await add(alice, card_id, "a.png", png())
    assert await media_of(bob, [card_id]) == {}
    with pytest.raises(NotFound):
        await content(bob, hashlib.sha256(png()).hexdigest())
    assert await service.stored_among(bob, {hashlib.sha256(png()).hexdigest()}) == set()
    await stored(bob, png())
    assert await contents() == 2


@pytest.mark.parametrize("data", [b"", b"text", b"\x89PNG\r\n\x1a\n" + bytes(MEDIA_MAX_BYTES)])
async def test_what_is_no_picture_or_too_large_is_refused(rollback: None, data: bytes) -> None:
    alice, card_id = await a_card()
    with pytest.raises(InvalidInput):
        await add(alice, card_id, "x.png", data)
    assert (await contents(), await names_of(alice, card_id)) == (0, [])


async def test_an_account_has_room_for_so_much_and_what_it_has_already_takes_none(rollback: None) -> None:
    alice, _ = await a_card()
    await stored(alice, png(1, 600), room=1_000)
    with pytest.raises(PlanRequired):
        await stored(alice, png(2, 401), room=1_000)
    await stored(alice, png(1, 600), room=0)
    await stored(alice, png(2, 400), room=1_000)
    assert await used_bytes(alice) == 1_000


async def test_contents_of_one_unit_of_work_share_the_room(rollback: None) -> None:
    alice, _ = await a_card()
    async with atomic():
        room = await service.room_of(alice, 1_000)
        await service.store(alice, png(1, 600), room, now=NOW)
        await service.store(alice, png(1, 600), room, now=NOW)
        with pytest.raises(PlanRequired):
            await service.store(alice, png(2, 401), room, now=NOW)
        await service.store(alice, png(2, 400), room, now=NOW)
    assert await used_bytes(alice) == 1_000


async def test_a_full_side_takes_one_more_once_one_is_removed_whichever_it_was(rollback: None) -> None:
    alice, card_id = await a_card()
    for number in range(MEDIA_OF_SIDE_MAX):
        await add(alice, card_id, f"{number}.png", png(number))
    with pytest.raises(InvalidInput):
        await add(alice, card_id, "more.png", png(99))
    await service.remove_from_card(alice, card_id, Side.FRONT, [0, 5])
    await add(alice, card_id, "more.png", png(99))
    await add(alice, card_id, "last.png", png(98))
    numbers = [f"{number}.png" for number in range(MEDIA_OF_SIDE_MAX) if number not in {0, 5}]
    assert await names_of(alice, card_id) == [*numbers, "more.png", "last.png"]
    with pytest.raises(InvalidInput):
        await add(alice, card_id, "other.png", png(97))
    await add(alice, card_id, "back.png", png(97), Side.BACK)


async def test_moving_deleting_and_restoring_keep_a_cards_files_and_erasing_erases_them(rollback: None) -> None:
    alice, card_id = await a_card()
    other, _ = await make_deck(alice, "Other")
    await add(alice, card_id, "a.png", png())
    await bulk.move_cards(alice, [card_id], other, limits=LIMITS, now=NOW)
    assert await names_of(alice, card_id) == ["a.png"]
    await bulk.delete_cards(alice, [card_id], now=NOW)
    await service.sweep(LATER)
    await bulk.restore_cards(alice, [card_id], limits=LIMITS, now=NOW)
    assert await names_of(alice, card_id) == ["a.png"]
    assert (await content(alice, hashlib.sha256(png()).hexdigest())).data == png()
    await bulk.delete_cards(alice, [card_id], now=NOW)
    await trash.erase_cards(alice, [card_id])
    assert await db.fetch_value("SELECT count(*) FROM card_media") == 0
    await service.sweep(LATER)
    assert await contents() == 0


async def test_the_sweep_keeps_what_a_card_uses_and_what_came_within_a_day(rollback: None) -> None:
    alice, card_id = await a_card()
    await add(alice, card_id, "used.png", png(1))
    await stored(alice, png(2))
    await stored(alice, png(3))
    await stored(alice, png(4), now=LATER)
    await stored(alice, png(3), now=LATER)  # a file brings it again, and its cards may come with the next batch
    await service.sweep(LATER)
    digests = {hashlib.sha256(png(number)).hexdigest() for number in range(6)}
    kept = {hashlib.sha256(png(number)).hexdigest() for number in (1, 3, 4)}
    assert await service.stored_among(alice, digests) == kept


@pytest.mark.parametrize("again", [True, False], ids=["content comes again", "content is known"])
async def test_a_card_that_takes_an_old_content_during_a_sweep_keeps_it(committed: None, again: bool) -> None:
    alice, card_id = await a_card()
    digest = await stored(alice, png())
    taken, swept = asyncio.Event(), asyncio.Event()

    async def take() -> None:
        async with atomic():
            if again:
                await service.store(alice, png(), await service.room_of(alice, ROOM), now=LATER)
            else:
                assert await service.stored_among(alice, [digest]) == {digest}
            await service.attach(alice, [Use(card_id, Side.FRONT, 0, digest, "a.png")])
            taken.set()
            # Until the sweep is done with the rest or waits for this row.
            for _ in range(100):
                if swept.is_set() or await db.fetch_value(
                    "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'"
                ):
                    break
                await asyncio.sleep(0.01)

    async def sweep() -> None:
        await taken.wait()
        async with atomic():
            await service.sweep(LATER)
        swept.set()

    await asyncio.gather(take(), sweep())
    assert await names_of(alice, card_id) == ["a.png"]
    assert (await content(alice, digest)).data == png()


async def test_uses_are_replaced_at_their_places_and_taken_off(rollback: None) -> None:
    alice, card_id = await a_card()
    other = await make_card(alice, (await make_deck(alice, "Other"))[0], "other")
    digests = [await stored(alice, png(number)) for number in range(2)]
    uses = [Use(each, Side.FRONT, 0, digests[0], "a.png") for each in (card_id, other)]
    await service.attach(alice, uses)
    await service.attach(alice, [Use(card_id, Side.FRONT, 0, digests[1], "b\u202e/c.png")])
    assert await names_of(alice, card_id) == ["c.png"]
    await service.detach(alice, [card_id])
    assert (await names_of(alice, card_id), await names_of(alice, other)) == ([], ["a.png"])
