"""Storing pictures and sounds, and saying which sides of cards use them. All in the current unit of work."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from app.core.db import execute, fetch, fetch_row, fetch_value
from app.domain.errors import N_, InvalidInput, PlanRequired
from app.domain.media import MEDIA_OF_SIDE_MAX, NAME_MAX, clean_name, sniff
from app.domain.picture_sizes import picture_size
from app.domain.transfer.bundle import MEDIA_MAX_BYTES, Side

_UNUSED_KEPT = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Use:
    """A content on a side of a card; `digest` is SHA-256 in hex."""

    card_id: int
    side: Side
    place: int
    digest: str
    name: str


@dataclass(slots=True)
class Room:
    """How many bytes the contents of an account may take in all, and take: `store` counts on."""

    most: int
    used: int


async def room_of(account_id: int, most: int) -> Room:
    """The room of an account that may keep `most` bytes. It is true while the account's lock is held."""
    used = await fetch_value("SELECT coalesce(sum(size_bytes), 0)::bigint FROM media WHERE account_id = $1", account_id)
    return Room(most, int(used))


async def store(account_id: int, data: bytes, room: Room, *, now: datetime) -> tuple[str, bool]:
    """Keep a content once; its digest, and whether it is new. The account's lock is held.

    One that is here already is kept for another day from `now`, since what uses it may come later.
    Raises `InvalidInput` for what is no picture or sound, or larger than `MEDIA_MAX_BYTES`; `PlanRequired` when the
    account has no room for it.
    """
    digest = hashlib.sha256(data)
    if await fetch_value(
        "UPDATE media SET created_at = $3 WHERE account_id = $1 AND digest = $2 RETURNING 1",
        account_id,
        digest.digest(),
        now,
    ):
        return digest.hexdigest(), False
    if len(data) > MEDIA_MAX_BYTES:
        raise InvalidInput(
            N_("A picture or sound has at most %(max)d MB."),
            N_("Make it smaller first."),
            field="media",
            max=MEDIA_MAX_BYTES // 1_048_576,
        )
    mime = sniff(data)
    if mime is None:
        raise InvalidInput(
            N_("This is no picture or sound that browsers can show."),
            N_("Use PNG, JPEG, GIF, WebP, AVIF or SVG; MP3, Ogg, WAV, M4A, FLAC or WebM."),
            field="media",
        )
    if room.used + len(data) > room.most:
        raise PlanRequired(
            N_("Pictures and sounds of an account may take %(max)d MB in all."),
            N_("Delete cards with large ones that are no longer needed."),
            max=room.most // 1_048_576,
        )
    width, height = picture_size(data, mime) or (None, None)
    await execute(
        "INSERT INTO media (account_id, digest, mime, size_bytes, content, created_at, width, height) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        account_id,
        digest.digest(),
        mime,
        len(data),
        data,
        now,
        width,
        height,
    )
    room.used += len(data)
    return digest.hexdigest(), True


async def attach(account_id: int, uses: Sequence[Use]) -> None:
    """Put contents that are stored on sides of cards, in place of those at the same places."""
    await execute(
        "INSERT INTO card_media (account_id, card_id, side, place, digest, name) "
        "SELECT $1, card_id, side, place, decode(digest, 'hex'), name "
        "FROM unnest($2::bigint[], $3::text[], $4::smallint[], $5::text[], $6::text[]) "
        "AS sent (card_id, side, place, digest, name) "
        "ON CONFLICT (account_id, card_id, side, place) DO UPDATE SET digest = excluded.digest, name = excluded.name",
        account_id,
        [use.card_id for use in uses],
        [use.side for use in uses],
        [use.place for use in uses],
        [use.digest for use in uses],
        [clean_name(use.name)[:NAME_MAX] for use in uses],
    )


async def detach(account_id: int, card_ids: Sequence[int]) -> None:
    """Take all pictures and sounds off cards."""
    await execute(
        "DELETE FROM card_media WHERE account_id = $1 AND card_id = ANY ($2::bigint[])", account_id, list(card_ids)
    )


async def add_to_card(
    account_id: int, card_id: int, side: Side, name: str, data: bytes, room: Room, *, now: datetime
) -> None:
    """Put one more picture or sound on a side of a card. Raises as `store`, and `InvalidInput` for a full side."""
    row = await fetch_row(
        "SELECT count(*) AS files, coalesce(max(place) + 1, 0) AS place FROM card_media "
        "WHERE account_id = $1 AND card_id = $2 AND side = $3",
        account_id,
        card_id,
        side,
    )
    assert row is not None  # noqa: S101 - counts are one row
    if row["files"] >= MEDIA_OF_SIDE_MAX:
        raise InvalidInput(
            N_("A side has at most %(max)d pictures and sounds."),
            N_("Remove one first."),
            field="media",
            max=MEDIA_OF_SIDE_MAX,
        )
    digest, _ = await store(account_id, data, room, now=now)
    await attach(account_id, [Use(card_id, side, row["place"], digest, name)])


async def remove_from_card(account_id: int, card_id: int, side: Side, places: Sequence[int]) -> None:
    """Take the pictures and sounds at these places off a side; the others keep theirs."""
    await execute(
        "DELETE FROM card_media WHERE account_id = $1 AND card_id = $2 AND side = $3 AND place = ANY ($4::smallint[])",
        account_id,
        card_id,
        side,
        list(places),
    )


_UNUSED = "NOT EXISTS (SELECT FROM card_media AS u WHERE u.account_id = media.account_id AND u.digest = media.digest)"


async def sweep(now: datetime) -> None:
    """Erase contents that no card uses; those of cards in the trash are used."""
    # A card may take an old content at this moment. Once a row is locked none can, and what took it before is seen by
    # the second statement; in one statement it would not be, and the card would lose the content with it.
    rows = await fetch(
        f"SELECT account_id, id FROM media WHERE created_at < $1 AND {_UNUSED} FOR UPDATE SKIP LOCKED",  # noqa: S608
        now - _UNUSED_KEPT,
    )
    await execute(
        f"DELETE FROM media WHERE {_UNUSED} "  # noqa: S608 - a constant
        "AND (account_id, id) IN (SELECT * FROM unnest($1::bigint[], $2::bigint[]))",
        [row["account_id"] for row in rows],
        [row["id"] for row in rows],
    )


async def stored_among(account_id: int, digests: Collection[str]) -> set[str]:
    """Those of the digests whose contents the account has; none of them goes before the unit of work is over."""
    if not digests:
        return set()
    rows = await fetch(
        "SELECT encode(digest, 'hex') AS digest FROM media WHERE account_id = $1 "
        "AND digest IN (SELECT decode(each, 'hex') FROM unnest($2::text[]) AS each) FOR KEY SHARE",
        account_id,
        list(digests),
    )
    return {row["digest"] for row in rows}
