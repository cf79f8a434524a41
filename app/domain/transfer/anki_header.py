"""The lines `#separator:tab`, `#html:true`, `#tags column:3` and so on, with which a text file of Anki's begins.

Only lines at the very start count, and only those with a known key and a value that it can have: a card may begin with
`#include` as well.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from app.domain.transfer.columns import Column
from app.domain.transfer.separators import separator_named

_LINE = re.compile(r"#([a-z ]+):(.*)", re.IGNORECASE)
_PLACES = {
    "tags column": Column.TAGS,
    "deck column": Column.DECK,
    "notetype column": Column.NOTE_TYPE,
    "guid column": Column.GUID,
}
_TEXTS = frozenset({"columns", "tags", "deck", "notetype", "if matches"})


@dataclass(frozen=True, slots=True)
class AnkiHeader:
    lines: int
    """How many lines it takes."""
    end: int
    """Where in the text it ends."""
    separator: str | None = None
    html: bool = False
    texts: Mapping[str, str] = field(default_factory=dict[str, str])
    """The values of `columns`, `tags` and `deck`, as they stand there."""
    places: Mapping[int, Column] = field(default_factory=dict[int, Column])
    """What the columns are that the header names by their number, from 0 here."""


def anki_header(text: str, start: int = 0) -> AnkiHeader:
    separator: str | None = None
    html = False
    texts: dict[str, str] = {}
    places: dict[int, Column] = {}
    lines, position = 0, start
    while text.startswith("#", position):
        end = text.find("\n", position)
        end = len(text) if end < 0 else end
        found = _LINE.fullmatch(text, position, end)
        if not found:
            break
        key, value = found[1].strip().lower(), found[2]
        if key == "separator" and (named := separator_named(value)):
            separator = named
        elif key == "html" and value.strip().lower() in {"true", "false"}:
            html = value.strip().lower() == "true"
        elif key in _PLACES and re.fullmatch(r"\s*[1-9][0-9]{0,2}\s*", value):
            places[int(value) - 1] = _PLACES[key]
        elif key in _TEXTS:
            texts[key] = value
        else:
            break
        lines += 1
        position = min(end + 1, len(text))
    return AnkiHeader(lines, position, separator, html, texts, places)
