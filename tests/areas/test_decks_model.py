"""Random sequences of commands against a small model: lists, trash, counts and limits agree with it at every step."""

from __future__ import annotations

import random
from collections.abc import Awaitable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import pytest

from app.core import db
from app.decks import queries, service
from app.decks.changes import CardChanges
from app.decks.views import Usage
from app.domain.calendar import StudyClock
from app.domain.errors import AppError, Conflict, DeckCardLimitExceeded, DeckLimitExceeded, NotFound, PlanRequired
from tests.areas.deck_makers import limits, plain_cards
from tests.factories import NOW, make_account

DECKS, CARDS, CAP = 4, 24, 9
LIMITS = limits(decks=DECKS, cards=CARDS, cap=CAP)
CLOCK = StudyClock()


@dataclass
class ModelCard:
    deck: int
    number: int  # stands for the text
    new: bool = True
    deleted: bool = False
    with_deck: bool = False


@dataclass
class Model:
    decks: dict[int, bool] = field(default_factory=dict)  # id: deleted
    cards: dict[int, ModelCard] = field(default_factory=dict)

    def live(self, deck: int | None = None) -> dict[int, ModelCard]:
        return {id: card for id, card in self.cards.items() if not card.deleted and deck in {None, card.deck}}

    def numbers(self, deck: int) -> dict[int, int]:
        return {card.number: id for id, card in self.live(deck).items()}

    def live_decks(self) -> list[int]:
        return [id for id, deleted in self.decks.items() if not deleted]

    def room(self, deck: int, added: int, *, in_account: bool = True) -> type[AppError] | None:
        if added and len(self.live(deck)) + added > CAP:
            return DeckCardLimitExceeded
        if added and in_account and len(self.live()) + added > CARDS:
            return PlanRequired
        return None


async def outcome(command: Awaitable[Any], expected: type[AppError] | None) -> Any:
    """The answer of a command, which must fail exactly as expected."""
    if expected is None:
        return await command
    with pytest.raises(expected):
        await command
    return None


