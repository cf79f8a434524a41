"""Which pictures and sounds cards have, and their contents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.core.db import fetch, fetch_row
from app.domain.errors import N_, NotFound
from app.domain.media import MediaKind, kind
from app.domain.transfer.bundle import Side

DIGEST_LENGTH = 64
SHOWN_HEIGHT = 352
"""CSS pixels, as the style sheet says: 22rem."""


@dataclass(frozen=True, slots=True)
class MediaView:
    """A picture or sound on a side of a card."""

    side: Side
    place: int
    kind: MediaKind
    name: str
    digest: str
    mime: str
    size_bytes: int
    width: int | None = None
    height: int | None = None
    """CSS pixels of a picture, None where its header does not say."""

    @property
    def room(self) -> tuple[int, int] | None:
        """Width and height that a page keeps for it: its own, or what is no higher than `SHOWN_HEIGHT`."""
        if self.width is None or self.height is None:
            return None
        # The height follows from the width as it will from the picture's own ratio, or the page would move a little.
        width = max(int(self.width * min(1.0, SHOWN_HEIGHT / self.height)), 1)
        return width, max(round(width * self.height / self.width), 1)


@dataclass(frozen=True, slots=True)
class Content:
    mime: str
    data: bytes


async def media_of(account_id: int, card_ids: Sequence[int]) -> dict[int, tuple[MediaView, ...]]:
    """Pictures and sounds by card, front before back and in their order; cards without any are left out."""
    rows = await fetch(
        "SELECT u.card_id, u.side, u.place, u.name, encode(u.digest, 'hex') AS digest, m.mime, m.size_bytes, "
        "m.width, m.height "
        "FROM card_media u JOIN media m ON m.account_id = u.account_id AND m.digest = u.digest "
        "WHERE u.account_id = $1 AND u.card_id = ANY ($2::bigint[]) ORDER BY u.card_id, u.side DESC, u.place",
        account_id,
        list(card_ids),
    )
    found: dict[int, list[MediaView]] = {}
    for row in rows:
        view = MediaView(
            Side(row["side"]),
            row["place"],
            kind(row["mime"]),
            row["name"],
            row["digest"],
            row["mime"],
            row["size_bytes"],
            row["width"],
            row["height"],
        )
        found.setdefault(row["card_id"], []).append(view)
    return {card_id: tuple(views) for card_id, views in found.items()}


async def content(account_id: int, digest: str) -> Content:
    """A content of the account by its digest in hex. Raises `NotFound`."""
    row = None
    if len(digest) == DIGEST_LENGTH and all(letter in "0123456789abcdef" for letter in digest):
        row = await fetch_row(
            "SELECT mime, content FROM media WHERE account_id = $1 AND digest = decode($2, 'hex')", account_id, digest
        )
    if row is None:
        raise NotFound(N_("There is no such picture or sound."), N_("It may have been deleted with its card."))
    return Content(row["mime"], row["content"])
