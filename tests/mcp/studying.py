"""Decks and schedules for the tests of the study tools."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from app.core import clock, db
from tests.mcp.conftest import Client


def cards(*fronts: str) -> list[dict[str, Any]]:
    return [{"front": front, "back": f"about {front}"} for front in fronts]


async def deck_of(client: Client, *fronts: str, title: str = "Deck") -> tuple[int, list[int]]:
    deck = await client.done("create_deck", {"title": title})
    made = await client.done("create_cards", {"deckId": deck["deckId"], "cards": cards(*fronts)})
    return deck["deckId"], [one["cardId"] for one in made["results"]]


async def make_due(card_id: int, days: float = 1, **columns: Any) -> None:
    """In review, due so many days ago."""
    now = clock.now()
    values = {"stability": 5.0, "difficulty": 5.0, "lapses": 0, **columns}
    await db.execute(
        "UPDATE card_schedule SET state = 2, due = $2, last_review = $3, reps = 3, stability = $4, difficulty = $5, "
        "lapses = $6 WHERE card_id = $1",
        card_id, now - timedelta(days=days), now - timedelta(days=days + 5),
        values["stability"], values["difficulty"], values["lapses"],
    )  # fmt: skip


async def reviews() -> int:
    return int(await db.fetch_value("SELECT count(*) FROM review"))