class Walk:
    """One account, its model, and a step of each kind of command."""

    def __init__(self, account_id: int, seed: int) -> None:
        self.account_id = account_id
        self.random = random.Random(seed)  # noqa: S311 - a test's dice
        self.model = Model()
        self.now = NOW

    def any_deck(self) -> int:
        return self.random.choice([*self.model.decks, 10**9])

    def some_cards(self) -> list[int]:
        known = [*self.model.cards, 10**9]
        return self.random.sample(known, min(len(known), self.random.randint(1, 6)))

    async def create_deck(self) -> None:
        full = len(self.model.live_decks()) >= DECKS
        title = f"deck {len(self.model.decks)} at {self.now}"
        deck = await outcome(
            service.create_deck(self.account_id, title=title, limits=LIMITS, now=self.now),
            DeckLimitExceeded if full else None,
        )
        if deck:
            self.model.decks[deck] = False

    async def import_cards(self) -> None:
        deck = self.any_deck()
        numbers = [self.random.randrange(14) for _ in range(self.random.randint(1, 5))]
        fresh = list(dict.fromkeys(number for number in numbers if number not in self.model.numbers(deck)))
        missing = self.model.decks.get(deck, True)
        result = await outcome(
            service.import_cards(self.account_id, plain_cards(numbers), deck_id=deck, limits=LIMITS, now=self.now),
            NotFound if missing else self.model.room(deck, len(fresh)),
        )
        if result:
            assert result.skipped_count == len(numbers) - len(fresh)
            assert len(result.imported_ids) == len(fresh)
            for id, number in zip(result.imported_ids, fresh, strict=True):
                self.model.cards[id] = ModelCard(deck, number)

    async def delete_deck(self) -> None:
        deck = self.any_deck()
        missing = self.model.decks.get(deck, True)
        gone = self.model.live(deck)
        result = await outcome(service.delete_deck(self.account_id, deck, now=self.now), NotFound if missing else None)
        if result:
            assert result.card_count == len(gone)
            self.model.decks[deck] = True
            for card in gone.values():
                card.deleted = card.with_deck = True

    async def restore_deck(self) -> None:
        deck = self.any_deck()
        back = [card for card in self.model.cards.values() if card.deck == deck and card.with_deck]
        expected: type[AppError] | None = None
        if deck not in self.model.decks:
            expected = NotFound
        elif self.model.decks[deck]:
            full = len(self.model.live_decks()) >= DECKS
            expected = DeckLimitExceeded if full else self.model.room(deck, len(back))
        count = await outcome(service.restore_deck(self.account_id, deck, limits=LIMITS, now=self.now), expected)
        if expected is None:
            assert count == len(back)
            self.model.decks[deck] = False
            for card in back:
                card.deleted = card.with_deck = False

    async def delete_cards(self) -> None:
        ids = self.some_cards()
        result = await service.delete_cards(self.account_id, ids, now=self.now)
        live = self.model.live()
        assert result.done_ids == tuple(id for id in ids if id in live)
        assert result.not_found_ids == tuple(id for id in ids if id not in live)
        for id in result.done_ids:
            self.model.cards[id].deleted = True

    async def restore_cards(self) -> None:
        ids = self.some_cards()
        known = [id for id in ids if id in self.model.cards]
        back = sorted(id for id in known if self.model.cards[id].deleted)
        expected = self._restoring(back)
        result = await outcome(service.restore_cards(self.account_id, ids, limits=LIMITS, now=self.now), expected)
        if result:
            assert result.done_ids == tuple(known)
            for id in back:
                self.model.cards[id].deleted = False

    def _restoring(self, ids: list[int]) -> type[AppError] | None:
        cards = [self.model.cards[id] for id in ids]
        if any(self.model.decks[card.deck] for card in cards):
            return Conflict
        added = 0
        for deck in dict.fromkeys(card.deck for card in cards):
            numbers = [card.number for card in cards if card.deck == deck]
            if len(set(numbers)) < len(numbers) or set(numbers) & set(self.model.numbers(deck)):
                return Conflict
            if len(self.model.live(deck)) + len(numbers) > CAP:
                return DeckCardLimitExceeded
            added += len(numbers)
            if len(self.model.live()) + added > CARDS:
                return PlanRequired
        return None

    async def move_cards(self) -> None:
        deck, ids = self.any_deck(), self.some_cards()
        live = self.model.live()
        moving = [live[id] for id in ids if id in live and live[id].deck != deck]
        numbers = [card.number for card in moving]
        expected: type[AppError] | None = None
        if self.model.decks.get(deck, True):
            expected = NotFound
        elif len(set(numbers)) < len(numbers) or set(numbers) & set(self.model.numbers(deck)):
            expected = Conflict
        else:
            expected = self.model.room(deck, len(numbers), in_account=False)
        result = await outcome(service.move_cards(self.account_id, ids, deck, limits=LIMITS, now=self.now), expected)
        if result:
            assert result.done_ids == tuple(id for id in ids if id in live)
            for card in moving:
                card.deck = deck

    async def update_card(self) -> None:
        id, number = self.random.choice(self.some_cards()), self.random.randrange(14)
        card = self.model.live().get(id)
        expected: type[AppError] | None = None if card else NotFound
        if card and self.model.numbers(card.deck).get(number, id) != id:
            expected = Conflict
        changes = CardChanges(front=f"front {number}", back=f"back {number}")
        await outcome(service.update_card(self.account_id, id, changes, limits=LIMITS, now=self.now), expected)
        if card and expected is None:
            card.number = number

    async def study_card(self) -> None:
        live = self.model.live()
        if live:
            id = self.random.choice(list(live))
            await db.execute(
                "UPDATE card_schedule SET state = 2, due = $3 WHERE account_id = $1 AND card_id = $2",
                self.account_id,
                id,
                self.now - timedelta(days=1),
            )
            live[id].new = False

    async def erase_deck(self) -> None:
        deck = self.any_deck()
        gone = self.model.decks.get(deck, False)
        await outcome(service.erase_deck(self.account_id, deck), None if gone else NotFound)
        if gone:
            del self.model.decks[deck]
            self.model.cards = {id: card for id, card in self.model.cards.items() if card.deck != deck}

    async def erase_cards(self) -> None:
        ids = self.some_cards()
        result = await service.erase_cards(self.account_id, ids)
        assert set(result.done_ids) == {id for id in ids if id in self.model.cards and self.model.cards[id].deleted}
        for id in result.done_ids:
            del self.model.cards[id]

    async def check(self) -> None:
        model, account_id = self.model, self.account_id
        page = await queries.decks(account_id, clock=CLOCK, now=self.now)
        shown = {deck.id: (deck.card_count, deck.new_count, deck.due_count) for deck in page.items}
        expected: dict[int, tuple[int, int, int]] = {}
        for deck in model.live_decks():
            live = model.live(deck)
            new = sum(card.new for card in live.values())
            expected[deck] = (len(live), new, len(live) - new)
            cards = (await queries.cards(account_id, deck)).items
            assert [card.id for card in cards] == sorted(live)
            assert {card.id: card.front for card in cards} == {id: f"front {card.number}" for id, card in live.items()}
        assert shown == expected
        assert await queries.usage(account_id) == Usage(len(expected), len(model.live()))
        trashed = (await queries.trash_decks(account_id)).items
        assert {deck.id: deck.card_count for deck in trashed} == {
            deck: sum(card.deck == deck and card.with_deck for card in model.cards.values())
            for deck, deleted in model.decks.items()
            if deleted
        }
        alone = (await queries.trash_cards(account_id, limit=1000)).items
        assert {card.id for card in alone} == {
            id for id, card in model.cards.items() if card.deleted and not card.with_deck
        }
        assert {hit.id for hit in (await queries.search_cards(account_id, "front", limit=1000)).items} == set(
            model.live()
        )
        stored = await db.fetch(_WRONG_ROWS, account_id)
        assert stored == []


