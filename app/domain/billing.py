"""From what Stripe says of a subscription to the plan that it gives, until when, and in which words.

Everything here is a function of facts that were read from Stripe in one go. No event and no earlier state takes part,
so the order in which news arrives cannot matter.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from app.domain.errors import N_
from app.domain.plans import Plan


class Status(StrEnum):
    """The statuses of a subscription, as Stripe names them."""

    INCOMPLETE = "incomplete"
    INCOMPLETE_EXPIRED = "incomplete_expired"
    TRIALING = "trialing"
    ACTIVE = "active"
    PAST_DUE = "past_due"
    CANCELED = "canceled"
    UNPAID = "unpaid"
    PAUSED = "paused"


class Interval(StrEnum):
    """How often a price is paid."""

    MONTH = "month"
    YEAR = "year"


class Payment(StrEnum):
    """What became of the last payment of a subscription."""

    KEPT = "kept"
    REFUNDED = "refunded"
    """Given back in full."""
    DISPUTED = "disputed"
    """The payer's bank has taken it back: a dispute is open, or lost."""


# Inquiries (`warning_…`) take no money away, and neither does a dispute that was won or prevented.
_DISPUTES_THAT_TAKE = frozenset(
    {"needs_response", "under_review", "lost", "appeal_needs_response", "appeal_under_review"}
)


def dispute_takes_money(status: str) -> bool:
    """Whether a dispute of this status has taken the payment back."""
    return status in _DISPUTES_THAT_TAKE


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscription:
    """What Stripe says of one subscription. Times are UTC, `amount` is in the currency's smallest unit.

    `plan` is None when nothing says which plan its product gives. `cancel_at` is when it ends, if that is decided.
    `unpaid_since` is when the oldest invoice that is still to be paid was made.
    """

    stripe_id: str
    status: Status
    plan: Plan | None
    created_at: datetime
    price_id: str = ""
    product_id: str = ""
    interval: Interval | None = None
    amount: int | None = None
    currency: str = ""
    period_end: datetime | None = None
    cancel_at: datetime | None = None
    cancels_with_period: bool = False
    trial_end: datetime | None = None
    unpaid_since: datetime | None = None
    payment: Payment = Payment.KEPT


class Standing(StrEnum):
    """Where a person stands with a subscription, the best first."""

    ACTIVE = "active"
    TRIAL = "trial"
    ENDING = "ending"
    GRACE = "grace"
    INCOMPLETE = "incomplete"
    DISPUTED = "disputed"
    REFUNDED = "refunded"
    UNPAID = "unpaid"
    PAUSED = "paused"
    UNKNOWN = "unknown"
    ENDED = "ended"


GIVING = frozenset({Standing.ACTIVE, Standing.TRIAL, Standing.ENDING, Standing.GRACE})
"""The standings that give a plan."""
_RUNNING = frozenset({Status.TRIALING, Status.ACTIVE, Status.PAST_DUE, Status.UNPAID, Status.PAUSED})


