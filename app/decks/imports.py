"""Making cards: many at once from a client, or one by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from app.core.db import atomic, fetch
from app.decks.changes import NewCard
from app.decks.limits import Limits, room_for_cards, room_for_deck
from app.decks.rows import deck_of_title, insert_deck, live_deck, lock_writes, touch_decks
from app.decks.siblings import ordinals_of
from app.decks.views import ImportResult
from app.domain.cards import (
    CARDS_PER_CALL_MAX,
    CardText,
    card_key,
    card_text,
    clean_language,
    clean_source_title,
    clean_title,
    search_document,
    title_key,
)
from app.domain.errors import N_, Conflict, InvalidInput
from app.domain.search_text import grams


@dataclass(frozen=True, slots=True)
class _Checked:
    """A card of the call that passed every rule; `place` counts from 1."""

    place: int
    text: CardText
    key: bytes


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
    checked, warnings = _checked(cards)
    async with atomic():
        await lock_writes(account_id)
        if deck_id is None:
            deck_id = await deck_of_title(account_id, title_key(title))
        if deck_id is None:
            await room_for_deck(account_id, limits)
            deck_id = await insert_deck(account_id, title, now, language=tongue)
        else:
            title = (await live_deck(account_id, deck_id))["title"]
        fresh, skipped = _without_equals(checked, await _equal_cards(account_id, deck_id, checked))
        await room_for_cards(account_id, deck_id, len(fresh), limits)
        ids = await _insert(account_id, deck_id, fresh, tongue, source, now)
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
    made = _Checked(1, text, card_key(text.front, text.back))
    tongue, source = clean_language(language), clean_source_title(source_title)
    async with atomic():
        await lock_writes(account_id)
        await live_deck(account_id, deck_id)
        equal = await _equal_cards(account_id, deck_id, [made])
        if equal:
            raise Conflict(
                N_("Card %(card_id)s of this deck has the same front and back."),
                N_("Change that card, or give this one another front or back."),
                card_id=equal[made.key],
            )
        await room_for_cards(account_id, deck_id, 1, limits)
        return (await _insert(account_id, deck_id, [made], tongue, source, now))[0]


def _checked(cards: Sequence[NewCard]) -> tuple[list[_Checked], list[str]]:
    checked: list[_Checked] = []
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
        checked.append(_Checked(place, text, card_key(text.front, text.back)))
        warnings += [f"Card {place}: {note}" for note in notes]
    return checked, warnings


async def _equal_cards(account_id: int, deck_id: int, checked: Sequence[_Checked]) -> dict[bytes, int]:
    """Ids of the deck's live cards that are equal to some of these, by their key."""
    rows = await fetch(
        "SELECT card_key, id FROM card "
        "WHERE account_id = $1 AND deck_id = $2 AND card_key = ANY ($3::bytea[]) AND deleted_at IS NULL",
        account_id,
        deck_id,
        [card.key for card in checked],
    )
    return {row["card_key"]: row["id"] for row in rows}


def _without_equals(checked: Sequence[_Checked], stored: dict[bytes, int]) -> tuple[list[_Checked], list[str]]:
    """The cards to insert, and a warning for each of the others."""
    fresh: dict[bytes, _Checked] = {}
    skipped: list[str] = []
    for card in checked:
        if card.key in stored:
            skipped.append(f"Card {card.place}: skipped, card {stored[card.key]} of this deck is equal.")
        elif card.key in fresh:
            skipped.append(f"Card {card.place}: skipped, equal to card {fresh[card.key].place} of this call.")
        else:
            fresh[card.key] = card
    return list(fresh.values()), skipped


# Arrays of arrays cannot be ragged, so each row's tags and grams travel as the text of an array.
_INSERT = """
WITH made AS (
  INSERT INTO card (account_id, deck_id, language, source_title, created_at, updated_at,
                    front, back, front_rich, back_rich, card_key, search_text, tags, grams)
  SELECT $1, $2, $3, $4, $5, $5, front, back, front_rich, back_rich, card_key, search_text, tags::text[], grams::int[]
    FROM unnest($6::text[], $7::text[], $8::text[], $9::text[], $10::bytea[], $11::text[], $12::text[], $13::text[])
         WITH ORDINALITY AS sent (front, back, front_rich, back_rich, card_key, search_text, tags, grams, place)
   ORDER BY place
  RETURNING id
)
INSERT INTO card_schedule (account_id, card_id, deck_id, ordinal, lead)
SELECT $1, numbered.id, $2, question.ordinal, question.lead
  FROM (SELECT id, row_number() OVER (ORDER BY id) AS place FROM made) AS numbered
  JOIN unnest($14::int[], $15::smallint[], $16::boolean[]) AS question (place, ordinal, lead) USING (place)
RETURNING card_id
"""


async def _insert(
    account_id: int, deck_id: int, fresh: Sequence[_Checked], language: str | None, source: str | None, now: datetime
) -> tuple[int, ...]:
    """Insert the cards with their schedules in one statement; ids in the order of the cards."""
    if not fresh:
        return ()
    documents = [search_document(card.text.front, card.text.back, card.text.tags) for card in fresh]
    ordinals = [ordinals_of(card.text.front) for card in fresh]
    asked = [(place, ordinal, ordinal == min(own)) for place, own in enumerate(ordinals, 1) for ordinal in own]
    rows = await fetch(
        _INSERT,
        account_id,
        deck_id,
        language,
        source,
        now,
        [card.text.front for card in fresh],
        [card.text.back for card in fresh],
        [card.text.front_rich for card in fresh],
        [card.text.back_rich for card in fresh],
        [card.key for card in fresh],
        documents,
        [_text_array(card.text.tags) for card in fresh],
        ["{" + ",".join(map(str, grams(account_id, document))) + "}" for document in documents],
        [place for place, _, _ in asked],
        [ordinal for _, ordinal, _ in asked],
        [lead for _, _, lead in asked],
    )
    await touch_decks(account_id, [deck_id], now)
    return tuple(sorted({row["card_id"] for row in rows}))


def _text_array(texts: Sequence[str]) -> str:
    """PostgreSQL's text form of an array, every element quoted."""
    quoted = (text.replace("\\", "\\\\").replace('"', '\\"') for text in texts)
    return "{" + ",".join(f'"{text}"' for text in quoted) + "}"
