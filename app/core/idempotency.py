"""Commands that a caller may repeat because an answer was lost: one key, one input, one effect."""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta
from typing import Any

import msgspec

from app.core.db import execute, fetch_row
from app.domain.errors import N_, Conflict

KEEP_DAYS = 7


def fingerprint(value: object) -> bytes:
    """SHA-256 of a value's canonical JSON (keys in order)."""
    return hashlib.sha256(msgspec.json.encode(value, order="sorted")).digest()


async def begin(account_id: int, scope: str, key: str, value: object, now: datetime) -> Any | None:
    """Claim `key` inside the command's transaction; the stored answer if the command was done before, else None.

    A second transaction with the same key waits for the first to end. Raises `Conflict` when the key was used with
    another input. Call `finish` with the answer before the transaction ends.
    """
    mark = fingerprint(value)
    claimed = await fetch_row(
        "INSERT INTO idempotency_key (account_id, scope, key, fingerprint, created_at) VALUES ($1, $2, $3, $4, $5) "
        "ON CONFLICT (account_id, scope, key) DO NOTHING RETURNING 1",
        account_id,
        scope,
        key,
        mark,
        now,
    )
    if claimed:
        return None
    row = await fetch_row(
        "SELECT fingerprint, answer FROM idempotency_key WHERE account_id = $1 AND scope = $2 AND key = $3",
        account_id,
        scope,
        key,
    )
    if row is None or row["fingerprint"] != mark:
        raise Conflict(N_("This idempotency key was used with another input."), N_("Use a new key for a new request."))
    return msgspec.json.decode(row["answer"])


async def finish(account_id: int, scope: str, key: str, answer: object) -> None:
    """Store the answer that a repeated call gets."""
    await execute(
        "UPDATE idempotency_key SET answer = $4 WHERE account_id = $1 AND scope = $2 AND key = $3",
        account_id,
        scope,
        key,
        msgspec.json.encode(answer).decode(),
    )


async def sweep(now: datetime) -> None:
    """Forget keys older than `KEEP_DAYS`."""
    await execute("DELETE FROM idempotency_key WHERE created_at < $1", now - timedelta(days=KEEP_DAYS))
