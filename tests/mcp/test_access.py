"""Who may call what, looped over all tools: scopes, plans, another account's ids, audit rows, secrecy."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from jsonschema import Draft202012Validator

from app.core import db
from app.domain.plans import Plan, ai_write_refusal
from app.domain.scopes import Scope
from app.mcp.registry import SURFACES, TOOLS, wire
from app.mcp.spec import AnyTool, Visibility
from tests.factories import make_account, make_key
from tests.mcp.conftest import HANDSHAKE, MARKER, MODERN, Client, World, client_of, forget_rates

NAMES = [tool.name for tool in TOOLS]
every_tool = pytest.mark.parametrize("tool", TOOLS, ids=NAMES)
mutating = [tool for tool in TOOLS if tool.kind.mutates]
NOWHERE = 10**30  # an id that no database holds


@every_tool
@pytest.mark.parametrize("version", [HANDSHAKE, MODERN])
async def test_a_valid_call_answers_in_both_eras_with_a_result_of_its_schema(
    client: Client, world: World, tool: AnyTool, version: str
):
    client.version = version
    result = await client.call(tool.name, world.example(tool.name))
    assert not result.get("isError"), result
    Draft202012Validator(wire(tool.name).output_schema).validate(result["structuredContent"])
    [item] = result["content"]
    assert item["type"] == "text"
    assert item["text"].strip()


async def test_tools_list_holds_exactly_what_the_scopes_reach(http: httpx.AsyncClient, world: World):
    for scopes in (
        [Scope.DECKS_READ],
        [Scope.DECKS_WRITE],
        [Scope.DECKS_READ, Scope.DECKS_WRITE],
        [Scope.STATS_READ],
        [Scope.STUDY_WRITE, Scope.STUDY_RENDER],
        [Scope.MEMORY_READ],
    ):
        client = await client_of(http, world.alice, *scopes)
        for surface in SURFACES:
            expected = [tool.name for tool in TOOLS if surface.offers(tool) and tool.scope in scopes]
            assert [tool["name"] for tool in await client.tools(surface.path)] == expected
            client.version = MODERN if client.version == HANDSHAKE else HANDSHAKE


async def test_the_numbers_of_the_contract(client: Client):
    """Of what the model sees; the steps of the study screen are listed beside it for the app."""
    of_the_app = {tool.name for tool in TOOLS if tool.visibility is Visibility.APP}
    listed = {surface.path: await client.tools(surface.path) for surface in SURFACES}
    counts = {path: len([tool for tool in tools if tool["name"] not in of_the_app]) for path, tools in listed.items()}
    assert counts == {
        "/mcp": 33,
        "/mcp/readonly": 15,
        "/mcp/flashcards": 14,
        "/mcp/flashcards/readonly": 6,
        "/mcp/study": 15,
        "/mcp/study/readonly": 7,
        "/mcp/memory": 6,
        "/mcp/memory/readonly": 3,
    }


@every_tool
async def test_a_tool_beyond_the_scopes_is_never_run(http: httpx.AsyncClient, world: World, tool: AnyTool):
    for scope in {tool.scope for tool in TOOLS}:
        client = await client_of(http, world.alice, scope)
        response = await client.rpc("tools/call", {"name": tool.name, "arguments": world.example(tool.name)})
        if scope is tool.scope:
            assert response.status_code == 200
        else:
            assert response.status_code == 403
            assert f'scope="{tool.scope.value}"' in response.headers["www-authenticate"]


@every_tool
async def test_a_read_only_endpoint_does_not_know_the_tools_that_write(client: Client, world: World, tool: AnyTool):
    for path in ("/mcp/readonly", *(f"/mcp/{toolset}/readonly" for toolset in tool.toolsets)):
        response = await client.rpc("tools/call", {"name": tool.name, "arguments": world.example(tool.name)}, path=path)
        assert response.status_code == 200
        assert ("error" in response.json()) == tool.kind.mutates
        if tool.kind.mutates:
            assert response.json()["error"]["code"] == -32602


@every_tool
async def test_the_plan_decides_over_writing_and_over_nothing_else(client: Client, world: World, tool: AnyTool):
    await db.execute("UPDATE account SET plan = 'free' WHERE id = $1", world.alice.id)
    before = await _rows()
    result = await client.call(tool.name, world.example(tool.name))
    assert bool(result.get("isError")) == (tool.feature is not None)
    if tool.feature is None:
        return
    about = result["_meta"]["loci/error"]
    assert about["code"] == "PLAN_REQUIRED"
    assert about["upgradeUrl"].endswith("/plan")
    assert about["upgradeUrl"] in result["content"][0]["text"]
    assert await _rows() == before


async def test_what_is_refused_is_what_the_status_says(http: httpx.AsyncClient, committed: None):
    for plan in Plan:
        client = Client(http, await make_key(await make_account(f"{plan}@example.org", plan=plan)))
        status = await client.done("get_account_status")
        refused = await client.call("create_deck", {"title": "Rivers"})
        assert status["canWrite"] == (not refused.get("isError")) == (ai_write_refusal(plan) is None)
        if not status["canWrite"]:
            assert status["whyNot"] in refused["content"][0]["text"]
            assert status["whyNot"] == " ".join(ai_write_refusal(plan) or ())


@every_tool
async def test_the_plan_is_asked_before_the_arguments(http: httpx.AsyncClient, committed: None, tool: AnyTool):
    client = Client(http, await make_key(await make_account("carol@example.org", plan=Plan.FREE)))
    about = await client.refused(tool.name, {"unknown": 1})
    assert about["code"] == ("PLAN_REQUIRED" if tool.feature else "INVALID_INPUT")


@every_tool
async def test_an_unknown_argument_is_refused(client: Client, world: World, tool: AnyTool):
    for name in ("unknown", "_meta", "account_id", "deck_id", "accountId"):
        about = await client.refused(tool.name, {**world.example(tool.name), name: MARKER})
        assert about["code"] == "INVALID_INPUT"
        assert MARKER not in about["text"]


@every_tool
async def test_another_accounts_ids_behave_as_ids_that_do_not_exist(
    client: Client, bobs_client: Client, world: World, tool: AnyTool
):
    names = [name for name in world.example(tool.name) if name in _IDS] + [
        name for name in wire(tool.name).input_schema["properties"] if name in _IDS
    ]
    collection = await db.fetch_value(
        "INSERT INTO collection (account_id, title, title_key, created_at, updated_at) "
        "VALUES ($1, 'shelf', 'shelf', now(), now()) RETURNING id",
        world.alice.id,
    )
    own = await bobs_client.done("import_flashcards", {"deckTitle": "mine", "cards": [{"front": "a", "back": "b"}]})
    mine = (await bobs_client.done("search_flashcards", {"query": "a"}))["results"][0]["cardId"]
    before = await _rows(world.alice.id)
    for name in dict.fromkeys(names):
        outcomes = []
        for id in (_alices(world, collection, tool.name, name), 999_999, NOWHERE):
            arguments = {**world.example(tool.name), **_owned_by_bob(tool.name, own["deckId"], mine)}
            arguments[name] = [id] if name == "cardIds" else f"card:{id}" if name == "id" else id
            result = await bobs_client.call(tool.name, arguments)
            outcomes.append(_without_ids(result, id))
        assert outcomes[0] == outcomes[1] == outcomes[2]
    assert await _rows(world.alice.id) == before


async def test_bob_finds_nothing_of_alice(bobs_client: Client, world: World):
    assert (await bobs_client.done("list_decks"))["decks"] == []
    assert (await bobs_client.done("search_flashcards", {"query": MARKER}))["results"] == []
    assert (await bobs_client.done("search", {"query": MARKER}))["results"] == []
    assert (await bobs_client.done("memory__search", {"query": MARKER}))["results"] == []
    assert (await bobs_client.done("memory__list"))["entries"] == []
    await bobs_client.done("memory__write", {"path": "mine.md", "body": "mine"})
    before = await _rows(world.alice.id)
    for tool in ("memory__read", "memory__edit", "memory__delete"):
        more = {"body": "x"} if tool == "memory__edit" else {}
        theirs, missing = [
            await bobs_client.refused(tool, {"path": path, **more}) for path in (f"{MARKER}/one.md", "missing.md")
        ]
        assert theirs == missing
        assert theirs["code"] == "NOT_FOUND"
    assert (await bobs_client.refused("fetch", {"id": f"note:{MARKER}/one.md"}))["code"] == "NOT_FOUND"
    assert await _rows(world.alice.id) == before


# --- audit


@every_tool
async def test_a_call_that_changes_something_leaves_one_audit_row(client: Client, world: World, tool: AnyTool):
    await db.execute("DELETE FROM mcp_audit_events")
    result = await client.call(tool.name, world.example(tool.name), headers={"x-request-id": "req_of_the_test"})
    assert not result.get("isError")
    rows = await db.fetch("SELECT * FROM mcp_audit_events")
    assert len(rows) == (1 if tool.kind.mutates else 0)
    for row in rows:
        assert row["account_id"] == world.alice.id
        assert row["tool"] == tool.name
        assert row["action"] == tool.kind.action
        assert row["client_kind"] == "key"
        assert row["client_name"] == "test"
        assert row["request_id"]
        assert row["affected_ids"]
        assert all(id.split(":")[0] in {"card", "deck", "note", "session"} for id in row["affected_ids"])
        assert len(row["input_summary"].encode()) <= 2048


@pytest.mark.parametrize("tool", mutating, ids=[tool.name for tool in mutating])
async def test_a_call_that_fails_leaves_no_audit_row_and_no_change(client: Client, world: World, tool: AnyTool):
    await db.execute("DELETE FROM mcp_audit_events")
    before = await _rows()
    await client.refused(tool.name, {**world.example(tool.name), "unknown": 1})
    for arguments in _provocations(world, tool.name):
        result = await client.call(tool.name, arguments)
        if result.get("isError"):
            assert await _rows() == before, arguments
        else:  # some of what is tried is fine
            before = await _rows()
        await forget_rates()


async def test_when_the_audit_row_cannot_be_written_nothing_is(client: Client, world: World):
    before = await _rows()
    await db.execute("ALTER TABLE mcp_audit_events RENAME COLUMN tool TO tool_away")
    try:
        response = await client.rpc("tools/call", {"name": "create_deck", "arguments": {"title": "Rivers"}})
    finally:
        await db.execute("ALTER TABLE mcp_audit_events RENAME COLUMN tool_away TO tool")
    assert response.json()["error"]["code"] == -32603
    assert await _rows() == before


async def test_a_large_input_is_cut_in_the_audit_row(client: Client, world: World):
    cards = [{"front": f"日本語 {number}", "back": "長い答え" * 50} for number in range(30)]
    await client.done("import_flashcards", {"deckId": world.deck_id, "cards": cards})
    summary = await db.fetch_value("SELECT input_summary FROM mcp_audit_events ORDER BY id DESC LIMIT 1")
    assert 1900 < len(summary.encode()) <= 2048


# --- secrecy


@every_tool
async def test_no_stored_text_is_in_any_error(client: Client, bobs_client: Client, world: World, tool: AnyTool):
    """Every stored text holds the marker; every way to fail is tried, and no answer may hold it."""
    for who in (client, bobs_client):
        for arguments in _provocations(world, tool.name):
            response = await who.rpc("tools/call", {"name": tool.name, "arguments": arguments})
            assert response.status_code == 200, arguments
            await forget_rates()
            body = response.json()
            assert body.get("error", {}).get("code") != -32603, body
            if "error" in body or body["result"].get("isError"):
                assert MARKER not in response.text, arguments


_IDS = ("deckId", "cardId", "cardIds", "collectionId", "id", "sessionId", "itemId")


def _alices(world: World, collection_id: int, tool: str, name: str) -> int:
    if name == "collectionId":
        return collection_id
    if name in {"sessionId", "itemId"}:
        return world.session_id if name == "sessionId" else world.item_id
    if name == "deckId":
        return world.deleted_deck_id if tool == "restore_deck" else world.deck_id
    return world.deleted_card_id if tool == "restore_flashcards" else world.card_ids[0]


def _owned_by_bob(tool: str, deck_id: int, card_id: int) -> dict[str, Any]:
    """Bob's own ids where a call needs a good one beside the one that is tried."""
    mine: dict[str, Any] = {"deckId": deck_id, "cardId": card_id, "cardIds": [card_id], "id": f"card:{card_id}"}
    return {name: mine[name] for name in wire(tool).input_schema["properties"] if name in mine}


