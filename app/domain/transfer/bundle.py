"""What a file brings, whatever its format: decks, media, cards with their schedules and answers, notes.

A reader (`app.transfer.reading_process`) runs in a process of its own and writes one `Line` after the other; the import
(`app.transfer.imports`) reads them. Texts have passed the rules of `app.domain.cards` when they are in a bundle.
Instants are UTC, stabilities and intervals are days.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from app.domain.transfer.rows import Problem

MEDIA_MAX_BYTES: Final = 5 * 1_048_576
"""Bytes of one picture or sound."""


class Side(StrEnum):
    FRONT = "front"
    BACK = "back"


class ScheduleChoice(StrEnum):
    """What becomes of the schedule that a file brings."""

    KEEP = "keep"
    """Due days as they are; the memory as the file has it, or worked out from its answers or its ease and interval."""
    REPLAY = "replay"
    """Memory and due days worked out from the answers, by the person's own settings; as `KEEP` without answers."""
    RESET = "reset"
    """Every card is new, without answers."""


@dataclass(frozen=True, slots=True)
class ReadOrder:
    """What a reader is told: the person's study days and scheduling, what becomes of schedules, options of text."""

    file_name: str
    now: datetime
    zone: str = "UTC"
    rollover_hour: int = 4
    desired_retention: float = 0.9
    maximum_interval_days: int = 36_500
    parameters: tuple[float, ...] = ()
    """21 weights of FSRS-6; empty for the standard ones."""
    schedule: ScheduleChoice = ScheduleChoice.KEEP
    separator: str = ""
    """Between the fields of text; found out when empty."""
    row_separator: str = ""
    header: bool | None = None
    columns: tuple[str, ...] = ()
    media: bool = True
    """Whether the content of pictures and sounds is wanted: not for a preview."""


@dataclass(frozen=True, slots=True)
class BroughtDeck:
    """`number` is how cards name it, from 0. Decks of files without decks have the name of the file."""

    number: int
    name: str
    """As in Anki, `::` between a deck and one inside it."""
    description: str = ""
    language: str | None = None
    collection: str | None = None
    """Of our own export, where `name` is the whole title; for others the part before the first `::` is one."""
    own: bool = False
    """From our own export: `name` is a title and not taken apart."""
    created_at: datetime | None = None
    deleted_at: datetime | None = None
    settings: dict[str, object] = field(default_factory=dict[str, object])
    """Columns of deck_settings that are set."""


@dataclass(frozen=True, slots=True)
class BroughtReview:
    """One answer of the log."""

    reviewed_at: datetime
    rating: int
    elapsed_ms: int | None
    state_before: int
    due: datetime
    interval_days: float
    stability: float
    difficulty: float
    rep: int | None = None
    """How many answers there were before it; None to count."""


@dataclass(frozen=True, slots=True)
class BroughtQuestion:
    """The schedule of one question of a card, as the row of card_schedule has it, and its answers in order of time."""

    ordinal: int = 0
    state: int = 0
    step: int | None = None
    due: datetime | None = None
    stability: float | None = None
    difficulty: float | None = None
    last_review: datetime | None = None
    reps: int = 0
    lapses: int = 0
    suspended: bool = False
    buried_until: datetime | None = None
    flag: int = 0
    leech: bool = False
    gone: bool = False
    reviews: tuple[BroughtReview, ...] = ()


@dataclass(frozen=True, slots=True)
class BroughtMedia:
    """A picture or sound: its content follows the line, `size` bytes. `digest` is SHA-256 in hex."""

    digest: str
    size: int
    mime: str


@dataclass(frozen=True, slots=True)
class MediaUse:
    """That a side of a card shows or plays a file, in the order of the places; `name` is the file's own name."""

    side: Side
    digest: str
    name: str


@dataclass(frozen=True, slots=True)
class BroughtCard:
    """A card whose text has passed the rules. A cloze card has one question for each of its numbers."""

    place: int
    """Line, row or note in the file, from 1; what problems name as well."""
    deck: int
    front: str
    back: str
    front_rich: str | None = None
    back_rich: str | None = None
    tags: tuple[str, ...] = ()
    language: str | None = None
    source_title: str | None = None
    guid: str | None = None
    """The file's identity of the card's note; with `template` that of the card. None for text."""
    template: int = 0
    created_at: datetime | None = None
    updated_at: datetime | None = None
    deleted_at: datetime | None = None
    deleted_with_deck: bool = False
    version: int = 1
    questions: tuple[BroughtQuestion, ...] = ()
    """Those with a schedule or a mark; the others are new."""
    media: tuple[MediaUse, ...] = ()


@dataclass(frozen=True, slots=True)
class BroughtVersion:
    """One version of a note; `frontmatter` is JSON."""

    version: int
    path: str
    frontmatter: str
    body: str
    deleted: bool
    author_kind: str
    author_name: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class CardOfNote:
    """That a card was made from a note. `guid` names the card, which came on an earlier line."""

    guid: str
    template: int
    heading: str
    source: str
    to_review: bool


@dataclass(frozen=True, slots=True)
class BroughtNote:
    """A note of our own export with all its versions, the last of which is the note as it stands."""

    versions: tuple[BroughtVersion, ...]
    cards: tuple[CardOfNote, ...] = ()


@dataclass(frozen=True, slots=True)
class BroughtSettings:
    """Of our own export: columns of the account (zone, hour, language, theme) and of study_settings."""

    account: dict[str, object] = field(default_factory=dict[str, object])
    study: dict[str, object] = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True)
class BundleEnd:
    """The last line: without it the reader has died and what came is not whole."""

    format: str
    """Such as `anki`, `csv`, `quizlet`, `json`, `markdown`, `loci`."""
    cards: int
    numbered_by: str = "line"
    """What `place` counts: line, card or note."""
    columns: tuple[str, ...] = ()
    separator: str = ""
    row_separator: str = ""
    header_used: bool = False


@dataclass(frozen=True, slots=True)
class Refused:
    """The file as a whole cannot be read: a message id and hint with their parameters. It is the only line."""

    message: str
    hint: str
    params: dict[str, object] = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a bundle, JSON; exactly one of the fields is set."""

    deck: BroughtDeck | None = None
    media: BroughtMedia | None = None
    card: BroughtCard | None = None
    note: BroughtNote | None = None
    settings: BroughtSettings | None = None
    problem: Problem | None = None
    """A row that is not taken."""
    warning: Problem | None = None
    """What was changed or left out of one that is."""
    refused: Refused | None = None
    end: BundleEnd | None = None
