"""Bringing in many Markdown files at once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from app.core.db import atomic
from app.decks.rows import lock_writes
from app.domain.errors import AppError, PlanRequired
from app.domain.frontmatter import from_document
from app.domain.notes import NoteText, note_text
from app.domain.restricted import refuse_restricted
from app.domain.vaults import LeftOut, VaultFile
from app.notes.rows import current_at, insert_note, room_for_notes, store_version
from app.notes.views import Author

_AT_ONCE = 50


@dataclass(slots=True)
class Imported:
    """How many files became new notes or new versions, or said what was there; what was kept as it was, or refused."""

    created: int = 0
    replaced: int = 0
    unchanged: int = 0
    kept: list[str] = field(default_factory=list[str])
    refused: list[LeftOut] = field(default_factory=list[LeftOut])


async def import_notes(
    account_id: int, files: Sequence[VaultFile], *, replace: bool, author: Author, limit: int, now: datetime
) -> Imported:
    """Make notes of files; a path that is taken by another text is replaced (its versions stay) or kept.

    A file that cannot be a note is named with the reason, the others come in. Fifty files are one unit of work, so
    other commands wait for no more than that.
    """
    done = Imported()
    ready: list[tuple[str, NoteText]] = []
    for start in range(0, len(files), _AT_ONCE):
        # In a thread: reading and screening many long files takes seconds, in which others are to be answered.
        good, refused = await asyncio.to_thread(_readable, files[start : start + _AT_ONCE])
        ready += good
        done.refused += refused
    for start in range(0, len(ready), _AT_ONCE):
        async with atomic():
            await lock_writes(account_id)
            for path, text in ready[start : start + _AT_ONCE]:
                await _import(account_id, path, text, replace, author, limit, now, done)
    return done


def _readable(files: Sequence[VaultFile]) -> tuple[list[tuple[str, NoteText]], list[LeftOut]]:
    """The texts of files by their paths, and those that cannot be notes."""
    good: list[tuple[str, NoteText]] = []
    refused: list[LeftOut] = []
    for file in files:
        try:
            frontmatter, body = from_document(file.text)
            text = note_text(frontmatter, body)
            refuse_restricted(text.frontmatter, text.body)
        except AppError as error:
            refused.append(LeftOut(file.path, error.message, dict(error.params)))
        else:
            good.append((file.path, text))
    return good, refused


async def _import(
    account_id: int,
    path: str,
    text: NoteText,
    replace: bool,
    author: Author,
    limit: int,
    now: datetime,
    done: Imported,
) -> None:
    current = await current_at(account_id, path)
    if current is None:
        try:
            await room_for_notes(account_id, limit)
        except PlanRequired as error:
            done.refused.append(LeftOut(path, error.message, dict(error.params)))
            return
        await insert_note(account_id, path, text, author, now)
        done.created += 1
    elif current.text == text:
        done.unchanged += 1
    elif replace:
        await store_version(account_id, current.id, current.version + 1, path, text, author, now)
        done.replaced += 1
    else:
        done.kept.append(path)
