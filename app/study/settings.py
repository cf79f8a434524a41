"""Commands on the study settings: what is chosen for an account and for a deck, the word on fitted parameters."""

from __future__ import annotations

from datetime import datetime

from app.accounts import service as accounts
from app.core.db import atomic, changed_rows, execute
from app.decks.rows import live_deck
from app.domain.errors import N_, Conflict
from app.domain.study_settings import CHOICES, STANDARD, STEPS, StudyChoices, format_steps, without
from app.study.settings_queries import settings_for

__all__ = [
    "choose_for_account",
    "choose_for_deck",
    "choose_standard",
    "dismiss_fit",
    "settings_for",
    "use_fitted_parameters",
    "use_standard_parameters",
]

_COLUMNS = ", ".join(CHOICES)
_PLACES = len(CHOICES)
_EXCLUDED = ", ".join(f"{name} = excluded.{name}" for name in CHOICES)

_KEEP_FOR_ACCOUNT = (
    f"INSERT INTO study_settings (account_id, {_COLUMNS}) "  # noqa: S608 - names of the fields
    f"VALUES ($1, {', '.join(f'${place + 2}' for place in range(_PLACES))}) "
    f"ON CONFLICT (account_id) DO UPDATE SET {_EXCLUDED}"
)
_KEEP_FOR_DECK = (
    f"INSERT INTO deck_settings (account_id, deck_id, {_COLUMNS}) "  # noqa: S608 - names of the fields
    f"VALUES ($1, $2, {', '.join(f'${place + 3}' for place in range(_PLACES))}) "
    f"ON CONFLICT (account_id, deck_id) DO UPDATE SET {_EXCLUDED}"
)
_NO_FIT = (
    "fit_asked_at = NULL, fit_done_at = NULL, fit_outcome = NULL, fit_reviews = NULL, fit_log_loss_before = NULL, "
    "fit_log_loss_after = NULL, proposed_parameters = NULL"
)
_NO_PARAMETERS = (
    "parameters = NULL, fitted_at = NULL, fitted_reviews = NULL, log_loss_before = NULL, log_loss_after = NULL"
)


async def choose_for_account(account_id: int, choices: StudyChoices, *, zone: str, rollover_hour: int) -> None:
    """Replace the study day, and what holds for all decks that have no choice of their own.

    A standard value counts as not chosen. Raises `InvalidInput` for the zone and the hour.
    """
    async with atomic():
        await accounts.set_study_day(account_id, zone=zone, rollover_hour=rollover_hour)
        await execute(_KEEP_FOR_ACCOUNT, account_id, *_stored(without(choices, STANDARD)))


async def choose_standard(account_id: int) -> None:
    """Forget what was chosen for all decks. The study day, the decks' own choices and the parameters stay."""
    await execute(_KEEP_FOR_ACCOUNT, account_id, *_stored(StudyChoices()))


async def choose_for_deck(account_id: int, deck_id: int, choices: StudyChoices) -> None:
    """Replace what holds for one live deck; what is not chosen follows the account. Raises `NotFound`."""
    async with atomic():
        await live_deck(account_id, deck_id)
        if choices == StudyChoices():
            await execute("DELETE FROM deck_settings WHERE account_id = $1 AND deck_id = $2", account_id, deck_id)
        else:
            await execute(_KEEP_FOR_DECK, account_id, deck_id, *_stored(choices))


async def use_fitted_parameters(account_id: int, fit_done_at: datetime) -> None:
    """Schedule with the proposed parameters from the next answer on; cards that are scheduled stay as they are.

    `fit_done_at` is the fit that the person saw. Raises `Conflict` when there is another one, or none.
    """
    tag = await execute(
        "UPDATE study_settings SET parameters = proposed_parameters, fitted_at = fit_done_at, "  # noqa: S608 - constants
        "fitted_reviews = fit_reviews, log_loss_before = fit_log_loss_before, log_loss_after = fit_log_loss_after, "
        f"{_NO_FIT} WHERE account_id = $1 AND fit_done_at = $2 AND proposed_parameters IS NOT NULL",
        account_id,
        fit_done_at,
    )
    if not changed_rows(tag):
        raise Conflict(
            N_("These parameters are no longer the ones proposed."),
            N_("Look at what is proposed now and choose again."),
        )


async def dismiss_fit(account_id: int) -> None:
    """Forget the last fit and what it proposed; the parameters in use stay. Nothing happens while one is under way."""
    await execute(
        f"UPDATE study_settings SET {_NO_FIT} WHERE account_id = $1 AND fit_asked_at IS NULL",  # noqa: S608 - constants
        account_id,
    )


async def use_standard_parameters(account_id: int) -> None:
    """Schedule with the standard set of FSRS-6 from the next answer on."""
    await execute(f"UPDATE study_settings SET {_NO_PARAMETERS} WHERE account_id = $1", account_id)  # noqa: S608


def _stored(choices: StudyChoices) -> list[object]:
    """The values of the columns in the order of `CHOICES`."""
    values = {name: getattr(choices, name) for name in CHOICES}
    for name in STEPS:
        if values[name] is not None:
            values[name] = format_steps(values[name])
    return list(values.values())
