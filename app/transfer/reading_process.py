"""The process that reads a file somebody brought: an order on standard input, the lines of a bundle on standard output.

A process of its own, because the file may be hostile: memory, time and what it writes are limited, its environment
holds no secret, and its end is not the server's.
"""

from __future__ import annotations

import os
import sys
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from app.domain.archives import ZIP_FAULTS
from app.domain.errors import N_, InvalidInput
from app.domain.transfer.bundle import Line, ReadOrder, Refused

MEMORY_MAX: Final = 1_536 * 1_048_576
SECONDS_MAX: Final = 300
WRITTEN_MAX: Final = 2_048 * 1_048_576
"""Bytes of one file that it unpacks for itself."""
_FIELDS: Final = tuple(item.name for item in fields(Line))
_COLLECTIONS: Final = frozenset({"collection.anki21b", "collection.anki21", "collection.anki2"})
_OWN: Final = "loci.json"


@dataclass(frozen=True, slots=True)
class Task:
    """The first line of the input: which file, and how it is read."""

    path: str
    order: ReadOrder


def encoded(line: Line) -> bytes:
    """A line as JSON with the one field that is set."""
    name = next(name for name in _FIELDS if getattr(line, name) is not None)
    return msgspec.json.encode({name: getattr(line, name)}) + b"\n"


def read(path: Path, order: ReadOrder) -> Iterator[Line | bytes]:
    """The lines of a file of any known format, told apart by what is in it. Raises `InvalidInput`."""
    # Each format brings libraries of its own, and a file needs one of them.
    with path.open("rb") as file:
        head = file.read(65_536)
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        names = _names(path)
        if names & _COLLECTIONS:
            from app.transfer import packages

            return packages.read(path, order)
        if _OWN in names:
            from app.transfer import own

            return own.read(path, order)
        raise _strange_zip(names)
    if not head.strip():
        raise InvalidInput(N_("The file is empty."), N_("Choose another one."))
    if head.startswith(b"SQLite format 3\0"):
        raise InvalidInput(
            N_("This is the database of an Anki collection, not a package."),
            N_("In Anki choose File, Export, and the format .apkg or .colpkg."),
        )
    if head.lstrip()[:1] == b"{" and b'"loci-' in head[:200]:
        from app.transfer import own

        return own.read(path, order)
    from app.transfer import texts

    return texts.read(path, order)


def _names(path: Path) -> set[str]:
    try:
        with zipfile.ZipFile(path) as archive:
            return {info.filename for info in archive.infolist()}
    except (*ZIP_FAULTS, OSError):
        raise InvalidInput(
            N_("The file is damaged: its list of contents cannot be read."),
            N_("Export or download it again."),
        ) from None


def _strange_zip(names: set[str]) -> InvalidInput:
    if any(name.lower().endswith((".md", ".markdown")) for name in names):
        return InvalidInput(
            N_("This is a folder of Markdown notes."), N_("Bring it in under Notes, Import, where its links are kept.")
        )
    return InvalidInput(
        N_("There is no Anki package and no export of Loci in this zip."), N_("Unpack it, and import a file of it.")
    )


def write(path: Path, order: ReadOrder, out: BinaryIO) -> None:
    """Write the bundle of a file, or the one line that refuses it."""
    try:
        out.writelines(each if isinstance(each, bytes) else encoded(each) for each in read(path, order))
    except InvalidInput as error:
        out.write(encoded(Line(refused=Refused(error.message, error.hint, dict(error.params)))))
    except (MemoryError, RecursionError):
        message = N_("The file needs more memory than reading a file may take.")
        out.write(encoded(Line(refused=Refused(message, N_("Export it in parts.")))))


def _limit() -> None:
    os.nice(10)  # answering people comes first
    os.umask(0o077)
    with suppress(ImportError):  # the module is Unix's
        import resource

        for what, most in (
            (resource.RLIMIT_AS, MEMORY_MAX),
            (resource.RLIMIT_CPU, SECONDS_MAX),
            (resource.RLIMIT_FSIZE, WRITTEN_MAX),
            (resource.RLIMIT_CORE, 0),
        ):
            _, hard = resource.getrlimit(what)
            with suppress(ValueError, OSError):  # macOS refuses some
                resource.setrlimit(what, (most if hard < 0 else min(most, hard), hard))


def main() -> None:
    task = msgspec.json.decode(sys.stdin.buffer.readline(), type=Task)
    _limit()
    with suppress(BrokenPipeError):
        write(Path(task.path), task.order, sys.stdout.buffer)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
