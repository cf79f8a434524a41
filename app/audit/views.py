"""What the audit area shows of its rows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class EventView:
    """One call of a mutating tool; `affected_ids` such as `card:12` or `deck:3`, `action` is write or destructive."""

    id: int
    client_kind: str
    client_id: int
    client_name: str
    tool: str
    action: str
    input_summary: str
    affected_ids: tuple[str, ...]
    request_id: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class EventPage:
    """Events, the newest first; `next_cursor` is None on the last page."""

    items: tuple[EventView, ...]
    next_cursor: str | None
