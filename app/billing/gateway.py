"""What the product asks of a payment provider, in its own words. `stripe_gateway` says it in Stripe's.

Every method may raise `PaymentsUnavailable`; those that name an object may raise `Gone`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol

from app.core.settings import Settings
from app.domain.billing import Interval, Subscription
from app.domain.errors import N_, Unavailable
from app.domain.plans import Plan

LOOKUP_KEYS: Final = {
    f"loci_{plan}_{name}": (plan, interval)
    for plan in (Plan.PLUS, Plan.PRO)
    for name, interval in (("monthly", Interval.MONTH), ("yearly", Interval.YEAR))
}
"""The lookup keys of the prices that are offered."""
FEATURES: Final = {f"loci_{plan}": plan for plan in (Plan.PLUS, Plan.PRO)}
"""The lookup keys of the entitlement features; a product gives the plan of the feature attached to it."""
EVENTS: Final = (
    "charge.dispute.closed",
    "charge.dispute.created",
    "charge.dispute.updated",
    "charge.refunded",
    "checkout.session.completed",
    "customer.deleted",
    "customer.subscription.created",
    "customer.subscription.deleted",
    "customer.subscription.paused",
    "customer.subscription.resumed",
    "customer.subscription.trial_will_end",
    "customer.subscription.updated",
    "entitlements.active_entitlement_summary.updated",
    "invoice.paid",
    "invoice.payment_failed",
    "price.created",
    "price.deleted",
    "price.updated",
    "product.updated",
)
"""The events that the webhook endpoint is to send. One of another type is stored and means nothing."""


class PaymentsUnavailable(Unavailable):
    """The provider does not answer, or does not accept our key; nothing has changed, and the same may work later."""

    def __init__(self) -> None:
        super().__init__(
            N_("The payment provider does not answer at the moment."),
            N_("Nothing was changed or charged. Try again in a few minutes."),
        )


class Gone(LookupError):
    """The provider has no such object (any more); `parameter` is what named it."""

    def __init__(self, parameter: str = "") -> None:
        super().__init__(parameter)
        self.parameter = parameter


@dataclass(frozen=True, slots=True)
class Price:
    """A price that is offered; `amount` is in the smallest unit of `currency` (ISO 4217, small letters)."""

    price_id: str
    product_id: str
    plan: Plan
    interval: Interval
    amount: int
    currency: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckoutOrder:
    """What a person is to be asked to pay for. `{CHECKOUT_SESSION_ID}` is not used: the page after it needs none."""

    customer: str
    account_id: int
    price_id: str
    success_url: str
    cancel_url: str
    trial_days: int
    automatic_tax: bool
    locale: str


@dataclass(frozen=True, slots=True)
class CheckoutPage:
    """The provider's page for paying."""

    session_id: str
    url: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that `loci billing check` looked at. `text` says what is wrong and what to do, or what is right."""

    good: bool
    text: str


class Gateway(Protocol):
    """`livemode` tells real money from Stripe's test mode."""

    livemode: bool

    async def create_customer(self, email: str, account_id: int, key: str) -> str:
        """The provider's name of a new customer; the same `key` gives the same one."""
        ...

    async def subscriptions(self, customer: str) -> Sequence[Subscription]:
        """Everything there is to know of a customer's subscriptions, the ended ones included, read now."""
        ...

    async def customer_of_charge(self, charge: str) -> str | None:
        """Who paid a charge."""
        ...

    async def open_checkout(self, order: CheckoutOrder, key: str) -> CheckoutPage:
        """The page for paying; the same `key` gives the same page."""
        ...

    async def expire_checkout(self, session_id: str) -> None:
        """Close a page for paying that was not used; one that was, or is closed, is left alone."""
        ...

    async def open_portal(self, customer: str, return_url: str, locale: str) -> str:
        """The address of the page on which a customer changes, cancels and resumes, and finds the invoices."""
        ...

    async def resume(self, subscription: str, *, cancels_with_period: bool, key: str) -> None:
        """Take back a cancellation that has not happened yet."""
        ...

    async def close_customer(self, customer: str) -> None:
        """End all subscriptions at once and erase the customer; nothing when there is no such."""
        ...

    async def offers(self) -> Sequence[Price]:
        """The prices that are offered, at most one for each plan and interval."""
        ...

    async def check(self, webhook_url: str) -> Sequence[Finding]:
        """Whether everything is set up at the provider."""
        ...

    async def close(self) -> None:
        """Give the connections back."""
        ...


def gateway_for(settings: Settings) -> Gateway | None:
    """Stripe, or its stand-in, as the settings say; None where the operator sets plans."""
    if not settings.takes_payments:
        return None
    from app.billing.stripe_gateway import StripeGateway  # the client is large, and most servers take no payments

    return StripeGateway(
        settings.stripe_secret_key,
        api_url=settings.stripe_api_url,
        portal_configuration=settings.stripe_portal_configuration,
    )
