"""What a person sees: the consent page, the page that leads on, Connections; and what the log says of an attempt."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
import structlog
from litestar import Litestar
from structlog.testing import LogCapture

from app.accounts import service as accounts
from app.core import clock, db
from tests.oauth.conftest import BASE, SETTINGS, App, Browser, browser_of, continue_link, query_of
from tests.web.conftest import text_of


async def test_the_page_says_who_asks_for_what_and_where_it_leads(app: App, alice: Browser) -> None:
    page = await alice.get(app.address())
    text = text_of(page)
    assert "Connect claude.ai to your account?" in text
    assert "calls itself “Claude”. Nobody has verified that name" in text
    assert "signed in as alice@example.org" in text
    assert "See and search your collections, decks and cards" in text
    assert "Delete and restore decks and cards" in text
    assert "notes" not in text.split("never")[0]
    assert "goes to claude.ai next" in text
    assert "erase anything for good" in text
    assert page.headers["cache-control"] == "no-store"
    assert "form-action 'self'" in page.headers["content-security-policy"]
    assert not re.search(r"\bstyle=|<style|<script>|\son\w+=", page.text)
    cancel, allow = re.findall(r'<button[^>]*name="decision" value="(?:allow|deny)"[^>]*>', page.text)
    assert allow.replace("allow", "deny") == cancel  # of equal weight
    assert page.text.count("data-autofocus") == 1
    assert re.search(r"<h1[^>]*data-autofocus", page.text)


@pytest.mark.parametrize("plan", ["free", "plus"])
async def test_the_page_says_what_the_plan_keeps_the_client_from(
    application: Litestar, app: App, alice: Browser, plan: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_plans = replace(application.state.web, settings=replace(SETTINGS, plans=True))
    monkeypatch.setattr(application.state, "web", with_plans)
    await db.execute("UPDATE account SET plan = $1", plan)
    said = "Creating, changing, deleting and restoring from an AI chat needs the Plus or Pro plan."
    assert (said in text_of(await alice.get(app.address()))) == (plan == "free")
    assert said not in text_of(await alice.get(app.address(scope="decks:read"))), "nothing is to be written"


@pytest.mark.parametrize("shut_out", [True, False])
async def test_a_new_password_can_disconnect_all(app: App, alice: Browser, bob: Browser, shut_out: bool) -> None:
    assert alice.account is not None
    tokens, of_bob = await app.connect(alice), await app.connect(bob)
    mail = await accounts.issue_password_reset(alice.account.id, now=clock.now(), base_url=BASE)
    assert mail is not None
    token = re.search(r"loci_rst_\w+", mail.text)
    assert token is not None
    form = {"token": token.group(), "password": "another horse battery staple"}
    answer = await alice.post("/password/reset", {**form, **({"shut_others_out": "1"} if shut_out else {})})
    assert answer.status_code == 303
    assert (await app.call(tokens["access_token"])).status_code == (401 if shut_out else 200)
    assert await app.tools(of_bob["access_token"])


async def test_a_name_cannot_be_markup(app: App, alice: Browser) -> None:
    evil = App(app.http)
    await evil.register(client_name='<script>alert(1)</script>"><b>')
    page = await alice.get(evil.address())
    assert "<script>alert" not in page.text
    await evil.connect(alice)
    assert "<script>alert" not in (await alice.get("/connections")).text


async def test_the_page_after_the_decision_leads_on_by_link_and_by_refresh(app: App, alice: Browser) -> None:
    page = await alice.decide(await alice.get(app.address()))
    assert continue_link(page).startswith(app.redirect_uri)
    assert "Continue to claude.ai" in page.text
    assert page.headers["cache-control"] == "no-store"


async def test_connections_show_what_is_allowed_and_end_at_once(app: App, alice: Browser, bob: Browser) -> None:
    empty = text_of(await alice.get("/connections"))
    assert "No app is connected" in empty
    assert "http://loci.example/mcp" in (await alice.get("/connections")).text
    tokens = await app.connect(alice, untick=("decks:write",))
    text = text_of(await alice.get("/connections"))
    assert "Claude" in text
    assert "Returns to claude.ai" in text
    assert "never used" in text
    assert "See and search your collections" in text
    assert "Create and edit" not in text
    await app.tools(tokens["access_token"])
    assert "connected it before" in (await alice.get(app.address())).text
    assert "last used" in text_of(await alice.get("/connections"))
    assert "/activity?client=Claude" in (await alice.get("/connections")).text
    assert "No app is connected" in text_of(await bob.get("/connections"))
    connection = await db.fetch_value("SELECT id FROM oauth_connection")
    question = await alice.post(f"/connections/{connection}/disconnect", {})
    assert "Disconnect this app?" in question.text
    assert await app.tools(tokens["access_token"])
    assert (await alice.post(f"/connections/{connection}/disconnect", {"confirmed": "1"})).status_code == 303
    assert (await app.call(tokens["access_token"])).status_code == 401
    assert (await app.refresh(tokens["refresh_token"])).json()["error"] == "invalid_grant"
    assert "connected it before" not in (await alice.get(app.address())).text
    assert (await app.connect(alice))["access_token"]  # and it can be connected anew


@pytest.fixture
def lines() -> Any:
    """What is logged meanwhile."""
    capture = LogCapture()
    before = structlog.get_config()["processors"]
    processors = [structlog.contextvars.merge_contextvars, capture]
    before_copy = list(before)
    before[:] = processors  # in place: the loggers that are in use hold this list
    yield capture.entries
    before[:] = before_copy


async def test_every_line_of_an_attempt_carries_its_identifier(
    app: App, alice: Browser, asgi: Any, lines: list[dict[str, Any]]
) -> None:
    async with browser_of(asgi) as carol:
        lines.clear()
        first = await carol.get(app.address())
        waiting = query_of(first.headers["location"])["next"]
        await carol.get(first.headers["location"])
        wrong = await carol.post("/sign-in", {"email": "alice@example.org", "password": "x", "next": waiting})
        shown = re.search(r"ofid_[0-9a-f]{20}", wrong.text)
        assert shown
        right = await carol.post(
            "/sign-in", {"email": "alice@example.org", "password": "correct horse battery staple", "next": waiting}
        )
        page = await carol.get(right.headers["location"])
        assert shown.group() in page.text
        after = await carol.decide(page)
        assert shown.group() in after.text
        await app.exchange(query_of(continue_link(after))["code"])
        of_the_attempt = [line for line in lines if line.get("attempt") == shown.group()]
        events = [line["event"] for line in of_the_attempt]
        assert [event for event in events if event != "request"] == [
            "oauth_authorize", "oauth_authorize", "oauth_consent", "oauth_token"
        ]  # fmt: skip
        routes = [line["route"] for line in of_the_attempt if line["event"] == "request"]
        assert routes == ["/authorize", "/sign-in", "/sign-in", "/sign-in", "/authorize", "/authorize"]
        # The attempt is over: what the browser does next is not part of it.
        lines.clear()
        await carol.get("/connections")
        assert not [line for line in lines if "attempt" in line]


async def test_a_failed_attempt_is_found_by_what_was_shown(
    app: App, alice: Browser, lines: list[dict[str, Any]]
) -> None:
    for page in (
        await alice.get(app.address(redirect_uri="https://evil.example/")),
        await alice.get("/authorize?pending=x"),
        await alice.post("/authorize", {"pending": "x"}),
    ):
        shown = re.search(r"ofid_[0-9a-f]{20}", page.text)
        assert shown
        assert [line["event"] for line in lines if line.get("attempt") == shown.group()][-2:] == [
            "oauth_authorize", "request"
        ]  # fmt: skip


async def test_no_line_holds_a_secret(app: App, alice: Browser, lines: list[dict[str, Any]]) -> None:
    code = await app.code(alice)
    tokens = (await app.exchange(code)).json()
    await app.exchange(code)
    await app.refresh(tokens["refresh_token"])
    await app.tools(tokens["access_token"])
    await app.http.post("/revoke", data={"client_id": app.client_id, "token": tokens["refresh_token"]})
    written = repr(lines)
    assert "oauth_revoke" in written
    for secret in (code, tokens["access_token"], tokens["refresh_token"], "alice@example.org"):
        assert secret not in written
