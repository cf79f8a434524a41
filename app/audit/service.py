"""The one command of the audit area: write down a call, in the call's own transaction."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

import msgspec

from app.core.db import execute

SUMMARY_BYTES = 2048
_CUT_MARK = "…"


def summarise(tool_input: object) -> str:
    """A tool's input (Struct, mapping, list) as JSON of at most `SUMMARY_BYTES` bytes of UTF-8.

    What is longer is cut between two characters and ends in `…`. A tool whose input is a whole file shortens that
    field before it comes here.
    """
    return _fitting(msgspec.json.encode(tool_input))


async def record(
    account_id: int,
    *,
    client_kind: str,
    client_id: int,
    client_name: str,
    tool: str,
    action: str,
    input_summary: str,
    affected_ids: Iterable[str],
    request_id: str,
    now: datetime,
) -> None:
    """Add the row of one call of a mutating tool to the current unit of work; it stands or falls with the call."""
    await execute(
        "INSERT INTO mcp_audit_events (account_id, client_kind, client_id, client_name, tool, action, input_summary, "
        "affected_ids, request_id, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        account_id,
        client_kind,
        client_id,
        client_name,
        tool,
        action,
        _fitting(input_summary.replace("\x00", " ").encode(errors="replace")),
        list(affected_ids),
        request_id,
        now,
    )


def _fitting(text: bytes) -> str:
    if len(text) <= SUMMARY_BYTES:
        return text.decode()
    return text[: SUMMARY_BYTES - len(_CUT_MARK.encode())].decode(errors="ignore") + _CUT_MARK