def _without_ids(result: dict[str, Any], id: int) -> str:
    return str({key: value for key, value in result.items() if key != "_meta" or "loci/error" in value}).replace(
        str(id), "<id>"
    )


_MORE_VALUES: dict[str, list[Any]] = {
    "path": ["/x.md", "../x.md", f"{MARKER}/none.md", f"{MARKER}.txt", "a\\b.md"],
    "body": [f"password: {MARKER}1", f"{MARKER} 4111 1111 1111 1111"],
    "new_str": [f"password: {MARKER}1"],
    "old_str": [MARKER, f"{MARKER} none"],
    "frontmatter": [{"password": f"{MARKER}1"}, {"x": MARKER * 3000}],
    "content": [MARKER, f'"{MARKER}', f'front,back\n{MARKER},"x', f"[{MARKER}"],
    "columns": [[MARKER], ["front", "back", MARKER]],
    "query": [f'"{MARKER}', f"is:{MARKER}", f"deck:{MARKER}", f"state:{MARKER}"],
    "expectedVersion": [99, NOWHERE],
    "dueBefore": [MARKER, "2026-02-30", "9999-12-31", "2026-03-02T10:00:00"],
    "mode": ["str_replace", MARKER],
    **{name: [MARKER, "A"] for name in ("answer", "rating", "goal", "reviewId", "idempotencyKey")},
}


