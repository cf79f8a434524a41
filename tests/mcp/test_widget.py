"""The widget's document: everything in it, small, under an address of its content, and older addresses still read."""

from __future__ import annotations

import gzip
import re
from typing import Any

import pytest

from app.core import db
from app.mcp.registry import TOOLS, wire
from app.mcp.spec import Visibility
from app.mcp.widget import EXTENSION, MIME_TYPE, widget
from tests.mcp.conftest import HANDSHAKE, MODERN, Client, World


def test_the_document_loads_nothing_and_is_small() -> None:
    html = widget().html
    assert not re.search(r'(?:src|href)="', html.replace('href="data:', ""))
    assert "eval(" not in html
    assert "new Function" not in html
    assert len(gzip.compress(html.encode())) < 30_000


def test_the_tool_names_the_document_and_the_steps_are_for_the_app() -> None:
    shown = [wire(tool.name).meta for tool in TOOLS if tool.shows_widget]
    assert [meta and meta["ui"]["resourceUri"] for meta in shown] == [widget().uri]
    assert [meta and meta["openai/outputTemplate"] for meta in shown] == [widget().uri]
    for tool in TOOLS:
        if tool.visibility is Visibility.APP:
            meta = wire(tool.name).meta
            assert meta is not None
            assert meta["ui"] == {"visibility": ["app"]}


@pytest.mark.parametrize(("version", "greeting"), [(HANDSHAKE, "initialize"), (MODERN, "server/discover")])
async def test_both_eras_declare_the_extension_and_read_the_document(
    client: Client, version: str, greeting: str
) -> None:
    client.version = version
    hello = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}

    async def result(method: str, **params: Any) -> dict[str, Any]:
        response = await client.rpc(method, params)
        assert response.status_code == 200, response.text
        return response.json()["result"]

    said = await result(greeting, **(hello if version == HANDSHAKE else {}))
    assert said["capabilities"]["extensions"][EXTENSION] == {"mimeTypes": [MIME_TYPE]}
    listed = await result("resources/list")
    assert widget().uri in [resource["uri"] for resource in listed["resources"]]
    for uri in (widget().uri, "ui://loci/study.html?v=000000000000", "ui://loci/study.html"):
        (content,) = (await result("resources/read", uri=uri))["contents"]
        assert (content["uri"], content["mimeType"], content["text"]) == (uri, MIME_TYPE, widget().html)
        assert content["_meta"]["ui"]["csp"] == {"connectDomains": [], "resourceDomains": []}
    refused = await client.rpc("resources/read", {"uri": "ui://loci/other.html"})
    assert "error" in refused.json()


async def _listed(client: Client, path: str) -> set[str]:
    return {tool["name"] for tool in await client.tools(path)}


async def test_what_shows_an_answer_is_on_no_endpoint_that_only_reads(client: Client) -> None:
    steps = {tool.name for tool in TOOLS if tool.visibility is Visibility.APP}
    assert await _listed(client, "/mcp/study/readonly") & steps == {"study_step"}
    assert await _listed(client, "/mcp/readonly") & steps == {"study_step"}
    assert await _listed(client, "/mcp/study") >= steps


async def test_looking_at_a_session_starts_none_and_leaves_no_audit_row(client: Client, world: World) -> None:
    await db.execute("DELETE FROM mcp_audit_events")
    sessions = await db.fetch_value("SELECT count(*) FROM study_session")
    await client.done("study_step", {"sessionId": world.session_id})
    assert (await client.refused("study_step", {"deckId": world.deck_id, "mode": "matching"}))["code"] == "NOT_FOUND"
    assert await db.fetch_value("SELECT count(*) FROM study_session") == sessions
    assert await db.fetch_value("SELECT count(*) FROM mcp_audit_events") == 0


async def test_a_wish_for_another_session_that_is_sent_again_makes_one(client: Client, world: World) -> None:
    wish = {"key": "k1", "deckId": world.deck_id, "mode": "typed"}
    ids = {(await client.done("study_settings", wish))["sessionId"] for _ in range(3)}
    assert len(ids) == 1
    assert (await client.done("study_settings", {**wish, "key": "k2"}))["sessionId"] not in ids
    refused = await client.refused("study_settings", {**wish, "deckId": 2**40, "key": "k3"})
    assert refused["code"] == "NOT_FOUND"
    assert (await client.refused("study_settings", {**wish, "deckId": 2**40, "key": "k3"}))["code"] == "NOT_FOUND"


