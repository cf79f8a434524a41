"""Sizes of pictures from their headers; `tests/e2e/test_media.py` holds them to what Chromium sees."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.picture_sizes import LARGEST, picture_size

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (640).to_bytes(4) + (480).to_bytes(4)
FRAME = b"\xff\xc2\0\x11\x08" + (480).to_bytes(2) + (640).to_bytes(2)
TABLE = b"\xff\xc4\0\x05\x01\x02\x03"
TYPES = {"image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/svg+xml"}


def exif(order: Any, orientation: int) -> bytes:
    """Metadata with another entry before the one that says how the camera was held."""

    def number(value: int, length: int) -> bytes:
        return value.to_bytes(length, order)

    entries = b"".join(
        number(tag, 2) + number(3, 2) + number(1, 4) + number(value, 2) + b"\0\0"
        for tag, value in ((0x0100, 9), (0x0112, orientation))
    )
    tiff = (b"II" if order == "little" else b"MM") + number(42, 2) + number(8, 4) + number(2, 2) + entries
    return b"\xff\xe1" + (8 + len(tiff)).to_bytes(2) + b"Exif\0\0" + tiff


def webp(form: bytes, rest: bytes) -> bytes:
    return b"RIFF\0\0\0\0WEBP" + form + b"\0\0\0\0" + rest


@pytest.mark.parametrize(
    ("mime", "data", "size"),
    [
        ("image/png", PNG, (640, 480)),
        ("image/gif", b"GIF89a\x80\x02\xe0\x01", (640, 480)),
        ("image/webp", webp(b"VP8 ", b"\0\0\0\x9d\x01\x2a\x80\x02\xe0\x41"), (640, 480)),
        ("image/webp", webp(b"VP8L", b"\x2f" + (639 | 479 << 14 | 1 << 28).to_bytes(4, "little")), (640, 480)),
        ("image/webp", webp(b"VP8X", b"\0\0\0\0\x7f\x02\0\xdf\x01\0"), (640, 480)),
        ("image/avif", b"\0\0\0\x1cftypavif...\0\0\0\x14ispe\0\0\0\0\0\0\x02\x80\0\0\x01\xe0", (640, 480)),
        ("image/jpeg", b"\xff\xd8" + FRAME, (640, 480)),
        ("image/jpeg", b"\xff\xd8\xff\xff" + TABLE + b"\xff\x01" + FRAME, (640, 480)),
        ("image/jpeg", b"\xff\xd8" + exif("big", 1) + FRAME, (640, 480)),
        ("image/jpeg", b"\xff\xd8" + exif("big", 6) + TABLE + FRAME, (480, 640)),
        ("image/jpeg", b"\xff\xd8" + exif("little", 8) + FRAME, (480, 640)),
        ("image/jpeg", b"\xff\xd8" + TABLE, None),
        ("image/svg+xml", b'<!-- a --><svg xmlns="x" width="640" height=\'479.8px\' viewBox="0 0 1 1">', (640, 480)),
        ("image/svg+xml", b'<svg width="100%" height="100%" viewBox="0 0 24 12">', (300, 150)),
        ("image/svg+xml", b'<svg\nviewBox="-1,-1, 10,40">', (75, 300)),
        ("image/svg+xml", b'<svg width="3em" height="2em">', None),
        ("image/svg+xml", b'<svg width="0" height="9"><rect width="9" height="9"/>', None),
        ("image/svg+xml", b'<svg><rect width="9" height="9"/></svg>', None),
        ("image/png", PNG[:20] + bytes(4), None),
        ("image/png", PNG[:16] + b"\xff" * 8, None),
        ("audio/mpeg", b"ID3", None),
    ],
)
def test_a_size_stands_in_the_header(mime: str, data: bytes, size: tuple[int, int] | None) -> None:
    assert picture_size(data, mime) == size


BEGINNINGS = [
    PNG,
    b"\xff\xd8" + exif("big", 6) + FRAME,
    b"\xff\xd8",
    b"<svg viewBox='0 0 ",
    b"ispe",
    webp(b"VP8X", b""),
]


@given(st.sampled_from(sorted(TYPES)), st.sampled_from(BEGINNINGS), st.integers(0, 60), st.binary(max_size=60))
def test_whatever_the_bytes_are_a_size_is_possible_or_none(mime: str, start: bytes, cut: int, rest: bytes) -> None:
    size = picture_size(start[:cut] + rest, mime)
    assert size is None or all(1 <= side <= LARGEST for side in size)
