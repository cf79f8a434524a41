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

_SVG = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--.*?-->\s*)*(?:<!doctype[^>]*>\s*)?(?:<!--.*?-->\s*)*<svg[\s>]",
    re.IGNORECASE | re.DOTALL,
)


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
    return "image/svg+xml" if _SVG.match(data[:4_096]) else None


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
