"""What `loci billing check` looks at: everything of docs/billing.md that an operator sets up at Stripe."""

from __future__ import annotations

from collections.abc import Sequence

import stripe

from app.billing import reading
from app.billing.gateway import EVENTS, FEATURES, LOOKUP_KEYS, Finding, Price
from app.domain.billing import units_of

_MOST = 100


async def check_setup(
    client: stripe.StripeClient, webhook_url: str, api_version: str, portal_configuration: str
) -> list[Finding]:
    """All findings, in the order of the document. Raises what the client raises."""
    return [
        *await _features(client),
        *await _prices(client),
        *await _webhooks(client, webhook_url, api_version),
        *await _portal(client, portal_configuration),
    ]


async def _features(client: stripe.StripeClient) -> list[Finding]:
    found = await client.v1.entitlements.features.list_async({"archived": False, "limit": _MOST})
    known = {feature.lookup_key async for feature in found.auto_paging_iter() if feature.active}
    return [
        Finding(True, f"Entitlement feature {key} exists.")
        if key in known
        else Finding(False, f"There is no entitlement feature with the lookup key {key}. Create it.")
        for key in FEATURES
    ]


async def _prices(client: stripe.StripeClient) -> list[Finding]:
    found = await client.v1.prices.list_async({"lookup_keys": list(LOOKUP_KEYS), "active": True, "limit": _MOST})
    prices = {price.lookup_key: price for price in found.data}
    findings: list[Finding] = []
    currencies: set[str] = set()
    for key in LOOKUP_KEYS:
        price = prices.get(key)
        if price is None:
            findings.append(Finding(False, f"There is no active price with the lookup key {key}. Create it."))
            continue
        product_id = reading.id_of(price.product) or ""
        product = await client.v1.products.retrieve_async(product_id)
        attached = await client.v1.products.features.list_async(product_id, {"limit": _MOST})
        offered = reading.offer(price, reading.plan_of(attached.data))
        currencies.add(price.currency)
        if not product.active:
            findings.append(Finding(False, f"Price {key}: its product {product_id} is archived. Activate it."))
        elif isinstance(offered, Price):
            amount = f"{units_of(offered.amount, offered.currency):g} {offered.currency.upper()}"
            findings.append(Finding(True, f"Price {key}: {amount} a {offered.interval}, gives {offered.plan}."))
        else:
            findings.append(Finding(False, f"Price {key}: {offered}. Correct it at Stripe."))
    if len(currencies) > 1:
        findings.append(Finding(False, "The prices have several currencies; a change of plan needs one."))
    return findings


async def _webhooks(client: stripe.StripeClient, webhook_url: str, api_version: str) -> list[Finding]:
    found = await client.v1.webhook_endpoints.list_async({"limit": _MOST})
    ours = [endpoint async for endpoint in found.auto_paging_iter() if endpoint.url == webhook_url]
    if not ours:
        return [Finding(False, f"No webhook endpoint has the address {webhook_url}. Create it.")]
    endpoint = ours[0]
    findings: list[Finding] = []
    if endpoint.status != "enabled":
        findings.append(Finding(False, "The webhook endpoint is disabled. Enable it."))
    if endpoint.api_version != api_version:
        findings.append(
            Finding(False, f"The webhook endpoint sends API version {endpoint.api_version}; it takes {api_version}.")
        )
    missing = [] if "*" in endpoint.enabled_events else sorted(set(EVENTS) - set(endpoint.enabled_events))
    if missing:
        findings.append(Finding(False, f"The webhook endpoint does not send {', '.join(missing)}. Add them."))
    if len(ours) > 1:
        findings.append(Finding(False, "Two webhook endpoints have this address. Delete one."))
    return findings or [Finding(True, f"Webhook endpoint {webhook_url} sends what is needed.")]


async def _portal(client: stripe.StripeClient, wanted: str) -> list[Finding]:
    found = await client.v1.billing_portal.configurations.list_async(
        {"active": True, "limit": _MOST, "expand": ["data.features.subscription_update.products"]}
    )
    ours = [each for each in found.data if (each.id == wanted if wanted else each.is_default)]
    if not ours:
        name = f"{wanted} (LOCI_STRIPE_PORTAL_CONFIGURATION)" if wanted else "by default"
        return [Finding(False, f"There is no active portal configuration {name}. Save one in the portal's settings.")]
    features = ours[0].features
    wrong = [
        f"The portal does not let people {what}. Turn that on."
        for what, on in (
            ("cancel their subscription", features.subscription_cancel.enabled),
            ("change their plan", features.subscription_update.enabled),
            ("change their payment method", features.payment_method_update.enabled),
            ("see their invoices", features.invoice_history.enabled),
        )
        if not on
    ]
    if features.subscription_cancel.enabled and features.subscription_cancel.mode != "at_period_end":
        wrong.append(
            "The portal cancels at once. Let it cancel at the end of the period: that is what people paid for."
        )
    if features.subscription_update.enabled:
        # Some answers leave the list out; what cannot be seen is not called wrong.
        listed = getattr(features.subscription_update, "products", None)
        if listed is not None:
            wrong.extend(await _unlisted(client, listed))
    return [Finding(False, text) for text in wrong] or [
        Finding(True, "The customer portal changes, cancels and shows invoices.")
    ]


async def _unlisted(
    client: stripe.StripeClient,
    listed: Sequence[stripe.billing_portal.Configuration.Features.SubscriptionUpdate.Product],
) -> list[str]:
    """Prices that are offered, and that the portal does not let people change to."""
    reachable = {price for product in listed for price in product.prices}
    found = await client.v1.prices.list_async({"lookup_keys": list(LOOKUP_KEYS), "active": True, "limit": _MOST})
    missing = sorted(price.lookup_key or "" for price in found.data if price.id not in reachable)
    return [f"The portal does not offer {key} as a change of plan. Add its product and price." for key in missing]


def check_key(secret_key: str, webhook_secrets: Sequence[str], base_url: str) -> list[Finding]:
    """What can be said of the settings alone."""
    findings: list[Finding] = []
    live = "_live_" in secret_key
    if not webhook_secrets:
        findings.append(Finding(False, "LOCI_STRIPE_WEBHOOK_SECRET is not set: no event is accepted."))
    if live and not base_url.startswith("https://"):
        findings.append(Finding(False, "A live key needs LOCI_PUBLIC_URL with https: Stripe delivers nowhere else."))
    mode = "live mode: people pay" if live else "test mode: nobody pays"
    return findings or [Finding(True, f"The settings are complete, {mode}.")]
