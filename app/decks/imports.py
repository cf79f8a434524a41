"""Making cards: many at once from a client, or one by hand."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from app.core.db import atomic
from app.decks.changes import NewCard
from app.decks.inserts import CheckedCard, equal_cards, insert_cards
from app.decks.limits import Limits, room_for_cards, room_for_deck
from app.decks.rows import deck_of_title, insert_deck, live_deck, lock_writes
from app.decks.views import ImportResult
from app.domain.cards import (
    CARDS_PER_CALL_MAX,
    card_key,
    card_text,
    clean_language,
    clean_source_title,
    clean_title,
    title_key,
)
from app.domain.errors import N_, Conflict, InvalidInput


async def import_cards(
    account_id: int,
    cards: Sequence[NewCard],
    *,
    deck_id: int | None = None,
    deck_title: str | None = None,
    language: str | None = None,
    source_title: str | None = None,
    limits: Limits,
    now: datetime,
) -> ImportResult:
    """Make up to 100 cards in a deck that is named by id, or by a title that is reused or made.

    All or nothing: the first card that breaks a rule is named by its place (from 1), nothing is written. A card equal
    to another of deck or call is skipped, counted and named in the warnings, so a call that is repeated because its
    answer was lost makes nothing twice. Only cards that are really new count against the limits.
    Raises `InvalidInput`, `NotFound`, `DeckLimitExceeded`, `DeckCardLimitExceeded`, `PlanRequired`.
    """
    if (deck_id is None) == (deck_title is None):
        raise InvalidInput(
            N_("A call names its deck either by deckId or by deckTitle."), N_("Give exactly one of the two.")
        )
    if not 1 <= len(cards) <= CARDS_PER_CALL_MAX:
        raise InvalidInput(
            N_("A call brings from 1 to %(max)d cards; this one brings %(count)d."),
            N_("Split a longer list over several calls."),
            field="cards",
            max=CARDS_PER_CALL_MAX,
            count=len(cards),
        )
    title = clean_title(deck_title, "deckTitle") if deck_title is not None else ""
    tongue, source = clean_language(language), clean_source_title(source_title)
    checked, warnings = _checked(cards, tongue, source)
    async with atomic():
        await lock_writes(account_id)
        if deck_id is None:
            deck_id = await deck_of_title(account_id, title_key(title))
        if deck_id is None:
            await room_for_deck(account_id, limits)
            deck_id = await insert_deck(account_id, title, now, language=tongue)
        else:
            title = (await live_deck(account_id, deck_id))["title"]
        fresh, skipped = _without_equals(checked, await equal_cards(account_id, deck_id, checked))
        await room_for_cards(account_id, deck_id, len(fresh), limits)
        ids = await insert_cards(account_id, deck_id, fresh, now)
    return ImportResult(deck_id, title, ids, len(skipped), (*warnings, *skipped))


async def add_card(
    account_id: int,
    card: NewCard,
    *,
    deck_id: int,
    language: str | None = None,
    source_title: str | None = None,
    limits: Limits,
    now: datetime,
) -> int:
    """Make one card and give its id.

    Raises `InvalidInput` with the field, `NotFound`, `Conflict` for a card equal to one of the deck,
    `DeckCardLimitExceeded`, `PlanRequired`.
    """
    text, _ = card_text(
        front=card.front, back=card.back, front_rich=card.front_rich, back_rich=card.back_rich, tags=card.tags
    )
    key = card_key(text.front, text.back)
    made = CheckedCard(1, text, key, clean_language(language), clean_source_title(source_title))
    async with atomic():
        await lock_writes(account_id)
        await live_deck(account_id, deck_id)
        equal = await equal_cards(account_id, deck_id, [made])
        if equal:
            raise Conflict(
                N_("Card %(card_id)s of this deck has the same front and back."),
                N_("Change that card, or give this one another front or back."),
                card_id=equal[made.key],
            )
        await room_for_cards(account_id, deck_id, 1, limits)
        return (await insert_cards(account_id, deck_id, [made], now))[0]


def _checked(
    cards: Sequence[NewCard], language: str | None, source_title: str | None
) -> tuple[list[CheckedCard], list[str]]:
    checked: list[CheckedCard] = []
    warnings: list[str] = []
    for place, card in enumerate(cards, 1):
        try:
            text, notes = card_text(
                front=card.front, back=card.back, front_rich=card.front_rich, back_rich=card.back_rich, tags=card.tags
            )
        except InvalidInput as error:
            raise InvalidInput(
                f"Card %(card)d: {error.message}",
                f"{error.hint} Nothing was imported.",
                field=error.field,
                card=place,
                **error.params,
            ) from None
        checked.append(CheckedCard(place, text, card_key(text.front, text.back), language, source_title))
        warnings += [f"Card {place}: {note}" for note in notes]
    return checked, warnings


def _without_equals(checked: Sequence[CheckedCard], stored: dict[bytes, int]) -> tuple[list[CheckedCard], list[str]]:
    """The cards to insert, and a warning for each of the others."""
    fresh: dict[bytes, CheckedCard] = {}
    skipped: list[str] = []
    for card in checked:
        if card.key in stored:
            skipped.append(f"Card {card.place}: skipped, card {stored[card.key]} of this deck is equal.")
        elif card.key in fresh:
            skipped.append(f"Card {card.place}: skipped, equal to card {fresh[card.key].place} of this call.")
        else:
            fresh[card.key] = card
    return list(fresh.values()), skipped
