"""Anki packages made by hand, whole and hostile ones: Anki itself would write none of the latter."""

from __future__ import annotations

import io
import json
import sqlite3
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import zstandard

Change = Callable[[sqlite3.Connection], object]

SCHEMA = """
CREATE TABLE col (id integer PRIMARY KEY, crt integer, mod integer, scm integer, ver integer, dty integer, usn integer,
  ls integer, conf text, models text, decks text, dconf text, tags text);
CREATE TABLE notes (id integer PRIMARY KEY, guid text, mid integer, mod integer, usn integer, tags text, flds text,
  sfld integer, csum integer, flags integer, data text);
CREATE TABLE cards (id integer PRIMARY KEY, nid integer, did integer, ord integer, mod integer, usn integer,
  type integer, queue integer, due integer, ivl integer, factor integer, reps integer, lapses integer, left integer,
  odue integer, odid integer, flags integer, data text);
CREATE TABLE revlog (id integer PRIMARY KEY, cid integer, usn integer, ease integer, ivl integer, lastIvl integer,
  factor integer, time integer, type integer);
"""
INSERT_CARD = "INSERT INTO cards VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
CREATED = 1_700_000_000
NOTE_ID = 1_700_000_000_000
BASIC, CLOZE, DECK = 1, 2, 1
CARD = {
    "id": 0, "nid": 0, "did": DECK, "ord": 0, "mod": 0, "usn": 0, "type": 0, "queue": 0, "due": 0, "ivl": 0,
    "factor": 0, "reps": 0, "lapses": 0, "left": 0, "odue": 0, "odid": 0, "flags": 0, "data": "",
}  # fmt: skip


def model(
    question: str = "{{Front}}",
    answer: str = "{{FrontSide}}<hr id=answer>{{Back}}",
    *,
    fields: Sequence[str] = ("Front", "Back"),
    cloze: bool = False,
) -> dict[str, Any]:
    return {
        "name": "Made",
        "type": int(cloze),
        "flds": [{"name": name, "ord": place} for place, name in enumerate(fields)],
        "tmpls": [{"name": "Card 1", "ord": 0, "qfmt": question, "afmt": answer}],
    }


MODELS = {str(BASIC): model(), str(CLOZE): model("{{cloze:Front}}", "{{cloze:Front}}<br>{{Back}}", cloze=True)}
DECKS = {str(DECK): {"name": "Deck", "desc": "", "conf": 1, "dyn": 0}}


def collection(
    folder: Path,
    *notes: tuple[str, ...],
    models: object = MODELS,
    decks: object = DECKS,
    note_type: int = BASIC,
    tags: str = "",
    card: Mapping[str, object] | None = None,
    change: Change = lambda _: None,
    created: int = CREATED,
) -> bytes:
    """A collection with these notes (fields each), one card each like `card`; `change` may do anything to it."""
    path = folder / "made.sqlite"
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path)
    connection.executescript(SCHEMA)
    texts = [each if isinstance(each, str) else json.dumps(each) for each in (models, decks)]
    connection.execute("INSERT INTO col VALUES (1, ?, 0, 0, 11, 0, 0, 0, '{}', ?, ?, '{}', '{}')", (created, *texts))
    for place, fields in enumerate(notes or (("front", "back"),)):
        key = NOTE_ID + place
        values = (key, f"guid{place}", note_type, CREATED, 0, tags, "\x1f".join(fields), 0, 0, 0, "")
        connection.execute("INSERT INTO notes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
        row = CARD | {"id": key, "nid": key} | dict(card or {})
        connection.execute(INSERT_CARD, tuple(row.values()))
    change(connection)
    connection.commit()
    connection.close()
    return path.read_bytes()


def package(entries: Mapping[str, bytes], *, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", method) as file:
        for name, content in entries.items():
            file.writestr(name, content)
    return held.getvalue()


def legacy(content: bytes, media: Mapping[str, bytes] | None = None) -> bytes:
    """A package of the old form; `media` by its own names."""
    given = media or {}
    names = {str(place): name for place, name in enumerate(given)}
    files = {str(place): each for place, each in enumerate(given.values())}
    return package({"collection.anki2": content, "media": json.dumps(names).encode()} | files)


def modern(content: bytes, extra: Mapping[str, bytes] | None = None) -> bytes:
    """A package of the new form with that content of `collection.anki21b`, packed already."""
    return package({"meta": b"\x08\x03", "collection.anki21b": content} | dict(extra or {}), method=zipfile.ZIP_STORED)


def packed(content: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(content)


def field(number: int, value: int | bytes) -> bytes:
    """A field of a message of Protocol Buffers."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def new_schema(*, notetype: bytes | None = None, template: bytes | None = None, kind: bytes | None = None) -> Change:
    """Turn a collection into one of schema 18, with these messages in it."""

    def change(connection: sqlite3.Connection) -> None:
        connection.create_collation("unicase", lambda a, b: (a > b) - (a < b))
        connection.executescript("""
            CREATE TABLE notetypes (id integer PRIMARY KEY, name text COLLATE unicase, config blob);
            CREATE TABLE fields (ntid integer, ord integer, name text COLLATE unicase, config blob,
              PRIMARY KEY (ntid, ord)) WITHOUT ROWID;
            CREATE TABLE templates (ntid integer, ord integer, name text COLLATE unicase, config blob,
              PRIMARY KEY (ntid, ord)) WITHOUT ROWID;
            CREATE TABLE decks (id integer PRIMARY KEY, name text COLLATE unicase, kind blob);
            CREATE TABLE config (KEY text PRIMARY KEY, val blob) WITHOUT ROWID;
            CREATE UNIQUE INDEX idx_decks_name ON decks (name);
            UPDATE col SET ver = 18, models = '', decks = '', dconf = '', conf = '';
        """)
        connection.execute("INSERT INTO notetypes VALUES (1, 'Basic', ?)", (notetype or b"",))
        connection.executemany("INSERT INTO fields VALUES (1, ?, ?, '')", [(0, "Front"), (1, "Back")])
        config = field(1, b"{{Front}}") + field(2, b"{{FrontSide}}<hr id=answer>{{Back}}")
        connection.execute("INSERT INTO templates VALUES (1, 0, 'Card 1', ?)", (template or config,))
        name = "A\x1fB"
        connection.execute("INSERT INTO decks VALUES (1, ?, ?)", (name, kind or field(1, field(4, b"About it"))))

    return change


def without_crc_check(content: bytes, *, of: str, change: Callable[[bytearray, int, int], None]) -> bytes:
    """The zip with its headers of one entry changed: called with the bytes and the places of the two headers."""
    held = bytearray(content)
    name = of.encode()
    local, central = held.find(b"PK\x03\x04"), held.find(b"PK\x01\x02")
    while held[local + 30 : local + 30 + len(name)] != name:
        local = held.index(b"PK\x03\x04", local + 4)
    while held[central + 46 : central + 46 + len(name)] != name:
        central = held.index(b"PK\x01\x02", central + 4)
    change(held, local, central)
    return bytes(held)
