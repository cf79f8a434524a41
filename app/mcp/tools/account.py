"""The tool that says what the connected account may do."""

from __future__ import annotations

from typing import Annotated
from zoneinfo import ZoneInfo

from msgspec import UNSET, Meta, UnsetType

from app.accounts.views import Caller
from app.billing.queries import PlanStanding
from app.core.settings import Settings
from app.decks import queries
from app.domain.billing import GIVING
from app.domain.plans import Plan
from app.domain.scopes import Scope
from app.mcp.errors import upgrade_url
from app.mcp.plans import figures_of, standing_of, subscription_text, write_refusal
from app.mcp.spec import Call, Input, Kind, Output, Reply, Toolset, ToolSpec
from app.mcp.tools.fields import Count
from app.notes import queries as note_queries


class Nothing(Input):
    """No arguments."""


class Used(Output):
    used: Count
    limit: Count


class Usage(Output):
    decks: Used
    cards: Used
    notes: Used


class AccountStatus(Output, kw_only=True):
    email: Annotated[str, Meta(description="Masked, to tell accounts apart.")]
    plan: Annotated[str, Meta(extra_json_schema={"enum": [plan.value for plan in Plan]})]
    can_write: Annotated[bool, Meta(description="Whether this connection may create, change, delete and restore.")]
    why_not: Annotated[str, Meta(description="What stands in the way of writing, and what to do.")] | UnsetType = UNSET
    renews_on: Annotated[str, Meta(description="Day on which the paid plan renews or ends.")] | UnsetType = UNSET
    upgrade_url: Annotated[str, Meta(description="Page on which the person sees and changes the plan.")]
    usage: Annotated[Usage, Meta(description="What exists, and what the plan allows.")]
    cards_per_deck: Annotated[int, Meta(description="Cards that one deck may hold.")]


async def get_account_status(call: Call, _given: Nothing) -> Reply[AccountStatus]:
    caller, figures = call.caller, figures_of(call.caller.plan, call.settings)
    usage = await queries.usage(caller.account_id)
    notes = await note_queries.usage(caller.account_id)
    standing = await standing_of(caller, call.settings, now=call.now)
    why_not = _why_not(caller, standing, call.settings)
    subscription = subscription_text(caller, standing)
    status = AccountStatus(
        email=masked(caller.email),
        plan=caller.plan.value,
        can_write=why_not is None,
        why_not=why_not or UNSET,
        renews_on=_day(caller, standing) or UNSET,
        upgrade_url=upgrade_url(call.settings),
        usage=Usage(
            decks=Used(used=usage.decks, limit=figures.decks),
            cards=Used(used=usage.cards, limit=figures.cards),
            notes=Used(used=notes, limit=figures.notes),
        ),
        cards_per_deck=call.settings.deck_card_cap,
    )
    lines = [
        f"{status.email}, {status.plan} plan. Writing: {'yes' if status.can_write else 'no'}.",
        f"Decks {usage.decks} of {figures.decks}, cards {usage.cards} of {figures.cards}, "
        f"notes {notes} of {figures.notes}.",
    ]
    if why_not:
        lines.append(why_not)
    elif subscription:
        lines.append(subscription)
    lines.append(f"Plan page: {status.upgrade_url}")
    return Reply(status, "\n".join(lines))


def masked(email: str) -> str:
    """`alice@example.org` as `a***@example.org`."""
    name, _, host = email.rpartition("@")
    return f"{name[:1]}***@{host}"


def _day(caller: Caller, standing: PlanStanding) -> str | None:
    """The local day on which a plan that is paid renews or ends."""
    if standing.date is None or standing.standing not in GIVING:
        return None
    return standing.date.astimezone(ZoneInfo(caller.zone)).date().isoformat()


def _why_not(caller: Caller, standing: PlanStanding, settings: Settings) -> str | None:
    refusal = write_refusal(caller, standing, settings)
    if refusal is not None:
        return str(refusal)
    missing = [scope.value for scope in (Scope.DECKS_WRITE, Scope.MEMORY_WRITE) if scope not in caller.scopes]
    if len(missing) == 2:
        return f"This connection was not granted {' or '.join(missing)}; connect again and allow it."
    return None


GET_ACCOUNT_STATUS = ToolSpec(
    name="get_account_status",
    title="Get account status",
    description=(
        "Say which account is connected, its plan, whether this connection may write and if not why, and how much of "
        "each limit is used. Call it when a write was refused, or before a large import."
    ),
    toolsets=frozenset({Toolset.FLASHCARDS}),
    scope=Scope.DECKS_READ,
    kind=Kind.READ,
    input=Nothing,
    output=AccountStatus,
    handler=get_account_status,
)
