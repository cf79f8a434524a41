"""Who gives an account which plan: the only code that writes `account.plan`, which the gate reads.

A source (the operator, Stripe) says its own in the table `entitlement`; `account.plan` is the largest in force.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime

from app.core.db import atomic, execute, fetch, fetch_value
from app.domain.errors import N_, NotFound
from app.domain.plans import Entitlement, Plan, Source, plan_in_force


async def entitle(account_id: int, given: Entitlement, *, now: datetime, alone: bool = False) -> Plan:
    """Replace what a source gives the account; Free takes it away. The plan that counts from now on.

    With `alone` what other sources gave is taken away too. Raises `NotFound`.
    """
    async with atomic():
        await lock(account_id)
        if alone:
            await execute("DELETE FROM entitlement WHERE account_id = $1", account_id)
        if given.plan is Plan.FREE:
            await execute("DELETE FROM entitlement WHERE account_id = $1 AND source = $2", account_id, given.source)
        else:
            await execute(
                "INSERT INTO entitlement (account_id, source, plan, until, given_at) VALUES ($1, $2, $3, $4, $5) "
                "ON CONFLICT (account_id, source) DO UPDATE SET plan = excluded.plan, until = excluded.until, "
                "given_at = CASE WHEN entitlement.plan = excluded.plan THEN entitlement.given_at "
                "ELSE excluded.given_at END",
                account_id,
                given.source,
                given.plan,
                given.until,
                now,
            )
        return await _settle(account_id, now)


async def entitlements(account_id: int) -> tuple[Entitlement, ...]:
    """What each source gives the account, in force or not."""
    rows = await fetch("SELECT source, plan, until FROM entitlement WHERE account_id = $1 ORDER BY 1", account_id)
    return tuple(Entitlement(Source(row["source"]), Plan(row["plan"]), row["until"]) for row in rows)


async def lapse(now: datetime) -> list[int]:
    """Take away what has run out, from all accounts; the ids of those. Nothing else of them changes."""
    rows = await fetch("SELECT DISTINCT account_id FROM entitlement WHERE until <= $1 ORDER BY account_id", now)
    return await _take([row["account_id"] for row in rows], "AND until <= $2", now, now=now)


async def withdraw(source: Source, *, now: datetime) -> list[int]:
    """Take away whatever a source has given, from all accounts; the ids of those."""
    rows = await fetch("SELECT account_id FROM entitlement WHERE source = $1 ORDER BY account_id", source)
    return await _take([row["account_id"] for row in rows], "AND source = $2", source, now=now)


async def _take(account_ids: list[int], which: str, value: object, *, now: datetime) -> list[int]:
    for account_id in account_ids:
        with suppress(NotFound):  # erased in the meantime
            async with atomic():
                await lock(account_id)
                await execute(f"DELETE FROM entitlement WHERE account_id = $1 {which}", account_id, value)  # noqa: S608
                await _settle(account_id, now)
    return account_ids


async def lock(account_id: int) -> None:
    if await fetch_value("SELECT id FROM account WHERE id = $1 FOR UPDATE", account_id) is None:
        raise NotFound(N_("There is no such account."))


async def _settle(account_id: int, now: datetime) -> Plan:
    plan = plan_in_force(await entitlements(account_id), now)
    await execute("UPDATE account SET plan = $2 WHERE id = $1 AND plan <> $2", account_id, plan)
    return plan
