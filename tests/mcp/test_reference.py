"""What the pages are told of the server is what the server does: schemas, plans, endpoints, the command with a key."""

from __future__ import annotations

import json
import shlex

import pytest

from app.accounts.views import Caller
from app.core.settings import Settings
from app.domain.plans import Plan, effective_plan
from app.domain.scopes import SENTENCES, Scope
from app.mcp.dispatch import McpRequest, call_tool
from app.mcp.reference import reference
from app.mcp.registry import SURFACES, TOOLS
from app.web.connect.links import KEY, curl_with_key
from app.web.pages.connect import EXAMPLES, tool_groups
from tests.mcp.conftest import Client, LiveServer

KEY_32 = "k" * 32
SETTINGS = {
    "as it is": Settings(secret_key=KEY_32),
    "free may write": Settings(secret_key=KEY_32, plan_figures=(("free.ai_write", 1),)),
    "plus may not": Settings(secret_key=KEY_32, plan_figures=(("plus.ai_write", 0),)),
    "without plans": Settings(secret_key=KEY_32, plans=False),
}


async def test_schemas_descriptions_and_hints_are_those_of_tools_list(client: Client) -> None:
    listed = {tool["name"]: tool for tool in await client.tools()}
    told = reference(SETTINGS["as it is"]).tools
    assert [tool.name for tool in told] == list(listed)
    for tool in told:
        assert tool.input_schema == listed[tool.name]["inputSchema"]
        assert tool.output_schema == listed[tool.name]["outputSchema"]
        assert tool.hints == listed[tool.name]["annotations"]
        assert tool.description == listed[tool.name]["description"]
        assert tool.title == listed[tool.name]["title"]


async def test_each_endpoint_offers_as_many_tools_as_is_told(client: Client) -> None:
    for endpoint in reference(SETTINGS["as it is"]).endpoints:
        assert len(await client.tools(endpoint.path)) == endpoint.tools


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=list(SETTINGS))
@pytest.mark.parametrize("plan", Plan)
async def test_the_plans_of_a_tool_are_those_that_the_dispatch_lets_pass(settings: Settings, plan: Plan) -> None:
    caller = Caller(
        account_id=1,
        email="alice@example.org",
        plan=effective_plan(plan, settings.plans),
        zone="UTC",
        rollover_hour=4,
        language="en",
        single_keys=True,
        scopes=frozenset(Scope),
        client_kind="key",
        client_id=1,
        client_name="test",
    )
    for tool in reference(settings).tools:
        request = McpRequest(surface=SURFACES[0], caller=caller, settings=settings, request_id="req_test")
        result = await call_tool(request, tool.name, {"noSuchArgument": 1})  # refused before anything is done
        assert result.is_error
        assert request.outcome == ("INVALID_INPUT" if plan in tool.plans else "PLAN_REQUIRED"), tool.name


def test_every_tool_stands_in_one_group_of_the_page() -> None:
    told = reference(SETTINGS["as it is"]).tools
    grouped = [tool.name for group in tool_groups(told) for tool in group.tools]
    assert sorted(grouped) == sorted(tool.name for tool in TOOLS)
    assert {sentence.scope for sentence in SENTENCES} == set(Scope)


def test_every_tool_has_a_summary_of_one_sentence() -> None:
    for tool in reference(SETTINGS["as it is"]).tools:
        assert tool.description.startswith(tool.summary)
        assert 20 <= len(tool.summary) <= 300, tool.summary


def test_the_examples_name_tools_that_there_are() -> None:
    told = reference(SETTINGS["as it is"])
    assert all(told.has(example.tool) for example in EXAMPLES)
    assert not told.has("no_such_tool")


async def test_the_command_that_tries_a_key_lists_the_tools(client: Client, live_server: LiveServer) -> None:
    words = shlex.split(curl_with_key(f"{live_server.url}/mcp").replace(KEY, str(client.token)))
    headers = dict(words[place + 1].split(": ", 1) for place, word in enumerate(words) if word == "-H")
    answer = await client.http.post(words[-1], headers=headers, content=words[words.index("-d") + 1])
    assert answer.status_code == 200, answer.text
    assert "list_decks" in json.dumps(answer.json()["result"])
