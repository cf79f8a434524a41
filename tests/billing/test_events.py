"""Events are hints: whatever their order, number and time of arrival, the gate ends where Stripe's truth is."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from app import jobs
from app.billing import events, sync
from app.billing.events import EventRefused, verify
from app.billing.fake_state import DAY, Json, period_end
from app.billing.fake_stripe import FakeStripe
from app.billing.stripe_gateway import StripeGateway
from app.core import clock, db
from app.domain.billing import Status
from app.domain.errors import Conflict, NotFound
from app.domain.plans import Plan
from tests.billing.conftest import GRACE, SECRET, SETTINGS, gateway_to, plan_of, subscribe, take, work
from tests.factories import NOW, make_account


class World:
    """An account, its subscription at the stand-in, and what may happen to them."""

    def __init__(self, fake: FakeStripe, subscription: Json, seed: int) -> None:
        self.fake, self.subscription = fake, subscription
        self.customer = subscription["customer"]
        self.random = random.Random(seed)  # noqa: S311 - a test's dice
        self.delivered: list[Json] = []

    def happen(self) -> None:
        """One thing, of those that can happen now to one of the customer's subscriptions."""
        running = [each for each in self.subscriptions() if each["status"] not in {"canceled", "incomplete_expired"}]
        self.subscription = self.random.choice(running or [self.subscription])
        self.random.choice(self.possible())()

    def possible(self) -> list[Callable[[], Any]]:
        state, it, status = self.fake.state, self.subscription, self.subscription["status"]
        state_of = {
            "incomplete": [lambda: state.complete(it), lambda: state.advance(state.now + DAY)],
            "unpaid": [lambda: state.retry(it), lambda: state.end(it)],
            "paused": [lambda: state.set_status(it, "active"), lambda: state.end(it)],
            "past_due": [lambda: state.retry(it), lambda: state.set_status(it, "unpaid"), self.pass_days],
            "trialing": [lambda: state.set_status(it, "paused"), self.pass_days],
        }
        always: list[Callable[[], Any]] = [self.pass_days, lambda: state.declines.add(it["customer"])]
        always.append(lambda: state.declines.discard(it["customer"]))
        if status in {"active", "trialing"}:
            prices = state.of("price")
            if len(self.subscriptions()) < 3:
                always.append(self.again)
            always += [
                lambda: state.advance(period_end(it)),
                lambda: state.cancel_at_period_end(it),
                lambda: state.resume(it),
                lambda: state.change_price(it, self.random.choice(prices)),
                self.refund,
                self.dispute,
                lambda: state.end(it),
            ]
        if status in {"canceled", "incomplete_expired"}:
            always = [self.again]
        return always + state_of.get(status, [])

    def pass_days(self) -> None:
        self.fake.state.advance(self.fake.state.now + self.random.randint(1, 40) * DAY)

    def subscriptions(self) -> list[Json]:
        return self.fake.state.of("subscription", customer=self.customer)

    def charges(self, subscription: Json) -> list[Json]:
        return self.fake.state.of("charge", _subscription=subscription["id"], status="succeeded")

    def refund(self) -> None:
        for charge in self.charges(self.subscription)[:1]:
            self.fake.state.refund(charge, self.random.choice([None, 1]))

    def dispute(self) -> None:
        for charge in self.charges(self.subscription)[:1]:
            made = self.fake.state.dispute(charge, self.random.choice(["needs_response", "warning_needs_response"]))
            if self.random.random() < 0.5:
                self.fake.state.settle_dispute(made, self.random.choice(["won", "lost"]))

    def again(self, *, trial: bool | None = None, fails: bool | None = None) -> None:
        """A new subscription of the same customer."""
        price = self.random.choice(self.fake.state.of("price"))["id"]
        trial = self.random.random() < 0.5 if trial is None else trial
        fails = self.random.random() < 0.3 if fails is None else fails
        session = {
            "customer": self.customer, "_price": price, "_trial_days": 14 if trial else 0,
            "id": "cs_test_again", "object": "checkout.session",
        }  # fmt: skip
        self.subscription = self.fake.state.pay(session, fails=fails)

    def come_to(self, status: Status) -> None:
        """Let a new subscription come to this status."""
        state = self.fake.state
        state.declines.discard(self.customer)
        self.again(
            trial=status in {Status.TRIALING, Status.PAUSED},
            fails=status in {Status.INCOMPLETE, Status.INCOMPLETE_EXPIRED},
        )
        if status is Status.INCOMPLETE_EXPIRED:
            state.advance(state.now + DAY)
        elif status in {Status.PAST_DUE, Status.UNPAID}:
            state.declines.add(self.customer)
            state.advance(period_end(self.subscription))
        if status in {Status.UNPAID, Status.PAUSED}:
            state.set_status(self.subscription, status.value)
        elif status is Status.CANCELED:
            state.end(self.subscription)
        assert self.subscription["status"] == status

    def to_deliver(self) -> list[Json]:
        """Some of the events so far, old ones again among them, in any order."""
        chosen = [event for event in self.fake.state.events if self.random.random() < 0.5]
        chosen += self.random.choices(self.fake.state.events, k=3)
        self.random.shuffle(chosen)
        return chosen

    def truth(self) -> Plan:
        """What the plan has to be, said without the product's code."""
        best = Plan.FREE
        for each in self.subscriptions():
            paid = self.charges(each)
            if paid and paid[0]["refunded"]:
                continue
            disputes = self.fake.state.of("dispute", charge=paid[0]["id"]) if paid else []
            if any(dispute["status"] in {"needs_response", "lost"} for dispute in disputes):
                continue
            unpaid = [i["created"] for i in self.fake.state.of("invoice", _subscription=each["id"], status="open")]
            in_grace = each["status"] == "past_due" and self.fake.state.now < min(unpaid) + 7 * DAY
            over = each["cancel_at"] is not None and each["cancel_at"] <= self.fake.state.now
            if (each["status"] in {"active", "trialing"} or in_grace) and not over:
                best = max(best, Plan(each["items"]["data"][0]["price"]["product"][5:]), key=list(Plan).index)
        return best


