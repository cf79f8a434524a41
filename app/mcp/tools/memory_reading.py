"""Memory tools that read: search, read, list."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from app.domain.frontmatter import to_document
from app.domain.notes import READ_MAX_BYTES, clamped
from app.domain.scopes import Scope
from app.mcp.spec import Call, Input, Kind, Output, Reply, Toolset, ToolSpec
from app.mcp.tools.memory_fields import TREE_SCHEMA, Cursor, Folder, Limit, Path, Query, Tags
from app.notes import queries
from app.notes.views import FolderEntry, NoteEntry, Tree

_DEFAULT_LIMIT = 20
TRUNCATED_META = "loci/truncated"
MEMORY = frozenset({Toolset.MEMORY})


def moment(at: datetime) -> str:
    """A time as the tools write it: ISO 8601 in UTC, whole seconds."""
    return at.isoformat(timespec="seconds")


class MemorySearch(Input):
    query: Query
    folder: Folder | UnsetType = UNSET
    tags: Tags | UnsetType = UNSET
    limit: Limit | UnsetType = UNSET
    cursor: Cursor | UnsetType = UNSET


class MemoryHit(Output):
    path: str
    title: str
    snippet: str
    score: float
    updated: str


class MemoryHits(Output):
    results: list[MemoryHit]
    next_cursor: str | UnsetType = UNSET


async def memory_search(call: Call, given: MemorySearch) -> Reply[MemoryHits]:
    page = await queries.search_notes(
        call.caller.account_id,
        given.query,
        folder=given.folder or "",
        tags=given.tags or (),
        cursor=given.cursor or None,
        limit=given.limit or _DEFAULT_LIMIT,
    )
    hits = [
        MemoryHit(path=hit.path, title=hit.title, snippet=hit.snippet, score=hit.score, updated=moment(hit.updated_at))
        for hit in page.items
    ]
    lines = [f"- `{hit.path}` · {_matches(hit.score)} · {hit.updated[:10]}\n  {hit.snippet}" for hit in hits] or [
        "No notes match. Try one shorter word, or memory__list to look around."
    ]
    if page.next_cursor:
        lines.append(f"More: cursor {page.next_cursor}")
    return Reply(MemoryHits(results=hits, next_cursor=page.next_cursor or UNSET), "\n".join(lines))


def _matches(score: float) -> str:
    return "1 match" if score == 1 else f"{score:.0f} matches"


MEMORY_SEARCH = ToolSpec(
    name="memory__search",
    title="Search notes",
    description=(
        "Find the person's notes by a piece of text in title, body or tags: letter by letter, in any script, case "
        "apart. One telling word finds more than a phrase; it is no search by meaning. Gives paths with a snippet and "
        "the number of matches, most matches first, never whole notes; memory__read gives one whole. Use it when the "
        "person speaks of something they may have kept, not for general questions."
    ),
    toolsets=MEMORY,
    scope=Scope.MEMORY_READ,
    kind=Kind.READ,
    idempotent_hint=None,
    input=MemorySearch,
    output=MemoryHits,
    handler=memory_search,
)


class OneNote(Input):
    path: Path


class Memory(Output):
    path: str
    title: str
    frontmatter: Annotated[
        dict[str, Any], Meta(extra_json_schema={"propertyNames": {"type": "string"}, "additionalProperties": {}})
    ]
    body: str
    tags: list[str]
    updated: str
    deleted: bool


async def memory_read(call: Call, given: OneNote) -> Reply[Memory]:
    note = await queries.note_at(call.caller.account_id, given.path)
    part = clamped(note.body)
    text = to_document(note.frontmatter, part.body)
    if part.cut:
        text += (
            f"\n\n[Only the first {part.shown_bytes} of {part.total_bytes} bytes of the body are shown; the note "
            "itself is whole. Change it with memory__edit (append or str_replace), not by writing this part back.]"
        )
    return Reply(
        Memory(
            path=note.path,
            title=note.title,
            frontmatter=note.frontmatter,
            body=part.body,
            tags=list(note.tags),
            updated=moment(note.updated_at),
            deleted=False,
        ),
        text,
        meta={TRUNCATED_META: {"shownBytes": part.shown_bytes, "totalBytes": part.total_bytes}} if part.cut else None,
    )


MEMORY_READ = ToolSpec(
    name="memory__read",
    title="Read a note",
    description=(
        "Get one note whole: metadata, Markdown body, tags and when it changed. Takes the exact path as search, list "
        f"or an earlier write gave it; do not guess one. Of a body over {READ_MAX_BYTES // 1024} KiB the beginning is "
        "given, and said so."
    ),
    toolsets=MEMORY,
    scope=Scope.MEMORY_READ,
    kind=Kind.READ,
    idempotent_hint=None,
    input=OneNote,
    output=Memory,
    handler=memory_read,
)


class MemoryList(Input):
    folder: Folder | UnsetType = UNSET
    depth: (
        Annotated[int, Meta(ge=1, le=2, description="1: the folder alone. 2, if left out: its subfolders as well.")]
        | UnsetType
    ) = UNSET
    tags: Tags | UnsetType = UNSET


class TreeFile(Output):
    type: Literal["file"]
    path: str
    title: str
    updated: str


class TreeFolder(Output, kw_only=True):
    type: Literal["folder"]
    path: str
    files: float
    truncated: bool | UnsetType = UNSET
    entries: list[Any] | UnsetType = UNSET


class MemoryTree(Output):
    folder: str
    entries: list[Any]
    truncated: bool
    files: float


async def memory_list(call: Call, given: MemoryList) -> Reply[MemoryTree]:
    tree = await queries.tree(call.caller.account_id, given.folder or "", depth=given.depth or 2, tags=given.tags or ())
    output = MemoryTree(
        folder=tree.folder,
        entries=[_entry(entry) for entry in tree.entries],
        truncated=tree.truncated,
        files=tree.files,
    )
    return Reply(output, _tree_text(tree))


def _entry(entry: NoteEntry | FolderEntry) -> TreeFile | TreeFolder:
    if isinstance(entry, NoteEntry):
        return TreeFile(type="file", path=entry.path, title=entry.title, updated=moment(entry.updated_at))
    return TreeFolder(
        type="folder",
        path=entry.path,
        files=entry.files,
        truncated=True if entry.truncated else UNSET,
        entries=UNSET if entry.entries is None else [_entry(inner) for inner in entry.entries],
    )


def _tree_text(tree: Tree) -> str:
    if not tree.entries:
        return "No notes here."
    lines = [f"{_counted(tree.files)} in {f'`{tree.folder}/`' if tree.folder else 'all'}"]
    for entry in tree.entries:
        lines += _entry_lines(entry, "")
    if tree.truncated:
        lines.append("Not everything is shown: list a subfolder, or search.")
    return "\n".join(lines)


def _entry_lines(entry: NoteEntry | FolderEntry, indent: str) -> list[str]:
    if isinstance(entry, NoteEntry):
        return [f"{indent}- `{entry.path}` · {entry.updated_at.date().isoformat()}"]
    lines = [f"{indent}- `{entry.path}/` · {_counted(entry.files)}"]
    for inner in entry.entries or ():
        lines += _entry_lines(inner, indent + "  ")
    return lines


def _counted(notes: int) -> str:
    return "1 note" if notes == 1 else f"{notes} notes"


MEMORY_LIST = ToolSpec(
    name="memory__list",
    title="List notes",
    description=(
        "Look around in the person's notes: the files and subfolders of a folder, two levels deep, with how many notes "
        "lie in each folder and below. No text of notes. A folder with more than 100 entries is not opened and marked "
        "truncated: list it by itself."
    ),
    toolsets=MEMORY,
    scope=Scope.MEMORY_READ,
    kind=Kind.READ,
    idempotent_hint=None,
    input=MemoryList,
    output=MemoryTree,
    output_schema=TREE_SCHEMA,
    handler=memory_list,
)
