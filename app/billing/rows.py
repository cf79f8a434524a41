"""From rows of the billing area to what they mean."""

from __future__ import annotations

from asyncpg import Record

from app.billing.gateway import Price
from app.domain.billing import Interval, Payment, Status, Subscription
from app.domain.plans import Plan, Source


def source_of(livemode: bool) -> Source:
    """The source of what a mode of Stripe's gives."""
    return Source.STRIPE if livemode else Source.STRIPE_TEST


def subscription_of(row: Record) -> Subscription:
    """A row of `billing_subscription`."""
    return Subscription(
        stripe_id=row["stripe_id"],
        status=Status(row["status"]),
        plan=Plan(row["plan"]) if row["plan"] else None,
        created_at=row["created_at"],
        price_id=row["price_id"],
        product_id=row["product_id"],
        interval=Interval(row["interval"]) if row["interval"] else None,
        amount=row["amount"],
        currency=row["currency"],
        period_end=row["period_end"],
        cancel_at=row["cancel_at"],
        cancels_with_period=row["cancels_with_period"],
        trial_end=row["trial_end"],
        unpaid_since=row["unpaid_since"],
        payment=Payment(row["payment"]),
    )


def price_of(row: Record) -> Price:
    """A row of `billing_price`."""
    return Price(
        row["price_id"],
        row["product_id"],
        Plan(row["plan"]),
        Interval(row["interval"]),
        row["amount"],
        row["currency"],
    )
