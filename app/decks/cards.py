"""Changing one card. Its schedule stays as it is, wherever the card goes."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import datetime
from typing import Any

from msgspec import UNSET

from app.core.db import atomic, execute
from app.decks import queries
from app.decks.changes import CardChanges
from app.decks.limits import Limits, room_for_cards
from app.decks.rows import live_deck, lock_writes, move_schedules, refuse_equals, touch_decks
from app.decks.siblings import follow_text
from app.decks.views import CardView, UpdatedCard
from app.domain.cards import (
    BACK_MAX,
    BACK_RICH_MAX,
    FRONT_MAX,
    FRONT_RICH_MAX,
    CardText,
    card_key,
    clean_rich,
    clean_tags,
    clean_text,
    search_document,
)
from app.domain.errors import N_, Conflict
from app.domain.search_text import grams


async def update_card(
    account_id: int,
    card_id: int,
    changes: CardChanges,
    *,
    expected_version: int | None = None,
    limits: Limits,
    now: datetime,
) -> UpdatedCard:
    """Change a live card's text, tags or deck; its schedule stays. What is equal already changes nothing.

    A side whose text changes loses its formatted form unless a new one is given, so that no screen shows the old text;
    a warning says so. Raises `InvalidInput`, `NotFound` for card or deck, `Conflict` when the card's version is not
    `expected_version` or the deck has an equal card, `DeckCardLimitExceeded`.
    """
    cleaned, warnings = _cleaned(changes)
    async with atomic():
        await lock_writes(account_id)
        old = await queries.card(account_id, card_id)
        if expected_version is not None and old.version != expected_version:
            raise Conflict(
                N_("The card is at version %(version)d now; the change was made for version %(expected)d."),
                N_("Read the card again, then change what it says now."),
                version=old.version,
                expected=expected_version,
            )
        text, dropped = _changed_text(old, cleaned)
        deck_id = old.deck_id if changes.deck_id is UNSET else changes.deck_id
        if deck_id != old.deck_id:
            await live_deck(account_id, deck_id)
        if text == _text_of(old) and deck_id == old.deck_id:
            return _with_warnings(old, warnings)
        key = card_key(text.front, text.back)
        await refuse_equals(account_id, deck_id, {card_id: key})
        if deck_id != old.deck_id:
            await room_for_cards(account_id, deck_id, 1, limits, new_to_account=False)
            await move_schedules(account_id, [card_id], deck_id)
        document = search_document(text.front, text.back, text.tags)
        await execute(
            "UPDATE card SET deck_id = $3, front = $4, back = $5, front_rich = $6, back_rich = $7, tags = $8, "
            "card_key = $9, search_text = $10, grams = $11, version = version + 1, updated_at = $12 "
            "WHERE account_id = $1 AND id = $2",
            account_id,
            card_id,
            deck_id,
            text.front,
            text.back,
            text.front_rich,
            text.back_rich,
            text.tags,
            key,
            document,
            grams(account_id, document),
            now,
        )
        if text.front != old.front:
            await follow_text(account_id, card_id, deck_id, text.front)
        await touch_decks(account_id, {old.deck_id, deck_id}, now)
        return _with_warnings(await queries.card(account_id, card_id), (*warnings, *dropped))


def _cleaned(changes: CardChanges) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The given fields of text, cleaned, and what the cleaning changed. Raises `InvalidInput`."""
    cleaned: dict[str, Any] = {}
    warnings: tuple[str, ...] = ()
    if changes.front is not UNSET:
        cleaned["front"] = clean_text(changes.front, "front", FRONT_MAX)
    if changes.back is not UNSET:
        cleaned["back"] = clean_text(changes.back, "back", BACK_MAX)
    if changes.front_rich is not UNSET:
        cleaned["front_rich"], notes = clean_rich(changes.front_rich, "frontRich", FRONT_RICH_MAX)
        warnings += notes
    if changes.back_rich is not UNSET:
        cleaned["back_rich"], notes = clean_rich(changes.back_rich, "backRich", BACK_RICH_MAX)
        warnings += notes
    if changes.tags is not UNSET:
        cleaned["tags"], notes = clean_tags(changes.tags)
        warnings += notes
    return cleaned, warnings


def _text_of(card: CardView) -> CardText:
    return CardText(card.front, card.back, card.front_rich, card.back_rich, card.tags)


def _changed_text(old: CardView, cleaned: dict[str, Any]) -> tuple[CardText, tuple[str, ...]]:
    """The text after the change, and a warning for each formatted side that had to go because its text changed."""
    text = replace(_text_of(old), **cleaned)
    warnings: tuple[str, ...] = ()
    if text.front != old.front and old.front_rich and "front_rich" not in cleaned:
        text = replace(text, front_rich=None)
        warnings += ("removed frontRich, which showed the old front; send a new one to format the card again.",)
    if text.back != old.back and old.back_rich and "back_rich" not in cleaned:
        text = replace(text, back_rich=None)
        warnings += ("removed backRich, which showed the old back; send a new one to format the card again.",)
    return text, warnings


def _with_warnings(card: CardView, warnings: tuple[str, ...]) -> UpdatedCard:
    return UpdatedCard(**{field.name: getattr(card, field.name) for field in fields(card)}, warnings=warnings)
