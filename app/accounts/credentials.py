"""Commands on passwords: signing in with one, confirming, changing, removing, and the link for a forgotten one.

Hashing happens before the unit of work. What was verified is therefore looked at again inside it: a password that was
changed in between opens no session.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from app.accounts import passwords, throttle
from app.accounts.fields import clean_email, email_key
from app.accounts.keys import revoke_all_keys
from app.accounts.queries import ACCOUNT_COLUMNS, account_by_email, account_view
from app.accounts.sessions import SESSION_DAYS, open_session, revoke_other_sessions
from app.accounts.views import AccountView
from app.core import queue
from app.core.db import atomic, changed_rows, execute, fetch_row, fetch_value
from app.core.mail import Mail
from app.core.tokens import PASSWORD_RESET, is_well_formed, new_token, token_hash
from app.domain.errors import N_, Conflict, InvalidInput, NotFound

RESET_JOB = "password_reset"
RESET_PATH = "/password/reset"
RESET_LIFE = timedelta(hours=1)

_MAIL_SUBJECT = N_("Choose a new password for Loci")
_MAIL_TEXT = N_(
    "Somebody, most likely you, asked to choose a new password for your account at %(base_url)s.\n\n"
    "Open this address within one hour; it works once:\n\n%(link)s\n\n"
    "If it was not you, do nothing: your password stays as it is.\n"
)


async def sign_in(
    email: str, password: str, *, now: datetime, address: str, user_agent: str, session_days: int = SESSION_DAYS
) -> tuple[AccountView, str]:
    """Open a session with a password: the account and the browser's new token.

    Raises `RateLimited` after too many tries, `Unavailable` when too many sign in at once, and one `InvalidInput`, in
    the same time, for an unknown e-mail, an account without password and a wrong password.
    """
    key = _key_or_empty(email)
    await throttle.check_guess(key or address, address)
    row = await fetch_row("SELECT id, password_hash FROM account WHERE email_key = $1", key)
    known_hash: str | None = row["password_hash"] if row else None
    if not await passwords.matches(known_hash, password) or row is None or known_hash is None:
        raise _wrong()
    fresh_hash = await passwords.hashed(password) if passwords.is_outdated(known_hash) else known_hash
    async with atomic():
        held = await fetch_row(
            f"SELECT {ACCOUNT_COLUMNS} FROM account "  # noqa: S608 - constants
            "WHERE id = $1 AND password_hash = $2 FOR NO KEY UPDATE",
            row["id"],
            known_hash,
        )
        if held is None:
            raise _wrong()
        if fresh_hash != known_hash:
            await execute("UPDATE account SET password_hash = $2 WHERE id = $1", row["id"], fresh_hash)
        token = await open_session(
            row["id"], now=now, address=address, user_agent=user_agent, session_days=session_days
        )
    return account_view(held), token


async def confirm_password(account_id: int, password: str, *, field: str = "current") -> str:
    """The stored hash, once `password` has proved to be the account's.

    Raises `InvalidInput` for a wrong one, `Conflict` for an account without password, `NotFound`, `RateLimited`.
    """
    row = await fetch_row("SELECT password_hash FROM account WHERE id = $1", account_id)
    if row is None:
        raise NotFound(N_("There is no such account."))
    if row["password_hash"] is None:
        raise Conflict(
            N_("This account has no password."), N_("Confirm with a passkey, or ask for a link to choose a password.")
        )
    await throttle.check_confirmation(account_id)
    if not await passwords.matches(row["password_hash"], password):
        raise InvalidInput(N_("This is not the present password."), N_("Enter it again."), field=field)
    return str(row["password_hash"])


async def change_password(
    account_id: int, current: str, new: str, *, now: datetime, keep_session_id: int | None
) -> None:
    """Replace the password; every other session and every reset link ends.

    Raises what `confirm_password` and `passwords.check_new` raise, and `Conflict` when it was changed meanwhile.
    """
    known_hash = await confirm_password(account_id, current)
    email: str = await fetch_value("SELECT email FROM account WHERE id = $1", account_id) or ""
    passwords.check_new(new, email, field="new")
    fresh_hash = await passwords.hashed(new)
    async with atomic():
        await _swap(account_id, known_hash, fresh_hash, now)
        await revoke_other_sessions(account_id, keep_session_id)


async def set_password(account_id: int, new: str, *, now: datetime, keep_session_id: int | None = None) -> None:
    """Give the account a password without asking for the old one; its other sessions and all reset links end.

    For the operator's command, and for a person who has signed in with a passkey and has no password.
    """
    email = await fetch_value("SELECT email FROM account WHERE id = $1", account_id)
    if email is None:
        raise NotFound(N_("There is no such account."))
    passwords.check_new(new, email, field="new")
    fresh_hash = await passwords.hashed(new)
    async with atomic():
        await _store(account_id, fresh_hash, now, keep_session_id)


async def remove_password(account_id: int, current: str, *, now: datetime) -> None:
    """Leave passkeys as the only way in. Raises `Conflict` without a passkey, else as `confirm_password`."""
    known_hash = await confirm_password(account_id, current)
    async with atomic():
        await _swap(account_id, known_hash, None, now)
        if await fetch_value("SELECT 1 FROM passkey WHERE account_id = $1 LIMIT 1", account_id) is None:
            raise Conflict(N_("Without a password there would be no way to sign in."), N_("Add a passkey first."))


async def request_password_reset(email: str, *, now: datetime, address: str) -> None:
    """Ask for a reset link by mail. Whether the account exists shows neither in the answer nor in its time.

    The job carries the account's id alone: the link is made when the mail is, so that its secret is never at rest.
    When the account's mails of the hour are used up, none goes out and the links that did stay good. Raises
    `InvalidInput` for what is no e-mail address, and `RateLimited`.
    """
    key = email_key(clean_email(email))
    await throttle.check_reset(address)
    found = await account_by_email(email)
    if await throttle.may_mail_reset(key):
        await queue.enqueue(RESET_JOB, {"account_id": found.id if found else 0}, now)


async def issue_password_reset(account_id: int, *, now: datetime, base_url: str) -> Mail | None:
    """The mail with a fresh reset link, good for an hour; older links end. None when there is no such account."""
    token = new_token(PASSWORD_RESET)
    async with atomic():
        email = await fetch_value("SELECT email FROM account WHERE id = $1 FOR NO KEY UPDATE", account_id)
        if email is None:
            return None
        await _end_links(account_id, now)
        await execute(
            "INSERT INTO password_reset (account_id, token_hash, created_at, expires_at) VALUES ($1, $2, $3, $4)",
            account_id,
            token_hash(token),
            now,
            now + RESET_LIFE,
        )
    link = f"{base_url}{RESET_PATH}?token={token}"
    return Mail(to=email, subject=_MAIL_SUBJECT, text=_MAIL_TEXT % {"base_url": base_url, "link": link})


async def reset_password(token: str, new_password: str, *, now: datetime, shut_others_out: bool = False) -> AccountView:
    """Use a reset link: the new password holds and all sessions end. The link works once, also for two at once.

    `shut_others_out` also revokes every access key and removes every passkey: for somebody who fears that another was
    in the account. Raises `InvalidInput` for a link that is unknown, used or older than an hour, and for a password
    that cannot be accepted (the link then stays good).
    """
    row = None
    if is_well_formed(token, PASSWORD_RESET):
        row = await fetch_row(
            "SELECT account.id, account.email FROM password_reset JOIN account ON account.id = account_id "
            "WHERE token_hash = $1 AND used_at IS NULL AND expires_at > $2",
            token_hash(token),
            now,
        )
    if row is None:
        raise _dead_link()
    passwords.check_new(new_password, row["email"])
    fresh_hash = await passwords.hashed(new_password)
    async with atomic():
        # The account's row first, as everywhere: whoever comes second waits here and finds the link used.
        await execute("SELECT 1 FROM account WHERE id = $1 FOR NO KEY UPDATE", row["id"])
        used = await execute(
            "UPDATE password_reset SET used_at = $3 WHERE account_id = $1 AND token_hash = $2 AND used_at IS NULL",
            row["id"],
            token_hash(token),
            now,
        )
        if not changed_rows(used):
            raise _dead_link()
        if shut_others_out:
            await revoke_all_keys(row["id"], now=now)
            await execute("DELETE FROM passkey WHERE account_id = $1", row["id"])
        return await _store(row["id"], fresh_hash, now)


async def sweep_resets(now: datetime) -> None:
    """Erase the reset links of all accounts that have expired."""
    await execute("DELETE FROM password_reset WHERE expires_at <= $1", now)


async def _swap(account_id: int, known_hash: str, fresh_hash: str | None, now: datetime) -> None:
    """Replace the hash that was verified; `Conflict` if another one took its place meanwhile."""
    tag = await execute(
        "UPDATE account SET password_hash = $3 WHERE id = $1 AND password_hash = $2",
        account_id,
        known_hash,
        fresh_hash,
    )
    if not changed_rows(tag):
        raise changed_meanwhile()
    await _end_links(account_id, now)


async def _store(account_id: int, fresh_hash: str, now: datetime, keep_session_id: int | None = None) -> AccountView:
    row = await fetch_row(
        f"UPDATE account SET password_hash = $2 WHERE id = $1 RETURNING {ACCOUNT_COLUMNS}",  # noqa: S608 - constants
        account_id,
        fresh_hash,
    )
    if row is None:
        raise NotFound(N_("There is no such account."))
    await _end_links(account_id, now)
    await revoke_other_sessions(account_id, keep_session_id)
    return account_view(row)


async def _end_links(account_id: int, now: datetime) -> None:
    await execute("UPDATE password_reset SET used_at = $2 WHERE account_id = $1 AND used_at IS NULL", account_id, now)


def changed_meanwhile() -> Conflict:
    """The password that was confirmed is not the account's any more."""
    return Conflict(N_("The password was changed in the meantime."), N_("Start again with the new one."))


def _key_or_empty(email: str) -> str:
    """The key of an address; all that is none shares one key, which no account has."""
    try:
        return email_key(clean_email(email))
    except InvalidInput:
        return ""


def _wrong() -> InvalidInput:
    return InvalidInput(
        N_("The e-mail address or the password is wrong."), N_("Try again, or ask for a link to choose a new password.")
    )


def _dead_link() -> InvalidInput:
    return InvalidInput(
        N_("This link was used, has been replaced by a newer one or is older than an hour."),
        N_("Ask for a new one."),
        field="token",
    )