# Counters that differ from what they count, and schedule rows that differ from their card.
_WRONG_ROWS = """
SELECT 'count', deck_id FROM deck_count AS counted WHERE account_id = $1 AND ARRAY[cards, new_cards] <> (
  SELECT ARRAY[count(*), count(*) FILTER (WHERE state = 0)]::int[] FROM card_schedule AS schedule
   WHERE schedule.account_id = $1 AND schedule.deck_id = counted.deck_id AND live)
UNION ALL
SELECT 'schedule', card.id FROM card LEFT JOIN card_schedule AS schedule
    ON schedule.account_id = card.account_id AND schedule.card_id = card.id
 WHERE card.account_id = $1
   AND (schedule.deck_id IS DISTINCT FROM card.deck_id OR schedule.live IS DISTINCT FROM (card.deleted_at IS NULL))
"""

STEPS = (
    *[Walk.import_cards] * 6,
    *[Walk.create_deck] * 3,
    Walk.delete_deck,
    *[Walk.restore_deck] * 2,
    *[Walk.delete_cards] * 3,
    *[Walk.restore_cards] * 4,
    *[Walk.move_cards] * 3,
    *[Walk.update_card] * 3,
    *[Walk.study_card] * 2,
    Walk.erase_deck,
    Walk.erase_cards,
)


@pytest.mark.parametrize("seed", range(6))
async def test_any_sequence_of_commands_agrees_with_the_model(rollback: None, seed: int) -> None:
    alice = await make_account()
    walk = Walk(alice.id, seed)
    for number in range(120):
        walk.now = moment(number)
        await walk.random.choice(STEPS)(walk)
        await walk.check()


def moment(number: int) -> datetime:
    """Some steps share their moment, as two requests may."""
    return NOW + timedelta(seconds=number // 3)
