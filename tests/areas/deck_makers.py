"""Decks and cards for tests, made through the commands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from app.core import db
from app.decks import service
from app.decks.changes import NewCard
from app.decks.limits import Limits
from app.domain.plans import PLANS, Plan
from tests.factories import NOW

LIMITS = Limits(PLANS[Plan.PLUS], 500)


def limits(*, decks: int = 200, cards: int = 20_000, cap: int = 500) -> Limits:
    return Limits(replace(PLANS[Plan.PLUS], decks=decks, cards=cards), cap)


def plain_cards(numbers: Sequence[int]) -> list[NewCard]:
    return [NewCard(front=f"front {number}", back=f"back {number}") for number in numbers]


async def make_deck(
    account_id: int, title: str = "Deck", count: int = 0, *, now: datetime = NOW
) -> tuple[int, list[int]]:
    """A deck with cards `front 0`, `front 1`, …; its id and theirs."""
    deck_id = await service.create_deck(account_id, title=title, limits=LIMITS, now=now)
    ids: list[int] = []
    for start in range(0, count, 100):
        cards = plain_cards(range(start, min(start + 100, count)))
        ids += (await service.import_cards(account_id, cards, deck_id=deck_id, limits=LIMITS, now=now)).imported_ids
    return deck_id, ids


async def make_card(account_id: int, deck_id: int, front: str, back: str = "back", **more: Any) -> int:
    return await service.add_card(
        account_id, NewCard(front=front, back=back, **more), deck_id=deck_id, limits=LIMITS, now=NOW
    )


async def schedule_of(card_id: int) -> dict[str, Any]:
    row = await db.fetch_row("SELECT * FROM card_schedule WHERE card_id = $1", card_id)
    assert row is not None
    return dict(row)


async def set_schedule(card_id: int, state: int, due: datetime) -> None:
    await db.execute(
        "UPDATE card_schedule SET state = $2, due = $3, stability = 12.5, difficulty = 4.25, last_review = $4, "
        "reps = 3, lapses = 1 WHERE card_id = $1",
        card_id,
        state,
        due,
        NOW,
    )


async def deck_changed_at(deck_id: int) -> datetime:
    return await db.fetch_value("SELECT updated_at FROM deck WHERE id = $1", deck_id)
