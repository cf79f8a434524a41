"""Tools on the cards of a deck as they are studied: read with their schedule, search by state, make, change, delete."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from app.decks import queries, service
from app.decks.rows import no_such_card
from app.domain.card_query import CardState, due_before, parse_card_query
from app.domain.cards import TAG_MAX, TAGS_MAX
from app.domain.plans import Feature
from app.domain.scopes import Scope
from app.mcp.instructions import ASK_FIRST, GOOD_CARDS
from app.mcp.plans import study_clock
from app.mcp.schema import ENUM_ORDER
from app.mcp.spec import Call, Input, Kind, Output, Reply, Toolset, ToolSpec
from app.mcp.tools.card_details import FullCard, card_details, details_text, state_word
from app.mcp.tools.cards import OneCard, UpdatedFlashcard, UpdateFlashcard, update_flashcard
from app.mcp.tools.decks import Deck, deck_fields, deck_line
from app.mcp.tools.fields import Cursor, DeckId, Instant, NextCursor
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
        "Read one card whole: both sides, tags, language, source, version, the names of its pictures and sounds, and "
        "its schedule: state, due time, stability, difficulty, probability of recall now, how often it was answered "
        "and forgotten, and the last answers. A cloze card gives each of its questions. "
        f"{_NOT_WHILE_STUDYING}"
    ),
    toolsets=frozenset({Toolset.STUDY}),
    scope=Scope.DECKS_READ,
    kind=Kind.READ,
    input=OneCard,
    output=FullCard,
    handler=get_card,
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
