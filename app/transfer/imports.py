"""Imports as a person steers them: upload, preview, go, cancel, undo; and what is swept."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from typing import Final, TypeVar

import msgspec
from asyncpg import Record

from app.core.db import atomic, changed_rows, execute, fetch, fetch_row, fetch_value
from app.core.queue import enqueue
from app.decks.rows import lock_writes, possible
from app.domain.errors import N_, Conflict, InvalidInput, NotFound
from app.transfer.views import Choices, Failure, ImportState, ImportView, Preview, Result

PREVIEW_JOB: Final = "import_preview"
APPLY_JOB: Final = "import_apply"
PIECE_BYTES: Final = 1_048_576
UNFINISHED_MAX: Final = 3
_KEPT = timedelta(days=1)
_REPORTS_KEPT = timedelta(days=90)
_NAME_MAX = 200
_UNDO_AT_ONCE = 2_000
_LISTED = 20
_OPEN = ("uploading", "reading", "ready", "importing")
_T = TypeVar("_T")


async def start_import(
    account_id: int, name: str, pieces: AsyncIterator[bytes], *, max_bytes: int, now: datetime
) -> int:
    """Keep an upload, have it read, and give the import's id.

    Raises `InvalidInput` for an empty file and one over `max_bytes`, `Conflict` while three others are under way and
    when it is cancelled meanwhile; then nothing of it is kept.
    """
    import_id = await _announce(account_id, name, now)
    try:
        # Each piece is a unit of its own: the account can be written to while a long upload goes on.
        size = await _keep_pieces(account_id, import_id, pieces, max_bytes)
        await _have_read(account_id, import_id, size, now)
    except BaseException:
        await execute("DELETE FROM import_job WHERE account_id = $1 AND id = $2", account_id, import_id)
        raise
    return import_id


async def _announce(account_id: int, name: str, now: datetime) -> int:
    async with atomic():
        await lock_writes(account_id)
        await _refuse_many(account_id)
        return int(
            await fetch_value(
                "INSERT INTO import_job "
                "(account_id, name, size_bytes, state, progress, made_decks, created_at, changed_at) "
                "VALUES ($1, $2, 0, 'uploading', 0, '[]', $3, $3) RETURNING id",
                account_id,
                _file_name(name),
                now,
            )
        )


async def _keep_pieces(account_id: int, import_id: int, pieces: AsyncIterator[bytes], max_bytes: int) -> int:
    """Store an upload as it comes; its size in bytes."""
    size = place = 0
    async for piece in pieces:
        size += len(piece)
        if size > max_bytes:
            raise too_large(max_bytes)
        await execute(
            "INSERT INTO import_piece (account_id, import_id, place, data) VALUES ($1, $2, $3, $4)",
            account_id,
            import_id,
            place,
            piece,
        )
        place += 1
    if not size:
        raise InvalidInput(N_("The file is empty."), N_("Choose another one."), field="file")
    return size


def too_large(max_bytes: int) -> InvalidInput:
    return InvalidInput(
        N_("The file is larger than %(max)d MB."),
        N_("Export it in parts, or without media."),
        field="file",
        max=max_bytes // 1_048_576,
    )


async def _have_read(account_id: int, import_id: int, size: int, now: datetime) -> None:
    async with atomic():
        tag = await execute(
            "UPDATE import_job SET state = 'reading', size_bytes = $3 "
            "WHERE account_id = $1 AND id = $2 AND state = 'uploading'",
            account_id,
            import_id,
            size,
        )
        if not changed_rows(tag):
            raise Conflict(N_("This import was cancelled while the file was on its way."), N_("Upload it again."))
        await enqueue(PREVIEW_JOB, {"account_id": account_id, "import_id": import_id}, now)


def _file_name(name: str) -> str:
    last = name.replace("\\", "/").rpartition("/")[2]
    return "".join(letter for letter in last if letter.isprintable())[-_NAME_MAX:] or "file"


async def _refuse_many(account_id: int) -> None:
    open_ones = await fetch_value(
        "SELECT count(*) FROM import_job WHERE account_id = $1 AND state = ANY ($2::text[])", account_id, list(_OPEN)
    )
    if open_ones >= UNFINISHED_MAX:
        raise Conflict(
            N_("%(count)d imports are under way already."),
            N_("Finish or cancel one of them first."),
            count=open_ones,
        )


async def read_again(account_id: int, import_id: int, choices: Choices, *, now: datetime) -> None:
    """Make the preview anew by other options. Raises `NotFound`, `Conflict` for an import past its preview."""
    await _move_on(account_id, import_id, ImportState.READING, PREVIEW_JOB, choices, now)


async def begin(account_id: int, import_id: int, choices: Choices, *, now: datetime) -> None:
    """Import what the preview shows. Raises `NotFound`, `Conflict` for an import past its preview."""
    await _move_on(account_id, import_id, ImportState.IMPORTING, APPLY_JOB, choices, now)


async def _move_on(
    account_id: int, import_id: int, state: ImportState, job: str, choices: Choices, now: datetime
) -> None:
    async with atomic():
        tag = await execute(
            "UPDATE import_job SET state = $3, choices = $4, progress = 0, failure = NULL, changed_at = $5 "
            "WHERE account_id = $1 AND id = $2 AND state = 'ready'",
            account_id,
            import_id if possible(import_id) else 0,
            state,
            msgspec.json.encode(choices).decode(),
            now,
        )
        if not changed_rows(tag):
            await imported(account_id, import_id)
            raise Conflict(N_("This import has gone on already."), N_("Look at it again."))
        await enqueue(job, {"account_id": account_id, "import_id": import_id}, now)


async def cancel(account_id: int, import_id: int, *, now: datetime) -> None:
    """Stop an import that is not done; what has come in stays, and can be undone. Raises `NotFound`."""
    async with atomic():
        await imported(account_id, import_id)
        await execute(
            "UPDATE import_job SET state = 'cancelled', changed_at = $3 "
            "WHERE account_id = $1 AND id = $2 AND state = ANY ($4::text[])",
            account_id,
            import_id,
            now,
            list(_OPEN),
        )
        await _forget_pieces(account_id, import_id)


async def _forget_pieces(account_id: int, import_id: int) -> None:
    await execute("DELETE FROM import_piece WHERE account_id = $1 AND import_id = $2", account_id, import_id)


async def undo(account_id: int, import_id: int, *, now: datetime) -> int:
    """Move the cards that an import made to the trash, with the decks that it made and that are empty then.

    Cards that it updated stay as they are. Gives how many cards went. Raises `NotFound`, `Conflict` while it runs.
    """
    gone = 0
    while True:
        async with atomic():
            await lock_writes(account_id)
            view = await imported(account_id, import_id)
            if view.state not in {ImportState.DONE, ImportState.FAILED, ImportState.CANCELLED, ImportState.UNDONE}:
                raise Conflict(N_("The import is still under way."), N_("Cancel it first."))
            ids = [row["card_id"] for row in await fetch(_MADE, account_id, import_id, _UNDO_AT_ONCE)]
            await execute(
                "UPDATE card SET deleted_at = $3, deleted_with_deck = false "
                "WHERE account_id = $1 AND id = ANY ($2::bigint[])",
                account_id,
                ids,
                now,
            )
            await execute(
                "UPDATE card_schedule SET live = false WHERE account_id = $1 AND card_id = ANY ($2::bigint[])",
                account_id,
                ids,
            )
            gone += len(ids)
            if len(ids) < _UNDO_AT_ONCE:
                await execute(_EMPTY_DECKS, account_id, import_id, now)
                result = msgspec.structs.replace(view.result or Result(), undone=gone)
                await execute(
                    "UPDATE import_job SET state = 'undone', result = $4, changed_at = $3 "
                    "WHERE account_id = $1 AND id = $2",
                    account_id,
                    import_id,
                    now,
                    msgspec.json.encode(result).decode(),
                )
                return gone


_MADE = """
SELECT o.card_id FROM card_origin o JOIN card c ON c.account_id = o.account_id AND c.id = o.card_id
 WHERE o.account_id = $1 AND o.import_id = $2 AND c.deleted_at IS NULL LIMIT $3
