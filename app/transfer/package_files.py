"""The files in an Anki package: a zip whose sizes are checked before and while it is unpacked.

Nothing is unpacked under a name that the package chooses.
"""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final, cast

import zstandard

from app.domain.archives import ZIP_FAULTS
from app.domain.errors import N_, InvalidInput
from app.domain.transfer.anki import protobuf
from app.domain.transfer.anki.media_refs import usable_name

COLLECTION_MAX: Final = 1 << 30
"""Bytes of an unpacked collection."""
COLLECTIONS: Final = ("collection.anki21b", "collection.anki21", "collection.anki2")
"""The newest first: a package holds one that counts, and an older one that says to update Anki, or nothing."""

_DIRECTORY_MAX = 64 << 20
_ENTRIES_MAX = 500_000
_MEDIA_LIST_MAX = 64 << 20
_META_MAX = 1 << 16
_PIECE = 1 << 20
# Of a real collection, more than a hundredth is left; a bomb has a thousandth. Small ones may be empty pages.
_RATIO_MAX, _RATIO_FROM = 250, 64 << 20
_WINDOW_MAX = 1 << 27
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_ENCRYPTED = 0x1
_MODERN = 3
"""The version in `meta` from which the collection and the media are packed with Zstandard."""

_END, _END_SIZE, _COMMENT_MAX = b"PK\x05\x06", 22, 0xFFFF
_END64, _LOCATOR64, _LOCATOR64_SIZE = b"PK\x06\x06", b"PK\x06\x07", 20


class PackageFiles:
    """An open package. Every fault of the file is an `InvalidInput`."""

    def __init__(self, file: zipfile.ZipFile, size: int) -> None:
        self._file, self._size = file, size
        self._entries: dict[str, zipfile.ZipInfo] = {}
        for entry in file.infolist():
            if entry.filename in self._entries:
                raise _refused(N_("The package holds two files of one name."))
            self._entries[entry.filename] = entry
        self.collection = next((name for name in COLLECTIONS if name in self._entries), None)
        if self.collection is None:
            raise InvalidInput(
                N_("The file holds no collection of Anki's."), N_("Choose a file that ends in .apkg or .colpkg.")
            )
        self.modern = self.collection == COLLECTIONS[0]
        if self._version() >= _MODERN and not self.modern:
            raise stub_only()

    def unpack_collection(self, to: Path) -> None:
        """Write the collection to the file `to`, which must not exist."""
        entry = self._entry(self.collection or "")
        with to.open("xb") as out, self._opened(entry) as packed:
            written = 0
            for piece in _pieces(packed, zstd=self.modern):
                written += len(piece)
                if written > COLLECTION_MAX:
                    raise _too_large()
                if written > _RATIO_FROM and written > _RATIO_MAX * max(entry.compress_size, 1):
                    raise _bomb()
                out.write(piece)

    def media_names(self) -> dict[str, str]:
        """The file in the package that holds each picture or sound, by its own name. Unusable names are left out."""
        if "media" not in self._entries:
            return {}
        content = self._content("media", _MEDIA_LIST_MAX, zstd=self.modern)
        if content is None:
            raise _refused(N_("The list of pictures and sounds in the package is too long."))
        found = _listed(content) if self.modern else _mapped(content)
        return {name: key for key, name in found if key in self._entries and usable_name(name)}

    def media_size(self, key: str) -> int:
        """Bytes of the entry, as the package says."""
        return self._entries[key].file_size

    def media(self, key: str, most: int) -> bytes | None:
        """The content of a picture or sound; None when it has more than `most` bytes or cannot be unpacked."""
        try:
            return self._content(key, most, zstd=self.modern)
        except InvalidInput:
            return None

    def _version(self) -> int:
        if "meta" not in self._entries:
            return 0
        content = self._content("meta", _META_MAX, zstd=False)
        return protobuf.number(protobuf.fields(content), 1) if content else 0

    def _content(self, name: str, most: int, *, zstd: bool) -> bytes | None:
        held = io.BytesIO()
        with self._opened(self._entry(name)) as packed:
            for piece in _pieces(packed, zstd=zstd):
                if held.tell() + len(piece) > most:
                    return None
                held.write(piece)
        return held.getvalue()

    def _entry(self, name: str) -> zipfile.ZipInfo:
        entry = self._entries[name]
        if entry.flag_bits & _ENCRYPTED:
            raise _refused(N_("The package is protected by a password."))
        if entry.compress_type not in _METHODS:
            raise _refused(N_("The package is packed in a way that Anki does not use."))
        if entry.is_dir() or (entry.external_attr >> 16) & 0o170000 not in {0, 0o100000}:
            raise _refused(N_("The package holds something that is not a file."))
        if entry.compress_size > self._size:
            raise damaged()
        if name in COLLECTIONS and entry.file_size > COLLECTION_MAX:
            raise _too_large()
        return entry

    @contextmanager
    def _opened(self, entry: zipfile.ZipInfo) -> Generator[IO[bytes]]:
        with faults(), self._file.open(entry) as packed:
            yield packed


