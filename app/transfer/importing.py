"""The two jobs of an import: reading the file for its preview, and bringing it in, batch after batch."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final

import msgspec

from app.accounts import queries as accounts
from app.accounts.views import AccountView
from app.core import logs
from app.core.db import atomic, execute, fetch_row, fetch_value
from app.core.settings import Settings
from app.decks.limits import Limits
from app.decks.rows import lock_writes
from app.domain.errors import N_, AppError, InvalidInput, NotFound, Unavailable
from app.domain.plans import limits_for
from app.domain.transfer.bundle import BroughtCard, BroughtDeck, Line, ReadOrder
from app.domain.transfer.identity import identity_of
from app.study.settings_queries import settings_for
from app.transfer import inserting, previews, reading
from app.transfer.imports import APPLY_JOB, PREVIEW_JOB, finish, give_up, imported
from app.transfer.known_cards import KnownCards
from app.transfer.targets import Target, target_of
from app.transfer.views import Choices, Failure, ImportState, Result

__all__ = ["APPLY_JOB", "PREVIEW_JOB", "run_import", "run_preview"]

BATCH: Final = 500
_log = logs.get_logger(__name__)


@dataclass(slots=True)
class Import:
    """What both jobs need to know of an import."""

    account: AccountView
    id: int
    name: str
    """Of the file."""
    choices: Choices
    limits: Limits
    settings: Settings
    now: datetime
    decks: dict[int, BroughtDeck] = field(default_factory=dict[int, BroughtDeck])
    targets: dict[int, Target] = field(default_factory=dict[int, Target])

    def wants(self, card: BroughtCard) -> bool:
        return self.choices.decks is None or card.deck in self.choices.decks

    async def find_targets(self, numbers: Iterable[int]) -> None:
        """Where these decks of the file go as things stand now."""
        self.targets = {}
        for number in numbers:
            await self.find_target(number)

    async def find_target(self, number: int) -> None:
        """Where one more deck of the file goes, next to those that were found."""
        self.targets[number] = await self.target(self.decks[number])

    async def target(self, deck: BroughtDeck) -> Target:
        """Where one deck of the file goes."""
        found = await target_of(self.account.id, deck, self.choices, self.limits, self.targets.values())
        # Decks of the file that come to one deck of ours share it, and its room.
        return next((other for other in self.targets.values() if _same(other, found)), found)


def _same(one: Target, other: Target) -> bool:
    return one.title.casefold() == other.title.casefold() and one.collection == other.collection


async def run_preview(account_id: int, import_id: int, *, settings: Settings, now: datetime) -> None:
    """Read the file and store what an import would do; nothing when the import has been cancelled or read already."""
    head = await _begun(account_id, import_id, ImportState.READING, settings, now)
    if head is None:
        return
    try:
        async with _file(head, media=False) as (path, order):
            preview = await previews.preview(head, reading.lines(path, order))
    except Unavailable:
        raise
    except Exception as error:
        await give_up(account_id, import_id, _failure(error), now=now)
        return
    await execute(
        "UPDATE import_job SET state = 'ready', preview = $3, changed_at = $4 "
        "WHERE account_id = $1 AND id = $2 AND state = 'reading'",
        account_id,
        import_id,
        msgspec.json.encode(preview).decode(),
        now,
    )


async def run_import(account_id: int, import_id: int, *, settings: Settings, now: datetime) -> None:
    """Bring the file in from where an earlier run stopped; nothing when the import has been cancelled or is done."""
    head = await _begun(account_id, import_id, ImportState.IMPORTING, settings, now)
    if head is None:
        return
    try:
        async with _file(head, media=True) as (path, order):
            whole = await _apply(head, reading.lines(path, order))
    except Unavailable:
        raise
    except Exception as error:
        await give_up(account_id, import_id, _failure(error), now=now)
        return
    if whole:
        await finish(account_id, import_id, now=now)


async def _begun(
    account_id: int, import_id: int, state: ImportState, settings: Settings, now: datetime
) -> Import | None:
    try:
        view = await imported(account_id, import_id)
        account = await accounts.account(account_id)
    except NotFound:
        return None
    if view.state is not state:
        return None
    figures = limits_for(account.plan, settings.plan_figures, plans_on=settings.plans)
    return Import(account, import_id, view.name, view.choices, Limits(figures, settings.deck_card_cap), settings, now)


def _failure(error: Exception) -> Failure:
    """What the person is told: of a fault of ours only that there was one. Trying again would end the same way."""
    if isinstance(error, AppError):
        return Failure(error.message, error.hint, dict(error.params))
    _log.error("import_fault", error=type(error).__name__)
    return Failure(
        N_("Something went wrong here while this file was being dealt with."),
        N_("What had come in before is there, and can be undone. Please tell whoever runs this server."),
    )


@asynccontextmanager
async def _file(head: Import, *, media: bool) -> AsyncGenerator[tuple[Path, ReadOrder], None]:
    """The upload in a folder of its own, and the order to read it. Raises `InvalidInput` when it has been swept."""
    async with reading.private_folder() as folder:
        path = folder / "file"
        place = 0
        with path.open("wb") as out:
            while (piece := await fetch_value(_PIECE, head.account.id, head.id, place)) is not None:
                await asyncio.to_thread(out.write, piece)
                place += 1
        if not place:
            raise InvalidInput(N_("The upload is no longer there."), N_("Upload the file again."))
        chosen = await settings_for(head.account.id)
        yield (
            path,
            ReadOrder(
                file_name=head.name,
                now=head.now,
                zone=head.account.zone,
                rollover_hour=head.account.rollover_hour,
                desired_retention=chosen.desired_retention,
                maximum_interval_days=chosen.maximum_interval_days,
                parameters=tuple(chosen.parameters or ()),
                schedule=head.choices.schedule,
                separator=head.choices.separator,
                header=head.choices.header,
                columns=head.choices.columns,
                media=media,
            ),
        )


_PIECE = "SELECT data FROM import_piece WHERE account_id = $1 AND import_id = $2 AND place = $3"


async def _apply(head: Import, lines: AsyncGenerator[Line | bytes, None]) -> bool:
    """Write batch after batch; whether all of the file has been dealt with, or another runner or a cancel was met."""
    known = KnownCards(head.account.id, identity_of(head.account.id, head.account.created_at), head.choices.duplicates)
    batch = inserting.Batch(start=0)
    async with aclosing(lines):
        async for line in lines:
            if isinstance(line, bytes):
                batch.add_content(line)
                continue
            batch.add(line)
            if line.deck is not None:
                head.decks[line.deck.number] = line.deck
            if batch.full(BATCH) or line.end is not None:
                if not await _write_batch(head, batch, known):
                    return False
                batch = inserting.Batch(start=batch.end)
    return True


async def _write_batch(head: Import, batch: inserting.Batch, known: KnownCards) -> bool:
    """One batch as one unit of work, which also moves the counter: false when this runner is no longer the one."""
    wanted = [card for card in batch.cards if head.wants(card)]
    async with atomic():
        await lock_writes(head.account.id)
        row = await fetch_row(_LOCK, head.account.id, head.id)
        if row is None or row["state"] != ImportState.IMPORTING:
            return False
        done_before = row["progress"] >= batch.end > batch.start
        if not done_before and row["progress"] != batch.start:
            return False
        await head.find_targets(dict.fromkeys([*batch.own_decks, *(card.deck for card in wanted)]))
        plan = await known.plan(wanted, head.targets)
        if done_before:
            return True
        before = msgspec.json.decode(row["result"], type=Result) if row["result"] else Result()
        after = await inserting.write(head, batch, plan, before)
        await execute(
            "UPDATE import_job SET progress = $3, result = $4, changed_at = $5 WHERE account_id = $1 AND id = $2",
            head.account.id,
            head.id,
            batch.end,
            msgspec.json.encode(after).decode(),
            head.now,
        )
    return True


_LOCK = "SELECT state, progress, result FROM import_job WHERE account_id = $1 AND id = $2 FOR UPDATE"