class SlowGateway:
    """The real gateway; two of its first readings arrive after all others."""

    def __init__(self, gateway: StripeGateway) -> None:
        self.gateway, self.livemode = gateway, gateway.livemode
        self.held = 0
        self.release = asyncio.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.gateway, name)

    async def subscriptions(self, customer: str) -> Any:
        found = await self.gateway.subscriptions(customer)
        if self.held < 2:
            self.held += 1
            await self.release.wait()
        return found


@pytest.mark.parametrize(("seed", "status"), [*enumerate(Status), (8, Status.ACTIVE), (9, Status.TRIALING)])
async def test_shuffled_doubled_concurrent_late_and_replayed_events_end_in_the_truth(
    committed: None,
    fake: FakeStripe,
    context: jobs.JobContext,
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
    status: Status,
) -> None:
    """A walk from each status on, and through whatever follows."""
    assert context.payments is not None
    gateway = context.payments
    monkeypatch.setattr(clock, "now", lambda: datetime.fromtimestamp(fake.state.now, UTC))
    alice = await make_account(plan=Plan.FREE)
    world = World(fake, await subscribe(gateway, fake, alice, fails=seed % 4 == 0), seed)  # type: ignore[arg-type]

    async def workers() -> None:
        await asyncio.gather(*(work(context) for _ in range(world.random.randint(1, 4))))
        await db.execute("UPDATE job SET run_at = $1", NOW)

    world.come_to(status)
    for _ in range(25):
        world.happen()
        fake.is_down = world.random.random() < 0.1
        if world.random.random() < 0.4:
            await asyncio.gather(*(take(fake, event) for event in world.to_deliver()))
            await workers()
    fake.is_down = False
    await storm(world, context)
    assert await plan_of(alice) is world.truth()
    late = list(fake.state.events)
    world.random.shuffle(late)
    for event in late:
        await take(fake, event)
    await workers()
    await jobs.end_plans(SETTINGS)
    await workers()
    assert await db.fetch_value("SELECT count(*) FROM job") == 0
    assert await plan_of(alice) is world.truth()
    stored = await db.fetch("SELECT stripe_id, processed_at FROM billing_event")
    assert {row["stripe_id"] for row in stored} == {event["id"] for event in fake.state.events}
    assert all(row["processed_at"] for row in stored)
    for event in world.random.sample(late, 3):
        await events.replay(gateway, event["id"], grace=GRACE, now=clock.now())
    assert await plan_of(alice) is world.truth()