@contextmanager
def opened_package(path: Path) -> Generator[PackageFiles]:
    """The package at `path`. Raises `InvalidInput` for a file that is none, or is not whole."""
    size = path.stat().st_size
    with faults():
        _check_directory(path, size)
        file = zipfile.ZipFile(path)
    with file:
        if len(file.infolist()) > _ENTRIES_MAX:
            raise _refused(N_("The package holds too many files."))
        yield PackageFiles(file, size)


@contextmanager
def faults() -> Generator[None]:
    """Whatever unpacking raises for a damaged or hostile file, as `InvalidInput`."""
    try:
        yield
    except (*ZIP_FAULTS, zstandard.ZstdError) as error:
        raise damaged() from error


def damaged() -> InvalidInput:
    return _refused(N_("The package is damaged and cannot be unpacked."))


def stub_only() -> InvalidInput:
    return InvalidInput(
        N_("The package holds no cards, only a note that asks to update Anki."),
        N_("In Anki, export the deck again, with “Support older Anki versions” if that fails once more."),
    )


def _refused(message: str) -> InvalidInput:
    return InvalidInput(message, N_("Export it from Anki again, and try once more."))


def _too_large() -> InvalidInput:
    return InvalidInput(
        N_("The collection is larger than %(max)d MB when it is unpacked."),
        N_("Export fewer decks at once."),
        max=COLLECTION_MAX >> 20,
    )


def _bomb() -> InvalidInput:
    return _refused(N_("The package unpacks to far more than a collection can be."))


def _check_directory(path: Path, size: int) -> None:
    """Refuse a directory of files that is too large to be read, before it is read."""
    with path.open("rb") as file:
        file.seek(max(0, size - _END_SIZE - _COMMENT_MAX - _LOCATOR64_SIZE))
        tail = file.read()
        at = tail.rfind(_END)
        if at < 0 or len(tail) - at < _END_SIZE:
            raise InvalidInput(
                N_("The file is not a package of Anki's, or it is not whole."),
                N_("Choose a file that ends in .apkg or .colpkg, and copy it again if it was cut off."),
            )
        entries, length = struct.unpack_from("<HI", tail, at + 10)
        locator = at - _LOCATOR64_SIZE
        if locator >= 0 and tail.startswith(_LOCATOR64, locator):
            (offset,) = struct.unpack_from("<Q", tail, locator + 8)
            if offset + 56 > size:
                raise damaged()
            file.seek(offset)
            end = file.read(56)
            if not end.startswith(_END64):
                raise damaged()
            entries, length = struct.unpack_from("<QQ", end, 32)
    if length > min(size, _DIRECTORY_MAX) or entries > _ENTRIES_MAX:
        raise _refused(N_("The package holds too many files."))


def _pieces(packed: IO[bytes], *, zstd: bool) -> Iterator[bytes]:
    source = zstandard.ZstdDecompressor(max_window_size=_WINDOW_MAX).stream_reader(packed) if zstd else packed
    while piece := source.read(_PIECE):
        yield piece


def _mapped(content: bytes) -> list[tuple[str, str]]:
    """Names in the package and own names, from JSON."""
    try:
        loaded: object = json.loads(content)
    except (ValueError, RecursionError):
        raise _refused(N_("The list of pictures and sounds in the package cannot be read.")) from None
    if not isinstance(loaded, dict):
        raise _refused(N_("The list of pictures and sounds in the package cannot be read."))
    return [(key, name) for key, name in cast("dict[str, object]", loaded).items() if isinstance(name, str)]


def _listed(content: bytes) -> list[tuple[str, str]]:
    """Names in the package, which are places in the list, and own names, from a message."""
    found: list[tuple[str, str]] = []
    for place, (number, value) in enumerate(protobuf.fields(content)):
        if number == 1 and isinstance(value, bytes):
            entry = protobuf.fields(value)
            found.append((str(protobuf.number(entry, 255, place)), protobuf.text(entry, 1)))
    return found
