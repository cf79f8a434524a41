from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
        (b'<?xml version="1.0"?><?xml-stylesheet href="a"?><!DOCTYPE svg PUBLIC "a" "b"><svg>', "image/svg+xml"),
        (b'<!DOCTYPE svg [ <!ENTITY ns "http://x/"> ]>\n<svg xmlns="&ns;">', "image/svg+xml"),
        (b"<!-- <svg> -->", None),
        (b"<!doctype svg [ <svg>", None),
        (b"<!doctype html><svg>", "image/svg+xml"),
        (b"<svgx>", None),
        (b"<?xml ", None),
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


@pytest.mark.parametrize("text", [b"<!---->" * 2_000, b" <?a?>" * 2_000, b"<!doctype x>" * 2_000, b" " * 20_000 + b"x"])
def test_a_text_that_only_begins_like_a_drawing_is_none(text: bytes) -> None:
    assert sniff(text) is None  # trying each comment in every way would never end


@given(st.lists(st.sampled_from([b"<!--", b"-->", b"<?", b"?>", b"<!DOCTYPE", b"[", b"]", b">", b" ", b"<svg>", b"x"])))
def test_a_drawing_begins_with_its_element_alone(pieces: list[bytes]) -> None:
    text = b"".join(pieces)
    assert sniff(text) in {None, "image/svg+xml"}
    assert b"<svg>" in text or sniff(text) is None
    assert sniff(b"<!-- a --> <?b?>\n<svg>" + text) == "image/svg+xml"


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
