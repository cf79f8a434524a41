"""What every text format comes to: rows that can be made cards, and why the others cannot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from app.domain.cards import (
    BACK_MAX,
    BACK_RICH_MAX,
    FRONT_MAX,
    FRONT_RICH_MAX,
    clean_language,
    clean_rich,
    clean_source_title,
    clean_tags,
    clean_text,
    clean_title,
)
from app.domain.cloze import is_cloze, revealed
from app.domain.errors import N_, InvalidInput
from app.domain.richtext import plain_from_rich
from app.domain.transfer.html_sides import kept_html

DECK_MAX: Final = 1_000
"""Characters of a deck's name in a file: several titles with `::` between them."""

GUID_MAX: Final = 200


@dataclass(frozen=True, slots=True)
class Limits:
    rows: int = 10_000
    """Rows taken from one text; those after them are counted and reported as one problem."""
    problems: int = 1_000
    """Problems kept, and warnings kept; those after them are counted and reported as one."""
    front: int = FRONT_MAX
    back: int = BACK_MAX


DEFAULT_LIMITS: Final = Limits()


class Reason(StrEnum):
    """Why a row was not taken, or what was done to one that was; stable codes."""

    MISSING_SIDE = "missing_side"
    TOO_MANY_FIELDS = "too_many_fields"
    UNCLOSED_QUOTE = "unclosed_quote"
    NO_SEPARATOR = "no_separator"
    INVALID_TEXT = "invalid_text"
    WRONG_TYPE = "wrong_type"
    REPEATED_KEY = "repeated_key"
    IN_TRASH = "in_trash"
    TOO_MANY_ROWS = "too_many_rows"
    NOT_SUPPORTED = "not_supported"
    MORE = "more"
    CHANGED = "changed"
    LEFT_OUT = "left_out"


@dataclass(frozen=True, slots=True)
class Problem:
    """`message` is a message id with places for `params`; neither holds text of the file."""

    line: int
    """As in `ParsedRow`; 0 for the whole file."""
    reason: Reason
    message: str
    params: Mapping[str, object] = field(default_factory=dict[str, object])

    def __str__(self) -> str:
        return self.message % self.params if self.params else self.message


@dataclass(frozen=True, slots=True)
class ParsedRow:
    """A row whose text has passed the rules of `app.domain.cards`."""

    line: int
    """The line of the file on which the row starts, or the place in the list (`Parsed.numbered_by`); from 1."""
    front: str
    back: str
    tags: tuple[str, ...] = ()
    front_rich: str | None = None
    back_rich: str | None = None
    deck: str | None = None
    """The name of a deck, `::` between a deck and one inside it."""
    language: str | None = None
    source_title: str | None = None
    guid: str | None = None
    """Anki's identity of the note."""


@dataclass(frozen=True, slots=True)
class Parsed:
    rows: tuple[ParsedRow, ...]
    problems: tuple[Problem, ...]
    """One for each row that was not taken."""
    warnings: tuple[Problem, ...]
    """What was changed or left out of rows that were taken."""
    numbered_by: str = "line"
    """`line`, or `card` for JSON."""
    columns: tuple[str, ...] = ()
    """What each column is (`app.domain.transfer.columns`), empty for one that is not used."""
    header_used: bool = False
    separator: str = ""
    row_separator: str = "\n"


@dataclass(frozen=True, slots=True)
class RawRow:
    """A row as it stands in the file."""

    line: int
    front: str
    back: str
    tags: Sequence[str] = ()
    front_rich: str | None = None
    back_rich: str | None = None
    deck: str | None = None
    language: str | None = None
    source_title: str | None = None
    guid: str | None = None
    html: bool = False
    """`front` and `back` are HTML."""


