"""The process that writes an Anki package: an order and the lines of a bundle on standard input.

A process of its own, because packing a large account holds the interpreter for seconds.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import sys
import zipfile
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, Final

import msgspec

from app.domain.calendar import StudyClock
from app.domain.media import MediaKind, ending, kind
from app.domain.transfer.anki.exported import (
    ExportDays,
    card_numbers,
    field_html,
    is_cloze_card,
    log_numbers,
    tags_of,
)
from app.domain.transfer.bundle import BroughtCard, BroughtDeck, BroughtQuestion, Line, Side

# The form of packages that every Anki since 2.0 opens (schema 11): its tables, with note types and decks as JSON.
_SCHEMA: Final = """
CREATE TABLE col (id integer PRIMARY KEY, crt integer NOT NULL, mod integer NOT NULL, scm integer NOT NULL,
  ver integer NOT NULL, dty integer NOT NULL, usn integer NOT NULL, ls integer NOT NULL, conf text NOT NULL,
  models text NOT NULL, decks text NOT NULL, dconf text NOT NULL, tags text NOT NULL);
CREATE TABLE notes (id integer PRIMARY KEY, guid text NOT NULL, mid integer NOT NULL, mod integer NOT NULL,
  usn integer NOT NULL, tags text NOT NULL, flds text NOT NULL, sfld text NOT NULL, csum integer NOT NULL,
  flags integer NOT NULL, data text NOT NULL);
CREATE TABLE cards (id integer PRIMARY KEY, nid integer NOT NULL, did integer NOT NULL, ord integer NOT NULL,
  mod integer NOT NULL, usn integer NOT NULL, type integer NOT NULL, queue integer NOT NULL, due integer NOT NULL,
  ivl integer NOT NULL, factor integer NOT NULL, reps integer NOT NULL, lapses integer NOT NULL, left integer NOT NULL,
  odue integer NOT NULL, odid integer NOT NULL, flags integer NOT NULL, data text NOT NULL);
CREATE TABLE revlog (id integer PRIMARY KEY, cid integer NOT NULL, usn integer NOT NULL, ease integer NOT NULL,
  ivl integer NOT NULL, lastIvl integer NOT NULL, factor integer NOT NULL, time integer NOT NULL,
  type integer NOT NULL);
CREATE TABLE graves (usn integer NOT NULL, oid integer NOT NULL, type integer NOT NULL);
CREATE INDEX ix_notes_csum ON notes (csum);
CREATE INDEX ix_cards_nid ON cards (nid);
CREATE INDEX ix_revlog_cid ON revlog (cid);
"""
_COLLECTION: Final = "INSERT INTO col VALUES (1, ?, ?, ?, 11, 0, 0, 0, ?, ?, ?, ?, '{}')"
_NOTE: Final = "INSERT INTO notes VALUES (?, ?, ?, ?, -1, ?, ?, ?, ?, 0, '')"
_CARD: Final = "INSERT INTO cards VALUES (?, ?, ?, ?, ?, -1, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, ?, ?)"
_LOG: Final = "INSERT INTO revlog VALUES (?, ?, -1, ?, ?, ?, ?, ?, ?)"

# Chosen once: the same note types on every export, so that a package that comes again updates its notes.
_BASIC_ID: Final = 1_764_547_201_101
_CLOZE_ID: Final = 1_764_547_201_102
_MADE_AT: Final = 1_764_547_201
_DEFAULT: Final = 1
_CSS: Final = ".card { font: 20px system-ui, sans-serif; text-align: center; } img { max-width: 100%; }"


def _note_type(id: int, name: str, type: int, first: str, question: str) -> dict[str, Any]:
    """A note type with two fields and one template: `type` 0 makes a card of each note, 1 one of each gap."""
    field_options: dict[str, Any] = {"sticky": False, "rtl": False, "font": "Arial", "size": 20, "media": []}
    template = {"name": "Card 1", "ord": 0, "qfmt": question, "afmt": _answer(question, type), "did": None}
    return {
        "id": id,
        "name": name,
        "type": type,
        "mod": _MADE_AT,
        "usn": -1,
        "sortf": 0,
        "did": _DEFAULT,
        "tmpls": [template | {"bqfmt": "", "bafmt": "", "bfont": "", "bsize": 0}],
        "flds": [{"name": field, "ord": place, **field_options} for place, field in enumerate((first, "Back"))],
        "css": _CSS,
        "latexPre": "",
        "latexPost": "",
        "req": [[0, "all", [0]]],
        "tags": [],
        "vers": [],
    }


def _answer(question: str, type: int) -> str:
    return f"{question if type else '{{FrontSide}}'}<hr id=answer>{{{{Back}}}}"


_NOTE_TYPES: Final = {
    str(_BASIC_ID): _note_type(_BASIC_ID, "Loci", 0, "Front", "{{Front}}"),
    str(_CLOZE_ID): _note_type(_CLOZE_ID, "Loci Cloze", 1, "Text", "{{cloze:Text}}"),
}


def _deck(id: int, name: str, description: str) -> dict[str, Any]:
    today = {key: [0, 0] for key in ("newToday", "revToday", "lrnToday", "timeToday")}
    return {
        "id": id,
        "name": name,
        "desc": description,
        "mod": _MADE_AT,
        "usn": -1,
        "dyn": 0,
        "conf": 1,
        "collapsed": False,
        "extendNew": 0,
        "extendRev": 0,
        **today,
    }


# Options of decks, which every deck names; they are not imported unless the person asks for it.
_DECK_OPTIONS: Final = {
    "1": {
        "id": 1,
        "name": "Default",
        "mod": 0,
        "usn": 0,
        "maxTaken": 60,
        "autoplay": True,
        "timer": 0,
        "replayq": True,
        "new": {
            "delays": [1.0, 10.0],
            "ints": [1, 4, 0],
            "initialFactor": 2500,
            "order": 1,
            "perDay": 20,
            "bury": False,
        },
        "rev": {"perDay": 200, "ease4": 1.3, "ivlFct": 1.0, "maxIvl": 36500, "bury": False, "hardFactor": 1.2},
        "lapse": {"delays": [10.0], "mult": 0.0, "minInt": 1, "leechFails": 8, "leechAction": 1},
        "dyn": False,
    }
}


@dataclass(frozen=True, slots=True)
class WriteOrder:
    """The first line of the input: where the package goes, and the person's study days and steps."""

    path: str
    now: datetime
    zone: str
    rollover_hour: int
    desired_retention: float
    steps: int
    relearning_steps: int


