"""Access keys in the browser: created once however often the form is sent, shown once, revoked."""

from __future__ import annotations

import re

import httpx
import pytest

from app.accounts import queries
from app.core import clock, db
from app.domain.scopes import DEFAULT_SCOPES, Scope
from tests.factories import caller_of_key
from tests.web.conftest import Visitor, text_of
from tests.web.test_sign_in import value_of

TOKEN = re.compile(r"loci_pat_[0-9A-Za-z]{38}")


async def create(person: Visitor, status: int = 200, **fields: object) -> httpx.Response:
    form = await person.get("/keys")
    entered: dict[str, object] = {"form_id": value_of(form, "form_id"), "name": "script", "scope": ["decks:read"]}
    return await person.post("/keys", status, **{**entered, **fields})


def token_of(answer: httpx.Response) -> str:
    [token] = TOKEN.findall(answer.text)
    return token


async def test_a_key_is_shown_once_and_works_within_its_permissions(alice: Visitor) -> None:
    assert alice.account
    answer = await create(alice, scope=["decks:read", "stats:read"], lifetime="30")
    assert "It is not shown again" in text_of(answer)
    assert answer.headers["cache-control"] == "no-store"
    token = token_of(answer)
    caller = await caller_of_key(token, now=clock.now())
    assert caller is not None
    assert caller.account_id == alice.account.id
    assert caller.scopes == {Scope.DECKS_READ, Scope.STATS_READ}
    [key] = await queries.keys(alice.account.id)
    assert key.expires_at is not None
    assert (key.expires_at - key.created_at).days == 30
    later = await alice.get("/keys")
    assert not TOKEN.search(later.text)
    assert f"Ends in {token[-4:]}" in text_of(later)


async def test_the_form_sent_again_creates_nothing(alice: Visitor) -> None:
    assert alice.account
    form_id = value_of(await alice.get("/keys"), "form_id")
    first = await create(alice, form_id=form_id)
    token = token_of(first)
    for name in ("script", "another name"):
        again = await create(alice, 409, form_id=form_id, name=name)
        assert "This form was sent before" in text_of(again)
        assert not TOKEN.search(again.text)
        assert value_of(again, "name") == name
        assert value_of(again, "form_id") != form_id, "the form that is shown again could never be sent"
    assert len(await queries.keys(alice.account.id)) == 1
    stored = await db.fetch("SELECT answer FROM idempotency_key")
    assert all(token not in row["answer"] for row in stored)
    token_of(await create(alice, form_id=value_of(again, "form_id")))


async def test_a_refused_form_may_be_sent_again(alice: Visitor) -> None:
    form_id = value_of(await alice.get("/keys"), "form_id")
    await create(alice, 422, form_id=form_id, name="")
    token_of(await create(alice, form_id=form_id))


@pytest.mark.parametrize(
    ("fields", "said", "link"),
    [
        ({"name": ""}, "The name is missing.", "#f-name"),
        ({"name": "n" * 81}, "longer than 80 characters", "#f-name"),
        ({"scope": []}, "A key needs at least one scope.", "#f-scopes"),
        ({"scope": ["decks:own"]}, "There is no such scope.", ""),
        ({"lifetime": "0"}, "This is not one of the choices.", "#f-lifetime"),
        ({"form_id": ""}, "Send it again.", ""),
        ({"form_id": "x" * 65}, "Send it again.", ""),
    ],
)
async def test_a_refused_key_keeps_what_was_entered(
    alice: Visitor, fields: dict[str, object], said: str, link: str
) -> None:
    assert alice.account
    entered: dict[str, object] = {"name": "script", "scope": ["stats:read"], "lifetime": "90", **fields}
    answer = await create(alice, 422, **entered)
    assert said in text_of(answer)
    if link:
        assert f'href="{link}"' in answer.text
        assert f'id="{link[1:]}"' in answer.text, "the link leads nowhere"
    assert value_of(answer, "name") == entered["name"]
    ticked = re.findall(r'name="scope" value="([^"]+)" checked', answer.text)
    assert ticked == [scope for scope in entered["scope"] if scope in set(Scope)]  # type: ignore[union-attr]
    assert await queries.keys(alice.account.id) == ()


async def test_the_form_offers_every_permission_that_means_something(alice: Visitor) -> None:
    offered = re.findall(r'name="scope" value="([^"]+)"', (await alice.get("/keys")).text)
    assert set(offered) == DEFAULT_SCOPES


async def test_a_key_is_revoked_after_a_question(alice: Visitor, bob: Visitor) -> None:
    token = token_of(await create(alice, name="<b>script</b>"))
    [revoke] = re.findall(r'action="(/keys/\d+/revoke)"', (await alice.get("/keys")).text)
    question = await alice.post(revoke, 200)
    assert "Revoke this key? <b>script</b>" in text_of(question)
    assert "<b>script" not in question.text
    assert await caller_of_key(token, now=clock.now())
    for confirmed in ("", "1"):
        await bob.post(revoke, 404, confirmed=confirmed)
    shown = await alice.submit(revoke, confirmed="1")
    assert "The key is revoked." in text_of(shown)
    assert "revoked" in text_of(shown)
    assert revoke not in shown.text
    assert await caller_of_key(token, now=clock.now()) is None
    assert (await alice.get(revoke, 303)).headers["location"] == "/keys"
    await alice.post("/keys/999999999/revoke", 404, confirmed="1")


async def test_a_key_that_has_ended_says_so(alice: Visitor) -> None:
    await create(alice, lifetime="30")
    await db.execute("UPDATE access_key SET expires_at = created_at - interval '1 second'")
    assert "expired" in text_of(await alice.get("/keys"))
