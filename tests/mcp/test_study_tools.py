"""The study tools over MCP: sessions in words, and the plan."""

from __future__ import annotations

import asyncio
import json

import httpx
import pytest

from app.accounts.views import AccountView
from app.core import clock, db
from app.domain.plans import Plan
from app.domain.scheduling import DEFAULT_PARAMETERS
from app.domain.scopes import Scope
from tests.areas.deck_makers import make_deck
from tests.factories import make_account, make_key
from tests.mcp.conftest import Client, World, client_of
from tests.mcp.studying import cards, deck_of, make_due, reviews


async def test_a_session_in_words_from_the_question_to_the_report(client: Client, alice: AccountView):
    deck_id, [card_id] = await deck_of(client, "Seine?")
    shown = await client.call("render_study_session", {"deckId": deck_id})
    item = shown["structuredContent"]["item"]
    assert (item["kind"], item["prompt"], item["accepts"]) == ("flashcard", "Seine?", ["answer", "rating"])
    text = shown["content"][0]["text"]
    assert "Seine?" in text
    assert "record_review" in text
    about = {"sessionId": shown["structuredContent"]["sessionId"], "itemId": item["itemId"]}
    result = await client.call("record_review", {**about, "rating": "easy", "elapsedMs": 2500})
    done = result["structuredContent"]
    assert (done["verdict"], done["rating"], done["rightAnswer"]) == ("correct", "easy", "about Seine?")
    assert done["nextDue"] > clock.now().isoformat()
    assert done["status"] == "finished"
    assert done["report"]["newCards"] == 1
    assert "about Seine?" in result["content"][0]["text"]
    row = await db.fetch_row("SELECT elapsed_ms, rating FROM review WHERE card_id = $1", card_id)
    assert row is not None
    assert tuple(row) == (2500, 4)


async def test_the_same_answer_sent_again_counts_once_and_says_the_same(client: Client, alice: AccountView):
    """Case 12, by the item and by the client's own id."""
    deck_id, _ = await deck_of(client, "a", "b")
    state = await client.done("start_study_session", {"deckId": deck_id})
    sent = {"sessionId": state["sessionId"], "itemId": state["item"]["itemId"], "rating": "good", "reviewId": "r-1"}
    first = await client.done("record_review", sent)
    assert not first["repeated"]
    same = ("verdict", "rating", "nextDue", "rightAnswer", "itemId", "intervalDays")
    for again in (sent, {**sent, "rating": "again"}, {**sent, "itemId": first["item"]["itemId"]}):
        result = await client.done("record_review", again)
        assert result["repeated"]
        assert [result[name] for name in same] == [first[name] for name in same]
        assert result["item"] == first["item"]
    assert await reviews() == 1


async def test_answers_sent_at_once_are_one_review(client: Client, alice: AccountView):
    """Case 11."""
    deck_id, _ = await deck_of(client, "a", "b")
    state = await client.done("start_study_session", {"deckId": deck_id})
    sent = {"sessionId": state["sessionId"], "itemId": state["item"]["itemId"], "rating": "good"}
    results = await asyncio.gather(*(client.done("record_review", sent) for _ in range(6)))
    assert sorted(result["repeated"] for result in results) == [False] + [True] * 5
    assert len({json.dumps({**result, "repeated": 0}, sort_keys=True) for result in results}) == 1
    assert await reviews() == 1


async def test_an_answer_that_cannot_be_recorded_says_why(client: Client, world: World):
    about = {"sessionId": world.session_id, "itemId": world.item_id}
    for wrong, code in (
        ({}, "INVALID_INPUT"),
        ({"answer": "x", "rating": "good"}, "INVALID_INPUT"),
        ({"rating": "perfect"}, "INVALID_INPUT"),
        ({"itemId": world.item_id + 1, "rating": "good"}, "CONFLICT"),
        ({"itemId": 999_999, "rating": "good"}, "NOT_FOUND"),
        ({"sessionId": 999_999, "rating": "good"}, "NOT_FOUND"),
    ):
        assert (await client.refused("record_review", {**about, **wrong}))["code"] == code
    await db.execute("UPDATE study_session SET finished_at = now() WHERE id = $1", world.session_id)
    about = await client.refused("record_review", {**about, "rating": "good"})
    assert about["code"] == "SESSION_FINISHED"
    assert await reviews() == 0


