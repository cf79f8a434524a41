"""From what happens at Stripe to what the gate reads."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from app import jobs
from app.accounts import entitlements
from app.accounts import service as accounts
from app.billing import queries, service, sync
from app.billing.fake_state import DAY, MONTH, YEAR, Json, period_end
from app.billing.fake_stripe import FakeStripe
from app.billing.gateway import PaymentsUnavailable
from app.billing.stripe_gateway import StripeGateway
from app.core import clock, db
from app.domain.billing import Interval, Standing
from app.domain.plans import Plan
from tests.billing.conftest import GRACE, SETTINGS, checkout, gateway_to, plan_of, subscribe, take, work
from tests.factories import NOW, make_account

pytestmark = pytest.mark.usefixtures("rollback")


async def test_a_payment_gives_the_plan_and_what_it_says_is_kept(gateway: StripeGateway, fake: FakeStripe) -> None:
    alice = await make_account(plan=Plan.FREE)
    session = await checkout(gateway, fake, alice, "price_pro_year")
    assert session["success_url"] == "http://testserver/plan/back?paid=1"
    assert session["_codes"]
    assert await plan_of(alice) is Plan.FREE
    fake.state.pay(session)
    await sync.refresh(gateway, alice.id, grace=GRACE, now=NOW)
    assert await plan_of(alice) is Plan.PRO
    found = await queries.standing(alice.id, SETTINGS, now=NOW)
    assert found.standing is Standing.ACTIVE
    assert found.subscription is not None
    assert (found.subscription.interval, found.subscription.amount) == (Interval.YEAR, 9000)
    assert found.date == NOW + timedelta(seconds=YEAR)


async def test_the_offers_are_what_stripe_says(gateway: StripeGateway, fake: FakeStripe) -> None:
    fake.state.objects["price_plus_year"]["active"] = False
    fake.state.objects["price_pro_month"]["unit_amount"] = 1234
    fake.state.objects["price_pro_year"]["recurring"]["interval_count"] = 2
    await sync.read_offers(gateway, now=NOW)
    offered = await queries.offers(livemode=False)
    assert [(price.price_id, price.amount) for price in offered] == [
        ("price_plus_month", 400),
        ("price_pro_month", 1234),
    ]
    assert await queries.offers(livemode=True) == []


async def test_two_subscriptions_are_not_begun(gateway: StripeGateway, fake: FakeStripe) -> None:
    alice = await make_account(plan=Plan.FREE)
    first = await checkout(gateway, fake, alice, "price_plus_month")
    second = await checkout(gateway, fake, alice, "price_plus_month")
    assert (first["status"], second["status"]) == ("expired", "open"), "two pages for paying were open at once"
    fake.state.pay(second)
    with pytest.raises(service.Conflict):  # though no event has come yet
        await checkout(gateway, fake, alice, "price_pro_month")
    assert len(fake.state.of("customer")) == 1
    with pytest.raises(service.InvalidInput):
        await checkout(gateway, fake, alice, "price_of_somebody_else")


async def test_upgrade_downgrade_cancel_and_resume(gateway: StripeGateway, fake: FakeStripe) -> None:
    alice = await make_account(plan=Plan.FREE)
    made = await subscribe(gateway, fake, alice, "price_plus_month")
    fake.state.change_price(made, fake.state.objects["price_pro_year"])
    await sync.refresh(gateway, alice.id, grace=GRACE, now=NOW)
    assert await plan_of(alice) is Plan.PRO
    fake.state.change_price(made, fake.state.objects["price_plus_month"])
    await sync.refresh(gateway, alice.id, grace=GRACE, now=NOW)
    assert await plan_of(alice) is Plan.PLUS
    for _ in range(2):  # cancelled, resumed, and both once more
        fake.state.cancel_at_period_end(made)
        await sync.refresh(gateway, alice.id, grace=GRACE, now=NOW)
        found = await queries.standing(alice.id, SETTINGS, now=NOW)
        assert (found.standing, found.date) == (Standing.ENDING, NOW + timedelta(seconds=MONTH))
        assert await plan_of(alice) is Plan.PLUS
        await service.resume(gateway, alice.id, SETTINGS, now=NOW + timedelta(seconds=_))
        assert made["cancel_at"] is None
        assert (await queries.standing(alice.id, SETTINGS, now=NOW)).standing is Standing.ACTIVE
    with pytest.raises(service.Conflict):
        await service.resume(gateway, alice.id, SETTINGS, now=NOW)


async def test_a_failed_payment_leaves_the_plan_for_the_grace_and_no_longer(
    gateway: StripeGateway, fake: FakeStripe, context: jobs.JobContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice = await make_account(plan=Plan.FREE)
    made = await subscribe(gateway, fake, alice)
    fake.state.declines.add(made["customer"])
    fake.state.advance(period_end(made))
    failed = NOW + timedelta(seconds=MONTH)
    await sync.refresh(gateway, alice.id, grace=GRACE, now=failed)
    assert await plan_of(alice) is Plan.PLUS
    found = await queries.standing(alice.id, SETTINGS, now=failed)
    assert (found.standing, found.date) == (Standing.GRACE, failed + GRACE)
    assert await entitlements.lapse(failed + GRACE - timedelta(seconds=1)) == []
    # Nothing is heard of Stripe any more: the plan ends by our own clock, and what became of it is asked.
    monkeypatch.setattr(clock, "now", lambda: failed + GRACE)
    await jobs.end_plans(SETTINGS)
    assert await plan_of(alice) is Plan.FREE
    assert await db.fetch_value("SELECT kind FROM job") == sync.REFRESH_JOB
    fake.state.retry(made)
    await work(context)
    assert await plan_of(alice) is Plan.PLUS


async def test_a_trial_is_for_the_first_subscription(gateway: StripeGateway, fake: FakeStripe) -> None:
    alice = await make_account(plan=Plan.FREE)
    settings = SETTINGS.__class__(
        secret_key="k" * 32, public_url="http://testserver", stripe_secret_key="sk_test_1", stripe_trial_days=14
    )
    made = fake.state.pay(await checkout(gateway, fake, alice, "price_plus_month", settings))
    await sync.refresh(gateway, alice.id, grace=GRACE, now=NOW)
    found = await queries.standing(alice.id, settings, now=NOW)
    assert (found.standing, found.date) == (Standing.TRIAL, NOW + timedelta(days=14))
    assert await plan_of(alice) is Plan.PLUS
    fake.state.end(made)
    assert (await checkout(gateway, fake, alice, "price_plus_month", settings))["_trial_days"] == 0
    assert await plan_of(alice) is Plan.FREE


async def test_a_promotion_code_that_leaves_nothing_to_pay_gives_the_plan(
    gateway: StripeGateway, fake: FakeStripe
) -> None:
    alice = await make_account(plan=Plan.FREE)
    await subscribe(gateway, fake, alice, free=True)
    await sync.refresh(gateway, alice.id, grace=GRACE, now=NOW)
    assert await plan_of(alice) is Plan.PLUS
    assert fake.state.of("charge") == []


async def test_a_refund_and_a_dispute_take_the_plan_and_a_won_dispute_gives_it_back(
    gateway: StripeGateway, fake: FakeStripe, context: jobs.JobContext
) -> None:
    alice = await make_account(plan=Plan.FREE)
    made = await subscribe(gateway, fake, alice)
    [charge] = fake.state.of("charge")

    async def told() -> Plan:
        for event in fake.state.events:
            await take(fake, event)
        await work(context)
        return await plan_of(alice)

    assert await told() is Plan.PLUS
    fake.state.refund(charge, 100)
    assert await told() is Plan.PLUS, "a part was given back"
    inquiry = fake.state.dispute(charge, "warning_needs_response")
    assert await told() is Plan.PLUS, "an inquiry takes no money"
    inquiry["status"] = "needs_response"
    fake.state.emit("charge.dispute.updated", inquiry)
    assert await told() is Plan.FREE
    assert (await queries.standing(alice.id, SETTINGS, now=NOW)).standing is Standing.DISPUTED
    fake.state.settle_dispute(inquiry, "won")
    assert await told() is Plan.PLUS
    fake.state.refund(charge)
    assert await told() is Plan.FREE
    assert (await queries.standing(alice.id, SETTINGS, now=NOW)).standing is Standing.REFUNDED
    fake.state.advance(period_end(made))
    assert await told() is Plan.PLUS, "the next period is paid"


async def test_a_refund_of_one_subscription_leaves_another_as_it_is(gateway: StripeGateway, fake: FakeStripe) -> None:
    alice = await make_account(plan=Plan.FREE)
    plus = await subscribe(gateway, fake, alice, "price_plus_month")
    again = {"customer": plus["customer"], "_price": "price_pro_month", "_trial_days": 0, "object": "checkout.session"}
    pro = fake.state.pay({**again, "id": "cs_test_second"})

    def charge_of(subscription: Json) -> Json:
        [charge] = fake.state.of("charge", _subscription=subscription["id"])
        assert charge["created"] < subscription["created"], "the stand-in charges after it subscribes"
        return charge

    fake.state.refund(charge_of(plus))
    await sync.refresh(gateway, alice.id, grace=GRACE, now=NOW)
    assert await plan_of(alice) is Plan.PRO
    fake.state.refund(charge_of(pro))
    await sync.refresh(gateway, alice.id, grace=GRACE, now=NOW)
    assert await plan_of(alice) is Plan.FREE
    assert (await queries.standing(alice.id, SETTINGS, now=NOW)).standing is Standing.REFUNDED


async def test_a_payment_without_an_intent_and_one_outside_stripe_are_understood(
    gateway: StripeGateway, fake: FakeStripe
) -> None:
    alice = await make_account(plan=Plan.FREE)
    await subscribe(gateway, fake, alice)
    [charge], [made] = fake.state.of("charge"), fake.state.of("invoice_payment")
    made["payment"] = {"type": "charge", "charge": charge["id"], "payment_intent": None}
    fake.state.refund(charge)
    await sync.refresh(gateway, alice.id, grace=GRACE, now=NOW)
    assert await plan_of(alice) is Plan.FREE
    made["payment"] = {"type": "payment_record", "charge": None, "payment_intent": None}
    await sync.refresh(gateway, alice.id, grace=GRACE, now=NOW)
    assert await plan_of(alice) is Plan.PLUS


async def test_what_the_operator_gave_stays_beside_a_subscription(gateway: StripeGateway, fake: FakeStripe) -> None:
    alice = await make_account(plan=Plan.PLUS)
    made = await subscribe(gateway, fake, alice, "price_pro_month")
    await sync.refresh(gateway, alice.id, grace=GRACE, now=NOW)
    assert await plan_of(alice) is Plan.PRO
    assert (await accounts.set_plan(alice.email, Plan.FREE, now=NOW, alone=False)).plan is Plan.PRO
    assert (await accounts.set_plan(alice.email, Plan.PLUS, now=NOW, alone=False)).plan is Plan.PRO
    fake.state.end(made)
    await sync.refresh(gateway, alice.id, grace=GRACE, now=NOW)
    assert await plan_of(alice) is Plan.PLUS
    assert (await queries.standing(alice.id, SETTINGS, now=NOW)).granted is Plan.PLUS


async def test_without_a_provider_the_operators_word_is_all(gateway: StripeGateway, fake: FakeStripe) -> None:
    alice = await make_account(plan=Plan.FREE)
    await subscribe(gateway, fake, alice)
    await sync.refresh(gateway, alice.id, grace=GRACE, now=NOW)
    assert (await accounts.set_plan(alice.email, Plan.FREE, now=NOW)).plan is Plan.FREE


async def test_test_mode_gives_nothing_once_the_key_is_live(gateway: StripeGateway, fake: FakeStripe) -> None:
    alice, bob = await make_account(plan=Plan.FREE), await make_account("bob@example.org", plan=Plan.PRO)
    await subscribe(gateway, fake, alice)
    await sync.refresh(gateway, alice.id, grace=GRACE, now=NOW)
    await sync.keep_up(False, now=NOW)
    assert await plan_of(alice) is Plan.PLUS
    await sync.keep_up(True, now=NOW)
    assert await plan_of(alice) is Plan.FREE
    assert await plan_of(bob) is Plan.PRO
    live = gateway_to(fake, "sk_live_1")
    calls = len(fake.calls)
    await sync.refresh(live, alice.id, grace=GRACE, now=NOW)
    assert len(fake.calls) == calls, "a customer of test mode was asked for with a live key"


async def test_one_start_in_the_other_mode_takes_nobodys_plan_for_long(
    gateway: StripeGateway, fake: FakeStripe, context: jobs.JobContext
) -> None:
    alice = await make_account(plan=Plan.FREE)
    await subscribe(gateway, fake, alice)
    await sync.refresh(gateway, alice.id, grace=GRACE, now=NOW)
    await sync.keep_up(False, now=NOW)
    assert await db.fetch_value("SELECT count(*) FROM job WHERE run_at <= $1", NOW) == 0, "nothing is urgent"
    await sync.keep_up(True, now=NOW)
    assert await plan_of(alice) is Plan.FREE
    await sync.keep_up(False, now=NOW)
    await work(context)
    assert await plan_of(alice) is Plan.PLUS


async def test_a_change_is_not_kept_waiting_by_the_nightly_reading(
    gateway: StripeGateway, fake: FakeStripe, context: jobs.JobContext
) -> None:
    alice, bob = await make_account(plan=Plan.FREE), await make_account("bob@example.org", plan=Plan.FREE)
    made = await subscribe(gateway, fake, alice)
    await subscribe(gateway, fake, bob)
    await sync.reconcile(gateway, now=NOW - timedelta(hours=1))  # it has been running behind for an hour
    await take(fake, next(event for event in fake.state.events if event["type"] == "customer.subscription.created"))
    await jobs.run_one(context)
    assert await plan_of(alice) is Plan.PLUS, made["status"]
    assert await plan_of(bob) is Plan.FREE
    await work(context)
    assert await plan_of(bob) is Plan.PLUS


async def test_while_stripe_is_down_the_last_truth_stays_and_the_job_tries_again(
    gateway: StripeGateway, fake: FakeStripe, context: jobs.JobContext
) -> None:
    alice = await make_account(plan=Plan.FREE)
    made = await subscribe(gateway, fake, alice)
    await sync.refresh(gateway, alice.id, grace=GRACE, now=NOW)
    fake.state.end(made)
    fake.is_down = True
    assert await take(fake, fake.state.events[-1])
    await work(context)
    assert await plan_of(alice) is Plan.PLUS
    job = await db.fetch_row("SELECT * FROM job")
    assert job is not None
    assert (job["attempts"], job["last_error"]) == (1, "PaymentsUnavailable")
    for call in (
        service.start_checkout(gateway, alice, "price_plus_month", SETTINGS, now=NOW),
        service.open_portal(gateway, alice, SETTINGS),
        service.resume(gateway, alice.id, SETTINGS, now=NOW),
        sync.read_offers(gateway, now=NOW),
    ):
        with pytest.raises(PaymentsUnavailable):
            await call
    assert len(await queries.offers(livemode=False)) == 4, "the last prices stay"
    fake.is_down = False
    await db.execute("UPDATE job SET run_at = $1", clock.now() - timedelta(seconds=1))
    await work(context)
    assert await plan_of(alice) is Plan.FREE


async def test_the_nightly_reading_mends_what_no_event_told(
    gateway: StripeGateway, fake: FakeStripe, context: jobs.JobContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice = await make_account(plan=Plan.FREE)
    made = await subscribe(gateway, fake, alice)
    await sync.keep_up(False, now=NOW)
    await sync.keep_up(False, now=NOW)
    assert await db.fetch_value("SELECT count(*) FROM job") == 1, "the offers are fresh, so one job: the reading"
    run_at = await db.fetch_value("SELECT run_at FROM job")
    assert (run_at.hour, run_at.date()) == (3, NOW.date() + timedelta(days=1))
    monkeypatch.setattr(clock, "now", lambda: run_at + timedelta(seconds=1))
    await work(context)
    assert await plan_of(alice) is Plan.PLUS
    fake.state.end(made)
    await sync.keep_up(False, now=run_at)
    monkeypatch.setattr(clock, "now", lambda: run_at + timedelta(days=1, seconds=1))
    await work(context)
    assert await plan_of(alice) is Plan.FREE


async def test_a_customer_that_was_erased_at_stripe_has_nothing_and_may_begin_anew(
    gateway: StripeGateway, fake: FakeStripe, context: jobs.JobContext
) -> None:
    alice = await make_account(plan=Plan.FREE)
    made = await subscribe(gateway, fake, alice)
    fake.state.delete_customer(fake.state.objects[made["customer"]])
    await sync.refresh(gateway, alice.id, grace=GRACE, now=NOW)
    assert await plan_of(alice) is Plan.FREE
    again = await subscribe(gateway, fake, alice)
    await work(context)
    await sync.refresh(gateway, alice.id, grace=GRACE, now=NOW)
    assert again["customer"] != made["customer"]
    assert await plan_of(alice) is Plan.PLUS


async def test_a_price_that_is_gone_costs_nobody_their_customer(gateway: StripeGateway, fake: FakeStripe) -> None:
    alice = await make_account(plan=Plan.FREE)
    await checkout(gateway, fake, alice, "price_pro_month")
    del fake.state.objects["price_plus_month"]
    with pytest.raises(PaymentsUnavailable):
        await service.start_checkout(gateway, alice, "price_plus_month", SETTINGS, now=NOW)
    [customer] = fake.state.of("customer")
    assert await db.fetch_value("SELECT stripe_id FROM billing_customer") == customer["id"]
    assert await db.fetch_value("SELECT count(*) FROM job") == 0


async def test_a_subscription_for_something_else_gives_nothing(gateway: StripeGateway, fake: FakeStripe) -> None:
    alice = await make_account(plan=Plan.FREE)
    other = fake.state.add("prod", "product", id="prod_other", name="Mug", active=True, metadata={})
    price = fake.state.add_price("price_mug", other["id"], None, "month", 900)
    fake.state.pay({**await checkout(gateway, fake, alice, "price_plus_month"), "_price": price["id"]})
    await sync.refresh(gateway, alice.id, grace=GRACE, now=NOW)
    assert await plan_of(alice) is Plan.FREE
    assert (await queries.standing(alice.id, SETTINGS, now=NOW)).standing is Standing.UNKNOWN


async def test_erasing_an_account_ends_its_subscription(
    gateway: StripeGateway, fake: FakeStripe, context: jobs.JobContext
) -> None:
    alice = await make_account(plan=Plan.FREE)
    made = await subscribe(gateway, fake, alice)
    page = await service.open_portal(gateway, alice, SETTINGS)
    assert page.startswith("http://127.0.0.1:12111/p/session/")
    await db.execute("DELETE FROM account WHERE id = $1", alice.id)
    assert made["status"] == "active", "something slow was done inside the transaction"
    fake.is_down = True
    await work(context)
    fake.is_down = False
    await db.execute("UPDATE job SET run_at = $1", clock.now() - timedelta(seconds=1))
    await work(context)
    assert made["status"] == "canceled"
    assert fake.state.objects[made["customer"]]["deleted"]
    assert await db.fetch_value("SELECT count(*) FROM job") == 0
    await service.close(gateway, {"customer": made["customer"], "livemode": False})  # twice is no fault
    with pytest.raises(LookupError):
        await service.close(gateway, {"customer": made["customer"], "livemode": True})


async def test_a_reading_that_began_earlier_never_overwrites_a_later_one(
    gateway: StripeGateway, fake: FakeStripe
) -> None:
    alice = await make_account(plan=Plan.FREE)
    made = await subscribe(gateway, fake, alice)

    class Slow:
        """Reads first and answers last."""

        livemode = False

        async def subscriptions(self, customer: str) -> object:
            found = await gateway.subscriptions(customer)
            fake.state.end(made)
            await sync.refresh(gateway, alice.id, grace=GRACE, now=NOW)
            return found

    await sync.refresh(Slow(), alice.id, grace=GRACE, now=NOW)  # type: ignore[arg-type]
    assert await plan_of(alice) is Plan.FREE


async def test_the_clock_of_the_stand_in_goes_through_a_life(gateway: StripeGateway, fake: FakeStripe) -> None:
    alice = await make_account(plan=Plan.FREE)
    made = await subscribe(gateway, fake, alice)
    fake.state.advance(fake.state.now + 3 * MONTH + DAY)
    assert len(fake.state.of("charge", status="succeeded")) == 4
    fake.state.declines.add(made["customer"])
    fake.state.advance(fake.state.now + 2 * MONTH)
    assert made["status"] == "canceled"
    await asyncio.sleep(0)


async def test_impatient_clicks_open_one_page_for_paying(
    committed: None, gateway: StripeGateway, fake: FakeStripe
) -> None:
    alice = await make_account(plan=Plan.FREE)
    await sync.read_offers(gateway, now=NOW)
    await asyncio.gather(
        *(service.start_checkout(gateway, alice, "price_plus_month", SETTINGS, now=NOW) for _ in range(4)),
        return_exceptions=True,
    )
    assert sum(session["status"] == "open" for session in fake.state.of("checkout.session")) == 1


async def test_while_a_page_cannot_be_closed_no_other_is_opened(gateway: StripeGateway, fake: FakeStripe) -> None:
    alice = await make_account(plan=Plan.FREE)
    first = await checkout(gateway, fake, alice, "price_plus_month")
    gone = gateway.expire_checkout

    async def away(_session_id: str) -> None:
        raise PaymentsUnavailable

    gateway.expire_checkout = away  # type: ignore[method-assign]
    with pytest.raises(PaymentsUnavailable):
        await service.start_checkout(gateway, alice, "price_pro_month", SETTINGS, now=NOW)
    gateway.expire_checkout = gone  # type: ignore[method-assign]
    await checkout(gateway, fake, alice, "price_pro_month")
    assert first["status"] == "expired"
    assert sum(session["status"] == "open" for session in fake.state.of("checkout.session")) == 1
