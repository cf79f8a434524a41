"""Passkeys (WebAuthn): the ceremonies, and the commands that end in them.

Credentials are discoverable and the person is verified by the authenticator (PIN, finger, face), so a passkey signs in
without e-mail and password. The caller keeps the challenge between the two halves of a ceremony, in a signed cookie.
"""

from __future__ import annotations

from datetime import datetime

from asyncpg import Record
from webauthn import (
    generate_authentication_options,
    generate_registration_options,
    options_to_json,
    verify_authentication_response,
    verify_registration_response,
)
from webauthn.helpers import parse_authentication_credential_json
from webauthn.helpers.structs import (
    AuthenticationCredential,
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from app.accounts import throttle
from app.accounts.ceremony import Ceremony, RelyingParty, as_text, checked, living, made_at, new_challenge, refused
from app.accounts.fields import clean_name
from app.accounts.queries import PASSKEY_COLUMNS, account, passkey_view
from app.accounts.sessions import SESSION_DAYS, open_session
from app.accounts.views import AccountView, PasskeyView
from app.core.db import atomic, changed_rows, execute, fetch, fetch_row, fetch_value
from app.domain.errors import N_, Conflict, InvalidInput, NotFound

PASSKEYS = 20
_CREDENTIAL_ID_BYTES = 1023  # WebAuthn level 3, 4: the longest credential id
_USER_HANDLE_BYTES = 8


async def registration(account_id: int, party: RelyingParty, *, now: datetime) -> Ceremony:
    """Begin to add a passkey to the account."""
    person = await account(account_id)
    held = await fetch("SELECT credential_id FROM passkey WHERE account_id = $1 ORDER BY id", account_id)
    challenge = new_challenge(now)
    options = generate_registration_options(
        rp_id=party.id,
        rp_name="Loci",
        user_id=_user_handle(account_id),
        user_name=person.email,
        user_display_name=person.name or person.email,
        challenge=challenge,
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.REQUIRED, user_verification=UserVerificationRequirement.REQUIRED
        ),
        exclude_credentials=[PublicKeyCredentialDescriptor(id=row["credential_id"]) for row in held],
    )
    return Ceremony(options_to_json(options), as_text(challenge))


async def register(
    account_id: int, name: str, response: str, *, challenge: str, party: RelyingParty, now: datetime
) -> PasskeyView:
    """Add the passkey of the browser's answer (JSON) to the account.

    Raises `InvalidInput` for an answer that does not verify, `Conflict` for a passkey that is known already or one too
    many.
    """
    name = clean_name(name) or N_("Passkey")
    expected = living(challenge, now)
    verified = checked(
        response,
        lambda: verify_registration_response(
            credential=response,
            expected_challenge=expected,
            expected_rp_id=party.id,
            expected_origin=party.origin,
            require_user_verification=True,
        ),
    )
    if len(verified.credential_id) > _CREDENTIAL_ID_BYTES:
        raise refused()
    async with atomic():
        await _lock(account_id)
        count = await fetch_value("SELECT count(*) FROM passkey WHERE account_id = $1", account_id)
        if count >= PASSKEYS:
            raise Conflict(
                N_("This account has %(limit)s passkeys, which is as many as it may have."),
                N_("Remove one that is no longer used."),
                limit=PASSKEYS,
            )
        row = await fetch_row(
            "INSERT INTO passkey (account_id, credential_id, public_key, sign_count, name, backed_up, created_at) "  # noqa: S608 - constants
            "VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (credential_id) DO NOTHING "
            f"RETURNING {PASSKEY_COLUMNS}",
            account_id,
            verified.credential_id,
            verified.credential_public_key,
            verified.sign_count,
            name,
            verified.credential_backed_up,
            now,
        )
    if row is None:
        raise Conflict(N_("This passkey was added before."), N_("Use another device, or leave it as it is."))
    return passkey_view(row)


def authentication(party: RelyingParty, *, now: datetime) -> Ceremony:
    """Begin to sign in, or to confirm, with whatever passkey the person has here."""
    challenge = new_challenge(now)
    options = generate_authentication_options(
        rp_id=party.id, challenge=challenge, user_verification=UserVerificationRequirement.REQUIRED
    )
    return Ceremony(options_to_json(options), as_text(challenge))


