"""Tools on the cards of a deck as they are studied: read with their schedule, search by state, make, change, delete."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, cast

from msgspec import UNSET, Meta, UnsetType

from app.decks import queries, service
from app.decks.changes import NewCard
from app.decks.rows import no_such_card
from app.decks.views import CardOutcome, CreatedCards, Outcome
from app.domain.card_query import CardState, due_before, parse_card_query
from app.domain.cards import TAG_MAX, TAGS_MAX
from app.domain.errors import N_, InvalidInput
from app.domain.plans import Feature
from app.domain.scopes import Scope
from app.mcp.instructions import ASK_FIRST, GOOD_CARDS
from app.mcp.plans import limits_of, study_clock
from app.mcp.schema import ENUM_ORDER, parse, schema_of
from app.mcp.spec import Call, Input, Kind, Output, Reply, Toolset, ToolSpec
from app.mcp.tools.card_details import FullCard, card_details, details_text, state_word
from app.mcp.tools.cards import OneCard, UpdatedFlashcard, UpdateFlashcard, update_flashcard
from app.mcp.tools.decks import Deck, deck_fields, deck_line
from app.mcp.tools.fields import Count, Cursor, DeckId, Instant, NextCursor
from app.mcp.tools.imports import ImportedCard
from app.mcp.tools.text import counted, id_ranges
from app.study import card_search
from app.study.card_search import CardFilter, CardSort
from app.study.views import CardRow

_NOT_WHILE_STUDYING = "It shows answers: do not call it to look at a card that the person is being asked."


class CompactCard(Output, kw_only=True):
    card_id: int
    deck_id: int
    deck_title: str
    front: str
    back: str
    tags: list[str]
    state: Annotated[str, Meta(description="new, learning, review or relearning.")]
    due: Annotated[Instant, Meta(description="When it comes back; absent for a card never answered.")] | UnsetType = (
        UNSET
    )
    suspended: bool
    leech: bool


def compact_card(row: CardRow) -> CompactCard:
    return CompactCard(
        card_id=row.id,
        deck_id=row.deck_id,
        deck_title=row.deck_title,
        front=row.front,
        back=row.back,
        tags=list(row.tags),
        state=state_word(row.state),
        due=row.due or UNSET,
        suspended=row.suspended,
        leech=row.leech,
    )


def _card_line(row: CardRow) -> str:
    about = [state_word(row.state)]
    if row.due:
        about.append(f"due {row.due:%Y-%m-%d %H:%M} UTC")
    about += [word for word, is_so in (("suspended", row.suspended), ("leech", row.leech)) if is_so]
    tags = f" [{', '.join(row.tags)}]" if row.tags else ""
    where = f"in {row.deck_title} (deckId {row.deck_id})"
    return f"- cardId {row.id} {where}, {', '.join(about)}{tags}\n  {row.front}\n  {row.back}"


class GetDeck(Input):
    deck_id: DeckId
    include_cards: Annotated[bool, Meta(description="Whether to give its cards too, a page at a time.")] = False
    limit: Annotated[int, Meta(ge=1, le=100, description="Cards on a page.")] = 50
    cursor: Cursor | UnsetType = UNSET


class DeckWithCards(Deck):
    language: str | UnsetType = UNSET
    cards: list[CompactCard] | UnsetType = UNSET
    next_cursor: NextCursor | UnsetType = UNSET


async def get_deck(call: Call, given: GetDeck) -> Reply[DeckWithCards]:
    account_id = call.caller.account_id
    deck = await queries.deck(account_id, given.deck_id, clock=study_clock(call.caller), now=call.now)
    output = DeckWithCards(**deck_fields(deck), language=deck.language or UNSET)
    lines = [deck_line(deck), *([deck.description] if deck.description else [])]
    if given.include_cards:
        page = await card_search.cards_of_deck(account_id, deck.id, cursor=given.cursor or None, limit=given.limit)
        output.cards = [compact_card(row) for row in page.items]
        output.next_cursor = page.next_cursor or UNSET
        lines += _card_lines(page.items, page.next_cursor)
    return Reply(output, "\n".join(lines))


def _card_lines(rows: Sequence[CardRow], next_cursor: str | None) -> list[str]:
    return [*(_card_line(row) for row in rows), *([f"More: cursor {next_cursor}"] if next_cursor else [])]


GET_DECK = ToolSpec(
    name="get_deck",
    title="Get deck",
    description=(
        "Read one deck: title, description, language, collection and its counts. With includeCards also its cards in "
        f"the order they were made, a page at a time, each with its state and due time. {_NOT_WHILE_STUDYING}"
    ),
    toolsets=frozenset({Toolset.STUDY}),
    scope=Scope.DECKS_READ,
    kind=Kind.READ,
    input=GetDeck,
    output=DeckWithCards,
    handler=get_deck,
)

State = Annotated[
    Literal["new", "learning", "review", "due", "suspended", "leech"],
    Meta(
        description="Only cards in this state; the same as is: in the query.",
        extra_json_schema={"type": "string", ENUM_ORDER: [state.value for state in CardState]},
    ),
]
Sort = Annotated[
    Literal["newest", "oldest", "due", "difficulty"],
    Meta(
        description="newest or oldest first, due: what is due first, difficulty: the most difficult first.",
        extra_json_schema={"type": "string", ENUM_ORDER: [sort.value for sort in CardSort]},
    ),
]


class SearchCards(Input):
    query: (
        Annotated[
            str,
            Meta(
                max_length=500,
                description=(
                    "Words, phrases in quotes and filters, all of which a card has to fit: deck:Capitals, "
                    'tag:"river mouth", is:new, is:learning, is:review, is:due, is:suspended, is:leech. A minus before '
                    "one turns it around. Left out or empty: every card."
                ),
            ),
        ]
        | UnsetType
    ) = UNSET
    deck_id: DeckId | UnsetType = UNSET
    tags: (
        Annotated[
            list[Annotated[str, Meta(min_length=1, max_length=TAG_MAX)]],
            Meta(max_length=TAGS_MAX, description="Only cards that have all of these tags."),
        ]
        | UnsetType
    ) = UNSET
    state: State | UnsetType = UNSET
    due_before: (
        Annotated[
            str,
            Meta(
                max_length=40,
                description=(
                    "Only cards due before this: a day such as 2026-03-02 (its start, as the person counts days), or a "
                    "time with its offset such as 2026-03-02T18:00:00Z."
                ),
            ),
        ]
        | UnsetType
    ) = UNSET
    sort: Sort = "newest"
    limit: Annotated[int, Meta(ge=1, le=100, description="Cards on a page.")] = 20
    cursor: Cursor | UnsetType = UNSET


class CardPage(Output):
    cards: list[CompactCard]
    next_cursor: NextCursor | UnsetType = UNSET


async def search_cards(call: Call, given: SearchCards) -> Reply[CardPage]:
    clock = study_clock(call.caller)
    wanted = CardFilter(
        query=parse_card_query(given.query or ""),
        deck_id=given.deck_id or None,
        tags=given.tags or (),
        state=CardState(given.state) if given.state else None,
        due_before=None if given.due_before is UNSET else due_before(given.due_before, clock),
        sort=CardSort(given.sort),
    )
    page = await card_search.search(
        call.caller.account_id, wanted, clock=clock, now=call.now, cursor=given.cursor or None, limit=given.limit
    )
    return Reply(
        CardPage(cards=[compact_card(row) for row in page.items], next_cursor=page.next_cursor or UNSET),
        "\n".join(_card_lines(page.items, page.next_cursor) or ["No cards match."]),
    )


SEARCH_CARDS = ToolSpec(
    name="search_cards",
    title="Search cards",
    description=(
        "Find cards in all decks or one by text, deck, tag, state and due time, sorted as wanted. In the query "
        'deck:"World capitals" tag:europe is:due -river means: cards of that deck with that tag that are due and do '
        "not hold the word river. Letter case, accents and character width of words do not matter. "
        f"{_NOT_WHILE_STUDYING}"
    ),
    toolsets=frozenset({Toolset.STUDY}),
    scope=Scope.DECKS_READ,
    kind=Kind.READ,
    input=SearchCards,
    output=CardPage,
    handler=search_cards,
)


async def get_card(call: Call, given: OneCard) -> Reply[FullCard]:
    card = await card_details(call.caller.account_id, given.card_id, clock=study_clock(call.caller), now=call.now)
    return Reply(card, details_text(card))


GET_CARD = ToolSpec(
    name="get_card",
    title="Get card",
    description=(
        "Read one card whole: both sides, tags, language, source and version, and its schedule: state, due time, "
        "stability, difficulty, probability of recall now, how often it was answered and forgotten, and the last "
        f"answers. A cloze card gives each of its questions. {_NOT_WHILE_STUDYING}"
    ),
    toolsets=frozenset({Toolset.STUDY}),
    scope=Scope.DECKS_READ,
    kind=Kind.READ,
    input=OneCard,
    output=FullCard,
    handler=get_card,
)

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

UPDATE_CARD = ToolSpec(
    name="update_card",
    title="Update card",
    description=(
        "Change one card: front, back, formatted sides, tags, or its deck. What is left out stays; tags are replaced "
        "as a whole; when it comes back for review is not touched. Pass expectedVersion from get_card so that a change "
        f"made meanwhile is not overwritten. {GOOD_CARDS} {ASK_FIRST}"
    ),
    toolsets=frozenset({Toolset.STUDY}),
    scope=Scope.DECKS_WRITE,
    feature=Feature.AI_WRITE,
    kind=Kind.IDEMPOTENT_WRITE,
    input=UpdateFlashcard,
    output=UpdatedFlashcard,
    handler=update_flashcard,
)


class DeletedCard(Output):
    card_id: int
    deleted: bool


async def delete_card(call: Call, given: OneCard) -> Reply[DeletedCard]:
    result = await service.delete_cards(call.caller.account_id, [given.card_id], now=call.now)
    if not result.done_ids:
        raise no_such_card()
    return Reply(
        DeletedCard(card_id=given.card_id, deleted=True),
        f"Deleted card {given.card_id}. The trash in the browser and restore_flashcards bring it back.",
        affected=[f"card:{given.card_id}"],
    )


DELETE_CARD = ToolSpec(
    name="delete_card",
    title="Delete card",
    description=(
        "Delete one card by its id. It goes to the trash, from which the person can bring it back with its schedule; "
        f"tell them which one it was. {ASK_FIRST}"
    ),
    toolsets=frozenset({Toolset.STUDY}),
    scope=Scope.DECKS_WRITE,
    feature=Feature.AI_WRITE,
    kind=Kind.DESTRUCTIVE,
    input=OneCard,
    output=DeletedCard,
    handler=delete_card,
)
