"""What an export of ours brings besides cards: the trash, settings, notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

from app.core.db import execute
from app.domain.calendar import StudyClock
from app.domain.errors import AppError, InvalidInput
from app.domain.scheduling import SchedulingOptions
from app.domain.study_settings import CHOICES, STEPS, StudyChoices, parse_steps
from app.domain.transfer.bundle import BroughtCard, BroughtNote, BroughtSettings
from app.domain.transfer.rows import Problem, Reason
from app.notes.restoring import bring_note as restore_note

if TYPE_CHECKING:
    from app.transfer.importing import Import


async def trash_cards(account_id: int, made: Sequence[tuple[int, BroughtCard]]) -> None:
    """Cards that were in the trash where they come from are there here as well."""
    gone = [(card_id, card) for card_id, card in made if card.deleted_at is not None]
    if not gone:
        return
    await execute(
        "UPDATE card SET deleted_at = sent.deleted_at, deleted_with_deck = sent.with_deck "
        "FROM unnest($2::bigint[], $3::timestamptz[], $4::boolean[]) AS sent (id, deleted_at, with_deck) "
        "WHERE card.account_id = $1 AND card.id = sent.id",
        account_id,
        [card_id for card_id, _ in gone],
        [card.deleted_at for _, card in gone],
        [card.deleted_with_deck for _, card in gone],
    )
    await execute(
        "UPDATE card_schedule SET live = false WHERE account_id = $1 AND card_id = ANY ($2::bigint[])",
        account_id,
        [card_id for card_id, _ in gone],
    )


async def trash_decks(account_id: int, deck_ids: Sequence[int], deleted_at: datetime) -> None:
    """Decks that were in the trash where they come from."""
    await execute(
        "UPDATE deck SET deleted_at = $3 WHERE account_id = $1 AND id = ANY ($2::bigint[])",
        account_id,
        list(deck_ids),
        deleted_at,
    )


def _chosen(row: Mapping[str, object]) -> dict[str, object]:
    """The columns of study settings in a row that a schedule can follow; others are passed over."""
    chosen: dict[str, object] = {}
    for name in CHOICES:
        value: Any = row.get(name)
        if value is None:
            continue
        with suppress(InvalidInput, TypeError, ValueError):
            read: Any = parse_steps(value, name) if name in STEPS else value
            StudyChoices(**{name: read})
            chosen[name] = value
    return chosen


async def deck_settings(account_id: int, deck_id: int, settings: Mapping[str, object]) -> None:
    """The choices that were made for a deck."""
    chosen = _chosen(settings)
    if chosen:
        await _upsert("deck_settings", {"account_id": account_id, "deck_id": deck_id}, chosen)


async def take_settings(account_id: int, brought: BroughtSettings) -> None:
    """Study settings, fitted parameters and the person's study days, as they were where the export was made."""
    study = _chosen(brought.study) | _parameters(brought.study)
    if study:
        await _upsert("study_settings", {"account_id": account_id}, study)
    zone, hour = brought.account.get("zone"), brought.account.get("rollover_hour")
    with suppress(InvalidInput, TypeError):
        clock = StudyClock(cast("str", zone), cast("int", hour))
        await execute(
            "UPDATE account SET zone = $2, rollover_hour = $3 WHERE id = $1",
            account_id,
            clock.zone,
            clock.rollover_hour,
        )


def _parameters(row: Mapping[str, object]) -> dict[str, object]:
    """Parameters that were fitted, and to what; nothing when they are none."""
    weights: Any = row.get("parameters")
    try:
        SchedulingOptions(parameters=tuple(float(weight) for weight in weights))
        fitted_at = datetime.fromisoformat(str(row.get("fitted_at")))
    except (InvalidInput, TypeError, ValueError):
        return {}
    kept: dict[str, object] = {"parameters": [float(weight) for weight in weights], "fitted_at": fitted_at}
    for name, type_ in (("fitted_reviews", int), ("log_loss_before", float), ("log_loss_after", float)):
        value = row.get(name)
        if isinstance(value, type_) and 0 <= value < 2**31:
            kept[name] = value
    return kept


async def _upsert(table: str, key: Mapping[str, object], chosen: Mapping[str, object]) -> None:
    names = [*key, *chosen]
    places = ", ".join(f"${number}" for number in range(1, len(names) + 1))
    changed = ", ".join(f"{name} = excluded.{name}" for name in chosen)
    await execute(
        f"INSERT INTO {table} ({', '.join(names)}) VALUES ({places}) "  # noqa: S608 - names of columns of ours
        f"ON CONFLICT ({', '.join(key)}) DO UPDATE SET {changed}",
        *key.values(),
        *chosen.values(),
    )


async def bring_note(head: Import, note: BroughtNote, problems: list[Problem]) -> int:
    """Insert a note with all its versions: 1, or 0 for one that is there. One that cannot come is a problem."""
    try:
        return int(await restore_note(head.account.id, note, limit=head.limits.plan_limits.notes) is not None)
    except AppError as error:
        problems.append(Problem(0, Reason.LEFT_OUT, error.message, dict(error.params)))
        return 0
