"""What commands are asked for: new cards and changes, as they were sent; the commands clean and check them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from msgspec import UNSET, UnsetType


@dataclass(frozen=True, slots=True, kw_only=True)
class NewCard:
    """A card to make."""

    front: str
    back: str
    front_rich: str | None = None
    back_rich: str | None = None
    tags: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CardChanges:
    """What changes on a card; UNSET leaves a field as it is, an empty rich side removes it."""

    front: str | UnsetType = UNSET
    back: str | UnsetType = UNSET
    front_rich: str | UnsetType = UNSET
    back_rich: str | UnsetType = UNSET
    tags: Sequence[str] | UnsetType = UNSET
    deck_id: int | UnsetType = UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class DeckChanges:
    """What changes on a deck; UNSET leaves a field as it is, None takes language or collection away."""

    title: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    language: str | UnsetType | None = UNSET
    collection_id: int | UnsetType | None = UNSET
