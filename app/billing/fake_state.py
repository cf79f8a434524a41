"""What the stand-in for Stripe knows: its objects in Stripe's shapes, a clock of its own, and what people and banks do.

Everything that happens leaves events behind, as Stripe's would be. Times are Unix seconds.
"""

from __future__ import annotations

import json
from typing import Any, Final

from app.billing.gateway import FEATURES, LOOKUP_KEYS

Json = dict[str, Any]
DAY: Final = 86_400
MONTH: Final = 30 * DAY
YEAR: Final = 365 * DAY
RETRIES_END: Final = 21 * DAY
"""How long a failed payment is tried again before the subscription is canceled."""
INCOMPLETE_ENDS: Final = 23 * 3600
AMOUNTS: Final = {"loci_plus_monthly": 400, "loci_plus_yearly": 4000, "loci_pro_monthly": 900, "loci_pro_yearly": 9000}
_WITHOUT_TIME: Final = frozenset({"product_feature", "entitlements.feature"})
LIVE: Final = frozenset({"trialing", "active", "past_due"})


class FakeState:
    """One account at the stand-in, in test mode. `now` only moves with `advance`."""

    def __init__(self, now: int, api_version: str) -> None:
        self.now = now
        self.api_version = api_version
        self.declines: set[str] = set()
        """Customers whose payments fail."""
        self.objects: dict[str, Json] = {}
        self.events: list[Json] = []
        self._made = 0
        for key, plan in FEATURES.items():
            feature = self.add("feat", "entitlements.feature", lookup_key=key, name=key, active=True, id=f"feat_{plan}")
            product = self.add("prod", "product", name=f"Loci {plan}", active=True, metadata={}, id=f"prod_{plan}")
            self.add("prodft", "product_feature", entitlement_feature=feature, _product=product["id"])
        for key, (plan, interval) in LOOKUP_KEYS.items():
            self.add_price(f"price_{plan}_{interval}", f"prod_{plan}", key, interval.value, AMOUNTS[key])

    def add(self, prefix: str, kind: str, **fields: Any) -> Json:
        """A new object. A field whose name starts with _ is the stand-in's own and is never shown."""
        self._made += 1
        made: Json = {"id": f"{prefix}_fake{self._made:06d}", "object": kind, "livemode": False}
        if kind not in _WITHOUT_TIME:
            made["created"] = self.now
        made.update(fields)
        self.objects[made["id"]] = made
        return made

    def add_price(self, id: str, product: str, lookup_key: str | None, interval: str, amount: int) -> Json:
        return self.add(
            "price", "price", id=id, product=product, lookup_key=lookup_key, active=True, unit_amount=amount,
            currency="eur", recurring={"interval": interval, "interval_count": 1}, type="recurring",
        )  # fmt: skip

    def of(self, kind: str, **fields: Any) -> list[Json]:
        """The objects of a kind with these values, the newest first."""
        found = [each for each in self.objects.values() if each["object"] == kind]
        return [each for each in found if all(each.get(name) == value for name, value in fields.items())][::-1]

    def emit(self, kind: str, about: Json) -> None:
        data = {"object": json.loads(json.dumps(shown(about)))}
        self._made += 1
        self.events.append(
            {
                "id": f"evt_fake{self._made:06d}", "object": "event", "api_version": self.api_version, "type": kind,
                "created": self.now, "livemode": False, "pending_webhooks": 1, "data": data,
                "request": {"id": None, "idempotency_key": None},
            }
        )  # fmt: skip

    # What people do.

    def pay(self, session: Json, *, fails: bool = False, free: bool = False) -> Json:
        """The page for paying is filled in. A payment that fails leaves the subscription incomplete."""
        price = self.objects[session["_price"]]
        trial_days = session["_trial_days"]
        fails = fails or session["customer"] in self.declines
        end = self.now + (trial_days * DAY if trial_days else _length(price))
        made = self.add(
            "sub", "subscription", customer=session["customer"], metadata={}, cancel_at_period_end=False,
            cancel_at=None, canceled_at=None, ended_at=None, currency=price["currency"], latest_invoice=None,
            trial_end=end if trial_days else None, status="trialing" if trial_days else "active",
            _retries_end=None, _free=free, created=self.now + 1,  # the first charge is made before it
        )  # fmt: skip
        item = {"id": f"si_{made['id']}", "object": "subscription_item", "price": shown(price), "quantity": 1}
        item |= {"current_period_start": self.now, "current_period_end": end}
        made["items"] = {"object": "list", "data": [item], "has_more": False, "url": "/v1/subscription_items"}
        if not trial_days and not self._charge(made, fails=fails):
            made["status"] = "incomplete"
        if made["status"] != "incomplete":
            session |= {"status": "complete", "payment_status": "paid", "subscription": made["id"]}
            self.emit("checkout.session.completed", session)
        self._tell("created", made)
        return made

    def complete(self, subscription: Json) -> None:
        """The first payment, which was incomplete, goes through."""
        self.retry(subscription)

    def cancel_at_period_end(self, subscription: Json) -> None:
        end = period_end(subscription)
        subscription |= {"cancel_at_period_end": True, "cancel_at": end, "canceled_at": self.now}
        self._tell("updated", subscription)

    def resume(self, subscription: Json) -> None:
        subscription |= {"cancel_at_period_end": False, "cancel_at": None, "canceled_at": None}
        self._tell("updated", subscription)

    def change_price(self, subscription: Json, price: Json) -> None:
        """An upgrade or a downgrade, at once; a longer interval begins anew."""
        [item] = subscription["items"]["data"]
        if _length(self.objects[item["price"]["id"]]) != _length(price):
            item |= {"current_period_start": self.now, "current_period_end": self.now + _length(price)}
        item["price"] = shown(price)
        if subscription["status"] == "active":
            self._charge(subscription, fails=False)
        self._tell("updated", subscription)

    def end(self, subscription: Json, status: str = "canceled") -> None:
        subscription |= {"status": status, "ended_at": self.now, "canceled_at": self.now}
        self._tell("deleted", subscription)

    def set_status(self, subscription: Json, status: str) -> None:
        """What a person cannot do, but Stripe or the operator may: paused, unpaid."""
        subscription["status"] = status
        self._tell({"paused": "paused"}.get(status, "updated"), subscription)

    def refund(self, charge: Json, amount: int | None = None) -> None:
        charge["amount_refunded"] = charge["amount"] if amount is None else amount
        charge["refunded"] = charge["amount_refunded"] == charge["amount"]
        self.emit("charge.refunded", charge)

    def dispute(self, charge: Json, status: str = "needs_response") -> Json:
        charge["disputed"] = True
        made = self.add(
            "dp", "dispute", charge=charge["id"], payment_intent=None, status=status, amount=charge["amount"]
        )
        self.emit("charge.dispute.created", made)
        return made

    def settle_dispute(self, dispute: Json, status: str) -> None:
        dispute["status"] = status
        self.emit("charge.dispute.closed", dispute)

    def delete_customer(self, customer: Json) -> None:
        for subscription in self.of("subscription", customer=customer["id"]):
            if subscription["status"] not in {"canceled", "incomplete_expired"}:
                self.end(subscription)
        customer["deleted"] = True
        self.emit("customer.deleted", customer)

    # What time does.

    def advance(self, to: int) -> None:
        """Let everything happen that falls due until then, in its order."""
        while True:
            due = [(at, each["id"]) for each in self.of("subscription") if (at := _next(each)) is not None and at <= to]
            if not due:
                break
            at, id = min(due)
            self.now = max(self.now, at)
            self._fall_due(self.objects[id])
        self.now = max(self.now, to)

    def _fall_due(self, subscription: Json) -> None:
        status = subscription["status"]
        if status == "incomplete":
            self.end(subscription, "incomplete_expired")
        elif subscription["_retries_end"] is not None and self.now >= subscription["_retries_end"]:
            subscription["_retries_end"] = None
            self.end(subscription)
        elif subscription["cancel_at"] is not None and self.now >= subscription["cancel_at"]:
            self.end(subscription)
        else:
            [item] = subscription["items"]["data"]
            length = _length(self.objects[item["price"]["id"]])
            item |= {"current_period_start": self.now, "current_period_end": self.now + length}
            if self._charge(subscription, fails=subscription["customer"] in self.declines):
                subscription |= {"status": "active", "_retries_end": None}
            else:
                subscription |= {"status": "past_due", "_retries_end": self.now + RETRIES_END}
            self._tell("updated", subscription)

    def retry(self, subscription: Json) -> None:
        """The failed payment is tried again, with success."""
        for invoice in self.of("invoice", _subscription=subscription["id"], status="open"):
            invoice |= {"status": "paid", "amount_paid": _amount(subscription)}
            self._add_charge(subscription, invoice, "succeeded")
            self.emit("invoice.paid", invoice)
        subscription |= {"status": "active", "_retries_end": None}
        self._tell("updated", subscription)

    def _charge(self, subscription: Json, *, fails: bool) -> bool:
        paid = 0 if fails or subscription["_free"] else _amount(subscription)
        invoice = self.add(
            "in", "invoice", customer=subscription["customer"], status="open" if fails else "paid", amount_paid=paid,
            _subscription=subscription["id"],
        )  # fmt: skip
        subscription["latest_invoice"] = invoice["id"]
        if not subscription["_free"]:
            self._add_charge(subscription, invoice, "failed" if fails else "succeeded")
        self.emit("invoice.payment_failed" if fails else "invoice.paid", invoice)
        return not fails

    def _add_charge(self, subscription: Json, invoice: Json, status: str) -> None:
        self._made += 1
        intent = f"pi_fake{self._made:06d}"
        self.add(
            "ch", "charge", customer=subscription["customer"], status=status, paid=status == "succeeded",
            amount=_amount(subscription), amount_refunded=0, refunded=False, disputed=False, payment_intent=intent,
            _subscription=subscription["id"],
        )  # fmt: skip
        self.add(
            "inpay", "invoice_payment", invoice=invoice["id"], status="paid" if status == "succeeded" else "open",
            payment={"type": "payment_intent", "payment_intent": intent, "charge": None},
        )  # fmt: skip

    def _tell(self, change: str, subscription: Json) -> None:
        self.emit(f"customer.subscription.{change}", subscription)
        self.emit(
            "entitlements.active_entitlement_summary.updated",
            {
                "object": "entitlements.active_entitlement_summary",
                "customer": subscription["customer"],
                "livemode": False,
            },
        )


def shown(made: Json) -> Json:
    """An object as the API shows it."""
    return {name: value for name, value in made.items() if not name.startswith("_")}


def period_end(subscription: Json) -> int:
    return int(subscription["items"]["data"][0]["current_period_end"])


def _amount(subscription: Json) -> int:
    return int(subscription["items"]["data"][0]["price"]["unit_amount"])


def _length(price: Json) -> int:
    return YEAR if price["recurring"]["interval"] == "year" else MONTH


def _next(subscription: Json) -> int | None:
    """When something falls due by itself."""
    status = subscription["status"]
    if status == "incomplete":
        return int(subscription["created"]) + INCOMPLETE_ENDS
    if status not in LIVE:
        return None
    times = [period_end(subscription), subscription["cancel_at"], subscription["_retries_end"]]
    return min(int(time) for time in times if time is not None)
