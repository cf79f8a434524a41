"""A strict stand-in for the part of Stripe's API that the product calls: form-encoded in, JSON out.

It refuses what Stripe would refuse: another API version, a wrong key, a path or a parameter that the client's own types
do not have, an idempotency key used for two requests. It also serves the pages for paying and for changing a plan, and
delivers signed events, so that everything can be tried on one machine without an account (`loci billing fake`).
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import parse_qsl

import stripe
import stripe.params.billing_portal
import stripe.params.checkout
import stripe.params.entitlements

from app.billing import fake_pages
from app.billing.fake_parameters import Refused, check_parameters, nested
from app.billing.fake_state import FakeState, Json, shown
from app.billing.gateway import EVENTS
from app.billing.stripe_gateway import API_VERSION

Deliver = Callable[[bytes, Mapping[str, str]], Awaitable[bool]]
"""Sends a signed event to the product; whether it was taken."""

# What may be asked, and the client's type of its parameters.
ENDPOINTS: Mapping[tuple[str, str], Any] = {
    ("POST", r"customers"): stripe.params.CustomerCreateParams,
    ("DELETE", r"customers/(\w+)"): stripe.params.CustomerDeleteParams,
    ("GET", r"subscriptions"): stripe.params.SubscriptionListParams,
    ("POST", r"subscriptions/(\w+)"): stripe.params.SubscriptionUpdateParams,
    ("DELETE", r"subscriptions/(\w+)"): stripe.params.SubscriptionCancelParams,
    ("GET", r"charges"): stripe.params.ChargeListParams,
    ("GET", r"charges/(\w+)"): stripe.params.ChargeRetrieveParams,
    ("GET", r"disputes"): stripe.params.DisputeListParams,
    ("GET", r"invoices"): stripe.params.InvoiceListParams,
    ("GET", r"invoice_payments"): stripe.params.InvoicePaymentListParams,
    ("GET", r"prices"): stripe.params.PriceListParams,
    ("GET", r"products/(\w+)"): stripe.params.ProductRetrieveParams,
    ("GET", r"products/(\w+)/features"): stripe.params.ProductFeatureListParams,
    ("GET", r"entitlements/features"): stripe.params.entitlements.FeatureListParams,
    ("GET", r"webhook_endpoints"): stripe.params.WebhookEndpointListParams,
    ("GET", r"billing_portal/configurations"): stripe.params.billing_portal.ConfigurationListParams,
    ("POST", r"billing_portal/sessions"): stripe.params.billing_portal.SessionCreateParams,
    ("POST", r"checkout/sessions"): stripe.params.checkout.SessionCreateParams,
    ("GET", r"checkout/sessions/(\w+)"): stripe.params.checkout.SessionRetrieveParams,
    ("POST", r"checkout/sessions/(\w+)/expire"): stripe.params.checkout.SessionExpireParams,
}
_KINDS = {"charges": "charge", "products": "product", "checkout/sessions": "checkout.session"}


class FakeStripe:
    """The API and the pages as one ASGI application at `base_url`; `state` is what a test looks at and moves."""

    def __init__(
        self,
        *,
        now: int,
        base_url: str = "http://127.0.0.1:12111",
        webhook_url: str = "",
        webhook_secret: str = "whsec_fake",  # noqa: S107 - the stand-in's own
        deliver: Deliver | None = None,
    ) -> None:
        self.state = FakeState(now, API_VERSION)
        self.base_url = base_url
        self.webhook_secret = webhook_secret
        self.calls: list[tuple[str, str, Json]] = []
        self.is_down = False
        """While it is, every call is answered with an error of the server."""
        self._deliver = deliver
        self._delivered = 0
        self._delivering = asyncio.Lock()
        self._answers: dict[str, tuple[str, Json]] = {}
        self._set_up(webhook_url)

    def _set_up(self, webhook_url: str) -> None:
        on: Json = {"enabled": True}
        prices = [
            {
                "product": product["id"],
                "prices": [price["id"] for price in self.state.of("price", product=product["id"])],
            }
            for product in self.state.of("product")
        ]
        features: Json = {
            "customer_update": on, "invoice_history": on, "payment_method_update": on,
            "subscription_cancel": {**on, "mode": "at_period_end"},
            "subscription_update": {**on, "default_allowed_updates": ["price"], "products": prices},
        }  # fmt: skip
        self.state.add("bpc", "billing_portal.configuration", active=True, is_default=True, features=features)
        if webhook_url:
            self.state.add(
                "we", "webhook_endpoint", url=webhook_url, status="enabled", api_version=API_VERSION,
                enabled_events=list(EVENTS),
            )  # fmt: skip

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        body = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        headers = {name.decode().lower(): value.decode() for name, value in scope["headers"]}
        path, text = scope["path"].strip("/"), body.decode() or scope["query_string"].decode()
        if path.startswith("v1/"):
            status, answer = self.api(scope["method"], path.removeprefix("v1/"), text, headers)
            kind, content, more = "application/json", json.dumps(answer).encode(), list[tuple[bytes, bytes]]()
        else:
            page = fake_pages.answer(self.state, scope["method"], path, dict(parse_qsl(text)))
            status, kind, content = page.status, "text/html; charset=utf-8", page.body.encode()
            more = [(b"location", page.location.encode())] if page.location else []
        await self.flush()
        start = [(b"content-type", kind.encode()), (b"content-length", str(len(content)).encode()), *more]
        await send({"type": "http.response.start", "status": status, "headers": start})
        await send({"type": "http.response.body", "body": content})

    async def flush(self) -> None:
        """Deliver the events that wait; one that is not taken is delivered again the next time, as are those after."""
        async with self._delivering:
            while self._deliver is not None and self._delivered < len(self.state.events):
                if not await self._deliver(*self.signed(self.state.events[self._delivered])):
                    return
                self._delivered += 1

    def signed(self, event: Json, *, secret: str | None = None, at: int | None = None) -> tuple[bytes, dict[str, str]]:
        """Body and headers with which an event is delivered."""
        body = json.dumps(event)
        signature = stripe.WebhookSignature.generate_signature_header(body, secret or self.webhook_secret, at)
        return body.encode(), {"content-type": "application/json", "stripe-signature": signature}

    def api(self, method: str, path: str, text: str, headers: Mapping[str, str]) -> tuple[int, Json]:
        """One call: status and answer."""
        try:
            return 200, self._call(method, path, text, headers)
        except Refused as refused:
            kind = "api_error" if refused.status >= 500 else "invalid_request_error"
            return refused.status, {
                "error": {"type": kind, "message": refused.message, "code": refused.code, "param": refused.param}
            }

    def _call(self, method: str, path: str, text: str, headers: Mapping[str, str]) -> Json:
        if self.is_down:
            raise Refused(503, "down")
        if not headers.get("authorization", "").startswith(("Bearer sk_test_", "Bearer rk_test_")):
            raise Refused(401, "Invalid API Key provided")
        if headers.get("stripe-version") != API_VERSION:
            raise Refused(400, f"another API version: {headers.get('stripe-version')}")
        parameters = nested(parse_qsl(text, keep_blank_values=True))
        self.calls.append((method, path, parameters))
        key = headers.get("idempotency-key", "") if method == "POST" else ""
        if key in self._answers:
            sent, answer = self._answers[key]
            if sent != f"{path}?{text}":
                raise Refused(400, "this idempotency key was used for another request", "idempotency_error")
            return answer
        answer = self._answer(method, path, parameters)
        if key:
            self._answers[key] = (f"{path}?{text}", answer)
        return answer

    def _answer(self, method: str, path: str, parameters: Json) -> Json:
        for (of_method, pattern), types in ENDPOINTS.items():
            found = re.fullmatch(pattern, path)
            if of_method == method and found:
                check_parameters(parameters, types)
                id = found.group(1) if found.groups() else ""
                return getattr(self, "_" + _name(method, pattern))(id, parameters)
        raise Refused(404, f"Unrecognized request URL ({method}: /v1/{path})")

    def _get(self, id: str, kind: str) -> Json:
        found = self.state.objects.get(id)
        if found is None or found["object"] != kind:
            raise Refused(404, f"No such {kind}: '{id}'", "resource_missing")
        return found

    def _list(self, found: list[Json], parameters: Json) -> Json:
        limit = int(parameters.get("limit", 10))
        return {
            "object": "list",
            "url": "/v1/",
            "has_more": len(found) > limit,
            "data": [shown(x) for x in found[:limit]],
        }

    # One method for each endpoint, named by `_name`.

    def _post_customers(self, _id: str, given: Json) -> Json:
        made = self.state.add("cus", "customer", email=given.get("email"), metadata=given.get("metadata", {}))
        return shown(made)

    def _delete_customers(self, id: str, _given: Json) -> Json:
        customer = self._get(id, "customer")
        if customer.get("deleted"):
            raise Refused(404, "No such customer", "resource_missing")
        self.state.delete_customer(customer)
        return {"id": id, "object": "customer", "deleted": True}

    def _get_subscriptions(self, _id: str, given: Json) -> Json:
        if self._get(given["customer"], "customer").get("deleted"):
            raise Refused(404, "No such customer", "resource_missing")
        return self._list(self.state.of("subscription", customer=given["customer"]), given)

    def _post_subscriptions(self, id: str, given: Json) -> Json:
        subscription = self._get(id, "subscription")
        if subscription["status"] == "canceled" or given not in ({"cancel_at_period_end": "false"}, {"cancel_at": ""}):
            raise Refused(400, "The stand-in takes back cancellations of live subscriptions only")
        self.state.resume(subscription)
        return shown(subscription)

    def _delete_subscriptions(self, id: str, _given: Json) -> Json:
        subscription = self._get(id, "subscription")
        if subscription["status"] == "canceled":
            raise Refused(404, "No such subscription", "resource_missing")
        self.state.end(subscription)
        return shown(subscription)

    def _get_charges(self, id: str, given: Json) -> Json:
        return shown(self._get(id, "charge")) if id else self._list(self.state.of("charge", **_but_limit(given)), given)

    def _get_disputes(self, _id: str, given: Json) -> Json:
        return self._list(self.state.of("dispute", **_but_limit(given)), given)

    def _get_invoices(self, _id: str, given: Json) -> Json:
        wanted = {"_subscription": given["subscription"], "status": given["status"]}
        return self._list(self.state.of("invoice", **wanted), given)

    def _get_invoice_payments(self, _id: str, given: Json) -> Json:
        return self._list(self.state.of("invoice_payment", **_but_limit(given)), given)

    def _get_prices(self, _id: str, given: Json) -> Json:
        wanted = given["lookup_keys"]
        if len(wanted) > 10:
            raise Refused(400, "at most 10 lookup keys")
        found = [price for price in self.state.of("price", active=True) if price["lookup_key"] in wanted]
        return self._list(found, given)

    def _get_products(self, id: str, _given: Json) -> Json:
        return shown(self._get(id, "product"))

    def _get_products_features(self, id: str, given: Json) -> Json:
        self._get(id, "product")
        return self._list(self.state.of("product_feature", _product=id), given)

    def _get_entitlements_features(self, _id: str, given: Json) -> Json:
        return self._list(self.state.of("entitlements.feature", active=True), given)

    def _get_webhook_endpoints(self, _id: str, given: Json) -> Json:
        return self._list(self.state.of("webhook_endpoint"), given)

    def _get_billing_portal_configurations(self, _id: str, given: Json) -> Json:
        return self._list(self.state.of("billing_portal.configuration", active=True), given)

    def _post_billing_portal_sessions(self, _id: str, given: Json) -> Json:
        self._get(given["customer"], "customer")
        made = self.state.add(
            "bps", "billing_portal.session", customer=given["customer"], return_url=given["return_url"]
        )
        made["url"] = f"{self.base_url}/p/session/{made['id']}"
        return shown(made)

    def _post_checkout_sessions(self, id: str, given: Json) -> Json:
        if id:
            session = self._get(id, "checkout.session")
            if session["status"] != "open":
                raise Refused(400, "Only open sessions can be expired")
            session["status"] = "expired"
            return shown(session)
        if self._get(given["customer"], "customer").get("deleted"):
            raise Refused(400, "No such customer", "resource_missing", "customer")
        [line] = given["line_items"]
        if not self._get(line["price"], "price")["active"]:
            raise Refused(400, "The price is not active")
        made = self.state.add(
            "cs_test", "checkout.session", mode=given["mode"], status="open", payment_status="unpaid",
            customer=given["customer"], client_reference_id=given.get("client_reference_id"), subscription=None,
            expires_at=self.state.now + 86_400, success_url=given["success_url"], cancel_url=given["cancel_url"],
            _price=line["price"], _codes=given.get("allow_promotion_codes") == "true",
            _trial_days=int(given.get("subscription_data", {}).get("trial_period_days", 0)),
        )  # fmt: skip
        made["url"] = f"{self.base_url}/c/pay/{made['id']}"
        return shown(made)

    def _get_checkout_sessions(self, id: str, _given: Json) -> Json:
        return shown(self._get(id, "checkout.session"))


def _name(method: str, pattern: str) -> str:
    words = re.findall(r"[a-z_]+", pattern.replace(r"(\w+)", " ").replace("/expire", ""))
    return "_".join([method.lower(), *words])


def _but_limit(given: Json) -> Json:
    return {name: value for name, value in given.items() if name != "limit"}
