"""What the command line does about payments: check the set-up, replay an event, serve the stand-in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

import httpx
import uvicorn

from app.billing import events
from app.billing.checking import check_key
from app.billing.fake_stripe import FakeStripe
from app.billing.gateway import Finding, Gateway, Gone, PaymentsUnavailable, gateway_for
from app.billing.service import grace_of
from app.core.settings import Settings
from app.domain.errors import N_, Conflict

WEBHOOK_PATH = "/webhooks/stripe"


async def check(settings: Settings) -> Sequence[Finding]:
    """What the settings say, then what Stripe says. Raises `PaymentsUnavailable`."""
    gateway = _gateway(settings)
    findings = check_key(settings.stripe_secret_key, settings.stripe_webhook_secrets, settings.base_url)
    try:
        return [*findings, *await gateway.check(settings.base_url + WEBHOOK_PATH)]
    except Gone:
        raise PaymentsUnavailable from None
    finally:
        await gateway.close()


async def replay(settings: Settings, event: str, *, now: datetime) -> None:
    """See `events.replay`."""
    gateway = _gateway(settings)
    try:
        await events.replay(gateway, event, grace=grace_of(settings), now=now)
    finally:
        await gateway.close()


def _gateway(settings: Settings) -> Gateway:
    gateway = gateway_for(settings)
    if gateway is None:
        raise Conflict(N_("No payment provider is set up (LOCI_STRIPE_SECRET_KEY)."))
    return gateway


def serve_fake(port: int, product_url: str, *, now: datetime) -> None:
    """The stand-in on loopback until it is interrupted; its events go to the product."""
    webhook_url = product_url + WEBHOOK_PATH

    async def deliver(body: bytes, headers: Mapping[str, str]) -> bool:
        try:
            async with httpx.AsyncClient(timeout=10) as client:
                return (await client.post(webhook_url, content=body, headers=dict(headers))).is_success
        except httpx.HTTPError:
            return False

    fake = FakeStripe(
        now=int(now.timestamp()), base_url=f"http://127.0.0.1:{port}", webhook_url=webhook_url, deliver=deliver
    )
    uvicorn.run(fake, host="127.0.0.1", port=port, log_level="warning")
