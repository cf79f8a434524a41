"""Which character stands between the fields of a table."""

from __future__ import annotations

from collections import Counter
from itertools import islice

from app.domain.errors import N_, InvalidInput
from app.domain.transfer.columns import is_header
from app.domain.transfer.records import Record, records

# In the order in which equally good ones are taken.
_CANDIDATES = ("\t", ",", ";", "|")
_SAMPLE_CHARACTERS = 65_536
_SAMPLE_ROWS = 200

NAMES = {"tab": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "colon": ":", "space": " "}


def separator_named(value: str) -> str | None:
    """The separator that a name of Anki's or the character itself means; None for what can be none."""
    named = NAMES.get(value.strip().lower(), "\t" if value == r"\t" else value)
    return named if len(named) == 1 and named not in '"\n\r\0' else None


def chosen_separator(value: str) -> str:
    """As `separator_named`. Raises `InvalidInput` for what can be no separator."""
    separator = separator_named(value)
    if separator is None:
        raise InvalidInput(
            N_("A separator is one character other than a quote or a line end."),
            N_("For example: a comma, a semicolon or a tab."),
            field="separator",
        )
    return separator


def likely_separator(text: str, start: int = 0) -> str:
    """The candidate that gives names in the first row, or else the most rows of one width, over up to 200 rows.

    A separator with a space after it counts half: it may be punctuation.
    """
    return max(_CANDIDATES, key=lambda candidate: _score(sample(text, candidate, start)))


def sample(text: str, separator: str, start: int = 0) -> list[Record]:
    """The first rows that are neither blank nor broken; one that the end of the sample cuts is left out."""
    cut = text[start : start + _SAMPLE_CHARACTERS]
    if start + len(cut) < len(text):
        cut = cut[: cut.rfind("\n") + 1] or cut
    return [record for record in islice(records(cut, separator), _SAMPLE_ROWS) if not (record.broken or record.blank)]


def usual_width(rows: list[Record]) -> int:
    """How many fields most rows have; of equally frequent numbers the larger, 0 without rows."""
    widths = Counter(len(row.fields) for row in rows)
    return max(widths, key=lambda width: (widths[width], width), default=0)


def _score(rows: list[Record]) -> tuple[bool, float]:
    width = usual_width([row for row in rows if len(row.fields) > 1])
    if not width:
        return False, 0.0
    alike = sum(len(row.fields) == width for row in rows)
    fields = [field for row in rows for field in row.fields[1:]]
    spaced = sum(field.startswith(" ") for field in fields)
    return is_header(rows[0].fields), alike / len(rows) * (1 - spaced / len(fields) / 2)