async def storm(world: World, context: jobs.JobContext) -> None:
    """Things happen and are told at once, while workers are still busy with what was told before."""
    slow = SlowGateway(context.gateway)  # type: ignore[arg-type]

    async def tell() -> None:
        for _ in range(8):
            known = len(world.fake.state.events)
            world.happen()
            world.fake.state.emit("customer.updated", {"object": "customer", "id": world.customer})
            for event in world.fake.state.events[known:]:
                await take(world.fake, event)
            await work(replace(context, payments=slow))  # type: ignore[arg-type]

    async def early() -> None:
        await work(replace(context, payments=slow))  # type: ignore[arg-type]

    world.fake.state.emit("customer.updated", {"object": "customer", "id": world.customer})
    world.fake.state.emit("customer.updated", {"object": "customer", "id": world.customer})
    for event in world.fake.state.events[-2:]:
        await take(world.fake, event)
    first = [asyncio.create_task(early()) for _ in range(2)]
    while slow.held < 2:  # noqa: ASYNC110 - the tasks are on their way
        await asyncio.sleep(0)
    await tell()
    slow.release.set()
    await asyncio.gather(*first)
    await jobs.end_plans(SETTINGS)
    await work(context)


def made_event(fake: FakeStripe) -> Json:
    fake.state.emit("customer.deleted", fake.state.add("cus", "customer"))
    return fake.state.events[-1]


def test_a_signed_event_is_understood(fake: FakeStripe) -> None:
    event = made_event(fake)
    body, headers = fake.signed(event)
    found = verify(body, headers["stripe-signature"], ["whsec_old", SECRET], livemode=False)
    assert (found.stripe_id, found.kind, found.livemode) == (event["id"], "customer.deleted", False)
    assert found.customer == event["data"]["object"]["id"]
    assert found.created_at == NOW


def test_bad_stale_and_missing_signatures_are_refused(fake: FakeStripe) -> None:
    body, headers = fake.signed(made_event(fake))
    good = headers["stripe-signature"]
    old = int((clock.now() - timedelta(seconds=events.TOLERANCE_SECONDS + 60)).timestamp())
    tries: list[tuple[bytes, str | None, list[str]]] = [
        (body, None, [SECRET]),
        (body, "", [SECRET]),
        (body, "t=1,v1=00", [SECRET]),
        (body, "nonsense", [SECRET]),
        (body, good.replace("v1=", "v0="), [SECRET]),
        (body, good, ["whsec_other"]),
        (body, good, []),
        (body + b" ", good, [SECRET]),
        (b"\xff", good, [SECRET]),
        (body, fake.signed(fake.state.events[-1], at=old)[1]["stripe-signature"], [SECRET]),
    ]
    for tried, signature, secrets in tries:
        with pytest.raises(EventRefused, match="signature"):
            verify(tried, signature, secrets, livemode=False)


def test_an_event_of_the_other_mode_is_refused(fake: FakeStripe) -> None:
    event = made_event(fake)
    for livemode in (True, False):
        body, headers = fake.signed({**event, "livemode": not livemode})
        with pytest.raises(EventRefused, match="mode"):
            verify(body, headers["stripe-signature"], [SECRET], livemode=livemode)


@pytest.mark.parametrize("signature", ["t=1,v1=\xe9", "\u2028", "t=é,v1=0", "v1=,t="])
def test_a_signature_of_strange_letters_is_a_bad_one(signature: str) -> None:
    with pytest.raises(EventRefused, match="signature"):
        verify(b"{}", signature, [SECRET], livemode=False)