@pytest.mark.parametrize("given", [{"answer": "\ud800"}, {"rating": "good", "reviewId": "\ud800"}])
async def test_half_a_character_is_refused(client: Client, world: World, given: dict[str, str]):
    arguments = {"sessionId": world.session_id, "itemId": world.item_id, **given}
    params = {"name": "record_review", "arguments": arguments}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    answer = (await client.post(raw=body.encode())).json()
    if "error" in answer:  # the engine may refuse it before us
        assert answer["error"]["code"] in {-32600, -32602, -32700}
    else:
        assert answer["result"]["_meta"]["loci/error"]["code"] == "INVALID_INPUT"
    assert await reviews() == 0


async def test_a_long_answer_is_rated_not_judged_as_text(client: Client, alice: AccountView):
    deck = await client.done("create_deck", {"title": "Essays"})
    long = {"front": "Why?", "back": "Because " + "one thing leads to another, " * 20}
    await client.done("create_cards", {"deckId": deck["deckId"], "cards": [long]})
    state = await client.done("start_study_session", {"deckId": deck["deckId"]})
    assert state["item"]["accepts"] == ["rating"]
    about = {"sessionId": state["sessionId"], "itemId": state["item"]["itemId"]}
    refused = await client.refused("record_review", {**about, "answer": "It follows."})
    assert refused["code"] == "INVALID_INPUT"
    assert "rating" in refused["text"]
    assert (await client.done("record_review", {**about, "rating": "hard"}))["rightAnswer"] == long["back"].strip()


async def test_a_session_is_shown_for_a_deck_for_itself_or_for_the_deck_with_most_due(client: Client, world: World):
    await make_due(world.card_ids[0])
    shown = await client.done("render_study_session")
    assert shown["deckId"] == world.deck_id
    assert shown["sessionId"] == world.session_id  # today's, for the same deck, mode and goal
    again = await client.done("render_study_session", {"sessionId": world.session_id})
    assert again == shown
    new = await client.done("render_study_session", {"deckId": world.deck_id, "mode": "typed", "goal": "cram"})
    assert new["sessionId"] != world.session_id
    assert (new["mode"], new["goal"]) == ("typed", "cram")
    short = await client.done("render_study_session", {"deckId": world.deck_id, "minutes": 1})
    assert short["sessionId"] not in {world.session_id, new["sessionId"]}
    about = await client.refused("render_study_session", {"sessionId": world.session_id, "deckId": world.deck_id})
    assert about["code"] == "INVALID_INPUT"


async def test_another_accounts_session_does_not_exist(bobs_client: Client, world: World):
    for tool in ("get_study_session", "render_study_session"):
        theirs, missing = [await bobs_client.refused(tool, {"sessionId": id}) for id in (world.session_id, 999_999)]
        assert theirs == missing
        assert theirs["code"] == "NOT_FOUND"


async def test_without_a_deck_there_is_a_word_about_making_one(client: Client, alice: AccountView):
    assert (await client.refused("render_study_session"))["code"] == "NOT_FOUND"
    empty = await client.done("create_deck", {"title": "Empty"})
    shown = await client.done("render_study_session", {"deckId": empty["deckId"]})
    assert shown["status"] == "finished"
    assert "item" not in shown


