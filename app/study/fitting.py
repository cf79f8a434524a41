"""Fitting a person's parameters: asked for, computed by a job in a process of its own, proposed.

Nothing is rescheduled and nothing is used before the person agrees (`app.study.settings`).
"""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta

import msgspec

from app.core import logs
from app.core.child import child
from app.core.db import atomic, execute, fetch_row
from app.core.queue import enqueue
from app.domain.calendar import ONE_DAY
from app.domain.errors import N_, PlanRequired
from app.domain.fitting import FitOutcome, FitResult
from app.domain.scheduling import SchedulingOptions
from app.study.fitting_process import FitOrder
from app.study.settings_queries import settings_for

FIT_JOB = "fit_parameters"
_GIVEN_UP = timedelta(hours=1)  # a fit that was asked for longer ago is taken as lost
_SECONDS = 120
_log = logs.get_logger(__name__)

_ASK = """
INSERT INTO study_settings AS s (account_id, fit_asked_at) VALUES ($1, $2)
ON CONFLICT (account_id) DO UPDATE SET fit_asked_at = excluded.fit_asked_at
 WHERE s.fit_asked_at IS NULL OR s.fit_asked_at < $3
RETURNING account_id
"""
_PROPOSE = """
UPDATE study_settings
   SET fit_asked_at = NULL, fit_done_at = $3, fit_outcome = $4, fit_reviews = $5, fit_log_loss_before = $6,
       fit_log_loss_after = $7, proposed_parameters = $8
 WHERE account_id = $1 AND fit_asked_at = $2
"""
# Written by the database as text, so that a long log costs this process nothing but its bytes.
_LOG = """
SELECT card_id, ordinal, rating, state_before, (extract(epoch FROM reviewed_at) * 1000000)::bigint
  FROM review WHERE account_id = $1 ORDER BY card_id, ordinal, rep
"""


async def ask_for_fit(account_id: int, *, allowed: bool, now: datetime) -> bool:
    """Have the parameters fitted by a job; False when a fit is under way already, which is then the one.

    `allowed` is whether the plan includes it; raises `PlanRequired` otherwise.
    """
    if not allowed:
        raise PlanRequired(
            N_("The plan does not include parameters fitted to your own reviews."),
            N_("The standard set goes on working. Move to Plus or Pro to have your own."),
        )
    async with atomic():
        if not await fetch_row(_ASK, account_id, now, now - _GIVEN_UP):
            return False
        await enqueue(FIT_JOB, {"account_id": account_id, "asked_at": now.isoformat()}, now)
        return True


async def run_fit(account_id: int, asked_at: datetime, *, now: datetime) -> None:
    """Compute the fit that was asked for at `asked_at` and propose its result; nothing when it was done or replaced.

    Whatever goes wrong in the computation, the parameters in use stay and the person is told.
    """
    person = await fetch_row(
        "SELECT account.zone, account.rollover_hour FROM account JOIN study_settings AS s ON s.account_id = account.id "
        "WHERE account.id = $1 AND s.fit_asked_at = $2",
        account_id,
        asked_at,
    )
    if person is None:
        return
    settings = await settings_for(account_id)
    order = FitOrder(
        zone=person["zone"],
        rollover_hour=person["rollover_hour"],
        current=settings.parameters or SchedulingOptions().parameters,
        relearning_steps=sum(step < ONE_DAY for step in settings.relearning_steps),
    )
    try:
        result = await _computed(order, await _review_log(account_id))
    except (OSError, TimeoutError, msgspec.MsgspecError) as error:
        _log.warning("fit_failed", account=account_id, error=type(error).__name__)
        result = FitResult(FitOutcome.FAILED, 0)
    await execute(
        _PROPOSE,
        account_id,
        asked_at,
        now,
        result.outcome,
        result.reviews,
        result.log_loss_before,
        result.log_loss_after,
        result.parameters,
    )


async def _review_log(account_id: int) -> list[bytes]:
    pieces: list[bytes] = []

    async def keep(piece: bytes) -> None:
        pieces.append(bytes(piece))

    async with atomic() as connection:
        await connection.copy_from_query(_LOG, account_id, output=keep, format="csv")
    return pieces


async def _computed(order: FitOrder, log: list[bytes]) -> FitResult:
    """What `app.study.fitting_process` answers."""
    async with child("app.study.fitting_process") as fitter, asyncio.timeout(_SECONDS):
        answer, _ = await fitter.process.communicate(b"".join([msgspec.json.encode(order), b"\n", *log]))
    return msgspec.json.decode(answer, type=FitResult)
