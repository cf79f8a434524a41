"""From a registration to calls: what is issued, to whom it is good, and how it ends."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import httpx
import pytest

from app import jobs
from app.core import clock, db
from app.decks import queries as decks
from app.domain.calendar import StudyClock
from app.mcp.registry import TOOLS
from app.oauth import connections
from benchmarks.sql import statements_of
from tests.factories import make_key
from tests.oauth.conftest import BASE, MCP, SETTINGS, App, Browser, browser_of, continue_link, query_of


def tools_of(*scopes: str) -> int:
    """How many tools these scopes reach."""
    return sum(tool.scope in scopes for tool in TOOLS)


async def test_a_code_becomes_a_pair_of_tokens_that_work(app: App, alice: Browser) -> None:
    page = await alice.get(app.address())
    location = continue_link(await alice.decide(page))
    answer = query_of(location)
    assert location.startswith(app.redirect_uri + "?")
    assert answer["state"] == "s t&te"
    assert answer["iss"] == BASE
    issued = await app.exchange(answer["code"])
    assert issued.headers["cache-control"] == "no-store"
    assert issued.headers["access-control-allow-origin"] == "*"
    body = issued.json()
    assert body["token_type"] == "Bearer"
    assert body["expires_in"] == 3600
    assert body["scope"] == "decks:read decks:write"
    assert len(await app.tools(body["access_token"])) == tools_of("decks:read", "decks:write")
    made = await app.call(body["access_token"], "tools/call", {"name": "create_deck", "arguments": {"title": "Rivers"}})
    assert made.json()["result"]["structuredContent"]["title"] == "Rivers"
    event = await db.fetch_row("SELECT client_kind, client_name FROM mcp_audit_events")
    assert event is not None
    assert tuple(event) == ("oauth", "Claude")


async def test_nothing_secret_is_stored_in_the_clear(app: App, alice: Browser) -> None:
    code = await app.code(alice)
    tokens = (await app.exchange(code)).json()
    for table in ("oauth_client", "oauth_connection", "oauth_authorization_code", "oauth_access_token",
                  "oauth_refresh_token", "job", "idempotency_key", "rate_limit"):  # fmt: skip
        text = str([tuple(row) for row in await db.fetch(f"SELECT * FROM {table}")])  # noqa: S608 - names of this list
        for secret in (code, tokens["access_token"], tokens["refresh_token"]):
            assert secret not in text, table


async def test_what_was_unticked_is_not_in_the_token_nor_in_the_list(app: App, alice: Browser) -> None:
    tokens = await app.connect(alice, untick=("decks:write",))
    assert tokens["scope"] == "decks:read"
    names = await app.tools(tokens["access_token"])
    assert "search_flashcards" in names
    assert "create_deck" not in names


@pytest.mark.parametrize("scope", [None, "", "email", "email profile", "profile offline_access"])
async def test_a_client_that_asks_for_nothing_is_offered_all_that_the_endpoint_can_do(
    app: App, alice: Browser, scope: str | None
) -> None:
    tokens = await app.connect(alice, scope=scope)
    granted = set(tokens["scope"].split())
    assert {"email", "profile", "decks:read", "decks:write"} <= granted
    assert ("offline_access" in granted) == ("offline" in (scope or ""))
    assert len(await app.tools(tokens["access_token"])) == len(TOOLS)


async def test_a_token_is_good_for_the_endpoint_that_it_was_issued_for(app: App, alice: Browser) -> None:
    of_all = await app.connect(alice)
    of_set = await app.connect(alice, resource=f"{MCP}/flashcards/")
    assert await app.tools(of_set["access_token"], "/mcp/flashcards")
    for token, path in ((of_all, "/mcp/flashcards"), (of_set, "/mcp"), (of_set, "/mcp/flashcards/readonly")):
        refused = await app.call(token["access_token"], path=path)
        assert refused.status_code == 401
        challenge = refused.headers["www-authenticate"]
        assert 'error="invalid_token"' in challenge
        assert f'resource_metadata="{BASE}/.well-known/oauth-protected-resource{path}"' in challenge
        assert 'scope="email profile decks:read' in challenge


async def test_a_request_without_a_resource_is_for_the_first_endpoint(app: App, alice: Browser) -> None:
    code = await app.code(alice, resource=None)
    tokens = (await app.exchange(code, resource=None)).json()
    assert await app.tools(tokens["access_token"])


@pytest.mark.parametrize("method", ["client_secret_post", "client_secret_basic"])
async def test_a_client_with_a_secret_shows_it_in_the_form_or_the_header(
    http: httpx.AsyncClient, alice: Browser, method: str
) -> None:
    app = App(http)
    await app.register(token_endpoint_auth_method=method)
    assert app.secret.startswith("loci_ocs_")
    tokens = await app.connect(alice)
    again = await http.post(
        "/token",
        data={"grant_type": "refresh_token", "refresh_token": tokens["refresh_token"]},
        auth=(app.client_id, app.secret),
    )
    assert again.status_code == 200
    for refused in (
        await app.refresh(tokens["refresh_token"], client_secret=None),
        await app.refresh(tokens["refresh_token"], client_secret="wrong"),
        await http.post(
            "/token",
            data={"grant_type": "refresh_token", "refresh_token": tokens["refresh_token"]},
            auth=(app.client_id, "wrong"),
        ),
    ):
        assert refused.status_code == 401
        assert refused.json()["error"] == "invalid_client"
        assert refused.headers["www-authenticate"].startswith("Basic")


async def test_the_person_can_connect_with_any_port_of_their_own_computer(
    http: httpx.AsyncClient, alice: Browser
) -> None:
    app = App(http, redirect_uri="http://127.0.0.1/callback")
    await app.register()
    app.redirect_uri = "http://127.0.0.1:49152/callback"
    assert (await app.connect(alice))["access_token"]
    program = App(http, redirect_uri="cursor://anysphere.cursor-mcp/oauth/callback")
    await program.register()
    page = await alice.decide(await alice.get(program.address()))
    assert continue_link(page).startswith("cursor://anysphere.cursor-mcp/oauth/callback?code=")


async def test_a_refresh_token_gives_a_new_pair_with_the_same_reach(app: App, alice: Browser) -> None:
    first = await app.connect(alice)
    narrower = (await app.refresh(first["refresh_token"], scope="decks:read")).json()
    assert narrower["scope"] == "decks:read"
    assert "create_deck" not in await app.tools(narrower["access_token"])
    wide = (await app.refresh(narrower["refresh_token"])).json()
    assert wide["scope"] == "decks:read decks:write"
    assert len({first["refresh_token"], narrower["refresh_token"], wide["refresh_token"]}) == 3
    wider = await app.refresh(wide["refresh_token"], scope="decks:read memory:write")
    assert wider.json()["error"] == "invalid_scope"


async def test_a_wider_consent_keeps_what_was_allowed_before(app: App, alice: Browser) -> None:
    narrow = await app.connect(alice, scope="decks:read")
    refused = await app.call(
        narrow["access_token"], "tools/call", {"name": "create_deck", "arguments": {"title": "Rivers"}}
    )
    assert refused.status_code == 403
    assert 'error="insufficient_scope", scope="decks:write"' in refused.headers["www-authenticate"]
    wide = await app.connect(alice, scope="decks:write")
    assert wide["scope"] == "decks:read decks:write"
    assert len(await connections.connections(alice.account.id)) == 1  # type: ignore[union-attr]


async def test_what_is_unticked_later_is_taken_from_the_older_tokens(app: App, alice: Browser) -> None:
    first = await app.connect(alice)
    await app.connect(alice, untick=("decks:write",))
    assert "create_deck" not in await app.tools(first["access_token"])
    assert (await app.refresh(first["refresh_token"])).json()["scope"] == "decks:read"


async def test_a_token_of_which_nothing_is_allowed_any_longer_is_not_renewed(app: App, alice: Browser) -> None:
    writing = await app.connect(alice, scope="decks:write")
    await app.connect(alice, scope="decks:read", untick=("decks:write",))
    assert await app.tools(writing["access_token"]) == []
    assert (await app.refresh(writing["refresh_token"])).json()["error"] == "invalid_grant"


async def test_chatgpt_is_told_in_the_result_that_it_needs_more(http: httpx.AsyncClient, alice: Browser) -> None:
    app = App(http, redirect_uri="https://chatgpt.com/connector_platform_oauth_redirect")
    await app.register(client_name="ChatGPT")
    tokens = await app.connect(alice, scope="decks:read")
    answer = await app.call(
        tokens["access_token"], "tools/call", {"name": "create_deck", "arguments": {"title": "Rivers"}}
    )
    assert answer.status_code == 200
    result = answer.json()["result"]
    assert result["isError"]
    [challenge] = result["_meta"]["mcp/www_authenticate"]
    assert f'resource_metadata="{BASE}/.well-known/oauth-protected-resource/mcp"' in challenge
    assert 'error="insufficient_scope"' in challenge
    assert 'scope="decks:write"' in challenge
    assert 'error_description="' in challenge
    assert await db.fetch_value("SELECT count(*) FROM deck") == 0


async def test_revoking_takes_effect_on_the_next_call(app: App, alice: Browser, asgi: Any) -> None:
    tokens = await app.connect(alice)
    other = await app.connect(alice)
    assert await app.tools(tokens["access_token"])
    for token in (tokens["refresh_token"], tokens["refresh_token"], "loci_ort_nonsense"):
        answer = await app.http.post("/revoke", data={"client_id": app.client_id, "token": token})
        assert answer.status_code == 200
    assert (await app.call(tokens["access_token"])).status_code == 401
    assert (await app.refresh(tokens["refresh_token"])).json()["error"] == "invalid_grant"
    assert await app.tools(other["access_token"])
    hint = {"client_id": app.client_id, "token": other["access_token"], "token_type_hint": "something"}
    assert (await app.http.post("/revoke", data=hint)).status_code == 200
    assert (await app.call(other["access_token"])).status_code == 401
    assert (await app.refresh(other["refresh_token"])).status_code == 200


async def test_what_has_expired_is_swept_and_a_used_client_is_not(app: App, alice: Browser) -> None:
    unused = App(app.http)
    await unused.register()
    await app.connect(alice)
    now = clock.now()
    await jobs.sweep(SETTINGS)
    assert await db.fetch_value("SELECT count(*) FROM oauth_client") == 2
    await connections.sweep(now + timedelta(hours=25))
    names = [row["client_id"] for row in await db.fetch("SELECT client_id FROM oauth_client")]
    assert names == [app.client_id]
    assert await db.fetch_value("SELECT count(*) FROM oauth_access_token") == 0
    assert await db.fetch_value("SELECT count(*) FROM oauth_authorization_code") == 0
    assert await db.fetch_value("SELECT count(*) FROM oauth_refresh_token") == 1
    await connections.sweep(now + timedelta(days=91))
    assert await db.fetch_value("SELECT count(*) FROM oauth_connection") == 0
    assert await db.fetch_value("SELECT count(*) FROM oauth_client") == 1


async def test_a_person_who_is_erased_leaves_no_token(app: App, alice: Browser) -> None:
    tokens = await app.connect(alice)
    await db.execute("DELETE FROM account")
    assert (await app.call(tokens["access_token"])).status_code == 401


async def test_the_request_waits_while_the_person_signs_in(app: App, alice: Browser, asgi: Any) -> None:
    async with browser_of(asgi) as carol:
        first = await carol.get(app.address())
        assert first.status_code == 303
        sign_in = first.headers["location"]
        assert sign_in.startswith("/sign-in?next=%2Fauthorize")
        form = query_of(sign_in)
        wrong = await carol.post("/sign-in", {"email": "alice@example.org", "password": "no", "next": form["next"]})
        assert "ofid_" in wrong.text
        right = await carol.post(
            "/sign-in",
            {"email": "alice@example.org", "password": "correct horse battery staple", "next": form["next"]},
        )
        assert right.status_code == 303
        page = await carol.get(right.headers["location"])
        assert "alice@example.org" in page.text
        assert "ofid_" in page.text
        # and once more as somebody new
        switched = await carol.decide(page, "switch")
        assert switched.status_code == 303
        sign_up = switched.headers["location"].replace("/sign-in", "/sign-up")
        created = await carol.post(
            "/sign-up",
            {"email": "new@example.org", "password": "correct horse battery staple", "next": query_of(sign_up)["next"]},
        )
        page = await carol.get(created.headers["location"])
        assert "new@example.org" in page.text
        code = query_of(continue_link(await carol.decide(page)))["code"]
    assert (await app.exchange(code)).status_code == 200
    assert await connections.connections(alice.account.id) == ()  # type: ignore[union-attr]


@pytest.mark.parametrize("kind", ["oauth", "key"])
async def test_a_call_costs_one_query_before_those_of_its_tool(app: App, alice: Browser, kind: str) -> None:
    assert alice.account
    token = (await app.connect(alice))["access_token"] if kind == "oauth" else await make_key(alice.account)
    params = {"name": "list_decks", "arguments": {}}
    assert (await app.call(token, "tools/call", params)).status_code == 200  # notes the use, this once a minute
    first, *rest = await statements_of(lambda: app.call(token, "tools/call", params))
    assert ("oauth_access_token" if kind == "oauth" else "access_key") in first.text
    assert "rate_limit" in first.text
    days = StudyClock("UTC", 4)
    alone = await statements_of(lambda: decks.decks(alice.account.id, clock=days, now=clock.now()))
    assert [statement.text for statement in rest] == [statement.text for statement in alone]
    # a mistyped token is counted, and not looked for
    mistyped = token[:-1] + ("y" if token.endswith("x") else "x")
    [counted] = await statements_of(lambda: app.call(mistyped, "tools/call", params))
    assert counted.values[0] == "mcp-refused:127.0.0.1"
