"""Taking decks out as an Anki package: the process that writes it (`package_writing`) and the file that it leaves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from typing import Final

import msgspec

from app.accounts import queries as accounts
from app.core import logs
from app.core.child import child
from app.domain.errors import N_, Unavailable
from app.study.settings_queries import settings_for
from app.transfer.bundling import bundle
from app.transfer.package_writing import WriteOrder
from app.transfer.reading import private_folder
from app.transfer.reading_process import encoded

_SECONDS: Final = 600
_PIECE: Final = 262_144
_log = logs.get_logger(__name__)


async def anki_package(
    account_id: int, *, deck_id: int | None = None, collection_id: int | None = None, now: datetime
) -> AsyncIterator[bytes]:
    """The pieces of an `.apkg` with schedule and log: of a deck, of a collection or of everything that is live.

    Raises `Unavailable` when it cannot be written; then no piece has come.
    """
    async with private_folder() as folder:
        path = folder / "cards.apkg"
        await write_package(account_id, path, deck_id=deck_id, collection_id=collection_id, now=now)
        with path.open("rb") as file:
            while piece := await asyncio.to_thread(file.read, _PIECE):
                yield piece


async def write_package(
    account_id: int, path: Path, *, deck_id: int | None = None, collection_id: int | None = None, now: datetime
) -> None:
    """Write an `.apkg` to `path`. Raises `Unavailable`, and nothing is there then."""
    account, chosen = await accounts.account(account_id), await settings_for(account_id, deck_id)
    order = WriteOrder(
        path=str(path),
        now=now,
        zone=account.zone,
        rollover_hour=account.rollover_hour,
        desired_retention=chosen.desired_retention,
        steps=len(chosen.learning_steps),
        relearning_steps=len(chosen.relearning_steps),
    )
    async with child("app.transfer.package_writing", folder=path.parent) as writer:
        try:
            async with asyncio.timeout(_SECONDS):
                writer.stdin.write(msgspec.json.encode(order) + b"\n")
                async for line in bundle(account_id, deck_id=deck_id, collection_id=collection_id):
                    writer.stdin.write(line if isinstance(line, bytes) else encoded(line))
                    await writer.stdin.drain()
                writer.stdin.close()
                await writer.process.wait()
        except (ConnectionError, TimeoutError) as error:
            _log.warning("package_failed", account=account_id, error=type(error).__name__)
    if writer.process.returncode != 0:
        await asyncio.to_thread(path.unlink, missing_ok=True)
        raise Unavailable(N_("The package could not be written."), N_("Try again, or take a part of it."))
