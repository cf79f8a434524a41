"""How large a picture is shown, read from its first bytes, so that a page keeps its room before the picture is there.

Only what a header says: nothing is decoded. Sizes are CSS pixels; None where a header says none.
"""

from __future__ import annotations

import re
from typing import Final

LARGEST: Final = 32_767
_SEEN_BYTES: Final = 262_144
"""A JPEG's size stands after its metadata, which may hold a small picture of its own."""

# Start of frame, but for DHT, JPG and DAC, which have numbers among them (ITU-T T.81, table B.1).
_FRAMES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_ALONE: Final = frozenset({0x01, *range(0xD0, 0xD9)})
_ORIENTATION: Final = 0x0112
_LYING: Final = frozenset({5, 6, 7, 8})
_DRAWING: Final = 300
_SVG_LENGTH = re.compile(rb"\s*([0-9]{1,5}(?:\.[0-9]{1,9})?)\s*(?:px)?\s*")


def picture_size(data: bytes, mime: str) -> tuple[int, int] | None:
    """Width and height of a picture of that type as browsers turn it, each from 1 to `LARGEST`."""
    read = {
        "image/png": _png,
        "image/gif": _gif,
        "image/webp": _webp,
        "image/jpeg": _jpeg,
        "image/avif": _avif,
        "image/svg+xml": _svg,
    }.get(mime)
    size = read(data[:_SEEN_BYTES]) if read else None
    return size if size and all(1 <= side <= LARGEST for side in size) else None


def _png(data: bytes) -> tuple[int, int] | None:
    if data[12:16] != b"IHDR" or len(data) < 24:
        return None
    return int.from_bytes(data[16:20]), int.from_bytes(data[20:24])


def _gif(data: bytes) -> tuple[int, int] | None:
    return (_little(data, 6, 2), _little(data, 8, 2)) if len(data) >= 10 else None


def _webp(data: bytes) -> tuple[int, int] | None:
    """RFC 9649: one picture with loss, one without, or a canvas."""
    form = data[12:16]
    if form == b"VP8 " and data[23:26] == b"\x9d\x01\x2a" and len(data) >= 30:
        return _little(data, 26, 2) & 0x3FFF, _little(data, 28, 2) & 0x3FFF
    if form == b"VP8L" and data[20:21] == b"\x2f" and len(data) >= 25:
        bits = _little(data, 21, 4)
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if form == b"VP8X" and len(data) >= 30:
        return _little(data, 24, 3) + 1, _little(data, 27, 3) + 1
    return None


def _avif(data: bytes) -> tuple[int, int] | None:
    """The first image spatial extents property (ISO/IEC 23008-12, 6.5.3), of which the main picture comes first."""
    at = data.find(b"ispe", 0, 4_096)
    if at < 0 or len(data) < at + 16:
        return None
    return int.from_bytes(data[at + 8 : at + 12]), int.from_bytes(data[at + 12 : at + 16])


def _jpeg(data: bytes) -> tuple[int, int] | None:
    at, lying = 2, False
    while at + 4 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xFF or marker in _ALONE:
            at += 1 if marker == 0xFF else 2
            continue
        length = int.from_bytes(data[at + 2 : at + 4])
        if marker in _FRAMES and len(data) >= at + 9:
            height, width = int.from_bytes(data[at + 5 : at + 7]), int.from_bytes(data[at + 7 : at + 9])
            return (height, width) if lying else (width, height)
        if marker == 0xE1 and data[at + 4 : at + 10] == b"Exif\0\0":
            lying = _orientation(data[at + 10 : at + 2 + length]) in _LYING
        at += 2 + max(length, 2)
    return None


def _orientation(tiff: bytes) -> int:
    """How a camera was held (Exif 2.3, 4.6.4 A); 1 where it does not say."""
    if tiff[:2] not in {b"II", b"MM"}:
        return 1

    def number(at: int, length: int) -> int:
        return int.from_bytes(tiff[at : at + length], "little" if tiff[:2] == b"II" else "big")

    start = number(4, 4)
    for entry in range(start + 2, start + 2 + 12 * min(number(start, 2), 100), 12):
        if number(entry, 2) == _ORIENTATION:
            return number(entry + 8, 2)
    return 1


def _svg(data: bytes) -> tuple[int, int] | None:
    """`width` and `height` in pixels. With a `viewBox` alone a drawing fits any room: it gets `_DRAWING`."""
    start = data[:16_384].lower().find(b"<svg")
    tag = data[start : max(data.find(b">", start, start + 4_096), start)] if start >= 0 else b""
    size = _lengths(_attribute(tag, b"width"), _attribute(tag, b"height"))
    if size is None and (box := _lengths(*re.split(rb"[\s,]+", _attribute(tag, b"viewBox").strip())[-2:])):
        scale = _DRAWING / max(box)
        size = max(box[0] * scale, 1), max(box[1] * scale, 1)
    return (round(size[0]), round(size[1])) if size else None


def _lengths(*texts: bytes) -> tuple[float, float] | None:
    found = [float(length[1]) for text in texts if (length := _SVG_LENGTH.fullmatch(text))]
    return (found[0], found[1]) if len(found) == 2 and all(found) else None


def _attribute(tag: bytes, name: bytes) -> bytes:
    found = re.search(rb"""\s%s\s*=\s*(?:"([^"<]{0,100})"|'([^'<]{0,100})')""" % name, tag)
    return (found[1] or found[2] or b"") if found else b""


def _little(data: bytes, at: int, length: int) -> int:
    return int.from_bytes(data[at : at + length], "little")
