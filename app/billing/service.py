"""Commands of the billing area. What is said to Stripe is said outside of transactions, under keys made of our rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from asyncpg import Record

from app.accounts.entitlements import lock
from app.accounts.views import AccountView
from app.billing import queries, sync
from app.billing.gateway import CheckoutOrder, Gateway, Gone, PaymentsUnavailable
from app.core import queue
from app.core.db import atomic, changed_rows, execute, fetch_row, fetch_value
from app.core.settings import Settings
from app.domain.billing import is_running
from app.domain.errors import N_, Conflict, InvalidInput, NotFound

CLOSE_JOB = "billing_close"
"""Ends the subscriptions of a customer whose account is gone; a trigger of the database writes it."""
BACK = "/plan/back"
"""Where Stripe's pages lead back to."""


@dataclass(frozen=True, slots=True)
class _Customer:
    id: int
    stripe_id: str


async def start_checkout(
    gateway: Gateway, account: AccountView, price_id: str, settings: Settings, *, now: datetime
) -> str:
    """The address of Stripe's page for paying this price. A page that was opened before is closed.

    Raises `InvalidInput` when the price is not offered, `Conflict` when a subscription is running.
    """
    offered = await queries.offers(gateway.livemode)
    if price_id not in {price.price_id for price in offered}:
        raise InvalidInput(N_("This is not offered any more."), N_("Choose one of those below."), field="price")
    await sync.refresh(gateway, account.id, grace=grace_of(settings), now=now)
    before = await queries.subscriptions(account.id, gateway.livemode)
    if any(map(is_running, before)):
        raise Conflict(
            N_("You have a subscription already."), N_("Change it under “Manage plan, payment and invoices”.")
        )
    customer = await _customer(gateway, account, now)
    try:
        return await _open(gateway, account, customer, price_id, settings, trial=not before, now=now)
    except Gone as gone:  # somebody erased the customer at Stripe: begin anew
        if gone.parameter != "customer":
            raise PaymentsUnavailable from None
        await execute("DELETE FROM billing_customer WHERE account_id = $1 AND id = $2", account.id, customer.id)
        customer = await _customer(gateway, account, now)
    try:
        return await _open(gateway, account, customer, price_id, settings, trial=not before, now=now)
    except Gone:
        raise PaymentsUnavailable from None


async def _open(
    gateway: Gateway,
    account: AccountView,
    customer: _Customer,
    price_id: str,
    settings: Settings,
    *,
    trial: bool,
    now: datetime,
) -> str:
    row = await _visit(gateway, account.id, customer.id, price_id, now)
    order = CheckoutOrder(
        customer=customer.stripe_id,
        account_id=account.id,
        price_id=price_id,
        success_url=settings.base_url + BACK + "?paid=1",
        cancel_url=settings.base_url + "/plan",
        trial_days=settings.stripe_trial_days if trial else 0,
        automatic_tax=settings.stripe_automatic_tax,
        locale=account.language,
    )
    made = await gateway.open_checkout(order, _key("checkout", row["id"], row["created_at"]))
    await execute(
        "UPDATE billing_checkout SET session_id = $3, expires_at = $4 WHERE account_id = $1 AND id = $2",
        account.id,
        row["id"],
        made.session_id,
        made.expires_at,
    )
    return made.url


async def _visit(gateway: Gateway, account_id: int, customer_id: int, price_id: str, now: datetime) -> Record:
    """The one visit to the page for paying that an account has.

    Two requests at once get the same row, whose id is the key of the request to Stripe, so they get the same page. A
    page that was opened before, and may have been paid, is closed first; while it cannot be, no other is opened.
    """
    while True:
        async with atomic():
            await lock(account_id)
            row = await fetch_row(
                "SELECT id, customer_id, price_id, session_id, created_at, expires_at FROM billing_checkout "
                "WHERE account_id = $1 ORDER BY id DESC LIMIT 1",
                account_id,
            )
            if row is None:
                made = await fetch_row(
                    "INSERT INTO billing_checkout (account_id, customer_id, price_id, created_at) "
                    "VALUES ($1, $2, $3, $4) RETURNING id, created_at",
                    account_id,
                    customer_id,
                    price_id,
                    now,
                )
                if made is None:
                    raise PaymentsUnavailable
                return made
            if row["price_id"] == price_id and row["customer_id"] == customer_id and _is_being_opened(row, now):
                return row
        if row["session_id"] and row["expires_at"] > now:
            await gateway.expire_checkout(row["session_id"])
        await execute("DELETE FROM billing_checkout WHERE account_id = $1 AND id = $2", account_id, row["id"])


