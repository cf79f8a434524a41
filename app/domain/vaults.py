"""Folders of Markdown that come in as a zip or as files: which of them are notes, under which path, and what is not.

Nothing is believed of an archive: paths are checked, sizes are counted while reading, links and secrets of programs are
left out.
"""

from __future__ import annotations

import io
import stat
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from app.domain.archives import ZIP_FAULTS
from app.domain.errors import N_, InvalidInput
from app.domain.note_paths import EXTENSION, clean_folder, clean_path
from app.domain.notes import BODY_MAX_BYTES, FRONTMATTER_MAX_BYTES
from app.domain.unicode_forms import normal_form

FILES_MAX: Final = 5_000
FILE_MAX_BYTES: Final = BODY_MAX_BYTES + 2 * FRONTMATTER_MAX_BYTES
TOTAL_MAX_BYTES: Final = 64 * 1_048_576
"""Of Markdown, unpacked."""
_HIDDEN: Final = frozenset({".obsidian", ".trash", ".git", "__MACOSX", ".stfolder", ".DS_Store", "Thumbs.db"})
_ENDINGS: Final = (".md", ".markdown")


@dataclass(frozen=True, slots=True)
class VaultFile:
    """A Markdown file to import, under the path that its note gets."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A Markdown file that cannot be imported, and why (a message id with its parameters)."""

    name: str
    reason: str
    params: dict[str, object] = field(default_factory=dict[str, object])


@dataclass(slots=True)
class Vault:
    """What was found: notes, files that are no Markdown (by name), and Markdown that cannot be taken."""

    files: list[VaultFile] = field(default_factory=list[VaultFile])
    attachments: list[str] = field(default_factory=list[str])
    left_out: list[LeftOut] = field(default_factory=list[LeftOut])


def read_zip(data: bytes, folder: str = "") -> Vault:
    """The Markdown of a zip archive. Raises `InvalidInput` for what is no archive, or one with too much in it."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return read_files(_unpacked(archive), folder)
    except (*ZIP_FAULTS, OSError):
        raise InvalidInput(
            N_("This is no zip archive that can be read."),
            N_("Pack the folder again, without a password."),
            field="files",
        ) from None


def _unpacked(archive: zipfile.ZipFile) -> Iterator[tuple[str, bytes | None]]:
    infos = archive.infolist()
    if len(infos) > 4 * FILES_MAX:
        raise _too_many()
    for info in infos:
        if info.is_dir() or stat.S_ISLNK(info.external_attr >> 16):
            continue
        name = info.filename
        if not _is_markdown(name):
            yield name, b""
        elif info.flag_bits & 1 or info.file_size > FILE_MAX_BYTES:
            yield name, None
        else:
            with archive.open(info) as packed:
                data = packed.read(FILE_MAX_BYTES + 1)  # whatever the archive says of its size
            yield name, data if len(data) <= FILE_MAX_BYTES else None


def read_files(files: Iterable[tuple[str, bytes | None]], folder: str = "") -> Vault:
    """The Markdown among files named by their relative paths; None stands for one that is locked or too large.

    Raises `InvalidInput` for too many files or too much text.
    """
    into = clean_folder(folder)
    named = [(_name(name), data) for name, data in files]
    root = _vault_root([name for name, _ in named])
    vault = Vault()
    total = 0
    for name, data in named:
        inner = name.removeprefix(root)
        if not inner or _HIDDEN & set(inner.split("/")):
            continue
        if not _is_markdown(inner):
            vault.attachments.append(inner)
            continue
        if len(vault.files) + len(vault.left_out) >= FILES_MAX:
            raise _too_many()
        if data is None:
            vault.left_out.append(LeftOut(inner, N_("It is locked, or larger than a note may be.")))
            continue
        total += len(data)
        if total > TOTAL_MAX_BYTES:
            raise InvalidInput(
                N_("There is more than %(max)d MB of text in it."),
                N_("Import it in parts."),
                field="files",
                max=TOTAL_MAX_BYTES // 1_048_576,
            )
        _take(vault, into, inner, data)
    return vault


def _take(vault: Vault, into: str, inner: str, data: bytes) -> None:
    path = inner.removesuffix(".markdown") + EXTENSION if inner.endswith(".markdown") else inner
    try:
        path = clean_path(f"{into}/{path}" if into else path)
        text = data.decode("utf-16" if data[:2] in {b"\xff\xfe", b"\xfe\xff"} else "utf-8-sig")
    except InvalidInput as error:
        vault.left_out.append(LeftOut(inner, error.message, dict(error.params)))
    except UnicodeDecodeError:
        vault.left_out.append(LeftOut(inner, N_("It is not text in UTF-8.")))
    else:
        vault.files.append(VaultFile(path, text.replace("\r\n", "\n")))


def _name(name: str) -> str:
    """macOS takes letters apart in the names of files; links put them together."""
    return normal_form("NFC", name.replace("\\", "/")).removeprefix("./")


def _vault_root(names: list[str]) -> str:
    """The one folder in which everything lies when it is a whole vault, with a slash; an empty string otherwise."""
    tops = {name.partition("/")[0] for name in names if "/" in name} - {"__MACOSX"}
    if len(tops) != 1 or any("/" not in name for name in names):
        return ""
    (top,) = tops
    return f"{top}/" if any(name.startswith(f"{top}/.obsidian/") for name in names) else ""


def _is_markdown(name: str) -> bool:
    return name.endswith(_ENDINGS)


def _too_many() -> InvalidInput:
    return InvalidInput(
        N_("There are more than %(max)d files in it."), N_("Import it in parts."), field="files", max=FILES_MAX
    )
