"""The only place that reads the clock; everything else takes `now` as an argument."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> datetime:
    """The present moment in UTC."""
    return datetime.now(UTC)
