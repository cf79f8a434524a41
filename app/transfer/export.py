"""The whole account as one JSON document, and its decks as CSV: nothing a person entered is left behind.

The document is written in pieces, table by table in pages, so that a large account needs little memory. Every row keeps
its id, so that references between rows hold. Secrets (password, tokens, keys) are no part of it.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from app.core.db import fetch
from app.domain.study_settings import CHOICES
from app.transfer.bundling import identity

FORMAT = "loci-export"
VERSION = 2
_ROWS = 1000
_UNFIT = re.compile(r"[^\w\- ]+")
_LARGE_ROWS = 20  # a version of a note may be a megabyte

_CHOICES = ", ".join(CHOICES)
_PARAMETERS = "account_id, parameters, fitted_at, fitted_reviews, log_loss_before, log_loss_after"
_OF_DECK = "card_id IN (SELECT c.id FROM card c WHERE c.account_id = {table}.account_id AND c.deck_id = {deck})"


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of the document: its key, what is read, and which of it belongs to a deck (None for nothing)."""

    key: str
    select: str
    of_deck: str | None = None


# In the order of the document; what can be derived (search text, hashes, counts) is left out.
_TABLES: Mapping[str, _Table] = {
    "collections": _Table(
        "id",
        "SELECT id, title, created_at, updated_at FROM collection",
        "id = (SELECT collection_id FROM deck d WHERE d.account_id = collection.account_id AND d.id = {deck})",
    ),
    "decks": _Table(
        "id",
        "SELECT id, collection_id, title, description, language, created_at, updated_at, deleted_at FROM deck",
        "id = {deck}",
    ),
    "cards": _Table(
        "id",
        """SELECT id, deck_id, front, back, front_rich, back_rich, tags, language, source_title, version, created_at,
                  updated_at, deleted_at, deleted_with_deck FROM card""",
        "deck_id = {deck} AND deleted_at IS NULL",
    ),
    "schedules": _Table(
        "card_id, ordinal",
        """SELECT card_id, ordinal, state, step, due, stability, difficulty, last_review, reps, lapses, suspended,
                  buried_until, flag, leech, gone FROM card_schedule""",
        "deck_id = {deck} AND live",
    ),
    "reviews": _Table(
        "id",
        """SELECT id, card_id, ordinal, deck_id, rep, rating, reviewed_at, elapsed_ms, state_before, due, interval_days,
                  stability, difficulty FROM review""",
        _OF_DECK.replace("{table}", "review"),
    ),
    "card_origins": _Table(
        "card_id",
        "SELECT card_id, guid, template FROM card_origin",
        _OF_DECK.replace("{table}", "card_origin"),
    ),
    "media": _Table("id", "SELECT id, encode(digest, 'hex') AS digest, mime, size_bytes, created_at FROM media"),
    "card_media": _Table(
        "card_id, side, place",
        "SELECT card_id, side, place, encode(digest, 'hex') AS digest, name FROM card_media",
        _OF_DECK.replace("{table}", "card_media"),
    ),
    "study_settings": _Table("account_id", f"SELECT {_PARAMETERS}, {_CHOICES} FROM study_settings"),  # noqa: S608 - names of fields
    "deck_settings": _Table(
        "deck_id",
        f"SELECT deck_id, {_CHOICES} FROM deck_settings",  # noqa: S608 - names of fields
        "deck_id = {deck}",
    ),
    "notes": _Table("id", "SELECT id, path, tags, version, size_bytes, created_at, updated_at, deleted_at FROM note"),
    "note_versions": _Table(
        "id",
        """SELECT id, note_id, version, path, frontmatter, body, size_bytes, deleted, author_kind, author_name,
                  created_at FROM note_version""",
    ),
    "note_cards": _Table("card_id", "SELECT card_id, note_id, heading, source, to_review FROM note_card"),
    "activity": _Table(
        "id",
        """SELECT id, client_kind, client_name, tool, action, input_summary, affected_ids, request_id, created_at
             FROM mcp_audit_events""",
    ),
}


async def document(account_id: int, *, deck_id: int | None = None, now: datetime) -> AsyncIterator[bytes]:
    """The pieces of `{"format", "version", "exported_at", "identity", "account", <table>: [row, …], …}`.

    With `deck_id` what belongs to that deck and is not in the trash, without the person. `identity` names the account
    in the GUIDs of its cards (`app.domain.transfer.identity`). Contents of pictures and sounds are files of their own.
    """
    person = await fetch(
        "SELECT email, name, plan, zone, rollover_hour, language, theme, single_keys, created_at FROM account "
        "WHERE id = $1",
        account_id,
    )
    head: dict[str, object] = {
        "format": FORMAT,
        "version": VERSION,
        "exported_at": now,
        "identity": await identity(account_id),
    }
    if deck_id is None:
        head["account"] = dict(person[0]) if person else None
    yield msgspec.json.encode(head)[:-1]
    for name, table in _TABLES.items():
        if deck_id is not None and table.of_deck is None:
            continue
        where = table.of_deck.format(deck=int(deck_id)) if deck_id is not None and table.of_deck else "true"
        yield f',"{name}":['.encode()
        first = True
        async for row in _rows(account_id, table.key, f"{table.select} WHERE {where}"):
            yield (b"" if first else b",") + b"\n" + msgspec.json.encode(row)
            first = False
        yield b"]"
    yield b"}\n"


async def cards_csv(account_id: int, deck_id: int) -> AsyncIterator[str]:
    """The live cards of a deck as CSV with the columns front, back, tags; a first piece with the header."""
    yield _line("front", "back", "tags")
    select = f"SELECT id, front, back, tags FROM card WHERE deck_id = {int(deck_id)} AND deleted_at IS NULL"  # noqa: S608
    async for row in _rows(account_id, "id", select):
        yield _line(row["front"], row["back"], " ".join(tag.replace(" ", "_") for tag in row["tags"]))


async def _rows(account_id: int, key: str, select: str) -> AsyncIterator[dict[str, Any]]:
    columns = key.split(", ")
    count = _LARGE_ROWS if "note_version" in select else _ROWS
    after: list[object] = []
    while True:
        places = ", ".join(f"${number}" for number in range(2, len(after) + 2))
        beyond = f"AND ({key}) > ({places})" if after else ""
        rows = await fetch(f"{select} AND account_id = $1 {beyond} ORDER BY {key} LIMIT {count}", account_id, *after)
        for row in rows:
            yield dict(row)
        if len(rows) < count:
            return
        after = [rows[-1][column] for column in columns]


def file_title(title: str) -> str:
    """A deck's title as the name of a file."""
    return _UNFIT.sub("", title).strip()[:60] or "deck"


def _line(*values: str) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerow(values)
    return out.getvalue()
