"""Imports as tests run them: an upload, the jobs, what came of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime
from typing import Any

from app.core.settings import Settings
from app.transfer import imports
from app.transfer.importing import run_import, run_preview
from app.transfer.views import Choices, ImportView
from tests.factories import NOW

SETTINGS = Settings()


async def pieces(data: bytes, size: int = imports.PIECE_BYTES) -> AsyncIterator[bytes]:
    for start in range(0, len(data), size):
        yield data[start : start + size]


async def upload(account_id: int, name: str, data: bytes | str, *, now: datetime = NOW) -> int:
    """An upload that has been read: the import's id."""
    content = data.encode() if isinstance(data, str) else data
    import_id = await imports.start_import(account_id, name, pieces(content), max_bytes=2**28, now=now)
    await run_preview(account_id, import_id, settings=SETTINGS, now=now)
    return import_id


async def bring(
    account_id: int,
    name: str,
    data: bytes | str,
    *,
    settings: Settings = SETTINGS,
    now: datetime = NOW,
    settings_too: bool = False,
    **choices: Any,
) -> ImportView:
    """An import from its upload to its end."""
    import_id = await upload(account_id, name, data, now=now)
    view = await imports.imported(account_id, import_id)
    if view.failure is not None:
        return view
    await imports.begin(account_id, import_id, Choices(settings=settings_too, **choices), now=now)
    await run_import(account_id, import_id, settings=settings, now=now)
    return await imports.imported(account_id, import_id)
