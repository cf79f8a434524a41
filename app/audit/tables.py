"""Rows of the audit area."""

from __future__ import annotations

from piccolo.columns import Array, BigInt, BigSerial, Text, Timestamptz
from piccolo.table import Table

from app.core.db import DB


class McpAuditEvent(Table, tablename="mcp_audit_events", db=DB):
    """One call of a mutating tool, written in the transaction of the call."""

    id = BigSerial(primary_key=True)
    account_id = BigInt()
    client_kind = Text(help_text="key or oauth")
    client_id = BigInt(help_text="Id of the access key or the connection")
    client_name = Text(help_text="Its name at the time of the call")
    tool = Text()
    action = Text(help_text="write or destructive, from the tool's declaration")
    input_summary = Text(help_text="The input as JSON, cut to 2 KB")
    affected_ids = Array(base_column=Text(), help_text="Such as card:12 or deck:3")
    request_id = Text()
    created_at = Timestamptz()
