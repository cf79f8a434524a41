"""The cast of the tests: Alice owns, Bob has no claim, Carol is signed out."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from app.accounts import service as accounts
from app.accounts.views import AccountView
from app.domain.plans import Plan
from app.domain.scopes import Scope

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
PASSWORD = "correct horse battery staple"


async def make_account(
    email: str = "alice@example.org", *, plan: Plan = Plan.PLUS, now: datetime = NOW, password: str = PASSWORD
) -> AccountView:
    """An account that signs in with `PASSWORD`."""
    return await accounts.sign_up(email, password, now=now, plan=plan)


async def make_key(account: AccountView, scopes: Iterable[Scope] | None = None, *, now: datetime = NOW) -> str:
    """The secret of a new access key, with every scope unless told."""
    _, token = await accounts.create_key(account.id, "test", frozenset(scopes or Scope), now=now)
    return token
