"""Erasing for good: a deleted note, notes that lie in the trash for long, versions that are old enough."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime

from app.core.db import atomic, changed_rows, execute, fetch
from app.decks.rows import lock_writes, possible
from app.domain.errors import N_, NotFound


async def erase_note(account_id: int, note_id: int) -> None:
    """Erase a deleted note with all its versions. Raises `NotFound` for a note that is not in the trash."""
    async with atomic():
        await lock_writes(account_id)
        gone = (
            await execute(
                "DELETE FROM note WHERE account_id = $1 AND id = $2 AND deleted_at IS NOT NULL", account_id, note_id
            )
            if possible(note_id)
            else "DELETE 0"
        )
        if changed_rows(gone) == 0:
            raise NotFound(N_("There is no such note in the trash."), N_("Only a deleted note can be erased."))


async def sweep_notes(*, deleted_before: datetime, versions_before: datetime) -> int:
    """Erase notes deleted before one moment and versions replaced before the other; gives back how many of both.

    The last text of a note is kept whatever its age, for a note in the trash as well. Account by account, each under
    its own lock.
    """
    accounts = await fetch(
        "SELECT account_id FROM note WHERE deleted_at < $1 UNION "
        "SELECT account_id FROM note_version WHERE created_at < $2",
        deleted_before,
        versions_before,
    )
    erased = 0
    for row in accounts:
        with suppress(NotFound):  # the account went in the meantime
            erased += await _sweep_account(row["account_id"], deleted_before, versions_before)
    return erased


# A version is replaced when the next one comes, so it is the next one's age that counts.
_OLD_VERSIONS = """
DELETE FROM note_version AS old
 USING note
 WHERE old.account_id = $1 AND note.account_id = $1 AND note.id = old.note_id AND old.created_at < $2
   AND old.version < note.version
   AND EXISTS (SELECT 1 FROM note_version AS next WHERE next.account_id = $1 AND next.note_id = old.note_id
                  AND next.version > old.version AND next.created_at < $2)
   AND (note.deleted_at IS NULL OR old.deleted OR EXISTS (
        SELECT 1 FROM note_version AS text WHERE text.account_id = $1 AND text.note_id = old.note_id
           AND text.version > old.version AND NOT text.deleted))
"""


async def _sweep_account(account_id: int, deleted_before: datetime, versions_before: datetime) -> int:
    async with atomic():
        await lock_writes(account_id)
        notes = await execute("DELETE FROM note WHERE account_id = $1 AND deleted_at < $2", account_id, deleted_before)
        versions = await execute(_OLD_VERSIONS, account_id, versions_before)
    return changed_rows(notes) + changed_rows(versions)
