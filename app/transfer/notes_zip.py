"""All notes of an account as a zip of Markdown files, as they stand in their folders."""

from __future__ import annotations

import zipfile
from collections.abc import AsyncIterator
from tempfile import SpooledTemporaryFile

import msgspec

from app.core.db import fetch
from app.domain.frontmatter import to_document
from app.domain.note_paths import EXTENSION, file_name

_IN_MEMORY = 8 * 1_048_576
_PIECE = 65_536
_NOTES = 50

_TEXTS = """
SELECT note.id, note.path, note.updated_at, stored.frontmatter, stored.body
  FROM note JOIN note_version AS stored
    ON stored.account_id = note.account_id AND stored.note_id = note.id AND stored.version = note.version
 WHERE note.account_id = $1 AND note.deleted_at IS NULL AND note.id > $2 ORDER BY note.id LIMIT $3
"""


async def documents(account_id: int) -> AsyncIterator[tuple[str, str]]:
    """File names, each once, and the Markdown of all live notes."""
    after, taken = 0, set[str]()
    while True:
        rows = await fetch(_TEXTS, account_id, after, _NOTES)
        for row in rows:
            name = file_name(row["path"])
            if name.casefold() in taken:  # two paths that a disk would not tell apart
                name = f"{name.removesuffix(EXTENSION)} ({row['id']}){EXTENSION}"
            taken.add(name.casefold())
            yield name, to_document(msgspec.json.decode(row["frontmatter"]), row["body"])
        if len(rows) < _NOTES:
            return
        after = rows[-1]["id"]


async def notes_zip(account_id: int) -> AsyncIterator[bytes]:
    """The pieces of the archive; it is packed on disk when it is large."""
    with SpooledTemporaryFile(max_size=_IN_MEMORY) as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            async for name, text in documents(account_id):
                archive.writestr(name, text)
        file.seek(0)
        while piece := file.read(_PIECE):
            yield piece
