"""What a subscription gives: every status, and the laws that hold whatever Stripe says."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.billing import (
    GIVING,
    Payment,
    Standing,
    Status,
    Subscription,
    date_of,
    decisive,
    dispute_takes_money,
    is_running,
    judge,
    sentence,
    units_of,
)
from app.domain.plans import Entitlement, Plan, Source, plan_in_force
from tests.factories import NOW

GRACE = timedelta(days=7)
DAY = timedelta(days=1)
ACTIVE = Subscription(
    stripe_id="sub_1", status=Status.ACTIVE, plan=Plan.PLUS, created_at=NOW - 10 * DAY, period_end=NOW + 20 * DAY
)
moments = st.integers(-400, 400).map(lambda hours: NOW + timedelta(hours=hours))
subscriptions = st.builds(
    Subscription,
    stripe_id=st.text("ab1", min_size=1, max_size=4),
    status=st.sampled_from(Status),
    plan=st.none() | st.sampled_from([Plan.PLUS, Plan.PRO]),
    created_at=moments,
    period_end=st.none() | moments,
    cancel_at=st.none() | moments,
    trial_end=st.none() | moments,
    unpaid_since=st.none() | moments,
    payment=st.sampled_from(Payment),
)


@pytest.mark.parametrize(
    ("status", "standing", "plan"),
    [
        (Status.INCOMPLETE, Standing.INCOMPLETE, Plan.FREE),
        (Status.INCOMPLETE_EXPIRED, Standing.ENDED, Plan.FREE),
        (Status.TRIALING, Standing.TRIAL, Plan.PLUS),
        (Status.ACTIVE, Standing.ACTIVE, Plan.PLUS),
        (Status.PAST_DUE, Standing.GRACE, Plan.PLUS),
        (Status.CANCELED, Standing.ENDED, Plan.FREE),
        (Status.UNPAID, Standing.UNPAID, Plan.FREE),
        (Status.PAUSED, Standing.PAUSED, Plan.FREE),
    ],
)
def test_each_status_has_one_meaning(status: Status, standing: Standing, plan: Plan) -> None:
    verdict = judge(replace(ACTIVE, status=status, unpaid_since=NOW - DAY), now=NOW, grace=GRACE)
    assert (verdict.standing, verdict.plan) == (standing, plan)
    assert is_running(replace(ACTIVE, status=status)) == (
        status not in {Status.INCOMPLETE, Status.INCOMPLETE_EXPIRED, Status.CANCELED}
    )


def test_a_cancellation_ends_the_plan_on_its_day() -> None:
    ending = replace(ACTIVE, cancel_at=NOW + DAY)
    verdict = judge(ending, now=NOW, grace=GRACE)
    assert (verdict.standing, verdict.plan, verdict.until) == (Standing.ENDING, Plan.PLUS, NOW + DAY)
    assert judge(ending, now=NOW + DAY, grace=GRACE).standing is Standing.ENDED
    trial = replace(ending, status=Status.TRIALING)
    assert judge(trial, now=NOW, grace=GRACE).standing is Standing.ENDING


def test_the_grace_begins_with_the_oldest_unpaid_invoice() -> None:
    failed = replace(ACTIVE, status=Status.PAST_DUE, unpaid_since=NOW)
    assert judge(failed, now=NOW + GRACE - timedelta(seconds=1), grace=GRACE).until == NOW + GRACE
    assert judge(failed, now=NOW + GRACE, grace=GRACE).standing is Standing.UNPAID
    assert judge(failed, now=NOW, grace=timedelta()).plan is Plan.FREE
    assert judge(replace(failed, unpaid_since=None), now=NOW, grace=GRACE).plan is Plan.FREE, "ten days old"


@given(subscriptions, moments)
def test_a_plan_is_given_by_what_is_paid_and_known_alone(subscription: Subscription, now: datetime) -> None:
    verdict = judge(subscription, now=now, grace=GRACE)
    assert (verdict.plan is not Plan.FREE) == (verdict.standing in GIVING)
    if verdict.plan is not Plan.FREE:
        assert subscription.status in {Status.ACTIVE, Status.TRIALING, Status.PAST_DUE}
        assert subscription.payment is Payment.KEPT
        assert verdict.plan is subscription.plan
        assert verdict.until is None or now < verdict.until


@given(subscriptions, moments, moments)
def test_what_was_read_once_stays_right_as_time_goes_on(
    subscription: Subscription, read: datetime, later: datetime
) -> None:
    """The gate keeps plan and end; between readings it comes to what a judgement made later would say."""
    read, later = sorted((read, later))
    verdict = judge(subscription, now=read, grace=GRACE)
    kept = plan_in_force([Entitlement(Source.STRIPE, verdict.plan, verdict.until)], later)
    assert kept is judge(subscription, now=later, grace=GRACE).plan


@given(st.lists(subscriptions, max_size=5), moments, st.randoms(use_true_random=False))
def test_of_several_subscriptions_the_largest_plan_counts_whatever_their_order(
    several: list[Subscription], now: datetime, dice: random.Random
) -> None:
    found = decisive(several, now=now, grace=GRACE)
    assert (found is None) == (not several)
    if found is None:
        return
    order = list(Plan)
    best = max(order.index(judge(each, now=now, grace=GRACE).plan) for each in several)
    verdict = judge(found, now=now, grace=GRACE)
    assert order.index(verdict.plan) == best
    dice.shuffle(several)
    again = decisive(several, now=now, grace=GRACE)
    assert again is not None
    assert judge(again, now=now, grace=GRACE) == verdict


@given(
    st.lists(st.builds(Entitlement, st.sampled_from(Source), st.sampled_from(Plan), st.none() | moments), max_size=4),
    moments,
)
def test_the_largest_entitlement_in_force_counts(given_plans: list[Entitlement], now: datetime) -> None:
    live = [item.plan for item in given_plans if item.until is None or item.until > now]
    order = list(Plan)
    assert plan_in_force(given_plans, now) is max(live, key=order.index, default=Plan.FREE)


@given(subscriptions, moments)
def test_every_standing_has_a_sentence_that_can_be_filled(subscription: Subscription, now: datetime) -> None:
    verdict = judge(subscription, now=now, grace=GRACE)
    text = sentence(verdict.standing)
    if "%(date)s" in text and subscription.period_end is not None:
        assert date_of(subscription, verdict) is not None
    assert text % {"plan": "Plus", "date": "1 May", "price": "€4.00 a month"}


def test_a_dispute_takes_money_unless_it_is_an_inquiry_or_won() -> None:
    assert {status for status in _dispute_statuses() if not dispute_takes_money(status)} == {
        "prevented", "warning_closed", "warning_needs_response", "warning_under_review", "won",
    }  # fmt: skip


def _dispute_statuses() -> set[str]:
    return {
        "appeal_needs_response", "appeal_under_review", "lost", "needs_response", "prevented", "under_review",
        "warning_closed", "warning_needs_response", "warning_under_review", "won",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("amount", "currency", "units"), [(400, "eur", 4.0), (400, "JPY", 400.0), (4500, "kwd", 4.5), (1050, "isk", 10.5)]
)
def test_amounts_are_in_the_smallest_unit_of_their_currency(amount: int, currency: str, units: float) -> None:
    assert units_of(amount, currency) == units
