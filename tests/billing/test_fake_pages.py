"""The stand-in's own pages do what Stripe's do; and nothing secret is ever written down."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import httpx
import pytest

from app.billing import sync
from app.billing.fake_pages import PROMOTION_CODE
from app.billing.fake_stripe import FakeStripe
from app.billing.gateway import PaymentsUnavailable
from app.billing.stripe_gateway import StripeGateway
from app.core import logs
from app.domain.plans import Plan
from tests.billing.conftest import GRACE, SECRET, checkout, plan_of, subscribe
from tests.factories import NOW, make_account


@pytest.fixture
def browser(fake: FakeStripe) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(fake), base_url="http://127.0.0.1:12111")  # type: ignore[arg-type]


@pytest.mark.usefixtures("rollback")
async def test_the_page_for_paying_takes_good_cards_and_known_codes(
    fake: FakeStripe, gateway: StripeGateway, browser: httpx.AsyncClient
) -> None:
    alice = await make_account(plan=Plan.FREE)
    session = await checkout(gateway, fake, alice, "price_pro_month")
    page = await browser.get(session["url"])
    assert "Loci pro" in page.text
    assert "9.00 EUR a month" in page.text
    assert "Your card was declined." in (await browser.post(session["url"], data={"do": "fail"})).text
    assert "This code is invalid." in (await browser.post(session["url"], data={"do": "pay", "code": "NONE"})).text
    assert fake.state.of("subscription") == []
    answer = await browser.post(session["url"], data={"do": "pay", "code": PROMOTION_CODE})
    assert (answer.status_code, answer.headers["location"]) == (303, "http://testserver/plan/back?paid=1")
    assert fake.state.of("charge") == []
    await sync.refresh(gateway, alice.id, grace=GRACE, now=NOW)
    assert await plan_of(alice) is Plan.PRO
    assert "This page is closed." in (await browser.get(session["url"])).text
    assert "This page is closed." in (await browser.post(session["url"], data={"do": "pay"})).text
    assert len(fake.state.of("subscription")) == 1
    assert (await browser.get("/c/pay/cs_none")).status_code == 404


@pytest.mark.usefixtures("rollback")
async def test_the_portal_changes_cancels_and_renews(
    fake: FakeStripe, gateway: StripeGateway, browser: httpx.AsyncClient
) -> None:
    alice = await make_account(plan=Plan.FREE)
    made = await subscribe(gateway, fake, alice)
    portal = await gateway.open_portal(made["customer"], "http://testserver/plan/back", "en")

    async def do(**form: Any) -> Plan:
        assert (await browser.post(portal, data={"subscription": made["id"], **form})).status_code == 303
        await sync.refresh(gateway, alice.id, grace=GRACE, now=NOW)
        return await plan_of(alice)

    assert await do(do="change", price="price_pro_year") is Plan.PRO
    assert await do(do="change", price="price_plus_month") is Plan.PLUS
    assert await do(do="cancel") is Plan.PLUS
    assert made["cancel_at_period_end"]
    assert "Renew plan" in (await browser.get(portal)).text
    assert await do(do="resume") is Plan.PLUS
    await browser.post("/", data={"subscription": made["id"], "do": "decline"})
    await browser.post("/", data={"subscription": made["id"], "do": "end"})
    assert made["status"] == "past_due"
    assert "past_due" in (await browser.get("/")).text
    assert await do(do="retry") is Plan.PLUS
    assert made["status"] == "active"
    for what in ("refund", "dispute", "day"):
        assert (await browser.post("/", data={"subscription": made["id"], "do": what})).status_code == 303
    [dispute] = fake.state.of("dispute")
    assert fake.state.objects[dispute["charge"]]["refunded"]
    other = await browser.post(portal, data={"subscription": "sub_of_somebody_else", "do": "cancel"})
    assert other.status_code == 404


@pytest.mark.usefixtures("rollback")
async def test_no_address_and_no_secret_is_logged_at_any_level(
    fake: FakeStripe, gateway: StripeGateway, capsys: pytest.CaptureFixture[str]
) -> None:
    logs.configure("debug", "json")
    try:
        alice = await make_account(plan=Plan.FREE)
        await subscribe(gateway, fake, alice)
        await sync.refresh(gateway, alice.id, grace=GRACE, now=NOW)
        fake.is_down = True
        with pytest.raises(PaymentsUnavailable):
            await sync.refresh(gateway, alice.id, grace=GRACE, now=NOW)
    finally:
        logs.configure("warning", "text")
    logged = capsys.readouterr().err
    assert "billing_read" in logged
    assert "billing_call_failed" in logged
    for secret in (alice.email, "sk_test_1", SECRET):
        assert secret not in logged


def test_a_server_without_payments_never_loads_the_client() -> None:
    code = "import app.main, app.jobs, app.cli, sys; sys.exit('stripe' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
