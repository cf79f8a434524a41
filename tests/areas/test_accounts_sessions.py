"""Browser sessions: who is signed in, until when, and what ends it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from app.accounts import queries, service
from app.core import db
from app.core.tokens import new_token, token_hash
from app.domain.errors import NotFound
from tests.factories import NOW, make_account, make_key


async def test_a_token_is_stored_as_a_hash_and_leads_to_its_account(rollback: None) -> None:
    account = await make_account()
    token = await service.open_session(account.id, now=NOW, address="192.0.2.1", user_agent="Firefox")
    assert await db.fetch_value("SELECT token_hash FROM web_session") == token_hash(token)
    found = await queries.signed_in(token, now=NOW)
    assert found is not None
    assert found.account == account
    for other in ("", "nonsense", token[:-1], token + "0", new_token("loci_web_"), await make_key(account)):
        assert await queries.signed_in(other, now=NOW) is None


async def test_a_session_ends_when_it_is_idle_and_at_its_absolute_end(rollback: None) -> None:
    account = await make_account()
    token = await service.open_session(account.id, now=NOW, address="", user_agent="", session_days=30)
    day = timedelta(days=1)
    assert await queries.signed_in(token, now=NOW + 14 * day, idle_days=14) is None
    for days in (13, 26, 29.9):
        assert await queries.signed_in(token, now=NOW + days * day, idle_days=14) is not None
    assert await queries.signed_in(token, now=NOW + 30 * day, idle_days=14) is None


async def test_a_visit_is_noted_once_a_minute(rollback: None) -> None:
    account = await make_account()
    token = await service.open_session(account.id, now=NOW, address="", user_agent="")
    for seconds, seen_at in ((30, 0), (60, 0), (61, 61), (90, 61), (122, 122)):
        await queries.signed_in(token, now=NOW + timedelta(seconds=seconds))
        stored = await db.fetch_value("SELECT seen_at FROM web_session WHERE account_id = $1", account.id)
        assert stored == NOW + timedelta(seconds=seen_at)


async def test_sessions_are_listed_the_last_used_first_without_the_expired(rollback: None) -> None:
    account, bob = await make_account(), await make_account("bob@example.org")
    first = await service.open_session(account.id, now=NOW, address="192.0.2.1", user_agent="A\x00\nB" + "x" * 400)
    await service.open_session(account.id, now=NOW + timedelta(hours=1), address="2001:db8::1", user_agent="Second")
    await service.open_session(account.id, now=NOW - timedelta(days=15), address="", user_agent="Idle")
    await service.open_session(account.id, now=NOW, address="", user_agent="Short", session_days=0)
    await service.open_session(bob.id, now=NOW, address="", user_agent="Bob's")
    me = await queries.signed_in(first, now=NOW)
    assert me is not None
    listed = await queries.sessions(account.id, now=NOW, current_session_id=me.session_id)
    assert [(session.user_agent[:2], session.address, session.current) for session in listed] == [
        ("Se", "2001:db8::1", False),
        ("AB", "192.0.2.1", True),
    ]
    assert all(len(session.user_agent) <= 300 for session in listed)


async def test_a_session_ends_by_signing_out_or_by_its_owner_alone(rollback: None) -> None:
    alice, bob = await make_account(), await make_account("bob@example.org")
    tokens = [await service.open_session(alice.id, now=NOW, address="", user_agent="") for _ in range(4)]
    bobs = await service.open_session(bob.id, now=NOW, address="", user_agent="")
    found = [await queries.signed_in(token, now=NOW) for token in tokens]
    ids = [one.session_id for one in found if one]
    with pytest.raises(NotFound):
        await service.revoke_session(bob.id, ids[0])
    await service.revoke_session(alice.id, ids[0])
    with pytest.raises(NotFound):
        await service.revoke_session(alice.id, ids[0])
    await service.sign_out(tokens[1])
    await service.sign_out(tokens[1])
    await service.sign_out("nonsense")
    assert [await queries.signed_in(token, now=NOW) is not None for token in tokens] == [False, False, True, True]
    assert await service.revoke_other_sessions(alice.id, ids[2]) == 1
    assert [await queries.signed_in(token, now=NOW) is not None for token in tokens] == [False, False, True, False]
    assert await queries.signed_in(bobs, now=NOW) is not None


async def test_an_account_keeps_its_fifty_last_used_sessions(rollback: None) -> None:
    account = await make_account()
    tokens = [
        await service.open_session(account.id, now=NOW + timedelta(minutes=turn), address="", user_agent="")
        for turn in range(52)
    ]
    now = NOW + timedelta(hours=1)
    assert len(await queries.sessions(account.id, now=now, current_session_id=None)) == 50
    assert [await queries.signed_in(token, now=now) is not None for token in tokens[:3]] == [False, False, True]
