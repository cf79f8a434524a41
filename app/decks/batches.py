"""Making many cards where each has an outcome of its own: the good ones are made, the others say why they were not."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import msgspec

from app.core import idempotency
from app.core.db import atomic
from app.decks.changes import NewCard
from app.decks.inserts import CheckedCard, equal_cards, insert_cards
from app.decks.limits import Limits, room_for_cards, room_for_deck
from app.decks.rows import deck_of_title, insert_deck, live_deck, lock_writes, own_collection
from app.decks.views import CardOutcome, CreatedCards, ImportedRows, Outcome, RowLeftOut
from app.domain.cards import CARDS_PER_CALL_MAX, CardText, card_key, card_text, clean_title, title_key
from app.domain.errors import N_, InvalidInput
from app.domain.transfer.rows import ParsedRow

LONGEST_KEY = 200
_KEY_SCOPE = "create_cards"


async def create_cards(
    account_id: int,
    deck_id: int,
    cards: Sequence[NewCard | InvalidInput],
    *,
    key: str | None = None,
    limits: Limits,
    now: datetime,
) -> CreatedCards:
    """Make up to 100 cards in a deck; one that breaks a rule, or that could not be read at all, costs only itself.

    A card equal to another of deck or call is not made; its outcome names the one that is there. With `key` the same
    call again gives the first answer. Raises `InvalidInput` for no cards, too many and the key, `NotFound`, `Conflict`
    for a key that stood for other cards; `DeckCardLimitExceeded` and `PlanRequired`, and then nothing is made.
    """
    if not 1 <= len(cards) <= CARDS_PER_CALL_MAX:
        raise InvalidInput(
            N_("A call brings from 1 to %(max)d cards; this one brings %(count)d."),
            N_("Split a longer list over several calls."),
            field="cards",
            max=CARDS_PER_CALL_MAX,
            count=len(cards),
        )
    if key is not None and (not 1 <= len(key) <= LONGEST_KEY or not key.isprintable()):
        raise InvalidInput(
            N_("The idempotency key is too long, or not all of it can be seen."),
            N_("Give at most 200 letters, digits and signs."),
            field="idempotencyKey",
        )
    checked, outcomes = _checked(cards)
    async with atomic():
        await lock_writes(account_id)
        title = (await live_deck(account_id, deck_id))["title"]
        if key is not None:
            sent = [deck_id, [str(card) if isinstance(card, InvalidInput) else _fields(card) for card in cards]]
            before = await idempotency.begin(account_id, _KEY_SCOPE, key, sent, now)
            if before is not None:
                return msgspec.convert(before, CreatedCards)
        fresh = _fresh(checked, await equal_cards(account_id, deck_id, checked))
        new = [card for card, other in fresh if other is None]
        await room_for_cards(account_id, deck_id, len(new), limits)
        ids = dict(zip((card.place for card in new), await insert_cards(account_id, deck_id, new, now), strict=True))
        for card, other in fresh:
            made = ids.get(card.place)
            outcomes[card.place] = CardOutcome(
                index=card.place - 1,
                outcome=Outcome.EXISTS if made is None else Outcome.CREATED,
                card_id=made or (other if isinstance(other, int) else ids.get(other.place) if other else None),
                notes=outcomes[card.place].notes,
            )
        done = CreatedCards(deck_id, title, tuple(outcomes[place] for place in sorted(outcomes)))
        if key is not None:
            await idempotency.finish(account_id, _KEY_SCOPE, key, done)
    return done


async def import_rows(
    account_id: int,
    rows: Sequence[ParsedRow],
    *,
    deck_id: int | None = None,
    deck_title: str | None = None,
    collection_id: int | None = None,
    limits: Limits,
    now: datetime,
) -> ImportedRows:
    """Make the cards of a text in one deck, named by id, or by a title that is reused or made (in the collection).

    A row equal to a card of the deck or to a row before it is left out and named. What is over a limit fails whole.
    Raises `InvalidInput`, `NotFound`, `DeckLimitExceeded`, `DeckCardLimitExceeded`, `PlanRequired`.
    """
    if (deck_id is None) == (deck_title is None):
        raise InvalidInput(
            N_("An import names its deck either by deckId or by title."), N_("Give exactly one of the two.")
        )
    if deck_id is not None and collection_id is not None:
        raise InvalidInput(
            N_("A collection goes with the title of a new deck."), N_("Leave collectionId out."), field="collectionId"
        )
    title = clean_title(deck_title) if deck_title is not None else ""
    checked = [_of_row(row) for row in rows]
    async with atomic():
        await lock_writes(account_id)
        if collection_id is not None:
            await own_collection(account_id, collection_id)
        made_deck = False
        if deck_id is None:
            deck_id = await deck_of_title(account_id, title_key(title))
        if deck_id is None:
            await room_for_deck(account_id, limits)
            deck_id = await insert_deck(account_id, title, now, collection_id=collection_id)
            made_deck = True
        else:
            title = (await live_deck(account_id, deck_id))["title"]
        fresh = _fresh(checked, await equal_cards(account_id, deck_id, checked))
        new = [card for card, other in fresh if other is None]
        await room_for_cards(account_id, deck_id, len(new), limits)
        ids = await insert_cards(account_id, deck_id, new, now)
    left_out = [
        RowLeftOut(card.place, card_id=other)
        if isinstance(other, int)
        else RowLeftOut(card.place, like_line=other.place)
        for card, other in fresh
        if other is not None
    ]
    return ImportedRows(deck_id, title, made_deck, ids, tuple(left_out))


def _checked(cards: Sequence[NewCard | InvalidInput]) -> tuple[list[CheckedCard], dict[int, CardOutcome]]:
    """The cards that pass, and by their place the outcomes: of the others why not, of these what was changed."""
    checked: list[CheckedCard] = []
    outcomes: dict[int, CardOutcome] = {}
    for place, card in enumerate(cards, 1):
        try:
            if isinstance(card, InvalidInput):
                raise card
            text, notes = card_text(
                front=card.front, back=card.back, front_rich=card.front_rich, back_rich=card.back_rich, tags=card.tags
            )
        except InvalidInput as error:
            outcomes[place] = CardOutcome(place - 1, Outcome.REJECTED, reason=str(error))
            continue
        outcomes[place] = CardOutcome(place - 1, Outcome.CREATED, notes=notes)
        checked.append(CheckedCard(place, text, card_key(text.front, text.back)))
    return checked, outcomes


def _fresh(
    checked: Sequence[CheckedCard], stored: dict[bytes, int]
) -> list[tuple[CheckedCard, int | CheckedCard | None]]:
    """Each card with the stored card (its id) or the earlier card that it equals; None for one to make."""
    first: dict[bytes, CheckedCard] = {}
    found: list[tuple[CheckedCard, int | CheckedCard | None]] = []
    for card in checked:
        before = first.setdefault(card.key, card)
        found.append((card, stored.get(card.key) or (None if before is card else before)))
    return found


def _of_row(row: ParsedRow) -> CheckedCard:
    text = CardText(row.front, row.back, row.front_rich, row.back_rich, row.tags)
    return CheckedCard(row.line, text, card_key(row.front, row.back), row.language, row.source_title)


def _fields(card: NewCard) -> list[object]:
    return [card.front, card.back, card.front_rich, card.back_rich, list(card.tags)]
