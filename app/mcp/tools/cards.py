"""Tools on cards: read one, import many, update, delete, restore."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType

from app.decks import queries, service
from app.decks.changes import CardChanges, NewCard
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
    Count,
    Front,
    FrontRich,
    Language,
    Tags,
    Version,
    Warnings,
)


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
    created_at: datetime
    updated_at: datetime
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


class ImportedCard(Input):
    front: Front
    back: Back
    front_rich: FrontRich | UnsetType = UNSET
    back_rich: BackRich | UnsetType = UNSET
    tags: Tags | UnsetType = UNSET


class ImportFlashcards(Input, kw_only=True):
    deck_id: (
        Annotated[int, Meta(ge=1, description="Id of an existing deck. Pass either deckId or deckTitle, never both.")]
        | UnsetType
    ) = UNSET
    deck_title: (
        Annotated[
            str,
            Meta(
                min_length=1,
                max_length=120,
                description=(
                    "Title of the deck to use, or to create if there is none. "
                    "Pass either deckId or deckTitle, never both. "
                    "For a deck that exists, list_decks and deckId are surer."
                ),
            ),
        ]
        | UnsetType
    ) = UNSET
    source_title: (
        Annotated[
            str, Meta(max_length=160, description="Where the cards come from: a document, page or topic. Optional.")
        ]
        | UnsetType
    ) = UNSET
    language: Language | UnsetType = UNSET
    cards: Annotated[
        list[ImportedCard],
        Meta(min_length=1, max_length=100, description="1 to 100 cards. Send more in further calls."),
    ]


class Imported(Output):
    deck_id: Annotated[int, Meta(description="The deck that holds the cards.")]
    deck_title: Annotated[str, Meta(description="Its title.")]
    imported_count: Annotated[Count, Meta(description="Cards created.")]
    skipped_count: (
        Annotated[Count, Meta(description="Cards left out because the deck has them already.")] | UnsetType
    ) = UNSET
    warnings: Warnings | UnsetType = UNSET


async def import_flashcards(call: Call, given: ImportFlashcards) -> Reply[Imported]:
    result = await service.import_cards(
        call.caller.account_id,
        [
            NewCard(
                front=card.front,
                back=card.back,
                front_rich=card.front_rich or None,
                back_rich=card.back_rich or None,
                tags=tuple(card.tags or ()),
            )
            for card in given.cards
        ],
        deck_id=given.deck_id or None,
        deck_title=None if given.deck_title is UNSET else given.deck_title,
        language=given.language or None,
        source_title=given.source_title or None,
        limits=limits_of(call.caller, call.settings),
        now=call.now,
    )
    lines = [f"Imported {len(result.imported_ids)} cards into {result.deck_title} (deckId {result.deck_id})."]
    if result.imported_ids:
        lines.append(f"cardIds {_ranges(result.imported_ids)}")
    if result.skipped_count:
        lines.append(f"Skipped {result.skipped_count} that the deck has already.")
    lines += [f"- {warning}" for warning in result.warnings]
    return Reply(
        Imported(
            deck_id=result.deck_id,
            deck_title=result.deck_title,
            imported_count=len(result.imported_ids),
            skipped_count=result.skipped_count,
            warnings=list(result.warnings),
        ),
        "\n".join(lines),
        affected=[f"deck:{result.deck_id}", *(f"card:{id}" for id in result.imported_ids)],
    )


IMPORT_FLASHCARDS = ToolSpec(
    name="import_flashcards",
    title="Import flashcards",
    description=(
        "Save cards that were written in this conversation, up to 100 in a call, into a deck named by deckId or "
        "deckTitle. Call it only after the person asked to save cards and agreed to what will be saved. "
        "If the person names an existing deck, find its deckId with list_decks first. "
        f"{GOOD_CARDS} "
        "Cards that the deck has already are skipped and counted, so a call whose answer was lost can simply be sent "
        "again. A card over a limit fails the whole call and nothing is saved. Scheduling is Loci's part: send no due "
        "dates or intervals. Needs a Plus or Pro plan."
    ),
    toolsets=frozenset({Toolset.FLASHCARDS}),
    scope=Scope.DECKS_WRITE,
    feature=Feature.AI_WRITE,
    kind=Kind.WRITE,
    input=ImportFlashcards,
    output=Imported,
    handler=import_flashcards,
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
        "Change a card's front, back, formatted sides or tags, or move it to another deck. What is left out stays; "
        "tags are replaced as a whole; an empty frontRich or backRich removes that formatting. The review schedule is "
        "not touched. Pass expectedVersion from get_flashcard so that a change made meanwhile is not overwritten. "
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
    text = f"{done} {len(ids)} cards" + (f": cardIds {_ranges(ids)}." if ids else ".")
    return text + (f" Not found: {_ranges(missing)}." if missing else "")


def _ranges(ids: tuple[int, ...]) -> str:
    """Ids in few letters: `3-5, 9`."""
    runs: list[tuple[int, int]] = []
    for id in sorted(ids):
        if runs and id == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], id)
        else:
            runs.append((id, id))
    return ", ".join(f"{first}" if first == last else f"{first}-{last}" for first, last in runs)
