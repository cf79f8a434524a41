"""Who reaches what, for every page there is: found by the application's own list of routes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from litestar import Litestar
from litestar.routes import HTTPRoute

from app.accounts import service as accounts
from app.core import clock, db
from app.domain.scopes import Scope
from tests.areas.importing import upload
from tests.web.conftest import Visitor, new_card, new_deck, signed_in, text_of
from tests.web.sitting import sit_down
from tests.web.test_notes_pages import new_note

# Pages that anybody may see, and endpoints that are no pages.
PUBLIC = {
    "/",
    "/health",
    "/sign-in",
    "/sign-up",
    "/sign-out",
    "/password/forgotten",
    "/password/reset",
    "/passkeys/sign-in",
    "/passkeys/sign-in/options",
    "/authorize",
    "/connect",
    "/connect/claude",
    "/connect/claude-code",
    "/connect/chatgpt",
    "/connect/vscode",
    "/connect/cursor",
    "/connect/other",
    "/developers",
}
NOT_PAGES = ("/static", "/mcp", "/.well-known", "/token", "/register", "/revoke", "/webhooks")
MISSING = 987_654_321
OWNED = (
    "account", "collection", "deck", "card", "card_schedule", "review", "access_key", "web_session", "passkey",
    "oauth_connection", "study_settings", "deck_settings", "study_session", "study_item",
    "note", "note_version", "note_card", "media", "card_media", "import_job", "import_piece", "card_origin",
)  # fmt: skip


def routes(application: Litestar) -> Iterator[tuple[str, str]]:
    """Method and path of every page."""
    for route in application.routes:
        path = re.sub(r":int}", "}", route.path)
        if isinstance(route, HTTPRoute) and not path.startswith(NOT_PAGES):
            for method in sorted(set(route.methods) - {"OPTIONS", "HEAD"}):
                yield method, path


async def rows() -> list[object]:
    """Everything that a page could change of Alice's."""
    counted: list[object] = []
    for table in OWNED:
        found = await db.fetch(f"SELECT * FROM {table} ORDER BY 1, 2")  # noqa: S608 - names of this list
        counted += [{k: v for k, v in row.items() if k != "seen_at"} for row in found]
    return counted


FORM = {
    "confirmed": "1",
    "do": "delete",
    "title": "changed",
    "front": "changed",
    "back": "changed",
    "version": "1",
    "rating": "3",
    "rep": "0",
    "flag": "1",
    "path": "changed",
    "body": "changed",
    "folder": "secret",
    "to": "changed",
    "deck": "1",
}


async def test_every_page_but_the_public_ones_asks_who_you_are(application: Litestar, carol: Visitor) -> None:
    seen = 0
    for method, path in routes(application):
        if path in PUBLIC:
            continue
        seen += 1
        concrete = re.sub(r"{\w+(:\w+)?}", "1", path)
        answer = await carol.client.request(method, concrete, data=FORM if method == "POST" else None)
        assert answer.status_code == 303, (method, path, answer.status_code)
        target = answer.headers["location"]
        if method == "GET" and not target.startswith("/sign-in"):
            # The address of a posted form, opened by itself, leads to the page that the form stands on.
            answer = await carol.client.get(target)
            assert answer.headers["location"].startswith("/sign-in"), (method, path)
        elif method == "GET":
            assert target == "/sign-in?next=" + concrete.replace("/", "%2F")
        else:
            assert target == "/sign-in", (method, path)
    assert seen > 30


async def new_connection(account_id: int) -> int:
    """The id of a client's connection to the account."""
    client = await db.fetch_value(
        "INSERT INTO oauth_client (client_id, kind, name, redirect_uris, auth_method, created_at) "
        "VALUES ('x', 'registered', 'the secret of Alice', '{https://app.example/cb}', 'none', now()) RETURNING id"
    )
    return int(
        await db.fetch_value(
            "INSERT INTO oauth_connection (account_id, client, client_name, redirect_host, scopes, created_at, "
            "agreed_at) VALUES ($1, $2, 'the secret of Alice', 'app.example', '{decks:read}', now(), now()) "
            "RETURNING id",
            account_id,
            client,
        )
    )


