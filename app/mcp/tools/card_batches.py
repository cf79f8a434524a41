"""The tool that makes many cards, each with a result of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, cast

from msgspec import UNSET, Meta, UnsetType

from app.decks import service
from app.decks.changes import NewCard
from app.decks.views import CardOutcome, CreatedCards, Outcome
from app.domain.errors import N_, InvalidInput
from app.domain.plans import Feature
from app.domain.scopes import Scope
from app.mcp.instructions import ASK_FIRST, GOOD_CARDS
from app.mcp.plans import limits_of
from app.mcp.schema import parse, schema_of
from app.mcp.spec import Call, Input, Kind, Output, Reply, Toolset, ToolSpec
from app.mcp.tools.fields import Count, DeckId
from app.mcp.tools.imports import ImportedCard
from app.mcp.tools.text import counted, id_ranges

# What a card is to be is published; what each is, is judged card by card.
_ANY_CARD = Annotated[Any, Meta(extra_json_schema=schema_of(ImportedCard))]


class CreateCards(Input):
    deck_id: DeckId
    cards: Annotated[
        list[_ANY_CARD],
        Meta(min_length=1, max_length=100, description="1 to 100 cards. Send more in further calls."),
    ]
    idempotency_key: (
        Annotated[
            str,
            Meta(
                min_length=1,
                max_length=200,
                description=(
                    "A name of your own for this call. The same call with the same key again gives the first answer "
                    "and makes nothing; the key with other cards is a CONFLICT."
                ),
            ),
        ]
        | UnsetType
    ) = UNSET


class CardResult(Output):
    index: Annotated[Count, Meta(description="Place of the card in the call, from 0.")]
    outcome: Annotated[Outcome, Meta(description="created, exists (the deck has an equal card) or rejected.")]
    card_id: Annotated[int, Meta(description="The new card, or the equal one.")] | UnsetType = UNSET
    reason: Annotated[str, Meta(description="Why it was rejected, and what to do.")] | UnsetType = UNSET
    notes: Annotated[list[str], Meta(description="What was changed on the way in.")] | UnsetType = UNSET


class CardResults(Output):
    deck_id: int
    deck_title: str
    created_count: Count
    existing_count: Count
    rejected_count: Count
    results: Annotated[list[CardResult], Meta(description="One for each card, in their order.")]


async def create_cards(call: Call, given: CreateCards) -> Reply[CardResults]:
    done = await service.create_cards(
        call.caller.account_id,
        given.deck_id,
        [_new_card(card) for card in given.cards],
        key=given.idempotency_key or None,
        limits=limits_of(call.caller, call.settings),
        now=call.now,
    )
    output = CardResults(
        deck_id=done.deck_id,
        deck_title=done.deck_title,
        created_count=len(_ids(done, Outcome.CREATED)),
        existing_count=sum(one.outcome is Outcome.EXISTS for one in done.outcomes),
        rejected_count=sum(one.outcome is Outcome.REJECTED for one in done.outcomes),
        results=[_result(one) for one in done.outcomes],
    )
    affected = [f"deck:{done.deck_id}", *(f"card:{id}" for id in _ids(done, Outcome.CREATED))]
    return Reply(output, _created_text(done), affected=affected)


def _new_card(sent: object) -> NewCard | InvalidInput:
    """The card as it was sent, or why it cannot be read."""
    if not isinstance(sent, Mapping):
        return InvalidInput(N_("It is not an object."), N_("Give front and back."), field="cards")
    try:
        card = parse(_Sides, {key: sent[key] for key in cast("Mapping[str, Any]", sent)})
    except InvalidInput as error:
        return error
    return NewCard(
        front=card.front,
        back=card.back,
        front_rich=card.front_rich or None,
        back_rich=card.back_rich or None,
        tags=tuple(card.tags or ()),
    )


class _Sides(Input):
    """Any text: its rules are those of `app.domain.cards`, whose reasons name the figures."""

    front: str
    back: str
    front_rich: str | UnsetType = UNSET
    back_rich: str | UnsetType = UNSET
    tags: list[str] | UnsetType = UNSET


def _ids(done: CreatedCards, outcome: Outcome) -> list[int]:
    return [one.card_id for one in done.outcomes if one.outcome is outcome and one.card_id is not None]


def _result(one: CardOutcome) -> CardResult:
    return CardResult(
        index=one.index,
        outcome=one.outcome,
        card_id=one.card_id or UNSET,
        reason=one.reason or UNSET,
        notes=list(one.notes) or UNSET,
    )


def _created_text(done: CreatedCards) -> str:
    ids = _ids(done, Outcome.CREATED)
    lines = [f"Made {counted(len(ids))} in {done.deck_title} (deckId {done.deck_id})."]
    if ids:
        lines.append(f"cardIds {id_ranges(ids)}")
    for one in done.outcomes:
        if one.outcome is Outcome.EXISTS:
            lines.append(f"- cards[{one.index}]: card {one.card_id} of the deck is equal; not made again.")
        elif one.outcome is Outcome.REJECTED:
            lines.append(f"- cards[{one.index}]: not made. {one.reason}")
        lines += [f"- cards[{one.index}]: {note}" for note in one.notes]
    return "\n".join(lines)


CREATE_CARDS = ToolSpec(
    name="create_cards",
    title="Create cards",
    description=(
        "Make up to 100 cards in a deck, each with a result of its own: good ones are made, a bad one is reported with "
        "its index and a reason, one that the deck has already is named. A front like {{c1::Paris}} is on the Seine "
        "makes a cloze card. A deck holds a limited number of cards; a call that would exceed it makes nothing "
        f"(DECK_CARD_LIMIT_EXCEEDED). {GOOD_CARDS} {ASK_FIRST}"
    ),
    toolsets=frozenset({Toolset.STUDY}),
    scope=Scope.DECKS_WRITE,
    feature=Feature.AI_WRITE,
    kind=Kind.WRITE,
    input=CreateCards,
    output=CardResults,
    handler=create_cards,
)
