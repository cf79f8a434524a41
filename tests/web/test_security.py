"""What holds for every answer and every route: headers, cross-site posts, methods, cookies that cannot be changed."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from litestar import Litestar
from litestar.routes import HTTPRoute

from app.core.settings import Settings
from app.core.signing import Signer
from app.domain.errors import ErrorCode
from app.main import create_app
from app.web.security import CONTENT_SECURITY_POLICY, SECURITY_HEADERS, is_cross_site
from tests.web.conftest import BASE, SETTINGS, Visitor, text_of
from tests.web.test_sign_in import set_cookie

ALWAYS = {name.decode(): value.decode() for name, value in SECURITY_HEADERS}


def application_at(address: str) -> tuple[Litestar, Settings]:
    """The application and its settings under another public address."""
    settings = replace(SETTINGS, public_url=address)
    return create_app(settings), settings


def routes(application: Litestar) -> list[tuple[str, frozenset[str]]]:
    """Every path, filled in, with its methods; the endpoint for AI clients has a check of its own."""
    return [
        (re.sub(r"\{[^}]*\}", "1", route.path_format), frozenset(route.methods))
        for route in application.routes
        if isinstance(route, HTTPRoute)
        and not route.path_format.startswith(("/mcp", "/static", "/.well-known"))
        and route.path_format
        not in {"/token", "/register", "/revoke", "/webhooks/stripe"}  # carry no cookie, and may be called by any page
    ]


def check_headers(answer: httpx.Response) -> None:
    for name, value in ALWAYS.items():
        assert answer.headers[name] == value, name
    assert re.fullmatch(r"req_[0-9a-f]{20}", answer.headers["x-request-id"])
    if answer.headers.get("content-type", "").startswith("text/html"):
        assert answer.headers["content-security-policy"] == CONTENT_SECURITY_POLICY
        assert answer.headers["cache-control"] == "no-store"


async def test_every_answer_carries_the_headers(alice: Visitor, carol: Visitor, application: Litestar) -> None:
    answers = [
        await alice.get("/account"),
        await carol.get("/account", 303),
        await carol.get("/nowhere", 404),
        await carol.get("/static/nothing.css", 404),
        await carol.get("/static/css/loci.css"),
        await carol.post("/sign-in", 422),
        await carol.client.put("/sign-in"),
        await alice.post("/keys/999/revoke", 404),
        await carol.get("/health"),
    ]
    for answer in answers:
        check_headers(answer)
    assert "strict-transport-security" not in answers[0].headers
    assert answers[4].headers["cache-control"] == "max-age=31536000, public, immutable"


async def test_every_page_post_from_another_site_is_refused(alice: Visitor, application: Litestar) -> None:
    posts = [path for path, methods in routes(application) if "POST" in methods]
    assert len(posts) > 25
    for path in posts:
        for headers in (
            {"sec-fetch-site": "cross-site"},
            {"sec-fetch-site": "same-site"},
            {"sec-fetch-site": "", "origin": "https://evil.example"},
            {"sec-fetch-site": "cross-site", "origin": BASE},
        ):
            answer = await alice.client.post(path, headers=headers, data={"confirmed": "1"})
            assert answer.status_code == 403, (path, headers)
            check_headers(answer)
    assert (await alice.get("/account")).status_code == 200


@pytest.mark.parametrize(
    ("headers", "crosses"),
    [
        ({}, False),
        ({"sec-fetch-site": "same-origin"}, False),
        ({"sec-fetch-site": "none"}, False),
        ({"sec-fetch-site": "same-site"}, True),
        ({"sec-fetch-site": "cross-site"}, True),
        ({"sec-fetch-site": "made-up"}, True),
        ({"origin": "https://loci.example.org", "host": "inside:8000"}, False),
        ({"origin": "http://127.0.0.1:8000", "host": "127.0.0.1:8000"}, False),
        ({"origin": "http://127.0.0.1:8001", "host": "127.0.0.1:8000"}, True),
        ({"origin": "https://loci.example.org.evil.example", "host": "loci.example.org"}, True),
        ({"origin": "null", "host": "loci.example.org"}, True),
        ({"origin": "null"}, True),
        ({"origin": ""}, True),
    ],
)
def test_the_browsers_own_word_decides(headers: dict[str, str], crosses: bool) -> None:
    scope = {"method": "POST", "headers": [(name.encode(), value.encode()) for name, value in headers.items()]}
    assert is_cross_site(scope, "https://loci.example.org") is crosses  # type: ignore[arg-type]
    assert not is_cross_site({**scope, "method": "GET"}, "https://loci.example.org")  # type: ignore[arg-type, typeddict-item]


async def test_no_get_changes_anything_without_an_account(carol: Visitor, application: Litestar) -> None:
    """Every page either is open to all or leads to sign-in; none fails."""
    for path, methods in routes(application):
        if "GET" in methods:
            answer = await carol.client.get(path)
            expected = {400} if path == "/authorize" else {200, 303}  # which needs its parameters
            assert answer.status_code in expected, (path, answer.status_code)


async def test_what_a_page_is_not_asked_for_is_405_with_what_is_allowed(carol: Visitor) -> None:
    for method, path, allowed in (("PUT", "/sign-in", {"GET", "POST"}), ("GET", "/sign-out", {"POST"})):
        answer = await carol.client.request(method, path)
        assert answer.status_code == 405
        assert allowed <= set(re.split(r",\s*", answer.headers["allow"]))
        assert "That request did not make sense" in text_of(answer)
        check_headers(answer)


async def test_head_gives_the_headers_of_get_and_no_body(alice: Visitor, application: Litestar) -> None:
    for path in ("/account", "/sign-in", "/health", "/static/css/loci.css", "/nowhere"):
        got, head = await alice.client.get(path), await alice.client.head(path)
        assert head.status_code == got.status_code, path
        assert head.headers["content-type"] == got.headers["content-type"]
        assert head.content == b""


async def test_a_request_id_is_taken_over_when_it_is_one(carol: Visitor) -> None:
    given = "upstream-0123.abc"
    answer = await carol.client.get("/health", headers={"x-request-id": given})
    assert answer.headers["x-request-id"] == given
    for bad in ("short", "x" * 65, "a b c d e f g h", "<script>alert(1)</script>"):
        answer = await carol.client.get("/health", headers={"x-request-id": bad})
        assert re.fullmatch(r"req_[0-9a-f]{20}", answer.headers["x-request-id"])


async def test_no_page_has_script_or_style_inside(alice: Visitor, carol: Visitor, application: Litestar) -> None:
    assert "unsafe" not in CONTENT_SECURITY_POLICY
    for person in (alice, carol):
        for path, methods in routes(application):
            if "GET" not in methods:
                continue
            answer = await person.client.get(path)
            if not answer.headers.get("content-type", "").startswith("text/html"):
                continue
            page = answer.text
            assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:|hx-on|js:", page), path
            for script in re.findall(r"<script[^>]*>[^<]*", page):
                assert re.fullmatch(r'<script src="/static/[^"]+"[^>]*>', script), (path, script)
            for address in re.findall(r'<(?:script|link|img)[^>]*(?:src|href)="([^"]*)"', page):
                assert address.startswith("/static/"), (path, address)


def test_no_template_has_script_or_style_inside() -> None:
    folder = Path(__file__).parent.parent.parent / "templates"
    for path in folder.rglob("*.html"):
        text = re.sub(r"\{#.*?#\}", "", path.read_text(), flags=re.DOTALL)
        assert not re.search(r"<style|\sstyle=|\son[a-z]+=\"|javascript:|hx-on|\|safe", text), path.name


async def test_a_note_that_was_changed_is_not_shown(alice: Visitor) -> None:
    answer = await alice.post("/account/sessions/revoke-others")
    note = answer.cookies["loci_flash"]
    forged = Signer(b"z" * 32, "flash").sign([["good", "Forged", {}]])
    other_purpose = Signer(SETTINGS.signing_key(), "passkey challenge").sign([["good", "Forged", {}]])
    for tampered in (forged, other_purpose, note[:-2], note + "x", "x" + note, "", "....", "\\377"):
        set_cookie(alice, "loci_flash", tampered)
        shown = await alice.get("/account")
        assert 'class="notice good"' not in shown.text, tampered
    set_cookie(alice, "loci_flash", note)
    assert "All other browsers are signed out." in text_of(await alice.get("/account"))


async def test_a_session_token_that_is_none_signs_nobody_in(carol: Visitor) -> None:
    for token in ("", "x", "loci_web_" + "0" * 38, "loci_pat_" + "0" * 38, "' OR 1=1 --", "\\303\\251" * 20):
        set_cookie(carol, "loci_session", token)
        await carol.get("/account", 303)


def test_every_code_has_a_status_with_a_title() -> None:
    from app.web.errors import _TITLES, STATUS

    assert set(STATUS) == set(ErrorCode)
    assert set(STATUS.values()) <= set(_TITLES)
