"""Tools that find cards and notes: ours, and the pair `search` and `fetch` whose shapes ChatGPT prescribes."""

from __future__ import annotations

import re
from typing import Annotated
from urllib.parse import quote

from msgspec import UNSET, Meta, UnsetType

from app.core.settings import Settings
from app.decks import queries
from app.decks.search import search_cards
from app.decks.views import CardHit
from app.domain.errors import N_, InvalidInput, NotFound
from app.domain.frontmatter import to_document
from app.domain.notes import clamped
from app.domain.scopes import Scope
from app.mcp.spec import Call, Input, Kind, Output, Reply, Toolset, ToolSpec
from app.mcp.tools.fields import Cursor, DeckId, NextCursor, Query
from app.notes.queries import note_at, search_notes

_TITLE_LENGTH = 120
_SEARCH_RESULTS = 20
_NOTE_RESULTS = 10
_NOTE_ID = "note:"
_CARD_ID = re.compile(r"card:([1-9][0-9]*)")


class SearchFlashcards(Input):
    query: Query
    deck_id: DeckId | UnsetType = UNSET
    limit: Annotated[int, Meta(ge=1, le=50, description="Cards on a page.")] = 20
    cursor: Cursor | UnsetType = UNSET


class Hit(Output):
    card_id: int
    deck_id: int
    deck_title: str
    front: str
    back: str
    tags: list[str]


class HitPage(Output):
    results: list[Hit]
    next_cursor: NextCursor | UnsetType = UNSET


async def search_flashcards(call: Call, given: SearchFlashcards) -> Reply[HitPage]:
    page = await search_cards(
        call.caller.account_id,
        given.query,
        deck_id=given.deck_id or None,
        cursor=given.cursor or None,
        limit=given.limit,
    )
    lines = [_hit_line(hit) for hit in page.items] or ["No cards match."]
    if page.next_cursor:
        lines.append(f"More: cursor {page.next_cursor}")
    return Reply(
        HitPage(results=[_hit_output(hit) for hit in page.items], next_cursor=page.next_cursor or UNSET),
        "\n".join(lines),
    )


def _hit_output(hit: CardHit) -> Hit:
    return Hit(
        card_id=hit.id,
        deck_id=hit.deck_id,
        deck_title=hit.deck_title,
        front=hit.front,
        back=hit.back,
        tags=list(hit.tags),
    )


def _hit_line(hit: CardHit) -> str:
    tags = f" [{', '.join(hit.tags)}]" if hit.tags else ""
    return f"- cardId {hit.id} in {hit.deck_title} (deckId {hit.deck_id}){tags}\n  {hit.front}\n  {hit.back}"


SEARCH_FLASHCARDS = ToolSpec(
    name="search_flashcards",
    title="Search flashcards",
    description=(
        "Find cards by a piece of their front, back or tags, the newest first, in all decks or one. One word or a "
        "short phrase finds more than a sentence. Use it before adding cards, to see what is there already, and to "
        "find the cardId of a card the person speaks of."
    ),
    toolsets=frozenset({Toolset.FLASHCARDS}),
    scope=Scope.DECKS_READ,
    kind=Kind.READ,
    input=SearchFlashcards,
    output=HitPage,
    handler=search_flashcards,
)


class Search(Input):
    query: Query


class SearchResult(Output):
    id: str
    title: str
    url: str


class SearchResults(Output):
    results: list[SearchResult]


async def search(call: Call, given: Search) -> Reply[SearchResults]:
    page = await search_cards(call.caller.account_id, given.query, limit=_SEARCH_RESULTS)
    results = [
        SearchResult(id=f"card:{hit.id}", title=_title(hit.front), url=card_url(hit.id, call.settings))
        for hit in page.items
    ]
    if Scope.MEMORY_READ in call.caller.scopes:
        notes = await search_notes(call.caller.account_id, given.query, limit=_NOTE_RESULTS)
        results += [
            SearchResult(id=_NOTE_ID + hit.path, title=hit.title, url=note_url(hit.path, call.settings))
            for hit in notes.items
        ]
    return Reply(SearchResults(results=results))


SEARCH = ToolSpec(
    name="search",
    title="Search",
    description=(
        "Search what the person keeps in Loci by a piece of text and get ids, titles and links. For clients that "
        "expect a tool of this name; fetch gives the content behind an id. Otherwise search_flashcards tells more."
    ),
    toolsets=frozenset({Toolset.FLASHCARDS}),
    scope=Scope.DECKS_READ,
    kind=Kind.READ,
    input=Search,
    output=SearchResults,
    handler=search,
)


class Fetch(Input):
    id: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=1100,
            description="An id that search gave, such as card:12 or note:work/plan.md.",
        ),
    ]


class Document(Output):
    id: str
    title: str
    text: str
    url: str
    metadata: dict[str, str]


async def fetch(call: Call, given: Fetch) -> Reply[Document]:
    if given.id.startswith(_NOTE_ID) and Scope.MEMORY_READ in call.caller.scopes:
        return await _fetch_note(call, given.id)
    named = _CARD_ID.fullmatch(given.id)
    if named is None:
        raise NotFound(N_("Nothing has this id."), N_("Pass an id as search gave it."))
    card = await queries.card(call.caller.account_id, int(named[1]))
    metadata = {
        "kind": "card",
        "deckId": str(card.deck_id),
        "deckTitle": card.deck_title,
        "updatedAt": card.updated_at.isoformat(),
    }
    if card.tags:
        metadata["tags"] = ", ".join(card.tags)
    if card.source_title:
        metadata["sourceTitle"] = card.source_title
    return Reply(
        Document(
            id=given.id,
            title=_title(card.front),
            text=f"{card.front}\n\n{card.back}",
            url=card_url(card.id, call.settings),
            metadata=metadata,
        )
    )


async def _fetch_note(call: Call, id: str) -> Reply[Document]:
    try:
        note = await note_at(call.caller.account_id, id.removeprefix(_NOTE_ID))
    except InvalidInput:
        raise NotFound(N_("Nothing has this id."), N_("Pass an id as search gave it.")) from None
    metadata = {"kind": "note", "path": note.path, "updatedAt": note.updated_at.isoformat()}
    if note.tags:
        metadata["tags"] = ", ".join(note.tags)
    part = clamped(note.body)
    if part.cut:
        metadata["truncated"] = f"the first {part.shown_bytes} of {part.total_bytes} bytes"
    return Reply(
        Document(
            id=id,
            title=note.title,
            text=to_document(note.frontmatter, part.body),
            url=note_url(note.path, call.settings),
            metadata=metadata,
        )
    )


FETCH = ToolSpec(
    name="fetch",
    title="Fetch",
    description="Get the whole content behind an id that search gave: title, text, link and details.",
    toolsets=frozenset({Toolset.FLASHCARDS}),
    scope=Scope.DECKS_READ,
    kind=Kind.READ,
    input=Fetch,
    output=Document,
    handler=fetch,
)


def card_url(card_id: int, settings: Settings) -> str:
    """The card's page in the browser."""
    return f"{settings.base_url}/cards/{card_id}"


def note_url(path: str, settings: Settings) -> str:
    """The note's page in the browser."""
    return f"{settings.base_url}/notes/at?path={quote(path)}"


def _title(front: str) -> str:
    """The front on one line, cut to a title's length."""
    line = " ".join(front.split())
    return line if len(line) <= _TITLE_LENGTH else line[: _TITLE_LENGTH - 1] + "…"
