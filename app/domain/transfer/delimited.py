"""CSV, TSV and text files of Anki's: tables with one card in a row."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from app.domain.cards import TAG_MAX, TAGS_MAX
from app.domain.errors import N_
from app.domain.transfer.anki_header import AnkiHeader, anki_header
from app.domain.transfer.columns import Column, chosen_columns, columns_named, is_header
from app.domain.transfer.decoding import decoded
from app.domain.transfer.records import Record, records
from app.domain.transfer.rows import DEFAULT_LIMITS, Collector, Limits, Parsed, RawRow, Reason
from app.domain.transfer.separators import chosen_separator, likely_separator, sample, usual_width

TagSeparator = Literal["space", "comma"]
_SEPARATOR_LINE = re.compile(r'"?sep=([^"\n])"?[\t,;|]*(?:\n|\Z)', re.IGNORECASE)


def parse_delimited(
    content: bytes | str,
    *,
    separator: str | None = None,
    has_header: bool | None = None,
    columns: Sequence[str] | None = None,
    tag_separator: TagSeparator | None = None,
    html: bool | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Parsed:
    """The cards of a table, and a problem for each row that is not one.

    What an argument leaves open is taken from Anki's header lines or a line `sep=;`, and else found out: the separator
    from many rows, a header from names in its first row (several languages), the columns from the header. Without any
    names the first column is the front, the second the back, and a third the tags if all of it can be tags. Tags have
    spaces between them, or commas where a cell has one. Cells are text unless the file says `#html:true` or `html`
    does. Blank rows and empty cells beyond the last column are passed over.

    Raises `InvalidInput` for bytes that are not text and for a separator or columns that can be none.
    """
    text = decoded(content)
    table = _Table.of(text, separator)
    layout = _layout(table, has_header, columns)
    collector = Collector(limits)
    reader = _RowReader(table, layout, _tag_separator(tag_separator, table), table.anki.html if html is None else html)
    header_pending = layout.header
    for record in table.records():
        if record.blank:
            continue
        if header_pending and not record.broken:
            header_pending = False
            continue
        reader.read(record, collector)
    unused = [str(place + 1) for place, column in enumerate(layout.columns) if not column]
    if unused:
        message = N_("Columns that a card does not have were left out: %(places)s.")
        collector.warning(0, Reason.LEFT_OUT, message, places=", ".join(unused))
    return collector.parsed(columns=layout.columns, header_used=layout.header, separator=table.separator)


@dataclass(frozen=True, slots=True)
class _Table:
    text: str
    start: int
    line: int
    separator: str
    anki: AnkiHeader

    @classmethod
    def of(cls, text: str, separator: str | None) -> _Table:
        named = _SEPARATOR_LINE.match(text)
        start = named.end() if named else 0
        anki = anki_header(text, start)
        first = chosen_separator(separator) if separator else anki.separator or (named[1] if named else None)
        line = 1 + anki.lines + (1 if named else 0)
        return cls(text, anki.end, line, first or likely_separator(text, anki.end), anki)

    def records(self) -> Iterator[Record]:
        return records(self.text, self.separator, start=self.start, line=self.line)

    def sample(self) -> list[Record]:
        return sample(self.text, self.separator, self.start)


@dataclass(frozen=True, slots=True)
class _Layout:
    columns: tuple[Column, ...]
    header: bool


def _layout(table: _Table, has_header: bool | None, columns: Sequence[str] | None) -> _Layout:
    rows = table.sample()
    first = rows[0].fields if rows else ()
    names = _anki_names(table)
    header = is_header(first) and not names if has_header is None else has_header and bool(rows)
    if columns is not None:
        return _Layout(chosen_columns(columns), header)
    if header and is_header(first):
        return _Layout(columns_named(first), header)
    if is_header(names):
        return _Layout(_with_places(columns_named(names), table.anki), header)
    body = rows[1:] if header else rows
    width = len(names) or max(2, usual_width(body), 1 + max(table.anki.places, default=0))
    return _Layout(_by_place(width, table.anki, body), header)


def _anki_names(table: _Table) -> tuple[str, ...]:
    names = table.anki.texts.get("columns", "")
    found = next(records(names, table.separator), None)
    return found.fields if found and not found.broken else ()


def _with_places(columns: Sequence[Column], anki: AnkiHeader) -> tuple[Column, ...]:
    """The columns, those that Anki's header names by number as it names them."""
    named = set(anki.places.values())
    return tuple(
        anki.places.get(place, Column.UNUSED if column in named else column) for place, column in enumerate(columns)
    )


