"""Reads of the billing area: where an account stands, what is offered. Nothing here asks Stripe."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from app.accounts.entitlements import entitlements
from app.billing.gateway import Price
from app.billing.rows import price_of, subscription_of
from app.core.db import fetch, fetch_value
from app.core.settings import Settings
from app.domain.billing import Standing, Subscription, Verdict, date_of, decisive, is_running, judge, sentence
from app.domain.plans import Plan, Source, plan_in_force


@dataclass(frozen=True, slots=True)
class PlanStanding:
    """Where an account stands: what the operator gave, and the subscription that counts with what it means."""

    granted: Plan
    subscription: Subscription | None = None
    verdict: Verdict | None = None

    @property
    def is_running(self) -> bool:
        """Whether there is a subscription to manage."""
        return self.subscription is not None and is_running(self.subscription)

    @property
    def date(self) -> datetime | None:
        """The day on which the plan renews or ends."""
        return date_of(self.subscription, self.verdict) if self.subscription and self.verdict else None

    @property
    def message(self) -> str:
        """The message id that says it; see `app.domain.billing.sentence`. Empty without a subscription."""
        return sentence(self.verdict.standing) if self.verdict else ""

    @property
    def standing(self) -> Standing | None:
        return self.verdict.standing if self.verdict else None


async def standing(account_id: int, settings: Settings, *, now: datetime) -> PlanStanding:
    """Where the account stands, as far as was last read."""
    given = [item for item in await entitlements(account_id) if item.source is Source.OPERATOR]
    granted = plan_in_force(given, now)
    if not settings.takes_payments:
        return PlanStanding(granted)
    grace = timedelta(days=settings.stripe_grace_days)
    found = decisive(await subscriptions(account_id, settings.stripe_livemode), now=now, grace=grace)
    if found is None:
        return PlanStanding(granted)
    return PlanStanding(granted, found, judge(found, now=now, grace=grace))


async def subscriptions(account_id: int, livemode: bool) -> list[Subscription]:
    """All subscriptions of the account in a mode, the ended ones included."""
    rows = await fetch(
        "SELECT subscription.* FROM billing_subscription AS subscription "
        "JOIN billing_customer AS customer "
        "ON customer.account_id = subscription.account_id AND customer.id = subscription.customer_id "
        "WHERE subscription.account_id = $1 AND customer.livemode = $2 ORDER BY subscription.id",
        account_id,
        livemode,
    )
    return [subscription_of(row) for row in rows]


async def offers(livemode: bool) -> list[Price]:
    """The prices that are offered: the smaller plan first, by the month before by the year."""
    rows = await fetch("SELECT * FROM billing_price WHERE livemode = $1", livemode)
    order = list(Plan)
    return sorted(map(price_of, rows), key=lambda price: (order.index(price.plan), price.interval))


async def is_customer(account_id: int) -> bool:
    """Whether the account has ever gone to pay."""
    return bool(await fetch_value("SELECT 1 FROM billing_customer WHERE account_id = $1 LIMIT 1", account_id))
