"""Reads of the audit area: what clients did in an account, filtered, paged and exported."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Annotated

from asyncpg import Record
from msgspec import Meta

from app.audit.views import EventPage, EventView
from app.core import cursors
from app.core.db import fetch

_LISTING = "audit"
_LIMIT_MOST = 200
_EXPORT_PAGE = 1000
_NAMES_MOST = 200
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LAST_MICROSECOND = 253_402_300_799_999_999  # the end of the year 9999

# The sort key of a page's last row: microseconds since 1970, id. Bounded, so that no cursor is beyond a column's type.
_Key = tuple[Annotated[int, Meta(ge=0, le=_LAST_MICROSECOND)], Annotated[int, Meta(ge=0, le=2**63 - 1)]]

_EVENTS = """
SELECT id, client_kind, client_id, client_name, tool, action, input_summary, affected_ids, request_id, created_at
  FROM mcp_audit_events
 WHERE account_id = $1
   AND ($2::text IS NULL OR tool = $2)
   AND ($3::text IS NULL OR client_name = $3)
   AND ($4::timestamptz IS NULL OR created_at >= $4)
   AND ($5::timestamptz IS NULL OR created_at < $5)
   AND ($6::timestamptz IS NULL OR (created_at, id) < ($6, $7::bigint))
 ORDER BY created_at DESC, id DESC
 LIMIT $8
"""


async def events(
    account_id: int,
    *,
    tool: str | None = None,
    client: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    cursor: str | None = None,
    limit: int = 50,
) -> EventPage:
    """The newest events first, of one tool, of the clients named `client`, from `since` up to but without `until`.

    Raises `InvalidInput` for a cursor that is not one of this list.
    """
    key = cursors.decode(cursor, _LISTING, _Key)
    limit = max(1, min(limit, _LIMIT_MOST))
    after = (_EPOCH + timedelta(microseconds=key[0]), key[1]) if key else None
    rows = await _page(account_id, (tool, client, since, until), after, limit + 1)
    shown = tuple(_event(row) for row in rows[:limit])
    if len(rows) <= limit:
        return EventPage(shown, None)
    last = shown[-1]
    microseconds = (last.created_at - _EPOCH) // timedelta(microseconds=1)
    return EventPage(shown, cursors.encode(_LISTING, (microseconds, last.id)))


async def all_events(
    account_id: int,
    *,
    tool: str | None = None,
    client: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> AsyncIterator[EventView]:
    """Every event that `events` would list, read a thousand at a time."""
    after: tuple[datetime, int] | None = None
    while True:
        rows = await _page(account_id, (tool, client, since, until), after, _EXPORT_PAGE)
        for row in rows:
            yield _event(row)
        if len(rows) < _EXPORT_PAGE:
            return
        after = (rows[-1]["created_at"], rows[-1]["id"])


async def clients(account_id: int) -> tuple[str, ...]:
    """The names of the clients that did something, in order, for a filter."""
    rows = await fetch(
        "SELECT DISTINCT client_name FROM mcp_audit_events WHERE account_id = $1 ORDER BY client_name LIMIT $2",
        account_id,
        _NAMES_MOST,
    )
    return tuple(row["client_name"] for row in rows)


async def tools(account_id: int) -> tuple[str, ...]:
    """The names of the tools that were called, in order, for a filter."""
    rows = await fetch(
        "SELECT DISTINCT tool FROM mcp_audit_events WHERE account_id = $1 ORDER BY tool LIMIT $2",
        account_id,
        _NAMES_MOST,
    )
    return tuple(row["tool"] for row in rows)


_Filter = tuple[str | None, str | None, datetime | None, datetime | None]  # tool, client, since, until


async def _page(account_id: int, chosen: _Filter, after: tuple[datetime, int] | None, limit: int) -> list[Record]:
    made_at, event_id = after or (None, None)
    return await fetch(_EVENTS, account_id, *chosen, made_at, event_id, limit)


def _event(row: Record) -> EventView:
    return EventView(
        id=row["id"],
        client_kind=row["client_kind"],
        client_id=row["client_id"],
        client_name=row["client_name"],
        tool=row["tool"],
        action=row["action"],
        input_summary=row["input_summary"],
        affected_ids=tuple(row["affected_ids"]),
        request_id=row["request_id"],
        created_at=row["created_at"],
    )
