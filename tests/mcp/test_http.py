"""Section 3 of the contract: every case of HTTP, each through a real socket."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from app.accounts import service as accounts
from app.accounts.views import AccountView
from app.core import db
from app.core.tokens import ACCESS_KEY, new_token
from app.domain.plans import Plan
from app.domain.scopes import Scope
from app.mcp.http import MAXIMUM_BODY_BYTES
from app.mcp.registry import SURFACES, TOOLS
from tests.factories import NOW, make_account, make_key
from tests.mcp.conftest import HANDSHAKE, MODERN, Client, LiveServer, client_of

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
PATHS = [surface.path for surface in SURFACES]


# --- 401


@pytest.mark.parametrize("path", PATHS)
async def test_a_request_without_a_token_is_told_where_to_get_one(client: Client, live_server: LiveServer, path: str):
    response = await client.post(PING, path=path, headers={"authorization": None})
    assert response.status_code == 401
    assert response.json()["error"]["code"] == -32001
    challenge = response.headers["www-authenticate"]
    assert challenge.startswith("Bearer ")
    assert f'resource_metadata="{live_server.url}/.well-known/oauth-protected-resource{path}"' in challenge
    first = "memory:read" if path.startswith("/mcp/memory") else "decks:read"
    assert f'scope="email profile {first}' in challenge
    assert (first.replace("read", "write") in challenge) == (not path.endswith("/readonly"))
    assert "error=" not in challenge


@pytest.mark.parametrize(
    "token", ["nonsense", "loci_pat_" + "0" * 38, "x" * 5000, "loci_web_abc", "žluťoučký".encode().decode("latin-1")]
)
async def test_a_token_nobody_knows_is_called_invalid(client: Client, token: str):
    response = await client.post(PING, headers={"authorization": f"Bearer {token}".encode("latin-1")})
    assert response.status_code == 401
    assert 'error="invalid_token"' in response.headers["www-authenticate"]
    assert response.json()["error"]["code"] == -32001


@pytest.mark.parametrize("authorization", ["Basic YTpi", "Bearer", "", "bearer", "loci_pat_x"])
async def test_what_is_no_bearer_token_counts_as_none(client: Client, authorization: str):
    response = await client.post(PING, headers={"authorization": authorization})
    assert response.status_code == 401
    assert "error=" not in response.headers["www-authenticate"]


async def test_the_scheme_is_read_in_any_letter_case(client: Client):
    response = await client.post(PING, headers={"authorization": f"bEaReR {client.token}"})
    assert response.status_code == 200


async def test_two_authorization_headers_are_none(client: Client, live_server: LiveServer):
    value = f"Bearer {client.token}".encode()
    response = await client.http.post("/mcp", json=PING, headers=[(b"authorization", value), (b"authorization", value)])
    assert response.status_code == 401


async def test_a_revoked_key_and_an_expired_key_stop_at_once(http: httpx.AsyncClient, alice: AccountView):
    key, token = await accounts.create_key(alice.id, "short", frozenset(Scope), now=NOW)
    client = Client(http, token)
    assert (await client.post(PING)).status_code == 200
    await accounts.revoke_key(alice.id, key.id, now=NOW)
    assert (await client.post(PING)).status_code == 401
    key, token = await accounts.create_key(alice.id, "long", frozenset(Scope), now=NOW)
    await db.execute("UPDATE access_key SET expires_at = now() - interval '1 second' WHERE id = $1", key.id)
    response = await Client(http, token).post(PING)
    assert response.status_code == 401
    assert 'error="invalid_token"' in response.headers["www-authenticate"]


async def test_refused_tokens_of_one_address_are_limited_and_a_good_one_is_not(client: Client):
    await db.execute(
        "INSERT INTO rate_limit (key, arrival) VALUES ('mcp-refused:127.0.0.1', clock_timestamp() + interval '1 hour')"
    )
    response = await client.post(PING, headers={"authorization": "Bearer nonsense"})
    assert response.status_code == 429
    assert int(response.headers["retry-after"]) > 0
    assert (await client.post(PING)).status_code == 200


# --- 403


@pytest.mark.parametrize("version", [HANDSHAKE, MODERN])
async def test_a_tool_beyond_the_scopes_answers_403_and_names_the_scope(
    http: httpx.AsyncClient, alice: AccountView, version: str
):
    client = await client_of(http, alice, Scope.DECKS_READ)
    client.version = version
    response = await client.rpc("tools/call", {"name": "create_deck", "arguments": {"title": "Rivers"}})
    assert response.status_code == 403
    challenge = response.headers["www-authenticate"]
    assert 'error="insufficient_scope"' in challenge
    assert 'scope="decks:write"' in challenge
    assert "resource_metadata=" in challenge
    assert response.json()["id"] == 1
    assert await db.fetch_value("SELECT count(*) FROM deck") == 0


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "null",
        "https://claude.ai.evil.example",
        "http://claude.ai",
        "http://localhost.evil.example",
        "http://127.0.0.1.evil.example",
        "http://127.0.0.1:8000@evil.example",
        "",
    ],
)
async def test_a_foreign_origin_is_refused_before_anything_else(client: Client, origin: str):
    for token in (f"Bearer {client.token}", None):
        response = await client.post(PING, headers={"origin": origin, "authorization": token})
        assert response.status_code == 403
        assert "access-control-allow-origin" not in response.headers


@pytest.mark.parametrize(
    "origin", ["https://claude.ai", "http://localhost:6274", "http://127.0.0.1", "https://[::1]:3000", "own"]
)
async def test_known_origins_may_read_the_answer(client: Client, live_server: LiveServer, origin: str):
    origin = live_server.url if origin == "own" else origin
    response = await client.post(PING, headers={"origin": origin})
    assert response.status_code == 200
    assert response.headers["access-control-allow-origin"] == origin
    assert "WWW-Authenticate" in response.headers["access-control-expose-headers"]
    assert "Origin" in response.headers["vary"]
    refused = await client.post(PING, headers={"origin": origin, "authorization": None})
    assert refused.status_code == 401
    assert refused.headers["access-control-allow-origin"] == origin


async def test_a_preflight_is_answered_before_authentication(http: httpx.AsyncClient, committed: None):
    for path in PATHS:
        response = await http.options(
            path,
            headers={
                "origin": "http://localhost:6274",
                "access-control-request-method": "POST",
                "access-control-request-headers": "authorization,mcp-protocol-version",
            },
        )
        assert response.status_code == 204
        assert response.content == b""
        assert response.headers["access-control-allow-origin"] == "http://localhost:6274"
        allowed = response.headers["access-control-allow-headers"].lower()
        for header in (
            "authorization",
            "content-type",
            "mcp-protocol-version",
            "mcp-method",
            "mcp-name",
            "mcp-session-id",
        ):
            assert header in allowed
        assert "POST" in response.headers["access-control-allow-methods"]


# --- 405


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "PATCH", "HEAD"])
@pytest.mark.parametrize("with_token", [True, False])
async def test_only_post_is_spoken_and_that_is_said_at_once(client: Client, method: str, with_token: bool):
    headers = {"accept": "text/event-stream"} | ({"authorization": f"Bearer {client.token}"} if with_token else {})
    async with asyncio.timeout(2):
        response = await client.http.request(method, "/mcp", headers=headers)
    assert response.status_code == 405
    assert response.headers["allow"] == "POST, OPTIONS"


# --- 413


async def test_a_body_over_the_limit_is_refused_by_its_length(client: Client):
    response = await client.post(raw=b'"' + b"a" * MAXIMUM_BODY_BYTES + b'"')
    assert response.status_code == 413


async def test_a_body_over_the_limit_is_refused_when_no_length_was_given(client: Client):
    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(20):
            yield b" " * 65_536

    response = await client.http.post(
        "/mcp",
        content=chunks(),
        headers={"authorization": f"Bearer {client.token}", "content-type": "application/json"},
    )
    assert "content-length" not in response.request.headers
    assert response.status_code == 413


async def test_a_length_over_the_limit_is_refused_before_the_body_comes(client: Client, live_server: LiveServer):
    reader, writer = await asyncio.open_connection("127.0.0.1", live_server.port)
    writer.write(
        f"POST /mcp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {client.token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {MAXIMUM_BODY_BYTES + 1}\r\n\r\n".encode()
    )
    async with asyncio.timeout(2):
        assert b" 413 " in await reader.readline()
    writer.close()
    await writer.wait_closed()


async def test_who_has_no_token_of_ours_is_refused_before_the_body_comes(live_server: LiveServer, committed: None):
    reader, writer = await asyncio.open_connection("127.0.0.1", live_server.port)
    writer.write(b"POST /mcp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer loci_pat_typo\r\nContent-Length: 100\r\n\r\n")
    async with asyncio.timeout(2):
        assert b" 401 " in await reader.readline()
    writer.close()
    await writer.wait_closed()


async def test_what_a_stranger_sends_is_not_judged(client: Client):
    unknown = {"authorization": f"Bearer {new_token(ACCESS_KEY)}"}
    for more in ({}, {"content-type": "text/plain"}):
        assert (await client.post(raw=b"{", headers={**unknown, **more})).status_code == 401


async def test_a_message_that_is_refused_counts_among_the_others(client: Client, alice: AccountView):
    assert (await client.post(raw=b"{")).status_code == 400
    await db.execute(
        "UPDATE rate_limit SET arrival = clock_timestamp() + interval '1 hour' WHERE key = $1", f"mcp-other:{alice.id}"
    )
    assert (await client.post(raw=b"{")).status_code == 429
    assert (await client.rpc("tools/call", {"name": "list_decks", "arguments": {}})).status_code == 200


async def test_a_body_of_exactly_the_limit_is_read(client: Client):
    body = json.dumps(PING).encode()
    response = await client.post(raw=body + b" " * (MAXIMUM_BODY_BYTES - len(body)))
    assert response.status_code == 200


# --- 400 and 415


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"zanzibarium",
        b'{"jsonrpc": "2.0", "id": 1, "method": "ping"',
        b"\xff\xfe",
        b'"\\ud800"',
        b"[" * 100_000,
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":NaN}}',
    ],
)
async def test_what_is_not_json_is_a_bad_request(client: Client, raw: bytes):
    for version in (HANDSHAKE, MODERN, None):
        client.version = version
        response = await client.post(raw=raw)
        assert response.status_code == 400
        assert response.json()["error"]["code"] == -32700
        assert response.json()["id"] is None
        assert "zanzibarium" not in response.text


@pytest.mark.parametrize(
    "body",
    [
        [],
        [PING],
        [PING, PING],
        "ping",
        5,
        None,
        {},
        {"id": 1, "method": "ping"},
        {"jsonrpc": "1.0", "id": 1, "method": "ping"},
        {"jsonrpc": 2.0, "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "id": None, "method": "ping"},
        {"jsonrpc": "2.0", "id": True, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1.5, "method": "ping"},
        {"jsonrpc": "2.0", "id": {}, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1},
        {"jsonrpc": "2.0", "id": 1, "method": 7},
        {"jsonrpc": "2.0", "id": 1, "method": ""},
    ],
)
async def test_what_is_not_one_json_rpc_message_is_a_bad_request(client: Client, body: Any):
    for version in (HANDSHAKE, MODERN, None):
        client.version = version
        response = await client.post(body, raw=json.dumps(body).encode())
        assert response.status_code == 400
        assert response.json()["error"]["code"] == -32600


@pytest.mark.parametrize("version", ["2024-10-07", "1900-01-01", "newest", "2027-01-01"])
async def test_a_protocol_version_nobody_speaks_is_a_bad_request(client: Client, version: str):
    client.version = version
    for body in (PING, {"jsonrpc": "2.0", "method": "notifications/initialized"}):
        assert (await client.post(body)).status_code == 400


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", None])
async def test_every_version_of_the_handshake_era_is_served(client: Client, version: str | None):
    client.version = version
    assert len(await client.tools()) == len(TOOLS)


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", None, "application/jsonx"])
async def test_another_content_type_is_refused(client: Client, content_type: str | None):
    response = await client.post(raw=json.dumps(PING).encode(), headers={"content-type": content_type})
    assert response.status_code == 415


@pytest.mark.parametrize(
    "content_type", ["application/json; charset=utf-8", "Application/JSON", "application/json;x=y"]
)
async def test_the_content_type_may_have_parameters_and_any_case(client: Client, content_type: str):
    for version in (HANDSHAKE, MODERN):
        client.version = version
        response = await client.rpc("tools/list", headers={"content-type": content_type})
        assert response.status_code == 200


@pytest.mark.parametrize("accept", ["application/json", "*/*", "text/event-stream", "text/html", None])
async def test_whatever_is_accepted_the_answer_is_json(client: Client, accept: str | None):
    for version in (HANDSHAKE, MODERN):
        client.version = version
        response = await client.rpc("tools/list", headers={"accept": accept or ""})
        assert response.status_code == 200
        assert response.headers["content-type"] == "application/json"


# --- 429


async def test_a_burst_over_the_plan_is_told_how_long_to_wait(http: httpx.AsyncClient, committed: None):
    account = await make_account("carol@example.org", plan=Plan.FREE)
    client = Client(http, await make_key(account))
    responses = [await client.rpc("tools/call", {"name": "list_decks", "arguments": {}}) for _ in range(40)]
    statuses = [response.status_code for response in responses]
    assert statuses[:30] == [200] * 30
    assert 429 in statuses
    refused = next(response for response in responses if response.status_code == 429)
    assert 1 <= int(refused.headers["retry-after"]) <= 60
    assert refused.json()["id"] is not None
    assert (await client.rpc("tools/list")).status_code == 200


async def test_the_rate_is_of_the_account_not_of_the_key(http: httpx.AsyncClient, alice: AccountView):
    first, second = Client(http, await make_key(alice)), Client(http, await make_key(alice))
    await db.execute(
        "INSERT INTO rate_limit (key, arrival) VALUES ($1, clock_timestamp() + interval '1 hour')",
        f"mcp-call:{alice.id}",
    )
    for client in (first, second):
        response = await client.rpc("tools/call", {"name": "list_decks", "arguments": {}})
        assert response.status_code == 429


# --- the rest


@pytest.mark.parametrize("path", PATHS)
async def test_a_slash_at_the_end_is_the_same_endpoint(client: Client, path: str):
    plain, slashed = await client.rpc("tools/list", path=path), await client.rpc("tools/list", path=path + "/")
    assert slashed.status_code == 200
    assert slashed.json()["result"] == plain.json()["result"]
    refused = await client.post(PING, path=path + "/", headers={"authorization": None})
    assert f'oauth-protected-resource{path}"' in refused.headers["www-authenticate"]


async def test_a_notification_is_accepted_without_a_body(client: Client):
    for version in (HANDSHAKE, MODERN):
        client.version = version
        response = await client.post({"jsonrpc": "2.0", "method": "notifications/initialized"})
        assert response.status_code == 202
        assert response.content == b""


async def test_a_stale_session_id_does_no_harm(client: Client):
    response = await client.rpc("tools/list", headers={"mcp-session-id": "deadbeef"})
    assert response.status_code == 200
    assert "mcp-session-id" not in response.headers


@pytest.mark.parametrize("path", PATHS)
async def test_the_metadata_of_each_endpoint_names_it_to_the_letter(
    http: httpx.AsyncClient, live_server: LiveServer, path: str
):
    response = await http.get(f"/.well-known/oauth-protected-resource{path}")
    assert response.status_code == 200
    document = response.json()
    assert document["resource"] == live_server.url + path
    assert document["bearer_methods_supported"] == ["header"]
    kind = "memory" if path.startswith("/mcp/memory") else "decks"
    assert f"{kind}:read" in document["scopes_supported"]
    assert (f"{kind}:write" in document["scopes_supported"]) == (not path.endswith("readonly"))
    assert response.headers["access-control-allow-origin"] == "*"
    if path == "/mcp":
        assert (await http.get("/.well-known/oauth-protected-resource")).json() == document


async def test_the_metadata_may_be_read_by_a_page_with_headers_of_its_own(http: httpx.AsyncClient):
    response = await http.options(
        "/.well-known/oauth-protected-resource/mcp",
        headers={
            "origin": "https://inspector.example",
            "access-control-request-method": "GET",
            "access-control-request-headers": "mcp-protocol-version",
        },
    )
    assert response.status_code == 204
    assert response.headers["access-control-allow-origin"] == "*"
    assert "mcp-protocol-version" in response.headers["access-control-allow-headers"].lower()


async def test_one_line_is_logged_for_a_call_and_no_text_of_it(client: Client, caplog: pytest.LogCaptureFixture):
    with caplog.at_level("INFO", logger="app.mcp.endpoint"):
        await client.done("create_deck", {"title": "Secret Rivers"})
        await client.refused("get_flashcard", {"cardId": 99})
    lines = [record.message for record in caplog.records if "mcp_call" in record.message]
    assert len(lines) == 2
    for line, outcome in zip(lines, ("ok", "NOT_FOUND"), strict=True):
        assert outcome in line
        assert "request_id" in line
        assert "ms" in line
    assert "create_deck" in lines[0]
    assert "Secret" not in caplog.text
    assert "alice" not in caplog.text


async def test_answers_come_quickly_one_after_another(client: Client):
    await client.tools()
    started = time.perf_counter()
    for _ in range(20):
        await client.rpc("ping")
    assert time.perf_counter() - started < 5
