"""Rows that several commands and lists find or make. The account's lock (`app.decks.rows.lock_writes`) is held."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import msgspec
from asyncpg import Record

from app.core.db import execute, fetch_row, fetch_value
from app.decks.rows import possible
from app.domain.errors import N_, NotFound, PlanRequired
from app.domain.note_paths import folder_of, path_key
from app.domain.notes import NoteText, search_document, tags_of
from app.domain.search_text import grams
from app.notes.views import Author, Written


@dataclass(frozen=True, slots=True)
class Current:
    """A live note and what its last version says."""

    id: int
    path: str
    version: int
    text: NoteText
    updated_at: datetime

    def unchanged(self) -> Written:
        return Written(self.id, self.path, self.version, self.updated_at, changed=False)


def no_such_note() -> NotFound:
    return NotFound(
        N_("There is no note at this path."),
        N_("List or search the notes to see their paths. A deleted note can be restored in the browser."),
    )


_CURRENT = """
SELECT note.id, note.path, note.version, note.updated_at, stored.frontmatter, stored.body
  FROM note JOIN note_version AS stored
    ON stored.account_id = note.account_id AND stored.note_id = note.id AND stored.version = note.version
 WHERE note.account_id = $1 AND note.deleted_at IS NULL
"""


async def current_at(account_id: int, path: str) -> Current | None:
    """The live note at a path."""
    row = await fetch_row(_CURRENT + " AND note.path_key = $2 AND note.path = $3", account_id, path_key(path), path)
    return _current(row) if row else None


async def current_of(account_id: int, note_id: int) -> Current:
    """A live note by its id. Raises `NotFound`."""
    row = await fetch_row(_CURRENT + " AND note.id = $2", account_id, note_id) if possible(note_id) else None
    if row is None:
        raise no_such_note()
    return _current(row)


def _current(row: Record) -> Current:
    text = NoteText(msgspec.json.decode(row["frontmatter"]), row["body"])
    return Current(row["id"], row["path"], row["version"], text, row["updated_at"])


async def room_for_notes(account_id: int, limit: int, added: int = 1) -> None:
    """Raise `PlanRequired` unless the account may have `added` more live notes."""
    used = await fetch_value("SELECT count(*) FROM note WHERE account_id = $1 AND deleted_at IS NULL", account_id)
    if used + added > limit:
        raise PlanRequired(
            N_("The plan allows %(limit)s notes and %(used)s are in use."),
            N_("Delete notes that are no longer needed, or move to a plan that holds more. Nothing was changed."),
            limit=limit,
            used=used,
        )


async def insert_note(account_id: int, path: str, text: NoteText, author: Author, now: datetime) -> Written:
    """A new note, or the next version of the one that was deleted from this path last."""
    gone = await fetch_row(
        "SELECT id, version FROM note WHERE account_id = $1 AND deleted_at IS NOT NULL AND path_key = $2 AND path = $3 "
        "ORDER BY deleted_at DESC, id DESC LIMIT 1",
        account_id,
        path_key(path),
        path,
    )
    if gone:
        return await store_version(account_id, gone["id"], gone["version"] + 1, path, text, author, now)
    note_id = await fetch_value(
        "INSERT INTO note (account_id, path, path_key, folder, tags, version, size_bytes, created_at, updated_at) "
        "VALUES ($1, $2, $3, $4, $5, 1, $6, $7, $7) RETURNING id",
        account_id,
        path,
        path_key(path),
        folder_of(path),
        list(tags_of(text)),
        text.size_bytes,
        now,
    )
    await _insert_version(account_id, note_id, 1, path, text, author, now)
    await index_text(account_id, note_id, path, text, now)
    return Written(note_id, path, 1, now, changed=True)


async def store_version(
    account_id: int, note_id: int, version: int, path: str, text: NoteText, author: Author, now: datetime
) -> Written:
    """Make `version` the current one of a note, live from now on; mark the cards whose lines it no longer has."""
    await execute(
        "UPDATE note SET path = $3, path_key = $4, folder = $5, tags = $6, version = $7, size_bytes = $8, "
        "updated_at = $9, deleted_at = NULL WHERE account_id = $1 AND id = $2",
        account_id,
        note_id,
        path,
        path_key(path),
        folder_of(path),
        list(tags_of(text)),
        version,
        text.size_bytes,
        now,
    )
    await _insert_version(account_id, note_id, version, path, text, author, now)
    await index_text(account_id, note_id, path, text, now)
    # Whole lines: one that goes on further is another one.
    await execute(
        "UPDATE note_card SET to_review = true WHERE account_id = $1 AND note_id = $2 AND NOT to_review "
        "AND source <> '' AND strpos(E'\\n' || replace($3, E'\\r', '') || E'\\n', E'\\n' || source || E'\\n') = 0",
        account_id,
        note_id,
        text.body,
    )
    return Written(note_id, path, version, now, changed=True)


async def _insert_version(
    account_id: int, note_id: int, version: int, path: str, text: NoteText, author: Author, now: datetime
) -> None:
    await execute(
        "INSERT INTO note_version (account_id, note_id, version, path, frontmatter, body, size_bytes, deleted, "
        "author_kind, author_name, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, false, $8, $9, $10)",
        account_id,
        note_id,
        version,
        path,
        msgspec.json.encode(text.frontmatter).decode(),
        text.body,
        text.size_bytes,
        author.kind,
        author.name,
        now,
    )


async def index_text(account_id: int, note_id: int, path: str, text: NoteText, now: datetime) -> None:
    """What a search looks at, for the text of a live note."""
    document = search_document(path, text)
    await execute(
        "INSERT INTO note_search (account_id, note_id, search_text, grams, updated_at) VALUES ($1, $2, $3, $4, $5) "
        "ON CONFLICT (account_id, note_id) DO UPDATE SET search_text = excluded.search_text, grams = excluded.grams, "
        "updated_at = excluded.updated_at",
        account_id,
        note_id,
        document,
        grams(account_id, document),
        now,
    )


async def delete_row(account_id: int, current: Current, author: Author, now: datetime) -> None:
    """Make a deletion the current version. Cards made from the note stay as they are: restored, it is what it was."""
    await execute(
        "UPDATE note SET deleted_at = $3, version = $4, size_bytes = 0 WHERE account_id = $1 AND id = $2",
        account_id,
        current.id,
        now,
        current.version + 1,
    )
    await execute(
        "INSERT INTO note_version (account_id, note_id, version, path, frontmatter, body, size_bytes, deleted, "
        "author_kind, author_name, created_at) VALUES ($1, $2, $3, $4, '{}', '', 0, true, $5, $6, $7)",
        account_id,
        current.id,
        current.version + 1,
        current.path,
        author.kind,
        author.name,
        now,
    )
    await execute("DELETE FROM note_search WHERE account_id = $1 AND note_id = $2", account_id, current.id)
