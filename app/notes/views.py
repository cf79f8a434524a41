"""What the notes area gives back: notes, versions, search hits, the folder tree, and the outcome of a command."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Author:
    """Who changes a note: `kind` is browser, key or oauth; `name` that of the connected client, empty for a browser."""

    kind: str
    name: str = ""


BROWSER = Author("browser")


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteView:
    """A live note with its text. `version` grows by one with each change."""

    id: int
    path: str
    title: str
    frontmatter: dict[str, Any]
    body: str
    tags: tuple[str, ...]
    version: int
    size_bytes: int
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class NoteEntry:
    """A live note in a list, without its text."""

    id: int
    path: str
    title: str
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class FolderEntry:
    """A folder in a tree. `files` counts the notes in it and below; `entries` is None where it is not expanded."""

    path: str
    files: int
    entries: tuple[NoteEntry | FolderEntry, ...] | None
    truncated: bool


@dataclass(frozen=True, slots=True)
class Tree:
    """A folder with what lies in it, folders first; `truncated` when something of it is left out.

    `next_skip`: how many entries of the folder itself come before those that follow; None after the last.
    """

    folder: str
    entries: tuple[NoteEntry | FolderEntry, ...]
    truncated: bool
    files: int
    next_skip: int | None = None


@dataclass(frozen=True, slots=True)
class NoteHit:
    """A note found by a search; `score` counts the matches."""

    id: int
    path: str
    title: str
    snippet: str
    score: int
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class VersionEntry:
    """A version in a history."""

    version: int
    path: str
    size_bytes: int
    deleted: bool
    author: Author
    created_at: datetime


@dataclass(frozen=True, slots=True)
class VersionView:
    """A version with its text, none for a deletion."""

    entry: VersionEntry
    frontmatter: dict[str, Any]
    body: str


@dataclass(frozen=True, slots=True)
class TrashedNote:
    """A deleted note."""

    id: int
    path: str
    title: str
    deleted_at: datetime


@dataclass(frozen=True, slots=True)
class TagCount:
    """A tag and how many live notes carry it."""

    tag: str
    notes: int


@dataclass(frozen=True, slots=True)
class Written:
    """A note as a command left it; `changed` is false when it said so already."""

    id: int
    path: str
    version: int
    updated_at: datetime
    changed: bool


@dataclass(frozen=True, slots=True)
class Moved:
    """A note under its new path, and how many other notes had a link to it rewritten."""

    note: Written
    relinked: int


@dataclass(frozen=True, slots=True)
class SourceOfCard:
    """Where a card came from; `to_review` when those lines changed since."""

    card_id: int
    note_id: int
    path: str
    heading: str
    to_review: bool
