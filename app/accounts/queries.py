"""Reads of the accounts area. A token names its row by hash; everything else is found through its account."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal

from asyncpg import Record

from app.accounts.fields import clean_email, email_key
from app.accounts.views import AccountView, Admission, Caller, KeyView, PasskeyView, SessionView, SignedIn
from app.core.db import execute, fetch, fetch_row
from app.core.ratelimit import Take, taking
from app.core.tokens import ACCESS_KEY, WEB_SESSION, is_well_formed, token_hash
from app.domain.errors import N_, InvalidInput, NotFound
from app.domain.plans import Plan
from app.domain.scopes import Scope

SESSION_IDLE_DAYS = 14
_TOUCH_EVERY = timedelta(minutes=1)
_KEYS_LISTED = 200
ACCOUNT_COLUMNS = (
    "account.id, account.email, account.name, account.plan, account.zone, account.rollover_hour, account.language, "
    "account.theme, account.single_keys, account.password_hash IS NOT NULL AS has_password, account.created_at"
)


async def account(account_id: int) -> AccountView:
    """The account, or `NotFound`."""
    row = await fetch_row(f"SELECT {ACCOUNT_COLUMNS} FROM account WHERE id = $1", account_id)  # noqa: S608 - constants
    if row is None:
        raise NotFound(N_("There is no such account."))
    return account_view(row)


async def account_by_email(email: str) -> AccountView | None:
    """The account of an e-mail address in whatever letter case, or None."""
    try:
        key = email_key(clean_email(email))
    except InvalidInput:
        return None
    row = await fetch_row(f"SELECT {ACCOUNT_COLUMNS} FROM account WHERE email_key = $1", key)  # noqa: S608 - constants
    return account_view(row) if row else None


_SIGNED_IN = f"""
SELECT session.id AS session_id, session.seen_at, {ACCOUNT_COLUMNS}
  FROM web_session AS session JOIN account ON account.id = session.account_id
 WHERE session.token_hash = $1 AND session.expires_at > $2 AND session.seen_at > $3
"""  # noqa: S608 - constants


async def signed_in(token: str, *, now: datetime, idle_days: int = SESSION_IDLE_DAYS) -> SignedIn | None:
    """Who is behind a browser's token; None when it is unknown, expired or was not used for `idle_days`.

    One query; once a minute a second one that notes the visit.
    """
    if not is_well_formed(token, WEB_SESSION):
        return None
    row = await fetch_row(_SIGNED_IN, token_hash(token), now, now - timedelta(days=idle_days))
    if row is None:
        return None
    found = SignedIn(account_view(row), row["session_id"])
    if row["seen_at"] < now - _TOUCH_EVERY:
        await execute(
            "UPDATE web_session SET seen_at = $3 WHERE account_id = $1 AND id = $2 AND seen_at < $3",
            found.account.id,
            found.session_id,
            now,
        )
    return found


CALLER_COLUMNS = (
    "account.id AS account_id, account.email, account.plan, account.zone, account.rollover_hour, account.language, "
    "account.single_keys, account.id::text AS bucket, account.plan AS tier"
)
"""What `caller` and the rate of calls need of the account behind a token."""

_CALLER = f"""
SELECT {CALLER_COLUMNS},
       access_key.id AS client_id, access_key.name AS client_name, access_key.scopes, access_key.used_at
  FROM access_key JOIN account ON account.id = access_key.account_id
 WHERE access_key.token_hash = $1 AND access_key.revoked_at IS NULL
   AND (access_key.expires_at IS NULL OR access_key.expires_at > $2)
