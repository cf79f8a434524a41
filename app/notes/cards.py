"""Cards made from notes: they remember the note, its heading and its lines, and are marked when those change."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime

from app.core.db import atomic, changed_rows, execute, fetch, fetch_row
from app.decks.changes import NewCard
from app.decks.imports import add_card
from app.decks.limits import Limits
from app.decks.rows import lock_writes, no_such_card, possible
from app.domain.cards import SOURCE_TITLE_MAX, TAG_MAX, TAGS_MAX
from app.domain.errors import Conflict
from app.domain.note_cards import FoundCard, lines_for
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


_WATCHED = """
SELECT made.heading, made.source, card.front, card.back, note.version, note.deleted_at, stored.body
  FROM note_card AS made
  JOIN card ON card.account_id = made.account_id AND card.id = made.card_id
  JOIN note ON note.account_id = made.account_id AND note.id = made.note_id
  JOIN note_version AS stored
    ON stored.account_id = note.account_id AND stored.note_id = note.id AND stored.version = note.version
 WHERE made.account_id = $1 AND made.card_id = $2
"""


async def mark_checked(account_id: int, card_id: int) -> None:
    """The person has looked at a card whose lines changed: from now on it is watched by the lines of today.

    Raises `NotFound`.
    """
    while True:
        row = await fetch_row(_WATCHED, account_id, card_id) if possible(card_id) else None
        if row is None:
            raise no_such_card()
        source = row["source"]
        if row["deleted_at"] is None:
            about = {name: row[name] for name in ("source", "heading", "front", "back")}
            source = await asyncio.to_thread(lines_for, row["body"], **about)
        async with atomic():
            await lock_writes(account_id)  # a note that changes now marks the card after this, or has before
            done = await execute(
                "UPDATE note_card AS made SET to_review = false, source = $3 FROM note "
                "WHERE made.account_id = $1 AND made.card_id = $2 "
                "AND note.account_id = made.account_id AND note.id = made.note_id AND note.version = $4",
                account_id,
                card_id,
                source,
                row["version"],
            )
        if changed_rows(done):
            return


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
