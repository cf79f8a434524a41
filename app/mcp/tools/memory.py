"""Memory tools that write: write, edit, delete."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType, field

from app.domain.notes import NoteEdit
from app.domain.plans import Feature
from app.domain.scopes import Scope
from app.mcp.instructions import ASK_FIRST, NO_SECRETS
from app.mcp.plans import figures_of
from app.mcp.spec import Call, Input, Kind, Output, Reply, ToolSpec
from app.mcp.tools.memory_fields import MODE_SCHEMA, Body, Frontmatter, MergedFrontmatter, NewBody, Path
from app.mcp.tools.memory_reading import MEMORY, OneNote, moment
from app.notes import service
from app.notes.views import Author, Written


class WrittenNote(Output):
    path: str
    updated: str


def author_of(call: Call) -> Author:
    """The connected client, as a note's history names it."""
    return Author(call.caller.client_kind, call.caller.client_name)


def _reply(written: Written, what: str) -> Reply[WrittenNote]:
    updated = moment(written.updated_at)
    return Reply(
        WrittenNote(path=written.path, updated=updated),
        f"{what if written.changed else 'Unchanged:'} `{written.path}` ({updated}).",
        affected=[f"note:{written.path}"],
    )


class MemoryWrite(Input):
    path: Path
    body: Body
    frontmatter: Frontmatter | UnsetType = UNSET


async def memory_write(call: Call, given: MemoryWrite) -> Reply[WrittenNote]:
    written = await service.write_note(
        call.caller.account_id,
        given.path,
        body=given.body,
        frontmatter=given.frontmatter or {},
        author=author_of(call),
        limit=figures_of(call.caller.plan, call.settings).notes,
        now=call.now,
    )
    return _reply(written, "Wrote")


MEMORY_WRITE = ToolSpec(
    name="memory__write",
    title="Write a note",
    description=(
        "Keep something for good: a fact, a decision, a preference, a summary, as a Markdown note that every AI "
        "client of the person can read. Makes the note at the path, or replaces it whole, body and metadata; to "
        "change a part, use memory__edit. Look with memory__search first whether a note on it exists. Every version "
        f"is kept, and the person can go back. {NO_SECRETS} {ASK_FIRST}"
    ),
    toolsets=MEMORY,
    scope=Scope.MEMORY_WRITE,
    feature=Feature.AI_WRITE,
    kind=Kind.IDEMPOTENT_WRITE,
    input=MemoryWrite,
    output=WrittenNote,
    handler=memory_write,
)


class MemoryEdit(Input):
    path: Path
    body: NewBody | UnsetType = UNSET
    frontmatter: MergedFrontmatter | UnsetType = UNSET
    mode: (
        Annotated[
            Literal["replace", "append", "str_replace"],
            Meta(
                description="replace, if left out: body is the new body. append: body is added at the end, on a new "
                "line. str_replace: old_str becomes new_str.",
                extra_json_schema=MODE_SCHEMA,
            ),
        ]
        | UnsetType
    ) = UNSET
    old_str: (
        Annotated[
            str,
            Meta(
                min_length=1,
                description="mode str_replace: the text to replace, exactly as it stands, spaces and line ends "
                "included. It must occur once.",
            ),
        ]
        | UnsetType
    ) = field(name="old_str", default=UNSET)
    new_str: (
        Annotated[str, Meta(description="mode str_replace: what comes in its place. Left out: old_str is taken out.")]
        | UnsetType
    ) = field(name="new_str", default=UNSET)


async def memory_edit(call: Call, given: MemoryEdit) -> Reply[WrittenNote]:
    edit = NoteEdit(
        mode=given.mode or "replace",
        body=None if given.body is UNSET else given.body,
        frontmatter=None if given.frontmatter is UNSET else given.frontmatter,
        old_str=None if given.old_str is UNSET else given.old_str,
        new_str=None if given.new_str is UNSET else given.new_str,
    )
    written = await service.edit_note(call.caller.account_id, given.path, edit, author=author_of(call), now=call.now)
    return _reply(written, "Edited")


MEMORY_EDIT = ToolSpec(
    name="memory__edit",
    title="Edit a note",
    description=(
        "Change a part of an existing note without sending all of it: swap one exact piece of text, add to the end, or "
        "replace the body. Metadata is merged key by key; a key cannot be taken away here (memory__write can). Text to "
        "swap that is not there, or there more than once, is a CONFLICT that says so and changes nothing. A path "
        f"without a note is NOT_FOUND; memory__write makes one. {NO_SECRETS} {ASK_FIRST}"
    ),
    toolsets=MEMORY,
    scope=Scope.MEMORY_WRITE,
    feature=Feature.AI_WRITE,
    kind=Kind.WRITE,
    input=MemoryEdit,
    output=WrittenNote,
    handler=memory_edit,
)


class DeletedNote(Output):
    path: str
    deleted: Annotated[bool, Meta(extra_json_schema={"const": True})]


async def memory_delete(call: Call, given: OneNote) -> Reply[DeletedNote]:
    await service.delete_note_at(call.caller.account_id, given.path, author=author_of(call), now=call.now)
    return Reply(
        DeletedNote(path=given.path, deleted=True),
        f"Deleted `{given.path}`. The person can bring it back from the trash in Loci; memory__write makes it anew.",
        affected=[f"note:{given.path}"],
    )


MEMORY_DELETE = ToolSpec(
    name="memory__delete",
    title="Delete a note",
    description=(
        "Put one note into the trash, from which the person can bring it back in the browser. To take out only a part "
        f"of a note, use memory__edit. {ASK_FIRST}"
    ),
    toolsets=MEMORY,
    scope=Scope.MEMORY_WRITE,
    feature=Feature.AI_WRITE,
    kind=Kind.DESTRUCTIVE,
    idempotent_hint=False,
    input=OneNote,
    output=DeletedNote,
    handler=memory_delete,
)