"""  # noqa: S608 - constants
_ADMIT = taking(_CALLER, 3)


async def admit_key(token: str, take: Take, *, now: datetime) -> Admission | None:
    """The client behind an access key, and one call taken from its account's bucket at the rate of its plan.

    None when the key is unknown, revoked or expired. One query, none for a mistyped key; once a minute a second one
    that notes the use.
    """
    if not is_well_formed(token, ACCESS_KEY):
        return None
    row = await fetch_row(_ADMIT, token_hash(token), now, *take.values)
    if row is None:
        return None
    if row["used_at"] is None or row["used_at"] < now - _TOUCH_EVERY:
        await execute(
            "UPDATE access_key SET used_at = $3 WHERE account_id = $1 AND id = $2 "
            "AND (used_at IS NULL OR used_at < $3)",
            row["account_id"],
            row["client_id"],
            now,
        )
    return Admission(caller(row, "key"), row["seconds_to_wait"])


def caller(row: Record, kind: Literal["key", "oauth"], *, asks_in_band: bool = False) -> Caller:
    """From a row with `CALLER_COLUMNS` and the client's `client_id`, `client_name` and `scopes`."""
    return Caller(
        account_id=row["account_id"],
        email=row["email"],
        plan=Plan(row["plan"]),
        zone=row["zone"],
        rollover_hour=row["rollover_hour"],
        language=row["language"],
        single_keys=row["single_keys"],
        scopes=_scopes(row["scopes"]),
        client_kind=kind,
        client_id=row["client_id"],
        client_name=row["client_name"],
        asks_in_band=asks_in_band,
    )


async def sessions(
    account_id: int, *, now: datetime, current_session_id: int | None, idle_days: int = SESSION_IDLE_DAYS
) -> tuple[SessionView, ...]:
    """The browsers that are signed in now, the last used first."""
    rows = await fetch(
        "SELECT id, created_at, seen_at, expires_at, user_agent, address FROM web_session "
        "WHERE account_id = $1 AND expires_at > $2 AND seen_at > $3 ORDER BY seen_at DESC, id DESC",
        account_id,
        now,
        now - timedelta(days=idle_days),
    )
    return tuple(
        SessionView(
            id=row["id"],
            created_at=row["created_at"],
            seen_at=row["seen_at"],
            expires_at=row["expires_at"],
            user_agent=row["user_agent"],
            address=row["address"],
            current=row["id"] == current_session_id,
        )
        for row in rows
    )


async def keys(account_id: int) -> tuple[KeyView, ...]:
    """The access keys, live ones first, then the newest; of the revoked only the latest."""
    rows = await fetch(
        f"SELECT {KEY_COLUMNS} FROM access_key WHERE account_id = $1 "  # noqa: S608 - constants
        f"ORDER BY revoked_at IS NOT NULL, created_at DESC, id DESC LIMIT {_KEYS_LISTED}",
        account_id,
    )
    return tuple(key_view(row) for row in rows)


async def passkeys(account_id: int) -> tuple[PasskeyView, ...]:
    """The passkeys, the oldest first."""
    rows = await fetch(
        f"SELECT {PASSKEY_COLUMNS} FROM passkey WHERE account_id = $1 ORDER BY id",  # noqa: S608 - constants
        account_id,
    )
    return tuple(passkey_view(row) for row in rows)


KEY_COLUMNS = "id, name, tail, scopes, created_at, used_at, expires_at, revoked_at"
PASSKEY_COLUMNS = "id, name, backed_up, created_at, used_at"


def account_view(row: Record) -> AccountView:
    """A row of `ACCOUNT_COLUMNS`."""
    return AccountView(
        id=row["id"],
        email=row["email"],
        name=row["name"],
        plan=Plan(row["plan"]),
        zone=row["zone"],
        rollover_hour=row["rollover_hour"],
        language=row["language"],
        theme=row["theme"],
        single_keys=row["single_keys"],
        has_password=row["has_password"],
        created_at=row["created_at"],
    )


def key_view(row: Record) -> KeyView:
    """A row of `KEY_COLUMNS`."""
    return KeyView(
        id=row["id"],
        name=row["name"],
        tail=row["tail"],
        scopes=_scopes(row["scopes"]),
        created_at=row["created_at"],
        used_at=row["used_at"],
        expires_at=row["expires_at"],
        revoked_at=row["revoked_at"],
    )


def passkey_view(row: Record) -> PasskeyView:
    """A row of `PASSKEY_COLUMNS`."""
    return PasskeyView(row["id"], row["name"], row["backed_up"], row["created_at"], row["used_at"])


def _scopes(words: list[str]) -> frozenset[Scope]:
    return frozenset(Scope(word) for word in words)
