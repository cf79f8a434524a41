"""The token and the revocation endpoint: load the rows that a request names, decide, write, in one transaction.

All requests about one connection queue for its row, so a code or a refresh token that is sent several times at once
is judged one after the other, and a person who disconnects is obeyed by whatever comes after.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from datetime import datetime
from urllib.parse import unquote_plus

from asyncpg import Record

from app.core import logs
from app.core.db import atomic, execute, fetch_row
from app.core.tokens import OAUTH_ACCESS, OAUTH_CODE, OAUTH_REFRESH, is_well_formed, token_hash
from app.oauth.clients import find_client
from app.oauth.core import Core
from app.oauth.models import Request
from app.oauth.views import Policy
from app.oauth.work import Answer, Parameters, Work

_log = logs.get_logger(__name__)
_REPEATABLE = frozenset({"resource"})
_LONGEST_VALUE = 4000
_GRANT_TYPES = frozenset({"authorization_code", "refresh_token"})


async def exchange(policy: Policy, pairs: Parameters, authorization: str, *, now: datetime) -> Answer:
    """The answer of the token endpoint to a form and its Authorization header (empty without one)."""
    refused = _refused(pairs) or _without_grant(pairs)
    if refused:
        return refused
    request = _request("/token", pairs, authorization)
    data = request.values
    answer, work = await _decide(
        policy,
        request,
        authorization,
        now,
        # The grant's own secret alone, so that the connection that is locked is the one that is judged.
        {"code": data.get("code", "")}
        if data["grant_type"] == "authorization_code"
        else {"refresh": data.get("refresh_token", "")},
        lambda core: core.token_answer(request),
    )
    source = work.code or work.refresh
    _log.info(
        "oauth_token",
        grant=data["grant_type"],
        outcome=answer.body.get("error", "ok"),
        **({"what": work.event} if work.event else {}),
        **({"account": source["account_id"], "connection": source["connection_id"]} if source else {}),
        **({"attempt": work.code["attempt"]} if work.code else {}),
    )
    return answer


async def revoke(policy: Policy, pairs: Parameters, authorization: str, *, now: datetime) -> Answer:
    """The answer of the revocation endpoint (RFC 7009): a refresh token takes its whole family with it."""
    refused = _refused(pairs)
    if refused:
        return refused
    # The kind of a token is in the token, so the hint says nothing; an unknown one must not be an error.
    request = _request("/revoke", [pair for pair in pairs if pair[0] != "token_type_hint"], authorization)
    token = request.values.get("token", "")
    answer, work = await _decide(
        policy,
        request,
        authorization,
        now,
        {"refresh": token, "access": token},
        lambda core: core.revocation_answer(request),
    )
    _log.info("oauth_revoke", outcome=answer.body.get("error", work.event or "unknown_token"))
    return answer


async def _decide(
    policy: Policy,
    request: Request,
    authorization: str,
    now: datetime,
    tokens: dict[str, str],
    decide: Callable[[Core], Answer],
) -> tuple[Answer, Work]:
    async with atomic():
        work = Work(policy, now, client=await find_client(_client_id(request, authorization)))
        for kind, token in tokens.items():
            prefix, table = _KINDS[kind]
            if is_well_formed(token, prefix):
                await _load(work, kind, table, token_hash(token))
        answer = decide(Core(work))
        for sql, *values in work.statements:
            await execute(sql, *values)
    return answer, work


_KINDS = {
    "code": (OAUTH_CODE, "oauth_authorization_code"),
    "refresh": (OAUTH_REFRESH, "oauth_refresh_token"),
    "access": (OAUTH_ACCESS, "oauth_access_token"),
}


async def _load(work: Work, kind: str, table: str, secret: bytes) -> None:
    """The connection first and locked, then the row as it is once the lock is held."""
    work.connection = await fetch_row(
        "SELECT id, account_id, client, scopes FROM oauth_connection WHERE (account_id, id) = "  # noqa: S608 - three names
        f"(SELECT account_id, connection_id FROM {table} WHERE token_hash = $1) FOR UPDATE",
        secret,
    )
    if work.connection is not None:
        row: Record | None = await fetch_row(f"SELECT * FROM {table} WHERE token_hash = $1", secret)  # noqa: S608 - three names
        setattr(work, kind, row)


def _request(path: str, pairs: Parameters, authorization: str) -> Request:
    readable = authorization if _basic(authorization) else ""
    return Request("POST", path, pairs, {"Authorization": readable} if readable else {})


def _client_id(request: Request, authorization: str) -> str | None:
    basic = _basic(authorization)
    return basic[0] if basic else request.values.get("client_id")


def _basic(header: str) -> tuple[str, str] | None:
    """Client id and secret of a Basic header that is one; Authlib fails on bytes that are no text."""
    scheme, _, value = header.partition(" ")
    if scheme.lower() != "basic":
        return None
    try:
        name, colon, secret = base64.b64decode(value, validate=True).decode().partition(":")
    except (binascii.Error, ValueError):
        return None
    return (unquote_plus(name), unquote_plus(secret)) if colon else None


def _refused(pairs: Parameters) -> Answer | None:
    """What RFC 6749, section 3.2, has refused before anything else: a parameter twice, or a value that is no text."""
    names = [name for name, _ in pairs if name not in _REPEATABLE]
    if len(names) != len(set(names)):
        return error("invalid_request", "A parameter is in the request twice")
    if any(len(value) > _LONGEST_VALUE or not value.isascii() or not value.isprintable() for _, value in pairs):
        return error("invalid_request", "A parameter is too long or holds what no parameter may hold")
    return None


def _without_grant(pairs: Parameters) -> Answer | None:
    grant_type = dict(pairs).get("grant_type", "")
    if not grant_type:
        return error("invalid_request", "Missing 'grant_type'")
    if grant_type not in _GRANT_TYPES:
        return error("unsupported_grant_type", "grant_type is authorization_code or refresh_token")
    return None


def error(word: str, description: str, status: int = 400) -> Answer:
    """An error answer as RFC 6749, section 5.2, has it."""
    return Answer(status, {"error": word, "error_description": description}, {})
