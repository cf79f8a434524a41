"""The language of a card search: `deck:Capitals tag:europe is:due -"river mouth"`, taken apart. No database here.

Parts stand side by side with spaces between them, and a card has to fit all of them. A part is a word, a phrase in
quotes, or one of `deck:`, `tag:` and `is:` with its value, in quotes where it has spaces; `-` before a part turns it
around. In quotes, `\\"` is a quote and `\\\\` a backslash. What has another colon in it (`10:30`, `https://…`) is text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import StrEnum
from typing import Final

from app.domain.calendar import StudyClock
from app.domain.errors import N_, InvalidInput

PARTS_MAX: Final = 20
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_EARLIEST, _LATEST = datetime(1970, 1, 2, tzinfo=UTC), datetime(9000, 1, 1, tzinfo=UTC)


class CardState(StrEnum):
    """What `is:` asks of a card: of its questions at least one is so."""

    NEW = "new"
    LEARNING = "learning"
    """In its learning steps, for the first time or again."""
    REVIEW = "review"
    DUE = "due"
    SUSPENDED = "suspended"
    LEECH = "leech"


@dataclass(frozen=True, slots=True)
class Part:
    """A text, a title or a tag; `negated` for what a card must not have."""

    value: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class StatePart:
    state: CardState
    negated: bool = False


@dataclass(frozen=True, slots=True)
class CardQuery:
    """What a card has to fit: all of it."""

    texts: tuple[Part, ...] = ()
    decks: tuple[Part, ...] = ()
    tags: tuple[Part, ...] = ()
    states: tuple[StatePart, ...] = ()


_QUOTED = r'"(?P<quoted>(?:[^"\\]++|\\.)*)"'
_PART = re.compile(
    rf'(?P<minus>-?)(?:(?P<name>[A-Za-z_]+):)?(?:{_QUOTED}(?=\s|\Z)|(?P<word>[^\s"][^\s]*+|(?=\s|\Z)))', re.DOTALL
)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_CUT_FILTER = re.compile(r'(?:deck|tag|is):"', re.IGNORECASE)
_NAMES = ("deck", "tag", "is")
_MEANT: Final = {
    "decks": "deck:",
    "deckid": "deck:",
    "in": "deck:",
    "tags": "tag:",
    "label": "tag:",
    "state": "is:",
    "status": "is:",
}


def parse_card_query(query: str) -> CardQuery:
    """The parts of a query; none for an empty one.

    Raises `InvalidInput` (field `query`) that says what can be written instead, and repeats nothing of the query.
    """
    found: dict[str, list[Part]] = {"text": [], "deck": [], "tag": []}
    states: list[StatePart] = []
    position, count = 0, 0
    while position < len(query):
        if query[position].isspace():
            position += 1
            continue
        part = _PART.match(query, position)
        if part is None:
            raise _unclosed()
        position, count = part.end(), count + 1
        if count > PARTS_MAX:
            raise _refused(N_("The query has too many parts."), N_("Use at most 20 words, phrases and filters."))
        name, value, negated = _read(part)
        if name == "is":
            states.append(StatePart(_state(value), negated))
        else:
            found[name].append(Part(value, negated))
    return CardQuery(tuple(found["text"]), tuple(found["deck"]), tuple(found["tag"]), tuple(states))


def due_before(value: str, clock: StudyClock) -> datetime:
    """The instant that a day (its start, as the person counts days) or a time with its offset means.

    Raises `InvalidInput` (field `dueBefore`).
    """
    text = value.strip()
    try:
        instant = clock.start_of(date.fromisoformat(text)) if _DAY.fullmatch(text) else datetime.fromisoformat(text)
        if instant.tzinfo is None:
            raise ValueError("no offset")
        instant = instant.astimezone(UTC)
        if not _EARLIEST <= instant <= _LATEST:
            raise ValueError("out of range")
    except (ValueError, OverflowError):
        raise InvalidInput(
            N_("This is neither a day nor a time."),
            N_("Write a day such as 2026-03-02, or a time with its offset such as 2026-03-02T18:00:00Z."),
            field="dueBefore",
        ) from None
    return instant


def _read(part: re.Match[str]) -> tuple[str, str, bool]:
    """Which kind of part it is (`text`, `deck`, `tag` or `is`), its value, and whether it is negated."""
    quoted, written = part["quoted"], part["name"] or ""
    value = _ESCAPE.sub(r"\1", quoted) if quoted is not None else part["word"] or ""
    negated = bool(part["minus"])
    name = written.lower()
    if name in _MEANT:
        raise _refused(
            N_("The query uses a filter that there is not; %(meant)s is meant."),
            N_('The filters are deck:, tag: and is:. To search for the text itself, put it in quotes: "a:b".'),
            meant=_MEANT[name],
        )
    if name not in _NAMES:
        value = f"{written}:{value}" if written else value
        if quoted is None and _CUT_FILTER.match(value):
            raise _unclosed()
        if not value.strip():
            raise _refused(
                N_("A minus or a pair of quotes stands alone in the query."),
                N_("Put the word right after it, such as -river or -tag:europe."),
            )
        return "text", value, negated
    if not value.strip():
        raise _refused(
            N_("A filter of the query has no value: %(filter)s."),
            N_('Write the value right after the colon, in quotes if it has spaces: deck:"World capitals".'),
            filter=f"{name}:",
        )
    return name, value, negated


def _state(value: str) -> CardState:
    try:
        return CardState(value.strip().lower())
    except ValueError:
        raise _refused(
            N_("The query asks for a state that cards do not have."),
            N_("After is: write one of %(states)s."),
            states=", ".join(CardState),
        ) from None


def _unclosed() -> InvalidInput:
    return _refused(
        N_("A quote in the query is not closed, or text follows it at once."),
        N_('Close it and put a space after it, as in deck:"World capitals" river; write \\" for a quote in a phrase.'),
    )


def _refused(message: str, hint: str, **params: object) -> InvalidInput:
    return InvalidInput(message, hint, field="query", **params)
