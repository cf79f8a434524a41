"""The worker: claims jobs of the queue, and sweeps what has expired. One runs in every server process.

Handlers are plain functions in `HANDLERS`, by job kind. A handler may be run twice (see `app.core.queue`).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from app.accounts import service as accounts
from app.core import clock, idempotency, logs, queue, ratelimit
from app.core.db import atomic, fetch_value
from app.core.mail import Mailer, mailer_for
from app.core.settings import Settings
from app.decks import trash
from app.domain.errors import AppError, Unavailable
from app.notes import trash as notes
from app.oauth import connections
from app.study import fitting

_log = logs.get_logger(__name__)
_IDLE_SECONDS = 1.0
_SWEEP_SECONDS = 600.0
_SWEEP_LOCK = 0x6C6F6369 + 1
_TIDY_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class JobContext:
    """What a handler may use."""

    settings: Settings
    mailer: Mailer


async def _password_reset(context: JobContext, payload: Mapping[str, Any]) -> None:
    mail = await accounts.issue_password_reset(
        payload["account_id"], now=clock.now(), base_url=context.settings.base_url
    )
    if mail is not None:
        await context.mailer.send(mail)


async def _fit_parameters(_context: JobContext, payload: Mapping[str, Any]) -> None:
    asked_at = datetime.fromisoformat(payload["asked_at"])
    await fitting.run_fit(payload["account_id"], asked_at, now=clock.now())


HANDLERS: Mapping[str, Callable[[JobContext, Mapping[str, Any]], Awaitable[None]]] = {
    "password_reset": _password_reset,
    fitting.FIT_JOB: _fit_parameters,
}


async def run_one(context: JobContext) -> bool:
    """Claim and do one job; whether there was one."""
    job = await queue.claim(clock.now())
    if job is None:
        return False
    try:
        handler = HANDLERS.get(job.kind)
        if handler is None:
            raise LookupError(job.kind)
        await handler(context, job.payload)
    except Exception as error:
        _log.warning("job_failed", kind=job.kind, attempt=job.attempts, error=type(error).__name__)
        await queue.give_back(job, type(error).__name__, clock.now())
    else:
        await queue.finish(job)
        _log.info("job_done", kind=job.kind, attempt=job.attempts)
    return True


async def sweep(settings: Settings) -> None:
    """Erase what has expired; one process at a time, the others pass."""
    now = clock.now()
    async with atomic():
        if not await fetch_value("SELECT pg_try_advisory_xact_lock($1)", _SWEEP_LOCK):
            return
        await accounts.sweep(now, idle_days=settings.session_idle_days)
        await trash.sweep_trash(now - timedelta(days=settings.trash_days))
        await notes.sweep_notes(
            deleted_before=now - timedelta(days=settings.trash_days),
            versions_before=now - timedelta(days=settings.note_version_days),
        )
        await connections.sweep(now)
        await idempotency.sweep(now)
        await ratelimit.sweep()


async def tidy_search() -> None:
    """Move the new entries of the search indexes to their place, so that no import or search has to."""
    async with atomic():
        if await fetch_value("SELECT pg_try_advisory_xact_lock($1)", _SWEEP_LOCK):
            await fetch_value("SELECT gin_clean_pending_list('card_grams')")
            await fetch_value("SELECT gin_clean_pending_list('note_search_grams')")


async def work(settings: Settings) -> None:
    """Do jobs for ever; a database that is away is waited for."""
    context = JobContext(settings, mailer_for(settings))
    loop = asyncio.get_running_loop()
    next_sweep = next_tidy = loop.time()
    while True:
        try:
            if loop.time() >= next_tidy:
                next_tidy = loop.time() + _TIDY_SECONDS
                await tidy_search()
            if loop.time() >= next_sweep:
                next_sweep = loop.time() + _SWEEP_SECONDS
                await sweep(settings)
            if not await run_one(context):
                await asyncio.sleep(_IDLE_SECONDS)
        except Unavailable:
            await asyncio.sleep(_IDLE_SECONDS)
        except AppError as error:
            _log.warning("worker_paused", error=error.code)
            await asyncio.sleep(_IDLE_SECONDS)
        except Exception:
            _log.error("worker_fault", exc_info=True)
            await asyncio.sleep(_IDLE_SECONDS)


@asynccontextmanager
async def running(settings: Settings) -> AsyncGenerator[None, None]:
    """The worker runs as a task while the block does."""
    task = asyncio.create_task(work(settings), name="jobs")
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
