"""The document of our own exports (`loci.json`): rows of every table, each value of a known type and within bounds."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from app.domain.errors import N_, InvalidInput
from app.domain.transfer.bundle import Side

Id = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Small = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Number = Annotated[float, Meta(ge=0, le=1e9)]
Moment = Annotated[datetime, Meta(tz=True)]


class CollectionRow(Struct, gc=False):
    id: Id
    title: str


class DeckRow(Struct, gc=False):
    id: Id
    title: str
    collection_id: Id | None = None
    description: str = ""
    language: str | None = None
    created_at: Moment | None = None
    deleted_at: Moment | None = None


class CardRow(Struct):
    id: Id
    deck_id: Id
    front: str
    back: str
    front_rich: str | None = None
    back_rich: str | None = None
    tags: list[str] = []
    language: str | None = None
    source_title: str | None = None
    version: Small = 1
    created_at: Moment | None = None
    updated_at: Moment | None = None
    deleted_at: Moment | None = None
    deleted_with_deck: bool = False


class ScheduleRow(Struct, gc=False):
    card_id: Id
    ordinal: Annotated[int, Meta(ge=0, le=999)] = 0
    state: Annotated[int, Meta(ge=0, le=3)] = 0
    step: Annotated[int, Meta(ge=0, le=99)] | None = None
    due: Moment | None = None
    stability: Number | None = None
    difficulty: Number | None = None
    last_review: Moment | None = None
    reps: Small = 0
    lapses: Small = 0
    suspended: bool = False
    buried_until: Moment | None = None
    flag: Annotated[int, Meta(ge=0, le=7)] = 0
    leech: bool = False
    gone: bool = False


class ReviewRow(Struct, gc=False):
    card_id: Id
    rep: Small
    rating: Annotated[int, Meta(ge=1, le=4)]
    reviewed_at: Moment
    due: Moment
    interval_days: Number
    stability: Number
    difficulty: Number
    state_before: Annotated[int, Meta(ge=0, le=3)] = 0
    ordinal: Annotated[int, Meta(ge=0, le=999)] = 0
    elapsed_ms: Small | None = None


class OriginRow(Struct, gc=False):
    card_id: Id
    guid: Annotated[str, Meta(max_length=200)] | None = None
    template: Annotated[int, Meta(ge=0, le=32767)] = 0


class CardMediaRow(Struct, gc=False):
    card_id: Id
    side: Side
    place: Small
    digest: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
    name: str


class VersionRow(Struct):
    note_id: Id
    version: Annotated[int, Meta(ge=1, le=2**31 - 1)]
    path: str
    frontmatter: str
    body: str
    created_at: Moment
    deleted: bool = False
    author_kind: str = "browser"
    author_name: str = ""


class NoteCardRow(Struct):
    card_id: Id
    note_id: Id
    heading: str = ""
    source: str = ""
    to_review: bool = False


class Document(Struct):
    """An account or a deck, as it was written out. Rows name each other by `id`; every list may be left out."""

    format: str
    version: int
    identity: Annotated[str, Meta(max_length=40)] = ""
    account: dict[str, object] | None = None
    collections: list[CollectionRow] = []
    decks: list[DeckRow] = []
    cards: list[CardRow] = []
    schedules: list[ScheduleRow] = []
    reviews: list[ReviewRow] = []
    card_origins: list[OriginRow] = []
    card_media: list[CardMediaRow] = []
    study_settings: list[dict[str, object]] = []
    deck_settings: list[dict[str, object]] = []
    note_versions: list[VersionRow] = []
    note_cards: list[NoteCardRow] = []


def decoded(data: bytes) -> Document:
    """The document in these bytes. Raises `InvalidInput` for what is no export, or one of an unknown version."""
    try:
        document = msgspec.json.decode(data, type=Document)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise InvalidInput(
            N_("This is not an export of Loci, or it has been changed."), N_("Export it again.")
        ) from None
    if document.format != "loci-export" or document.version not in {1, 2}:
        raise InvalidInput(N_("This export is of a version that is not known here."), N_("Update this server first."))
    return document
