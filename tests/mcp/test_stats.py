"""get_learning_stats over the wire."""

from __future__ import annotations

import json

from app.accounts.views import AccountView
from app.core import clock, db
from app.domain.calendar import StudyClock
from app.domain.scheduling import Rating, SchedulingOptions
from tests.areas.answering import answer_card
from tests.mcp.conftest import MARKER, Client, World

OPTIONS = SchedulingOptions(clock=StudyClock("UTC", 4))


async def answer_everything(alice: AccountView, world: World, times: int) -> None:
    for card_id in world.card_ids:
        for _ in range(times):
            await answer_card(alice.id, card_id, Rating.AGAIN, elapsed_ms=900, options=OPTIONS, now=clock.now())


async def test_it_tells_how_learning_goes_and_never_an_answer(client: Client, alice: AccountView, world: World) -> None:
    nothing = await client.done("get_learning_stats", {"deckId": world.other_deck_id})
    assert nothing["accuracy"] == {"answers": 0, "passed": 0}
    assert nothing["weakCards"] == []
    assert nothing["days"] == 30
    await answer_everything(alice, world, 16)
    await db.execute("UPDATE card_schedule SET lapses = 9, leech = true WHERE card_id = $1", world.card_ids[0])
    result = await client.call("get_learning_stats", {"days": 7})
    told = result["structuredContent"]
    assert told["accuracy"] == {"answers": 32, "passed": 0, "percent": 0.0}
    assert told["trueRetention"]["all"] == {"answers": 0, "passed": 0}
    assert told["due"]["now"] <= told["due"]["today"] <= told["due"]["withinSevenDays"] == 2
    first, second = told["weakCards"]
    assert first["cardId"] == world.card_ids[0]
    assert first["reasons"] == ["leech", "recent_agains", "high_difficulty"]
    assert (first["lapses"], first["recentAgains"]) == (9, 16)
    assert second["reasons"] == ["recent_agains", "high_difficulty"]
    assert first["front"].startswith(f"{MARKER} front")
    assert f"{MARKER} back" not in json.dumps(result)
    text = result["content"][0]["text"]
    assert "0.0 % (0 of 32)" in text
    assert f"cardId {world.card_ids[0]}" in text


async def test_a_deck_is_asked_for_by_itself_and_must_be_ones_own(
    client: Client, bobs_client: Client, alice: AccountView, world: World
) -> None:
    await answer_everything(alice, world, 2)
    assert (await client.done("get_learning_stats", {"deckId": world.deck_id}))["accuracy"]["answers"] == 4
    assert (await client.done("get_learning_stats", {"deckId": world.other_deck_id}))["accuracy"]["answers"] == 0
    assert (await bobs_client.done("get_learning_stats", {}))["accuracy"]["answers"] == 0
    for asked in (world.deck_id, 987_654):
        assert (await bobs_client.refused("get_learning_stats", {"deckId": asked}))["code"] == "NOT_FOUND"
    for days in (0, 366):
        assert (await client.refused("get_learning_stats", {"days": days}))["code"] == "INVALID_INPUT"
