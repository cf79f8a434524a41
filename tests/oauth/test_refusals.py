"""Everything that must not be granted, each with its right answer; nothing is issued and nobody is sent anywhere."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import httpx
import pytest
import pytest_asyncio

from app.core import db
from app.oauth.core import ACCESS_LIFETIME, REFRESH_LIFETIME
from app.oauth.grants import CODE_GRACE, CODE_LIFETIME
from tests.oauth.conftest import BASE, CALLBACK, CHALLENGE, VERIFIER, App, Browser, continue_link, query_of


async def issued() -> int:
    """How many codes and tokens there are."""
    return int(
        await db.fetch_value(
            "SELECT (SELECT count(*) FROM oauth_authorization_code) + (SELECT count(*) FROM oauth_access_token) "
            "+ (SELECT count(*) FROM oauth_refresh_token)"
        )
    )


async def age(table: str, by: timedelta) -> None:
    """Let time pass for the rows of a table."""
    for column in ("expires_at", "used_at") if table != "oauth_access_token" else ("expires_at",):
        await db.execute(f"UPDATE {table} SET {column} = {column} - $1::interval", by)  # noqa: S608 - names of this file


# The authorization endpoint: what is told to the person, because the address is not known to be the client's.
TOLD_TO_THE_PERSON: dict[str, dict[str, str | None]] = {
    "no client": {"client_id": None},
    "unknown client": {"client_id": "loci_client_0000"},
    "client id with a control character": {"client_id": "loci\x7fclient"},
    "foreign redirect": {"redirect_uri": "https://evil.example/callback"},
    "another path": {"redirect_uri": CALLBACK + "/x"},
    "path climbing": {"redirect_uri": CALLBACK + "/../evil"},
    "a query added": {"redirect_uri": CALLBACK + "?x=1"},
    "another letter case": {"redirect_uri": CALLBACK.replace("claude.ai", "CLAUDE.ai")},
    "http instead of https": {"redirect_uri": CALLBACK.replace("https", "http")},
    "userinfo trick": {"redirect_uri": "https://claude.ai@evil.example/api/mcp/auth_callback"},
    "host as a prefix": {"redirect_uri": CALLBACK.replace("claude.ai", "claude.ai.evil.example")},
    "a port added": {"redirect_uri": CALLBACK.replace("claude.ai", "claude.ai:8443")},
    "fragment": {"redirect_uri": CALLBACK + "#x"},
    "backslash": {"redirect_uri": "https://claude.ai\\@evil.example/"},
    "javascript": {"redirect_uri": "javascript:alert(1)"},
    "loopback that was not registered": {"redirect_uri": "http://127.0.0.1:8080/callback"},
    "quotation marks in the redirect": {"redirect_uri": CALLBACK + '"x"'},
    "letters beyond ASCII": {"redirect_uri": CALLBACK + "é"},
    "far too long": {"scope": "decks:read " * 1000},
}


@pytest.mark.parametrize("changed", TOLD_TO_THE_PERSON.values(), ids=TOLD_TO_THE_PERSON)
async def test_told_to_the_person(app: App, alice: Browser, changed: dict[str, str | None]) -> None:
    page = await alice.get(app.address(**changed))
    assert page.status_code == 400
    assert "location" not in page.headers
    assert "ofid_" in page.text
    assert "evil" not in page.text
    assert await issued() == 0


TOLD_TO_THE_CLIENT: dict[str, tuple[dict[str, str | None], str]] = {
    "no response type": ({"response_type": None}, "invalid_request"),
    "implicit": ({"response_type": "token"}, "unsupported_response_type"),
    "hybrid": ({"response_type": "code id_token"}, "unsupported_response_type"),
    "a response type with quotation marks": ({"response_type": 'a"b'}, "unsupported_response_type"),
    "missing challenge": ({"code_challenge": None}, "invalid_request"),
    "missing method, which means plain": ({"code_challenge_method": None}, "invalid_request"),
    "plain": ({"code_challenge": VERIFIER, "code_challenge_method": "plain"}, "invalid_request"),
    "s256 in small letters": ({"code_challenge_method": "s256"}, "invalid_request"),
    "short challenge": ({"code_challenge": CHALLENGE[:-1]}, "invalid_request"),
    "challenge with a forbidden letter": ({"code_challenge": CHALLENGE[:-1] + "="}, "invalid_request"),
    "unknown scopes alone": ({"scope": "admin root"}, "invalid_scope"),
    "another server's resource": ({"resource": "https://other.example/mcp"}, "invalid_target"),
    "a resource of ours that is none": ({"resource": f"{BASE}/decks"}, "invalid_target"),
    "the server itself as a resource": ({"resource": BASE}, "invalid_target"),
    "a resource with a fragment": ({"resource": f"{BASE}/mcp#x"}, "invalid_target"),
}


@pytest.mark.parametrize(("changed", "error"), TOLD_TO_THE_CLIENT.values(), ids=TOLD_TO_THE_CLIENT)
async def test_told_to_the_client(
    app: App, alice: Browser, carol: Browser, changed: dict[str, str | None], error: str
) -> None:
    for browser in (alice, carol):
        answer = await browser.get(app.address(**changed))
        assert answer.status_code == 302
        location = answer.headers["location"]
        assert location.startswith(CALLBACK + "?")
        told = query_of(location)
        assert (told["error"], told["iss"], told["state"]) == (error, BASE, "s t&te")
        assert "code" not in told
    assert await issued() == 0


async def test_a_client_of_oauth_2_1_does_not_name_its_redirect_again(app: App, alice: Browser) -> None:
    answer = await app.exchange(await app.code(alice), redirect_uri=None)
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize("twice", ["response_type", "scope", "state", "code_challenge", "code_challenge_method"])
async def test_a_parameter_that_comes_twice_is_refused(app: App, alice: Browser, twice: str) -> None:
    answer = await alice.get(app.address() + f"&{twice}=x")
    assert answer.status_code == 302
    assert query_of(answer.headers["location"])["error"] == "invalid_request"


@pytest.mark.parametrize("twice", ["client_id", "redirect_uri"])
async def test_who_asks_and_where_to_answer_come_once(app: App, alice: Browser, twice: str) -> None:
    assert (await alice.get(app.address() + f"&{twice}=x")).status_code == 400


async def test_two_resources_are_refused(app: App, alice: Browser) -> None:
    answer = await alice.get(app.address() + f"&resource={BASE}/mcp/flashcards")
    assert query_of(answer.headers["location"])["error"] == "invalid_target"


async def test_the_person_cancels(app: App, alice: Browser) -> None:
    page = await alice.decide(await alice.get(app.address()), "deny")
    told = query_of(continue_link(page))
    assert (told["error"], told["iss"], told["state"]) == ("access_denied", BASE, "s t&te")
    assert await issued() == 0
    assert await db.fetch_value("SELECT count(*) FROM oauth_connection") == 0


async def test_nothing_ticked_is_asked_again(app: App, alice: Browser) -> None:
    page = await alice.get(app.address())
    again = await alice.decide(page, untick=("decks:read", "decks:write"))
    assert again.status_code == 422
    assert "Nothing is ticked" in again.text
    assert await issued() == 0


async def test_a_box_that_was_not_offered_grants_nothing(app: App, alice: Browser) -> None:
    page = await alice.get(app.address(scope="decks:read"))
    text = page.text.replace('value="decks:read"', 'value="memory:write"')
    again = await alice.decide(httpx.Response(200, text=text))
    assert again.status_code == 422
    assert await issued() == 0


@pytest.mark.parametrize("where", ["", "x", "signed.by.another"])
async def test_a_form_that_is_not_ours_is_refused(app: App, alice: Browser, where: str) -> None:
    page = await alice.post("/authorize", {"pending": where, "decision": "allow", "scope": "decks:read"})
    assert page.status_code == 400
    assert "ofid_" in page.text
    assert (await alice.get(f"/authorize?pending={where}")).status_code == 400


async def test_a_decision_from_another_site_is_refused(app: App, alice: Browser) -> None:
    page = await alice.get(app.address())
    alice.http.headers["sec-fetch-site"] = "cross-site"
    assert (await alice.decide(page)).status_code == 403
    assert await issued() == 0


async def test_a_decision_counts_for_the_account_that_was_shown(app: App, alice: Browser, bob: Browser) -> None:
    page = await alice.get(app.address())
    answer = await bob.decide(page)
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/authorize?pending=")
    shown = await bob.get(answer.headers["location"])
    assert "bob@example.org" in shown.text
    assert await issued() == 0


async def test_a_decision_of_somebody_who_signed_out_asks_to_sign_in(app: App, alice: Browser, carol: Browser) -> None:
    answer = await carol.decide(await alice.get(app.address()))
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/sign-in?next=")
    assert await issued() == 0


# The token endpoint, with a code that is good otherwise.
BAD_EXCHANGES: dict[str, tuple[dict[str, str | None], int, str]] = {
    "wrong verifier": ({"code_verifier": "w" * 43}, 400, "invalid_grant"),
    "the challenge as the verifier": ({"code_verifier": CHALLENGE}, 400, "invalid_grant"),
    "missing verifier": ({"code_verifier": None}, 400, "invalid_request"),
    "short verifier": ({"code_verifier": "v" * 42}, 400, "invalid_request"),
    "missing code": ({"code": None}, 400, "invalid_request"),
    "unknown code": ({"code": "loci_oac_" + "a" * 38}, 400, "invalid_grant"),
    "rubbish for a code": ({"code": "x"}, 400, "invalid_grant"),
    "another redirect": ({"redirect_uri": "https://evil.example/"}, 400, "invalid_grant"),
    "another resource of ours": ({"resource": f"{BASE}/mcp/flashcards"}, 400, "invalid_target"),
    "another server's resource": ({"resource": "https://other.example/"}, 400, "invalid_target"),
    "no client": ({"client_id": None}, 401, "invalid_client"),
    "unknown client": ({"client_id": "loci_client_gone"}, 401, "invalid_client"),
    "a secret that was never given": ({"client_secret": "guess"}, 401, "invalid_client"),
    "missing grant type": ({"grant_type": None}, 400, "invalid_request"),
    "password grant": ({"grant_type": "password"}, 400, "unsupported_grant_type"),
    "client credentials": ({"grant_type": "client_credentials"}, 400, "unsupported_grant_type"),
    "a null byte": ({"code": "loci\x00"}, 400, "invalid_request"),
    "letters beyond ASCII": ({"client_id": "é"}, 400, "invalid_request"),
    "far too long": ({"code_verifier": "v" * 5000}, 400, "invalid_request"),
}


@pytest.mark.parametrize(("changed", "status", "error"), BAD_EXCHANGES.values(), ids=BAD_EXCHANGES)
async def test_bad_exchanges(app: App, alice: Browser, changed: dict[str, str | None], status: int, error: str) -> None:
    code = await app.code(alice)
    answer = await app.exchange(code, **changed)
    assert (answer.status_code, answer.json()["error"]) == (status, error), answer.text
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["access-control-allow-origin"] == "*"
    assert await issued() == 1
    assert (await app.exchange(code)).status_code == 200


async def test_a_code_is_good_for_its_client_alone(app: App, alice: Browser) -> None:
    other = App(app.http)
    await other.register()
    code = await app.code(alice)
    assert (await other.exchange(code)).json()["error"] == "invalid_grant"
    tokens = (await app.exchange(code)).json()
    assert (await other.refresh(tokens["refresh_token"])).json()["error"] == "invalid_grant"
    stolen = {"client_id": other.client_id, "token": tokens["refresh_token"]}
    assert (await app.http.post("/revoke", data=stolen)).json()["error"] == "invalid_grant"
    assert (await app.refresh(tokens["refresh_token"])).status_code == 200


async def test_a_code_of_another_grant_does_not_lend_its_connection(app: App, alice: Browser, bob: Browser) -> None:
    """A form with a code of one client and a refresh token of another is judged by the one that its grant names."""
    other = App(app.http)
    await other.register()
    code = await app.code(alice)
    mine = await other.connect(bob)
    answer = await other.exchange(code, refresh_token=mine["refresh_token"])
    assert answer.json()["error"] == "invalid_grant"
    tokens = (await app.exchange(code)).json()
    answer = await other.refresh(tokens["refresh_token"], code=await other.code(bob))
    assert answer.json()["error"] == "invalid_grant"


async def test_an_old_code_is_over(app: App, alice: Browser) -> None:
    code = await app.code(alice)
    await age("oauth_authorization_code", CODE_LIFETIME)
    assert (await app.exchange(code)).json()["error"] == "invalid_grant"


async def test_a_code_that_comes_again_ends_what_came_of_it(app: App, alice: Browser) -> None:
    code = await app.code(alice)
    tokens = (await app.exchange(code)).json()
    assert (await app.exchange(code)).json()["error"] == "invalid_grant"
    assert await app.tools(tokens["access_token"])
    await age("oauth_authorization_code", CODE_GRACE)
    assert (await app.exchange(code)).json()["error"] == "invalid_grant"
    assert (await app.call(tokens["access_token"])).status_code == 401
    assert (await app.refresh(tokens["refresh_token"])).json()["error"] == "invalid_grant"


async def test_tokens_end(app: App, alice: Browser) -> None:
    tokens = await app.connect(alice)
    await age("oauth_access_token", ACCESS_LIFETIME)
    assert (await app.call(tokens["access_token"])).status_code == 401
    await age("oauth_refresh_token", REFRESH_LIFETIME)
    assert (await app.refresh(tokens["refresh_token"])).json()["error"] == "invalid_grant"


async def test_one_token_is_not_another_kind(app: App, alice: Browser) -> None:
    tokens = await app.connect(alice)
    assert (await app.call(tokens["refresh_token"])).status_code == 401
    assert (await app.refresh(tokens["access_token"])).json()["error"] == "invalid_grant"
    assert (await app.exchange(tokens["refresh_token"])).json()["error"] == "invalid_grant"


BAD_BODIES: dict[str, tuple[bytes, str]] = {
    "JSON": (b'{"grant_type":"authorization_code"}', "application/json"),
    "no type": (b"grant_type=authorization_code", "text/plain"),
    "bytes that are no text": (b"grant_type=\xff&code=%FF", "application/x-www-form-urlencoded"),
    "a parameter twice": (b"grant_type=authorization_code&grant_type=x", "application/x-www-form-urlencoded"),
    "too many parameters": (b"&".join(b"a%d=1" % n for n in range(60)), "application/x-www-form-urlencoded"),
}


@pytest.mark.parametrize(("body", "kind"), BAD_BODIES.values(), ids=BAD_BODIES)
@pytest.mark.parametrize("path", ["/token", "/revoke"])
async def test_bodies_that_are_no_form(http: httpx.AsyncClient, path: str, body: bytes, kind: str) -> None:
    answer = await http.post(path, content=body, headers={"content-type": kind})
    assert answer.status_code in {400, 401}
    assert answer.json()["error"] in {"invalid_request", "invalid_client"}


@pytest.mark.parametrize("header", ["Basic !!!", "Basic //79", "Basic", "Bearer x", "Basic Og==", "Basic YTpi"])
async def test_headers_that_name_no_client(http: httpx.AsyncClient, header: str) -> None:
    answer = await http.post("/token", data={"grant_type": "refresh_token"}, headers={"authorization": header})
    assert (answer.status_code, answer.json()["error"]) == (401, "invalid_client")


async def test_a_large_body_is_refused_in_json(http: httpx.AsyncClient) -> None:
    for path in ("/token", "/register", "/revoke"):
        answer = await http.post(path, content=b"x" * 70_000, headers={"content-type": "application/json"})
        assert answer.status_code in {400, 413}
        assert answer.json()["error"]


BAD_REGISTRATIONS: dict[str, tuple[Any, str]] = {
    "no JSON": ("x", "invalid_client_metadata"),
    "a list": ([], "invalid_client_metadata"),
    "nothing": ({}, "invalid_client_metadata"),
    "no redirects": ({"redirect_uris": []}, "invalid_client_metadata"),
    "too many redirects": ({"redirect_uris": [f"{CALLBACK}{n}" for n in range(21)]}, "invalid_client_metadata"),
    "a redirect that is no text": ({"redirect_uris": [1]}, "invalid_client_metadata"),
    "javascript": ({"redirect_uris": ["javascript:alert(1)"]}, "invalid_redirect_uri"),
    "data": ({"redirect_uris": ["data:text/html,x"]}, "invalid_redirect_uri"),
    "file": ({"redirect_uris": ["file:///etc/passwd"]}, "invalid_redirect_uri"),
    "plain http": ({"redirect_uris": ["http://app.example/cb"]}, "invalid_redirect_uri"),
    "loopback in another notation": ({"redirect_uris": ["http://127.1/cb"]}, "invalid_redirect_uri"),
    "userinfo": ({"redirect_uris": ["https://a:b@app.example/cb"]}, "invalid_redirect_uri"),
    "loopback as userinfo": ({"redirect_uris": ["http://localhost@evil.example/cb"]}, "invalid_redirect_uri"),
    "fragment": ({"redirect_uris": [CALLBACK + "#"]}, "invalid_redirect_uri"),
    "one good and one bad": ({"redirect_uris": [CALLBACK, "vbscript:x"]}, "invalid_redirect_uri"),
    "private_key_jwt": (
        {"redirect_uris": [CALLBACK], "token_endpoint_auth_method": "private_key_jwt"},
        "invalid_client_metadata",
    ),
    "another grant": (
        {"redirect_uris": [CALLBACK], "grant_types": ["client_credentials"]},
        "invalid_client_metadata",
    ),
    "another response": ({"redirect_uris": [CALLBACK], "response_types": ["token"]}, "invalid_client_metadata"),
}


@pytest.mark.parametrize(("metadata", "error"), BAD_REGISTRATIONS.values(), ids=BAD_REGISTRATIONS)
async def test_bad_registrations(http: httpx.AsyncClient, metadata: Any, error: str) -> None:
    sent = {"content": metadata} if isinstance(metadata, str) else {"json": metadata}
    answer = await http.post("/register", **sent)
    assert (answer.status_code, answer.json()["error"]) == (400, error), answer.text
    assert await db.fetch_value("SELECT count(*) FROM oauth_client") == 0


async def test_registrations_of_one_address_are_counted(http: httpx.AsyncClient) -> None:
    app = App(http)
    assert (await app.register()).status_code == 201
    used = await db.execute(
        "UPDATE rate_limit SET arrival = clock_timestamp() + interval '1 hour' WHERE key LIKE 'oauth-register:%'"
    )
    assert used == "UPDATE 1"
    refused = await app.register()
    assert refused.status_code == 429
    assert int(refused.headers["retry-after"]) > 0
    assert refused.json()["error"] == "temporarily_unavailable"


@pytest_asyncio.fixture
async def of_bob(app: App, bob: Browser) -> AsyncIterator[dict[str, Any]]:
    yield await app.connect(bob)


async def test_what_one_person_allowed_reaches_nobody_else(
    app: App, alice: Browser, bob: Browser, of_bob: dict[str, Any]
) -> None:
    await app.connect(alice)
    made = await app.call(of_bob["access_token"], "tools/call", {"name": "create_deck", "arguments": {"title": "B"}})
    deck_id = made.json()["result"]["structuredContent"]["deckId"]
    of_alice = await app.connect(alice)
    seen = await app.call(
        of_alice["access_token"],
        "tools/call",
        {"name": "update_deck", "arguments": {"deckId": deck_id, "description": "x"}},
    )
    assert seen.json()["result"]["_meta"]["loci/error"]["code"] == "NOT_FOUND"
    bobs = await db.fetch_value("SELECT id FROM oauth_connection WHERE account_id = $1", bob.account.id)  # type: ignore[union-attr]
    missing = await alice.post("/connections/987654321/disconnect", {"confirmed": "1"})
    foreign = await alice.post(f"/connections/{bobs}/disconnect", {"confirmed": "1"})
    assert missing.status_code == foreign.status_code == 404
    assert missing.text == foreign.text
    assert await app.tools(of_bob["access_token"])


def test_this_table_is_long_enough() -> None:
    told = len(TOLD_TO_THE_PERSON) + len(TOLD_TO_THE_CLIENT)
    assert told + len(BAD_EXCHANGES) + len(BAD_REGISTRATIONS) + len(BAD_BODIES) >= 40
