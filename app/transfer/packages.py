"""Anki packages (`.apkg`, `.colpkg`, of any version) as lines of a bundle.

Runs in the process that reads files and nowhere else: memory and time are bounded by its limits as well as by those
here. Notes, cards and the log are read side by side in the order of the notes, so a collection of any size takes little
memory.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from app.domain.errors import N_
from app.domain.transfer.anki.log import LogLine
from app.domain.transfer.anki.notes import CARDS_MAX, NoteRow, Notes
from app.domain.transfer.anki.notices import Notices
from app.domain.transfer.anki.schedules import CardRow, Scheduling
from app.domain.transfer.bundle import BundleEnd, Line, ReadOrder, ScheduleChoice
from app.domain.transfer.rows import Reason
from app.transfer.package_collection import Collection, read_collection
from app.transfer.package_database import CARDS, NOTES, REVLOG, Database, opened_collection, unreadable
from app.transfer.package_files import opened_package, stub_only
from app.transfer.package_media import PackageMedia

FORMAT: Final = "anki"
LOG_MAX: Final = 200_000
"""Lines of the log of one note that are read; no one answered a note so often."""

_ALL_NUMBERS: Final = {int}

# In the order of the notes, whatever an index says: a damaged one would mix them up.
_NOTES = f"SELECT {', '.join(NOTES)} FROM notes NOT INDEXED WHERE typeof(id) = 'integer' ORDER BY id"  # noqa: S608
_CARDS = (
    f"SELECT {', '.join(CARDS)} FROM cards NOT INDEXED WHERE typeof(nid) = 'integer' "  # noqa: S608
    "ORDER BY nid, ord, id"
)
_REVLOG = (
    f"SELECT c.nid, {', '.join(f'r.{column}' for column in REVLOG)} FROM revlog AS r NOT INDEXED "  # noqa: S608
    "CROSS JOIN cards AS c ON c.id = r.cid WHERE typeof(c.nid) = 'integer' ORDER BY c.nid, r.id"
)


def read(path: Path, order: ReadOrder) -> Iterator[Line | bytes]:
    """The lines of the package at `path`: decks and media before the cards that name them, the end last.

    The content of a picture or sound follows its line unless the order does without. Raises `InvalidInput` for a file
    that is no package, is damaged or goes beyond the limits, in the middle too where it shows only there.
    """
    with tempfile.TemporaryDirectory(prefix="loci-") as folder, opened_package(path) as files:
        collection = Path(folder) / "collection"
        files.unpack_collection(collection)
        with opened_collection(collection) as database:
            if not (database.has("notes", NOTES, key=True) and database.has("cards", CARDS, key=True)):
                raise unreadable()
            if not files.modern and _asks_to_update(database):
                raise stub_only()
            notices = Notices()
            media = PackageMedia(files, notices, contents=order.media)
            yield from _lines(database, read_collection(database), order, media, notices)


def _lines(
    database: Database, collection: Collection, order: ReadOrder, media: PackageMedia, notices: Notices
) -> Iterator[Line | bytes]:
    scheduling = Scheduling.of(order, collection.created, collection.minutes_west)
    notes = Notes(collection.note_types, collection.decks, scheduling, media.find, notices)
    cards = _OfNotes(database.rows(_CARDS), CARDS.index("nid"), CARDS_MAX)
    log = _OfNotes(_log(database, order), 0, LOG_MAX)
    count = 0
    for place, row in enumerate(database.rows(_NOTES), 1):
        note = _note(row)
        own = [_card(each) for each in cards.of(note.id)]
        lines: dict[int, list[LogLine]] = {}
        for each in log.of(note.id):
            lines.setdefault(_number(each[2]), []).append(_log_line(each))
        for card in notes.cards(place, note, own, lines):
            for deck in notes.take_decks():
                yield Line(deck=deck)
            yield from media.take()
            yield from notices.take()
            yield Line(card=card)
            count += 1
        yield from notices.take()
    _last_notices(notices, notes, scheduling, cards)
    yield from notices.rest()
    yield Line(end=BundleEnd(FORMAT, count, numbered_by="note"))


def _log(database: Database, order: ReadOrder) -> Iterator[tuple[Any, ...]]:
    if order.schedule is not ScheduleChoice.RESET and database.has("revlog", REVLOG, key=True):
        yield from database.rows(_REVLOG)


def _last_notices(notices: Notices, notes: Notes, scheduling: Scheduling, cards: _OfNotes) -> None:
    cards.finish()
    if cards.passed:
        message = N_("Cards without a note, or more of one note than there can be: %(count)d.")
        notices.problem(0, Reason.WRONG_TYPE, message, count=cards.passed)
    if scheduling.dropped:
        message = N_("Answers with a time or an interval that cannot be were left out: %(count)d.")
        notices.warning(0, Reason.LEFT_OUT, message, count=scheduling.dropped)
    if scheduling.mended:
        message = N_("Cards with a due date that cannot be are due at their last review: %(count)d.")
        notices.warning(0, Reason.CHANGED, message, count=scheduling.mended)
    if notes.removed_tags:
        message = N_("Formatting that cards do not have was left out, the text kept: %(tags)s.")
        notices.warning(0, Reason.CHANGED, message, tags=", ".join(notes.removed_tags))


class _OfNotes:
    """Rows in the order of their notes, taken note by note as the notes come, at most so many of one."""

    def __init__(self, rows: Iterator[tuple[Any, ...]], key: int, most: int) -> None:
        self._rows, self._key, self._most = rows, key, most
        self._next = next(rows, None)
        self.passed = 0
        """Rows that were not taken."""

    def of(self, note_id: int) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = []
        while self._next is not None and self._next[self._key] <= note_id:
            if self._next[self._key] == note_id and len(found) < self._most:
                found.append(self._next)
            else:
                self.passed += 1
            self._next = next(self._rows, None)
        return found

    def finish(self) -> None:
        while self._next is not None:
            self.passed += 1
            self._next = next(self._rows, None)


def _asks_to_update(database: Database) -> bool:
    """Whether the only note is the one that newer packages hold for older versions, in whatever language."""
    found = list(database.rows("SELECT flds FROM notes ORDER BY id LIMIT 2"))
    text = _text(found[0][0]) if len(found) == 1 else ""
    return "Anki" in text and ".colpkg" in text and ".apkg" in text


def _note(row: tuple[Any, ...]) -> NoteRow:
    key, guid, note_type, modified, tags, fields = row
    return NoteRow(key, _text(guid), _number(note_type), _number(modified), _text(tags), _text(fields))


def _card(row: tuple[Any, ...]) -> CardRow:
    key, _, deck, *numbers, data = row
    return CardRow(*_numbers((key, deck, *numbers)), data=_text(data))


def _log_line(row: tuple[Any, ...]) -> LogLine:
    _, key, _, ease, interval, factor, time, kind = _numbers(row)
    return LogLine(key, ease, interval, factor, time, kind)


def _numbers(row: tuple[Any, ...]) -> tuple[int, ...]:
    return row if set(map(type, row)) == _ALL_NUMBERS else tuple(_number(value) for value in row)


def _number(value: object) -> int:
    """0 for what is no number: SQLite keeps any value in any column."""
    if isinstance(value, int):
        return value
    return int(value) if isinstance(value, float) and abs(value) < 1 << 62 else 0


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return "" if value is None else str(value)
