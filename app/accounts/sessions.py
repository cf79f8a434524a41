"""Commands on browser sessions: opened at sign-in, closed by their owner, swept when they have expired.

A browser gets a new token at each sign-in, so one that somebody planted before is worth nothing.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from app.accounts.fields import as_line
from app.accounts.queries import SESSION_IDLE_DAYS
from app.core.db import changed_rows, execute
from app.core.tokens import WEB_SESSION, is_well_formed, new_token, token_hash
from app.domain.errors import N_, NotFound

SESSION_DAYS = 90
_SESSIONS_KEPT = 50
_USER_AGENT_LETTERS = 300
_ADDRESS_LETTERS = 64


async def open_session(
    account_id: int, *, now: datetime, address: str, user_agent: str, session_days: int = SESSION_DAYS
) -> str:
    """Sign a browser in without asking (the caller has asked): its new token, good for `session_days`.

    An account keeps its fifty last used sessions.
    """
    token = new_token(WEB_SESSION)
    await execute(
        "WITH surplus AS (DELETE FROM web_session WHERE account_id = $1 AND id IN (SELECT id FROM web_session "
        "WHERE account_id = $1 ORDER BY seen_at DESC, id DESC OFFSET $7)) "
        "INSERT INTO web_session (account_id, token_hash, created_at, seen_at, expires_at, user_agent, address) "
        "VALUES ($1, $2, $3, $3, $4, $5, $6)",
        account_id,
        token_hash(token),
        now,
        now + timedelta(days=session_days),
        as_line(user_agent, _USER_AGENT_LETTERS),
        as_line(address, _ADDRESS_LETTERS),
        _SESSIONS_KEPT - 1,
    )
    return token


async def sign_out(session_token: str) -> None:
    """Close the session of a browser's token; an unknown token is signed out already."""
    if is_well_formed(session_token, WEB_SESSION):
        await execute("DELETE FROM web_session WHERE token_hash = $1", token_hash(session_token))


async def revoke_session(account_id: int, session_id: int) -> None:
    """Close one session of the account, or raise `NotFound`."""
    tag = await execute("DELETE FROM web_session WHERE account_id = $1 AND id = $2", account_id, session_id)
    if not changed_rows(tag):
        raise NotFound(N_("There is no such session."), N_("It may have ended already."))


async def revoke_other_sessions(account_id: int, keep_session_id: int | None) -> int:
    """Close all sessions of the account but one (or all, with None); how many were closed."""
    return changed_rows(
        await execute(
            "DELETE FROM web_session WHERE account_id = $1 AND id IS DISTINCT FROM $2", account_id, keep_session_id
        )
    )


async def sweep_sessions(now: datetime, *, idle_days: int = SESSION_IDLE_DAYS) -> None:
    """Erase the sessions of all accounts that have expired."""
    await execute(
        "DELETE FROM web_session WHERE expires_at <= $1 OR seen_at <= $2", now, now - timedelta(days=idle_days)
    )
