"""Notes and decks as resources, and the prompts, over HTTP in both eras."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from app.domain.scopes import Scope
from app.mcp.prompts import PROMPTS
from tests.mcp.conftest import HANDSHAKE, MARKER, MODERN, Client, World, client_of, forget_rates

TEMPLATE = {"type": "ref/resource", "uri": "note:{+path}"}


async def result(client: Client, method: str, **params: Any) -> dict[str, Any]:
    headers = {"mcp-name": params["uri"]} if "uri" in params else {}
    response = await client.rpc(method, params, headers=headers)
    assert response.status_code == 200, response.text
    return response.json()["result"]


async def error(client: Client, method: str, **params: Any) -> dict[str, Any]:
    headers = {"mcp-name": params["uri"]} if "uri" in params else {}
    return (await client.rpc(method, params, headers=headers)).json()["error"]


@pytest.fixture(params=[HANDSHAKE, MODERN])
def either(client: Client, request: pytest.FixtureRequest) -> Client:
    client.version = request.param
    return client


async def test_notes_are_listed_by_page_and_read_by_their_address(either: Client, world: World):
    await either.done("memory__write", {"path": "日本/読書 メモ.md", "body": "猫", "frontmatter": {"a": 1}})
    listed = (await result(either, "resources/list"))["resources"]
    notes = [f"{MARKER}/one.md", f"{MARKER}/two.md", "日本/読書 メモ.md"]
    assert [item["name"] for item in listed] == ["study", *notes]
    uri = listed[-1]["uri"]
    assert uri.startswith("note:%E6%97%A5")
    assert listed[-1]["mimeType"] == "text/markdown"
    [content] = (await result(either, "resources/read", uri=uri))["contents"]
    assert content["text"] == "---\na: 1\n---\n猫"
    templates = (await result(either, "resources/templates/list"))["resourceTemplates"]
    assert [template["uriTemplate"] for template in templates] == ["note:{+path}", "deck:{id}"]


async def test_more_notes_than_a_page_are_listed_one_page_after_the_other(client: Client, world: World):
    for number in range(101):
        await client.call("memory__write", {"path": f"n{number}.md", "body": "x"})
        if number % 20 == 0:
            await forget_rates()
    first = await result(client, "resources/list")
    second = await result(client, "resources/list", cursor=first["nextCursor"])
    assert (len(first["resources"]), len(second["resources"])) == (1 + 100, 3)  # the study widget comes first
    assert "nextCursor" not in second
    assert (await error(client, "resources/list", cursor="e30"))["code"] == -32002


async def test_a_deck_is_read_with_its_cards(client: Client, world: World):
    [content] = (await result(client, "resources/read", uri=f"deck:{world.deck_id}"))["contents"]
    assert f"{MARKER} front 1" in content["text"]


async def test_what_is_not_there_is_said_without_a_stored_word(client: Client, bobs_client: Client, world: World):
    for uri in ("note:none.md", "note:../x.md", "deck:999999", f"deck:{10**30}", "file:///etc/passwd", "note:%ff.md"):
        assert (await error(client, "resources/read", uri=uri))["code"] == -32002
    for uri in (f"note:{MARKER}/one.md", f"deck:{world.deck_id}"):
        refused = await error(bobs_client, "resources/read", uri=uri)
        assert refused["code"] == -32002
        assert MARKER not in str(refused)


async def test_paths_are_completed(either: Client, world: World):
    completion = await result(either, "completion/complete", ref=TEMPLATE, argument={"name": "path", "value": "ONE"})
    assert completion["completion"]["values"] == [f"{MARKER}/one.md"]
    begun = await result(either, "completion/complete", ref=TEMPLATE, argument={"name": "path", "value": MARKER[:4]})
    assert begun["completion"]["total"] == 2


async def test_scopes_and_endpoints_decide_what_is_seen(http: httpx.AsyncClient, client: Client, world: World):
    blind = await client_of(http, world.alice, Scope.DECKS_READ)
    assert (await result(blind, "resources/list"))["resources"] == []
    assert (await error(blind, "resources/read", uri=f"note:{MARKER}/one.md"))["code"] == -32002
    argument = {"name": "path", "value": ""}
    assert (await result(blind, "completion/complete", ref=TEMPLATE, argument=argument))["completion"]["values"] == []
    names = {item["name"] for item in (await result(blind, "prompts/list"))["prompts"]}
    assert names == {"study_now", "weekly_review"}
    client.path = "/mcp/memory/readonly"
    assert {item["name"] for item in (await result(client, "prompts/list"))["prompts"]} == {"make_cards_from_note"}
    client.path = "/mcp/flashcards"
    assert (await result(client, "resources/list"))["resources"] == []


async def test_prompts_are_requests_in_the_persons_words(either: Client, world: World):
    listed = (await result(either, "prompts/list"))["prompts"]
    assert [item["name"] for item in listed] == [prompt.name for prompt in PROMPTS]
    for item in listed:
        arguments = {argument["name"]: "a\nvalue" for argument in item["arguments"]}
        plain = await result(either, "prompts/get", name=item["name"])
        filled = await result(either, "prompts/get", name=item["name"], arguments=arguments)
        [message] = filled["messages"]
        assert message["role"] == "user"
        assert ("a value" in message["content"]["text"]) == bool(arguments)
        assert plain["messages"][0]["content"]["text"]
    assert (await error(either, "prompts/get", name="nothing"))["code"] == -32602
    assert (await error(either, "prompts/get", name="remember", arguments={"x": "y"}))["code"] == -32602
