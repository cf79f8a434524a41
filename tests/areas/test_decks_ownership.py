"""Alice owns, Bob has no claim: to him each of her ids is one that does not exist, for every function of the area."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

import pytest

from app.core import db
from app.decks import queries, service
from app.decks.changes import CardChanges, DeckChanges
from app.domain.calendar import StudyClock
from app.domain.errors import NotFound
from app.domain.transfer.rows import ParsedRow
from tests.areas.deck_makers import LIMITS, make_deck, plain_cards
from tests.factories import NOW, make_account

CLOCK = StudyClock()


ROWS = (ParsedRow(line=1, front="one", back="two"),)


class Ids(NamedTuple):
    """Who calls, the ids named, and a deck of the caller's own."""

    who: int
    deck: int
    card: int
    shelf: int
    own: int


MISSING: dict[str, Callable[[Ids], Awaitable[Any]]] = {
    "deck": lambda ids: queries.deck(ids.who, ids.deck, clock=CLOCK, now=NOW),
    "decks": lambda ids: queries.decks(ids.who, clock=CLOCK, now=NOW, collection_id=ids.shelf),
    "card": lambda ids: queries.card(ids.who, ids.card),
    "cards": lambda ids: queries.cards(ids.who, ids.deck),
    "search_cards": lambda ids: queries.search_cards(ids.who, "front", deck_id=ids.deck),
    "tags": lambda ids: queries.tags(ids.who, ids.deck),
    "rename_collection": lambda ids: service.rename_collection(ids.who, ids.shelf, title="x", now=NOW),
    "delete_collection": lambda ids: service.delete_collection(ids.who, ids.shelf, now=NOW),
    "create_deck": lambda ids: service.create_deck(ids.who, title="x", collection_id=ids.shelf, limits=LIMITS, now=NOW),
    "update_deck": lambda ids: service.update_deck(ids.who, ids.deck, DeckChanges(title="x"), now=NOW),
    "update_deck into a collection": lambda ids: service.update_deck(
        ids.who, ids.own, DeckChanges(collection_id=ids.shelf), now=NOW
    ),
    "delete_deck": lambda ids: service.delete_deck(ids.who, ids.deck, now=NOW),
    "restore_deck": lambda ids: service.restore_deck(ids.who, ids.deck, limits=LIMITS, now=NOW),
    "erase_deck": lambda ids: service.erase_deck(ids.who, ids.deck),
    "import_cards": lambda ids: service.import_cards(
        ids.who, plain_cards([1]), deck_id=ids.deck, limits=LIMITS, now=NOW
    ),
    "create_cards": lambda ids: service.create_cards(ids.who, ids.deck, plain_cards([1]), limits=LIMITS, now=NOW),
    "import_rows": lambda ids: service.import_rows(ids.who, ROWS, deck_id=ids.deck, limits=LIMITS, now=NOW),
    "add_card": lambda ids: service.add_card(ids.who, plain_cards([1])[0], deck_id=ids.deck, limits=LIMITS, now=NOW),
    "update_card": lambda ids: service.update_card(ids.who, ids.card, CardChanges(front="x"), limits=LIMITS, now=NOW),
    "move_cards": lambda ids: service.move_cards(ids.who, [ids.card], ids.deck, limits=LIMITS, now=NOW),
}

# These answer with what they did not find.
NOT_FOUND_IDS: dict[str, Callable[[Ids], Awaitable[Any]]] = {
    "delete_cards": lambda ids: service.delete_cards(ids.who, [ids.card], now=NOW),
    "restore_cards": lambda ids: service.restore_cards(ids.who, [ids.card], limits=LIMITS, now=NOW),
    "move_cards": lambda ids: service.move_cards(ids.who, [ids.card], ids.own, limits=LIMITS, now=NOW),
    "tag_cards": lambda ids: service.tag_cards(ids.who, [ids.card], add=["x"], now=NOW),
    "erase_cards": lambda ids: service.erase_cards(ids.who, [ids.card]),
}

# These take no id of a row.
WITHOUT_ID = {"collections", "create_collection", "lock_writes", "sweep_trash", "trash_cards", "trash_decks", "usage"}

TABLES = ("collection", "deck", "deck_count", "card", "card_schedule")


async def everything_of(account_id: int) -> list[list[tuple[Any, ...]]]:
    return [
        [tuple(row) for row in await db.fetch(f"SELECT * FROM {table} WHERE account_id = $1 ORDER BY 1, 2", account_id)]  # noqa: S608
        for table in TABLES
    ]


def test_every_function_of_the_area_is_in_one_of_the_lists() -> None:
    public = {
        name
        for module in (queries, service)
        for name in module.__all__
        if inspect.iscoroutinefunction(getattr(module, name))
    }
    assert public == {name.split(" ")[0] for name in (*MISSING, *NOT_FOUND_IDS)} | WITHOUT_ID


@pytest.mark.parametrize("deleted", [False, True])
async def test_to_bob_the_ids_of_alice_do_not_exist(rollback: None, deleted: bool) -> None:
    alice, bob = await make_account(), await make_account("bob@example.org")
    shelf = await service.create_collection(alice.id, title="School", now=NOW)
    deck, (card, *_) = await make_deck(alice.id, "Edo", count=3)
    await service.update_deck(alice.id, deck, DeckChanges(collection_id=shelf), now=NOW)
    own, _ = await make_deck(bob.id, "own", count=1)
    if deleted:
        await service.delete_cards(alice.id, [card], now=NOW)
        await service.delete_deck(alice.id, deck, now=NOW)
    before = [await everything_of(account.id) for account in (alice, bob)]
    for name, call in MISSING.items():
        said: list[str] = []
        for named in ((deck, card, shelf), *([id] * 3 for id in (10**9, 2**63, 10**30, 0, -1))):
            with pytest.raises(NotFound) as caught:
                await call(Ids(bob.id, *named, own))
            said.append(str(caught.value))
        assert len(set(said)) == 1, name
    for name, listed in NOT_FOUND_IDS.items():
        result = await listed(Ids(bob.id, deck, card, shelf, own))
        assert (result.done_ids, result.not_found_ids) == ((), (card,)), name
    assert await queries.collections(bob.id) == ()
    assert (await queries.trash_decks(bob.id)).items == ()
    assert (await queries.trash_cards(bob.id)).items == ()
    assert [await everything_of(account.id) for account in (alice, bob)] == before


async def test_a_deleted_deck_or_card_does_not_exist_for_its_owner_but_in_the_trash(rollback: None) -> None:
    alice = await make_account()
    deck, (card, *_) = await make_deck(alice.id, "Edo", count=3)
    own, _ = await make_deck(alice.id, "own")
    await service.delete_deck(alice.id, deck, now=NOW)
    live_only = {
        "deck",
        "card",
        "cards",
        "search_cards",
        "tags",
        "update_deck",
        "delete_deck",
        "import_cards",
        "add_card",
    }
    for name in sorted(live_only | {"update_card", "move_cards"}):
        with pytest.raises(NotFound):
            await MISSING[name](Ids(alice.id, deck, card, 10**9, own))


async def test_a_command_of_an_account_that_is_gone_finds_nothing(rollback: None) -> None:
    with pytest.raises(NotFound):
        await service.create_deck(10**9, title="x", limits=LIMITS, now=NOW)
