"""The process that writes an Anki package: an order and the lines of a bundle on standard input.

A process of its own, because packing a large account holds the interpreter for seconds.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import sqlite3
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, Final

import genanki  # pyright: ignore[reportMissingTypeStubs]
import msgspec
from genanki.apkg_col import APKG_COL  # pyright: ignore[reportMissingTypeStubs]
from genanki.apkg_schema import APKG_SCHEMA  # pyright: ignore[reportMissingTypeStubs]

from app.domain.calendar import StudyClock
from app.domain.media import MediaKind, ending, kind
from app.domain.transfer.anki.exported import (
    CardNumbers,
    Days,
    LogNumbers,
    card_numbers,
    field_html,
    is_cloze_card,
    log_numbers,
    tags_of,
)
from app.domain.transfer.bundle import BroughtCard, BroughtDeck, BroughtQuestion, Line, Side

# Chosen once: the same note types on every export, so that a package that comes again updates its notes.
_BASIC_ID, _CLOZE_ID = 1_764_547_201_101, 1_764_547_201_102
_MADE_AT: Final = 1_764_547_201.0
_CSS: Final = (
    ".card { font-family: system-ui, sans-serif; font-size: 20px; text-align: center; } img { max-width: 100%; }"
)
_ANSWER: Final = "{{FrontSide}}<hr id=answer>{{Back}}"
_BASIC: Any = genanki.Model(
    _BASIC_ID,
    "Loci",
    fields=[{"name": "Front"}, {"name": "Back"}],
    templates=[{"name": "Card 1", "qfmt": "{{Front}}", "afmt": _ANSWER}],
    css=_CSS,
)
_CLOZE: Any = genanki.Model(
    _CLOZE_ID,
    "Loci Cloze",
    fields=[{"name": "Text"}, {"name": "Back"}],
    templates=[{"name": "Cloze", "qfmt": "{{cloze:Text}}", "afmt": "{{cloze:Text}}<hr id=answer>{{Back}}"}],
    css=_CSS,
    model_type=genanki.Model.CLOZE,
)
_CARD: Final = f"INSERT INTO cards VALUES ({', '.join('?' * 18)})"  # noqa: S608 - question marks
_LOG: Final = f"INSERT INTO revlog VALUES ({', '.join('?' * 9)})"  # noqa: S608 - question marks


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


class _Card(genanki.Card):  # type: ignore[misc]
    """A card with its schedule and log, where the library's own is always new."""

    def __init__(self, numbers: CardNumbers, log: list[LogNumbers], taken: set[int]) -> None:
        super().__init__(numbers.ord)  # pyright: ignore[reportUnknownMemberType]
        self._numbers, self._log, self._taken = numbers, log, taken

    def write_to_db(  # pyright: ignore[reportIncompatibleMethodOverride]
        self,
        cursor: Any,
        timestamp: float,
        deck_id: int,
        note_id: int,
        id_gen: Iterator[int],
        due: int = 0,  # noqa: ARG002 - the library's parameter
    ) -> None:
        card_id, numbers = next(id_gen), self._numbers
        cursor.execute(
            _CARD,
            (card_id, note_id, deck_id, numbers.ord, int(timestamp), -1, numbers.type, numbers.queue, numbers.due,
             numbers.ivl, numbers.factor, numbers.reps, numbers.lapses, numbers.left, 0, 0, numbers.flags,
             numbers.data),
        )  # fmt: skip
        for row in self._log:
            moment = _free(row.id, self._taken)
            cursor.execute(_LOG, (moment, card_id, -1, row.ease, row.ivl, row.last_ivl, row.factor, row.time, row.type))


def _free(wanted: int, taken: set[int]) -> int:
    """The id, or the next that is free: ids are times in milliseconds, and some happen at once."""
    while wanted in taken:
        wanted += 1
    taken.add(wanted)
    return wanted


@dataclass(slots=True)
class _Writer:
    order: WriteOrder
    days: Days
    cursor: sqlite3.Cursor
    archive: zipfile.ZipFile
    decks: dict[int, tuple[int, str]] = field(default_factory=dict[int, tuple[int, str]])
    names: dict[str, str] = field(default_factory=dict[str, str])
    """File names in the package by digest."""
    kinds: dict[str, MediaKind] = field(default_factory=dict[str, MediaKind])
    media: dict[str, str] = field(default_factory=dict[str, str])
    """Numbers of files and their names, as Anki's `media` has them."""
    note_ids: set[int] = field(default_factory=set[int])
    card_ids: set[int] = field(default_factory=set[int])
    log_ids: set[int] = field(default_factory=set[int])
    position: int = 0

    def begin(self) -> None:
        self.cursor.executescript(APKG_SCHEMA)
        self.cursor.executescript(APKG_COL)
        (conf,) = self.cursor.execute("SELECT conf FROM col").fetchone()
        created = self.days.created_at
        settings = json.loads(conf) | {
            "schedVer": 2,
            "sched2021": True,
            "creationOffset": self.days.offset_minutes,
            "rollover": self.order.rollover_hour,
            "fsrs": True,
        }
        models = {str(model.model_id): model.to_json(_MADE_AT, 1) for model in (_BASIC, _CLOZE)}
        self.cursor.execute(
            "UPDATE col SET crt = ?, mod = ?, scm = ?, conf = ?, models = ?",
            (
                int(created.timestamp()),
                int(self.order.now.timestamp() * 1000),
                int(self.order.now.timestamp() * 1000),
                json.dumps(settings),
                json.dumps(models),
            ),
        )

    def deck(self, deck: BroughtDeck) -> None:
        name = f"{deck.collection}::{deck.name}" if deck.collection else deck.name
        digest = hashlib.blake2b(name.encode(), digest_size=6).digest()
        self.decks[deck.number] = int.from_bytes(digest) | 1 << 40, name
        (known,) = self.cursor.execute("SELECT decks FROM col").fetchone()
        made: Any = genanki.Deck(self.decks[deck.number][0], name, deck.description)
        decks = json.loads(known) | {str(made.deck_id): made.to_json()}
        self.cursor.execute("UPDATE col SET decks = ?", (json.dumps(decks),))

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
        note: Any = genanki.Note(
            model=_CLOZE if cloze else _BASIC, fields=sides, tags=tags_of(card), guid=card.guid, sort_field=card.front
        )
        note.cards = [self._card(question) for question in card.questions if not question.gone]
        created = card.created_at or self.order.now
        changed = card.updated_at or created
        note_id = _free(int(created.timestamp() * 1000), self.note_ids)
        ids = itertools.chain([note_id], (_free(note_id, self.card_ids) for _ in itertools.count()))
        note.write_to_db(self.cursor, changed.timestamp(), self.decks[card.deck][0], ids)

    def _card(self, question: BroughtQuestion) -> _Card:
        self.position += 1
        numbers = card_numbers(
            question,
            self.days,
            position=self.position,
            steps=self.order.steps,
            relearning_steps=self.order.relearning_steps,
            retention=self.order.desired_retention,
        )
        return _Card(numbers, log_numbers(question.reviews), self.log_ids)

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
            writer = _Writer(order, Days(clock, order.now), connection.cursor(), archive)
            writer.begin()
            for text in lines:
                line = decoder.decode(text)
                if line.deck is not None:
                    writer.deck(line.deck)
                elif line.media is not None:
                    writer.content(line.media.digest, line.media.mime, lines.read(line.media.size))
                elif line.card is not None:
                    writer.card(line.card)
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