class _Ids:
    """Ids that are times in milliseconds: each is the one wanted, or the next that is free."""

    def __init__(self) -> None:
        self._beyond: dict[int, int] = {}

    def take(self, wanted: int) -> int:
        # Every id that is taken points beyond itself, and a walk shortens the pointers that it follows: a thousand
        # equal times cost a thousand steps, not a million.
        free, walked = wanted, list[int]()
        while free in self._beyond:
            walked.append(free)
            free = self._beyond[free]
        for id in (*walked, free):
            self._beyond[id] = free + 1
        return free


def _checksum(text: str) -> int:
    """Anki's checksum of the first field, by which it finds duplicates of notes: 32 bits of SHA-1."""
    return int.from_bytes(hashlib.sha1(text.encode(), usedforsecurity=False).digest()[:4], "big")


@dataclass(slots=True)
class _Writer:
    order: WriteOrder
    days: ExportDays
    cursor: sqlite3.Cursor
    archive: zipfile.ZipFile
    decks: dict[int, int] = field(default_factory=dict[int, int])
    """Anki's ids of decks by their numbers."""
    deck_rows: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    names: dict[str, str] = field(default_factory=dict[str, str])
    """File names in the package by digest."""
    kinds: dict[str, MediaKind] = field(default_factory=dict[str, MediaKind])
    media: dict[str, str] = field(default_factory=dict[str, str])
    """Numbers of files and their names, as Anki's `media` has them."""
    note_ids: _Ids = field(default_factory=_Ids)
    card_ids: _Ids = field(default_factory=_Ids)
    log_ids: _Ids = field(default_factory=_Ids)
    position: int = 0

    def begin(self) -> None:
        self.cursor.executescript(_SCHEMA)

    def deck(self, deck: BroughtDeck) -> None:
        name = f"{deck.collection}::{deck.name}" if deck.collection else deck.name
        id = int.from_bytes(hashlib.blake2b(name.encode(), digest_size=5).digest(), "big") | 1 << 40
        self.decks[deck.number] = id
        self.deck_rows[str(id)] = _deck(id, name, deck.description)

    def end(self) -> None:
        """The row of the collection, once its decks are known."""
        milliseconds = int(self.order.now.timestamp() * 1000)
        settings = {
            "schedVer": 2,
            "sched2021": True,
            "creationOffset": self.days.offset_minutes,
            "rollover": self.order.rollover_hour,
            "fsrs": True,
            "nextPos": self.position + 1,
            "curDeck": _DEFAULT,
            "activeDecks": [_DEFAULT],
            "curModel": _BASIC_ID,
            "sortType": "noteFld",
            "sortBackwards": False,
            "collapseTime": 1200,
            "estTimes": True,
            "dueCounts": True,
            "timeLim": 0,
            "newSpread": 0,
            "addToCur": True,
        }
        decks = {str(_DEFAULT): _deck(_DEFAULT, "Default", "")} | self.deck_rows
        texts = (json.dumps(each) for each in (settings, _NOTE_TYPES, decks, _DECK_OPTIONS))
        self.cursor.execute(_COLLECTION, (int(self.days.created_at.timestamp()), milliseconds, milliseconds, *texts))

    def content(self, digest: str, mime: str, data: bytes) -> None:
        self.kinds[digest] = kind(mime)
        self.names[digest] = f"loci-{digest[:32]}{ending(mime)}"
        number = str(len(self.media))
        self.media[number] = self.names[digest]
        self.archive.writestr(zipfile.ZipInfo(number), data)

    def card(self, card: BroughtCard) -> None:
        cloze = is_cloze_card(card)
        sides = [
            field_html(plain, rich, self._files(card, side))
            for plain, rich, side in (
                (card.front, card.front_rich, Side.FRONT),
                (card.back, card.back_rich, Side.BACK),
            )
        ]
        created = card.created_at or self.order.now
        changed = int((card.updated_at or created).timestamp())
        note_id = self.note_ids.take(int(created.timestamp() * 1000))
        tags = " ".join(tags_of(card))
        self.cursor.execute(
            _NOTE,
            (note_id, card.guid, _CLOZE_ID if cloze else _BASIC_ID, changed, f" {tags} " if tags else "",
             "\x1f".join(sides), card.front, _checksum(card.front)),
        )  # fmt: skip
        for question in card.questions:
            if not question.gone:
                self._question(question, note_id, self.decks[card.deck], changed)

    def _question(self, question: BroughtQuestion, note_id: int, deck_id: int, changed: int) -> None:
        self.position += 1
        numbers = card_numbers(
            question,
            self.days,
            position=self.position,
            steps=self.order.steps,
            relearning_steps=self.order.relearning_steps,
            retention=self.order.desired_retention,
        )
        card_id = self.card_ids.take(note_id)
        self.cursor.execute(
            _CARD,
            (card_id, note_id, deck_id, numbers.ord, changed, numbers.type, numbers.queue, numbers.due, numbers.ivl,
             numbers.factor, numbers.reps, numbers.lapses, numbers.left, numbers.flags, numbers.data),
        )  # fmt: skip
        for row in log_numbers(question.reviews):
            moment = self.log_ids.take(row.id)
            values = (moment, card_id, row.ease, row.ivl, row.last_ivl, row.factor, row.time, row.type)
            self.cursor.execute(_LOG, values)

    def _files(self, card: BroughtCard, side: Side) -> tuple[tuple[MediaKind, str], ...]:
        return tuple(
            (self.kinds[use.digest], self.names[use.digest])
            for use in card.media
            if use.side is side and use.digest in self.names
        )


def write(order: WriteOrder, lines: BinaryIO) -> None:
    """Write the package of the lines that follow."""
    path = Path(order.path)
    database = path.with_suffix(".collection")
    connection = sqlite3.connect(database)
    decoder = msgspec.json.Decoder(Line)
    try:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            clock = StudyClock(order.zone, order.rollover_hour)
            writer = _Writer(order, ExportDays(clock, order.now), connection.cursor(), archive)
            writer.begin()
            for text in lines:
                line = decoder.decode(text)
                if line.deck is not None:
                    writer.deck(line.deck)
                elif line.media is not None:
                    writer.content(line.media.digest, line.media.mime, lines.read(line.media.size))
                elif line.card is not None:
                    writer.card(line.card)
            writer.end()
            connection.commit()
            connection.close()
            archive.write(database, "collection.anki2")
            archive.writestr("media", json.dumps(writer.media))
    finally:
        connection.close()
        database.unlink(missing_ok=True)


def main() -> None:
    os.nice(10)  # answering people comes first
    write(msgspec.json.decode(sys.stdin.buffer.readline(), type=WriteOrder), sys.stdin.buffer)


if __name__ == "__main__":
    main()
