"""What Quizlet exports and people paste: a term, a tab, a definition, and a line end before the next term."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from app.domain.errors import N_, InvalidInput
from app.domain.transfer.decoding import decoded
from app.domain.transfer.rows import DEFAULT_LIMITS, Collector, Limits, Parsed, RawRow, Reason

_SEPARATOR_MAX = 20
_BLANK_LINES = re.compile(r"\n(?:[ ]*+\n)++")
_NO_SEPARATOR = N_("There is nothing between a term and a definition here.")


def parse_quizlet(
    content: bytes | str, *, between: str = "\t", row_separator: str | None = None, limits: Limits = DEFAULT_LIMITS
) -> Parsed:
    """The cards of a text with `between` after each term and `row_separator` after each definition.

    `\\t` and `\\n` may be written for a tab and a line end. With a row separator other than the line end, definitions
    may have several lines, and a row without `between` is a problem. Without one, rows stand apart by blank lines
    where each has a term and some have several lines; else each line is a row, and a line without `between` goes on
    with the definition above it, with a warning.

    Raises `InvalidInput` for bytes that are not text and for separators that are empty, too long or equal.
    """
    text = decoded(content)
    term_end = _chosen(between, "between")
    collector = Collector(limits)
    if row_separator is None:
        row_end = "\n\n" if _in_blocks(text, term_end) else "\n"
    else:
        row_end = _chosen(row_separator, "rowSeparator")
    if row_end == term_end:
        raise InvalidInput(N_("The two separators are the same."), N_("Choose different ones."), field="rowSeparator")
    rows = _rows(text, row_end)
    for row in _with_continuations(rows, term_end, collector) if row_separator is None and row_end == "\n" else rows:
        term, found, definition = row.text.partition(term_end)
        if found:
            collector.add(RawRow(row.line, term, definition))
        else:
            collector.problem(row.line, Reason.NO_SEPARATOR, _NO_SEPARATOR)
    return collector.parsed(columns=("front", "back"), separator=term_end, row_separator=row_end)


@dataclass(frozen=True, slots=True)
class _Row:
    line: int
    text: str


def _chosen(separator: str, name: str) -> str:
    meant = separator.replace(r"\t", "\t").replace(r"\n", "\n").replace("\r\n", "\n")
    if not 0 < len(meant) <= _SEPARATOR_MAX:
        raise InvalidInput(
            N_("A separator has 1 to %(max)d characters."),
            N_("For example: a tab, a line end or a semicolon."),
            field=name,
            max=_SEPARATOR_MAX,
        )
    return meant


def _in_blocks(text: str, term_end: str) -> bool:
    """Whether blank lines stand between rows: a term on the first line of most blocks and no other, some longer."""
    blocks = [block.split("\n") for block in _BLANK_LINES.split(text) if block.strip()]
    begun = sum(term_end in block[0] for block in blocks)
    alone = not any(term_end in line for block in blocks for line in block[1:])
    return len(blocks) > 1 and alone and begun * 2 > len(blocks) and any(len(block) > 1 for block in blocks)


def _rows(text: str, row_end: str) -> Iterator[_Row]:
    """The rows that are not blank, each with the line on which its text starts."""
    ends = _BLANK_LINES if row_end == "\n\n" else re.compile(re.escape(row_end))
    line, position = 1, 0
    while position <= len(text):
        end = ends.search(text, position)
        stop, after = end.span() if end else (len(text), len(text) + 1)
        row = text[position:stop]
        if row.strip():
            lead = len(row) - len(row.lstrip("\n"))
            yield _Row(line + lead, row[lead:])
        line += text.count("\n", position, after)
        position = after


def _with_continuations(rows: Iterator[_Row], term_end: str, collector: Collector) -> Iterator[_Row]:
    """Each line without `term_end` put to the row above it; those before the first row as they are."""
    first, lines = 0, list[str]()
    for row in rows:
        if term_end in row.text or not first:
            if first:
                yield _Row(first, "\n".join(lines))
                first, lines = 0, []
            if term_end not in row.text:
                yield row
                continue
            first, lines = row.line, [row.text]
        else:
            lines.append(row.text)
            message = N_("This line has nothing that ends a term; it was kept as part of the definition above.")
            collector.warning(row.line, Reason.NO_SEPARATOR, message)
    if first:
        yield _Row(first, "\n".join(lines))
