"""Stripe behind `Gateway`, with its own client and the API version that the client's types are of.

An exception of the client never leaves here: its text may quote what was sent.
"""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import TypeVar

import stripe

from app.billing import reading
from app.billing.checking import check_setup
from app.billing.gateway import (
    LOOKUP_KEYS,
    CheckoutOrder,
    CheckoutPage,
    Finding,
    Gone,
    PaymentsUnavailable,
    Price,
)
from app.core import logs
from app.domain.billing import Payment, Status, Subscription
from app.domain.plans import Plan

API_VERSION = "2026-10-28.endive"
"""The version that the pinned client's types describe; the webhook endpoint is to have the same."""
_SECONDS = 10
_RETRIES = 1  # within a call; a job tries again by itself
_MOST = 100
_log = logs.get_logger(__name__)
Answer = TypeVar("Answer")

# Beyond which there is nothing to cancel, and no payment to look for.
_FINAL = frozenset({Status.CANCELED, Status.INCOMPLETE_EXPIRED})


class StripeGateway:
    """`api_url` is another address for the API than Stripe's: that of the stand-in on this machine."""

    def __init__(
        self,
        secret_key: str,
        *,
        api_url: str = "",
        portal_configuration: str = "",
        http_client: stripe.HTTPClient | None = None,
    ) -> None:
        stripe.enable_telemetry = False
        self.livemode = "_live_" in secret_key
        self._portal_configuration = portal_configuration
        self._http = http_client or stripe.HTTPXClient(timeout=_SECONDS)
        self._client = stripe.StripeClient(
            secret_key,
            stripe_version=API_VERSION,
            base_addresses={"api": api_url} if api_url else None,
            max_network_retries=_RETRIES,
            http_client=self._http,
        )

    async def create_customer(self, email: str, account_id: int, key: str) -> str:
        customer = await _asked(
            self._client.v1.customers.create_async(
                {"email": email, "metadata": {"loci_account": str(account_id)}}, {"idempotency_key": key}
            )
        )
        return customer.id

    async def subscriptions(self, customer: str) -> Sequence[Subscription]:
        try:
            return await self._subscriptions(customer)
        except (AttributeError, LookupError, ValueError) as error:  # a status or a shape of another version
            if isinstance(error, Gone):
                raise
            _log.error("billing_answer_unreadable", exc_info=error)
            raise PaymentsUnavailable from None

    async def _subscriptions(self, customer: str) -> Sequence[Subscription]:
        found = await _asked(
            self._client.v1.subscriptions.list_async({"customer": customer, "status": "all", "limit": _MOST})
        )
        if not found.data:
            return ()
        plans: dict[str, Plan | None] = {}
        read: list[Subscription] = []
        for given in found.data:
            for item in given.items.data:
                product = reading.id_of(item.price.product)
                if product and product not in plans:
                    plans[product] = await self._plan_of(product)
            read.append(await self._read(given, plans))
        return read

    async def _read(self, given: stripe.Subscription, plans: dict[str, Plan | None]) -> Subscription:
        items = given.items.data
        plan = plans.get(reading.id_of(items[0].price.product) or "") if items else None
        payment, unpaid_since = Payment.KEPT, None
        if given.status not in _FINAL:
            charge = await self._last_charge(given.id)
            disputes: Sequence[stripe.Dispute] = ()
            if charge is not None and charge.disputed:
                disputes = (
                    await _asked(self._client.v1.disputes.list_async({"charge": charge.id, "limit": _MOST}))
                ).data
            payment = reading.payment(charge, disputes)
        if given.status == Status.PAST_DUE:
            unpaid = await _asked(
                self._client.v1.invoices.list_async({"subscription": given.id, "status": "open", "limit": _MOST})
            )
            unpaid_since = reading.moment(min((invoice.created for invoice in unpaid.data), default=None))
        return reading.subscription(given, plan=plan, payment=payment, unpaid_since=unpaid_since)

    async def _last_charge(self, subscription: str) -> stripe.Charge | None:
        """What was charged for the subscription's last paid invoice; None where nothing was, or not through Stripe.

        By its own invoices: a customer's charges do not say what they are for, and the first is older than the
        subscription.
        """
        client = self._client.v1
        invoices = await _asked(
            client.invoices.list_async({"subscription": subscription, "status": "paid", "limit": _MOST})
        )
        invoice = reading.last_paid(invoices.data)
        if invoice is None:
            return None
        payments = await _asked(
            client.invoice_payments.list_async({"invoice": invoice.id, "status": "paid", "limit": _MOST})
        )
        for made in sorted(payments.data, key=lambda made: made.created, reverse=True):
            if intent := reading.id_of(made.payment.payment_intent):
                charges = await _asked(client.charges.list_async({"payment_intent": intent, "limit": _MOST}))
                if paid := reading.paid_charge(charges.data):
                    return paid
            elif charge := reading.id_of(made.payment.charge):
                return await _asked(client.charges.retrieve_async(charge))
        return None

    async def _plan_of(self, product: str) -> Plan | None:
        try:
            features = await _asked(self._client.v1.products.features.list_async(product, {"limit": _MOST}))
        except Gone:
            return None
        return reading.plan_of(features.data)

    async def customer_of_charge(self, charge: str) -> str | None:
        with suppress(Gone):
            return reading.id_of((await _asked(self._client.v1.charges.retrieve_async(charge))).customer)
        return None

    async def open_checkout(self, order: CheckoutOrder, key: str) -> CheckoutPage:
        account = str(order.account_id)
        subscription_data: stripe.params.checkout.SessionCreateParamsSubscriptionData = {
            "metadata": {"loci_account": account}
        }
        if order.trial_days:
            subscription_data["trial_period_days"] = order.trial_days
        parameters: stripe.params.checkout.SessionCreateParams = {
            "mode": "subscription",
            "customer": order.customer,
            "client_reference_id": account,
            "line_items": [{"price": order.price_id, "quantity": 1}],
            "allow_promotion_codes": True,
            "subscription_data": subscription_data,
            "success_url": order.success_url,
            "cancel_url": order.cancel_url,
            "locale": order.locale,
        }
        if order.automatic_tax:
            parameters["automatic_tax"] = {"enabled": True}
            parameters["customer_update"] = {"address": "auto"}
        session = await _asked(self._client.v1.checkout.sessions.create_async(parameters, {"idempotency_key": key}))
        if session.url is None:
            raise PaymentsUnavailable
        return CheckoutPage(session.id, session.url, datetime.fromtimestamp(session.expires_at, UTC))

    async def expire_checkout(self, session_id: str) -> None:
        with suppress(Gone):
            session = await _asked(self._client.v1.checkout.sessions.retrieve_async(session_id))
            if session.status == "open":
                await _asked(self._client.v1.checkout.sessions.expire_async(session_id))

    async def open_portal(self, customer: str, return_url: str, locale: str) -> str:
        parameters: stripe.params.billing_portal.SessionCreateParams = {
            "customer": customer,
            "return_url": return_url,
            "locale": locale,
        }
        if self._portal_configuration:
            parameters["configuration"] = self._portal_configuration
        return (await _asked(self._client.v1.billing_portal.sessions.create_async(parameters))).url

    async def resume(self, subscription: str, *, cancels_with_period: bool, key: str) -> None:
        change: stripe.params.SubscriptionUpdateParams = (
            {"cancel_at_period_end": False} if cancels_with_period else {"cancel_at": ""}
        )
        await _asked(self._client.v1.subscriptions.update_async(subscription, change, {"idempotency_key": key}))

    async def close_customer(self, customer: str) -> None:
        with suppress(Gone):
            found = await _asked(
                self._client.v1.subscriptions.list_async({"customer": customer, "status": "all", "limit": _MOST})
            )
            for subscription in found.data:
                if subscription.status not in _FINAL:
                    with suppress(Gone):
                        await _asked(self._client.v1.subscriptions.cancel_async(subscription.id))
            await _asked(self._client.v1.customers.delete_async(customer))

    async def offers(self) -> Sequence[Price]:
        offered: list[Price] = []
        for price in await self._prices():
            found = reading.offer(price, await self._plan_of(reading.id_of(price.product) or ""))
            if isinstance(found, Price):
                offered.append(found)
            else:
                _log.warning("billing_price_passed_over", price=price.id, why=found)
        return offered

    async def _prices(self) -> Sequence[stripe.Price]:
        found = await _asked(
            self._client.v1.prices.list_async({"lookup_keys": list(LOOKUP_KEYS), "active": True, "limit": _MOST})
        )
        return found.data

    async def check(self, webhook_url: str) -> Sequence[Finding]:
        return await _asked(self._check(webhook_url))

    async def _check(self, webhook_url: str) -> Sequence[Finding]:
        try:
            return await check_setup(self._client, webhook_url, API_VERSION, self._portal_configuration)
        except stripe.AuthenticationError:
            return [Finding(False, "Stripe does not accept LOCI_STRIPE_SECRET_KEY.")]
        except stripe.PermissionError:
            return [
                Finding(False, "The restricted key may not read what is checked; docs/billing.md lists its rights.")
            ]

    async def close(self) -> None:
        await self._http.close_async()


async def _asked(call: Awaitable[Answer]) -> Answer:
    """The answer of a call. Raises `Gone`, or `PaymentsUnavailable` with a log line that says why."""
    try:
        return await call
    except stripe.StripeError as error:
        if isinstance(error, stripe.InvalidRequestError) and error.code == "resource_missing":
            raise Gone(str(error.param or "")) from None  # pyright: ignore[reportUnknownArgumentType] - has no type
        _log.warning(
            "billing_call_failed",
            kind=type(error).__name__,
            status=error.http_status,
            code=error.code,
            stripe_request=error.request_id,
        )
        raise PaymentsUnavailable from None
