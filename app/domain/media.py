"""Pictures and sounds: what a content is, by its first bytes and never by its name."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

NAME_MAX: Final = 200
MEDIA_OF_SIDE_MAX: Final = 20

_ENDINGS: Final = {
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/gif": ".gif",
    "image/webp": ".webp",
    "image/avif": ".avif",
    "image/svg+xml": ".svg",
    "audio/mpeg": ".mp3",
    "audio/ogg": ".ogg",
    "audio/wav": ".wav",
    "audio/mp4": ".m4a",
    "audio/flac": ".flac",
    "audio/webm": ".webm",
}

_SVG_WITHIN: Final = 8_192
"""Bytes in which a drawing's first element begins, after what XML lets stand before it."""
_SVG = re.compile(rb"<svg[\s>]", re.IGNORECASE)
_DOCTYPE: Final = b"<!doctype"


def sniff(data: bytes) -> str | None:
    """The MIME type of a picture or sound that browsers show or play; None for anything else."""
    starts = (
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xff\xd8\xff", "image/jpeg"),
        (b"GIF87a", "image/gif"),
        (b"GIF89a", "image/gif"),
        (b"ID3", "audio/mpeg"),
        (b"OggS", "audio/ogg"),
        (b"fLaC", "audio/flac"),
        (b"\x1a\x45\xdf\xa3", "audio/webm"),
    )
    for start, mime in starts:
        if data.startswith(start):
            return mime
    if data[:4] == b"RIFF":
        return {b"WEBP": "image/webp", b"WAVE": "audio/wav"}.get(data[8:12])
    if data[4:8] == b"ftyp":
        # By its brand: pictures of phones (HEIC) and films have the same frame.
        return {b"avif": "image/avif", b"avis": "image/avif", b"M4A ": "audio/mp4", b"M4B ": "audio/mp4"}.get(
            data[8:12]
        )
    if len(data) > 1 and data[0] == 0xFF and data[1] & 0xE6 == 0xE2:
        return "audio/mpeg"
    return "image/svg+xml" if _is_drawing(data[:_SVG_WITHIN].removeprefix(b"\xef\xbb\xbf")) else None


def _is_drawing(text: bytes) -> bool:
    """Whether the first element is `svg`. Goes once through the text: a pattern would try comments in every way."""
    at = 0
    while True:
        at += len(text[at:]) - len(text[at:].lstrip())
        if text.startswith(b"<!--", at):
            end = _after(text, b"-->", at + 4)
        elif text.startswith(b"<?", at):
            end = _after(text, b"?>", at + 2)
        elif text[at : at + len(_DOCTYPE)].lower() == _DOCTYPE:
            # Drawing programs declare entities in brackets.
            end = _after(text, b">", at)
            if 0 <= text.find(b"[", at) < end:
                end = _after(text, b">", _after(text, b"]", at)) if b"]" in text[at:] else 0
        else:
            return _SVG.match(text, at) is not None
        if not end:
            return False
        at = end


def _after(text: bytes, sign: bytes, start: int) -> int:
    """Where the text goes on after the next `sign`; 0 where there is none."""
    found = text.find(sign, start)
    return found + len(sign) if found >= 0 else 0


class MediaKind(StrEnum):
    IMAGE = "image"
    SOUND = "sound"


def kind(mime: str) -> MediaKind:
    """Whether a content is seen or heard."""
    return MediaKind.IMAGE if mime.startswith("image/") else MediaKind.SOUND


def ending(mime: str) -> str:
    """The usual ending of a file with this content, with its point."""
    return _ENDINGS.get(mime, ".bin")


def clean_name(name: str) -> str:
    """A file's name on one line, without folders and without letters that cannot be seen; `file` for nothing."""
    last = name.replace("\\", "/").rpartition("/")[2]
    return "".join(letter for letter in last if letter.isprintable()).strip()[:NAME_MAX] or "file"
