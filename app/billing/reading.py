"""From Stripe's objects to our facts. Which of their fields are read is checked against the package's own types."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

import stripe

from app.billing.gateway import FEATURES, LOOKUP_KEYS, Price
from app.domain.billing import Interval, Payment, Status, Subscription, dispute_takes_money
from app.domain.plans import Plan


def moment(seconds: int | None) -> datetime | None:
    """A Unix time as UTC."""
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


def id_of(named: str | stripe.StripeObject | None) -> str | None:
    """The id of what Stripe names by its id, or gives whole where it was asked to."""
    if named is None or isinstance(named, str):
        return named
    return str(named["id"])


def subscription(
    given: stripe.Subscription, *, plan: Plan | None, payment: Payment, unpaid_since: datetime | None
) -> Subscription:
    """One subscription. It ends with its period when that was asked for, or on a day of its own."""
    items = given.items.data
    item = items[0] if items else None
    ends = [end for each in items if (end := moment(each.current_period_end)) is not None]
    period_end = min(ends, default=None)
    cancel_at = period_end if given.cancel_at_period_end else moment(given.cancel_at)
    return Subscription(
        stripe_id=given.id,
        status=Status(given.status),
        plan=plan,
        created_at=datetime.fromtimestamp(given.created, UTC),
        price_id=item.price.id if item else "",
        product_id=(id_of(item.price.product) or "") if item else "",
        interval=_interval(item.price) if item else None,
        amount=item.price.unit_amount if item else None,
        currency=item.price.currency if item else "",
        period_end=period_end,
        cancel_at=cancel_at,
        cancels_with_period=given.cancel_at_period_end,
        trial_end=moment(given.trial_end),
        unpaid_since=unpaid_since,
        payment=payment,
    )


def plan_of(features: Iterable[stripe.ProductFeature]) -> Plan | None:
    """The plan that a product's features give, the largest of several."""
    plans = [
        FEATURES[feature.entitlement_feature.lookup_key]
        for feature in features
        if feature.entitlement_feature.lookup_key in FEATURES
    ]
    return max(plans, key=list(Plan).index, default=None)


def last_paid(invoices: Iterable[stripe.Invoice]) -> stripe.Invoice | None:
    """The last invoice for which money was paid: not one of a trial, of a whole discount, or of a credit."""
    paid = [invoice for invoice in invoices if invoice.amount_paid > 0]
    return max(paid, key=lambda invoice: invoice.created, default=None)


def paid_charge(charges: Iterable[stripe.Charge]) -> stripe.Charge | None:
    """The charge that went through, of all that were tried for a payment."""
    return max(
        (charge for charge in charges if charge.status == "succeeded"), key=lambda each: each.created, default=None
    )


def payment(charge: stripe.Charge | None, disputes: Iterable[stripe.Dispute]) -> Payment:
    """What became of the last charge."""
    if charge is None:
        return Payment.KEPT
    if charge.disputed and any(dispute_takes_money(dispute.status) for dispute in disputes):
        return Payment.DISPUTED
    return Payment.REFUNDED if charge.refunded else Payment.KEPT


def offer(price: stripe.Price, plan: Plan | None) -> Price | str:
    """A price that is offered, or what keeps it from being one: the price and its product must say the same."""
    wanted, interval = LOOKUP_KEYS[price.lookup_key or ""]
    if plan is not wanted:
        return f"its product needs the entitlement feature loci_{wanted} and no larger one"
    if _interval(price) is not interval:
        return f"it is not paid once a {interval}"
    if price.unit_amount is None:
        return "it has no fixed amount"
    return Price(price.id, id_of(price.product) or "", wanted, interval, price.unit_amount, price.currency)


def _interval(price: stripe.Price) -> Interval | None:
    recurring = price.recurring
    if recurring is None or recurring.interval_count != 1 or recurring.interval not in set(Interval):
        return None
    return Interval(recurring.interval)
