from __future__ import annotations

import pytest

from app.domain.media import MediaKind, clean_name, ending, kind, sniff


@pytest.mark.parametrize(
    ("data", "mime"),
    [
        (b"\x89PNG\r\n\x1a\n...", "image/png"),
        (b"\xff\xd8\xff\xe0...", "image/jpeg"),
        (b"GIF89a...", "image/gif"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
        (b"\0\0\0\x1cftypavif", "image/avif"),
        (b'<?xml version="1.0"?>\n<!-- x --><svg xmlns="http://www.w3.org/2000/svg"/>', "image/svg+xml"),
        (b"\xef\xbb\xbf  <SVG >", "image/svg+xml"),
        (b"ID3\x04...", "audio/mpeg"),
        (b"\xff\xfb\x90\x00", "audio/mpeg"),
        (b"OggS...", "audio/ogg"),
        (b"RIFF\0\0\0\0WAVEfmt ", "audio/wav"),
        (b"\0\0\0\x1cftypM4A ", "audio/mp4"),
        (b"fLaC", "audio/flac"),
        (b"\x1a\x45\xdf\xa3", "audio/webm"),
        (b"\0\0\0\x18ftypheic", None),
        (b"\0\0\0\x18ftypisom", None),
        (b"<html><svg></svg></html>", None),
        (b"RIFF\0\0\0\0AVI ", None),
        (b"MZ\x90\0", None),
        (b"%PDF-1.7", None),
        (b"", None),
    ],
)
def test_a_content_is_what_its_first_bytes_say(data: bytes, mime: str | None) -> None:
    assert sniff(data) == mime


def test_pictures_are_seen_and_sounds_heard() -> None:
    assert kind("image/svg+xml") is MediaKind.IMAGE
    assert kind("audio/mp4") is MediaKind.SOUND
    assert (ending("image/jpeg"), ending("audio/mpeg"), ending("x/y")) == (".jpg", ".mp3", ".bin")


@pytest.mark.parametrize(
    ("name", "clean"),
    [("a/b\\c.png", "c.png"), ("..", ".."), ("", "file"), ("\u202eevil\n.png", "evil.png"), ("x" * 300, "x" * 200)],
)
def test_a_name_is_one_line_without_folders(name: str, clean: str) -> None:
    assert clean_name(name) == clean
