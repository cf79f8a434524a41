"""Connected clients: who calls with a token, what a person has connected, and how it ends."""

from __future__ import annotations

from datetime import datetime, timedelta

from asyncpg import Record

from app.accounts.queries import CALLER_COLUMNS, caller
from app.accounts.views import Admission
from app.core.db import changed_rows, execute, fetch, fetch_row
from app.core.ratelimit import Take, taking
from app.core.tokens import OAUTH_ACCESS, is_well_formed, token_hash
from app.domain.errors import N_, NotFound
from app.domain.scopes import Scope
from app.oauth.clients import sweep_clients
from app.oauth.documents import document_host
from app.oauth.views import ConnectionView

_TOUCH_EVERY = timedelta(minutes=1)
_CODES_KEPT = timedelta(hours=1)  # a code that comes again is told from one that never was
# Hosts whose chats start a wider consent from a tool's result, not from a status (MCP authorization in Apps SDK).
_IN_BAND_HOSTS = frozenset({"chatgpt.com", "chat.openai.com"})

_NO_CONNECTION, _ENDED = N_("There is no such connection."), N_("It may have ended already.")

_CALLER = f"""
SELECT {CALLER_COLUMNS},
       connection.id AS client_id, connection.client_name, connection.redirect_host, connection.used_at,
       ARRAY(SELECT unnest(token.scopes) INTERSECT SELECT unnest(connection.scopes)) AS scopes
  FROM oauth_access_token AS token
  JOIN oauth_connection AS connection
    ON connection.account_id = token.account_id AND connection.id = token.connection_id
  JOIN account ON account.id = token.account_id
 WHERE token.token_hash = $1 AND token.expires_at > $2 AND token.resource = $3
"""  # noqa: S608 - constants


_ADMIT = taking(_CALLER, 4)


async def admit_token(token: str, resource: str, take: Take, *, now: datetime) -> Admission | None:
    """The client behind an access token that was issued for `resource`, and one call taken from its account's bucket.

    None when there is no such token, or it is over. One query, none for a mistyped token; once a minute a second one
    that notes the use.
    """
    if not is_well_formed(token, OAUTH_ACCESS):
        return None
    row = await fetch_row(_ADMIT, token_hash(token), now, resource, *take.values)
    if row is None:
        return None
    if row["used_at"] is None or row["used_at"] < now - _TOUCH_EVERY:
        await execute(
            "UPDATE oauth_connection SET used_at = $3 WHERE account_id = $1 AND id = $2 "
            "AND (used_at IS NULL OR used_at < $3)",
            row["account_id"],
            row["client_id"],
            now,
        )
    who = caller(row, "oauth", asks_in_band=row["redirect_host"] in _IN_BAND_HOSTS)
    return Admission(who, row["seconds_to_wait"])


_CONNECTIONS = """
SELECT connection.id, connection.client_name, connection.redirect_host, connection.scopes, connection.created_at,
       connection.agreed_at, connection.used_at, client.client_id, client.kind
  FROM oauth_connection AS connection JOIN oauth_client AS client ON client.id = connection.client
 WHERE connection.account_id = $1
"""


async def connections(account_id: int) -> tuple[ConnectionView, ...]:
    """The connected clients, the last used first."""
    rows = await fetch(
        _CONNECTIONS + "ORDER BY coalesce(connection.used_at, connection.agreed_at) DESC, connection.id DESC",
        account_id,
    )
    return tuple(_view(row) for row in rows)


async def connection(account_id: int, connection_id: int) -> ConnectionView:
    """One of them, or `NotFound`."""
    row = await fetch_row(_CONNECTIONS + "AND connection.id = $2", account_id, connection_id)
    if row is None:
        raise NotFound(_NO_CONNECTION, _ENDED)
    return _view(row)


async def disconnect(account_id: int, connection_id: int) -> None:
    """End a connection with all its codes and tokens, from the next call on; raises `NotFound`."""
    tag = await execute("DELETE FROM oauth_connection WHERE account_id = $1 AND id = $2", account_id, connection_id)
    if not changed_rows(tag):
        raise NotFound(_NO_CONNECTION, _ENDED)


async def disconnect_all(account_id: int) -> None:
    """End every connection of the account."""
    await execute("DELETE FROM oauth_connection WHERE account_id = $1", account_id)


async def sweep(now: datetime) -> None:
    """Erase what has expired: codes, tokens, connections that no token is left of, clients that were never used."""
    await execute("DELETE FROM oauth_authorization_code WHERE expires_at < $1", now - _CODES_KEPT)
    for table in ("oauth_access_token", "oauth_refresh_token"):
        await execute(f"DELETE FROM {table} WHERE expires_at < $1", now)  # noqa: S608 - two names
    await execute(
        "DELETE FROM oauth_connection AS c WHERE agreed_at < $1 "
        "AND NOT EXISTS (SELECT 1 FROM oauth_refresh_token WHERE (account_id, connection_id) = (c.account_id, c.id)) "
        "AND NOT EXISTS (SELECT 1 FROM oauth_access_token WHERE (account_id, connection_id) = (c.account_id, c.id))",
        now - _CODES_KEPT,
    )
    await sweep_clients(now)


def _view(row: Record) -> ConnectionView:
    return ConnectionView(
        id=row["id"],
        client_name=row["client_name"],
        client_host=document_host(row["client_id"]) if row["kind"] == "document" else "",
        redirect_host=row["redirect_host"],
        scopes=frozenset(map(Scope, row["scopes"])),
        created_at=row["created_at"],
        agreed_at=row["agreed_at"],
        used_at=row["used_at"],
    )
