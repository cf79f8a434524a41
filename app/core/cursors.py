"""Opaque page cursors: the key of the last row of a page, with the list it belongs to and a version."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TypeVar, cast

import msgspec

from app.domain.errors import N_, InvalidInput

_VERSION = 1
# PostgreSQL holds fewer years than a datetime with an offset can name.
_EARLIEST, _LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(9000, 1, 1, tzinfo=UTC)
_MAXIMUM_LENGTH = 1024
Key = TypeVar("Key")


def encode(listing: str, key: Sequence[object]) -> str:
    """A cursor after the row whose sort key is `key`, good for the list `listing` only."""
    raw = msgspec.json.encode([_VERSION, listing, *key])
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def decode(cursor: str | None, listing: str, key_type: type[Key]) -> Key | None:
    """The sort key in `cursor`, or None for the first page. Raises `InvalidInput` for any other text."""
    if not cursor:
        return None
    try:
        if len(cursor) > _MAXIMUM_LENGTH:
            raise ValueError("too long")
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        parts = msgspec.json.decode(base64.b64decode(padded, altchars=b"-_", validate=True), type=list[object])
        if parts[:2] != [_VERSION, listing]:
            raise ValueError("another list")
        key = msgspec.convert(parts[2:], key_type)
        times = [part for part in cast("Sequence[object]", key) if isinstance(part, datetime)]
        if not all(_EARLIEST <= time <= _LATEST for time in times):
            raise ValueError("no time of ours")
    except (ValueError, binascii.Error, msgspec.MsgspecError):
        raise InvalidInput(
            N_("The cursor is not one of this list."),
            N_("Pass nextCursor of the previous page as it was, or leave it out for the first page."),
            field="cursor",
        ) from None
    return key
    return key
