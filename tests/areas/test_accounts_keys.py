"""Access keys: created, used, expired and revoked."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from app.accounts import queries, service
from app.accounts.views import Caller
from app.core import db
from app.core.tokens import new_token, token_hash
from app.domain.errors import Conflict, InvalidInput, NotFound
from app.domain.plans import Plan
from app.domain.scopes import Scope
from tests.factories import NOW, caller_of_key, make_account, make_key

READ = frozenset({Scope.DECKS_READ})


async def test_a_key_is_shown_once_and_stored_as_a_hash(rollback: None) -> None:
    account = await make_account()
    key, token = await service.create_key(account.id, "  my laptop ", READ, now=NOW)
    assert (key.name, key.tail, key.scopes) == ("my laptop", token[-4:], READ)
    assert (key.created_at, key.used_at, key.expires_at, key.revoked_at) == (NOW, None, None, None)
    assert await queries.keys(account.id) == (key,)
    stored = await db.fetch_row("SELECT * FROM access_key")
    assert stored is not None
    assert stored["token_hash"] == token_hash(token)
    assert token not in "".join(str(value) for value in stored.values())


async def test_a_key_leads_to_the_client_and_its_account(rollback: None) -> None:
    account = await make_account(plan=Plan.PLUS)
    key, token = await service.create_key(account.id, "laptop", ["decks:read", "decks:write"], now=NOW)
    assert await caller_of_key(token, now=NOW) == Caller(
        account_id=account.id,
        email=account.email,
        plan=Plan.PLUS,
        zone="UTC",
        rollover_hour=4,
        language="en",
        single_keys=True,
        scopes=frozenset({Scope.DECKS_READ, Scope.DECKS_WRITE}),
        client_kind="key",
        client_id=key.id,
        client_name="laptop",
    )
    session = await service.open_session(account.id, now=NOW, address="", user_agent="")
    for other in ("", "nonsense", token[:-1], token + "0", token.swapcase(), new_token("loci_pat_"), session):
        assert await caller_of_key(other, now=NOW) is None


async def test_the_use_of_a_key_is_noted_once_a_minute(rollback: None) -> None:
    account = await make_account()
    _, token = await service.create_key(account.id, "laptop", READ, now=NOW)
    for seconds, used_at in ((5, 5), (65, 5), (66, 66)):
        await caller_of_key(token, now=NOW + timedelta(seconds=seconds))
        assert (await queries.keys(account.id))[0].used_at == NOW + timedelta(seconds=used_at)


async def test_a_key_ends_at_its_end_and_at_once_when_revoked(rollback: None) -> None:
    alice, bob = await make_account(), await make_account("bob@example.org")
    end = NOW + timedelta(days=30)
    key, token = await service.create_key(alice.id, "laptop", READ, now=NOW, expires_at=end)
    assert await caller_of_key(token, now=end - timedelta(seconds=1)) is not None
    assert await caller_of_key(token, now=end) is None
    with pytest.raises(NotFound):
        await service.revoke_key(bob.id, key.id, now=NOW)
    await service.revoke_key(alice.id, key.id, now=NOW)
    assert await caller_of_key(token, now=NOW) is None
    await service.revoke_key(alice.id, key.id, now=NOW + timedelta(days=1))
    assert (await queries.keys(alice.id))[0].revoked_at == NOW


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("name", {"name": ""}),
        ("name", {"name": "   "}),
        ("name", {"name": "x" * 81}),
        ("name", {"name": "a\x00b"}),
        ("scopes", {"scopes": []}),
        ("scopes", {"scopes": ["decks:read", "everything"]}),
        ("expires_at", {"expires_at": NOW}),
    ],
)
async def test_a_key_is_refused(rollback: None, field: str, change: dict[str, object]) -> None:
    account = await make_account()
    given: dict[str, object] = {"name": "laptop", "scopes": READ, "expires_at": None, **change}
    with pytest.raises(InvalidInput) as caught:
        await service.create_key(account.id, given["name"], given["scopes"], now=NOW, expires_at=given["expires_at"])
    assert caught.value.field == field
    assert await queries.keys(account.id) == ()


async def test_an_account_has_fifty_live_keys_at_most(rollback: None) -> None:
    account = await make_account()
    end = NOW + timedelta(days=1)
    first, _ = await service.create_key(account.id, "first", READ, now=NOW)
    await service.create_key(account.id, "ends", READ, now=NOW, expires_at=end)
    for _ in range(48):
        await make_key(account)
    with pytest.raises(Conflict, match="50"):
        await make_key(account)
    await service.create_key(account.id, "after the end", READ, now=end)
    with pytest.raises(Conflict):
        await make_key(account, now=end)
    await service.revoke_key(account.id, first.id, now=end)
    await make_key(account, now=end)
    listed = await queries.keys(account.id)
    assert (len(listed), listed[-1].name) == (52, "first")


async def test_keys_made_at_once_do_not_pass_the_limit(committed: None) -> None:
    account = await make_account()
    for _ in range(48):
        await make_key(account)
    outcomes = await asyncio.gather(*(make_key(account) for _ in range(6)), return_exceptions=True)
    assert sum(isinstance(outcome, str) for outcome in outcomes) == 2
    assert len(await queries.keys(account.id)) == 50


async def test_a_key_needs_an_account(rollback: None) -> None:
    with pytest.raises(NotFound):
        await service.create_key(1_000_000, "laptop", READ, now=NOW)