async def sign_in(
    response: str,
    *,
    challenge: str,
    party: RelyingParty,
    now: datetime,
    address: str,
    user_agent: str,
    session_days: int = SESSION_DAYS,
) -> tuple[AccountView, str]:
    """Open a session with the browser's answer (JSON): the account and the browser's new token.

    Raises `InvalidInput` for an answer that does not verify, an unknown passkey, an answer played twice or a counter
    that did not move; `RateLimited`.
    """
    await throttle.check_address(address)
    async with atomic():
        account_id = await _authenticate(response, challenge, party, now)
        token = await open_session(
            account_id, now=now, address=address, user_agent=user_agent, session_days=session_days
        )
        return await account(account_id), token


async def delete_account(account_id: int, response: str, *, challenge: str, party: RelyingParty, now: datetime) -> None:
    """Erase the account and everything in it, for good, confirmed by one of its passkeys. Raises as `sign_in`."""
    await throttle.check_confirmation(account_id)
    async with atomic():
        await _lock(account_id)
        if await _authenticate(response, challenge, party, now) != account_id:
            raise refused()
        await execute("DELETE FROM account WHERE id = $1", account_id)


async def rename_passkey(account_id: int, passkey_id: int, name: str) -> None:
    """Give a passkey another name. Raises `NotFound`."""
    name = clean_name(name, required=True)
    tag = await execute("UPDATE passkey SET name = $3 WHERE account_id = $1 AND id = $2", account_id, passkey_id, name)
    if not changed_rows(tag):
        raise NotFound(N_("There is no such passkey."))


async def remove_passkey(account_id: int, passkey_id: int) -> None:
    """Remove a passkey. Raises `NotFound`, and `Conflict` for the last way into an account without password."""
    async with atomic():
        has_password = await _lock(account_id)
        tag = await execute("DELETE FROM passkey WHERE account_id = $1 AND id = $2", account_id, passkey_id)
        if not changed_rows(tag):
            raise NotFound(N_("There is no such passkey."))
        left = await fetch_value("SELECT count(*) FROM passkey WHERE account_id = $1", account_id)
        if not has_password and not left:
            raise Conflict(
                N_("This passkey is the only way into the account."), N_("Choose a password or add a passkey first.")
            )


async def _authenticate(text: str, challenge: str, party: RelyingParty, now: datetime) -> int:
    """The account whose passkey gave the answer; its counter and last use are noted. Call inside a unit of work."""
    expected = living(challenge, now)
    credential = checked(text, lambda: parse_authentication_credential_json(text))
    row = await fetch_row(
        "SELECT account_id, id, public_key, sign_count, used_at FROM passkey WHERE credential_id = $1 FOR UPDATE",
        credential.raw_id,
    )
    if row is None:
        raise InvalidInput(N_("This passkey is not known here."), N_("It may have been removed; sign in another way."))
    if row["used_at"] is not None and made_at(expected) <= row["used_at"]:
        raise refused()
    await _note_use(row, credential, expected, party, now)
    return row["account_id"]


async def _note_use(
    row: Record, credential: AuthenticationCredential, expected: bytes, party: RelyingParty, now: datetime
) -> None:
    verified = checked(
        "",
        lambda: verify_authentication_response(
            credential=credential,
            expected_challenge=expected,
            expected_rp_id=party.id,
            expected_origin=party.origin,
            credential_public_key=row["public_key"],
            credential_current_sign_count=row["sign_count"],
            require_user_verification=True,
        ),
    )
    if credential.response.user_handle != _user_handle(row["account_id"]):
        raise refused()
    await execute(
        "UPDATE passkey SET sign_count = $3, backed_up = $4, used_at = $5 WHERE account_id = $1 AND id = $2",
        row["account_id"],
        row["id"],
        verified.new_sign_count,
        verified.credential_backed_up,
        now,
    )


async def _lock(account_id: int) -> bool:
    """Take the account's row, so that ways in are counted one command at a time; whether it has a password."""
    row = await fetch_row(
        "SELECT password_hash IS NOT NULL AS has_password FROM account WHERE id = $1 FOR NO KEY UPDATE", account_id
    )
    if row is None:
        raise NotFound(N_("There is no such account."))
    return row["has_password"]


def _user_handle(account_id: int) -> bytes:
    """What an authenticator keeps of the account: its number, nothing personal."""
    return account_id.to_bytes(_USER_HANDLE_BYTES, "big")
