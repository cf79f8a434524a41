"""Commands on access keys: the bearer tokens of clients that cannot ask a person to consent."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from app.accounts.fields import clean_name
from app.accounts.queries import KEY_COLUMNS, key_view
from app.accounts.views import KeyView
from app.core.db import atomic, changed_rows, execute, fetch_row, fetch_value
from app.core.tokens import ACCESS_KEY, new_token, token_hash
from app.domain.errors import N_, Conflict, InvalidInput, NotFound
from app.domain.scopes import Scope

LIVE_KEYS = 50
KEEP_ENDED = timedelta(days=90)
"""How long a revoked or expired key stays in the list."""
_TAIL_LETTERS = 4


async def create_key(
    account_id: int, name: str, scopes: Iterable[Scope | str], *, now: datetime, expires_at: datetime | None = None
) -> tuple[KeyView, str]:
    """A new key and its secret, which is not kept and cannot be shown again.

    Raises `InvalidInput` for an unknown scope or none, a name that is not 1-80 characters, an end that is past;
    `Conflict` when the account has 50 live keys.
    """
    name = clean_name(name, required=True)
    granted = _known(scopes)
    if expires_at is not None and expires_at <= now:
        raise InvalidInput(N_("The key would end in the past."), N_("Choose a later day."), field="expires_at")
    token = new_token(ACCESS_KEY)
    async with atomic():
        # The lock makes two keys at once count one after the other.
        if await fetch_value("SELECT 1 FROM account WHERE id = $1 FOR NO KEY UPDATE", account_id) is None:
            raise NotFound(N_("There is no such account."))
        live = await fetch_value(
            "SELECT count(*) FROM access_key WHERE account_id = $1 AND revoked_at IS NULL "
            "AND (expires_at IS NULL OR expires_at > $2)",
            account_id,
            now,
        )
        if live >= LIVE_KEYS:
            raise Conflict(
                N_("This account has %(limit)s access keys, which is as many as it may have."),
                N_("Revoke one that is no longer used."),
                limit=LIVE_KEYS,
            )
        row = await fetch_row(
            "INSERT INTO access_key (account_id, token_hash, name, tail, scopes, created_at, expires_at) "  # noqa: S608 - constants
            f"VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING {KEY_COLUMNS}",
            account_id,
            token_hash(token),
            name,
            token[-_TAIL_LETTERS:],
            sorted(granted),
            now,
            expires_at,
        )
    assert row is not None  # noqa: S101 - an INSERT without ON CONFLICT returns its row
    return key_view(row), token


async def revoke_key(account_id: int, key_id: int, *, now: datetime) -> None:
    """End a key at once; one that was revoked before stays as it was. Raises `NotFound`."""
    tag = await execute(
        "UPDATE access_key SET revoked_at = coalesce(revoked_at, $3) WHERE account_id = $1 AND id = $2",
        account_id,
        key_id,
        now,
    )
    if not changed_rows(tag):
        raise NotFound(N_("There is no such access key."))


async def revoke_all_keys(account_id: int, *, now: datetime) -> None:
    """End every key of the account at once."""
    await execute("UPDATE access_key SET revoked_at = $2 WHERE account_id = $1 AND revoked_at IS NULL", account_id, now)


async def sweep_keys(now: datetime) -> None:
    """Erase the keys of all accounts that ended some time ago."""
    await execute("DELETE FROM access_key WHERE least(revoked_at, expires_at) < $1", now - KEEP_ENDED)


def _known(words: Iterable[Scope | str]) -> frozenset[Scope]:
    try:
        scopes = frozenset(Scope(word) for word in words)
    except ValueError:
        raise InvalidInput(
            N_("There is no such scope."), N_("Choose among the scopes that are listed."), field="scopes"
        ) from None
    if not scopes:
        raise InvalidInput(N_("A key needs at least one scope."), N_("Choose what it may do."), field="scopes")
    return scopes
