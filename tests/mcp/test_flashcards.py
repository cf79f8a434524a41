"""The fourteen flashcards tools as a client meets them."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx

from app.accounts.views import AccountView
from app.core import db
from app.domain.plans import PLANS, Plan
from app.domain.scopes import Scope
from app.mcp.caller import admit
from app.mcp.plans import rates_of
from tests.factories import UNHURRIED, make_account, make_key
from tests.mcp.conftest import MARKER, Client, LiveServer, World, card, client_of


def cards(*fronts: str) -> list[dict[str, Any]]:
    return [{"front": front, "back": f"about {front}"} for front in fronts]


async def test_decks_are_listed_page_by_page_with_what_is_new_and_due(client: Client, world: World):
    await db.execute(
        "UPDATE card_schedule SET state = 2, due = $2, stability = 3, difficulty = 5, reps = 1, last_review = $2 "
        "WHERE account_id = $3 AND card_id = $1",
        world.card_ids[0],
        datetime.now(UTC) - timedelta(days=1),
        world.alice.id,
    )
    first = await client.call("list_decks", {"limit": 1})
    [deck] = first["structuredContent"]["decks"]
    assert deck["deckId"] == world.deck_id
    assert (deck["cardCount"], deck["newCount"], deck["dueCount"]) == (2, 1, 1)
    assert deck["updatedAt"].endswith("Z")
    assert "collectionId" not in deck
    assert f"deckId {world.deck_id}" in first["content"][0]["text"]
    cursor = first["structuredContent"]["nextCursor"]
    second = await client.done("list_decks", {"limit": 1, "cursor": cursor})
    assert [deck["deckId"] for deck in second["decks"]] == [world.other_deck_id]
    assert "nextCursor" not in second
    about = await client.refused("search_flashcards", {"query": "a", "cursor": cursor})
    assert about["code"] == "INVALID_INPUT"


async def test_a_deck_is_made_once_however_often_the_call_is_sent(client: Client, alice: AccountView):
    given = {"title": "Edo period", "description": "History", "language": "en"}
    answers = await asyncio.gather(*(client.done("create_deck", given) for _ in range(5)))
    assert len({answer["deckId"] for answer in answers}) == 1
    assert await db.fetch_value("SELECT count(*) FROM deck") == 1
    about = await client.refused("create_deck", {"title": " EDO period", "description": "Another"})
    assert about["code"] == "CONFLICT"
    assert about["deckId"] == answers[0]["deckId"]


async def test_a_deck_is_changed_field_by_field(client: Client, world: World):
    shelf = await db.fetch_value(
        "INSERT INTO collection (account_id, title, title_key, created_at, updated_at) "
        "VALUES ($1, 'shelf', 'shelf', now(), now()) RETURNING id",
        world.alice.id,
    )
    deck = await client.done("update_deck", {"deckId": world.deck_id, "collectionId": shelf})
    assert (deck["title"], deck["collectionId"]) == (f"{MARKER} one", shelf)
    assert len((await client.done("list_decks", {"collectionId": shelf}))["decks"]) == 1
    deck = await client.done("update_deck", {"deckId": world.deck_id, "title": "Renamed", "collectionId": 0})
    assert deck["title"] == "Renamed"
    assert "collectionId" not in deck


async def test_an_import_makes_a_deck_reuses_it_and_skips_what_is_there(client: Client, alice: AccountView):
    first = await client.done("import_flashcards", {"deckTitle": "Tōkyō", "cards": cards("a", "b")})
    assert (first["importedCount"], first["skippedCount"], first["warnings"]) == (2, 0, [])
    again = await client.done("import_flashcards", {"deckTitle": "  TŌKYŌ ", "cards": cards("A ", "c")})
    assert again["deckId"] == first["deckId"]
    assert (again["importedCount"], again["skippedCount"]) == (1, 1)
    assert again["warnings"]


async def test_a_lost_import_sent_again_creates_nothing_twice(client: Client, alice: AccountView):
    given = {"deckTitle": "Rivers", "cards": cards("Rhine", "Elbe", "Oder")}
    answers = await asyncio.gather(*(client.done("import_flashcards", given) for _ in range(4)))
    assert sorted(answer["importedCount"] for answer in answers) == [0, 0, 0, 3]
    assert len({answer["deckId"] for answer in answers}) == 1
    assert await db.fetch_value("SELECT count(*) FROM card") == 3
    assert await db.fetch_value("SELECT count(*) FROM deck") == 1


async def test_an_import_names_exactly_one_deck(client: Client, world: World):
    for given in ({}, {"deckId": world.deck_id, "deckTitle": "x"}):
        about = await client.refused("import_flashcards", {**given, "cards": cards("a")})
        assert about["code"] == "INVALID_INPUT"
    assert (await client.refused("import_flashcards", {"deckId": 999, "cards": cards("a")}))["code"] == "NOT_FOUND"


async def test_one_card_over_a_limit_fails_the_whole_import(client: Client, alice: AccountView):
    for bad in (
        {"front": "x" * 1001, "back": "b"},
        {"front": "x", "back": "b" * 4001},
        {"front": "x", "back": "b", "frontRich": "x" * 4001},
        {"front": "x", "back": "b", "backRich": "x" * 8001},
        {"front": "x", "back": "b", "tags": ["t"] * 13},
        {"front": "x", "back": "b", "tags": ["t" * 41]},
        {"front": "", "back": "b"},
        {"front": " \n", "back": "b"},
        {"back": "b"},
    ):
        about = await client.refused("import_flashcards", {"deckTitle": "Rivers", "cards": [*cards("a"), bad]})
        assert about["code"] == "INVALID_INPUT"
        assert "cards[1]" in about["text"] or "Card 2" in about["text"]
    assert await db.fetch_value("SELECT count(*) FROM card") == 0
    assert await db.fetch_value("SELECT count(*) FROM deck") == 0


async def test_lengths_are_code_points_at_every_limit(client: Client, alice: AccountView):
    full = {
        "front": "😀" * 1000,
        "back": "漢" * 4000,
        "frontRich": "<p>" + "é" * 3993 + "</p>",
        "tags": ["🎌" * 40] + [f"t{number}" for number in range(11)],
    }
    result = await client.done(
        "import_flashcards", {"deckTitle": "T" * 120, "sourceTitle": "s" * 160, "language": "ko", "cards": [full]}
    )
    assert result["importedCount"] == 1


async def test_a_body_of_a_hundred_full_cards_is_one_call_or_a_413(client: Client, alice: AccountView):
    full = [{"front": f"{number} " + "a" * 990, "back": "b" * 4000, "backRich": "c" * 4000} for number in range(100)]
    result = await client.done("import_flashcards", {"deckTitle": "Full", "cards": full})
    assert result["importedCount"] == 100
    for item in full:
        item["backRich"] = "c" * 8000
    response = await client.rpc(
        "tools/call", {"name": "import_flashcards", "arguments": {"deckTitle": "F", "cards": full}}
    )
    assert response.status_code == 413


async def test_rich_sides_keep_twelve_elements_and_say_what_was_removed(client: Client, alice: AccountView):
    item = {
        "front": "a <producer> b",
        "back": "for i<n; \\(x<y\\)",
        "frontRich": '<p onclick="x()">Hi <strong class="a">there</strong><script>alert(1)</script></p>',
    }
    result = await client.done("import_flashcards", {"deckTitle": "Rich", "cards": [item]})
    assert result["warnings"]
    hit = (await client.done("search_flashcards", {"query": "producer"}))["results"][0]
    found = await client.done("get_flashcard", {"cardId": hit["cardId"]})
    assert (found["front"], found["back"]) == (item["front"], item["back"])
    assert "<strong>there</strong>" in found["frontRich"]
    assert "script" not in found["frontRich"]
    assert "onclick" not in found["frontRich"]


async def test_a_search_finds_every_script_and_reads_no_wildcards(client: Client, alice: AccountView):
    await client.done(
        "import_flashcards", {"deckTitle": "Words", "cards": cards("お酒を飲む", "한국어", "京都", "Zürich 100%")}
    )
    for query, front in (
        ("飲", "お酒を飲む"),
        ("ｵ酒", None),
        ("한국", "한국어"),
        ("ZURICH", "Zürich 100%"),
        ("100%", "Zürich 100%"),
    ):
        results = (await client.done("search_flashcards", {"query": query}))["results"]
        if front:
            assert [hit["front"] for hit in results] == [front], query
    assert (await client.done("search_flashcards", {"query": "%_%"}))["results"] == []
    assert (await client.refused("search_flashcards", {"query": "   "}))["code"] == "INVALID_INPUT"


async def test_search_and_fetch_have_the_shapes_that_chatgpt_reads(
    client: Client, world: World, live_server: LiveServer
):
    found = await client.call("search", {"query": f"{MARKER} front 1"})
    [item] = found["content"]
    assert json.loads(item["text"]) == found["structuredContent"]
    [result] = found["structuredContent"]["results"]
    assert result == {
        "id": f"card:{world.card_ids[0]}",
        "title": f"{MARKER} front 1",
        "url": f"{live_server.url}/cards/{world.card_ids[0]}",
    }
    fetched = await client.call("fetch", {"id": result["id"]})
    [item] = fetched["content"]
    assert json.loads(item["text"]) == fetched["structuredContent"]
    document = fetched["structuredContent"]
    assert set(document) == {"id", "title", "text", "url", "metadata"}
    assert (document["id"], document["url"]) == (result["id"], result["url"])
    assert f"{MARKER} front 1" in document["text"]
    assert f"{MARKER} back 1" in document["text"]
    assert document["metadata"]["deckId"] == str(world.deck_id)


async def test_an_id_that_leads_nowhere_is_not_found_whatever_its_kind(client: Client, world: World):
    for id in (
        "note:Project/plan.md",
        "card:0",
        "card:999999",
        "card:99999999999999999999",
        "card:",
        "banana",
        "card:1 ",
    ):
        assert (await client.refused("fetch", {"id": id}))["code"] == "NOT_FOUND"


async def test_a_card_is_changed_without_its_schedule_and_a_stale_version_is_a_conflict(client: Client, world: World):
    id = world.card_ids[0]
    schedule = await db.fetch_row("SELECT * FROM card_schedule WHERE card_id = $1", id)
    before = await client.done("get_flashcard", {"cardId": id})
    after = await client.done(
        "update_flashcard", {"cardId": id, "back": "A better answer", "expectedVersion": before["version"]}
    )
    assert after["back"] == "A better answer"
    assert after["front"] == before["front"]
    assert after["version"] == before["version"] + 1
    about = await client.refused(
        "update_flashcard", {"cardId": id, "back": "Stale", "expectedVersion": before["version"]}
    )
    assert about["code"] == "CONFLICT"
    assert (await client.done("get_flashcard", {"cardId": id}))["back"] == "A better answer"
    assert await db.fetch_row("SELECT * FROM card_schedule WHERE card_id = $1", id) == schedule
    unchanged = await client.done("update_flashcard", {"cardId": id})
    assert unchanged["version"] == after["version"]


async def test_cards_are_deleted_and_brought_back(client: Client, world: World):
    deleted = await client.done("delete_flashcards", {"cardIds": [world.card_ids[0], 999_999]})
    assert deleted == {"deletedIds": [world.card_ids[0]], "notFoundIds": [999_999]}
    assert (await client.refused("get_flashcard", {"cardId": world.card_ids[0]}))["code"] == "NOT_FOUND"
    restored = await client.done("restore_flashcards", {"cardIds": [world.card_ids[0], 999_999]})
    assert restored == {"restoredIds": [world.card_ids[0]], "notFoundIds": [999_999]}
    assert (await client.done("get_flashcard", {"cardId": world.card_ids[0]}))["cardId"] == world.card_ids[0]


async def test_a_deck_comes_back_with_what_went_with_it(client: Client, world: World):
    deleted = await client.done("delete_deck", {"deckId": world.deck_id})
    assert deleted == {"deckId": world.deck_id, "deckTitle": f"{MARKER} one", "deletedCardCount": 2}
    about = await client.refused("restore_flashcards", {"cardIds": [world.deleted_card_id]})
    assert about["code"] == "CONFLICT"
    restored = await client.done("restore_deck", {"deckId": world.deck_id})
    assert restored == {"deckId": world.deck_id, "deckTitle": f"{MARKER} one", "restoredCardCount": 2}
    again = await client.done("restore_deck", {"deckId": world.deck_id})
    assert again["restoredCardCount"] == 0
    restored = await client.done("restore_flashcards", {"cardIds": [world.deleted_card_id]})
    assert restored["restoredIds"] == [world.deleted_card_id]


async def test_the_account_status_says_who_may_write_and_why_not(
    http: httpx.AsyncClient, client: Client, world: World, live_server: LiveServer
):
    status = await client.done("get_account_status")
    assert status["email"] == "a***@example.org"
    assert (status["plan"], status["canWrite"]) == ("plus", True)
    assert "whyNot" not in status
    assert status["upgradeUrl"] == f"{live_server.url}/plan"
    assert status["usage"]["decks"] == {"used": 2, "limit": 200}
    assert status["usage"]["cards"] == {"used": 2, "limit": 20_000}
    reader = await client_of(http, world.alice, Scope.DECKS_READ)
    status = await reader.done("get_account_status")
    assert not status["canWrite"]
    assert "decks:write" in status["whyNot"]
    free = Client(http, await make_key(await make_account("carol@example.org", plan=Plan.FREE)))
    status = await free.done("get_account_status")
    assert (status["plan"], status["canWrite"]) == ("free", False)
    assert "Plus" in status["whyNot"]


async def test_a_deck_over_its_cap_and_an_account_over_its_plan_say_so(client: Client, alice: AccountView):
    for start in range(0, 500, 100):
        batch = cards(*(f"card {number}" for number in range(start, start + 100)))
        await client.done("import_flashcards", {"deckTitle": "Full", "cards": batch})
    about = await client.refused("import_flashcards", {"deckTitle": "Full", "cards": cards("one more")})
    assert about["code"] == "DECK_CARD_LIMIT_EXCEEDED"
    assert (about["limit"], about["used"]) == (500, 500)
    same = await client.done("import_flashcards", {"deckTitle": "Full", "cards": cards("card 7")})
    assert same["skippedCount"] == 1


async def test_without_plans_everybody_is_pro(committed: None, live_server: LiveServer):
    account = await make_account("carol@example.org", plan=Plan.FREE)
    token = await make_key(account)
    for plans, plan in ((True, Plan.FREE), (False, Plan.PRO)):
        settings = replace(live_server.settings, plans=plans)
        found = await admit(token, f"{live_server.url}/mcp", UNHURRIED, settings, now=datetime.now(UTC))
        assert found
        assert found.caller.plan is plan
        assert rates_of(settings)["free"].burst == PLANS[plan].burst


async def test_text_for_the_model_names_every_id(client: Client, world: World):
    result = await client.call("import_flashcards", {"deckId": world.deck_id, "cards": [card(8), card(9)]})
    text = result["content"][0]["text"]
    ids = await db.fetch("SELECT id FROM card WHERE account_id = $1 ORDER BY id DESC LIMIT 2", world.alice.id)
    assert f"cardIds {ids[1]['id']}-{ids[0]['id']}" in text
    assert f"deckId {world.deck_id}" in text