@pytest.mark.parametrize(
    "change", [{"id": "evt_\x00"}, {"id": "evt\u00e9"}, {"created": 10**18}, {"created": -(10**14)}, {"type": ""}]
)
def test_a_signed_event_with_impossible_values_is_refused(fake: FakeStripe, change: dict[str, Any]) -> None:
    body, headers = fake.signed(made_event(fake) | change)
    with pytest.raises(EventRefused, match="body"):
        verify(body, headers["stripe-signature"], [SECRET], livemode=False)


@pytest.mark.parametrize("given", [[], {"id": "evt_1"}, {"id": 1, "type": "x", "created": 1, "livemode": False}, "x"])
def test_a_signed_body_that_is_no_event_is_refused(fake: FakeStripe, given: Any) -> None:
    body, headers = fake.signed(given)
    assert json.loads(body) == given
    with pytest.raises(EventRefused, match="body"):
        verify(body, headers["stripe-signature"], [SECRET], livemode=False)


@pytest.mark.usefixtures("rollback")
async def test_an_event_is_stored_once_and_only_what_names_its_customer(fake: FakeStripe) -> None:
    event = made_event(fake)
    event["data"]["object"]["email"] = "alice@example.org"
    assert await take(fake, event)
    assert not await take(fake, event)
    assert await db.fetch_value("SELECT count(*) FROM job WHERE kind = 'billing_event'") == 1
    row = await db.fetch_row("SELECT * FROM billing_event")
    assert row is not None
    assert "alice" not in repr(row)
    await events.sweep(NOW + timedelta(days=89))
    assert await db.fetch_value("SELECT count(*) FROM billing_event") == 1
    await events.sweep(NOW + timedelta(days=91))
    assert await db.fetch_value("SELECT count(*) FROM billing_event") == 0


@pytest.mark.usefixtures("rollback")
async def test_events_of_strangers_and_unknown_kinds_mean_nothing(
    fake: FakeStripe, gateway: StripeGateway, context: jobs.JobContext
) -> None:
    for kind, about in (
        ("customer.subscription.updated", {"object": "subscription", "customer": "cus_stranger"}),
        ("charge.dispute.created", {"object": "dispute", "charge": "ch_stranger"}),
        ("something.new", {"object": "something", "customer": None}),
        ("customer.subscription.updated", {"object": "subscription", "customer": {"id": "cus_expanded"}}),
    ):
        fake.state.emit(kind, about)
        assert await take(fake, fake.state.events[-1])
    await work(context)
    assert await db.fetch_value("SELECT count(*) FROM billing_event WHERE processed_at IS NULL") == 0
    fake.state.emit("price.updated", {"object": "price", "id": "price_plus_month"})
    assert await take(fake, fake.state.events[-1])
    await work(context)
    assert await db.fetch_value("SELECT count(*) FROM billing_price") == 4, "the prices were not read again"


@pytest.mark.usefixtures("rollback")
async def test_a_replay_names_a_stored_event_of_this_mode(fake: FakeStripe, gateway: StripeGateway) -> None:
    alice = await make_account(plan=Plan.FREE)
    made = await subscribe(gateway, fake, alice)
    stored = fake.state.events[-1]["id"]
    await take(fake, fake.state.events[-1])
    await events.replay(gateway, stored, grace=GRACE, now=NOW)
    assert await plan_of(alice) is Plan.PLUS
    fake.state.end(made)
    await events.replay(gateway, stored, grace=GRACE, now=NOW)
    assert await plan_of(alice) is Plan.FREE, "an old event leads to what is true now"
    with pytest.raises(NotFound):
        await events.replay(gateway, "evt_none", grace=GRACE, now=NOW)
    with pytest.raises(Conflict):
        await events.replay(gateway_to(fake, "sk_live_1"), stored, grace=GRACE, now=NOW)


@pytest.mark.usefixtures("rollback")
async def test_a_job_without_a_provider_is_kept(fake: FakeStripe) -> None:
    await take(fake, made_event(fake))
    without = jobs.JobContext(SETTINGS, jobs.mailer_for(SETTINGS))
    await work(without)
    assert await db.fetch_value("SELECT last_error FROM job") == "LookupError"
    assert await sync.account_of("cus_none", False) is None
