"""What no honest client sends: a clear refusal, never an unexpected failure, and nobody else waits."""

from __future__ import annotations

import asyncio

import pytest
from litestar import Litestar

from app.accounts import service as accounts
from app.core import clock, cursors, db
from app.core.settings import Settings, SettingsError
from app.decks import search
from app.domain.errors import InvalidInput, Unavailable
from app.domain.scopes import Scope
from tests.areas.deck_makers import make_card, make_deck
from tests.factories import make_account
from tests.web.conftest import Visitor, new_card, new_deck
from tests.web.sitting import sit_down

MARKS = "\u0301\u0316" * 60_000
LONG_NUMBER = "9" * 5000
SLOW = "SELECT pg_sleep({seconds}), $1::bigint, $2::text, $3::bigint, $4::bigint, $5::text"


@pytest.mark.parametrize("name", ["email", "password", "name", "zone"])
async def test_a_flood_of_combining_marks_costs_no_time(carol: Visitor, name: str) -> None:
    fields = {
        "email": "q@example.org",
        "password": "a good long password",
        "name": "",
        "zone": "UTC",
        name: "a" + MARKS,
    }
    answer = await carol.client.post("/sign-up", data=fields)
    assert answer.status_code in {303, 422}


async def test_numbers_of_any_length_are_refused(alice: Visitor) -> None:
    deck_id = await new_deck(alice)
    await new_card(alice, deck_id, "card")
    sitting = await sit_down(alice, deck_id)
    for path, fields in (
        (f"/decks/{deck_id}/cards", {"do": "delete", "card_id": LONG_NUMBER}),
        (f"{sitting.path}/keep", {"item": LONG_NUMBER, "rating": "3"}),
        (f"{sitting.path}/keep", {"item": sitting.item, "rating": LONG_NUMBER}),
        (f"{sitting.path}/answer", {"item": sitting.item, "choice": LONG_NUMBER}),
        (f"{sitting.path}/reveal", {"item": sitting.item, "elapsed_ms": LONG_NUMBER}),
        ("/study", {"deck": LONG_NUMBER, "minutes": LONG_NUMBER, "horizon_days": LONG_NUMBER}),
        ("/decks/new", {"title": "T", "collection_id": LONG_NUMBER}),
    ):
        answer = await alice.client.post(path, data=fields)
        assert answer.status_code < 500, path
    for path in (f"/keys/{2**63}/revoke", f"/account/sessions/{10**30}/revoke", f"/account/passkeys/{2**63}/remove"):
        assert (await alice.client.post(path)).status_code == 404, path
    for path in (f"/decks/{2**63}", f"/cards/{10**30}", f"/study/{10**30}"):
        assert (await alice.client.get(path)).status_code in {200, 404}, path


@pytest.mark.parametrize(
    "path",
    [
        "/activity?tool=%00",
        "/activity?client=%00",
        "/search?q=%00",
        "/decks?cursor=%00",
        "/static/%00",
        "/decks/%00",
        "/%00",
    ],
)
async def test_a_nul_is_no_address(alice: Visitor, path: str) -> None:
    assert (await alice.client.get(path)).status_code == 400


async def test_a_nul_in_a_form_is_dropped(alice: Visitor) -> None:
    deck_id = await new_deck(alice, "a\0b")
    assert await db.fetch_value("SELECT title FROM deck WHERE id = $1", deck_id) == "ab"
    assert (
        await alice.client.post("/keys", data={"name": "k\0", "scope": "decks:read", "form_id": "\0"})
    ).status_code < 500


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59"])
async def test_a_cursor_of_a_time_that_the_database_cannot_hold_is_refused(alice: Visitor, moment: str) -> None:
    for listing, name in (("trash-decks", "decks"), ("trash-cards", "cards")):
        answer = await alice.client.get("/trash", params={name: cursors.encode(listing, [moment, 1])})
        assert answer.status_code == 422


@pytest.mark.parametrize(
    ("charset", "body"),
    [
        ("no-such", b"x"),
        ("ascii", b"\xff"),
        ("utf-8", b"\xff\xfe"),
        ("utf-7", b"+2AA-"),
        ("unicode_escape", b"\\ud800"),
    ],
)
async def test_a_form_in_no_charset_is_refused(alice: Visitor, charset: str, body: bytes) -> None:
    deck_id = await new_deck(alice)
    part = (
        b'--b\r\ncontent-disposition: form-data; name="front"\r\ncontent-type: text/plain; charset=' + charset.encode()
    )
    answer = await alice.client.post(
        f"/decks/{deck_id}/cards/new",
        content=part + b"\r\n\r\n" + body + b"\r\n--b--\r\n",
        headers={"content-type": "multipart/form-data; boundary=b"},
    )
    assert answer.status_code in {400, 422}


