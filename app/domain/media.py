"""Pictures and sounds: what a content is, by its first bytes and never by its name."""

from __future__ import annotations

import re

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
        return "image/avif" if data[8:12] in {b"avif", b"avis"} else "audio/mp4"
    if len(data) > 1 and data[0] == 0xFF and data[1] & 0xE6 == 0xE2:
        return "audio/mpeg"
    return "image/svg+xml" if _SVG.match(data[:4_096]) else None
