"""Packages that were made to do harm or came damaged, each with what must come of it."""

from __future__ import annotations

import json
import random
import sqlite3
import struct
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import zstandard

from tests.transfer.package_makers import (
    BASIC,
    CLOZE,
    NOTE_ID,
    Change,
    collection,
    field,
    legacy,
    model,
    modern,
    new_schema,
    package,
    packed,
    without_crc_check,
)


@dataclass(frozen=True)
class Hostile:
    make: Callable[[Path], bytes]
    refused: str = ""
    """A part of the reason; empty for a file that is read."""
    cards: int = 0
    said: str = ""
    """A part of a problem or warning."""


DAMAGED = "damaged and cannot be unpacked"
NO_COLLECTION = "damaged, or none of Anki's"
NO_TYPES = "note types or decks"
NO_PACKAGE = "not a package of Anki's"


def executed(*statements: str) -> Change:
    def change(connection: sqlite3.Connection) -> None:
        for statement in statements:
            connection.execute(statement)

    return change


def changed(*statements: str) -> Callable[[Path], bytes]:
    return lambda folder: legacy(collection(folder, change=executed(*statements)))


def card(**values: object) -> Callable[[Path], bytes]:
    """One card in review with these values."""
    row = {"type": 2, "queue": 2, "due": 900, "ivl": 10, "factor": 2500, "reps": 3} | values
    return lambda folder: legacy(collection(folder, card=row))


def templated(question: str, answer: str = "{{Back}}", *fields: str) -> Callable[[Path], bytes]:
    models = {str(BASIC): model(question, answer)}
    return lambda folder: legacy(collection(folder, fields or ("front", "back"), models=models))


def noted(*fields: str, note_type: int = BASIC, tags: str = "") -> Callable[[Path], bytes]:
    return lambda folder: legacy(collection(folder, fields, note_type=note_type, tags=tags))


def replaced(table: str, *made: str) -> Callable[[Path], bytes]:
    return changed(f"DROP TABLE {table}", *made)


def bytes_changed(change: Callable[[bytearray], object]) -> Callable[[Path], bytes]:
    def make(folder: Path) -> bytes:
        content = bytearray(collection(folder, *[(f"front {number}", "b" * 300) for number in range(200)]))
        change(content)
        return legacy(bytes(content))

    return make


def noise(content: bytearray) -> None:
    chance = random.Random(5)  # noqa: S311 - noise, not a secret
    for place in range(4_096, len(content), 97):
        content[place] = chance.randrange(256)


def zipped(change: Callable[[bytearray, int, int], None]) -> Callable[[Path], bytes]:
    return lambda folder: without_crc_check(legacy(collection(folder)), of="collection.anki2", change=change)


def word(at: int, value: int, size: str = "<I") -> Callable[[bytearray, int, int], None]:
    """Write a value at a place of the central header, and there alone."""
    return lambda held, _local, central: struct.pack_into(size, held, central + at, value)


def flagged(held: bytearray, local: int, central: int) -> None:
    held[local + 6] |= 1
    held[central + 8] |= 1


def _duplicated(content: bytes) -> bytes:
    """Two entries under the name of the collection."""
    return package({"collection.anki2": content, "collection.ankiX": content}).replace(b"ankiX", b"anki2")


def end_of_zip(at: int, value: int, size: str) -> Callable[[Path], bytes]:
    def make(folder: Path) -> bytes:
        content = bytearray(legacy(collection(folder)))
        struct.pack_into(size, content, content.rindex(b"PK\x05\x06") + at, value)
        return bytes(content)

    return make


def locator64(folder: Path) -> bytes:
    content = legacy(collection(folder))
    at = content.rindex(b"PK\x05\x06")
    return content[:at] + b"PK\x06\x07" + struct.pack("<IQI", 0, 1 << 60, 1) + content[at:]


def media(listed: object, html: str, content: bytes = b"\x89PNG\r\n\x1a\n") -> Callable[[Path], bytes]:
    text = listed if isinstance(listed, bytes) else json.dumps(listed).encode()
    return lambda folder: package({"collection.anki2": collection(folder, (html, "back")), "media": text, "0": content})


