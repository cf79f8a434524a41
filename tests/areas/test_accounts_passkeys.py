"""Passkeys, against an authenticator in software that signs for real."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.accounts import passkeys, queries, service
from app.accounts.ceremony import Ceremony, RelyingParty, living
from app.accounts.views import AccountView, PasskeyView
from app.core import db
from app.domain.errors import Conflict, InvalidInput, NotFound, RateLimited
from tests.areas.authenticator import (
    BACKED_UP,
    BACKUP_ELIGIBLE,
    USER_PRESENT,
    USER_VERIFIED,
    SoftwareAuthenticator,
    decoded,
    encoded,
)
from tests.factories import NOW, PASSWORD, make_account

PARTY = RelyingParty.of("https://loci.example.org")
LATER = NOW + timedelta(minutes=1)
SECOND = timedelta(seconds=1)


def device(**traits: Any) -> SoftwareAuthenticator:
    return SoftwareAuthenticator(PARTY.origin, **traits)


async def add(account: AccountView, held: SoftwareAuthenticator, name: str = "phone", **changes: Any) -> PasskeyView:
    begun = await passkeys.registration(account.id, PARTY, now=NOW)
    return await passkeys.register(
        account.id, name, held.create(begun.options, **changes), challenge=begun.challenge, party=PARTY, now=NOW
    )


async def sign_in(held: SoftwareAuthenticator, now: Any = LATER, **changes: Any) -> tuple[AccountView, str]:
    begun = passkeys.authentication(PARTY, now=now)
    return await answer(held.get(begun.options, **changes), begun, now)


async def answer(response: str, begun: Ceremony, now: Any = LATER) -> tuple[AccountView, str]:
    return await passkeys.sign_in(
        response, challenge=begun.challenge, party=PARTY, now=now, address="192.0.2.1", user_agent="test"
    )


async def test_a_passkey_is_added_and_signs_in_without_address_and_password(rollback: None) -> None:
    account = await make_account()
    held = device(flags=USER_PRESENT | USER_VERIFIED | BACKUP_ELIGIBLE | BACKED_UP)
    added = await add(account, held)
    assert (added.name, added.backed_up, added.created_at, added.used_at) == ("phone", True, NOW, None)
    who, token = await sign_in(held)
    assert who == account
    found = await queries.signed_in(token, now=LATER)
    assert found is not None
    assert found.account == account
    (listed,) = await queries.passkeys(account.id)
    assert (listed.id, listed.used_at) == (added.id, LATER)


async def test_the_options_ask_for_a_discoverable_credential_of_a_verified_person(rollback: None) -> None:
    account = await make_account()
    held = device()
    await add(account, held)
    begun = await passkeys.registration(account.id, PARTY, now=NOW)
    options = json.loads(begun.options)
    assert options["rp"] == {"name": "Loci", "id": "loci.example.org"}
    assert options["authenticatorSelection"] == {
        "residentKey": "required",
        "requireResidentKey": True,
        "userVerification": "required",
    }
    assert options["attestation"] == "none"
    assert [item["id"] for item in options["excludeCredentials"]] == [encoded(held.credential_id)]
    assert account.email.encode() not in decoded(options["user"]["id"])
    asked = json.loads(passkeys.authentication(PARTY, now=NOW).options)
    assert (asked["rpId"], asked["userVerification"], asked["allowCredentials"]) == ("loci.example.org", "required", [])


async def test_a_passkey_of_one_account_does_not_open_another(rollback: None) -> None:
    alice, bob = await make_account(), await make_account("bob@example.org")
    held, other = device(), device()
    await add(alice, held)
    await add(bob, other)
    assert (await sign_in(other))[0] == bob
    with pytest.raises(InvalidInput):
        await sign_in(held, user_handle=other.user_handle)
    with pytest.raises(InvalidInput):
        await sign_in(held, user_handle=b"")


@pytest.mark.parametrize(
    "changes",
    [
        {"origin": "https://evil.example.org"},
        {"origin": "http://loci.example.org"},
        {"rp_id": "example.org"},
        {"kind": "webauthn.get"},
        {"challenge": encoded(bytes(32))},
    ],
)
async def test_a_registration_made_for_something_else_is_refused(rollback: None, changes: dict[str, str]) -> None:
    account = await make_account()
    with pytest.raises(InvalidInput):
        await add(account, device(), **changes)
    assert await queries.passkeys(account.id) == ()


@pytest.mark.parametrize(
    "changes",
    [
        {"origin": "https://evil.example.org"},
        {"rp_id": "example.org"},
        {"kind": "webauthn.create"},
        {"challenge": encoded(bytes(32))},
    ],
)
async def test_an_answer_made_for_something_else_is_refused(rollback: None, changes: dict[str, str]) -> None:
    account, held = await make_account(), device()
    await add(account, held)
    with pytest.raises(InvalidInput):
        await sign_in(held, **changes)
    assert await queries.sessions(account.id, now=LATER, current_session_id=None) == ()


async def test_who_was_not_verified_by_the_device_is_refused(rollback: None) -> None:
    account = await make_account()
    with pytest.raises(InvalidInput):
        await add(account, device(flags=USER_PRESENT))
    held = device()
    await add(account, held)
    for flags in (USER_PRESENT, USER_VERIFIED):
        held.flags = flags
        with pytest.raises(InvalidInput):
            await sign_in(held)


async def test_a_signature_of_another_key_is_refused(rollback: None) -> None:
    account, held = await make_account(), device()
    await add(account, held)
    thief = device(credential_id=held.credential_id, user_handle=held.user_handle)
    with pytest.raises(InvalidInput):
        await sign_in(thief)
    with pytest.raises(InvalidInput, match="not known"):
        await sign_in(device(user_handle=held.user_handle))


async def test_a_counter_that_does_not_move_forward_is_refused(rollback: None) -> None:
    account, held = await make_account(), device()
    await add(account, held)
    held.sign_count = 40
    await sign_in(held)
    for stale in (39, 40 - 1, 5):
        held.sign_count = stale
        with pytest.raises(InvalidInput):
            await sign_in(held, LATER + SECOND)
    held.sign_count = 41
    await sign_in(held, LATER + SECOND)


async def test_a_synced_passkey_without_counter_signs_in_again_and_again(rollback: None) -> None:
    account, held = await make_account(), device(counts=False)
    await add(account, held)
    for turn in range(3):
        await sign_in(held, LATER + turn * SECOND)


async def test_an_answer_works_once_even_without_a_counter(rollback: None) -> None:
    account, held = await make_account(), device(counts=False)
    await add(account, held)
    begun = passkeys.authentication(PARTY, now=LATER)
    response = held.get(begun.options)
    await answer(response, begun, LATER + SECOND)
    for now in (LATER + SECOND, LATER + 2 * SECOND):
        with pytest.raises(InvalidInput):
            await answer(response, begun, now)


async def test_of_two_uses_of_one_answer_at_once_one_works(committed: None) -> None:
    account, held = await make_account(), device(counts=False)
    await add(account, held)
    begun = passkeys.authentication(PARTY, now=LATER)
    response = held.get(begun.options)
    outcomes = await asyncio.gather(
        *(answer(response, begun, LATER + SECOND) for _ in range(3)), return_exceptions=True
    )
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["InvalidInput", "InvalidInput", "tuple"]
    assert len(await queries.sessions(account.id, now=LATER, current_session_id=None)) == 1


async def test_a_challenge_is_good_for_five_minutes_and_not_before_its_time(rollback: None) -> None:
    account, held = await make_account(), device()
    await add(account, held)
    begun = passkeys.authentication(PARTY, now=LATER)
    for now in (LATER + timedelta(minutes=5, seconds=1), LATER - SECOND):
        with pytest.raises(InvalidInput):
            await answer(held.get(begun.options), begun, now)
    await answer(held.get(begun.options), begun, LATER + timedelta(minutes=5))


@given(st.text(max_size=60))
def test_a_challenge_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        living(text, NOW)


async def test_a_passkey_is_added_once_and_twenty_at_most(rollback: None) -> None:
    alice, bob = await make_account(), await make_account("bob@example.org")
    held = device()
    await add(alice, held)
    for account in (alice, bob):
        with pytest.raises(Conflict, match="before"):
            await add(account, held)
    for _ in range(19):
        await add(alice, device(), name="")
    with pytest.raises(Conflict, match="20"):
        await add(alice, device())
    listed = await queries.passkeys(alice.id)
    assert [item.name for item in listed] == ["phone", *["Passkey"] * 19]
    assert await queries.passkeys(bob.id) == ()


async def test_a_passkey_is_renamed_and_removed_by_its_owner(rollback: None) -> None:
    alice, bob = await make_account(), await make_account("bob@example.org")
    held = device()
    added = await add(alice, held)
    for owner_fails in (passkeys.rename_passkey(bob.id, added.id, "mine"), passkeys.remove_passkey(bob.id, added.id)):
        with pytest.raises(NotFound):
            await owner_fails
    for name in ("", "x" * 81):
        with pytest.raises(InvalidInput):
            await passkeys.rename_passkey(alice.id, added.id, name)
    await passkeys.rename_passkey(alice.id, added.id, " key ring ")
    assert [item.name for item in await queries.passkeys(alice.id)] == ["key ring"]
    await passkeys.remove_passkey(alice.id, added.id)
    assert await queries.passkeys(alice.id) == ()
    with pytest.raises(InvalidInput, match="not known"):
        await sign_in(held)


async def test_the_last_way_into_an_account_is_not_removed(rollback: None) -> None:
    account, held = await make_account(), device()
    first = await add(account, held)
    await service.remove_password(account.id, PASSWORD, now=NOW)
    assert not (await queries.account(account.id)).has_password
    with pytest.raises(Conflict, match="only way"):
        await passkeys.remove_passkey(account.id, first.id)
    assert (await sign_in(held))[0].id == account.id
    second = await add(account, device())
    await passkeys.remove_passkey(account.id, first.id)
    with pytest.raises(Conflict):
        await passkeys.remove_passkey(account.id, second.id)


async def test_two_passkeys_removed_at_once_leave_one_way_in(committed: None) -> None:
    account = await make_account()
    added = [await add(account, device()) for _ in range(2)]
    await service.remove_password(account.id, PASSWORD, now=NOW)
    outcomes = await asyncio.gather(
        *(passkeys.remove_passkey(account.id, item.id) for item in added), return_exceptions=True
    )
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["Conflict", "NoneType"]
    assert len(await queries.passkeys(account.id)) == 1


async def test_an_account_without_password_is_deleted_with_a_passkey_of_its_own(rollback: None) -> None:
    alice, bob = await make_account(), await make_account("bob@example.org")
    held, other = device(), device()
    await add(alice, held)
    await add(bob, other)
    begun = passkeys.authentication(PARTY, now=LATER)
    with pytest.raises(InvalidInput):
        await passkeys.delete_account(
            alice.id, other.get(begun.options), challenge=begun.challenge, party=PARTY, now=LATER
        )
    assert (await queries.passkeys(bob.id))[0].used_at is None
    await passkeys.delete_account(alice.id, held.get(begun.options), challenge=begun.challenge, party=PARTY, now=LATER)
    with pytest.raises(NotFound):
        await queries.account(alice.id)
    assert await queries.account(bob.id) == bob
    assert await db.fetch_value("SELECT count(*) FROM passkey") == 1


async def test_answering_is_throttled_by_address(rollback: None) -> None:
    begun = passkeys.authentication(PARTY, now=LATER)
    for _ in range(30):
        with pytest.raises(InvalidInput):
            await answer("{}", begun)
    with pytest.raises(RateLimited):
        await answer("{}", begun)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
async def test_a_mangled_answer_is_invalid_input_and_nothing_else(rollback: None, data: st.DataObject) -> None:
    account = await queries.account_by_email("alice@example.org") or await make_account()
    held = device()
    begun = await passkeys.registration(account.id, PARTY, now=NOW)
    response = json.loads(held.create(begun.options))
    part = data.draw(st.sampled_from(["clientDataJSON", "attestationObject"]))
    raw = bytearray(decoded(response["response"][part]))
    place = data.draw(st.integers(0, len(raw) - 1))
    if data.draw(st.booleans()):
        raw[place] ^= data.draw(st.integers(1, 255))
    else:
        del raw[place:]
    response["response"][part] = encoded(bytes(raw))
    try:
        await passkeys.register(account.id, "x", json.dumps(response), challenge=begun.challenge, party=PARTY, now=NOW)
    except (InvalidInput, Conflict):
        return
    # A bit of the credential id, the model's id or the counter is the device's own affair.
    assert part == "attestationObject" or json.loads(raw)["challenge"] == begun.challenge


@pytest.mark.parametrize("response", ["", "null", "[]", "{}", '{"id": 1}', '"x"', "[" * 60_000, "x" * 70_000, "\ud800"])
async def test_an_answer_that_is_no_credential_is_invalid_input(rollback: None, response: str) -> None:
    account = await make_account()
    begun = await passkeys.registration(account.id, PARTY, now=NOW)
    with pytest.raises(InvalidInput):
        await passkeys.register(account.id, "x", response, challenge=begun.challenge, party=PARTY, now=NOW)
    with pytest.raises(InvalidInput):
        await answer(response, passkeys.authentication(PARTY, now=LATER))


@pytest.mark.parametrize(
    ("base_url", "party", "usable"),
    [
        ("https://loci.example.org", RelyingParty("loci.example.org", "https://loci.example.org"), True),
        ("https://loci.example.org:443", RelyingParty("loci.example.org", "https://loci.example.org"), True),
        ("https://loci.example.org:8443/x", RelyingParty("loci.example.org", "https://loci.example.org:8443"), True),
        ("http://localhost:8000", RelyingParty("localhost", "http://localhost:8000"), True),
        ("http://loci.example.org", RelyingParty("loci.example.org", "http://loci.example.org"), False),
        ("http://127.0.0.1:8000", RelyingParty("127.0.0.1", "http://127.0.0.1:8000"), False),
        ("http://[::1]:8000", RelyingParty("::1", "http://[::1]:8000"), False),
    ],
)
def test_the_relying_party_follows_from_the_public_address(base_url: str, party: RelyingParty, usable: bool) -> None:
    assert RelyingParty.of(base_url) == party
    assert party.is_usable is usable
