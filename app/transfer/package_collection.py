"""What a collection says of itself: its note types, its decks and from when its days count."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, cast

from app.domain.errors import InvalidInput
from app.domain.transfer.anki.note_types import (
    Deck,
    NoteType,
    decks_of_json,
    decks_of_rows,
    note_types_of_json,
    note_types_of_rows,
)
from app.transfer.package_database import Database, unreadable

ROWS_MAX: Final = 100_000
"""Rows of one of the small tables that are read."""
JSON_MAX: Final = 32 << 20
"""Characters of JSON in one column."""

_OFFSET = "creationOffset"


@dataclass(frozen=True, slots=True)
class Collection:
    note_types: dict[int, NoteType]
    decks: dict[int, Deck]
    created: int
    """Seconds of Unix time."""
    minutes_west: int | None
    """Of UTC, where it was made; None where that was not kept."""


def read_collection(database: Database) -> Collection:
    """Raises `InvalidInput` for a collection whose note types or decks cannot be read."""
    if not database.has("col", ("crt", "conf", "models", "decks", "dconf")):
        raise unreadable()
    row = next(database.rows("SELECT crt, conf, models, decks, dconf FROM col LIMIT 1"), None)
    if row is None:
        raise unreadable()
    created, conf, models, decks, options = row
    if database.has("notetypes", ("id", "name", "config")):
        types, own_decks = _types_of_tables(database), _decks_of_tables(database)
    else:
        types, own_decks = note_types_of_json(_json(models)), decks_of_json(_json(decks), _json(options))
    offset = _offset_of_table(database) if database.has("config", ("KEY", "val")) else _offset(_json(conf))
    return Collection(types, own_decks, created if isinstance(created, int) else 0, offset)


def _types_of_tables(database: Database) -> dict[int, NoteType]:
    if not (
        database.has("fields", ("ntid", "ord", "name")) and database.has("templates", ("ntid", "ord", "name", "config"))
    ):
        raise unreadable()
    return note_types_of_rows(
        _typed(database, "SELECT id, name, config FROM notetypes", int, str, bytes),
        _typed(database, "SELECT ntid, ord, name FROM fields", int, int, str),
        _typed(database, "SELECT ntid, ord, name, config FROM templates", int, int, str, bytes),
    )


def _decks_of_tables(database: Database) -> dict[int, Deck]:
    if not database.has("decks", ("id", "name", "kind")):
        raise unreadable()
    options: Iterator[Any] = iter(())
    if database.has("deck_config", ("id", "config")):
        options = _typed(database, "SELECT id, config FROM deck_config", int, bytes)
    return decks_of_rows(_typed(database, "SELECT id, name, kind FROM decks", int, str, bytes), options)


def _typed(database: Database, query: str, *kinds: type) -> Iterator[Any]:
    """The rows whose values are of these kinds; the others are not Anki's."""
    for count, row in enumerate(database.rows(query)):
        if count >= ROWS_MAX:
            raise unreadable()
        if all(isinstance(value, kind) for value, kind in zip(row, kinds, strict=True)):
            yield row


def _offset_of_table(database: Database) -> int | None:
    found = next(database.rows("SELECT val FROM config WHERE KEY = ?", _OFFSET), None)
    value = found[0] if found else None
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else ""
    return int(text) if text.removeprefix("-").isdecimal() and len(text) < 8 else None


def _offset(conf: str) -> int | None:
    try:
        loaded: object = json.loads(conf) if conf else {}
    except (ValueError, RecursionError):
        return None
    offset = cast("dict[str, object]", loaded).get(_OFFSET) if isinstance(loaded, dict) else None
    return offset if isinstance(offset, int) else None


def _json(value: object) -> str:
    if not isinstance(value, str) or len(value) > JSON_MAX:
        raise _too_long() if isinstance(value, str) else unreadable()
    return value


def _too_long() -> InvalidInput:
    return unreadable()
