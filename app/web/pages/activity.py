"""Activity: what AI clients changed, from the audit; filtered, paged, and as a CSV file."""

from __future__ import annotations

import csv
import io
from collections.abc import AsyncIterator

from litestar import Response, get
from litestar.params import FromQuery
from litestar.response import Stream

from app.audit import queries
from app.domain.errors import N_
from app.ui.render import Reader, translate
from app.web.context import HtmlRequest, Me, page, reader_of


@get("/activity")
async def activity_page(
    request: HtmlRequest,
    me: Me,
    tool: FromQuery[str] = "",
    client: FromQuery[str] = "",
    cursor: FromQuery[str | None] = None,
) -> Response[str]:
    """The newest first."""
    reader = reader_of(request)
    found = await queries.events(me.account.id, tool=tool or None, client=client or None, cursor=cursor)
    return page(
        request,
        "account/activity.html",
        nav="activity",
        events=found.items,
        next_cursor=found.next_cursor,
        tool=tool,
        client=client,
        tools=_choices(reader, await queries.tools(me.account.id)),
        clients=_choices(reader, await queries.clients(me.account.id)),
    )


@get("/activity/export")
async def export_activity(me: Me, tool: FromQuery[str] = "", client: FromQuery[str] = "") -> Stream:
    """All of it, or what the filters leave, as CSV."""

    async def lines() -> AsyncIterator[str]:
        yield _csv_line("time", "client", "tool", "action", "affected", "input", "request")
        async for event in queries.all_events(me.account.id, tool=tool or None, client=client or None):
            yield _csv_line(
                event.created_at.isoformat(),
                event.client_name,
                event.tool,
                event.action,
                " ".join(event.affected_ids),
                event.input_summary,
                event.request_id,
            )

    return Stream(
        lines(),
        media_type="text/csv",
        headers={"content-disposition": 'attachment; filename="loci-activity.csv"', "cache-control": "no-store"},
    )


def _choices(reader: Reader, names: tuple[str, ...]) -> list[tuple[str, str]]:
    return [("", translate(reader, N_("all"))), *((name, name) for name in names)]


def _csv_line(*values: str) -> str:
    """One row; a value that a spreadsheet would run as a formula is kept as text by a leading apostrophe."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerow(
        "'" + value if value.startswith(("=", "+", "-", "@", "\t", "\r")) else value for value in values
    )
    return out.getvalue()


HANDLERS = [activity_page, export_activity]
