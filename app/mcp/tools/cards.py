"""Tools on cards: read one, update, delete, restore."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType

from app.decks import queries, service
from app.decks.changes import CardChanges
from app.decks.views import CardView
from app.domain.plans import Feature
from app.domain.scopes import Scope
from app.mcp.instructions import ASK_FIRST, GOOD_CARDS
from app.mcp.plans import limits_of
from app.mcp.spec import Call, Input, Kind, Output, Reply, Toolset, ToolSpec
from app.mcp.tools.fields import (
    Back,
    BackRich,
    CardId,
    CardIds,
    Front,
    FrontRich,
    Instant,
    Tags,
    Version,
    Warnings,
)
from app.mcp.tools.text import id_ranges


class Flashcard(Output, kw_only=True):
    card_id: int
    deck_id: int
    deck_title: str
    front: str
    back: str
    front_rich: str | UnsetType = UNSET
    back_rich: str | UnsetType = UNSET
    tags: list[str]
    language: str | UnsetType = UNSET
    source_title: str | UnsetType = UNSET
    created_at: Instant
    updated_at: Instant
    version: Annotated[int, Meta(ge=1, description="Grows with each change; pass it as expectedVersion.")]


class UpdatedFlashcard(Flashcard):
    warnings: Warnings | UnsetType = UNSET


def card_fields(card: CardView) -> dict[str, Any]:
    """The fields of a card as every tool gives them."""
    return {
        "card_id": card.id,
        "deck_id": card.deck_id,
        "deck_title": card.deck_title,
        "front": card.front,
        "back": card.back,
        "front_rich": card.front_rich or UNSET,
        "back_rich": card.back_rich or UNSET,
        "tags": list(card.tags),
        "language": card.language or UNSET,
        "source_title": card.source_title or UNSET,
        "created_at": card.created_at,
        "updated_at": card.updated_at,
        "version": card.version,
    }


def card_text(card: CardView) -> str:
    """A card for the model to read."""
    lines = [
        f"cardId {card.id} in {card.deck_title} (deckId {card.deck_id}), version {card.version}",
        f"Front: {card.front}",
        f"Back: {card.back}",
    ]
    if card.tags:
        lines.append(f"Tags: {', '.join(card.tags)}")
    return "\n".join(lines)


class OneCard(Input):
    card_id: CardId


async def get_flashcard(call: Call, given: OneCard) -> Reply[Flashcard]:
    card = await queries.card(call.caller.account_id, given.card_id)
    return Reply(Flashcard(**card_fields(card)), card_text(card))


GET_FLASHCARD = ToolSpec(
    name="get_flashcard",
    title="Get flashcard",
    description=(
        "Read one card whole: both sides, formatted sides if any, tags, language, source, deck and version. "
        "Call it before update_flashcard, to see what is there and to pass its version."
    ),
    toolsets=frozenset({Toolset.FLASHCARDS}),
    scope=Scope.DECKS_READ,
    kind=Kind.READ,
    input=OneCard,
    output=Flashcard,
    handler=get_flashcard,
)


class UpdateFlashcard(Input):
    card_id: CardId
    front: Front | UnsetType = UNSET
    back: Back | UnsetType = UNSET
    front_rich: FrontRich | UnsetType = UNSET
    back_rich: BackRich | UnsetType = UNSET
    tags: Tags | UnsetType = UNSET
    deck_id: Annotated[int, Meta(ge=1, description="A deck to move the card to.")] | UnsetType = UNSET
    expected_version: Version | UnsetType = UNSET


async def update_flashcard(call: Call, given: UpdateFlashcard) -> Reply[UpdatedFlashcard]:
    card = await service.update_card(
        call.caller.account_id,
        given.card_id,
        CardChanges(
            front=given.front,
            back=given.back,
            front_rich=given.front_rich,
            back_rich=given.back_rich,
            tags=given.tags if given.tags is UNSET else tuple(given.tags),
            deck_id=given.deck_id,
        ),
        expected_version=None if given.expected_version is UNSET else given.expected_version,
        limits=limits_of(call.caller, call.settings),
        now=call.now,
    )
    text = "\n".join(["Updated.", card_text(card), *(f"- {warning}" for warning in card.warnings)])
    output = UpdatedFlashcard(**card_fields(card), warnings=list(card.warnings) or UNSET)
    return Reply(output, text, affected=[f"card:{card.id}"])


UPDATE_FLASHCARD = ToolSpec(
    name="update_flashcard",
    title="Update flashcard",
    description=(
        "Change a card's front, back, formatted sides or tags, or move it to another deck. What is left out stays, but "
        "a side that changes loses its formatted form unless a new one is given; tags are replaced as a whole; empty "
        "frontRich or backRich removes that formatting. The review schedule is not touched. Pass expectedVersion from "
        "get_flashcard so that a change made meanwhile is not overwritten. "
        f"{GOOD_CARDS} {ASK_FIRST}"
    ),
    toolsets=frozenset({Toolset.FLASHCARDS}),
    scope=Scope.DECKS_WRITE,
    feature=Feature.AI_WRITE,
    kind=Kind.IDEMPOTENT_WRITE,
    input=UpdateFlashcard,
    output=UpdatedFlashcard,
    handler=update_flashcard,
)


class ManyCards(Input):
    card_ids: CardIds


class DeletedCards(Output):
    deleted_ids: list[int]
    not_found_ids: list[int]


async def delete_flashcards(call: Call, given: ManyCards) -> Reply[DeletedCards]:
    result = await service.delete_cards(call.caller.account_id, given.card_ids, now=call.now)
    text = _bulk_text("Deleted", result.done_ids, result.not_found_ids)
    if result.done_ids:
        text += " restore_flashcards brings them back."
    return Reply(
        DeletedCards(deleted_ids=list(result.done_ids), not_found_ids=list(result.not_found_ids)),
        text,
        affected=[f"card:{id}" for id in result.done_ids],
    )


DELETE_FLASHCARDS = ToolSpec(
    name="delete_flashcards",
    title="Delete flashcards",
    description=(
        "Delete 1 to 100 cards by id. It can be undone: restore_flashcards takes the same ids, so tell the person "
        f"which they were. Ids without a card come back in notFoundIds. {ASK_FIRST}"
    ),
    toolsets=frozenset({Toolset.FLASHCARDS}),
    scope=Scope.DECKS_WRITE,
    feature=Feature.AI_WRITE,
    kind=Kind.DESTRUCTIVE,
    input=ManyCards,
    output=DeletedCards,
    handler=delete_flashcards,
)


class RestoredCards(Output):
    restored_ids: list[int]
    not_found_ids: list[int]


async def restore_flashcards(call: Call, given: ManyCards) -> Reply[RestoredCards]:
    result = await service.restore_cards(
        call.caller.account_id, given.card_ids, limits=limits_of(call.caller, call.settings), now=call.now
    )
    return Reply(
        RestoredCards(restored_ids=list(result.done_ids), not_found_ids=list(result.not_found_ids)),
        _bulk_text("Restored", result.done_ids, result.not_found_ids),
        affected=[f"card:{id}" for id in result.done_ids],
    )


RESTORE_FLASHCARDS = ToolSpec(
    name="restore_flashcards",
    title="Restore flashcards",
    description=(
        "Bring back deleted cards by id, each with its schedule. Cards of a deck that is itself deleted cannot come "
        "back alone: the call is a CONFLICT, and restore_deck is the way. Ids without a deleted card come back in "
        f"notFoundIds. {ASK_FIRST}"
    ),
    toolsets=frozenset({Toolset.FLASHCARDS}),
    scope=Scope.DECKS_WRITE,
    feature=Feature.AI_WRITE,
    kind=Kind.IDEMPOTENT_WRITE,
    input=ManyCards,
    output=RestoredCards,
    handler=restore_flashcards,
)


def _bulk_text(done: str, ids: tuple[int, ...], missing: tuple[int, ...]) -> str:
    text = f"{done} {len(ids)} cards" + (f": cardIds {id_ranges(ids)}." if ids else ".")
    return text + (f" Not found: {id_ranges(missing)}." if missing else "")
