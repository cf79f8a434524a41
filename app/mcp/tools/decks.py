"""Tools on decks: list, create, update, delete, restore."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType

from app.decks import queries, service
from app.decks.changes import DeckChanges
from app.decks.views import DeckView
from app.domain.plans import Feature
from app.domain.scopes import Scope
from app.mcp.instructions import ASK_FIRST
from app.mcp.plans import limits_of, study_clock
from app.mcp.spec import Call, Input, Kind, Output, Reply, Toolset, ToolSpec
from app.mcp.tools.fields import Count, Cursor, DeckDescription, DeckId, DeckTitle, Instant, Language, NextCursor
from app.mcp.tools.text import counted


class Deck(Output, kw_only=True):
    deck_id: int
    title: str
    description: str
    card_count: Annotated[Count, Meta(description="Cards in the deck, without deleted ones.")]
    new_count: Annotated[Count, Meta(description="Cards that were never studied.")]
    due_count: Annotated[Count, Meta(description="Cards due: reviews of today, and learning steps that are over.")]
    collection_id: Annotated[int, Meta(description="The collection it stands in, if any.")] | UnsetType = UNSET
    updated_at: Instant


def deck_fields(deck: DeckView) -> dict[str, Any]:
    """The fields of a deck as every tool gives them."""
    return {
        "deck_id": deck.id,
        "title": deck.title,
        "description": deck.description,
        "card_count": deck.card_count,
        "new_count": deck.new_count,
        "due_count": deck.due_count,
        "collection_id": UNSET if deck.collection_id is None else deck.collection_id,
        "updated_at": deck.updated_at,
    }


def deck_line(deck: DeckView) -> str:
    return f"{deck.title} (deckId {deck.id}): {deck.card_count} cards, {deck.new_count} new, {deck.due_count} due"


class ListDecks(Input):
    collection_id: Annotated[int, Meta(ge=1, description="Only the decks of this collection.")] | UnsetType = UNSET
    cursor: Cursor | UnsetType = UNSET
    limit: Annotated[int, Meta(ge=1, le=100, description="Decks on a page.")] = 50


class DeckPage(Output):
    decks: list[Deck]
    next_cursor: NextCursor | UnsetType = UNSET


async def list_decks(call: Call, given: ListDecks) -> Reply[DeckPage]:
    page = await queries.decks(
        call.caller.account_id,
        clock=study_clock(call.caller),
        now=call.now,
        collection_id=given.collection_id or None,
        cursor=given.cursor or None,
        limit=given.limit,
    )
    lines = [f"- {deck_line(deck)}" for deck in page.items] or ["No decks."]
    if page.next_cursor:
        lines.append(f"More: cursor {page.next_cursor}")
    return Reply(
        DeckPage(decks=[Deck(**deck_fields(deck)) for deck in page.items], next_cursor=page.next_cursor or UNSET),
        "\n".join(lines),
    )


LIST_DECKS = ToolSpec(
    name="list_decks",
    title="List decks",
    description=(
        "List the person's decks with their ids and how many cards each has, how many are new and how many are due. "
        "Call it before writing into a deck that the person names, and pass the deckId it gives. "
        "Decks come in the order they were made, a page at a time."
    ),
    toolsets=frozenset({Toolset.FLASHCARDS, Toolset.STUDY}),
    scope=Scope.DECKS_READ,
    kind=Kind.READ,
    input=ListDecks,
    output=DeckPage,
    handler=list_decks,
)


class CreateDeck(Input):
    title: DeckTitle
    description: DeckDescription | UnsetType = UNSET
    language: Language | UnsetType = UNSET
    collection_id: Annotated[int, Meta(ge=1, description="A collection of the person to put it in.")] | UnsetType = (
        UNSET
    )


async def create_deck(call: Call, given: CreateDeck) -> Reply[Deck]:
    deck_id = await service.create_deck(
        call.caller.account_id,
        title=given.title,
        description=given.description or "",
        language=given.language or None,
        collection_id=given.collection_id or None,
        limits=limits_of(call.caller, call.settings),
        now=call.now,
    )
    return await _deck_reply(call, deck_id, "Deck is there")


CREATE_DECK = ToolSpec(
    name="create_deck",
    title="Create deck",
    description=(
        "Create an empty deck. To save cards into a new deck, import_flashcards with deckTitle does both at once, "
        "and so does import_deck with title. "
        "If a deck of this title exists with the same description, language and collection, that deck comes back and "
        f"nothing is created; if it differs, the call is a CONFLICT that names the existing deckId. {ASK_FIRST}"
    ),
    toolsets=frozenset({Toolset.FLASHCARDS, Toolset.STUDY}),
    scope=Scope.DECKS_WRITE,
    feature=Feature.AI_WRITE,
    kind=Kind.IDEMPOTENT_WRITE,
    input=CreateDeck,
    output=Deck,
    handler=create_deck,
)


class UpdateDeck(Input):
    deck_id: DeckId
    title: DeckTitle | UnsetType = UNSET
    description: DeckDescription | UnsetType = UNSET
    language: Language | UnsetType = UNSET
    collection_id: (
        Annotated[int, Meta(ge=0, description="The collection to move it to; 0 takes it out of its collection.")]
        | UnsetType
    ) = UNSET


async def update_deck(call: Call, given: UpdateDeck) -> Reply[Deck]:
    await service.update_deck(
        call.caller.account_id,
        given.deck_id,
        DeckChanges(
            title=given.title,
            description=given.description,
            language=given.language,
            collection_id=given.collection_id if given.collection_id is UNSET else given.collection_id or None,
        ),
        now=call.now,
    )
    return await _deck_reply(call, given.deck_id, "Updated")


UPDATE_DECK = ToolSpec(
    name="update_deck",
    title="Update deck",
    description=(
        "Rename a deck, or change its description, language or collection. What is left out stays as it is; "
        f"cards and their schedule are not touched. {ASK_FIRST}"
    ),
    toolsets=frozenset({Toolset.FLASHCARDS}),
    scope=Scope.DECKS_WRITE,
    feature=Feature.AI_WRITE,
    kind=Kind.IDEMPOTENT_WRITE,
    input=UpdateDeck,
    output=Deck,
    handler=update_deck,
)


class OneDeck(Input):
    deck_id: DeckId


class DeletedDeck(Output):
    deck_id: int
    deck_title: str
    deleted_card_count: Annotated[Count, Meta(description="Cards that went with the deck.")]


async def delete_deck(call: Call, given: OneDeck) -> Reply[DeletedDeck]:
    title, cards = await service.delete_deck(call.caller.account_id, given.deck_id, now=call.now)
    return Reply(
        DeletedDeck(deck_id=given.deck_id, deck_title=title, deleted_card_count=cards),
        f"Deleted {title} (deckId {given.deck_id}) with {counted(cards)}. restore_deck brings it back.",
        affected=[f"deck:{given.deck_id}"],
    )


DELETE_DECK = ToolSpec(
    name="delete_deck",
    title="Delete deck",
    description=(
        "Delete a deck together with the cards in it. It can be undone: restore_deck with the same deckId brings both "
        f"back, so tell the person the id. No tool lists deleted decks. {ASK_FIRST}"
    ),
    toolsets=frozenset({Toolset.FLASHCARDS}),
    scope=Scope.DECKS_WRITE,
    feature=Feature.AI_WRITE,
    kind=Kind.DESTRUCTIVE,
    input=OneDeck,
    output=DeletedDeck,
    handler=delete_deck,
)


class RestoredDeck(Output):
    deck_id: int
    deck_title: str
    restored_card_count: Annotated[Count, Meta(description="Cards that came back with the deck.")]


async def restore_deck(call: Call, given: OneDeck) -> Reply[RestoredDeck]:
    account_id = call.caller.account_id
    cards = await service.restore_deck(
        account_id, given.deck_id, limits=limits_of(call.caller, call.settings), now=call.now
    )
    deck = await queries.deck(account_id, given.deck_id, clock=study_clock(call.caller), now=call.now)
    return Reply(
        RestoredDeck(deck_id=deck.id, deck_title=deck.title, restored_card_count=cards),
        f"{deck.title} (deckId {deck.id}) is there, with {cards} cards brought back.",
        affected=[f"deck:{deck.id}"],
    )


RESTORE_DECK = ToolSpec(
    name="restore_deck",
    title="Restore deck",
    description=(
        "Bring back a deleted deck by its id, with the cards that were deleted together with it. Cards that had been "
        f"deleted before stay deleted. A deck that is not deleted is left as it is. {ASK_FIRST}"
    ),
    toolsets=frozenset({Toolset.FLASHCARDS}),
    scope=Scope.DECKS_WRITE,
    feature=Feature.AI_WRITE,
    kind=Kind.IDEMPOTENT_WRITE,
    input=OneDeck,
    output=RestoredDeck,
    handler=restore_deck,
)


async def _deck_reply(call: Call, deck_id: int, what: str) -> Reply[Deck]:
    deck = await queries.deck(call.caller.account_id, deck_id, clock=study_clock(call.caller), now=call.now)
    return Reply(Deck(**deck_fields(deck)), f"{what}: {deck_line(deck)}", affected=[f"deck:{deck.id}"])