async def test_another_persons_rows_are_like_missing_ones(application: Litestar, alice: Visitor, bob: Visitor) -> None:
    assert alice.account is not None
    deck_id = await new_deck(alice)
    card_id = await new_card(alice, deck_id, "the secret of Alice")
    await alice.post("/collections", title="Shelf")
    key, _ = await accounts.create_key(alice.account.id, "key", frozenset({Scope.DECKS_READ}), now=clock.now())
    await signed_in(application, alice.account)
    sitting = await sit_down(alice, deck_id)
    ids = {
        "deck_id": deck_id,
        "card_id": card_id,
        "collection_id": await db.fetch_value("SELECT id FROM collection"),
        "key_id": key.id,
        "session_id": await db.fetch_value("SELECT max(id) FROM web_session WHERE account_id = $1", alice.account.id),
        "passkey_id": 1,
        "connection_id": await new_connection(alice.account.id),
        "note_id": await new_note(alice, "secret/of Alice", "the secret of Alice"),
        "version": 1,
        "import_id": await upload(alice.account.id, "secret.csv", "front,back\nthe secret,x\n", now=clock.now()),
    }
    before = await rows()
    compared = 0
    for method, path in routes(application):
        names = re.findall(r"{(\w+)}", path)
        if not names:
            continue
        compared += 1
        of_alice = path.format(**ids | ({"session_id": sitting.id} if path.startswith("/study/") else {}))
        missing = path.format(**dict.fromkeys(names, MISSING))
        named = {"card": str(card_id), "card_id": str(card_id), "item": sitting.item}
        form = {**FORM, **named} if method == "POST" else None
        bob.forget_notes()
        first = await bob.client.request(method, of_alice, data=form)
        bob.forget_notes()
        second = await bob.client.request(method, missing, data=form)
        assert first.status_code == second.status_code, (method, path)
        assert first.status_code in {404, 303}, (method, path)
        assert text_of(first).replace(of_alice, missing) == text_of(second), (method, path)
        assert "secret" not in first.text
    assert compared > 20
    assert await rows() == before


async def test_ids_in_forms_are_checked_like_those_in_addresses(alice: Visitor, bob: Visitor) -> None:
    of_alice = await new_deck(alice)
    card_id = await new_card(alice, of_alice, "the secret of Alice")
    of_bob = await new_deck(bob)
    mine = await new_card(bob, of_bob, "mine")
    of_alices, of_bobs = await sit_down(alice, of_alice), await sit_down(bob, of_bob)
    before = await rows()
    for fields in (
        {"do": "delete", "confirmed": "1", "card_id": card_id},
        {"do": "tag", "tag": "x", "card_id": card_id},
        {"do": "move", "to": of_bob, "card_id": card_id},
    ):
        page = await bob.submit(f"/decks/{of_bob}/cards", **fields)
        assert "secret" not in page.text
    await bob.post(f"/decks/{of_bob}/cards", 404, do="move", to=of_alice, card_id=mine)
    for step in ("reveal", "keep", "suspend", "bury"):
        page = await bob.post(f"{of_bobs.path}/{step}", 200, item=of_alices.item, rating=3)
        assert "no such question" in text_of(page)
        assert "secret" not in page.text
    await bob.submit("/trash/cards", do="restore", card_id=card_id)
    await bob.submit(f"/decks/{of_bob}/cards/restore", card_id=card_id)
    assert await rows() == before


async def test_another_site_cannot_post_in_a_persons_name(application: Litestar, alice: Visitor) -> None:
    deck_id = await new_deck(alice)
    before = await rows()
    tried = 0
    for method, path in routes(application):
        if method != "POST":
            continue
        concrete = re.sub(r"{\w+}", str(deck_id), path)
        for headers in (
            {"sec-fetch-site": "cross-site"},
            {"sec-fetch-site": "same-site"},
            {"sec-fetch-site": "", "origin": "https://evil.example"},
            {"sec-fetch-site": "", "origin": "null"},
        ):
            sent = {name: value for name, value in headers.items() if value}
            alice.client.headers.pop("sec-fetch-site", None)
            answer = await alice.client.post(concrete, data=FORM, headers=sent)
            assert answer.status_code == 403, (path, headers)
            tried += 1
    assert tried > 80
    assert await rows() == before
