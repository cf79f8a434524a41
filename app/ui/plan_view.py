"""Where a person stands with their plan, in words: prices, dates, the one sentence of a subscription."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from babel.dates import format_date
from babel.numbers import format_currency

from app.billing.queries import PlanStanding
from app.domain.billing import Interval, units_of
from app.domain.errors import N_
from app.domain.plans import Plan
from app.ui.render import Reader, translate

_A = {Interval.MONTH: N_("%(amount)s a month"), Interval.YEAR: N_("%(amount)s a year")}


def plan_name(plan: Plan) -> str:
    """The name of a plan, the same in every language."""
    return plan.value.capitalize()


def price_text(reader: Reader, amount: int | None, currency: str, interval: Interval | None) -> str:
    """`€4.00 a month`. What has no fixed amount is the agreed price."""
    if amount is None or interval is None:
        return translate(reader, N_("the agreed price"))
    money = format_currency(units_of(amount, currency), currency.upper(), locale=reader.language)
    return translate(reader, _A[interval], amount=money)


def standing_text(reader: Reader, standing: PlanStanding) -> str:
    """What the subscription costs, and when it renews or ends or why it gives nothing; empty without one."""
    subscription = standing.subscription
    if subscription is None:
        return ""
    date = standing.date
    return translate(
        reader,
        standing.message,
        plan=plan_name(subscription.plan) if subscription.plan else "",
        price=price_text(reader, subscription.amount, subscription.currency, subscription.interval),
        date=format_date(date.astimezone(ZoneInfo(reader.zone)), "long", locale=reader.language) if date else "",
    )