def _provocations(world: World, tool: str) -> list[dict[str, Any]]:
    example = world.example(tool)
    ids = (0, -1, 999_999, NOWHERE, world.deleted_deck_id, world.deleted_card_id, world.deck_id, world.card_ids[0])
    tried: list[dict[str, Any]] = [{}, {"unknown": MARKER}]
    for name, field in wire(tool).input_schema["properties"].items():
        values: list[Any] = [None, True, 1.5, [], {}, "", "\x00", MARKER * 700, "%s %(limit)s {0}"]
        if field["type"] in {"integer", "array"} and name in _IDS:
            values += [[id] if name == "cardIds" else id for id in ids]
            values += [[id] * 101 for id in ids[:1]]
        if name == "id":
            values += [
                "card:0",
                "card:x",
                f"note:{MARKER}.md",
                "note:../x",
                f"card:{world.deleted_card_id}",
                f"card:{NOWHERE}",
            ]
        values += _MORE_VALUES.get(name, [])
        if name == "cards":
            values += [
                [{"front": MARKER, "back": MARKER, "tags": [MARKER] * 13}],
                [{"front": MARKER, "back": MARKER}] * 101,
                [{"front": MARKER, "back": MARKER, "extra": MARKER}],
                [{"front": " ", "back": MARKER}],
            ]
        if name in {"title", "deckTitle"}:
            values += [f"{MARKER} one", f" {MARKER} TWO ", "   "]
        if name == "cursor":
            values += [MARKER, "e30", "WzEsImRlY2tzIiwxXQ"]
        if name in {"front", "back", "tags"}:
            values += [f"{MARKER} front 2", [MARKER * 3], "  ", ["  "]]
        tried += [{**example, name: value} for value in values]
    if tool == "record_review":
        tried += [{**example, "rating": "good", "answer": MARKER}, {**example, "answer": f"{MARKER} back 9"}]
    if tool == "import_flashcards":
        tried += [{**example, "deckTitle": MARKER}, {"cards": example["cards"]}]
    if tool == "update_flashcard":  # into the text of another card of the deck
        tried.append({"cardId": world.card_ids[0], "front": f"{MARKER} front 2", "back": f"{MARKER} back 2"})
        tried.append({"cardId": world.card_ids[0]})
    if tool == "create_deck":
        tried.append({"title": f"{MARKER} one", "description": "another"})
    if tool == "update_deck":
        tried += [{"deckId": world.deck_id}, {"deckId": world.deck_id, "title": f"{MARKER} two"}]
    return tried


async def _rows(account_id: int | None = None) -> dict[str, list[tuple[Any, ...]]]:
    return {
        table: [
            tuple(row)
            for row in await db.fetch(
                f"SELECT * FROM {table} WHERE $1::bigint IS NULL OR account_id = $1 ORDER BY 1, 2, 3",  # noqa: S608
                account_id,
            )
        ]
        for table in (
            "deck",
            "card",
            "card_schedule",
            "collection",
            "mcp_audit_events",
            "note",
            "note_version",
            "note_search",
            "review",
            "study_session",
            "study_item",
            "idempotency_key",
        )
    }
