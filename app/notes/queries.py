"""Reads of the notes area: notes, the folder tree, histories, tags, the trash. Searching is in `search`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

import msgspec
from asyncpg import Record

from app.core import cursors
from app.core.db import fetch, fetch_row, fetch_value
from app.decks.rows import LARGEST_ID, possible
from app.decks.views import Page
from app.domain.errors import N_, NotFound
from app.domain.note_paths import clean_folder, clean_path, path_key, title_of
from app.notes.cards import cards_of_note, source_of_card
from app.notes.rows import no_such_note
from app.notes.search import checked_tags, search_notes
from app.notes.views import (
    Author,
    FolderEntry,
    NoteEntry,
    NoteView,
    TagCount,
    TrashedNote,
    Tree,
    VersionEntry,
    VersionView,
)

__all__ = [
    "cards_of_note",
    "id_at",
    "note",
    "note_at",
    "notes",
    "paths",
    "search_notes",
    "source_of_card",
    "tags",
    "trash_notes",
    "tree",
    "usage",
    "version",
    "versions",
]

FOLDER_ENTRIES, TREE_ENTRIES = 100, 500
IdKey = tuple[Annotated[int, msgspec.Meta(ge=1, le=LARGEST_ID)]]
VersionKey = tuple[Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1)]]
TrashKey = tuple[Annotated[datetime, msgspec.Meta(tz=True)], Annotated[int, msgspec.Meta(ge=1, le=LARGEST_ID)]]

_NOTE = """
SELECT note.id, note.path, note.tags, note.version, note.size_bytes, note.created_at, note.updated_at,
       stored.frontmatter, stored.body
  FROM note JOIN note_version AS stored
    ON stored.account_id = note.account_id AND stored.note_id = note.id AND stored.version = note.version
 WHERE note.account_id = $1 AND note.deleted_at IS NULL
"""


async def note_at(account_id: int, path: str) -> NoteView:
    """The live note at a path. Raises `NotFound`, and `InvalidInput` for what is no path."""
    path = clean_path(path)
    row = await fetch_row(_NOTE + " AND note.path_key = $2 AND note.path = $3", account_id, path_key(path), path)
    return _view(row)


async def note(account_id: int, note_id: int) -> NoteView:
    """A live note by its id. Raises `NotFound`."""
    return _view(
        await fetch_row(_NOTE + " AND note.id = $2", account_id, note_id) if possible(note_id) else None,
    )


def _view(row: Record | None) -> NoteView:
    if row is None:
        raise no_such_note()
    return NoteView(
        id=row["id"],
        path=row["path"],
        title=title_of(row["path"]),
        frontmatter=msgspec.json.decode(row["frontmatter"]),
        body=row["body"],
        tags=tuple(row["tags"]),
        version=row["version"],
        size_bytes=row["size_bytes"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )


async def id_at(account_id: int, path: str) -> int | None:
    """The id of the live note at a path."""
    return await fetch_value(
        "SELECT id FROM note WHERE account_id = $1 AND deleted_at IS NULL AND path_key = $2 AND path = $3",
        account_id,
        path_key(path),
        path,
    )


async def paths(account_id: int) -> dict[str, int]:
    """The ids of all live notes by their paths."""
    rows = await fetch("SELECT path, id FROM note WHERE account_id = $1 AND deleted_at IS NULL", account_id)
    return {row["path"]: row["id"] for row in rows}


async def notes(account_id: int, *, cursor: str | None = None, limit: int = 100) -> Page[NoteEntry]:
    """All live notes in the order in which they were made."""
    after = cursors.decode(cursor, "notes", IdKey)
    rows = await fetch(
        "SELECT id, path, updated_at FROM note WHERE account_id = $1 AND deleted_at IS NULL AND id > $2 "
        "ORDER BY id LIMIT $3",
        account_id,
        after[0] if after else 0,
        limit + 1,
    )
    entries = tuple(_entry(row) for row in rows[:limit])
    return Page(entries, cursors.encode("notes", [entries[-1].id]) if len(rows) > limit else None)


def _entry(row: Record) -> NoteEntry:
    return NoteEntry(row["id"], row["path"], title_of(row["path"]), row["updated_at"])


_IN_FOLDER = "($2 = '' OR folder = $2 OR starts_with(folder, $2 || '/'))"
_FOLDERS = f"SELECT folder, notes FROM note_folder WHERE account_id = $1 AND {_IN_FOLDER}"  # noqa: S608 - constants
_FOLDERS_TAGGED = f"""
SELECT folder, count(*) AS notes FROM note
 WHERE account_id = $1 AND deleted_at IS NULL AND {_IN_FOLDER} AND tags @> $3::text[] GROUP BY folder
