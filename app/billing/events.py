"""The inbox: events of Stripe's, verified, stored once, and taken as a hint to read the truth again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from app.billing import sync
from app.billing.gateway import Gateway
from app.core import queue
from app.core.db import atomic, execute, fetch_row, fetch_value
from app.domain.errors import N_, Conflict, NotFound

EVENT_JOB = "billing_event"
TOLERANCE_SECONDS = 300
_KEPT = timedelta(days=90)
_OF_THE_CATALOGUE = ("price.", "product.")


class EventRefused(Exception):
    """The request is no event of ours; the text says why, and quotes nothing of it."""


class _Data(msgspec.Struct):
    object: dict[str, Any]


class _Envelope(msgspec.Struct):
    id: str
    type: str
    created: int
    livemode: bool
    data: _Data


@dataclass(frozen=True, slots=True)
class Event:
    """What is kept of an event. A dispute names its customer through its charge only."""

    stripe_id: str
    kind: str
    livemode: bool
    created_at: datetime
    customer: str | None
    charge: str | None


def verify(body: bytes, signature: str | None, secrets: Sequence[str], *, livemode: bool) -> Event:
    """The event that a request carries, signed by one of our secrets within the last five minutes.

    Raises `EventRefused`, also for one of the other mode: test events say nothing about real money.
    """
    if not any(_is_signed(body, signature, secret) for secret in secrets):
        raise EventRefused("signature")
    try:
        envelope = msgspec.json.decode(body, type=_Envelope)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise EventRefused("body") from None
    if envelope.livemode is not livemode:
        raise EventRefused("mode")
    about = envelope.data.object
    customer = about.get("id") if about.get("object") == "customer" else about.get("customer")
    try:
        created = datetime.fromtimestamp(envelope.created, UTC)
    except (ValueError, OverflowError, OSError):
        raise EventRefused("body") from None
    texts = (envelope.id, envelope.type, _name(customer), _name(about.get("charge")))
    if any(text is not None and not _NAME.fullmatch(text) for text in texts):
        raise EventRefused("body")
    return Event(envelope.id, envelope.type, envelope.livemode, created, *texts[2:])


def _is_signed(body: bytes, signature: str | None, secret: str) -> bool:
    import stripe  # a server that takes no payments never loads it

    if signature is None or not signature.isascii():  # which the comparison of the library cannot take
        return False
    try:
        return stripe.WebhookSignature.verify_header(body, signature, secret, TOLERANCE_SECONDS)
    except (stripe.SignatureVerificationError, ValueError):
        return False


_NAME = re.compile(r"[!-~]{1,255}")


def _name(value: object) -> str | None:
    return value if isinstance(value, str) else None


async def receive(event: Event, *, now: datetime) -> bool:
    """Keep an event and have it worked on; False for one that is known already."""
    async with atomic():
        row_id = await fetch_value(
            "INSERT INTO billing_event "
            "(stripe_id, kind, livemode, customer, charge, created_at, received_at, attempts) "
            "VALUES ($1, $2, $3, $4, $5, $6, $7, 0) ON CONFLICT (stripe_id) DO NOTHING RETURNING id",
            event.stripe_id,
            event.kind,
            event.livemode,
            event.customer,
            event.charge,
            event.created_at,
            now,
        )
        if row_id is None:
            return False
        await queue.enqueue(EVENT_JOB, {"event": row_id}, now)
    return True


async def process(gateway: Gateway, row_id: int, *, grace: timedelta, now: datetime) -> None:
    """Read again what an event speaks of. May be done any number of times."""
    row = await fetch_row("UPDATE billing_event SET attempts = attempts + 1 WHERE id = $1 RETURNING *", row_id)
    if row is None:
        return
    if row["livemode"] is gateway.livemode:
        if row["kind"].startswith(_OF_THE_CATALOGUE):
            await sync.read_offers(gateway, now=now)
        else:
            customer = row["customer"]
            if customer is None and row["charge"] is not None:
                customer = await gateway.customer_of_charge(row["charge"])
            account_id = await sync.account_of(customer, gateway.livemode) if customer else None
            if account_id is not None:
                await sync.refresh(gateway, account_id, grace=grace, now=now)
    await execute("UPDATE billing_event SET processed_at = $2 WHERE id = $1", row_id, now)


async def replay(gateway: Gateway, stripe_id: str, *, grace: timedelta, now: datetime) -> None:
    """Work on a stored event once more, now. Raises `NotFound`, and `Conflict` for one of the other mode."""
    row = await fetch_row("SELECT id, livemode FROM billing_event WHERE stripe_id = $1", stripe_id)
    if row is None:
        raise NotFound(N_("No such event is stored here."))
    if row["livemode"] is not gateway.livemode:
        raise Conflict(N_("That event is of the other mode (live or test) than the key."))
    await process(gateway, row["id"], grace=grace, now=now)


async def sweep(now: datetime) -> None:
    """Erase what was worked on long ago."""
    await execute("DELETE FROM billing_event WHERE received_at < $1", now - _KEPT)
