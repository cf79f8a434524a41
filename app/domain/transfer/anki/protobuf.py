"""The wire format of Protocol Buffers, as far as a package needs it: which field holds which bytes or number.

https://protobuf.dev/programming-guides/encoding/
"""

from __future__ import annotations

from typing import Final

from app.domain.errors import N_, InvalidInput

FIELDS_MAX: Final = 1_000_000
"""Fields of one message; no message of a package comes near."""

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


def fields(message: bytes) -> list[tuple[int, int | bytes]]:
    """Number and value of each field in order: an int for a varint, else the bytes. Raises `InvalidInput`."""
    found: list[tuple[int, int | bytes]] = []
    position = 0
    while position < len(message):
        key, position = _varint(message, position)
        number, kind = key >> 3, key & 7
        if not number or len(found) >= FIELDS_MAX:
            raise _broken()
        if kind == _VARINT:
            value, position = _varint(message, position)
            found.append((number, value))
            continue
        if kind == _BYTES:
            size, position = _varint(message, position)
        elif kind in {_FIXED64, _FIXED32}:
            size = 8 if kind == _FIXED64 else 4
        else:
            raise _broken()
        if size > len(message) - position:
            raise _broken()
        found.append((number, message[position : position + size]))
        position += size
    return found


def number(found: list[tuple[int, int | bytes]], field: int, default: int = 0) -> int:
    """The last varint of that field."""
    return next((value for at, value in reversed(found) if at == field and isinstance(value, int)), default)


def content(found: list[tuple[int, int | bytes]], field: int) -> bytes:
    """The last bytes of that field; empty when there are none."""
    return next((value for at, value in reversed(found) if at == field and isinstance(value, bytes)), b"")


def text(found: list[tuple[int, int | bytes]], field: int) -> str:
    return content(found, field).decode("utf-8", "replace")


def _varint(message: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while position < len(message) and shift < 70:
        byte = message[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFF_FFFF_FFFF_FFFF, position
        shift += 7
    raise _broken()


def _broken() -> InvalidInput:
    return InvalidInput(
        N_("The package holds a message that cannot be read."), N_("Export it from Anki again, and try once more.")
    )