"""  # noqa: S608 - constants
_FILES = """
SELECT id, path, note.folder, updated_at
  FROM unnest($2::text[]) AS wanted (folder)
  JOIN note ON account_id = $1 AND deleted_at IS NULL AND note.folder = wanted.folder
       AND hashtextextended(note.folder, 0) = hashtextextended(wanted.folder, 0)
 WHERE $3::text[] IS NULL OR tags @> $3
 ORDER BY path COLLATE "C" LIMIT $4 OFFSET $5
"""


async def tree(
    account_id: int,
    folder: str = "",
    *,
    depth: int = 2,
    tags: Sequence[str] = (),
    folder_entries: int = FOLDER_ENTRIES,
    tree_entries: int = TREE_ENTRIES,
    skip: int = 0,
) -> Tree:
    """A folder and, at depth 2, what lies in its subfolders; folders first, both by name, without the first `skip`.

    A subfolder with more than `folder_entries` entries, or one that would bring the tree over `tree_entries`, is not
    expanded and counts as truncated. A folder that does not exist is an empty one. Raises `InvalidInput`.
    """
    folder = clean_folder(folder)
    wanted = checked_tags(tags)
    rows = (
        await fetch(_FOLDERS_TAGGED, account_id, folder, wanted)
        if wanted
        else await fetch(_FOLDERS, account_id, folder)
    )
    plan = _Plan({row["folder"]: row["notes"] for row in rows}, folder)
    subfolders = sorted(plan.subfolders.get(folder, ()))
    total = len(subfolders) + plan.direct[folder]
    shown = subfolders[skip : skip + folder_entries]
    room = folder_entries - len(shown)
    passed = max(0, skip - len(subfolders))
    used = len(shown) + max(0, min(room, plan.direct[folder] - passed))
    expanded: list[str] = []
    for name in shown if depth > 1 else ():
        inner = len(plan.subfolders.get(name, ())) + plan.direct[name]
        if inner <= folder_entries and used + inner <= tree_entries:
            expanded.append(name)
            used += inner
    files = await _files(account_id, [name for name in expanded if plan.direct[name]], wanted, tree_entries)
    if room and plan.direct[folder]:
        files |= await _files(account_id, [folder], wanted, room, passed)
    entries = [
        FolderEntry(
            name,
            plan.below[name],
            (*plan.closed(name), *files.get(name, ())) if name in expanded else None,
            truncated=depth > 1 and name not in expanded,
        )
        for name in shown
    ]
    more = skip + folder_entries < total
    cut = more or any(entry.truncated for entry in entries)
    everything = (*entries, *files.get(folder, ()))
    return Tree(folder, everything, cut, plan.below[folder], skip + folder_entries if more else None)


class _Plan:
    """Folders below one folder: notes directly in each, notes in each and below, and the subfolders of each."""

    def __init__(self, counts: dict[str, int], root: str) -> None:
        self.direct = defaultdict(int, counts)
        self.below: dict[str, int] = {root: sum(counts.values())}
        self.subfolders: dict[str, set[str]] = {}
        below = self.below
        for folder, files in counts.items():
            inner = folder
            while inner != root:
                outer = inner.rpartition("/")[0]
                if inner in below:
                    below[inner] += files
                else:
                    below[inner] = files
                    self.subfolders.setdefault(outer, set()).add(inner)
                inner = outer

    def closed(self, folder: str) -> tuple[FolderEntry, ...]:
        names = sorted(self.subfolders.get(folder, ()))
        return tuple(FolderEntry(name, self.below[name], None, truncated=False) for name in names)


async def _files(
    account_id: int, folders: list[str], tags: list[str] | None, limit: int, skip: int = 0
) -> dict[str, tuple[NoteEntry, ...]]:
    if not folders:
        return {}
    found: dict[str, list[NoteEntry]] = {}
    for row in await fetch(_FILES, account_id, folders, tags, limit, skip):
        found.setdefault(row["folder"], []).append(_entry(row))
    return {folder: tuple(entries) for folder, entries in found.items()}


async def tags(account_id: int, *, limit: int = 100) -> tuple[TagCount, ...]:
    """The commonest tags of live notes, with how many notes carry each."""
    rows = await fetch(
        "SELECT tag, count(*) AS notes FROM note, unnest(tags) AS tag WHERE account_id = $1 AND deleted_at IS NULL "
        'GROUP BY tag ORDER BY notes DESC, tag COLLATE "C" LIMIT $2',
        account_id,
        limit,
    )
    return tuple(TagCount(row["tag"], row["notes"]) for row in rows)


async def usage(account_id: int) -> int:
    """How many live notes the account holds."""
    return await fetch_value("SELECT count(*) FROM note WHERE account_id = $1 AND deleted_at IS NULL", account_id)


_VERSION = "version, path, size_bytes, deleted, author_kind, author_name, created_at"


async def versions(account_id: int, note_id: int, *, cursor: str | None = None, limit: int = 50) -> Page[VersionEntry]:
    """The versions of a note, live or deleted, the newest first. Raises `NotFound`."""
    after = cursors.decode(cursor, "note-versions", VersionKey)
    rows = (
        await fetch(
            f"SELECT {_VERSION} FROM note_version WHERE account_id = $1 AND note_id = $2 AND version < $3 "  # noqa: S608
            "ORDER BY version DESC LIMIT $4",
            account_id,
            note_id,
            after[0] if after else 2**31 - 1,
            limit + 1,
        )
        if possible(note_id)
        else []
    )
    if not rows and after is None:
        raise no_such_note()
    entries = tuple(_version_entry(row) for row in rows[:limit])
    return Page(entries, cursors.encode("note-versions", [entries[-1].version]) if len(rows) > limit else None)


async def version(account_id: int, note_id: int, number: int) -> tuple[VersionView, VersionView | None]:
    """A version with its text, and the one before it that is still kept. Raises `NotFound`."""
    rows = (
        await fetch(
            f"SELECT {_VERSION}, frontmatter, body FROM note_version "  # noqa: S608 - constants
            "WHERE account_id = $1 AND note_id = $2 AND version <= $3 ORDER BY version DESC LIMIT 2",
            account_id,
            note_id,
            number,
        )
        if possible(note_id) and 0 < number < 2**31
        else []
    )
    if not rows or rows[0]["version"] != number:
        raise NotFound(N_("There is no such version of this note."), N_("Its history lists those that are kept."))
    views = [VersionView(_version_entry(row), msgspec.json.decode(row["frontmatter"]), row["body"]) for row in rows]
    return views[0], views[1] if len(views) > 1 else None


def _version_entry(row: Record) -> VersionEntry:
    author = Author(row["author_kind"], row["author_name"])
    return VersionEntry(row["version"], row["path"], row["size_bytes"], row["deleted"], author, row["created_at"])


async def trash_notes(account_id: int, *, cursor: str | None = None, limit: int = 50) -> Page[TrashedNote]:
    """Deleted notes, the last deleted first."""
    after = cursors.decode(cursor, "trash-notes", TrashKey) or (None, None)
    rows = await fetch(
        "SELECT id, path, deleted_at FROM note WHERE account_id = $1 AND deleted_at IS NOT NULL "
        "AND ($2::timestamptz IS NULL OR (deleted_at, id) < ($2, $3::bigint)) "
        "ORDER BY deleted_at DESC, id DESC LIMIT $4",
        account_id,
        *after,
        limit + 1,
    )
    found = tuple(TrashedNote(row["id"], row["path"], title_of(row["path"]), row["deleted_at"]) for row in rows[:limit])
    more = len(rows) > limit
    return Page(found, cursors.encode("trash-notes", [found[-1].deleted_at, found[-1].id]) if more else None)
