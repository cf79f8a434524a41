"""Cards made from notes: they remember the note, its heading and its lines, and are marked when those change."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from app.core.db import atomic, changed_rows, execute, fetch, fetch_row
from app.decks.changes import NewCard
from app.decks.imports import add_card
from app.decks.limits import Limits
from app.decks.rows import lock_writes, no_such_card, possible
from app.domain.cards import SOURCE_TITLE_MAX, TAG_MAX, TAGS_MAX
from app.domain.errors import Conflict
from app.domain.note_cards import FoundCard
from app.domain.note_paths import title_of
from app.domain.notes import tags_of
from app.notes.rows import current_of
from app.notes.views import SourceOfCard


async def cards_from_note(
    account_id: int, note_id: int, found: Sequence[FoundCard], *, deck_id: int, limits: Limits, now: datetime
) -> tuple[tuple[int, ...], int]:
    """Make cards of a note's lines in a deck; the ids of the new ones, and how many were in the deck already.

    All or nothing. Raises `NotFound`, `InvalidInput`, `DeckCardLimitExceeded`, `PlanRequired`.
    """
    made: list[int] = []
    async with atomic():
        await lock_writes(account_id)
        note = await current_of(account_id, note_id)
        tags = [tag for tag in tags_of(note.text) if len(tag) <= TAG_MAX][:TAGS_MAX]
        for card in found:
            try:
                card_id = await add_card(
                    account_id,
                    NewCard(front=card.front, back=card.back, tags=tags),
                    deck_id=deck_id,
                    source_title=title_of(note.path)[:SOURCE_TITLE_MAX],
                    limits=limits,
                    now=now,
                )
            except Conflict:
                continue
            await execute(
                "INSERT INTO note_card (account_id, card_id, note_id, heading, source, to_review) "
                "VALUES ($1, $2, $3, $4, $5, false)",
                account_id,
                card_id,
                note_id,
                card.heading,
                card.source,
            )
            made.append(card_id)
    return tuple(made), len(found) - len(made)


async def mark_checked(account_id: int, card_id: int) -> None:
    """The person has looked at a card whose lines changed; those lines are no longer watched. Raises `NotFound`."""
    done = (
        await execute(
            "UPDATE note_card SET to_review = false, source = '' WHERE account_id = $1 AND card_id = $2",
            account_id,
            card_id,
        )
        if possible(card_id)
        else "UPDATE 0"
    )
    if changed_rows(done) == 0:
        raise no_such_card()


_SOURCE = """
SELECT made.card_id, made.note_id, note.path, made.heading, made.to_review
  FROM note_card AS made JOIN note ON note.account_id = made.account_id AND note.id = made.note_id
"""


async def source_of_card(account_id: int, card_id: int) -> SourceOfCard | None:
    """Where a card came from; None for one that was made by itself, and one whose note is deleted."""
    row = await fetch_row(
        _SOURCE + " WHERE made.account_id = $1 AND made.card_id = $2 AND note.deleted_at IS NULL", account_id, card_id
    )
    return SourceOfCard(*row.values()) if row else None


async def cards_of_note(account_id: int, note_id: int) -> tuple[SourceOfCard, ...]:
    """The live cards that were made from a note, those to review first."""
    rows = await fetch(
        _SOURCE + " JOIN card ON card.account_id = made.account_id AND card.id = made.card_id "
        "WHERE made.account_id = $1 AND made.note_id = $2 AND card.deleted_at IS NULL "
        "ORDER BY made.to_review DESC, made.card_id LIMIT 500",
        account_id,
        note_id,
    )
    return tuple(SourceOfCard(*row.values()) for row in rows)
