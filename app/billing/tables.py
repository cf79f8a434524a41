"""Rows of the billing area. What they say of Stripe's objects is a copy of the last reading, never the truth itself."""

from __future__ import annotations

from piccolo.columns import BigInt, BigSerial, Boolean, Integer, Text, Timestamptz
from piccolo.table import Table

from app.core.db import DB


class BillingCustomer(Table, tablename="billing_customer", db=DB):
    """An account as Stripe knows it, one in live and one in test mode.

    Each reading takes a ticket before it begins; one that began earlier than the last that was written is dropped.
    """

    id = BigSerial(primary_key=True)
    account_id = BigInt()
    livemode = Boolean()
    stripe_id = Text(null=True, default=None, help_text="Null until Stripe has answered")
    created_at = Timestamptz()
    read_ticket = BigInt(default=0)
    written_ticket = BigInt(default=0)
    read_at = Timestamptz(null=True, default=None)


class BillingSubscription(Table, tablename="billing_subscription", db=DB):
    """A subscription as it was last read (`app.domain.billing.Subscription`)."""

    id = BigSerial(primary_key=True)
    account_id = BigInt()
    customer_id = BigInt()
    stripe_id = Text()
    status = Text()
    plan = Text(null=True, default=None, help_text="Null when nothing says which plan its product gives")
    price_id = Text()
    product_id = Text()
    interval = Text(null=True, default=None)
    amount = BigInt(null=True, default=None, help_text="In the currency's smallest unit")
    currency = Text()
    created_at = Timestamptz(help_text="As Stripe says")
    period_end = Timestamptz(null=True, default=None)
    cancel_at = Timestamptz(null=True, default=None)
    cancels_with_period = Boolean(default=False)
    trial_end = Timestamptz(null=True, default=None)
    unpaid_since = Timestamptz(null=True, default=None)
    payment = Text(help_text="kept, refunded or disputed")


class BillingCheckout(Table, tablename="billing_checkout", db=DB):
    """The visit to Stripe's page for paying. Its id names the request, so that a repeated one opens no second page."""

    id = BigSerial(primary_key=True)
    account_id = BigInt()
    customer_id = BigInt()
    price_id = Text()
    session_id = Text(null=True, default=None)
    created_at = Timestamptz()
    expires_at = Timestamptz(null=True, default=None)


class BillingPrice(Table, tablename="billing_price", db=DB):
    """A price that is offered, as it was last read."""

    price_id = Text(primary_key=True)
    livemode = Boolean()
    product_id = Text()
    plan = Text()
    interval = Text()
    amount = BigInt()
    currency = Text()
    read_at = Timestamptz()


class BillingEvent(Table, tablename="billing_event", db=DB):
    """The inbox: an event of Stripe's, once, and of its content only which customer it speaks of."""

    id = BigSerial(primary_key=True)
    stripe_id = Text(unique=True)
    kind = Text()
    livemode = Boolean()
    customer = Text(null=True, default=None)
    charge = Text(null=True, default=None, help_text="For what names its customer through a charge only")
    created_at = Timestamptz(help_text="As Stripe says")
    received_at = Timestamptz()
    processed_at = Timestamptz(null=True, default=None)
    attempts = Integer(default=0)
