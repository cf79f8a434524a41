"""Errors of JSON-RPC and requests of either protocol era, through a real socket."""

from __future__ import annotations

from typing import Any

import pytest

from app.core import db
from tests.mcp.conftest import HANDSHAKE, MODERN, Client

SERVED = {"tools", "resources", "prompts", "completions", "extensions"}

# --- JSON-RPC errors


@pytest.mark.parametrize(("version", "status"), [(HANDSHAKE, 200), (MODERN, 404)])
async def test_an_unknown_method(client: Client, version: str, status: int):
    client.version = version
    response = await client.rpc("tools/dance")
    assert response.status_code == status
    assert response.json()["error"]["code"] == -32601
    for unserved in ("tools/undance", "sampling/createMessage"):
        assert (await client.rpc(unserved)).json()["error"]["code"] == -32601


@pytest.mark.parametrize(("version", "status"), [(HANDSHAKE, 200), (MODERN, 400)])
@pytest.mark.parametrize(
    "params",
    [
        {"name": "dance", "arguments": {}},
        {"arguments": {}},
        {"name": "list_decks", "arguments": []},
        {"name": "list_decks", "arguments": "zanzibarium"},
        {"name": 7},
    ],
)
async def test_an_unknown_tool_and_malformed_params(client: Client, params: Any, version: str, status: int):
    client.version = version
    response = await client.rpc("tools/call", params)
    assert response.status_code == status
    assert response.json()["error"]["code"] in {-32602, -32020}
    assert response.json()["id"] == 1
    assert "zanzibarium" not in response.text


async def test_params_that_are_no_object(client: Client):
    response = await client.post({"jsonrpc": "2.0", "id": 9, "method": "tools/list", "params": [1]})
    assert (response.status_code, response.json()["error"]["code"], response.json()["id"]) == (200, -32602, 9)
    client.version = MODERN
    response = await client.post({"jsonrpc": "2.0", "id": 9, "method": "tools/list", "params": "x"})
    assert (response.status_code, response.json()["error"]["code"]) == (400, -32602)


@pytest.mark.parametrize("version", [HANDSHAKE, MODERN])
async def test_an_unexpected_failure_shows_an_incident_and_nothing_else(
    client: Client, version: str, caplog: pytest.LogCaptureFixture
):
    client.version = version
    await db.execute("ALTER TABLE deck RENAME COLUMN title TO zanzibarium")
    try:
        with caplog.at_level("INFO"):
            response = await client.rpc("tools/call", {"name": "create_deck", "arguments": {"title": "Rivers"}})
    finally:
        await db.execute("ALTER TABLE deck RENAME COLUMN zanzibarium TO title")
    assert response.status_code == 200
    error = response.json()["error"]
    assert error["code"] == -32603
    incident = error["message"].split()[-1].rstrip(".")
    assert incident.startswith("inc_")
    assert error["message"] == f"Internal error. Incident {incident}."
    assert "data" not in error
    assert incident in caplog.text
    assert "Rivers" not in caplog.text


async def test_a_failure_before_the_engine_shows_an_incident_too(client: Client):
    await db.execute("ALTER TABLE rate_limit RENAME TO rate_limit_away")
    try:
        response = await client.rpc("tools/list")
    finally:
        await db.execute("ALTER TABLE rate_limit_away RENAME TO rate_limit")
    assert response.status_code == 200
    assert response.json()["error"]["code"] == -32603
    assert response.json()["id"] == 1


# --- requests of mixed eras, as clients were seen to send them

_ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


@pytest.mark.parametrize(
    ("version", "envelope", "headers", "status"),
    [
        (HANDSHAKE, True, {}, 200),
        (None, True, {}, 200),
        (None, False, {}, 200),
        (MODERN, False, {"mcp-method": "tools/list"}, 400),
        (MODERN, True, {}, 400),
        (MODERN, True, {"mcp-method": "tools/call"}, 400),
        (MODERN, True, {"mcp-method": "tools/list"}, 200),
    ],
)
async def test_a_request_of_mixed_eras_is_served_or_refused_in_words(
    client: Client, version: str | None, envelope: bool, headers: dict[str, str], status: int
):
    client.version = version
    params = {"_meta": _ENVELOPE} if envelope else {}
    response = await client.post({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params}, headers=headers)
    assert response.status_code == status
    assert ("result" in response.json()) == (status == 200)


@pytest.mark.parametrize("asked", ["2024-11-05", "2025-11-25", MODERN, "2099-01-01"])
async def test_a_handshake_settles_on_a_version_of_its_era(client: Client, asked: str):
    client.version = None
    given = {"protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    result = (await client.rpc("initialize", given)).json()["result"]
    assert result["protocolVersion"] == (min(asked, HANDSHAKE))
    assert set(result["capabilities"]) - {"experimental"} == SERVED
    assert "Good cards" in result["instructions"]


async def test_discovery_names_the_versions_and_what_is_served(client: Client):
    client.version = MODERN
    result = (await client.rpc("server/discover")).json()["result"]
    assert MODERN in result["supportedVersions"]
    assert set(result["capabilities"]) - {"experimental"} == SERVED
    assert result["cacheScope"] == "private"