async def test_the_free_plan_studies_in_chat_and_writes_no_cards(http: httpx.AsyncClient, committed: None):
    carol = await make_account("carol@example.org", plan=Plan.FREE)
    deck_id, _ = await make_deck(carol.id, count=2)
    client = Client(http, await make_key(carol))
    state = await client.done("render_study_session", {"deckId": deck_id})
    about = {"sessionId": state["sessionId"], "itemId": state["item"]["itemId"]}
    assert (await client.done("record_review", {**about, "rating": "good"}))["verdict"] == "correct"
    await client.done("get_study_plan", {"deckId": deck_id})
    about = await client.refused("create_cards", {"deckId": deck_id, "cards": cards("a")})
    assert about["code"] == "PLAN_REQUIRED"


async def test_a_scope_that_is_missing_is_asked_for(http: httpx.AsyncClient, world: World):
    reader = await client_of(http, world.alice, Scope.DECKS_READ)
    for tool, scope in (("record_review", "study:write"), ("render_study_session", "study:render")):
        response = await reader.rpc("tools/call", {"name": tool, "arguments": world.example(tool)})
        assert response.status_code == 403
        assert "insufficient_scope" in response.headers["www-authenticate"]
        assert f'scope="{scope}"' in response.headers["www-authenticate"]
    shower = await client_of(http, world.alice, Scope.STUDY_RENDER)
    assert (await shower.done("render_study_session", {"deckId": world.deck_id, "mode": "mixed"}))["item"]


async def test_a_session_leaves_an_audit_row_for_each_step(client: Client, world: World):
    await db.execute("DELETE FROM mcp_audit_events")
    await client.done("render_study_session", {"deckId": world.deck_id})
    await client.done("record_review", world.example("record_review"))
    rows = await db.fetch("SELECT tool, affected_ids FROM mcp_audit_events ORDER BY id")
    assert [row["tool"] for row in rows] == ["render_study_session", "record_review"]
    assert rows[0]["affected_ids"] == [f"session:{world.session_id}"]
    assert rows[1]["affected_ids"] == [f"session:{world.session_id}", f"card:{world.card_ids[0]}"]


async def test_a_plan_says_what_comes_why_and_whose_memory_it_reckons_with(client: Client, alice: AccountView):
    deck_id, ids = await deck_of(client, *"abcdef")
    for id in ids[:3]:
        await make_due(id)
    plan = await client.done("get_study_plan", {"deckId": deck_id})
    assert (plan["goal"], plan["source"], plan["questions"]) == ("review", "scheduler", 6)
    assert [(block["kind"], block["questions"]) for block in plan["blocks"]] == [("reviews", 3), ("new", 3)]
    assert 0 < plan["blocks"][0]["expectedRecall"] < 1
    assert all(block["reason"] for block in plan["blocks"])
    assert plan["expectedMinutes"] == pytest.approx(6 * plan["secondsPerQuestion"] / 60, abs=0.1)
    short = await client.done("get_study_plan", {"deckId": deck_id, "minutes": 1, "mode": "typed"})
    assert short["questions"] + short["leftOut"] == 6
    assert short["questions"] < 6
    await db.execute(
        "INSERT INTO study_settings (account_id, parameters, fitted_at, fitted_reviews) VALUES ($1, $2, now(), 600)",
        alice.id, [1.5 * DEFAULT_PARAMETERS[0], *DEFAULT_PARAMETERS[1:]],
    )  # fmt: skip
    assert (await client.done("get_study_plan", {"deckId": deck_id}))["source"] == "personal"


async def test_a_plan_starts_nothing_and_knows_when_there_is_nothing(client: Client, alice: AccountView):
    deck_id, _ = await deck_of(client, "a", "b")
    assert (await client.done("get_study_plan", {"deckId": deck_id}))["goal"] == "learn"
    assert await db.fetch_value("SELECT count(*) FROM study_session") == 0
    cram = await client.done("get_study_plan", {"deckId": deck_id, "goal": "cram"})
    assert [block["kind"] for block in cram["blocks"]] == ["all"]
    empty = await client.done("create_deck", {"title": "Empty"})
    result = await client.call("get_study_plan", {"deckId": empty["deckId"]})
    assert result["structuredContent"]["blocks"] == []
    assert "Nothing to do now" in result["content"][0]["text"]