"""
_EMPTY_DECKS = """
UPDATE deck SET deleted_at = $3, updated_at = $3
 WHERE account_id = $1 AND deleted_at IS NULL
   AND id IN (SELECT value::bigint FROM import_job, jsonb_array_elements_text(made_decks)
               WHERE account_id = $1 AND import_job.id = $2)
   AND NOT EXISTS (SELECT FROM card WHERE card.account_id = $1 AND card.deck_id = deck.id AND card.deleted_at IS NULL)
"""


async def imported(account_id: int, import_id: int) -> ImportView:
    """An import of the account. Raises `NotFound`."""
    row = (
        await fetch_row(f"SELECT {_COLUMNS} FROM import_job WHERE account_id = $1 AND id = $2", account_id, import_id)  # noqa: S608
        if possible(import_id)
        else None
    )
    if row is None:
        raise NotFound(N_("There is no such import."), N_("Start a new one."))
    return _view(row)


async def recent(account_id: int) -> tuple[ImportView, ...]:
    """The last imports of the account, the newest first."""
    rows = await fetch(
        f"SELECT {_COLUMNS} FROM import_job WHERE account_id = $1 ORDER BY id DESC LIMIT {_LISTED}",  # noqa: S608
        account_id,
    )
    return tuple(_view(row) for row in rows)


_COLUMNS = "id, name, size_bytes, state, choices, preview, result, failure, progress, created_at, changed_at"


def _view(row: Record) -> ImportView:
    return ImportView(
        id=row["id"],
        name=row["name"],
        size_bytes=row["size_bytes"],
        state=ImportState(row["state"]),
        choices=_decoded(row["choices"], Choices) or Choices(),
        preview=_decoded(row["preview"], Preview),
        result=_decoded(row["result"], Result),
        failure=_decoded(row["failure"], Failure),
        progress=row["progress"],
        created_at=row["created_at"],
        changed_at=row["changed_at"],
    )


def _decoded(text: str | None, type: type[_T]) -> _T | None:
    return None if text is None else msgspec.json.decode(text, type=type)


async def give_up(account_id: int, import_id: int, failure: Failure, *, now: datetime) -> None:
    """The file cannot be read or imported: say so, and keep nothing of it."""
    async with atomic():
        await execute(
            "UPDATE import_job SET state = 'failed', failure = $3, changed_at = $4 WHERE account_id = $1 AND id = $2 "
            "AND state IN ('reading', 'importing')",
            account_id,
            import_id,
            msgspec.json.encode(failure).decode(),
            now,
        )
        await _forget_pieces(account_id, import_id)


async def finish(account_id: int, import_id: int, *, now: datetime) -> None:
    """Everything of the file has been dealt with."""
    async with atomic():
        await execute(
            "UPDATE import_job SET state = 'done', changed_at = $3 "
            "WHERE account_id = $1 AND id = $2 AND state = 'importing'",
            account_id,
            import_id,
            now,
        )
        await _forget_pieces(account_id, import_id)


async def sweep(now: datetime) -> None:
    """Forget uploads that nobody went on with for a day, and reports after ninety."""
    await execute(
        "UPDATE import_job SET state = 'cancelled' WHERE state IN ('uploading', 'ready') AND changed_at < $1",
        now - _KEPT,
    )
    await execute(
        "DELETE FROM import_piece USING import_job AS j WHERE j.account_id = import_piece.account_id "
        "AND j.id = import_piece.import_id AND j.state <> ALL ($1::text[])",
        list(_OPEN),
    )
    await execute("DELETE FROM import_job WHERE changed_at < $1", now - _REPORTS_KEPT)
