"""The outbox: work written in a command's own transaction and done after it by `app.jobs`.

A job is claimed for a while with SKIP LOCKED, so any number of processes share the queue and a process that dies
loses nothing: its job is claimed again when the claim runs out. A job's handler must therefore bear being run twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import msgspec

from app.core.db import execute, execute_many, fetch_row

CLAIM = timedelta(minutes=2)
"""A job that takes longer renews it (`renew`)."""
ATTEMPTS = 10
_FIRST_PAUSE = timedelta(seconds=5)
_LONGEST_PAUSE = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class ClaimedJob:
    id: int
    kind: str
    payload: dict[str, Any]
    attempts: int


async def enqueue(kind: str, payload: dict[str, Any], now: datetime, run_at: datetime | None = None) -> None:
    """Add a job in the current unit of work."""
    await execute(
        "INSERT INTO job (kind, payload, run_at, attempts, created_at) VALUES ($1, $2, $3, 0, $4)",
        kind,
        msgspec.json.encode(payload).decode(),
        run_at or now,
        now,
    )


async def enqueue_apart(kind: str, payloads: Sequence[dict[str, Any]], now: datetime, apart: timedelta) -> None:
    """Add a job for each payload, each to run `apart` after the one before it."""
    await execute_many(
        "INSERT INTO job (kind, payload, run_at, attempts, created_at) VALUES ($1, $2, $3, 0, $4)",
        [(kind, msgspec.json.encode(each).decode(), now + index * apart, now) for index, each in enumerate(payloads)],
    )


async def enqueue_once(kind: str, now: datetime, run_at: datetime | None = None) -> None:
    """Add a job without payload, unless one of its kind is waiting or running."""
    await execute(
        "INSERT INTO job (kind, payload, run_at, attempts, created_at) SELECT $1, '{}', $2, 0, $3 "
        "WHERE NOT EXISTS (SELECT FROM job WHERE kind = $1 AND failed_at IS NULL)",
        kind,
        run_at or now,
        now,
    )


async def hasten(kind: str, now: datetime) -> None:
    """Let the jobs of this kind that wait for a later time run now."""
    await execute("UPDATE job SET run_at = $2 WHERE kind = $1 AND run_at > $2 AND failed_at IS NULL", kind, now)


async def claim(
    now: datetime, *, only: Sequence[str] | None = None, never: Sequence[str] = (), patient: Sequence[str] = ()
) -> ClaimedJob | None:
    """Take the job that has waited longest, of the kinds `only` where given and of none in `never`, for `CLAIM`.

    Those of the kinds `patient` are taken when nothing else waits.
    """
    row = await fetch_row(
        "UPDATE job SET locked_until = $1 + $2::interval, attempts = attempts + 1 WHERE id = ("
        "  SELECT id FROM job WHERE failed_at IS NULL AND run_at <= $1 AND (locked_until IS NULL OR locked_until < $1)"
        "  AND ($3::text[] IS NULL OR kind = ANY ($3)) AND kind <> ALL ($4::text[])"
        "  ORDER BY kind = ANY ($5::text[]), run_at FOR UPDATE SKIP LOCKED LIMIT 1) "
        "RETURNING id, kind, payload, attempts",
        now,
        CLAIM,
        only,
        list(never),
        list(patient),
    )
    if row is None:
        return None
    return ClaimedJob(row["id"], row["kind"], msgspec.json.decode(row["payload"]), row["attempts"])


async def renew(job: ClaimedJob, now: datetime) -> None:
    """Keep the job for another `CLAIM`, unless somebody has claimed it meanwhile."""
    await execute(
        "UPDATE job SET locked_until = $2::timestamptz + $3::interval WHERE id = $1 AND attempts = $4",
        job.id,
        now,
        CLAIM,
        job.attempts,
    )


async def finish(job: ClaimedJob) -> None:
    """The job is done: forget it."""
    await execute("DELETE FROM job WHERE id = $1", job.id)


async def give_back(job: ClaimedJob, error: str, now: datetime, *, give_up: bool = True) -> None:
    """The job failed with an exception of class `error`: try later; after `ATTEMPTS` keep it as failed.

    Without `give_up` it is tried for ever, every hour in the end.
    """
    pause = min(_FIRST_PAUSE * 2 ** min(job.attempts - 1, 20), _LONGEST_PAUSE)
    await execute(
        "UPDATE job SET locked_until = NULL, run_at = $2::timestamptz + $3::interval, last_error = $4, "
        "failed_at = CASE WHEN $6 AND attempts >= $5 THEN $2::timestamptz END WHERE id = $1",
        job.id,
        now,
        pause,
        error,
        ATTEMPTS,
        give_up,
    )
