"""The cast of the tests: Alice owns, Bob has no claim, Carol is signed out."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from app.accounts import queries
from app.accounts import service as accounts
from app.accounts.views import AccountView, Caller
from app.core.ratelimit import Rate, Take
from app.domain.plans import Plan
from app.domain.scopes import Scope

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
PASSWORD = "correct horse battery staple"
UNHURRIED = Take("test:", dict.fromkeys(Plan, Rate(calls=1000, seconds=1, burst=1000)))
"""A rate that no test meets."""


async def make_account(
    email: str = "alice@example.org", *, plan: Plan = Plan.PLUS, now: datetime = NOW, password: str = PASSWORD
) -> AccountView:
    """An account that signs in with `PASSWORD`."""
    return await accounts.sign_up(email, password, now=now, plan=plan)


async def make_key(account: AccountView, scopes: Iterable[Scope] | None = None, *, now: datetime = NOW) -> str:
    """The secret of a new access key, with every scope unless told."""
    _, token = await accounts.create_key(account.id, "test", frozenset(scopes or Scope), now=now)
    return token


async def caller_of_key(token: str, *, now: datetime) -> Caller | None:
    """The client behind an access key, at whatever rate it calls."""
    found = await queries.admit_key(token, UNHURRIED, now=now)
    return found and found.caller
