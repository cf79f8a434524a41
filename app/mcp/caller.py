"""Who calls: from the Authorization header to the account, its plan, what the token may do and its rate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from app.accounts import queries
from app.accounts.views import Admission
from app.core.ratelimit import Take
from app.core.settings import Settings
from app.core.tokens import ACCESS_KEY, OAUTH_ACCESS, is_well_formed
from app.domain.plans import effective_plan
from app.oauth.connections import admit_token

_LONGEST_TOKEN = 512


def bearer_token(headers: Sequence[tuple[bytes, bytes]]) -> str | None:
    """The bearer token that was presented, or None. Two Authorization headers are none: readers would disagree."""
    values = [value for name, value in headers if name == b"authorization"]
    if len(values) != 1:
        return None
    scheme, _, token = values[0].decode("latin-1").partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None


def may_be_token(token: str) -> bool:
    """Whether it is worth asking the database: a token of another make, or mistyped, is none of ours."""
    if len(token) > _LONGEST_TOKEN or not token.isascii():
        return False
    return is_well_formed(token, OAUTH_ACCESS) or is_well_formed(token, ACCESS_KEY)


async def admit(token: str, resource: str, take: Take, settings: Settings, *, now: datetime) -> Admission | None:
    """The caller behind an access key, or behind an OAuth token that was issued for `resource`, the endpoint's URL.

    One call is taken from the bucket of its account, in the same statement. None when the token is unknown, expired,
    revoked or for another resource. Without plans everybody is Pro.
    """
    if not may_be_token(token):
        return None
    if token.startswith(OAUTH_ACCESS):
        found = await admit_token(token, resource, take, now=now)
    else:
        found = await queries.admit_key(token, take, now=now)
    if found is None:
        return None
    return replace(found, caller=replace(found.caller, plan=effective_plan(found.caller.plan, settings.plans)))
