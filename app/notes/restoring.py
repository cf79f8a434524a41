"""Notes that come back whole from an export of ours: every version, who made it and when."""

from __future__ import annotations

from datetime import datetime

import msgspec

from app.core.db import execute, execute_many, fetch_value
from app.domain.errors import N_, Conflict
from app.domain.note_paths import clean_path, folder_of, path_key
from app.domain.notes import NoteText, note_text, tags_of
from app.domain.transfer.bundle import BroughtNote, BroughtVersion
from app.notes.rows import current_at, index_text, room_for_notes


async def bring_note(account_id: int, brought: BroughtNote, *, limit: int) -> int | None:
    """Insert a note with its versions; its id, or None for one that is there already. The account's lock is held.

    Raises `Conflict` when another note has its path, `PlanRequired`, `InvalidInput` for what is no note.
    """
    last = brought.versions[-1]
    path = clean_path(last.path)
    if await _is_there(account_id, path, last.created_at):
        return None
    texts = {version.version: _text(version) for version in brought.versions if not version.deleted}
    text = texts[max(texts)] if texts else NoteText({}, "")
    if not last.deleted:
        there = await current_at(account_id, path)
        if there is not None and there.text == text:
            return None
        if there is not None:
            raise Conflict(N_("Another note is at this path."), N_("Move one of the two, and import again."))
        await room_for_notes(account_id, limit)
    live = [version for version in brought.versions if not version.deleted] or [last]
    note_id = int(
        await fetch_value(
            "INSERT INTO note (account_id, path, path_key, folder, tags, version, size_bytes, created_at, updated_at, "
            "deleted_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING id",
            account_id,
            path,
            path_key(path),
            folder_of(path),
            list(tags_of(text)),
            last.version,
            0 if last.deleted else text.size_bytes,
            brought.versions[0].created_at,
            live[-1].created_at,
            last.created_at if last.deleted else None,
        )
    )
    await execute_many(_VERSION, [_row(account_id, note_id, version, texts) for version in brought.versions])
    if not last.deleted:
        await index_text(account_id, note_id, path, text, last.created_at)
    for card in brought.cards:
        await execute(_CARD, account_id, note_id, card.guid, card.template, card.heading, card.source, card.to_review)
    return note_id


_VERSION = (
    "INSERT INTO note_version (account_id, note_id, version, path, frontmatter, body, size_bytes, deleted, "
    "author_kind, author_name, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)"
)
# The card came with the same file, or an earlier one; a card of another account cannot be found.
_CARD = """
INSERT INTO note_card (account_id, card_id, note_id, heading, source, to_review)
SELECT $1, card_id, $2, $5, $6, $7 FROM card_origin WHERE account_id = $1 AND guid = $3 AND template = $4 LIMIT 1
ON CONFLICT (account_id, card_id) DO NOTHING
"""


async def _is_there(account_id: int, path: str, created_at: datetime) -> bool:
    return bool(
        await fetch_value(
            "SELECT 1 FROM note_version AS v JOIN note ON note.account_id = v.account_id AND note.id = v.note_id "
            "WHERE note.account_id = $1 AND note.path_key = $2 AND v.created_at = $3 LIMIT 1",
            account_id,
            path_key(path),
            created_at,
        )
    )


def _text(version: BroughtVersion) -> NoteText:
    try:
        frontmatter = msgspec.json.decode(version.frontmatter, type=dict[str, object])
    except msgspec.MsgspecError:
        frontmatter = {}
    return note_text(frontmatter, version.body)


def _row(account_id: int, note_id: int, version: BroughtVersion, texts: dict[int, NoteText]) -> tuple[object, ...]:
    text = texts.get(version.version)
    return (
        account_id,
        note_id,
        version.version,
        clean_path(version.path),
        msgspec.json.encode(text.frontmatter).decode() if text else "{}",
        text.body if text else "",
        text.size_bytes if text else 0,
        version.deleted,
        version.author_kind[:20],
        version.author_name[:200],
        version.created_at,
    )
