"""What a caller's plan and settings mean for a call: the figures, the limits that commands take, the study days."""

from __future__ import annotations

from datetime import datetime

from app.accounts.views import Caller
from app.billing.queries import PlanStanding
from app.billing.queries import standing as billing_standing
from app.core.ratelimit import Rate
from app.core.settings import Settings
from app.decks.limits import Limits
from app.domain.billing import GIVING
from app.domain.calendar import StudyClock
from app.domain.errors import PlanRequired
from app.domain.plans import Feature, Plan, PlanLimits, ai_write_refusal, effective_plan, includes, limits_for
from app.ui.plan_view import standing_text
from app.ui.render import Reader


def figures_of(plan: Plan, settings: Settings) -> PlanLimits:
    """The row of the plan table, with what the operator changed in it."""
    return limits_for(plan, settings.plan_figures)


def rates_of(settings: Settings) -> dict[str, Rate]:
    """How many calls the accounts of each plan may make."""
    figures = {plan.value: figures_of(effective_plan(plan, settings.plans), settings) for plan in Plan}
    return {
        plan: Rate(calls=limits.calls_per_minute, seconds=60, burst=limits.burst) for plan, limits in figures.items()
    }


def plan_allows(plan: Plan, feature: Feature | None, settings: Settings) -> bool:
    """Whether an account on the plan may use what needs the feature; None needs nothing."""
    return feature is None or includes(plan, feature, settings.plan_figures, plans_on=settings.plans)


def may(caller: Caller, feature: Feature | None, settings: Settings) -> bool:
    """Whether the caller's plan includes the feature."""
    return plan_allows(caller.plan, feature, settings)


async def standing_of(caller: Caller, settings: Settings, *, now: datetime) -> PlanStanding:
    """Where the caller's account stands with its subscription."""
    return await billing_standing(caller.account_id, settings, now=now)


def write_refusal(caller: Caller, standing: PlanStanding, settings: Settings) -> PlanRequired | None:
    """What a tool that writes answers on this plan, with what became of the subscription; None when it may write."""
    found = ai_write_refusal(caller.plan, settings.plan_figures, plans_on=settings.plans)
    if found is None:
        return None
    message, hint = found
    if standing.standing is not None and standing.standing not in GIVING:
        message = f"{message} {subscription_text(caller, standing)}"
    return PlanRequired(message.replace("%", "%%"), hint)


def subscription_text(caller: Caller, standing: PlanStanding) -> str:
    """The subscription in a sentence, empty without one. Tools speak English."""
    return standing_text(Reader(zone=caller.zone), standing)


def limits_of(caller: Caller, settings: Settings) -> Limits:
    """The limits that the commands of the decks area keep."""
    return Limits(plan_limits=figures_of(caller.plan, settings), deck_card_cap=settings.deck_card_cap)


def study_clock(caller: Caller) -> StudyClock:
    """The person's study days."""
    return StudyClock(caller.zone, caller.rollover_hour)
