"""What the decks area gives back: decks, collections, cards, the trash, and the outcome of a command."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Generic, NamedTuple, TypeVar

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """One page of a list; `next_cursor` is None on the last one."""

    items: tuple[Item, ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class DeckView:
    """A live deck with what is waiting in it: `due_count` are cards to repeat, `new_count` cards never answered."""

    id: int
    title: str
    description: str
    language: str | None
    collection_id: int | None
    card_count: int
    new_count: int
    due_count: int
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class CollectionView:
    """A shelf and how many live decks stand on it."""

    id: int
    title: str
    deck_count: int
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class CardView:
    """The text of a live card. `version` grows by one with each change of text, tags or deck."""

    id: int
    deck_id: int
    deck_title: str
    front: str
    back: str
    front_rich: str | None
    back_rich: str | None
    tags: tuple[str, ...]
    language: str | None
    source_title: str | None
    created_at: datetime
    updated_at: datetime
    version: int


@dataclass(frozen=True, slots=True)
class UpdatedCard(CardView):
    """A card as a change left it, with what the person should know about that change."""

    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CardHit:
    """A card found by a search."""

    id: int
    deck_id: int
    deck_title: str
    front: str
    back: str
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TagCount:
    """A tag and how many live cards carry it."""

    tag: str
    card_count: int


@dataclass(frozen=True, slots=True)
class TrashedDeck:
    """A deleted deck; `card_count` cards went with it and would come back with it."""

    id: int
    title: str
    card_count: int
    deleted_at: datetime


@dataclass(frozen=True, slots=True)
class TrashedCard:
    """A card that was deleted by itself; it can come back only while its deck is live."""

    id: int
    deck_id: int
    deck_title: str
    deck_deleted: bool
    front: str
    back: str
    deleted_at: datetime


@dataclass(frozen=True, slots=True)
class Usage:
    """What an account holds of what its plan counts: live decks and live cards."""

    decks: int
    cards: int


@dataclass(frozen=True, slots=True)
class ImportResult:
    """The outcome of an import: ids of the new cards in the order sent, and a sentence for all that was left out."""

    deck_id: int
    deck_title: str
    imported_ids: tuple[int, ...]
    skipped_count: int
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BulkResult:
    """Which of the ids named were done (or were so already) and which do not exist, each in the order named."""

    done_ids: tuple[int, ...]
    not_found_ids: tuple[int, ...]


class DeletedDeck(NamedTuple):
    """The title of a deck that went to the trash, and how many live cards went with it."""

    title: str
    card_count: int


class Outcome(StrEnum):
    """What became of one card of a call."""

    CREATED = "created"
    EXISTS = "exists"
    """An equal card was there already."""
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class CardOutcome:
    """`index` counts the cards of the call from 0; `card_id` is the card that was made, or the equal one."""

    index: int
    outcome: Outcome
    card_id: int | None = None
    reason: str | None = None
    notes: tuple[str, ...] = ()
    """What was changed on the way in."""


@dataclass(frozen=True, slots=True)
class CreatedCards:
    """The outcome of each card of a call, in their order."""

    deck_id: int
    deck_title: str
    outcomes: tuple[CardOutcome, ...]


@dataclass(frozen=True, slots=True)
class RowLeftOut:
    """A row that equals a card of the deck, or the row of an earlier line."""

    line: int
    card_id: int | None = None
    like_line: int | None = None


@dataclass(frozen=True, slots=True)
class ImportedRows:
    """What became of the rows of a text: the ids of the new cards in their order, and the rows that were there."""

    deck_id: int
    deck_title: str
    made_deck: bool
    imported_ids: tuple[int, ...]
    left_out: tuple[RowLeftOut, ...]
