"""The official TypeScript client of the protocol against a running server, in both eras of the protocol."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.node.conftest import Node, Person
from tests.oauth.conftest import query_of
from tests.server import Server

pytestmark = pytest.mark.node
# Nothing listens there: the test stands for the browser, and hands the address over itself.
CALLBACK = "http://127.0.0.1:33418/callback"
DISCOVERY = [
    "POST /mcp 401",
    "GET /.well-known/oauth-protected-resource/mcp 200",
    "GET /.well-known/oauth-authorization-server 200",
    "POST /register 201",
    "POST /token 200",
    "POST /mcp 200",
]


async def steps_of(node: Node, server: Server, person: Person, mode: str) -> list[dict[str, Any]]:
    """What the program says of its way. The person allows reading alone at first, and everything later."""
    steps: list[dict[str, Any]] = []
    untick: tuple[str, ...] = ("decks:write",)
    async with node.started("connect.mjs", f"{server.url}/mcp", mode, CALLBACK) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        async for line in program.stdout:
            if not line.startswith(b"{"):
                raise AssertionError((line + await program.stdout.read()).decode())
            steps.append(json.loads(line))
            if address := steps[-1].get("authorize"):
                program.stdin.write((await person.allows(address, untick=untick)).encode() + b"\n")
                untick = ()
        assert await program.wait() == 0
    return steps


@pytest.mark.parametrize(("mode", "version"), [("legacy", "2025-11-25"), ("auto", "2026-07-28")])
async def test_the_client_connects_calls_refreshes_and_asks_for_more(
    node: Node, server: Server, person: Person, mode: str, version: str
) -> None:
    steps = await steps_of(node, server, person, mode)
    assert [step["step"] for step in steps] == [
        *("consent", "tokens", "connected", "tools", "read"),
        *("tokens", "refreshed"),
        *("consent", "tokens", "wider"),
    ]
    first, tokens, connected, tools, read, renewed, refreshed, second, _, wider = steps
    narrow = set(tokens["scope"].split())
    assert tokens["refreshable"]
    assert "decks:read" in narrow
    assert "decks:write" not in narrow
    assert connected["version"] == version
    assert connected["seen"][: len(DISCOVERY)] == DISCOVERY
    assert "list_decks" in tools["names"]
    assert "create_deck" not in tools["names"]
    assert read["decks"] == []
    assert set(renewed["scope"].split()) == narrow
    assert refreshed["seen"] == ["POST /mcp 401", "POST /token 200", "POST /mcp 200"]
    asked, asked_again = (query_of(step["authorize"]) for step in (first, second))
    assert asked_again["client_id"] == asked["client_id"]
    assert set(asked_again["scope"].split()) == {*narrow, "decks:write"}
    assert wider["title"] == "Rivers"
    assert set(wider["scope"].split()) == {*narrow, "decks:write"}
    assert wider["seen"] == ["POST /mcp 403", "POST /token 200", "POST /mcp 200"]
