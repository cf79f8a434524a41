"""The whole account as one JSON document, and its decks as CSV: nothing a person entered is left behind.

The document is written in pieces, table by table in pages, so that a large account needs little memory. Every row keeps
its id, so that references between rows hold. Secrets (password, tokens, keys) are no part of it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import AsyncIterator, Mapping
from datetime import datetime
from typing import Any

import msgspec

from app.core.db import fetch
from app.domain.study_settings import CHOICES

FORMAT = "loci-export"
VERSION = 1
_ROWS = 1000
_LARGE_ROWS = 20  # a version of a note may be a megabyte

_CHOICES = ", ".join(CHOICES)
_PARAMETERS = "account_id, parameters, fitted_at, fitted_reviews, log_loss_before, log_loss_after"

# Columns in the order of the document; what can be derived (search text, hashes, counts) is left out.
_TABLES: Mapping[str, tuple[str, str]] = {
    "collections": ("id", "SELECT id, title, created_at, updated_at FROM collection"),
    "decks": (
        "id",
        "SELECT id, collection_id, title, description, language, created_at, updated_at, deleted_at FROM deck",
    ),
    "cards": (
        "id",
        """SELECT id, deck_id, front, back, front_rich, back_rich, tags, language, source_title, version, created_at,
                  updated_at, deleted_at, deleted_with_deck FROM card""",
    ),
    "schedules": (
        "card_id, ordinal",
        """SELECT card_id, ordinal, state, step, due, stability, difficulty, last_review, reps, lapses, suspended,
                  buried_until, flag, leech, gone FROM card_schedule""",
    ),
    "reviews": (
        "id",
        """SELECT id, card_id, ordinal, deck_id, rep, rating, reviewed_at, elapsed_ms, state_before, due, interval_days,
                  stability, difficulty FROM review""",
    ),
    "study_settings": ("account_id", f"SELECT {_PARAMETERS}, {_CHOICES} FROM study_settings"),  # noqa: S608 - names of fields
    "deck_settings": ("deck_id", f"SELECT deck_id, {_CHOICES} FROM deck_settings"),  # noqa: S608 - names of fields
    "notes": (
        "id",
        """SELECT id, path, tags, version, size_bytes, created_at, updated_at, deleted_at FROM note""",
    ),
    "note_versions": (
        "id",
        """SELECT id, note_id, version, path, frontmatter, body, size_bytes, deleted, author_kind, author_name,
                  created_at FROM note_version""",
    ),
    "note_cards": ("card_id", "SELECT card_id, note_id, heading, source, to_review FROM note_card"),
    "activity": (
        "id",
        """SELECT id, client_kind, client_name, tool, action, input_summary, affected_ids, request_id, created_at
             FROM mcp_audit_events""",
    ),
}


async def document(account_id: int, *, now: datetime) -> AsyncIterator[bytes]:
    """The pieces of the JSON document: `{"format", "version", "exportedAt", "account", <table>: [row, …], …}`."""
    person = await fetch(
        "SELECT email, name, plan, zone, rollover_hour, language, theme, single_keys, created_at FROM account "
        "WHERE id = $1",
        account_id,
    )
    head = {"format": FORMAT, "version": VERSION, "exported_at": now, "account": dict(person[0]) if person else None}
    yield msgspec.json.encode(head)[:-1]
    for name, (key, select) in _TABLES.items():
        yield f',"{name}":['.encode()
        first = True
        async for row in _rows(account_id, key, select):
            yield (b"" if first else b",") + b"\n" + msgspec.json.encode(row)
            first = False
        yield b"]"
    yield b"}\n"


async def cards_csv(account_id: int, deck_id: int) -> AsyncIterator[str]:
    """The live cards of a deck as CSV with the columns front, back, tags; a first piece with the header."""
    yield _line("front", "back", "tags")
    select = f"SELECT id, front, back, tags FROM card WHERE deck_id = {int(deck_id)} AND deleted_at IS NULL"  # noqa: S608
    async for row in _rows(account_id, "id", select, joiner="AND"):
        yield _line(row["front"], row["back"], " ".join(tag.replace(" ", "_") for tag in row["tags"]))


async def _rows(account_id: int, key: str, select: str, joiner: str = "WHERE") -> AsyncIterator[dict[str, Any]]:
    columns = key.split(", ")
    after = [0] * len(columns)
    places = ", ".join(f"${number}" for number in range(2, len(columns) + 2))
    count = _LARGE_ROWS if "note_version" in select else _ROWS
    while True:
        rows = await fetch(
            f"{select} {joiner} account_id = $1 AND ({key}) > ({places}) ORDER BY {key} LIMIT {count}",
            account_id,
            *after,
        )
        for row in rows:
            yield dict(row)
        if len(rows) < count:
            return
        after = [rows[-1][column] for column in columns]


def _line(*values: str) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerow(values)
    return out.getvalue()
