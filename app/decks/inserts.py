"""Checked cards on their way into a deck: which of them it has already, and the statement that inserts the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from app.core.db import fetch
from app.decks.rows import touch_decks
from app.decks.siblings import ordinals_of
from app.domain.cards import CardText, search_document
from app.domain.search_text import grams


@dataclass(frozen=True, slots=True)
class CheckedCard:
    """A card of a call that passed every rule; `place` counts from 1."""

    place: int
    text: CardText
    key: bytes
    language: str | None = None
    source_title: str | None = None
    created_at: datetime | None = None
    """When it was made elsewhere; None: with its insertion."""
    updated_at: datetime | None = None


async def equal_cards(account_id: int, deck_id: int, checked: Sequence[CheckedCard]) -> dict[bytes, int]:
    """Ids of the deck's live cards that are equal to some of these, by their key."""
    rows = await fetch(
        "SELECT card_key, id FROM card "
        "WHERE account_id = $1 AND deck_id = $2 AND card_key = ANY ($3::bytea[]) AND deleted_at IS NULL",
        account_id,
        deck_id,
        [card.key for card in checked],
    )
    return {row["card_key"]: row["id"] for row in rows}


# Arrays of arrays cannot be ragged, so each row's tags and grams travel as the text of an array.
_INSERT = """
WITH made AS (
  INSERT INTO card (account_id, deck_id, created_at, updated_at, language, source_title,
                    front, back, front_rich, back_rich, card_key, search_text, tags, grams)
  SELECT $1, $2, coalesce(made_at, $3), coalesce(changed_at, made_at, $3), language, source_title,
         front, back, front_rich, back_rich, card_key, search_text, tags::text[], grams::int[]
    FROM unnest($4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::bytea[], $11::text[],
                $12::text[], $13::text[], $17::timestamptz[], $18::timestamptz[])
         WITH ORDINALITY AS sent (language, source_title, front, back, front_rich, back_rich, card_key, search_text,
                                  tags, grams, made_at, changed_at, place)
   ORDER BY place
  RETURNING id
)
INSERT INTO card_schedule (account_id, card_id, deck_id, ordinal, lead)
SELECT $1, numbered.id, $2, question.ordinal, question.lead
  FROM (SELECT id, row_number() OVER (ORDER BY id) AS place FROM made) AS numbered
  JOIN unnest($14::int[], $15::smallint[], $16::boolean[]) AS question (place, ordinal, lead) USING (place)
RETURNING card_id
"""


async def insert_cards(account_id: int, deck_id: int, fresh: Sequence[CheckedCard], now: datetime) -> tuple[int, ...]:
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
        now,
        [card.language for card in fresh],
        [card.source_title for card in fresh],
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
        [card.created_at for card in fresh],
        [card.updated_at for card in fresh],
    )
    await touch_decks(account_id, [deck_id], now)
    return tuple(sorted({row["card_id"] for row in rows}))


def _text_array(texts: Sequence[str]) -> str:
    """PostgreSQL's text form of an array, every element quoted."""
    quoted = (text.replace("\\", "\\\\").replace('"', '\\"') for text in texts)
    return "{" + ",".join(f'"{text}"' for text in quoted) + "}"
