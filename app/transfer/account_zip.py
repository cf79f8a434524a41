"""A whole account as one zip: the lossless document, pictures and sounds, notes as Markdown, decks as tables."""

from __future__ import annotations

import asyncio
import zipfile
from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from typing import Final

from app.core.db import fetch
from app.domain.media import ending
from app.media import queries as media
from app.transfer.export import cards_csv, document, file_title
from app.transfer.notes_zip import documents
from app.transfer.reading import private_folder

_PIECE: Final = 262_144
_READ_ME: Final = """\
Everything in your Loci account.

loci.json    all of it: decks, cards, schedules, answers, notes with their versions, settings, what AI clients did
media/       the pictures and sounds of cards, named by the SHA-256 of their content
notes/       your notes as Markdown files, as they are now
decks/       your decks as tables: front, back, tags

To have it all in another account, import this file there: Decks, Import.
"""


async def account_zip(account_id: int, *, now: datetime) -> AsyncIterator[bytes]:
    """The pieces of the archive, which is packed in a folder of its own."""
    async with private_folder() as folder:
        path = folder / "export.zip"
        await write_zip(account_id, path, now=now)
        with path.open("rb") as file:
            while piece := await asyncio.to_thread(file.read, _PIECE):
                yield piece


async def write_zip(account_id: int, path: Path, *, now: datetime) -> None:
    """Write the archive to `path`. Packing goes on in a thread, so that nobody waits for it."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("README.txt", _READ_ME)
        with archive.open("loci.json", "w", force_zip64=True) as out:
            async for piece in document(account_id, now=now):
                await asyncio.to_thread(out.write, piece)
        for row in await fetch(
            "SELECT encode(digest, 'hex') AS digest, mime FROM media WHERE account_id = $1 ORDER BY id", account_id
        ):
            content = await media.content(account_id, row["digest"])
            # Pictures and sounds are packed already.
            await asyncio.to_thread(
                archive.writestr, zipfile.ZipInfo(f"media/{row['digest']}{ending(row['mime'])}"), content.data
            )
        async for name, text in documents(account_id):
            await asyncio.to_thread(archive.writestr, f"notes/{name}", text)
        for deck in await fetch(
            "SELECT id, title FROM deck WHERE account_id = $1 AND deleted_at IS NULL ORDER BY id", account_id
        ):
            lines = [line async for line in cards_csv(account_id, deck["id"])]
            name = f"decks/{file_title(deck['title'])} ({deck['id']}).csv"
            await asyncio.to_thread(archive.writestr, name, "".join(lines))
