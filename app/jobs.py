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

from app.accounts import entitlements
from app.accounts import service as accounts
from app.billing import events
from app.billing import service as billing
from app.billing import sync as billing_sync
from app.billing.gateway import Gateway, gateway_for
from app.core import clock, idempotency, logs, queue, ratelimit
from app.core.db import atomic, fetch_value
from app.core.mail import Mailer, mailer_for
from app.core.settings import Settings
from app.decks import trash
from app.domain.errors import AppError, Unavailable
from app.media import service as media
from app.notes import trash as notes
from app.oauth import connections
from app.study import fitting, sessions
from app.transfer import importing, imports

_log = logs.get_logger(__name__)
_IDLE_SECONDS = 1.0
_SWEEP_SECONDS = 600.0
_SWEEP_LOCK = 0x6C6F6369 + 1
_TIDY_SECONDS = 5.0
_RENEW_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class JobContext:
    """What a handler may use."""

    settings: Settings
    mailer: Mailer
    payments: Gateway | None = None

    @property
    def gateway(self) -> Gateway:
        """The payment provider. Raises `LookupError` where there is none: the job waits for one, and is kept."""
        if self.payments is None:
            raise LookupError("no payment provider is set up")
        return self.payments


async def _password_reset(context: JobContext, payload: Mapping[str, Any]) -> None:
    mail = await accounts.issue_password_reset(
        payload["account_id"], now=clock.now(), base_url=context.settings.base_url
    )
    if mail is not None:
        await context.mailer.send(mail)


async def _fit_parameters(_context: JobContext, payload: Mapping[str, Any]) -> None:
    asked_at = datetime.fromisoformat(payload["asked_at"])
    await fitting.run_fit(payload["account_id"], asked_at, now=clock.now())


async def _read_import(context: JobContext, payload: Mapping[str, Any]) -> None:
    await importing.run_preview(payload["account_id"], payload["import_id"], settings=context.settings, now=clock.now())


async def _apply_import(context: JobContext, payload: Mapping[str, Any]) -> None:
    await importing.run_import(payload["account_id"], payload["import_id"], settings=context.settings, now=clock.now())


async def _billing_event(context: JobContext, payload: Mapping[str, Any]) -> None:
    grace = billing.grace_of(context.settings)
    await events.process(context.gateway, payload["event"], grace=grace, now=clock.now())


async def _billing_refresh(context: JobContext, payload: Mapping[str, Any]) -> None:
    grace = billing.grace_of(context.settings)
    await billing_sync.refresh(context.gateway, payload["account_id"], grace=grace, now=clock.now())


async def _billing_offers(context: JobContext, _payload: Mapping[str, Any]) -> None:
    await billing_sync.read_offers(context.gateway, now=clock.now())


async def _billing_reconcile(context: JobContext, _payload: Mapping[str, Any]) -> None:
    await billing_sync.reconcile(context.gateway, now=clock.now())


async def _billing_close(context: JobContext, payload: Mapping[str, Any]) -> None:
    await billing.close(context.gateway, payload)


HANDLERS: Mapping[str, Callable[[JobContext, Mapping[str, Any]], Awaitable[None]]] = {
    "password_reset": _password_reset,
    fitting.FIT_JOB: _fit_parameters,
    importing.PREVIEW_JOB: _read_import,
    importing.APPLY_JOB: _apply_import,
    events.EVENT_JOB: _billing_event,
    billing_sync.REFRESH_JOB: _billing_refresh,
    billing_sync.REREAD_JOB: _billing_refresh,
    billing_sync.OFFERS_JOB: _billing_offers,
    billing_sync.RECONCILE_JOB: _billing_reconcile,
    billing.CLOSE_JOB: _billing_close,
}


