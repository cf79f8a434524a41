"""Unicode normal forms in linear time, for text that anybody may send.

Ordering combining marks takes the square of their number where they stand in one run, and a run can be as long as a
request. The stream-safe format of UAX #15 allows 30; what is beyond them in a run is no mark of any written language.
"""

from __future__ import annotations

import unicodedata
from typing import Final, Literal

MARKS_IN_A_RUN: Final = 30
_TOO_MANY = b"\x01" * (MARKS_IN_A_RUN + 1)


class _Marks(dict[str, int]):
    """1 for a character whose compatibility decomposition starts with a combining mark; filled as they are met."""

    def __missing__(self, character: str) -> int:
        mark = int(unicodedata.combining(unicodedata.normalize("NFKD", character)[0]) != 0)
        self[character] = mark
        return mark


_marks = _Marks()


def normal_form(form: Literal["NFC", "NFD", "NFKC", "NFKD"], text: str) -> str:
    """`unicodedata.normalize` of `stream_safe(text)`."""
    return unicodedata.normalize(form, stream_safe(text))


def stream_safe(text: str) -> str:
    """`text` without the marks beyond `MARKS_IN_A_RUN` in a run.

    What comes out may be normalised and case folded any number of times: that lengthens a run by a small factor only.
    """
    if text.isascii() or len(text) <= MARKS_IN_A_RUN or not any(map(_marks.__getitem__, set(text))):
        return text
    if _TOO_MANY not in bytes(map(_marks.__getitem__, text)):
        return text
    kept: list[str] = []
    run = 0
    for character in text:
        run = run + 1 if _marks[character] else 0
        if run <= MARKS_IN_A_RUN:
            kept.append(character)
    return "".join(kept)
