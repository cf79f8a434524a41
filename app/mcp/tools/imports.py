"""The tool that saves the cards of a conversation."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from app.decks import service
from app.decks.changes import NewCard
from app.domain.plans import Feature
from app.domain.scopes import Scope
from app.mcp.instructions import GOOD_CARDS
from app.mcp.plans import limits_of
from app.mcp.spec import Call, Input, Kind, Output, Reply, Toolset, ToolSpec
from app.mcp.tools.fields import Back, BackRich, Count, Front, FrontRich, Language, Tags, Warnings
from app.mcp.tools.text import counted, id_ranges


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
    lines = [f"Imported {counted(len(result.imported_ids))} into {result.deck_title} (deckId {result.deck_id})."]
    if result.imported_ids:
        lines.append(f"cardIds {id_ranges(result.imported_ids)}")
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