# Somebody would go on paying for an account that is gone.
NEVER_GIVEN_UP = frozenset({billing.CLOSE_JOB})
# A lane of their own: what people wait for at once (mail, payments) does not queue behind them.
LONG_JOBS = (fitting.FIT_JOB, importing.PREVIEW_JOB, importing.APPLY_JOB)
# Nobody waits for them, and there may be one for every customer.
PATIENT_JOBS = (billing_sync.REREAD_JOB,)


async def run_one(context: JobContext, *, long: bool | None = None) -> bool:
    """Claim and do one job, of the long or the short ones where `long` says so; whether there was one."""
    kinds: dict[str, Any] = {} if long is None else {"only": LONG_JOBS} if long else {"never": LONG_JOBS}
    job = await queue.claim(clock.now(), patient=PATIENT_JOBS, **kinds)
    if job is None:
        return False
    keeping = asyncio.create_task(_keep_claim(job))
    try:
        handler = HANDLERS.get(job.kind)
        if handler is None:
            raise LookupError(job.kind)
        await handler(context, job.payload)
    except Exception as error:
        overdue = job.attempts >= queue.ATTEMPTS
        log = _log.error if overdue else _log.warning
        log("job_failed", kind=job.kind, attempt=job.attempts, error=type(error).__name__)
        await queue.give_back(job, type(error).__name__, clock.now(), give_up=job.kind not in NEVER_GIVEN_UP)
    else:
        await queue.finish(job)
        _log.info("job_done", kind=job.kind, attempt=job.attempts)
    finally:
        keeping.cancel()
    return True


async def _keep_claim(job: queue.ClaimedJob) -> None:
    while True:
        await asyncio.sleep(_RENEW_SECONDS)
        with suppress(Unavailable):
            await queue.renew(job, clock.now())


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
        await sessions.sweep(now)
        await imports.sweep(now)
        await media.sweep(now)
        await connections.sweep(now)
        await idempotency.sweep(now)
        await ratelimit.sweep()
        await events.sweep(now)
        if settings.takes_payments:
            await billing_sync.keep_up(settings.stripe_livemode, now=now)


async def end_plans(settings: Settings) -> None:
    """Take away the plans that have run out; what a subscription has become meanwhile is read once more."""
    now = clock.now()
    ended = await entitlements.lapse(now)
    if ended and settings.takes_payments:
        await queue.enqueue_apart(
            billing_sync.REFRESH_JOB, [{"account_id": account_id} for account_id in ended], now, timedelta()
        )


async def tidy_search() -> None:
    """Move the new entries of the search indexes to their place, so that no import or search has to."""
    async with atomic():
        if await fetch_value("SELECT pg_try_advisory_xact_lock($1)", _SWEEP_LOCK):
            await fetch_value("SELECT gin_clean_pending_list('card_grams')")
            await fetch_value("SELECT gin_clean_pending_list('note_search_grams')")


async def work(settings: Settings, payments: Gateway | None = None) -> None:
    """Do jobs for ever, the long ones beside the others; a database that is away is waited for."""
    context = JobContext(settings, mailer_for(settings), payments)
    loop = asyncio.get_running_loop()
    next_sweep = next_tidy = loop.time()

    async def short() -> bool:
        nonlocal next_sweep, next_tidy
        if loop.time() >= next_tidy:
            next_tidy = loop.time() + _TIDY_SECONDS
            await tidy_search()
            await end_plans(settings)
        if loop.time() >= next_sweep:
            next_sweep = loop.time() + _SWEEP_SECONDS
            await sweep(settings)
        return await run_one(context, long=False)

    async with asyncio.TaskGroup() as lanes:
        lanes.create_task(_forever(short))
        lanes.create_task(_forever(lambda: run_one(context, long=True)))


async def _forever(step: Callable[[], Awaitable[bool]]) -> None:
    while True:
        try:
            if not await step():
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
    payments = gateway_for(settings)
    task = asyncio.create_task(work(settings, payments), name="jobs")
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        if payments is not None:
            await payments.close()
