"""Packages of each form, and what the reader leaves behind."""

from __future__ import annotations

import base64
import hashlib
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.domain.errors import InvalidInput
from app.domain.transfer.bundle import Line, ReadOrder
from app.transfer.packages import read
from tests.transfer.package_makers import collection, field, legacy, modern, new_schema, package, packed

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
PNG = b"\x89PNG\r\n\x1a\n" + b"picture"


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def lines_of(content: bytes, folder: Path, *, media: bool = True) -> Iterator[Line | bytes]:
    path = folder / "given.apkg"
    path.write_bytes(content)
    return read(path, ReadOrder("given.apkg", NOW, media=media))


def fronts(content: bytes, folder: Path) -> list[str]:
    return [line.card.front for line in lines_of(content, folder) if isinstance(line, Line) and line.card]


def test_the_newest_form_in_a_package_counts(tmp_path: Path) -> None:
    old, newer, newest = (collection(tmp_path, (name, "b")) for name in ("old", "newer", "newest"))
    assert fronts(package({"collection.anki2": old}), tmp_path) == ["old"]
    assert fronts(package({"collection.anki2": old, "collection.anki21": newer}), tmp_path) == ["newer"]
    every = {"collection.anki21": newer, "collection.anki2": old}
    assert fronts(modern(packed(newest), every), tmp_path) == ["newest"]


def test_tables_of_schema_18(tmp_path: Path) -> None:
    content = modern(packed(collection(tmp_path, ("a", "b"), change=new_schema())))
    deck, card, end = list(lines_of(content, tmp_path))
    assert isinstance(deck, Line)
    assert deck.deck
    assert (deck.deck.name, deck.deck.description) == ("A::B", "About it")
    assert isinstance(card, Line)
    assert card.card
    assert (card.card.front, card.card.back) == ("a", "b")
    assert isinstance(end, Line)
    assert end.end


def test_media_of_both_forms_go_before_their_card_and_once(tmp_path: Path) -> None:
    notes = [('<img src="x.png">', "one"), ('again <img src="x.png"> <img src="same.png">', "two")]
    made = collection(tmp_path, *notes)
    entries = b"".join(field(1, field(1, name) + field(2, len(PNG))) for name in (b"x.png", b"same.png"))
    new = modern(packed(made), {"media": packed(entries), "0": packed(PNG), "1": packed(PNG)})
    for content in (legacy(made, {"x.png": PNG, "same.png": PNG}), new):
        found = list(lines_of(content, tmp_path))
        kinds = [
            "bytes" if isinstance(line, bytes) else next(name for name in line.__slots__ if getattr(line, name))
            for line in found
        ]
        assert kinds == ["deck", "media", "bytes", "card", "card", "end"]
        assert found[2] == PNG
        assert isinstance(found[1], Line)
        assert found[1].media
        assert found[1].media.digest == hashlib.sha256(PNG).hexdigest()
        without = list(lines_of(content, tmp_path, media=False))
        assert without == [line for line in found if isinstance(line, Line)]


def test_a_card_with_very_much_media_brings_every_byte(tmp_path: Path) -> None:
    files = {f"{number}.png": PNG + bytes([number]) * (4 << 20) for number in range(12)}
    made = collection(tmp_path, ("".join(f'<img src="{name}">' for name in files), "many"))
    contents = [line for line in lines_of(legacy(made, files), tmp_path) if isinstance(line, bytes)]
    assert contents == list(files.values())


def test_nothing_is_left_behind_however_reading_ends(tmp_path: Path, temporary: Path) -> None:
    content = legacy(collection(tmp_path, ("a", "b"), ("c", "d")))
    whole = lines_of(content, tmp_path)
    next(whole)
    assert len(list(temporary.iterdir())) == 1
    assert (next(temporary.iterdir()).stat().st_mode & 0o777) == 0o700
    list(whole)
    assert not list(temporary.iterdir())
    stopped = lines_of(content, tmp_path)
    next(stopped)
    stopped.close()  # type: ignore[attr-defined]
    assert not list(temporary.iterdir())
    with pytest.raises(InvalidInput):
        list(lines_of(content[:-300], tmp_path))
    assert not list(temporary.iterdir())


def test_an_empty_package_ends_without_cards(tmp_path: Path) -> None:
    emptied = collection(tmp_path, change=lambda made: made.executescript("DELETE FROM notes; DELETE FROM cards;"))
    (end,) = list(lines_of(legacy(emptied), tmp_path))
    assert isinstance(end, Line)
    assert end.end
    assert (end.end.cards, end.end.format, end.end.numbered_by) == (0, "anki", "note")


def test_a_picture_written_into_the_text_comes_along_as_a_file(tmp_path: Path) -> None:
    written = f'<img src="data:image/png;base64,{base64.b64encode(PNG).decode()}">'
    content = legacy(collection(tmp_path, ("Front " + written, "Back"), ("Again " + written, "Back")))
    lines = list(lines_of(content, tmp_path))
    assert [line for line in lines if isinstance(line, bytes)] == [PNG]
    uses = [use for line in lines if isinstance(line, Line) and line.card for use in line.card.media]
    assert [(use.name, use.digest) for use in uses] == [("image.png", hashlib.sha256(PNG).hexdigest())] * 2
    assert not any(isinstance(line, Line) and line.warning for line in lines)
