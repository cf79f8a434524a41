"""The plan page and the ways to Stripe's pages and back, on the stand-in."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
import pytest_asyncio
from litestar import Litestar

from app import jobs
from app.accounts import queries as accounts
from app.accounts import service
from app.billing import sync
from app.billing.fake_state import period_end
from app.billing.fake_stripe import FakeStripe
from app.billing.stripe_gateway import StripeGateway
from app.core import clock, db
from app.domain.plans import Plan
from app.main import create_app
from app.web.security import CONTENT_SECURITY_POLICY
from tests.billing.conftest import GRACE, SECRET, SETTINGS, gateway_to, work
from tests.factories import PASSWORD, make_account
from tests.web.conftest import Visitor, signed_in, text_of


@pytest.fixture
def fake() -> FakeStripe:
    return FakeStripe(now=int(clock.now().timestamp()), webhook_secret=SECRET)


@pytest_asyncio.fixture
async def gateway(fake: FakeStripe) -> AsyncIterator[StripeGateway]:
    made = gateway_to(fake)
    yield made
    await made.close()


@pytest.fixture
def paid_application(gateway: StripeGateway) -> Litestar:
    """An application that takes payments, from the stand-in."""
    application = create_app(SETTINGS)
    application.state.payments = gateway
    return application


@pytest_asyncio.fixture
async def alice(rollback: None, paid_application: Litestar, gateway: StripeGateway) -> Visitor:
    """Alice on Free, where plans can be bought."""
    await sync.read_offers(gateway, now=clock.now())
    return await signed_in(paid_application, await make_account(plan=Plan.FREE, now=clock.now()))


async def deliver(visitor: Visitor, fake: FakeStripe, gateway: StripeGateway) -> None:
    """All events reach the endpoint, and are worked on."""
    for event in fake.state.events:
        body, headers = fake.signed(event)
        # As Stripe sends it: from elsewhere, without a cookie.
        answer = await visitor.client.post(
            "/webhooks/stripe", content=body, headers={**headers, "sec-fetch-site": "cross-site", "cookie": ""}
        )
        assert (answer.status_code, answer.json()) == (200, {"status": "received"})
    await work(jobs.JobContext(SETTINGS, jobs.mailer_for(SETTINGS), gateway))


async def pay(visitor: Visitor, fake: FakeStripe, price: str = "price_plus_month") -> dict[str, object]:
    """Through the form of the page to the page for paying, and paid."""
    answer = await visitor.post("/plan/checkout", price=price)
    return fake.state.pay(fake.state.objects[answer.headers["location"].rpartition("/")[2]])


async def test_free_sees_what_each_plan_costs_and_one_button(alice: Visitor) -> None:
    answer = await alice.get("/plan")
    said = text_of(answer)
    assert "You are on Free" in said
    assert "0 of 20" in said
    assert "Creating, changing, deleting and restoring from an AI chat needs the Plus or Pro plan." in said
    for words in ("Plus, €4.00 a month", "Plus, €40.00 a year", "Pro, €9.00 a month", "Pro, €90.00 a year"):
        assert words in said
    assert answer.text.count("button primary") == 1
    assert "renews by itself until you cancel" in said


async def test_from_free_to_plus_and_back(alice: Visitor, fake: FakeStripe, gateway: StripeGateway) -> None:
    made = await pay(alice, fake)
    await deliver(alice, fake, gateway)
    answer = await alice.get("/plan")
    said = text_of(answer)
    assert "You are on Plus" in said
    assert re.search(r"Plus at €4\.00 a month renews on \w+ \d+, 20\d\d\.", said)
    assert answer.text.count("button primary") == 1
    assert "Choose a plan" not in said
    answer = await alice.post("/plan/portal")
    assert answer.headers["location"].startswith("http://127.0.0.1:12111/p/session/")
    assert "Plus at €4.00 a month renews" in text_of(await alice.get("/account"))
    fake.state.cancel_at_period_end(made)
    await deliver(alice, fake, gateway)
    said = text_of(await alice.get("/plan"))
    assert "does not renew. Nothing is lost then." in said
    assert "Keep Plus" in said
    said = text_of(await alice.submit("/plan/resume"))
    assert "The cancellation is taken back." in said
    assert "renews on" in said
    fake.state.cancel_at_period_end(made)
    fake.state.advance(period_end(made))
    await deliver(alice, fake, gateway)
    said = text_of(await alice.get("/plan"))
    assert "You are on Free" in said
    assert "The subscription has ended. Nothing is lost." in said
    assert "Choose a plan" in said
    assert "See your invoices" in said


async def test_coming_back_from_stripe_needs_no_event(alice: Visitor, fake: FakeStripe) -> None:
    answer = await alice.get("/plan/back?paid=1", 303)
    assert "Stripe has not confirmed the payment yet." in text_of(await alice.get(answer.headers["location"]))
    await pay(alice, fake)
    answer = await alice.get("/plan/back?paid=1", 303)
    said = text_of(await alice.get(answer.headers["location"]))
    assert "You are on Plus now." in said


async def test_while_stripe_is_down_nothing_is_a_fault_and_nothing_is_lost(
    alice: Visitor, fake: FakeStripe, gateway: StripeGateway
) -> None:
    fake.is_down = True
    said = text_of(await alice.post("/plan/checkout", 503, price="price_pro_year"))
    assert "The payment provider does not answer at the moment. Nothing was changed or charged." in said
    fake.is_down = False
    await pay(alice, fake)
    fake.is_down = True
    answer = await alice.get("/plan/back", 303)
    said = text_of(await alice.get(answer.headers["location"]))
    assert "do not pay again" in said
    assert "charged" not in said
    await alice.post("/plan/portal", 503)
    await alice.post("/plan/resume", 503)
    fake.is_down = False
    await work(jobs.JobContext(SETTINGS, jobs.mailer_for(SETTINGS), gateway))
    assert "You are on Plus" in text_of(await alice.get("/plan"))


async def test_what_was_chosen_and_is_gone_is_said(alice: Visitor, fake: FakeStripe, gateway: StripeGateway) -> None:
    said = text_of(await alice.post("/plan/checkout", 422, price="price_none"))
    assert "This is not offered any more. Choose one of those below." in said
    await alice.post("/plan/checkout", 422)
    await alice.post("/plan/portal", 404)
    await alice.post("/plan/resume", 409)
    await pay(alice, fake)
    said = text_of(await alice.post("/plan/checkout", 409, price="price_pro_year"))
    assert "You have a subscription already." in said
    for path in ("/plan/checkout", "/plan/portal", "/plan/resume", "/account/plan"):
        assert (await alice.get(path, 303)).headers["location"] == "/plan"


async def test_the_page_alone_lets_its_forms_lead_to_stripe(alice: Visitor, application: Litestar) -> None:
    policy = (await alice.get("/plan")).headers["content-security-policy"]
    assert "form-action 'self' https://checkout.stripe.com https://billing.stripe.com;" in policy
    assert (await alice.post("/plan/checkout", 422)).headers["content-security-policy"] == policy
    assert policy.replace(" https://checkout.stripe.com https://billing.stripe.com", "") == CONTENT_SECURITY_POLICY
    assert (await alice.get("/account")).headers["content-security-policy"] == CONTENT_SECURITY_POLICY
    bob = await signed_in(application, await make_account("bob@example.org", now=clock.now()))
    assert (await bob.get("/plan")).headers["content-security-policy"] == CONTENT_SECURITY_POLICY


async def test_without_payments_the_operator_sets_plans_and_the_page_says_so(
    application: Litestar, rollback: None
) -> None:
    bob = await signed_in(application, await make_account("bob@example.org", plan=Plan.FREE, now=clock.now()))
    said = text_of(await bob.get("/plan"))
    assert "The operator of this server sets plans: ask them to change yours." in said
    assert "Choose a plan" not in said
    for path in ("/plan/checkout", "/plan/portal", "/plan/resume"):
        assert "This server takes no payments." in text_of(await bob.post(path, 404, price="x"))
    assert (await bob.get("/plan/back", 303)).headers["location"] == "/plan"
    assert (await bob.client.post("/webhooks/stripe", content=b"{}")).status_code == 400


async def test_what_the_operator_gave_is_said_and_more_is_offered(alice: Visitor) -> None:
    assert alice.account is not None
    await service.set_plan(alice.account.email, Plan.PLUS, now=clock.now())
    said = text_of(await alice.get("/plan"))
    assert "The operator of this server gave you Plus; there is nothing to pay." in said
    assert "Pro, €9.00 a month" in said
    assert "Plus, €4.00 a month" not in said


async def test_a_failed_payment_is_said_with_the_day_of_its_end(
    alice: Visitor, fake: FakeStripe, gateway: StripeGateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await pay(alice, fake)
    fake.state.declines.add(str(made["customer"]))
    failed = clock.now() + timedelta(seconds=period_end(made) - fake.state.now)
    fake.state.advance(period_end(made))
    assert alice.account is not None
    await sync.refresh(gateway, alice.account.id, grace=GRACE, now=failed)
    said = text_of(await alice.get("/plan"))
    assert "The last payment failed. Plus stays until" in said
    assert "Manage plan, payment and invoices" in said


async def test_deleting_the_account_says_what_happens_and_ends_the_subscription(
    alice: Visitor, fake: FakeStripe, gateway: StripeGateway
) -> None:
    assert "Your subscription is cancelled with the account" not in text_of(await alice.get("/account"))
    made = await pay(alice, fake)
    await deliver(alice, fake, gateway)
    assert "Your subscription is cancelled with the account" in text_of(await alice.get("/account"))
    said = text_of(await alice.submit("/account/delete", email="alice@example.org", password=PASSWORD))
    assert "Your subscription is being cancelled." in said
    await work(jobs.JobContext(SETTINGS, jobs.mailer_for(SETTINGS), gateway))
    assert made["status"] == "canceled"
    assert await db.fetch_value("SELECT count(*) FROM billing_customer") == 0


async def test_an_event_counts_once_however_often_it_comes(
    alice: Visitor, fake: FakeStripe, gateway: StripeGateway
) -> None:
    await pay(alice, fake)
    calls = len(fake.calls)
    body, headers = fake.signed(fake.state.events[0])
    for _ in range(3):
        answer = await alice.client.post("/webhooks/stripe", content=body, headers=headers)
        assert answer.status_code == 200
    assert len(fake.calls) == calls, "the endpoint asked Stripe before it answered"
    assert await db.fetch_value("SELECT count(*) FROM job WHERE kind = 'billing_event'") == 1
    assert alice.account is not None
    assert (await accounts.account(alice.account.id)).plan is Plan.FREE
    refused = [
        await alice.client.post("/webhooks/stripe", content=body + b" ", headers=headers),
        await alice.client.post("/webhooks/stripe", content=body),
        await alice.client.post("/webhooks/stripe", content=b"x" * 1_100_000, headers=headers),
    ]
    live = {**fake.state.events[0], "id": "evt_live", "livemode": True}
    body, headers = fake.signed(live)
    refused.append(await alice.client.post("/webhooks/stripe", content=body, headers=headers))
    assert [answer.status_code for answer in refused] == [400, 400, 413, 400]
    for answer in refused:
        assert answer.headers["content-type"] == "application/json"
    assert await db.fetch_value("SELECT count(*) FROM billing_event") == 1
    assert (await alice.client.get("/webhooks/stripe")).status_code == 405
