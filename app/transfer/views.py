"""What an import is told and what it tells."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

import msgspec

from app.domain.transfer.bundle import ScheduleChoice
from app.domain.transfer.rows import Problem


class ImportState(StrEnum):
    UPLOADING = "uploading"
    READING = "reading"
    READY = "ready"
    """Read: the person sees the preview and chooses."""
    IMPORTING = "importing"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    UNDONE = "undone"


class Duplicates(StrEnum):
    """What becomes of a card that is there already, by its GUID or by its text."""

    SKIP = "skip"
    UPDATE = "update"
    KEEP_BOTH = "both"


class Choices(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a person chooses on the preview."""

    decks: tuple[int, ...] | None = None
    """Numbers of the file's decks; None for all."""
    duplicates: Duplicates = Duplicates.SKIP
    schedule: ScheduleChoice = ScheduleChoice.KEEP
    deck_id: int | None = None
    """Every card into this deck, whatever the file says."""
    title: str = ""
    """Every card into a deck of this title."""
    separator: str = ""
    header: bool | None = None
    columns: tuple[str, ...] = ()
    settings: bool = False
    """Take over the study settings of our own export."""


class PreviewDeck(msgspec.Struct, frozen=True):
    """A deck of the file: where its cards go, and how many of them are new."""

    number: int
    name: str
    title: str
    collection: str | None
    cards: int
    new: int
    exists: bool
    parts: int
    """Decks that it takes, since one holds only so many cards."""


class Sample(msgspec.Struct, frozen=True):
    deck: str
    front: str
    back: str
    tags: tuple[str, ...]


class Preview(msgspec.Struct, frozen=True):
    """What an import would do."""

    format: str
    numbered_by: str
    cards: int
    new: int
    known: int
    """Cards that are there already."""
    in_trash: int
    repeated: int
    """Cards equal to one before them in the file."""
    scheduled: int
    reviews: int
    media: int
    notes: int
    has_settings: bool
    decks: tuple[PreviewDeck, ...]
    new_decks: int
    samples: tuple[Sample, ...]
    problems: tuple[Problem, ...]
    warnings: tuple[Problem, ...]
    problem_count: int
    columns: tuple[str, ...] = ()
    separator: str = ""
    header_used: bool = False
    refusal: tuple[str, dict[str, object]] | None = None
    """Why all of it cannot come in under the plan: a message id with its parameters."""


class Result(msgspec.Struct, frozen=True):
    """What an import has done so far."""

    created: int = 0
    updated: int = 0
    known: int = 0
    in_trash: int = 0
    repeated: int = 0
    reviews: int = 0
    media: int = 0
    notes: int = 0
    not_taken: tuple[Problem, ...] = ()
    not_taken_count: int = 0
    undone: int = 0


class Failure(msgspec.Struct, frozen=True):
    message: str
    hint: str = ""
    params: dict[str, object] = {}


@dataclass(frozen=True, slots=True)
class ImportView:
    """An import as its page shows it."""

    id: int
    name: str
    size_bytes: int
    state: ImportState
    choices: Choices
    preview: Preview | None
    result: Result | None
    failure: Failure | None
    progress: int
    created_at: datetime
    changed_at: datetime

    @property
    def total(self) -> int:
        """Cards that are dealt with when it is done."""
        return self.preview.cards if self.preview else 0