def zeros(megabytes: int, *, from_window: int = 0) -> bytes:
    """Packed with Zstandard."""
    parameters = zstandard.ZstdCompressionParameters(window_log=from_window or 20)
    compressor = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    piece = bytes(1 << 20)
    return b"".join([compressor.compress(piece) for _ in range(megabytes)]) + compressor.flush()


def of_schema_18(**messages: bytes) -> Callable[[Path], bytes]:
    return lambda folder: modern(packed(collection(folder, change=new_schema(**messages))))


def many_cards(connection: sqlite3.Connection) -> None:
    rows = ((NOTE_ID + 10 + number, NOTE_ID, number % 30_000) for number in range(100_000))
    connection.executemany("INSERT INTO cards SELECT ?, ?, 1, ?, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ''", rows)


def long_log(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE cards SET type = 2, queue = 2, ivl = 10, due = 900")
    rows = ((NOTE_ID + 1_000 * number, NOTE_ID) for number in range(250_000))
    connection.executemany("INSERT INTO revlog VALUES (?, ?, 0, 3, 10, 10, 2500, 1000, 1)", rows)


def wrong_log(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE cards SET type = 2, queue = 2, ivl = 10, due = 900")
    for key, values in enumerate(((3, 1 << 40, 1), (3, -(1 << 61), 0), ("x", 1, 1), (9, 1, 1), (3, 5, 77), (3, 2, 0))):
        connection.execute(
            "INSERT INTO revlog VALUES (?, ?, 0, ?, ?, 0, 2500, -5, ?)", (NOTE_ID + key, NOTE_ID, *values)
        )
    for key in (-(1 << 62), 5, 1 << 62):
        connection.execute("INSERT INTO revlog VALUES (?, ?, 0, 3, 1, 1, 2500, 1, 1)", (key, NOTE_ID))


def text_for_numbers(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE cards SET did = 'x', ord = x'00', type = 'two', due = 'soon', ivl = 1e300, data = 5")
    connection.execute(
        "UPDATE notes SET mod = 'never', guid = 7, tags = x'ff', flds = CAST('a' || char(31) || 'b' AS BLOB)"
    )


def same_identity(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE notes SET guid = 'same'")


NESTED = "[" * 200_000

HOSTILE: dict[str, Hostile] = {
    # The file and the zip
    "empty": Hostile(lambda _: b"", NO_PACKAGE),
    "not a zip": Hostile(lambda _: random.Random(1).randbytes(50_000), NO_PACKAGE),  # noqa: S311 - noise
    "a page of a site": Hostile(lambda _: b"<!doctype html><title>Download</title>", NO_PACKAGE),
    "cut off": Hostile(lambda folder: legacy(collection(folder))[:-400], NO_PACKAGE),
    "cut in the middle": Hostile(lambda folder: (content := legacy(collection(folder)))[:600] + content[900:], DAMAGED),
    "no collection": Hostile(lambda _: package({"readme.txt": b"hello"}), "no collection"),
    "a name that is not": Hostile(lambda folder: package({"../collection.anki2": collection(folder)}), "no collection"),
    "an empty collection": Hostile(lambda _: legacy(b""), NO_COLLECTION),
    "size too small": Hostile(zipped(word(24, 100)), DAMAGED),
    "size too large": Hostile(zipped(word(24, 0x7FFFFFFF)), "larger than 1024 MB"),
    "wrong checksum": Hostile(zipped(word(16, 1)), DAMAGED),
    "packed size too large": Hostile(zipped(word(20, 0x7FFFFFF0)), DAMAGED),
    "place outside the file": Hostile(zipped(word(42, 0x7FFFFFF0)), DAMAGED),
    "password": Hostile(zipped(flagged), "password"),
    "symbolic link": Hostile(zipped(word(38, 0o120777 << 16)), "not a file"),
    "device": Hostile(zipped(word(38, 0o020666 << 16)), "not a file"),
    "another method": Hostile(
        lambda folder: package({"collection.anki2": collection(folder)}, method=zipfile.ZIP_BZIP2), "packed in a way"
    ),
    "two of one name": Hostile(lambda folder: _duplicated(collection(folder)), "two files of one name"),
    "too many entries": Hostile(end_of_zip(10, 0xFFFF, "<H"), "", 1),
    "directory too large": Hostile(end_of_zip(12, 0x7FFFFFFF, "<I"), "too many files"),
    "end of another place": Hostile(locator64, DAMAGED),
    "bomb": Hostile(lambda _: package({"collection.anki2": bytes(100 << 20)}), "far more than a collection"),
    "bomb of Zstandard": Hostile(lambda _: modern(zeros(300)), "far more than a collection"),
    "window of two gigabytes": Hostile(lambda _: modern(zeros(1, from_window=31)), DAMAGED),
    "no Zstandard": Hostile(lambda folder: modern(collection(folder)), DAMAGED),
    "half of Zstandard": Hostile(lambda folder: modern(packed(collection(folder))[:500]), "damaged"),
    "stub by its version": Hostile(
        lambda folder: package({"meta": b"\x08\x03", "collection.anki2": collection(folder)}), "asks to update Anki"
    ),
    "stub by its note": Hostile(
        noted("Please update to the latest Anki version, then import the .colpkg/.apkg file again.", ""),
        "asks to update Anki",
    ),
    "meta without an end": Hostile(
        lambda folder: package({"meta": b"\xff" * 30, "collection.anki2": collection(folder)}), "message"
    ),
    # Pictures and sounds
    "list that is no JSON": Hostile(media(b"{", "x"), "list of pictures"),
    "list that is nested": Hostile(media(NESTED.encode(), "x"), "list of pictures"),
    "list of another kind": Hostile(media([1, 2], "x"), "list of pictures"),
    "list that is no message": Hostile(
        lambda folder: modern(packed(collection(folder)), {"media": packed(b"\x0a\xff\xff\xff\xff\x0f")}), "message"
    ),
    "path to a file": Hostile(media({"0": "../../etc/passwd"}, '<img src="../../etc/passwd">'), "", 1, "has a name"),
    "path in percent signs": Hostile(media({"0": "..%2fx.png"}, '<img src="..%2fx.png">'), "", 1, "has a name"),
    "drive and stream": Hostile(media({"0": "C:x.png"}, "[sound:C:x.png]"), "", 1, "has a name"),
    "name with a zero": Hostile(media({"0": "a\x00.png"}, '<img src="a\x00.png">'), "", 1, "has a name"),
    "name with half a character": Hostile(media({"0": "\ud800.png"}, '<img src="x.png">'), "", 1, "not in the package"),
    "file that the list lacks": Hostile(media({}, '<img src="0">'), "", 1, "not in the package"),
    "entry as a picture": Hostile(
        media({"collection.anki2": "x.png"}, '<img src="x.png">'), "", 1, "neither a picture"
    ),
    "picture of another server": Hostile(media({}, '<img src="https://example.com/x.png">'), "", 1, "another server"),
    "script for a picture": Hostile(
        media({"0": "x.png"}, '<img src="x.png">', b"<script>"), "", 1, "neither a picture"
    ),
    "bomb for a picture": Hostile(media({"0": "x.png"}, '<img src="x.png">', bytes(60 << 20)), "", 1, "more than 5 MB"),
    "a thousand pictures": Hostile(media({"0": "x.png"}, '<img src="x.png">' * 1_000), "", 1, "too many files"),
    # SQLite
    "no database": Hostile(lambda _: legacy(b"SQLite format 2\x00" + bytes(5_000)), NO_COLLECTION),
    "header alone": Hostile(lambda folder: legacy(collection(folder)[:100]), NO_COLLECTION),
    "half a database": Hostile(
        bytes_changed(lambda held: held.__delitem__(slice(len(held) // 2, None))), NO_COLLECTION
    ),
    "page size of nothing": Hostile(
        bytes_changed(lambda held: held.__setitem__(slice(16, 18), b"\0\3")), NO_COLLECTION
    ),
    "noise in its pages": Hostile(bytes_changed(noise), NO_COLLECTION),
    "no tables": Hostile(changed("DROP TABLE notes", "DROP TABLE cards"), NO_COLLECTION),
    "view for notes": Hostile(
        replaced("notes", "CREATE VIEW notes AS SELECT 1 AS id, '' guid, 1 mid, 1 mod, '' tags, 'a' flds"),
        NO_COLLECTION,
    ),
    "view without an end for cards": Hostile(
        replaced(
            "cards",
            "CREATE VIEW cards AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id FROM n",
        ),
        NO_COLLECTION,
    ),
    "virtual table": Hostile(
        replaced("notes", "CREATE VIRTUAL TABLE notes USING fts5(guid, mid, mod, tags, flds)"), NO_COLLECTION
    ),
    "computed column": Hostile(
        replaced(
            "notes",
            "CREATE TABLE notes (id integer PRIMARY KEY, guid, mid, mod, tags, flds AS (hex(zeroblob(1000000000))))",
        ),
        NO_COLLECTION,
    ),
    "notes without a key": Hostile(
        replaced("notes", "CREATE TABLE notes (id text, guid, mid, mod, tags, flds)"), NO_COLLECTION
    ),
    "missing columns": Hostile(replaced("cards", "CREATE TABLE cards (id integer PRIMARY KEY, nid)"), NO_COLLECTION),
    "three hundred columns": Hostile(
        changed(f"CREATE TABLE wide ({', '.join(f'c{number}' for number in range(300))})"), NO_COLLECTION
    ),
    "a function in an index": Hostile(changed("CREATE INDEX long ON notes (hex(zeroblob(100000)))"), "", 1),
    "trigger": Hostile(changed("CREATE TRIGGER t AFTER INSERT ON cards BEGIN DELETE FROM notes; END"), "", 1),
    "collection without a row": Hostile(changed("DELETE FROM col"), NO_COLLECTION),
    "value of seventy megabytes": Hostile(changed("UPDATE notes SET flds = randomblob(73400320)"), NO_COLLECTION),
    "text where numbers are": Hostile(lambda folder: legacy(collection(folder, change=text_for_numbers)), "", 1),
    "cards without a note": Hostile(changed("UPDATE cards SET nid = nid + 5"), "", 0, "without a note"),
    "a hundred thousand cards of a note": Hostile(
        lambda folder: legacy(collection(folder, change=many_cards)), "", 1, "more of one note"
    ),
    "a quarter of a million answers": Hostile(lambda folder: legacy(collection(folder, change=long_log)), "", 1),
    "answers that cannot be": Hostile(
        lambda folder: legacy(collection(folder, change=wrong_log)), "", 1, "cannot be were left out: 5"
    ),
    "one identity for all": Hostile(
        lambda folder: legacy(collection(folder, ("a", "b"), ("c", "d"), change=same_identity)), "", 2, "twice"
    ),
    # Note types and decks
    "models that are no JSON": Hostile(lambda folder: legacy(collection(folder, models="{")), NO_TYPES),
    "models that are nested": Hostile(lambda folder: legacy(collection(folder, models=NESTED)), NO_TYPES),
    "models that are a number": Hostile(lambda folder: legacy(collection(folder, models="7")), NO_TYPES),
    "models of other kinds": Hostile(
        lambda folder: legacy(collection(folder, models={"1": {"flds": 3, "tmpls": "x", "name": []}, "x": 1})),
        "",
        0,
        "no template",
    ),
    "decks that are nested": Hostile(lambda folder: legacy(collection(folder, decks=NESTED)), NO_TYPES),
    "note type that is no message": Hostile(of_schema_18(notetype=b"\x0f\x01"), "message"),
    "template that is no message": Hostile(of_schema_18(template=b"\x0a\x7f{{Front}}"), "message"),
    "deck that is no message": Hostile(of_schema_18(kind=field(1, b"\xff")), "message"),
    "group of a message": Hostile(of_schema_18(notetype=b"\x0b" * 1_000), "message"),
    "deck with a zero and marks": Hostile(
        lambda folder: legacy(collection(folder, decks={"1": {"name": "\x00::\u202e::\ud800::" + "x" * 5_000}})), "", 1
    ),
    "sections without an end": Hostile(templated("{{#Front}}" * 5_000 + "{{Front}}"), "", 0, "broken"),
    "sections in each other": Hostile(templated("{{#Front}}{{#Back}}{{/Front}}{{/Back}}{{Front}}"), "", 1, "broken"),
    "front that holds itself": Hostile(templated("{{FrontSide}}{{Front}}", "{{FrontSide}}{{Back}}"), "", 1),
    "mustaches without an end": Hostile(templated("{{Front}}" + "{{" * 50_000), "", 0, "broken"),
    "comments without an end": Hostile(templated("{{Front}}" + "<!--" * 40_000), "", 0, "characters"),
    "a field two thousand times": Hostile(
        templated("{{Front}}" * 2_000, "{{Back}}", "x" * 100_000, "b"), "", 0, "too long"
    ),
    "filters without number": Hostile(
        templated("{{" + "text:" * 30_000 + "Front}}", "{{Back}}", "<b>x" * 20_000, "b"), "", 0, "broken"
    ),
    "filter on what is nothing": Hostile(
        templated("{{text:Front}}" * 2_000 + "x", "{{Back}}", "<!--" + "x" * 190_000 + "-->", "b"), "", 0, "too long"
    ),
    # Text
    "field of a million letters": Hostile(noted("x" * 1_000_000, "b"), "", 0, "too long"),
    "thirty million fields": Hostile(noted("a", "b", "\x1f" * 30_000_000), "", 1),
    "bomb of HTML": Hostile(noted("<b>" * 60_000 + "x", "b"), "", 1, "formatting"),
    "tags that never end": Hostile(noted("<img src='" * 18_000, "b"), "", 0, "characters"),
    "quotes without an end": Hostile(noted("<img \"'" * 25_000 + ">", "b"), "", 0, ""),
    "readings without number": Hostile(noted("<rt>" * 45_000, "b"), "", 0, ""),
    "deletions in each other": Hostile(noted("{{c1::" * 30_000 + "x" + "}}" * 30_000, "", note_type=CLOZE), "", 0, ""),
    "deletion without an end": Hostile(noted("{{c1::" * 100, "b", note_type=CLOZE), "", 0, "hides nothing"),
    "tags without number": Hostile(noted("a", "b", tags="x::" * 100_000 + " y" * 5_000), "", 1, "Tags"),
    "half a character": Hostile(changed("UPDATE notes SET flds = CAST(x'61eda0801f62' AS text)"), "", 1),
    # Schedules
    "due in the far future": Hostile(card(due=1 << 60), "", 1, "due date"),
    "due before there was anything": Hostile(card(due=-(1 << 60)), "", 1, "due date"),
    "negative due": Hostile(card(due=-300, ivl=-5), "", 1),
    "counts without end": Hostile(card(reps=1 << 62, lapses=-9, left=-1, flags=-1), "", 1),
    "learning in the year 9999": Hostile(card(type=1, queue=1, due=253_402_300_799), "", 1, "due date"),
    "stability without end": Hostile(card(data='{"s": Infinity, "d": NaN, "lrt": 1e400}'), "", 1),
    "stability of nothing": Hostile(card(data='{"s": -5, "d": 1e300, "lrt": -99999999999999}'), "", 1),
    "stability as text": Hostile(card(data='{"s": "x", "d": [1], "lrt": true}'), "", 1),
    "memory that is nested": Hostile(card(data='{"s": ' + "[" * 9_000), "", 1),
    "ease beyond all": Hostile(card(factor=1 << 60, ivl=1 << 60), "", 1),
    "made before the moon": Hostile(
        lambda folder: legacy(collection(folder, created=-(1 << 60), card={"type": 2, "queue": 2, "due": 5})), "", 1, ""
    ),
    "types that there are not": Hostile(card(type=99, queue=-99, odid=1 << 61, odue=1 << 61), "", 1),
}