def is_running(subscription: Subscription) -> bool:
    """Whether it is to be changed rather than followed by another, whatever it gives at the moment."""
    return subscription.status in _RUNNING


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a subscription means: `plan` is Free unless the standing gives one, then until `until` at the latest."""

    standing: Standing
    plan: Plan = Plan.FREE
    until: datetime | None = None


def judge(subscription: Subscription, *, now: datetime, grace: timedelta) -> Verdict:
    """What the subscription gives at `now`.

    A failed payment leaves the plan for `grace` from the oldest unpaid invoice on; a payment that was given or taken
    back leaves nothing, since nothing is paid.
    """
    standing = _standing(subscription)
    if standing not in GIVING:
        return Verdict(standing)
    if subscription.payment is not Payment.KEPT:
        return Verdict(Standing.DISPUTED if subscription.payment is Payment.DISPUTED else Standing.REFUNDED)
    if subscription.plan is None:
        return Verdict(Standing.UNKNOWN)
    until = subscription.cancel_at
    if standing is Standing.GRACE:
        end_of_grace = (subscription.unpaid_since or subscription.created_at) + grace
        if now >= end_of_grace:
            return Verdict(Standing.UNPAID)
        until = min(end_of_grace, until) if until else end_of_grace
    if until is not None and now >= until:
        return Verdict(Standing.ENDED)
    return Verdict(standing, subscription.plan, until)


def _standing(subscription: Subscription) -> Standing:
    match subscription.status:
        case Status.ACTIVE | Status.TRIALING if subscription.cancel_at is not None:
            return Standing.ENDING
        case Status.ACTIVE:
            return Standing.ACTIVE
        case Status.TRIALING:
            return Standing.TRIAL
        case Status.PAST_DUE:
            return Standing.GRACE
        case Status.INCOMPLETE:
            return Standing.INCOMPLETE
        case Status.UNPAID:
            return Standing.UNPAID
        case Status.PAUSED:
            return Standing.PAUSED
        case Status.CANCELED | Status.INCOMPLETE_EXPIRED:
            return Standing.ENDED


def decisive(subscriptions: Iterable[Subscription], *, now: datetime, grace: timedelta) -> Subscription | None:
    """Of several subscriptions of one person, the one that counts: it gives the largest plan for the longest time."""
    plans, standings = list(Plan), list(Standing)

    def rank(subscription: Subscription) -> tuple[int, bool, float, int, datetime, str]:
        verdict = judge(subscription, now=now, grace=grace)
        return (
            plans.index(verdict.plan),
            verdict.until is None,
            verdict.until.timestamp() if verdict.until else 0.0,
            -standings.index(verdict.standing),
            subscription.created_at,
            subscription.stripe_id,
        )

    return max(subscriptions, key=rank, default=None)


_SENTENCES = {
    Standing.ACTIVE: N_("%(plan)s at %(price)s renews on %(date)s."),
    Standing.TRIAL: N_("%(plan)s is free to try until %(date)s and then costs %(price)s."),
    Standing.ENDING: N_("%(plan)s ends on %(date)s and does not renew. Nothing is lost then."),
    Standing.GRACE: N_("The last payment failed. %(plan)s stays until %(date)s; renew the payment method before."),
    Standing.INCOMPLETE: N_("The first payment is not complete yet."),
    Standing.DISPUTED: N_("The last payment is disputed, so the plan is off. Nothing is lost."),
    Standing.REFUNDED: N_("The last payment was refunded, so the plan is off. Nothing is lost."),
    Standing.UNPAID: N_("The last payment failed, so the plan is off. Nothing is lost; pay it, and the plan is back."),
    Standing.PAUSED: N_("The trial is over and there is no payment method, so the plan is off. Nothing is lost."),
    Standing.UNKNOWN: N_("The subscription is for something that is no plan here. Ask the operator of this server."),
    Standing.ENDED: N_("The subscription has ended. Nothing is lost."),
}


def sentence(standing: Standing) -> str:
    """The message id that says where a person stands; its places are `plan`, `price` and `date` (see `date_of`)."""
    return _SENTENCES[standing]


def date_of(subscription: Subscription, verdict: Verdict) -> datetime | None:
    """The day on which the plan renews or ends, for `sentence`."""
    if verdict.standing is Standing.TRIAL:
        return subscription.trial_end or subscription.period_end
    return verdict.until or subscription.period_end


_SMALLEST_IS_WHOLE = frozenset(
    {"bif", "clp", "djf", "gnf", "jpy", "kmf", "krw", "mga", "pyg", "rwf", "vnd", "vuv", "xaf", "xof", "xpf"}
)
_THOUSANDTHS = frozenset({"bhd", "jod", "kwd", "omr", "tnd"})


def units_of(amount: int, currency: str) -> float:
    """An amount in whole units of its currency, from Stripe's smallest ones (https://docs.stripe.com/currencies)."""
    key = currency.lower()
    if key in _SMALLEST_IS_WHOLE:
        return float(amount)
    return amount / (1000 if key in _THOUSANDTHS else 100)