async def test_a_session_that_is_over_leads_to_the_one_begun_after_it(client: Client, world: World) -> None:
    first = (await client.done("study_settings", {"key": "a", "deckId": world.deck_id}))["sessionId"]
    ended = await client.done("study_settings", {"key": "b", "sessionId": first, "finish": True})
    assert ended["finished"]
    second = (await client.done("study_settings", {"key": "c", "deckId": world.deck_id, "mode": "typed"}))["sessionId"]
    assert (await client.done("study_step", {"sessionId": first}))["sessionId"] == first
    assert (await client.done("study_step", {"sessionId": first, "orNewer": True}))["sessionId"] == second


async def test_a_second_place_that_rated_otherwise_is_told(client: Client, world: World) -> None:
    item = {"sessionId": world.session_id, "itemId": world.item_id}
    said = "answered somewhere else"
    assert said not in (await client.done("study_rate", {**item, "rating": 3}))["html"]
    assert said not in (await client.done("study_rate", {**item, "rating": 3}))["html"]
    assert said in (await client.done("study_rate", {**item, "rating": 1}))["html"]


async def test_the_time_of_a_question_goes_on_when_its_card_is_turned(client: Client, world: World) -> None:
    item = {"sessionId": world.session_id, "itemId": world.item_id}
    turned = await client.done("study_reveal", {**item, "elapsedMs": 4321})
    assert 'name="elapsed_ms" value="4321"' in turned["html"]
    rated = await client.done("study_rate", {**item, "rating": 3, "elapsedMs": 9000})
    assert 'name="elapsed_ms" value="0"' in rated["html"] or "elapsed_ms" not in rated["html"]
    assert await db.fetch_value("SELECT elapsed_ms FROM study_item WHERE id = $1", world.item_id) == 9000


async def test_who_switched_single_keys_off_has_none_in_a_chat(client: Client, world: World) -> None:
    shown = await client.done("study_step", {"sessionId": world.session_id})
    assert "data-single-keys" not in shown["html"]
    await db.execute("UPDATE account SET single_keys = false WHERE id = $1", world.alice.id)
    shown = await client.done("study_step", {"sessionId": world.session_id})
    assert 'data-single-keys="off"' in shown["html"]
    assert 'data-key="Escape"' not in shown["html"]


async def test_a_pause_says_when_to_look_again_and_not_too_early(client: Client, world: World) -> None:
    await db.execute("INSERT INTO study_settings (account_id, learning_steps) VALUES ($1, '45m')", world.alice.id)
    deck = await client.done("import_flashcards", {"deckTitle": "One", "cards": [{"front": "a", "back": "b"}]})
    started = await client.done("study_settings", {"key": "p", "deckId": deck["deckId"]})
    item = (await client.done("get_study_session", {"sessionId": started["sessionId"]}))["item"]["itemId"]
    rate = {"sessionId": started["sessionId"], "itemId": item, "rating": 1}
    found = re.search(r'data-resume="([0-9]+)"', (await client.done("study_rate", rate))["html"])
    assert found
    assert 24 * 60 < int(found[1]) <= 25 * 60


async def test_a_report_shows_gaps_not_braces_and_tells_the_chat_so(client: Client, world: World) -> None:
    cards = [{"front": "The capital of Spain is {{c1::Madrid}}.", "back": "Iberia"}]
    deck = await client.done("import_flashcards", {"deckTitle": "Gaps", "cards": cards})
    wish = {"key": "g", "deckId": deck["deckId"], "mode": "cloze", "goal": "cram"}
    started = await client.done("study_settings", wish)
    item = (await client.done("get_study_session", {"sessionId": started["sessionId"]}))["item"]["itemId"]
    await client.done("study_answer", {"sessionId": started["sessionId"], "itemId": item, "answer": "Rome"})
    await client.done("study_rate", {"sessionId": started["sessionId"], "itemId": item})
    ended = await client.done("study_settings", {"key": "e", "sessionId": started["sessionId"], "finish": True})
    for text in (ended["html"], ended["forModel"]):
        assert "The capital of Spain is [...]." in text
        assert "{{" not in text
        assert "Madrid" not in text
