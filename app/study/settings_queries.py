"""Reads of the study settings: what holds for a deck, what was chosen where, what is known of a person's parameters."""

from __future__ import annotations

from asyncpg import Record

from app.core.db import fetch_row, fetch_value
from app.decks.rows import possible
from app.domain.fitting import MINIMUM_REVIEWS, FitOutcome
from app.domain.study_settings import CHOICES, STEPS, StudyChoices, StudySettings, parse_steps, settled
from app.study.views import FitView, OwnParameters

_COLUMNS = ", ".join(CHOICES)
_OF_ACCOUNT = ", ".join(f"account.{name}" for name in CHOICES)
_OF_DECK = ", ".join(f"deck.{name} AS deck_{name}" for name in CHOICES)

_SETTINGS = f"""
SELECT account.parameters, {_OF_ACCOUNT}, {_OF_DECK}
  FROM (SELECT $1::bigint AS account_id) AS person
  LEFT JOIN study_settings AS account ON account.account_id = person.account_id
  LEFT JOIN deck_settings AS deck ON deck.account_id = person.account_id AND deck.deck_id = $2::bigint
"""  # noqa: S608 - names of the fields


async def settings_for(account_id: int, deck_id: int | None = None) -> StudySettings:
    """What holds for a deck of the account, or for the account as a whole. One query.

    A deck without settings of its own, and one that is not there, has the account's.
    """
    known = deck_id if deck_id is None or possible(deck_id) else None
    row = await fetch_row(_SETTINGS, account_id, known)
    assert row is not None  # noqa: S101 - the first of the joined tables is a row
    parameters = tuple(row["parameters"]) if row["parameters"] else None
    return settled(_choices(row), _choices(row, "deck_"), parameters=parameters)


async def account_choices(account_id: int) -> StudyChoices:
    """What the person chose for all decks."""
    row = await fetch_row(f"SELECT {_COLUMNS} FROM study_settings WHERE account_id = $1", account_id)  # noqa: S608
    return _choices(row) if row else StudyChoices()


async def deck_choices(account_id: int, deck_id: int) -> StudyChoices:
    """What the person chose for one deck; nothing for a deck that is not there."""
    row = await fetch_row(
        f"SELECT {_COLUMNS} FROM deck_settings WHERE account_id = $1 AND deck_id = $2",  # noqa: S608
        account_id,
        deck_id,
    )
    return _choices(row) if row else StudyChoices()


async def own_parameters(account_id: int) -> OwnParameters:
    """The fitted parameters in use, the fit under way and the last one."""
    row = await fetch_row(
        "SELECT parameters, fitted_at, fitted_reviews, log_loss_before, log_loss_after, fit_asked_at, fit_done_at, "
        "fit_outcome, fit_reviews, fit_log_loss_before, fit_log_loss_after, proposed_parameters "
        "FROM study_settings WHERE account_id = $1",
        account_id,
    )
    if row is None:
        return OwnParameters()
    used = last = None
    if row["parameters"]:
        used = FitView(
            FitOutcome.FITTED, row["fitted_at"], row["fitted_reviews"], row["log_loss_before"], row["log_loss_after"]
        )
    if row["fit_outcome"]:
        last = FitView(
            FitOutcome(row["fit_outcome"]),
            row["fit_done_at"],
            row["fit_reviews"],
            row["fit_log_loss_before"],
            row["fit_log_loss_after"],
        )
    return OwnParameters(
        parameters=tuple(row["parameters"]) if row["parameters"] else None,
        used=used,
        asked_at=row["fit_asked_at"],
        last=last,
        proposed=tuple(row["proposed_parameters"]) if row["proposed_parameters"] else None,
    )


async def reviews_to_fit(account_id: int) -> int:
    """How many answers a fit could use, counted up to the number that is enough.

    Those to cards in review, which were last answered on an earlier day; long learning steps may add a few.
    """
    return int(
        await fetch_value(
            "SELECT count(*) FROM (SELECT 1 FROM review WHERE account_id = $1 AND state_before = 2 LIMIT $2) AS found",
            account_id,
            MINIMUM_REVIEWS,
        )
    )


def _choices(row: Record, prefix: str = "") -> StudyChoices:
    values = {name: row[prefix + name] for name in CHOICES}
    for name in STEPS:
        if values[name] is not None:
            values[name] = parse_steps(values[name], name)
    return StudyChoices(**values)
