"""How much an account and a deck may hold. The checks run under the account's lock, so what they read stays true."""

from __future__ import annotations

from dataclasses import dataclass

from app.core.db import fetch_row, fetch_value
from app.domain.errors import N_, DeckCardLimitExceeded, DeckLimitExceeded, PlanRequired
from app.domain.plans import PlanLimits


@dataclass(frozen=True, slots=True)
class Limits:
    """The figures that hold for an account: those of its plan, and the cards that one deck may have."""

    plan_limits: PlanLimits
    deck_card_cap: int


async def room_for_deck(account_id: int, limits: Limits) -> None:
    """Raise `DeckLimitExceeded` unless the account may have one more live deck."""
    used = await fetch_value("SELECT count(*) FROM deck WHERE account_id = $1 AND deleted_at IS NULL", account_id)
    if used >= limits.plan_limits.decks:
        raise DeckLimitExceeded(
            N_("The plan allows %(limit)s decks and %(used)s are in use."),
            N_("Delete a deck that is no longer needed, or move to a plan that holds more."),
            limit=limits.plan_limits.decks,
            used=used,
        )


async def room_for_cards(
    account_id: int, deck_id: int, added: int, limits: Limits, *, new_to_account: bool = True
) -> None:
    """Raise unless the deck, and the account where cards are `new_to_account`, have room for `added` more live cards.

    `DeckCardLimitExceeded` for the deck, `PlanRequired` for the account. Always fine for none.
    """
    if added == 0:
        return
    row = await fetch_row(
        "SELECT coalesce(sum(cards), 0)::bigint AS in_account, "
        "coalesce(sum(cards) FILTER (WHERE deck_id = $2), 0)::bigint AS in_deck FROM deck_count WHERE account_id = $1",
        account_id,
        deck_id,
    )
    in_account, in_deck = (row["in_account"], row["in_deck"]) if row else (0, 0)
    if in_deck + added > limits.deck_card_cap:
        raise DeckCardLimitExceeded(
            N_("A deck holds at most %(limit)s cards; this one has %(used)s and %(added)s more do not fit."),
            N_("Put them into another deck, or split the deck. Nothing was changed."),
            limit=limits.deck_card_cap,
            used=in_deck,
            added=added,
        )
    if new_to_account and in_account + added > limits.plan_limits.cards:
        raise PlanRequired(
            N_("The plan allows %(limit)s cards; %(used)s are in use and %(added)s more do not fit."),
            N_("Delete cards that are no longer needed, or move to a plan that holds more. Nothing was changed."),
            limit=limits.plan_limits.cards,
            used=in_account,
            added=added,
        )