class Collector:
    """Gathers the rows of one text, each cleaned or refused with its reason."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._rows: list[ParsedRow] = []
        self._problems = _Capped(limits.problems)
        self._warnings = _Capped(limits.problems)
        self._first_beyond = self._beyond = 0

    def add(self, raw: RawRow) -> None:
        if len(self._rows) >= self.limits.rows:
            self._first_beyond = self._first_beyond or raw.line
            self._beyond += 1
            return
        try:
            row, warnings = self._cleaned(raw)
        except InvalidInput as error:
            self.problem(raw.line, Reason.INVALID_TEXT, error.message, **error.params)
            return
        self._rows.append(row)
        for warning in warnings:
            self.warning(raw.line, Reason.CHANGED, warning)

    def problem(self, line: int, reason: Reason, message: str, **params: object) -> None:
        self._problems.add(Problem(line, reason, message, params))

    def warning(self, line: int, reason: Reason, message: str, **params: object) -> None:
        self._warnings.add(Problem(line, reason, message, params))

    def parsed(
        self,
        *,
        numbered_by: str = "line",
        columns: tuple[str, ...] = (),
        header_used: bool = False,
        separator: str = "",
        row_separator: str = "\n",
    ) -> Parsed:
        problems = self._problems.all()
        if self._beyond:
            message = N_("At most %(max)d rows are taken at once; from here on %(count)d were left out.")
            params = {"max": self.limits.rows, "count": self._beyond}
            problems.append(Problem(self._first_beyond, Reason.TOO_MANY_ROWS, message, params))
        return Parsed(
            tuple(self._rows),
            tuple(problems),
            tuple(self._warnings.all()),
            numbered_by,
            columns,
            header_used,
            separator,
            row_separator,
        )

    def _cleaned(self, raw: RawRow) -> tuple[ParsedRow, tuple[str, ...]]:
        front, front_rich, front_warnings = _side(raw.front, raw.front_rich, "front", self.limits.front, raw.html)
        # The note types for cloze cards may leave the back empty: the text is the answer.
        if not raw.back.strip() and is_cloze(front):
            back, back_rich, back_warnings = clean_text(revealed(front), "back", self.limits.back), None, ()
        else:
            back, back_rich, back_warnings = _side(raw.back, raw.back_rich, "back", self.limits.back, raw.html)
        tags, tag_warnings = clean_tags(raw.tags)
        row = ParsedRow(
            raw.line,
            front,
            back,
            tags,
            front_rich,
            back_rich,
            optional_title(raw.deck, "deck", DECK_MAX),
            clean_language(raw.language),
            clean_source_title(raw.source_title),
            optional_title(raw.guid, "guid", GUID_MAX),
        )
        return row, (*front_warnings, *back_warnings, *tag_warnings)


class _Capped:
    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: list[Problem] = []
        self._first_more = self._more = 0

    def add(self, problem: Problem) -> None:
        if len(self._kept) < self._most:
            self._kept.append(problem)
        else:
            self._first_more = self._first_more or problem.line
            self._more += 1

    def all(self) -> list[Problem]:
        if not self._more:
            return list(self._kept)
        message = N_("From here on there are %(count)d more of these.")
        return [*self._kept, Problem(self._first_more, Reason.MORE, message, {"count": self._more})]


_RICH_MAX = {"front": FRONT_RICH_MAX, "back": BACK_RICH_MAX}


def _side(text: str, rich: str | None, name: str, most: int, html: bool) -> tuple[str, str | None, tuple[str, ...]]:
    """Plain side, formatted side and warnings. A side of HTML without formatting is plain."""
    if not html:
        shown, warnings = clean_rich(rich, f"{name}Rich", _RICH_MAX[name])
        return clean_text(text, name, most), shown, warnings
    shown, warnings = clean_rich(kept_html(text), f"{name}Rich", _RICH_MAX[name])
    plain = clean_text(plain_from_rich(shown or ""), name, most)
    return plain, shown if shown and "<" in shown else None, warnings


def optional_title(value: str | None, name: str, most: int) -> str | None:
    """A name on one line, None for none. Raises `InvalidInput`."""
    return clean_title(value, name, most) if value and value.strip() else None
