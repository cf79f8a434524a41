"""The stand-in's pages for paying and changing a plan, and one for what time and banks do. Plain HTML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape

from app.billing.fake_state import DAY, LIVE, FakeState, Json, period_end

PROMOTION_CODE = "WELCOME"
"""The one promotion code of the stand-in; with it nothing is to be paid."""


@dataclass(frozen=True, slots=True)
class Page:
    status: int
    body: str
    location: str = ""


def answer(state: FakeState, method: str, path: str, form: Mapping[str, str]) -> Page:
    """The page at a path; a POST does something and leads on."""
    kind, _, id = path.rpartition("/")
    found = state.objects.get(id)
    if kind == "c/pay" and found and found["object"] == "checkout.session":
        return _pay(state, found, form) if method == "POST" else _checkout(state, found, "")
    if kind == "p/session" and found and found["object"] == "billing_portal.session":
        return _change(state, path, found, form) if method == "POST" else _portal(state, found)
    if path == "":
        return _act(state, form) if method == "POST" else _overview(state)
    return Page(404, _page("Nothing here", "<p>There is no such page.</p>"))


def _checkout(state: FakeState, session: Json, wrong: str) -> Page:
    if session["status"] != "open":
        return Page(200, _page("Checkout", "<p>This page is closed.</p>"))
    price = state.objects[session["_price"]]
    name = state.objects[price["product"]]["name"]
    trial = f"<p>{session['_trial_days']} days free, then:</p>" if session["_trial_days"] else ""
    code = '<p><label>Promotion code <input name="code"></label></p>' if session["_codes"] else ""
    body = (
        f"{trial}<p><strong>{escape(name)}</strong>, {_amount(price)}</p>"
        f"{f'<p role=alert>{escape(wrong)}</p>' if wrong else ''}"
        f'<form method="post">{code}<p><button name="do" value="pay">Subscribe</button> '
        '<button name="do" value="fail">Subscribe with a card that is declined</button></p></form>'
        f'<p><a href="{escape(session["cancel_url"])}">Back</a></p>'
    )
    return Page(200, _page("Checkout", body))


def _pay(state: FakeState, session: Json, form: Mapping[str, str]) -> Page:
    code = form.get("code", "")
    if session["status"] != "open":
        return _checkout(state, session, "")
    if form.get("do") == "fail":
        return _checkout(state, session, "Your card was declined.")
    if code and code != PROMOTION_CODE:
        return _checkout(state, session, "This code is invalid.")
    state.pay(session, free=bool(code))
    return Page(303, "", session["success_url"])


def _portal(state: FakeState, session: Json) -> Page:
    rows: list[str] = []
    for each in state.of("subscription", customer=session["customer"]):
        if each["status"] not in {*LIVE, "unpaid", "paused"}:
            continue
        current = each["items"]["data"][0]["price"]["id"]
        buttons = [
            _button("change", f"Change to {price['lookup_key']}", each, price["id"])
            for price in state.of("price", active=True)
            if price["id"] != current
        ]
        buttons.append(
            _button("resume", "Renew plan", each) if each["cancel_at"] else _button("cancel", "Cancel plan", each)
        )
        if each["status"] == "past_due":
            buttons.append(_button("retry", "Pay with another card", each))
        rows.append(f"<li>{_describe(state, each)} {' '.join(buttons)}</li>")
    invoices = "".join(
        f"<li>{_day(each['created'])}: {each['status']}</li>"
        for each in state.of("invoice", customer=session["customer"])
    )
    body = f"<ul>{''.join(rows)}</ul><h2>Invoices</h2><ul>{invoices}</ul>"
    return Page(200, _page("Customer portal", body + f'<p><a href="{escape(session["return_url"])}">Return</a></p>'))


def _change(state: FakeState, path: str, session: Json, form: Mapping[str, str]) -> Page:
    subscription = state.objects.get(form.get("subscription", ""))
    if subscription is None or subscription.get("customer") != session["customer"]:
        return Page(404, _page("Nothing here", ""))
    match form.get("do"):
        case "cancel":
            state.cancel_at_period_end(subscription)
        case "resume":
            state.resume(subscription)
        case "change":
            state.change_price(subscription, state.objects[form["price"]])
        case "retry":
            state.declines.discard(session["customer"])
            state.retry(subscription)
        case _:
            pass
    return Page(303, "", f"/{path}")


def _overview(state: FakeState) -> Page:
    rows = "".join(
        f"<li>{_describe(state, each)} {_button('end', 'Go to the end of the period', each)} "
        f"{_button('decline', 'Let payments fail', each)} {_button('refund', 'Refund the last payment', each)} "
        f"{_button('dispute', 'Dispute the last payment', each)}</li>"
        for each in state.of("subscription")
    )
    waits = (
        f"<p>It is {_day(state.now)} here.</p><form method=post><button name=do value=day>A day passes</button></form>"
    )
    return Page(200, _page("Stand-in for Stripe", f"{waits}<ul>{rows}</ul>"))


def _act(state: FakeState, form: Mapping[str, str]) -> Page:
    subscription = state.objects.get(form.get("subscription", ""))
    charges = state.of("charge", customer=subscription["customer"], status="succeeded") if subscription else []
    match form.get("do"):
        case "day":
            state.advance(state.now + DAY)
        case "end" if subscription:
            state.advance(period_end(subscription))
        case "decline" if subscription:
            state.declines.add(subscription["customer"])
        case "refund" if charges:
            state.refund(charges[0])
        case "dispute" if charges:
            state.dispute(charges[0])
        case _:
            pass
    return Page(303, "", "/")


def _describe(state: FakeState, subscription: Json) -> str:
    price = subscription["items"]["data"][0]["price"]
    ends = " (ends then)" if subscription["cancel_at"] else ""
    name = escape(state.objects[price["product"]]["name"])
    return f"{name}, {_amount(price)}, {subscription['status']}, period to {_day(period_end(subscription))}{ends}"


def _button(do: str, label: str, subscription: Json, price: str = "") -> str:
    hidden = f'<input type="hidden" name="subscription" value="{subscription["id"]}">'
    hidden += f'<input type="hidden" name="price" value="{price}">' if price else ""
    return f'<form method="post">{hidden}<button name="do" value="{do}">{escape(label)}</button></form>'


def _amount(price: Json) -> str:
    return f"{price['unit_amount'] / 100:.2f} {price['currency'].upper()} a {price['recurring']['interval']}"


def _day(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()


def _page(title: str, body: str) -> str:
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><link rel="icon" href="data:,">'
        f"<title>{title}</title></head><body><main><h1>{title}</h1>{body}</main></body></html>"
    )
