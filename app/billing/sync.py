"""Reading the truth from Stripe into our rows: a customer's subscriptions, the prices on offer, everybody nightly.

A reading takes a ticket before it begins and is written only when none that began later has been. Whatever changes at
Stripe sends an event, and the reading of that event begins after the change; so the last one written has seen the last
change, however many run at once and in whatever order they end.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from app.accounts.entitlements import entitle, withdraw
from app.billing.gateway import Gateway, Gone
from app.billing.rows import source_of
from app.core import logs, queue
from app.core.db import atomic, execute, execute_many, fetch, fetch_value
from app.domain.billing import Subscription, decisive, is_running, judge
from app.domain.errors import NotFound
from app.domain.plans import Entitlement, Plan

REFRESH_JOB = "billing_refresh"
OFFERS_JOB = "billing_offers"
RECONCILE_JOB = "billing_reconcile"
REREAD_JOB = "billing_reread"
"""As `REFRESH_JOB`, of the nightly reading: it waits while somebody does."""
_APART = timedelta(milliseconds=300)
_OFFERS_AGE = timedelta(hours=1)
_NIGHT_HOUR = 3
_log = logs.get_logger(__name__)


async def account_of(customer: str, livemode: bool) -> int | None:
    """Whose customer this is."""
    return await fetch_value(
        "SELECT account_id FROM billing_customer WHERE stripe_id = $1 AND livemode = $2", customer, livemode
    )


async def refresh(gateway: Gateway, account_id: int, *, grace: timedelta, now: datetime) -> None:
    """Read an account's subscriptions and settle its plan. Raises `PaymentsUnavailable`; then nothing has changed."""
    rows = await fetch(
        "UPDATE billing_customer SET read_ticket = read_ticket + 1 "
        "WHERE account_id = $1 AND livemode = $2 AND stripe_id IS NOT NULL RETURNING id, stripe_id, read_ticket",
        account_id,
        gateway.livemode,
    )
    for row in rows:  # one at most
        try:
            found = await gateway.subscriptions(row["stripe_id"])
        except Gone:
            found = ()
        try:
            await _write(account_id, row["id"], row["read_ticket"], found, gateway.livemode, grace, now)
        except NotFound:
            _log.info("billing_account_gone", account=account_id)


async def _write(
    account_id: int,
    customer_id: int,
    ticket: int,
    found: Sequence[Subscription],
    livemode: bool,
    grace: timedelta,
    now: datetime,
) -> None:
    async with atomic():
        await fetch_value("SELECT id FROM account WHERE id = $1 FOR UPDATE", account_id)
        written = await fetch_value(
            "UPDATE billing_customer SET written_ticket = $3, read_at = $4 "
            "WHERE account_id = $1 AND id = $2 AND written_ticket < $3 RETURNING id",
            account_id,
            customer_id,
            ticket,
            now,
        )
        if written is None:
            return
        await execute(
            "DELETE FROM billing_subscription WHERE account_id = $1 AND customer_id = $2 AND stripe_id <> ALL($3)",
            account_id,
            customer_id,
            [subscription.stripe_id for subscription in found],
        )
        await execute_many(_UPSERT, [_values(account_id, customer_id, each) for each in found])
        counts = decisive(found, now=now, grace=grace)
        verdict = judge(counts, now=now, grace=grace) if counts else None
        given = Entitlement(source_of(livemode), *((verdict.plan, verdict.until) if verdict else (Plan.FREE, None)))
        plan = await entitle(account_id, given, now=now)
    _log.info(
        "billing_read", account=account_id, standing=verdict.standing.value if verdict else "none", plan=plan.value
    )
    if sum(map(is_running, found)) > 1:
        _log.warning("billing_several_subscriptions", account=account_id)


_COLUMNS = (
    "account_id, customer_id, stripe_id, status, plan, price_id, product_id, interval, amount, currency, created_at, "
    "period_end, cancel_at, cancels_with_period, trial_end, unpaid_since, payment"
)
_UPSERT = (
    f"INSERT INTO billing_subscription ({_COLUMNS}) VALUES ({', '.join(f'${n}' for n in range(1, 18))}) "  # noqa: S608
    "ON CONFLICT (account_id, stripe_id) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in _COLUMNS.split(", ")[3:])
)


def _values(account_id: int, customer_id: int, of: Subscription) -> tuple[object, ...]:
    return (
        account_id, customer_id, of.stripe_id, of.status, of.plan, of.price_id, of.product_id, of.interval, of.amount,
        of.currency, of.created_at, of.period_end, of.cancel_at, of.cancels_with_period, of.trial_end, of.unpaid_since,
        of.payment,
    )  # fmt: skip


async def read_offers(gateway: Gateway, *, now: datetime) -> None:
    """Read the prices that are offered. Raises `PaymentsUnavailable`; then the last ones stay."""
    offers = await gateway.offers()
    async with atomic():
        await execute("DELETE FROM billing_price WHERE livemode = $1", gateway.livemode)
        await execute_many(
            "INSERT INTO billing_price (price_id, livemode, product_id, plan, interval, amount, currency, read_at) "
            "VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (price_id) DO NOTHING",
            [
                (of.price_id, gateway.livemode, of.product_id, of.plan, of.interval, of.amount, of.currency, now)
                for of in offers
            ],
        )


async def reconcile(gateway: Gateway, *, now: datetime) -> None:
    """Have every customer read again, one after the other, and the prices: for events that never came."""
    await read_offers(gateway, now=now)
    rows = await fetch(
        "SELECT account_id FROM billing_customer WHERE livemode = $1 AND stripe_id IS NOT NULL ORDER BY account_id",
        gateway.livemode,
    )
    await queue.enqueue_apart(REREAD_JOB, [{"account_id": row["account_id"]} for row in rows], now, _APART)


async def keep_up(livemode: bool, *, now: datetime) -> None:
    """What is due by the clock: the nightly reading, fresh prices; and nothing counts that the other mode gave."""
    night = now.replace(hour=_NIGHT_HOUR, minute=0, second=0, microsecond=0)
    await queue.enqueue_once(RECONCILE_JOB, now, run_at=night if night > now else night + timedelta(days=1))
    read_at = await fetch_value("SELECT max(read_at) FROM billing_price WHERE livemode = $1", livemode)
    if read_at is None or read_at < now - _OFFERS_AGE:
        await queue.enqueue_once(OFFERS_JOB, now)
    await withdraw(source_of(not livemode), now=now)
    if await _was_withdrawn(livemode):
        await queue.hasten(RECONCILE_JOB, now)


async def _was_withdrawn(livemode: bool) -> bool:
    """Whether the other mode was used in the meantime: people have running subscriptions, and nobody their plan."""
    return bool(
        await fetch_value(
            "SELECT EXISTS (SELECT FROM billing_subscription AS subscription JOIN billing_customer AS customer "
            "ON customer.account_id = subscription.account_id AND customer.id = subscription.customer_id "
            "WHERE customer.livemode = $1 AND subscription.status IN ('active', 'trialing') "
            "AND subscription.plan IS NOT NULL AND subscription.payment = 'kept') "
            "AND NOT EXISTS (SELECT FROM entitlement WHERE source = $2)",
            livemode,
            source_of(livemode),
        )
    )
