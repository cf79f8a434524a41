"""Rows of the study area. Primary keys are (account_id, id)."""

from __future__ import annotations

from piccolo.columns import (
    JSONB,
    Array,
    BigInt,
    BigSerial,
    Boolean,
    DoublePrecision,
    Integer,
    SmallInt,
    Text,
    Timestamptz,
)
from piccolo.table import Table

from app.core.db import DB


class Review(Table, tablename="review", db=DB):
    """One answer that moved a schedule. `before` is the schedule row as it was, which undo gives back."""

    id = BigSerial(primary_key=True)
    account_id = BigInt()
    card_id = BigInt()
    ordinal = SmallInt(default=0, help_text="Which question of the card, as in its schedule")
    deck_id = BigInt()
    rep = Integer(help_text="How often the question had been answered before: one answer per (card, ordinal, rep)")
    rating = SmallInt(help_text="1 again, 2 hard, 3 good, 4 easy")
    reviewed_at = Timestamptz()
    elapsed_ms = Integer(null=True, default=None, help_text="Time to answer, at most 60,000")
    before = JSONB()
    state_before = SmallInt()
    last_interval_days = DoublePrecision(
        null=True,
        default=None,
        help_text="interval_days of the answer before this one, filled by a trigger unless given; NULL on the first",
    )
    due = Timestamptz(help_text="When the answer made the card due")
    interval_days = DoublePrecision(
        help_text="Whole study days for a card in review, else the part of a day of its step"
    )
    stability = DoublePrecision()
    difficulty = DoublePrecision()


class StudySettings(Table, tablename="study_settings", db=DB):
    """What a person chose for all decks, and the parameters fitted to their reviews. Null is the standard value.

    The zone and the hour at which a study day starts are columns of the account, which every request reads anyway.
    """

    account_id = BigInt(primary_key=True)
    desired_retention = DoublePrecision(null=True, default=None)
    learning_steps = Text(null=True, default=None, help_text="Such as 1m 10m 1d, or none")
    relearning_steps = Text(null=True, default=None)
    maximum_interval_days = Integer(null=True, default=None)
    new_per_day = Integer(null=True, default=None, help_text="New cards of one deck in one study day")
    reviews_per_day = Integer(null=True, default=None, help_text="Due reviews of one deck in one study day")
    leech_threshold = SmallInt(null=True, default=None, help_text="Lapses at which a card counts as a leech")
    bury_siblings = Boolean(null=True, default=None)
    parameters = Array(base_column=DoublePrecision(), null=True, default=None, help_text="21 weights of FSRS-6 in use")
    fitted_at = Timestamptz(null=True, default=None)
    fitted_reviews = Integer(null=True, default=None, help_text="Reviews that the parameters were fitted to")
    log_loss_before = DoublePrecision(null=True, default=None)
    log_loss_after = DoublePrecision(null=True, default=None)
    fit_asked_at = Timestamptz(null=True, default=None, help_text="Set while a fit is under way")
    fit_done_at = Timestamptz(null=True, default=None, help_text="When the last fit ended, until it was answered")
    fit_outcome = Text(null=True, default=None, help_text="fitted, too_few, no_better or failed")
    fit_reviews = Integer(null=True, default=None)
    fit_log_loss_before = DoublePrecision(null=True, default=None)
    fit_log_loss_after = DoublePrecision(null=True, default=None)
    proposed_parameters = Array(
        base_column=DoublePrecision(), null=True, default=None, help_text="Fitted, and used once the person agrees"
    )


class DeckSettings(Table, tablename="deck_settings", db=DB):
    """What a person chose for one deck. Null is as chosen for the account."""

    account_id = BigInt()
    deck_id = BigInt(primary_key=True)
    desired_retention = DoublePrecision(null=True, default=None)
    learning_steps = Text(null=True, default=None)
    relearning_steps = Text(null=True, default=None)
    maximum_interval_days = Integer(null=True, default=None)
    new_per_day = Integer(null=True, default=None)
    reviews_per_day = Integer(null=True, default=None)
    leech_threshold = SmallInt(null=True, default=None)
    bury_siblings = Boolean(null=True, default=None)


class StudySession(Table, tablename="study_session", db=DB):
    """A sitting: what is asked, how, and to what end. Its questions are the rows of study_item."""

    id = BigSerial(primary_key=True)
    account_id = BigInt()
    deck_id = BigInt(null=True, default=None, help_text="NULL: all decks")
    mode = Text()
    goal = Text()
    horizon_days = Integer(null=True, default=None, help_text="Of the goal `retain`: until when to remember")
    created_at = Timestamptz()
    finished_at = Timestamptz(null=True, default=None)


class StudyItem(Table, tablename="study_item", db=DB):
    """One question of a session, from waiting in the queue to answered.

    A board of pairs is one item; the other cards on it are items of their own that name it in `board`.
    """

    id = BigSerial(primary_key=True)
    account_id = BigInt()
    session_id = BigInt()
    place = Integer(help_text="Order in the queue")
    card_id = BigInt()
    ordinal = SmallInt(default=0)
    status = Text(default="waiting", help_text="waiting, shown, graded, answered or passed")
    kind = Text(null=True, default=None, help_text="How it is asked, once it is")
    board = BigInt(null=True, default=None, help_text="The item whose board this card stands on")
    card_version = Integer(null=True, default=None, help_text="Of the text it was made from")
    asked = JSONB(null=True, default=None, help_text="What a question keeps between requests: options, a board")
    revealed = Boolean(default=False)
    given = Text(null=True, default=None, help_text="The answer as it was given")
    verdict = Text(null=True, default=None)
    note = Text(null=True, default=None, help_text="Why it got its verdict")
    overridden = Boolean(default=False, help_text="The person said that the verdict was wrong")
    rating = SmallInt(null=True, default=None)
    review_id = BigInt(null=True, default=None, help_text="The answer in the log, if it moved the schedule")
    review_key = Text(null=True, default=None, help_text="The client's own name for its answer")
    elapsed_ms = Integer(null=True, default=None)
    shown_at = Timestamptz(null=True, default=None)
    answered_at = Timestamptz(null=True, default=None)
    undo = JSONB(null=True, default=None, help_text="What else the answer did: siblings buried, a place added")
