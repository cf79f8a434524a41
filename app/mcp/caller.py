"""Who calls: from the Authorization header to the account, its plan and what the token may do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from app.accounts import queries
from app.accounts.views import Caller
from app.core.settings import Settings
from app.core.tokens import OAUTH_ACCESS
from app.domain.plans import effective_plan
from app.oauth.connections import caller_of_token

_LONGEST_TOKEN = 512


def bearer_token(headers: Sequence[tuple[bytes, bytes]]) -> str | None:
    """The bearer token that was presented, or None. Two Authorization headers are none: readers would disagree."""
    values = [value for name, value in headers if name == b"authorization"]
    if len(values) != 1:
        return None
    scheme, _, token = values[0].decode("latin-1").partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None


async def caller_of(token: str, resource: str, settings: Settings, *, now: datetime) -> Caller | None:
    """The caller behind an access key, or behind an OAuth token that was issued for `resource`, the endpoint's URL.

    None when it is unknown, expired, revoked or for another resource. Without plans everybody is Pro.
    """
    if len(token) > _LONGEST_TOKEN or not token.isascii():
        return None
    if token.startswith(OAUTH_ACCESS):
        caller = await caller_of_token(token, resource, now=now)
    else:
        caller = await queries.caller_of_key(token, now=now)
    return caller and replace(caller, plan=effective_plan(caller.plan, settings.plans))