async def test_deeply_nested_json_is_refused(carol: Visitor) -> None:
    await carol.client.post("/passkeys/sign-in/options")
    answer = await carol.client.post(
        "/passkeys/sign-in",
        content=b'{"credential":' + b"[" * 50_000 + b"]" * 50_000 + b"}",
        headers={"content-type": "application/json"},
    )
    assert answer.status_code in {400, 422}


@pytest.mark.parametrize("host", ["localhost:99999999", "[::1", "localhost:abc", "localhost:-1", "a b", "x" * 300, "é"])
async def test_a_host_that_is_none_is_refused(carol: Visitor, host: str) -> None:
    answer = await carol.client.get("/sign-in", headers={"host": host.encode()})
    assert answer.status_code == 400


async def test_a_long_or_slow_search_is_refused(alice: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    await new_card(alice, await new_deck(alice), "front")
    assert (await alice.client.get("/search", params={"q": "a" * 201})).status_code == 422
    monkeypatch.setattr(search, "_WALK_ACCOUNT", SLOW.format(seconds=20))
    monkeypatch.setattr(search, "_SEARCH_SECONDS", 0.05)
    savepoint = db.atomic()
    await savepoint.__aenter__()
    with pytest.raises(InvalidInput, match="too long"):
        await search.search_cards(1, "x")
    await savepoint.__aexit__(InvalidInput, InvalidInput(""), None)


async def test_searches_leave_connections_to_the_others(committed: None, monkeypatch: pytest.MonkeyPatch) -> None:
    alice = await make_account()
    deck_id, _ = await make_deck(alice.id)
    await make_card(alice.id, deck_id, "front")
    monkeypatch.setattr(search, "_WALK_ACCOUNT", SLOW.format(seconds=0.4))
    monkeypatch.setattr(search, "_SEARCH_SECONDS", 0.2)
    monkeypatch.setattr(search, "_WAIT_SECONDS", 0.3)
    many = [asyncio.create_task(search.search_cards(alice.id, "x")) for _ in range(40)]
    await asyncio.sleep(0)
    assert await db.fetch_value("SELECT 1") == 1
    refused = await asyncio.gather(*many, return_exceptions=True)
    assert {type(error) for error in refused} == {InvalidInput, Unavailable}


async def test_an_empty_key_file_is_refused(tmp_path) -> None:
    (tmp_path / "secret.key").write_bytes(b"")
    with pytest.raises(SettingsError, match="no key"):
        Settings(data_dir=tmp_path).signing_key()


async def test_one_guesser_does_not_shut_the_owner_out(application: Litestar, carol: Visitor) -> None:
    await make_account(now=clock.now())
    for _ in range(12):
        last = await carol.client.post("/sign-in", data={"email": "alice@example.org", "password": "a wrong password"})
    assert last.status_code == 429
    await accounts.sign_in(
        "alice@example.org", "correct horse battery staple", now=clock.now(), address="203.0.113.7", user_agent=""
    )


async def test_asking_for_many_links_neither_floods_nor_shuts_out(carol: Visitor) -> None:
    await make_account(now=clock.now())
    for _ in range(6):
        await carol.post("/password/forgotten", 200, email="alice@example.org")
    assert await db.fetch_value("SELECT count(*) FROM job") == 3


async def test_a_reset_can_shut_everybody_else_out(rollback: None) -> None:
    alice = await make_account(now=clock.now())
    await accounts.create_key(alice.id, "key", frozenset({Scope.DECKS_READ}), now=clock.now())
    for shut_out, left in ((False, 1), (True, 0)):
        mail = await accounts.issue_password_reset(alice.id, now=clock.now(), base_url="http://x")
        assert mail is not None
        token = mail.text.split("token=")[1].split()[0]
        await accounts.reset_password(token, "another long password", now=clock.now(), shut_others_out=shut_out)
        assert await db.fetch_value("SELECT count(*) FROM access_key WHERE revoked_at IS NULL") == left
