"""What a note has besides its text: tags, its identity, its dates; and the decks that its cards are in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from app.domain.calendar import SHIFTS_FROM
from app.domain.cards import DECK_DESCRIPTION_MAX, TAG_MAX, TAGS_MAX, clean_optional_text, clean_title, title_key
from app.domain.errors import InvalidInput
from app.domain.richtext import plain_from_rich, sanitize_rich
from app.domain.transfer.anki.note_types import Deck, Steps
from app.domain.transfer.anki.sides import FIELD_MAX
from app.domain.transfer.bundle import BroughtDeck
from app.domain.transfer.html_sides import kept_html
from app.domain.transfer.rows import DECK_MAX, GUID_MAX, optional_title

LEECH_TAG: Final = "leech"
TAGS_READ_MAX: Final = 20_000
"""Characters of the tags of one note."""
NO_DECK: Final = Deck("Default")
"""What stands for a deck that is not in the package."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST_MS = (SHIFTS_FROM - _EPOCH.date()).days * 86_400_000


@dataclass(frozen=True, slots=True)
class NoteRow:
    """A row of `notes`: `id` is milliseconds, `mod` seconds of Unix time, `flds` has U+001F between fields."""

    id: int
    guid: str
    note_type: int
    mod: int
    tags: str
    flds: str


@dataclass(frozen=True, slots=True)
class NoteValues:
    """What all cards of a note have in common."""

    given_tags: tuple[str, ...]
    tags: tuple[str, ...]
    changed_tags: int
    """Tags that were shortened or left out."""
    guid: str | None
    created_at: datetime | None
    updated_at: datetime | None
    leech: bool

    @classmethod
    def of(cls, note: NoteRow, now: datetime) -> NoteValues:
        given = note.tags[:TAGS_READ_MAX].split()
        tags, changed = _kept_tags([tag for tag in given if tag.lower() != LEECH_TAG])
        leech = any(tag.lower() == LEECH_TAG for tag in given)
        created, updated = _moment(note.id, now), _moment(note.mod * 1_000, now)
        if created and updated:
            updated = max(created, updated)
        return cls(tuple(given), tags, changed, _guid(note.guid), created, updated, leech)


class DeckNumbers:
    """Numbers the decks in the order in which cards name them; `new` waits to be taken."""

    def __init__(self, decks: Mapping[int, Deck]) -> None:
        self.new: list[BroughtDeck] = []
        self._decks = decks
        self._numbers: dict[str, int] = {}

    def name(self, key: int) -> str:
        return self._deck(key).name

    def steps(self, key: int) -> Steps:
        return self._deck(key).steps

    def number(self, key: int) -> int:
        deck = self._deck(key)
        name = _deck_title(deck.name)
        if name not in self._numbers:
            self._numbers[name] = len(self._numbers)
            text = plain_from_rich(sanitize_rich(kept_html(deck.description[:FIELD_MAX])).html)
            description = clean_optional_text(text[:DECK_DESCRIPTION_MAX], "description", DECK_DESCRIPTION_MAX)
            self.new.append(BroughtDeck(self._numbers[name], name, description))
        return self._numbers[name]

    def _deck(self, key: int) -> Deck:
        return self._decks.get(key, NO_DECK)


def label(name: str) -> str:
    """The name of a field as a message may show it."""
    return _one_line(name[:60]) or "?"


def _kept_tags(given: Sequence[str]) -> tuple[tuple[str, ...], int]:
    """The tags that a card can have, a long one by its last parts, and how many are not as they were."""
    kept: dict[str, str] = {}
    changed = 0
    for tag in given:
        fitting = tag
        while len(fitting) > TAG_MAX and "::" in fitting:
            fitting = fitting.split("::", 1)[1]
        try:
            fitting = clean_title(fitting, "tags", TAG_MAX)
        except InvalidInput:
            changed += 1
            continue
        changed += fitting != tag
        kept.setdefault(title_key(fitting), fitting)
    return tuple(kept.values())[:TAGS_MAX], changed + max(0, len(kept) - TAGS_MAX)


def _guid(text: str) -> str | None:
    try:
        return optional_title(text, "guid", GUID_MAX)
    except InvalidInput:
        return None


def _moment(milliseconds: int, now: datetime) -> datetime | None:
    possible = _FIRST_MS <= milliseconds <= now.timestamp() * 1_000
    return _EPOCH + timedelta(milliseconds=milliseconds) if possible else None


def _deck_title(name: str) -> str:
    """The name as one that has text between its `::`."""
    return "::".join(part for raw in name[:DECK_MAX].split("::") if (part := _one_line(raw))) or NO_DECK.name


def _one_line(text: str) -> str:
    try:
        return clean_title(text, "deck", DECK_MAX)
    except InvalidInput:
        return ""
