"""What a client may attach to a conversation without a tool: notes and decks, by address.

`note:<path>` is a note as its Markdown file, `deck:<id>` a deck with its first cards. Which of them a caller sees
follows from the scopes, as with tools, and an endpoint that has no tools for them offers none.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

import mcp_types as types
from mcp import MCPError

from app.core import clock
from app.decks import queries as decks
from app.domain.errors import AppError
from app.domain.frontmatter import to_document
from app.domain.note_paths import URI_PREFIX, path_in_uri, uri_of
from app.domain.notes import clamped
from app.domain.scopes import Scope
from app.mcp.dispatch import McpRequest
from app.mcp.plans import study_clock
from app.mcp.spec import Toolset
from app.mcp.widget import is_widget, widget_contents, widget_resource
from app.notes import queries as notes

NOTE_TEMPLATE: Final = "note:{+path}"
DECK_TEMPLATE: Final = "deck:{id}"
MARKDOWN: Final = "text/markdown"
_PAGE = 100
_COMPLETIONS = 100  # the most that the protocol lets one answer carry
_CARDS = 100
_DECK_URI = re.compile(r"deck:([1-9][0-9]{0,18})")
_NOT_FOUND = -32002
"""The code that the protocol gives for a resource that is not there."""


def sees_notes(request: McpRequest) -> bool:
    return request.surface.toolset in {None, Toolset.MEMORY} and Scope.MEMORY_READ in request.caller.scopes


def sees_decks(request: McpRequest) -> bool:
    return request.surface.toolset in {None, Toolset.FLASHCARDS} and Scope.DECKS_READ in request.caller.scopes


def sees_widget(request: McpRequest) -> bool:
    return request.surface.toolset in {None, Toolset.STUDY} and Scope.STUDY_RENDER in request.caller.scopes


async def list_resources(request: McpRequest, cursor: str | None) -> types.ListResourcesResult:
    """The study widget, then the notes in the order they were made, a page at a time. (Decks are found by a tool.)"""
    first = [widget_resource()] if cursor is None and sees_widget(request) else []
    if not sees_notes(request):
        return types.ListResourcesResult(resources=first)
    page = await _found(lambda: notes.notes(request.caller.account_id, cursor=cursor, limit=_PAGE))
    return types.ListResourcesResult(
        resources=first
        + [
            types.Resource(
                uri=uri_of(entry.path),
                name=entry.path,
                title=entry.title,
                mime_type=MARKDOWN,
                annotations=types.Annotations(last_modified=entry.updated_at.isoformat(timespec="seconds")),
            )
            for entry in page.items
        ],
        next_cursor=page.next_cursor,
    )


def list_templates(request: McpRequest) -> types.ListResourceTemplatesResult:
    """The forms of the addresses."""
    templates: list[types.ResourceTemplate] = []
    if sees_notes(request):
        templates.append(
            types.ResourceTemplate(
                uri_template=NOTE_TEMPLATE,
                name="note",
                title="Note",
                description="A Markdown note by its path, such as note:work/plan.md.",
                mime_type=MARKDOWN,
            )
        )
    if sees_decks(request):
        templates.append(
            types.ResourceTemplate(
                uri_template=DECK_TEMPLATE,
                name="deck",
                title="Deck",
                description=f"A deck by its id, such as deck:3, with its first {_CARDS} cards.",
                mime_type=MARKDOWN,
            )
        )
    return types.ListResourceTemplatesResult(resource_templates=templates)


async def read_resource(request: McpRequest, uri: str) -> types.ReadResourceResult:
    """The text behind an address. Raises `MCPError` for one that leads to nothing, or beyond the caller's scopes."""
    if is_widget(uri):  # the same for everybody, so it asks for no scope
        return widget_contents(uri)
    named = _DECK_URI.fullmatch(uri)
    if uri.startswith(URI_PREFIX) and sees_notes(request):
        text = await _found(lambda: _note_text(request, path_in_uri(uri)))
    elif named and sees_decks(request):
        text = await _found(lambda: _deck_text(request, int(named[1])))
    else:
        raise _not_found()
    return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type=MARKDOWN, text=text)])


async def _note_text(request: McpRequest, path: str) -> str:
    note = await notes.note_at(request.caller.account_id, path)
    part = clamped(note.body)
    text = to_document(note.frontmatter, part.body)
    if part.cut:
        text += f"\n\n[The first {part.shown_bytes} of {part.total_bytes} bytes of the body; the note itself is whole.]"
    return text


async def _deck_text(request: McpRequest, deck_id: int) -> str:
    account_id = request.caller.account_id
    deck = await decks.deck(account_id, deck_id, clock=study_clock(request.caller), now=clock.now())
    page = await decks.cards(account_id, deck_id, limit=_CARDS)
    lines = [f"# {deck.title}", "", f"{deck.card_count} cards, {deck.new_count} new, {deck.due_count} due."]
    if deck.description:
        lines += ["", deck.description]
    for card in page.items:
        lines += ["", f"- cardId {card.id}: {card.front}", f"  {card.back}"]
    if page.next_cursor:
        lines += ["", f"[The first {_CARDS} of {deck.card_count} cards.]"]
    return "\n".join(lines)


async def complete(request: McpRequest, params: types.CompleteRequestParams) -> types.CompleteResult:
    """Paths that begin with what was typed, or hold it; nothing for any other argument."""
    reference, argument = params.ref, params.argument
    values: list[str] = []
    of_notes = isinstance(reference, types.ResourceTemplateReference) and reference.uri == NOTE_TEMPLATE
    if of_notes and argument.name == "path" and sees_notes(request):
        known = sorted(await notes.paths(request.caller.account_id))
        typed = argument.value.casefold()
        values = [path for path in known if path.casefold().startswith(typed)]
        begun = set(values)
        values += [path for path in known if typed in path.casefold() and path not in begun]
    return types.CompleteResult(
        completion=types.Completion(
            values=values[:_COMPLETIONS], total=len(values), has_more=len(values) > _COMPLETIONS
        )
    )


async def _found(read: Callable[[], Any]) -> Any:
    """What a query gives; its refusal as a resource that is not there, which quotes nothing."""
    try:
        return await read()
    except AppError as error:
        raise MCPError(code=_NOT_FOUND, message=f"[{error.code}] {error}") from None


def _not_found() -> MCPError:
    return MCPError(code=_NOT_FOUND, message="[NOT_FOUND] There is no such resource here.")
