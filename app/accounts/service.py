"""Commands on accounts. The commands on what belongs to one are beside it and gathered here, so that callers need to
know one module: passwords in `credentials`, browsers in `sessions`, access keys in `keys`. The ceremonies of passkeys
are apart, in `passkeys`.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from app.accounts import passwords, throttle
from app.accounts.credentials import (
    RESET_JOB,
    RESET_PATH,
    change_password,
    changed_meanwhile,
    confirm_password,
    issue_password_reset,
    remove_password,
    request_password_reset,
    reset_password,
    set_password,
    sign_in,
    sweep_resets,
)
from app.accounts.entitlements import entitle
from app.accounts.fields import (
    check_language,
    check_rollover_hour,
    check_zone,
    clean_email,
    clean_name,
    email_key,
    known_zone,
)
from app.accounts.keys import create_key, revoke_key, sweep_keys
from app.accounts.queries import ACCOUNT_COLUMNS, SESSION_IDLE_DAYS, account_by_email, account_view
from app.accounts.sessions import open_session, revoke_other_sessions, revoke_session, sign_out, sweep_sessions
from app.accounts.views import AccountView
from app.core.db import atomic, changed_rows, execute, fetch_row
from app.domain.errors import N_, Conflict, InvalidInput, NotFound
from app.domain.plans import Entitlement, Plan, Source

THEMES = ("system", "light", "dark")

__all__ = [
    "RESET_JOB",
    "RESET_PATH",
    "THEMES",
    "change_password",
    "confirm_password",
    "create_key",
    "delete_account",
    "issue_password_reset",
    "known_zone",
    "open_session",
    "remove_password",
    "request_password_reset",
    "reset_password",
    "revoke_key",
    "revoke_other_sessions",
    "revoke_session",
    "set_password",
    "set_plan",
    "set_study_day",
    "sign_in",
    "sign_out",
    "sign_up",
    "sweep",
    "update_profile",
]


async def sign_up(
    email: str,
    password: str,
    *,
    now: datetime,
    name: str = "",
    zone: str = "UTC",
    plan: Plan = Plan.FREE,
    address: str | None = None,
) -> AccountView:
    """A new account. `address` is where the request came from; without one (the command line) nothing is throttled.

    Raises `InvalidInput` for a field, `Conflict` when the e-mail address has an account, `RateLimited`, `Unavailable`.
    """
    email = clean_email(email)
    name = clean_name(name)
    zone = check_zone(zone)
    passwords.check_new(password, email)
    if address is not None:
        await throttle.check_sign_up(address)
    if await account_by_email(email) is not None:  # spares the hash; two at once are told apart below
        raise _taken()
    password_hash = await passwords.hashed(password)
    async with atomic():
        row = await fetch_row(
            "INSERT INTO account (email, email_key, password_hash, name, plan, zone, created_at) "  # noqa: S608 - constants
            "VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (email_key) DO NOTHING "
            f"RETURNING {ACCOUNT_COLUMNS}",
            email,
            email_key(email),
            password_hash,
            name,
            plan,
            zone,
            now,
        )
        if row is None:
            raise _taken()
        if plan is not Plan.FREE:
            await entitle(row["id"], Entitlement(Source.OPERATOR, plan), now=now)
    return account_view(row)


async def update_profile(account_id: int, *, name: str, language: str, theme: str, single_keys: bool) -> AccountView:
    """Replace what a person chooses about themselves. Raises `InvalidInput` for a field, `NotFound`."""
    name, language = clean_name(name), check_language(language)
    if theme not in THEMES:
        raise InvalidInput(N_("There is no such theme."), N_("Choose system, light or dark."), field="theme")
    row = await fetch_row(
        "UPDATE account SET name = $2, language = $3, theme = $4, single_keys = $5 "  # noqa: S608 - constants
        f"WHERE id = $1 RETURNING {ACCOUNT_COLUMNS}",
        account_id,
        name,
        language,
        theme,
        single_keys,
    )
    if row is None:
        raise NotFound(N_("There is no such account."))
    return account_view(row)


async def set_study_day(account_id: int, *, zone: str, rollover_hour: int) -> AccountView:
    """Choose the time zone and the local hour at which a study day starts. Raises `InvalidInput`, `NotFound`."""
    zone, rollover_hour = check_zone(zone), check_rollover_hour(rollover_hour)
    row = await fetch_row(
        "UPDATE account SET zone = $2, rollover_hour = $3 "  # noqa: S608 - constants
        f"WHERE id = $1 RETURNING {ACCOUNT_COLUMNS}",
        account_id,
        zone,
        rollover_hour,
    )
    if row is None:
        raise NotFound(N_("There is no such account."))
    return account_view(row)


async def set_plan(email: str, plan: Plan, *, now: datetime, alone: bool = True) -> AccountView:
    """The operator puts the account of an e-mail address on a plan. Raises `NotFound`.

    With `alone` that is all that counts; else a subscription that gives more still does.
    """
    found = await account_by_email(email)
    if found is None:
        raise NotFound(N_("No account has this e-mail address."))
    counts = await entitle(found.id, Entitlement(Source.OPERATOR, plan), now=now, alone=alone)
    return replace(found, plan=counts)


async def delete_account(account_id: int, password: str) -> None:
    """Erase the account and everything in it, for good, once the password has been confirmed.

    Raises as `confirm_password`. An account without password is erased by `passkeys.delete_account`.
    """
    known_hash = await confirm_password(account_id, password, field="password")
    tag = await execute("DELETE FROM account WHERE id = $1 AND password_hash = $2", account_id, known_hash)
    if not changed_rows(tag):
        raise changed_meanwhile()


async def sweep(now: datetime, *, idle_days: int = SESSION_IDLE_DAYS) -> None:
    """Erase the sessions and reset links of all accounts that have expired."""
    async with atomic():
        await sweep_sessions(now, idle_days=idle_days)
        await sweep_resets(now)
        await sweep_keys(now)


def _taken() -> Conflict:
    return Conflict(
        N_("This e-mail address has an account already."), N_("Sign in, or ask for a link to choose a new password.")
    )
