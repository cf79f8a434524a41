"""Rows that belong to no area: idempotency keys, rate limits, the queue of jobs."""

from __future__ import annotations

from piccolo.columns import JSONB, BigInt, BigSerial, Bytea, Integer, Text, Timestamptz
from piccolo.table import Table

from app.core.db import DB


class IdempotencyKey(Table, tablename="idempotency_key", db=DB):
    """The stored answer to a command that its caller named with a key. Primary key (account_id, scope, key)."""

    account_id = BigInt()
    scope = Text(help_text="The command, such as create_cards")
    key = Text(primary_key=True)
    fingerprint = Bytea(help_text="SHA-256 of the input: one key, one input")
    answer = JSONB(null=True, default=None)
    created_at = Timestamptz()


class RateLimit(Table, tablename="rate_limit", db=DB):
    """One GCRA bucket: the theoretical arrival time of the next call. The table is UNLOGGED."""

    key = Text(primary_key=True)
    arrival = Timestamptz()


class Job(Table, tablename="job", db=DB):
    """Work to do after a commit: written in the command's transaction, claimed with SKIP LOCKED by `app.jobs`."""

    id = BigSerial(primary_key=True)
    kind = Text()
    payload = JSONB()
    run_at = Timestamptz()
    attempts = Integer(default=0)
    locked_until = Timestamptz(null=True, default=None)
    last_error = Text(null=True, default=None, help_text="Exception class only, never its text")
    failed_at = Timestamptz(null=True, default=None, help_text="Set when the attempts are used up")
    created_at = Timestamptz()
