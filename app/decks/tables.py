"""Rows of the decks area.

The primary keys are (account_id, id), see the migrations; ids come from one sequence for each table.
"""

from __future__ import annotations

from piccolo.columns import (
    Array,
    BigInt,
    BigSerial,
    Boolean,
    Bytea,
    DoublePrecision,
    Integer,
    SmallInt,
    Text,
    Timestamptz,
)
from piccolo.table import Table

from app.core.db import DB


class Collection(Table, tablename="collection", db=DB):
    """A shelf that decks stand on."""

    id = BigSerial(primary_key=True)
    account_id = BigInt()
    title = Text()
    title_key = Text(help_text="Compared form of the title; unique in the account")
    created_at = Timestamptz()
    updated_at = Timestamptz()


class Deck(Table, tablename="deck", db=DB):
    """A deck of cards; deleted softly."""

    id = BigSerial(primary_key=True)
    account_id = BigInt()
    collection_id = BigInt(null=True, default=None)
    title = Text()
    title_key = Text(help_text="Compared form of the title (NFKC, case folded, trimmed)")
    description = Text(default="")
    language = Text(null=True, default=None)
    created_at = Timestamptz()
    updated_at = Timestamptz()
    deleted_at = Timestamptz(null=True, default=None)


class DeckCount(Table, tablename="deck_count", db=DB):
    """How many live cards a deck has and how many of them are new; kept by a trigger on card_schedule."""

    account_id = BigInt()
    deck_id = BigInt(primary_key=True)
    cards = Integer(default=0)
    new_cards = Integer(default=0)


class Card(Table, tablename="card", db=DB):
    """The text of a card."""

    id = BigSerial(primary_key=True)
    account_id = BigInt()
    deck_id = BigInt()
    front = Text()
    back = Text()
    front_rich = Text(null=True, default=None)
    back_rich = Text(null=True, default=None)
    tags = Array(base_column=Text())
    language = Text(null=True, default=None)
    source_title = Text(null=True, default=None)
    card_key = Bytea(help_text="Digest of the normalised sides; unique among the live cards of a deck")
    search_text = Text(help_text="Normalised front, back and tags")
    grams = Array(base_column=Integer(), help_text="Hashed letter pairs of search_text")
    version = Integer(default=1)
    created_at = Timestamptz()
    updated_at = Timestamptz()
    deleted_at = Timestamptz(null=True, default=None)
    deleted_with_deck = Boolean(default=False, help_text="Went with its deck, so it comes back with it")


class CardSchedule(Table, tablename="card_schedule", db=DB):
    """When a question is due: a narrow row apart from the text, so that a review never rewrites text or its index.

    A plain card is one question (ordinal 0), a cloze card one for each of its numbers. The key is (account_id, card_id,
    ordinal). The database derives one more column, `active`: live, neither gone nor suspended.
    """

    account_id = BigInt()
    card_id = BigInt(primary_key=True)
    ordinal = SmallInt(default=0, help_text="0 front to back, else the number of the cloze")
    deck_id = BigInt()
    live = Boolean(default=True, help_text="Whether the card is not deleted")
    lead = Boolean(default=True, help_text="Whether it stands for its card where cards are counted: one of a card")
    gone = Boolean(default=False, help_text="Whether the text has lost this cloze; its memory waits for its return")
    suspended = Boolean(default=False)
    buried_until = Timestamptz(null=True, default=None)
    flag = SmallInt(default=0, help_text="0 none, 1-7 as the person likes")
    leech = Boolean(default=False, help_text="Forgotten so often that its text is worth a change")
    state = SmallInt(default=0, help_text="0 new, 1 learning, 2 review, 3 relearning")
    step = SmallInt(null=True, default=None)
    due = Timestamptz(null=True, default=None)
    stability = DoublePrecision(null=True, default=None, help_text="Days")
    difficulty = DoublePrecision(null=True, default=None)
    last_review = Timestamptz(null=True, default=None)
    reps = Integer(default=0)
    lapses = Integer(default=0)