def _by_place(width: int, anki: AnkiHeader, rows: Sequence[Record]) -> tuple[Column, ...]:
    free = [place for place in range(max(width, len(anki.places) + 2)) if place not in anki.places]
    columns = dict(anki.places) | {free[0]: Column.FRONT, free[1]: Column.BACK}
    if not anki.lines and width == 3 and all(_could_be_tags(row.fields[2]) for row in rows if len(row.fields) == 3):
        columns[2] = Column.TAGS
    return tuple(columns.get(place, Column.UNUSED) for place in range(max(width, 1 + max(columns))))


def _could_be_tags(cell: str) -> bool:
    tags = _tags(cell, None)
    return len(tags) <= TAGS_MAX and all(len(tag) <= TAG_MAX for tag in tags)


def _tag_separator(chosen: TagSeparator | None, table: _Table) -> TagSeparator | None:
    return chosen or ("space" if table.anki.lines else None)


def _tags(cell: str, separator: TagSeparator | None) -> list[str]:
    if separator == "comma" or (separator is None and "," in cell):
        return [tag.strip() for tag in cell.split(",") if tag.strip()]
    return cell.split()


class _RowReader:
    def __init__(self, table: _Table, layout: _Layout, tag_separator: TagSeparator | None, html: bool) -> None:
        self._expected = len(layout.columns)
        self._places = {column: place for place, column in enumerate(layout.columns) if column}
        self._tag_separator: TagSeparator | None = tag_separator
        self._html = html
        self._deck = table.anki.texts.get("deck")
        self._common_tags = table.anki.texts.get("tags", "").split()

    def read(self, record: Record, collector: Collector) -> None:
        if record.broken:
            message = N_("A quote opens here that is not closed as it should be.")
            collector.problem(record.line, Reason.UNCLOSED_QUOTE, message)
            return
        given = len(record.fields)
        if any(field.strip() for field in record.fields[self._expected :]):
            message = N_("The row has too many fields: %(count)d, where %(expected)d were expected.")
            collector.problem(record.line, Reason.TOO_MANY_FIELDS, message, count=given, expected=self._expected)
        elif not self._cell(record, Column.FRONT).strip() or not self._has_back(record):
            message = N_("The row has no text for the front or none for the back. Fields in it: %(count)d.")
            collector.problem(record.line, Reason.MISSING_SIDE, message, count=given)
        else:
            collector.add(self._row(record))

    def _has_back(self, record: Record) -> bool:
        """A cloze text needs no back; `Collector` decides what is one."""
        return bool(self._cell(record, Column.BACK).strip()) or "{{c" in self._cell(record, Column.FRONT)

    def _row(self, record: Record) -> RawRow:
        own_tags = _tags(self._cell(record, Column.TAGS), self._tag_separator)
        return RawRow(
            record.line,
            self._cell(record, Column.FRONT),
            self._cell(record, Column.BACK),
            [*own_tags, *(tag for tag in self._common_tags if tag not in own_tags)],
            self._cell(record, Column.FRONT_RICH) or None,
            self._cell(record, Column.BACK_RICH) or None,
            self._cell(record, Column.DECK) or self._deck,
            self._cell(record, Column.LANGUAGE) or None,
            self._cell(record, Column.SOURCE_TITLE) or None,
            self._cell(record, Column.GUID) or None,
            self._html,
        )

    def _cell(self, record: Record, column: Column) -> str:
        place = self._places.get(column, -1)
        return record.fields[place] if 0 <= place < len(record.fields) else ""
