"""The questions of a card: one for a plain card, one for each number of a cloze, each with a schedule of its own."""

from __future__ import annotations

from app.core.db import execute
from app.domain.cloze import cloze_numbers

PLAIN = (0,)


def ordinals_of(front: str) -> tuple[int, ...]:
    """The ordinals of a card's questions, by its front: the numbers of its clozes, or 0 alone."""
    return cloze_numbers(front) or PLAIN


async def follow_text(account_id: int, card_id: int, deck_id: int, front: str) -> None:
    """Make the questions those of the text. One that the text has lost keeps its memory until it returns."""
    ordinals = ordinals_of(front)
    await execute(
        "UPDATE card_schedule SET gone = true, lead = false "
        "WHERE account_id = $1 AND card_id = $2 AND ordinal <> ALL ($3::smallint[]) AND NOT gone",
        account_id,
        card_id,
        ordinals,
    )
    await execute(
        "INSERT INTO card_schedule AS s (account_id, card_id, deck_id, ordinal, lead) "
        "SELECT $1, $2, $3, ordinal, ordinal = $5 FROM unnest($4::smallint[]) AS wanted (ordinal) "
        "ON CONFLICT (account_id, card_id, ordinal) DO UPDATE SET gone = false, lead = excluded.lead "
        "WHERE s.gone OR s.lead <> excluded.lead",
        account_id,
        card_id,
        deck_id,
        ordinals,
        min(ordinals),
    )
