"""Commands on notes. Each is one unit of work under the account's lock, so what it checks stays true until it commits.

Every change makes a version that names its author; a change that says what is there already makes none. Importing is in
`imports`, cards made from notes in `cards`, moving in `moves`, erasing in `trash`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from app.core.db import atomic, fetch_row
from app.decks.rows import lock_writes, possible
from app.domain.errors import N_, Conflict, NotFound
from app.domain.note_paths import clean_path
from app.domain.notes import NoteEdit, NoteText, edited, note_text
from app.domain.restricted import refuse_restricted
from app.notes.cards import cards_from_note, mark_checked
from app.notes.imports import import_notes
from app.notes.moves import move_note
from app.notes.rows import (
    Current,
    current_at,
    current_of,
    delete_row,
    insert_note,
    no_such_note,
    room_for_notes,
    store_version,
)
from app.notes.trash import erase_note, sweep_notes
from app.notes.views import Author, Written

__all__ = [
    "cards_from_note",
    "create_note",
    "delete_note",
    "delete_note_at",
    "edit_note",
    "erase_note",
    "import_notes",
    "mark_checked",
    "move_note",
    "restore_note",
    "restore_version",
    "save_note",
    "sweep_notes",
    "write_note",
]


async def write_note(
    account_id: int,
    path: str,
    *,
    body: str,
    frontmatter: Mapping[str, Any],
    author: Author,
    limit: int,
    now: datetime,
) -> Written:
    """Make the note at `path` say exactly this, created if there is none.

    Raises `InvalidInput`, `RestrictedContent`, and `PlanRequired` when a new note would exceed `limit`.
    """
    path, text = clean_path(path), _checked(note_text(frontmatter, body))
    async with atomic():
        await lock_writes(account_id)
        current = await current_at(account_id, path)
        if current is None:
            await room_for_notes(account_id, limit)
            return await insert_note(account_id, path, text, author, now)
        return await _stored(account_id, current, text, author, now)


async def create_note(
    account_id: int,
    path: str,
    *,
    body: str,
    frontmatter: Mapping[str, Any],
    author: Author,
    limit: int,
    now: datetime,
) -> Written:
    """A new note. As `write_note`, but raises `Conflict` when the path is taken by a note that says something else."""
    path, text = clean_path(path), _checked(note_text(frontmatter, body))
    async with atomic():
        await lock_writes(account_id)
        current = await current_at(account_id, path)
        if current is None:
            await room_for_notes(account_id, limit)
            return await insert_note(account_id, path, text, author, now)
        if current.text == text:
            return current.unchanged()
        raise path_taken(current.id)


async def edit_note(account_id: int, path: str, edit: NoteEdit, *, author: Author, now: datetime) -> Written:
    """Change a part of the note at `path`.

    Raises `NotFound`, `InvalidInput`, `RestrictedContent`, and `Conflict` when the text to replace is not there once:
    of two edits of the same words the second finds them gone and changes nothing.
    """
    path = clean_path(path)
    async with atomic():
        await lock_writes(account_id)
        current = await current_at(account_id, path)
        if current is None:
            raise no_such_note()
        return await _stored(account_id, current, _checked(edited(current.text, edit)), author, now)


async def save_note(
    account_id: int,
    note_id: int,
    *,
    body: str,
    frontmatter: Mapping[str, Any],
    expected_version: int,
    author: Author,
    now: datetime,
) -> Written:
    """Replace the text of a note that is still at `expected_version`.

    Raises `NotFound`, `InvalidInput`, `RestrictedContent`, and `Conflict` (with `version`) when it changed meanwhile.
    """
    text = _checked(note_text(frontmatter, body))
    async with atomic():
        await lock_writes(account_id)
        current = await current_of(account_id, note_id)
        if current.version != expected_version and current.text != text:
            raise Conflict(
                N_("The note was changed meanwhile: it is at version %(version)s."),
                N_("Look at what it says now, then save again."),
                version=current.version,
            )
        return await _stored(account_id, current, text, author, now)


async def delete_note_at(account_id: int, path: str, *, author: Author, now: datetime) -> int:
    """Put the note at `path` into the trash; gives its id. Raises `NotFound`, `InvalidInput`."""
    path = clean_path(path)
    async with atomic():
        await lock_writes(account_id)
        current = await current_at(account_id, path)
        if current is None:
            raise no_such_note()
        await delete_row(account_id, current, author, now)
    return current.id


async def delete_note(account_id: int, note_id: int, *, author: Author, now: datetime) -> str:
    """Put a note into the trash; gives its path. Raises `NotFound`."""
    async with atomic():
        await lock_writes(account_id)
        current = await current_of(account_id, note_id)
        await delete_row(account_id, current, author, now)
    return current.path


_LAST_TEXT = """
SELECT note.path, note.version, note.deleted_at, stored.frontmatter, stored.body
  FROM note LEFT JOIN LATERAL (
       SELECT frontmatter, body FROM note_version
        WHERE account_id = note.account_id AND note_id = note.id AND NOT deleted ORDER BY version DESC LIMIT 1
       ) AS stored ON true
 WHERE note.account_id = $1 AND note.id = $2
"""


async def restore_note(account_id: int, note_id: int, *, author: Author, limit: int, now: datetime) -> Written:
    """Bring a deleted note back as it was; one that is live already is left as it is.

    Raises `NotFound`, `PlanRequired`, and `Conflict` when another note has taken its path.
    """
    async with atomic():
        await lock_writes(account_id)
        row = await fetch_row(_LAST_TEXT, account_id, note_id) if possible(note_id) else None
        if row is None:
            raise no_such_note()
        if row["deleted_at"] is None:
            return (await current_of(account_id, note_id)).unchanged()
        taken = await current_at(account_id, row["path"])
        if taken:
            raise path_taken(taken.id)
        await room_for_notes(account_id, limit)
        text = NoteText(msgspec.json.decode(row["frontmatter"]), row["body"])
        return await store_version(account_id, note_id, row["version"] + 1, row["path"], text, author, now)


async def restore_version(account_id: int, note_id: int, version: int, *, author: Author, now: datetime) -> Written:
    """Make a live note say again what it said at `version`, under its path of now. Raises `NotFound`."""
    async with atomic():
        await lock_writes(account_id)
        current = await current_of(account_id, note_id)
        row = (
            await fetch_row(
                "SELECT frontmatter, body FROM note_version "
                "WHERE account_id = $1 AND note_id = $2 AND version = $3 AND NOT deleted",
                account_id,
                note_id,
                version,
            )
            if 0 < version < 2**31
            else None
        )
        if row is None:
            raise NotFound(N_("There is no such version of this note."), N_("Its history lists those that are kept."))
        text = NoteText(msgspec.json.decode(row["frontmatter"]), row["body"])
        return await _stored(account_id, current, text, author, now)


def path_taken(note_id: int) -> Conflict:
    return Conflict(
        N_("Another note is at this path already."), N_("Choose another path, or move that note."), note_id=note_id
    )


def _checked(text: NoteText) -> NoteText:
    refuse_restricted(text.frontmatter, text.body)
    return text


async def _stored(account_id: int, current: Current, text: NoteText, author: Author, now: datetime) -> Written:
    if _same(current.text, text):
        return current.unchanged()
    return await store_version(account_id, current.id, current.version + 1, current.path, text, author, now)


def _same(one: NoteText, other: NoteText) -> bool:
    """Equal values in an equal order: the order of keys is seen in the file. (`1` and `true` are not equal there.)"""
    return one.body == other.body and msgspec.json.encode(one.frontmatter) == msgspec.json.encode(other.frontmatter)
