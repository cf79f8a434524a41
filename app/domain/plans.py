"""What each plan includes: one table of data, an operator's changes to its figures; and who may be on which plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType
from typing import Final, TypeAlias

from app.domain.errors import N_


class Plan(StrEnum):
    """Smallest first."""

    FREE = "free"
    PLUS = "plus"
    PRO = "pro"


class Feature(StrEnum):
    """What a plan includes or does not. What every plan includes is no feature."""

    AI_WRITE = "ai_write"
    """An AI client may create, edit, delete and restore."""
    OWN_PARAMETERS = "own_parameters"
    """FSRS parameters are fitted to the person's own reviews."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanLimits:
    """A column of the table: live decks, live cards and notes of an account; tool calls; features."""

    decks: int
    cards: int
    notes: int
    calls_per_minute: int
    burst: int
    ai_write: bool
    own_parameters: bool


PLANS: Final[Mapping[Plan, PlanLimits]] = MappingProxyType(
    {
        Plan.FREE: PlanLimits(
            decks=20, cards=2_000, notes=200, calls_per_minute=60, burst=30, ai_write=False, own_parameters=False
        ),
        Plan.PLUS: PlanLimits(
            decks=200, cards=20_000, notes=5_000, calls_per_minute=120, burst=60, ai_write=True, own_parameters=True
        ),
        Plan.PRO: PlanLimits(
            decks=2_000,
            cards=200_000,
            notes=50_000,
            calls_per_minute=300,
            burst=150,
            ai_write=True,
            own_parameters=True,
        ),
    }
)

_SWITCHES: Final = frozenset(feature.value for feature in Feature)
_AT_LEAST_ONE: Final = frozenset({"calls_per_minute", "burst"})
_LARGEST: Final = 2**31 - 1


Overrides: TypeAlias = Mapping[str, int] | tuple[tuple[str, int], ...]
"""An operator's figures by names like `free.decks`; features take 0 or 1."""


class Source(StrEnum):
    """Who gives an account a plan. Each says its own, and the largest counts."""

    OPERATOR = "operator"
    STRIPE = "stripe"
    STRIPE_TEST = "stripe_test"
    """Stripe's test mode, in which nobody pays: its plans are gone once the server runs with a live key."""


@dataclass(frozen=True, slots=True)
class Entitlement:
    """A plan from one source, until a moment (UTC) or for as long as the source does not say otherwise."""

    source: Source
    plan: Plan
    until: datetime | None = None

    def in_force(self, now: datetime) -> bool:
        return self.until is None or now < self.until


def plan_in_force(entitlements: Iterable[Entitlement], now: datetime) -> Plan:
    """The largest plan of those in force; Free without any."""
    order = list(Plan)
    return max((item.plan for item in entitlements if item.in_force(now)), key=order.index, default=Plan.FREE)


def effective_plan(plan: Plan, plans_on: bool = True) -> Plan:
    """The plan that counts: everybody has Pro where plans are off."""
    return plan if plans_on else Plan.PRO


def limits_for(plan: Plan, overrides: Overrides = (), *, plans_on: bool = True) -> PlanLimits:
    """The limits of a plan with an operator's figures in place of the table's.

    Raises `ValueError` for a figure that the table does not have (`check_overrides`).
    """
    pairs = overrides if isinstance(overrides, tuple) else tuple(overrides.items())
    return _limits(effective_plan(plan, plans_on), pairs)


@lru_cache(maxsize=64)
def _limits(plan: Plan, overrides: tuple[tuple[str, int], ...]) -> PlanLimits:
    check_overrides(overrides)
    changes: dict[str, int | bool] = {}
    for name, figure in overrides:
        of_plan, _, limit = name.partition(".")
        if of_plan == plan:
            changes[limit] = bool(figure) if limit in _SWITCHES else figure
    return replace(PLANS[plan], **changes)  # type: ignore[arg-type] - names and kinds were checked above


def check_overrides(overrides: Overrides) -> None:
    """Raises `ValueError`, saying what is allowed, for a name outside the table and a figure of the wrong kind."""
    limits = [item.name for item in fields(PlanLimits)]
    for name, figure in dict(overrides).items():
        plan, _, limit = name.partition(".")
        if plan not in set(Plan) or limit not in limits:
            raise ValueError(
                f"takes names made of a plan ({', '.join(Plan)}), a point and one of {', '.join(limits)}; not {name}"
            )
        if limit in _SWITCHES and figure not in {0, 1}:
            raise ValueError(f"takes 0 or 1 for {name}")
        least = 1 if limit in _AT_LEAST_ONE else 0
        if not least <= figure <= _LARGEST:
            raise ValueError(f"takes a figure from {least} to {_LARGEST} for {name}")


def ai_write_refusal(plan: Plan, overrides: Overrides = (), *, plans_on: bool = True) -> tuple[str, str] | None:
    """The gate: None when AI clients may write on this plan, else the message ids of why not and of what to do.

    Every place that refuses, or says beforehand that it would, asks here: tools, the account's status, the consent page
    and the plan page cannot disagree.
    """
    if includes(plan, Feature.AI_WRITE, overrides, plans_on=plans_on):
        return None
    return (
        N_("Creating, changing, deleting and restoring from an AI chat needs the Plus or Pro plan."),
        N_("Reading and searching work on every plan. The person can change the plan in Loci."),
    )


def includes(plan: Plan, feature: Feature, overrides: Overrides = (), *, plans_on: bool = True) -> bool:
    """Whether the plan has the feature."""
    limits = limits_for(plan, overrides, plans_on=plans_on)
    match feature:
        case Feature.AI_WRITE:
            return limits.ai_write
        case Feature.OWN_PARAMETERS:
            return limits.own_parameters