def _is_being_opened(row: Record, now: datetime) -> bool:
    """Whether a visit has no page yet and may get one by the same key, which Stripe knows for a day."""
    return row["session_id"] is None and bool(row["created_at"] > now - timedelta(hours=1))


async def _customer(gateway: Gateway, account: AccountView, now: datetime) -> _Customer:
    """The account's customer, made where there is none."""
    row = await fetch_row(
        "INSERT INTO billing_customer (account_id, livemode, created_at, read_ticket, written_ticket) "
        "VALUES ($1, $2, $3, 0, 0) ON CONFLICT (account_id, livemode) DO UPDATE SET livemode = excluded.livemode "
        "RETURNING id, stripe_id, created_at",
        account.id,
        gateway.livemode,
        now,
    )
    if row is None:
        raise NotFound(N_("There is no such account."))
    if row["stripe_id"]:
        return _Customer(row["id"], row["stripe_id"])
    made = await gateway.create_customer(account.email, account.id, _key("customer", row["id"], row["created_at"]))
    async with atomic():
        tag = await execute(
            "UPDATE billing_customer SET stripe_id = $3 WHERE account_id = $1 AND id = $2", account.id, row["id"], made
        )
        if not changed_rows(tag):  # the account was erased in the meantime
            await queue.enqueue(CLOSE_JOB, {"customer": made, "livemode": gateway.livemode}, now)
            raise NotFound(N_("There is no such account."))
    return _Customer(row["id"], made)


async def open_portal(gateway: Gateway, account: AccountView, settings: Settings) -> str:
    """The address of Stripe's page for changing, cancelling and invoices. Raises `NotFound` without a customer."""
    customer = await fetch_value(
        "SELECT stripe_id FROM billing_customer WHERE account_id = $1 AND livemode = $2", account.id, gateway.livemode
    )
    if customer is None:
        raise NotFound(N_("You have not subscribed to anything yet."))
    try:
        return await gateway.open_portal(customer, settings.base_url + BACK, account.language)
    except Gone:
        raise PaymentsUnavailable from None


async def resume(gateway: Gateway, account_id: int, settings: Settings, *, now: datetime) -> None:
    """Take a cancellation back before it happens. Raises `Conflict` when there is none."""
    await sync.refresh(gateway, account_id, grace=grace_of(settings), now=now)
    found = (await queries.standing(account_id, settings, now=now)).subscription
    if found is None or found.cancel_at is None or not is_running(found):
        raise Conflict(N_("There is no cancellation to take back."))
    key = _key("resume", found.stripe_id, now)  # it may be cancelled and resumed again before the same day
    try:
        await gateway.resume(found.stripe_id, cancels_with_period=found.cancels_with_period, key=key)
    except Gone:
        raise PaymentsUnavailable from None
    try:
        await sync.refresh(gateway, account_id, grace=grace_of(settings), now=now)
    except PaymentsUnavailable:  # it is resumed; what is shown of it follows
        await queue.enqueue(sync.REFRESH_JOB, {"account_id": account_id}, now)


async def close(gateway: Gateway, payload: Mapping[str, Any]) -> None:
    """End what a customer has whose account is gone. Raises `LookupError` for one of the other mode."""
    if payload["livemode"] is not gateway.livemode:
        raise LookupError("the customer is of the other mode")
    await gateway.close_customer(payload["customer"])


def grace_of(settings: Settings) -> timedelta:
    return timedelta(days=settings.stripe_grace_days)


def _key(of: str, row: int | str, at: datetime) -> str:
    """An idempotency key. The time tells rows apart that another database gave the same number."""
    return f"loci-{of}-{row}-{at:%Y%m%d%H%M%S%f}"
