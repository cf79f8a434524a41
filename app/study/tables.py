"""Rows of the study area. Primary keys are (account_id, id)."""

from __future__ import annotations

from piccolo.columns import JSONB, BigInt, BigSerial, DoublePrecision, Integer, SmallInt, Timestamptz
from piccolo.table import Table

from app.core.db import DB


class Review(Table, tablename="review", db=DB):
    """One answer of a card. `before` is the schedule row as it was, so that undo gives back exactly that."""

    id = BigSerial(primary_key=True)
    account_id = BigInt()
    card_id = BigInt()
    deck_id = BigInt()
    rep = Integer(help_text="How often the card had been answered before: one answer per (card, rep)")
    rating = SmallInt(help_text="1 again, 2 hard, 3 good, 4 easy")
    reviewed_at = Timestamptz()
    elapsed_ms = Integer(null=True, default=None, help_text="Time to answer, at most 60,000")
    before = JSONB()
    state_before = SmallInt()
    due = Timestamptz(help_text="When the answer made the card due")
    interval_days = DoublePrecision(
        help_text="Whole study days for a card in review, else the part of a day of its step"
    )
    stability = DoublePrecision()
    difficulty = DoublePrecision()
