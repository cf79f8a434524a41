"""What is read of Stripe's objects, and what is asked for, exists in the pinned client's own types."""

from __future__ import annotations

import typing
from typing import Any, get_args

import pytest
import stripe

from app.billing import fake_stripe, sync
from app.billing.fake_parameters import Refused, check_parameters
from app.billing.fake_stripe import ENDPOINTS, FakeStripe
from app.billing.gateway import EVENTS
from app.billing.stripe_gateway import API_VERSION, StripeGateway
from app.domain.billing import Status, dispute_takes_money
from tests.billing.conftest import GRACE, SETTINGS, checkout, subscribe
from tests.factories import NOW, make_account


def fields_of(kind: type) -> set[str]:
    return {name for each in kind.__mro__ for name in getattr(each, "__annotations__", {})}


def test_the_version_is_the_clients_own() -> None:
    assert stripe.api_version == API_VERSION
    assert stripe.VERSION.startswith("16.")


def literals(annotation: Any) -> set[str]:
    found: set[str] = set()
    for part in get_args(annotation):
        found |= {part} if isinstance(part, str) else literals(part)
    return found


def annotation(kind: type, name: str) -> Any:
    given = kind.__annotations__[name]
    if isinstance(given, str):
        scope = vars(__import__(kind.__module__, fromlist=["*"])) | vars(typing)
        return eval(given, scope)  # noqa: S307 - an annotation of the client
    return given


def test_every_status_of_a_subscription_and_a_dispute_is_known() -> None:
    assert literals(annotation(stripe.Subscription, "status")) == set(Status)
    statuses = literals(annotation(stripe.Dispute, "status"))
    assert {status for status in statuses if dispute_takes_money(status)} == {
        "needs_response", "under_review", "lost", "appeal_needs_response", "appeal_under_review",
    }  # fmt: skip


def test_every_event_that_is_asked_for_exists() -> None:
    assert set(EVENTS) <= literals(annotation(stripe.Event, "type"))


@pytest.mark.usefixtures("rollback")
async def test_every_field_that_is_read_is_one_of_the_clients_types(
    gateway: StripeGateway, fake: FakeStripe, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All calls of the gateway are made over every kind of answer, and each field that they read is noted."""
    read: set[tuple[type, str]] = set()
    attribute, item = stripe.StripeObject.__getattr__, stripe.StripeObject.__getitem__

    def note(self: Any, name: str) -> None:
        own = not name.startswith("_") and name != "auto_paging_iter"
        if own and type(self) not in (stripe.StripeObject, stripe.ListObject):
            read.add((type(self), name))

    def getattr_noted(self: Any, name: str) -> Any:
        note(self, name)
        return attribute(self, name)

    def getitem_noted(self: Any, name: str) -> Any:
        note(self, name)
        return item(self, name)

    monkeypatch.setattr(stripe.StripeObject, "__getattr__", getattr_noted)
    monkeypatch.setattr(stripe.StripeObject, "__getitem__", getitem_noted)
    alice = await make_account()
    made = await subscribe(gateway, fake, alice)
    charge = fake.state.of("charge")[0]
    fake.state.dispute(charge, "warning_needs_response")
    fake.state.declines.add(made["customer"])
    fake.state.advance(made["items"]["data"][0]["current_period_end"])
    await sync.refresh(gateway, alice.id, grace=GRACE, now=NOW)
    await gateway.customer_of_charge(charge["id"])
    await gateway.check("http://testserver/webhooks/stripe")
    await gateway.open_portal(made["customer"], "http://testserver/", "en")
    fake.state.end(made)
    await checkout(gateway, fake, alice, "price_plus_month")
    await checkout(gateway, fake, alice, "price_pro_month")
    names = {kind.__name__ for kind, _ in read}
    assert {
        "Subscription", "SubscriptionItem", "Price", "Recurring", "Charge", "Dispute", "Invoice", "Customer", "Session",
        "ProductFeature", "Feature", "Product", "WebhookEndpoint", "Configuration", "SubscriptionUpdate",
    } <= names  # fmt: skip
    unknown = {(kind.__name__, name) for kind, name in read if name not in fields_of(kind)}
    assert not unknown


def test_the_stand_in_shows_no_field_that_stripe_has_not(fake: FakeStripe) -> None:
    session = fake.state.add("cs_test", "checkout.session", customer="cus_1", _price="price_plus_month", _trial_days=0)
    made = fake.state.pay(session)
    fake.state.dispute(fake.state.of("charge")[0])
    classes = {
        "subscription": stripe.Subscription, "price": stripe.Price, "product": stripe.Product,
        "invoice": stripe.Invoice, "invoice_payment": stripe.InvoicePayment,
        "charge": stripe.Charge, "dispute": stripe.Dispute, "product_feature": stripe.ProductFeature,
        "entitlements.feature": stripe.entitlements.Feature, "webhook_endpoint": stripe.WebhookEndpoint,
        "billing_portal.configuration": stripe.billing_portal.Configuration,
        "checkout.session": stripe.checkout.Session,
    }  # fmt: skip
    seen: set[str] = set()
    for each in fake.state.objects.values():
        seen.add(each["object"])
        assert set(fake_stripe.shown(each)) <= fields_of(classes[each["object"]]), each["object"]
    assert seen == set(classes)
    assert set(made["items"]["data"][0]) <= fields_of(stripe.SubscriptionItem)
    for event in fake.state.events:
        assert set(event) <= fields_of(stripe.Event)


def test_each_endpoint_of_the_stand_in_is_one_of_the_client(fake: FakeStripe) -> None:
    for method, pattern in ENDPOINTS:
        assert hasattr(fake, "_" + fake_stripe._name(method, pattern)), pattern


@pytest.mark.parametrize(
    ("method", "path", "text", "status"),
    [
        ("GET", "subscription", "", 404),
        ("GET", "subscriptions", "customer=cus_none", 404),
        ("GET", "subscriptions", "customer=cus_1&colour=red", 400),
        ("POST", "checkout/sessions", "line_items[0][price]=x&line_items[0][colour]=red", 400),
        ("POST", "checkout/sessions", "subscription_data[colour]=red", 400),
    ],
)
def test_the_stand_in_refuses_what_stripe_would_refuse(
    fake: FakeStripe, method: str, path: str, text: str, status: int
) -> None:
    headers = {"authorization": "Bearer sk_test_1", "stripe-version": API_VERSION}
    assert fake.api(method, path, text, headers)[0] == status
    assert fake.api("GET", "prices", "lookup_keys[0]=loci_plus_monthly", headers)[0] == 200
    assert fake.api("GET", "prices", "", {**headers, "stripe-version": "2020-01-01"})[0] == 400
    assert fake.api("GET", "prices", "", {**headers, "authorization": "Bearer sk_live_1"})[0] == 401


def test_an_idempotency_key_gives_the_same_answer_and_serves_one_request(fake: FakeStripe) -> None:
    headers = {"authorization": "Bearer sk_test_1", "stripe-version": API_VERSION, "idempotency-key": "k"}
    first = fake.api("POST", "customers", "email=a%40example.org", headers)
    assert fake.api("POST", "customers", "email=a%40example.org", headers) == first
    assert fake.api("POST", "customers", "email=b%40example.org", headers)[0] == 400


def test_secrets_are_in_no_text_of_the_settings() -> None:
    for secret in ("sk_test_1", "whsec_test", "k" * 32):
        assert secret not in repr(SETTINGS)
    with pytest.raises(Refused):
        check_parameters({"colour": "red"}, stripe.params.CustomerCreateParams)
