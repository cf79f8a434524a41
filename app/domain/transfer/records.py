"""Rows of fields with a separator between them (RFC 4180), each with its line, and what cannot be a row.

The standard library's `csv` reads the same well-formed text to the same fields (a test holds it to that), but it makes
one field of everything after a quote that is never closed, drops quotes of `"Hello" he said`, and has one process-wide
limit for the length of a field. Here a broken quote costs its own line, and text is never changed without a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class Record:
    line: int
    """Where the row starts; for a broken one, where its quote opens."""
    fields: tuple[str, ...]
    broken: bool = False
    """A quote opens and is not closed as it should be."""

    @property
    def blank(self) -> bool:
        return not self.broken and not any(field.strip() for field in self.fields)


def records(text: str, separator: str, *, start: int = 0, line: int = 1) -> Iterator[Record]:
    """The rows of `text` (line ends LF) from `start`, which is on `line`; in time that grows with its length.

    A field is quoted when it opens with a quote, spaces before it aside, and the closing quote ends the field. A quote
    that closes in the middle of a field, on the line where it opened, is text. One that is never closed, or closes in
    the middle of a field on a later line, makes a broken row, and reading goes on with the line after it.
    """
    reader = _Fields(separator)
    position = start
    while position < len(text):
        fields: list[str] = []
        row_line = line
        while True:
            field, end, broken_at = reader.field(text, position)
            if broken_at is not None:
                line += text.count("\n", position, broken_at)
                yield Record(line, (), broken=True)
                position = _after_line(text, broken_at)
                line += 1
                break
            fields.append(field)
            line += text.count("\n", position, end)
            position = end + 1
            if end >= len(text) or text[end] == "\n":
                yield Record(row_line, tuple(fields))
                line += 1
                break


class _Fields:
    def __init__(self, separator: str) -> None:
        self._quoted, self._opening, self._plain = _patterns(separator)

    def field(self, text: str, position: int) -> tuple[str, int, int | None]:
        """The field at `position`, where it ends, and where its quote stands if that is broken."""
        opening = self._opening.match(text, position)
        if opening:
            quoted = self._quoted.match(text, position)
            if quoted:
                return quoted[1].replace('""', '"'), quoted.end(), None
            if not opening["closing"] or "\n" in opening[0]:
                return "", position, opening.start("quote")
        plain = self._plain.match(text, position)
        end = plain.end() if plain else position
        return text[position:end], end, None


@cache
def _patterns(separator: str) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    # Possessive where it can be: the text may be hostile. Not around groups, which Python before 3.11.5 gets wrong (its
    # issue 106052); there what is tried again fails at once.
    apart = re.escape(separator)
    blanks = "".join(blank for blank in (" ", "\\t") if blank != separator.replace("\t", "\\t"))
    space = f"[{blanks}]*+"
    content = '[^"]*+(?:""[^"]*+)*'
    return (
        re.compile(rf'{space}"({content})"(?!"){space}(?={apart}|\n|\Z)'),
        re.compile(rf'{space}(?P<quote>"){content}(?P<closing>"?)'),
        re.compile(rf"[^{apart}\n]*+"),
    )


def _after_line(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end + 1
