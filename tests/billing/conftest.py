"""The stand-in for Stripe behind the real client, without a socket between them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import httpx
import pytest
import pytest_asyncio
import stripe

from app import jobs
from app.accounts import queries as accounts
from app.accounts.views import AccountView
from app.billing import events, service, sync
from app.billing.fake_stripe import FakeStripe
from app.billing.stripe_gateway import StripeGateway
from app.core import db
from app.core.mail import PrintingMailer
from app.core.settings import Settings
from app.domain.plans import Plan
from tests.factories import NOW

SECRET = "whsec_test"
SETTINGS = Settings(
    secret_key="k" * 32,
    public_url="http://testserver",
    stripe_secret_key="sk_test_1",
    stripe_webhook_secrets=(SECRET,),
)
GRACE = timedelta(days=7)


def gateway_to(fake: FakeStripe, key: str = "sk_test_1") -> StripeGateway:
    """The real gateway and the real client; what they send reaches `fake` in this process."""
    http = stripe.HTTPXClient()
    http._client_async = httpx.AsyncClient(transport=httpx.ASGITransport(fake))  # type: ignore[arg-type]
    http.sleep_async = _at_once  # type: ignore[method-assign]
    return StripeGateway(key, api_url="http://stripe.local", http_client=http)


async def _at_once(_seconds: float) -> None:
    """A call that is tried again is tried again now."""


@pytest.fixture
def fake() -> FakeStripe:
    return FakeStripe(now=int(NOW.timestamp()), webhook_url="http://testserver/webhooks/stripe", webhook_secret=SECRET)


@pytest_asyncio.fixture
async def gateway(fake: FakeStripe) -> AsyncIterator[StripeGateway]:
    made = gateway_to(fake)
    yield made
    await made.close()


@pytest.fixture
def context(gateway: StripeGateway) -> jobs.JobContext:
    return jobs.JobContext(SETTINGS, PrintingMailer(), gateway)


async def checkout(
    gateway: StripeGateway, fake: FakeStripe, account: AccountView, price: str, settings: Settings = SETTINGS
) -> dict[str, Any]:
    """The session of a page for paying that the account has just opened."""
    await sync.read_offers(gateway, now=NOW)
    url = await service.start_checkout(gateway, account, price, settings, now=NOW)
    return fake.state.objects[url.rpartition("/")[2]]


async def subscribe(
    gateway: StripeGateway, fake: FakeStripe, account: AccountView, price: str = "price_plus_month", **more: Any
) -> dict[str, Any]:
    """A subscription at the stand-in, of which nothing has been told yet."""
    return fake.state.pay(await checkout(gateway, fake, account, price), **more)


async def take(fake: FakeStripe, event: dict[str, Any]) -> bool:
    """Receive an event as the endpoint does."""
    body, headers = fake.signed(event)
    verified = events.verify(body, headers["stripe-signature"], [SECRET], livemode=False)
    return await events.receive(verified, now=NOW)


async def work(context: jobs.JobContext) -> None:
    """Do the jobs that wait."""
    while await jobs.run_one(context):
        pass


async def plan_of(account: AccountView) -> Plan:
    """What the gate reads."""
    return (await accounts.account(account.id)).plan


async def jobs_waiting() -> int:
    return await db.fetch_value("SELECT count(*) FROM job")
