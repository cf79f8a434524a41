"""`loci billing check` names what is missing, and its document names what it checks."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.billing.checking import check_key
from app.billing.fake_stripe import FakeStripe
from app.billing.gateway import EVENTS, FEATURES, LOOKUP_KEYS, PaymentsUnavailable
from app.billing.stripe_gateway import API_VERSION, StripeGateway
from tests.billing.conftest import gateway_to

WEBHOOK = "http://testserver/webhooks/stripe"
DOCUMENT = Path(__file__).parent.parent.parent / "docs" / "billing.md"


async def faults(gateway: StripeGateway) -> list[str]:
    return [finding.text for finding in await gateway.check(WEBHOOK) if not finding.good]


async def test_a_complete_set_up_has_no_faults(gateway: StripeGateway) -> None:
    findings = await gateway.check(WEBHOOK)
    assert [finding.text for finding in findings if not finding.good] == []
    assert len(findings) == len(FEATURES) + len(LOOKUP_KEYS) + 2


def one(fake: FakeStripe, kind: str) -> dict[str, Any]:
    return fake.state.of(kind)[0]


def but_id(given: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if name not in {"id", "object"}}


Break = Callable[[FakeStripe], Any]


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda f: f.state.objects["feat_pro"].update(active=False), "lookup key loci_pro. Create"),
        (lambda f: f.state.objects["price_pro_year"].update(active=False), "lookup key loci_pro_yearly. Create"),
        (lambda f: f.state.objects["prod_plus"].update(active=False), "its product prod_plus is archived"),
        (lambda f: f.state.objects["price_plus_year"].update(product="prod_pro"), "entitlement feature loci_plus and"),
        (lambda f: f.state.objects["price_pro_month"].update(unit_amount=None), "it has no fixed amount"),
        (lambda f: f.state.objects["price_pro_month"]["recurring"].update(interval="year"), "not paid once a month"),
        (lambda f: f.state.objects["price_pro_month"].update(currency="usd"), "several currencies"),
        (lambda f: one(f, "webhook_endpoint").update(url="http://elsewhere/"), "No webhook endpoint has the address"),
        (lambda f: one(f, "webhook_endpoint").update(status="disabled"), "The webhook endpoint is disabled"),
        (lambda f: one(f, "webhook_endpoint").update(api_version="2020-01-01"), "sends API version 2020-01-01"),
        (lambda f: one(f, "webhook_endpoint")["enabled_events"].remove("invoice.paid"), "does not send invoice.paid"),
        (
            lambda f: f.state.add("we", "webhook_endpoint", **but_id(one(f, "webhook_endpoint"))),
            "Two webhook endpoints",
        ),
        (lambda f: one(f, "billing_portal.configuration").update(is_default=False), "no active portal configuration"),
        (lambda f: portal(f)["subscription_cancel"].update(enabled=False), "let people cancel their subscription"),
        (lambda f: portal(f)["subscription_cancel"].update(mode="immediately"), "The portal cancels at once"),
        (lambda f: portal(f)["subscription_update"].update(products=[]), "does not offer loci_plus_monthly"),
        (lambda f: portal(f)["invoice_history"].update(enabled=False), "let people see their invoices"),
        (lambda f: portal(f)["payment_method_update"].update(enabled=False), "change their payment method"),
    ],
)
async def test_each_thing_that_is_missing_is_named(
    fake: FakeStripe, gateway: StripeGateway, spoil: Break, said: str
) -> None:
    spoil(fake)
    found = await faults(gateway)
    assert any(said in fault for fault in found), found


async def test_what_an_answer_leaves_out_is_not_called_wrong(fake: FakeStripe, gateway: StripeGateway) -> None:
    del portal(fake)["subscription_update"]["products"]
    assert await faults(gateway) == []


def portal(fake: FakeStripe) -> dict[str, Any]:
    features: dict[str, Any] = one(fake, "billing_portal.configuration")["features"]
    for name in ("invoice_history", "payment_method_update"):
        features[name] = dict(features[name])
    return features


async def test_a_key_that_stripe_does_not_accept_is_said_and_stripe_away_is_no_finding(fake: FakeStripe) -> None:
    [finding] = await gateway_to(fake, "sk_live_1").check(WEBHOOK)
    assert finding.text == "Stripe does not accept LOCI_STRIPE_SECRET_KEY."
    fake.is_down = True
    with pytest.raises(PaymentsUnavailable):
        await gateway_to(fake).check(WEBHOOK)


def test_the_settings_are_looked_at_too() -> None:
    texts = [finding.text for finding in check_key("rk_live_1", (), "http://127.0.0.1:8000")]
    assert len(texts) == 2
    assert "LOCI_STRIPE_WEBHOOK_SECRET" in texts[0]
    assert "https" in texts[1]
    [good] = check_key("rk_live_1", ("whsec_1",), "https://loci.example.org")
    assert good.good


def test_the_document_names_everything_that_is_checked() -> None:
    text = DOCUMENT.read_text()
    named = set(re.findall(r"`([a-z0-9_.-]+)`", text))
    assert set(EVENTS) | set(FEATURES) | set(LOOKUP_KEYS) | {API_VERSION} <= named
    events = {
        name for name in named if re.match(r"(charge|checkout|customer|invoice|price|product|entitlements)\.", name)
    }
    assert events == set(EVENTS)
