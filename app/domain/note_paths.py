"""Where a note lives: what a path and a folder may be, and what follows from them.

A path is POSIX, relative, case-sensitive and ends in `.md`. It is compared letter by letter, never normalised, so what
an AI client wrote under a path is found under exactly that path.
"""

from __future__ import annotations

import posixpath
import re
from hashlib import blake2b
from typing import Final
from urllib.parse import quote, unquote

from app.domain.errors import N_, InvalidInput

PATH_MAX: Final = 1_024
"""Code points of a path or a folder."""
EXTENSION: Final = ".md"
URI_PREFIX: Final = "note:"

_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_SURROGATES = re.compile("[\ud800-\udfff]")
_UNFIT_FOR_A_FILE = re.compile(r'[\x00-\x1f\x7f-\x9f\\:*?"<>|\ud800-\udfff]')


def clean_path(path: str, field: str = "path") -> str:
    """The path itself. Raises `InvalidInput` for what is no path of a note.

    Refused besides the rules of the contract: empty and `.` parts, a backslash, and a folder that ends in `.md`, which
    would be a note and a folder at once on a disk.
    """
    _check(path, field)
    *folders, name = path.split("/")
    if not name.endswith(EXTENSION) or name == EXTENSION:
        raise InvalidInput(
            N_("The path does not end in a name with .md."), N_("Use one like work/tasks/plan.md."), field=field
        )
    _check_folders(folders, field)
    return path


def clean_folder(folder: str, field: str = "folder") -> str:
    """The folder without slashes at its end, an empty string for the root. Raises `InvalidInput`."""
    folder = folder.strip().rstrip("/") if folder.strip() != "/" else ""
    if not folder:
        return ""
    _check(folder, field)
    _check_folders(folder.split("/"), field)
    return folder


def _check(path: str, field: str) -> None:
    if not 1 <= len(path) <= PATH_MAX:
        raise InvalidInput(N_("A path has from 1 to %(max)d characters."), N_("Shorten it."), field=field, max=PATH_MAX)
    if path.startswith("/"):
        raise InvalidInput(N_("A path has no slash at its start."), N_("Use one like work/plan.md."), field=field)
    if "\\" in path:
        raise InvalidInput(N_("A path has no backslash."), N_("Part folders with a slash."), field=field)
    if _CONTROLS.search(path) or _SURROGATES.search(path):
        raise InvalidInput(
            N_("A path has no control characters."), N_("Use letters, digits, spaces and marks."), field=field
        )
    if any(part in {"", ".", ".."} for part in path.split("/")):
        raise InvalidInput(
            N_("A path has no empty parts and none that are only dots."),
            N_("Write it from the root, like work/plan.md."),
            field=field,
        )


def _check_folders(folders: list[str], field: str) -> None:
    if any(part.endswith(EXTENSION) for part in folders):
        raise InvalidInput(N_("A folder's name does not end in .md."), N_("Give the folder another name."), field=field)


def title_of(path: str) -> str:
    """The file's name without folders and extension."""
    return path.rpartition("/")[2].removesuffix(EXTENSION)


def folder_of(path: str) -> str:
    """The folder that the note lies in, an empty string for the root."""
    return path.rpartition("/")[0]


def ancestors(folder: str) -> list[str]:
    """The folder's parents and itself, outermost first; nothing for the root."""
    parts = folder.split("/") if folder else []
    return ["/".join(parts[: place + 1]) for place in range(len(parts))]


def path_key(path: str) -> bytes:
    """16 bytes for a path: an index cannot hold a path at its longest."""
    return blake2b(path.encode(), digest_size=16).digest()


def uri_of(path: str) -> str:
    """The resource of a note, its path percent-encoded where a URI needs it."""
    return URI_PREFIX + quote(path, safe="/~!$&'()*+,;=:@-._")


def path_in_uri(uri: str) -> str:
    """The path in a `note:` URI; an empty string for any other text."""
    if not uri.startswith(URI_PREFIX):
        return ""
    try:
        return unquote(uri.removeprefix(URI_PREFIX).removeprefix("///").removeprefix("//"), errors="strict")
    except UnicodeDecodeError:
        return ""


def joined(folder: str, relative: str) -> str:
    """The path that `relative` names when it is read in a note of `folder`; `..` does not lead out of the root."""
    absolute = relative.startswith("/")
    return posixpath.normpath("/" + ("" if absolute else folder) + "/" + relative).lstrip("/")


def relative_path(path: str, folder: str) -> str:
    """How a note of `folder` names the note at `path`."""
    return posixpath.relpath("/" + path, "/" + folder)


def file_name(path: str) -> str:
    """The path as an archive may carry it to any disk: each part short, without signs that a file system refuses."""
    parts = [_UNFIT_FOR_A_FILE.sub("_", part).rstrip(". ") or "_" for part in path.removesuffix(EXTENSION).split("/")]
    cut = [part.encode()[:200].decode(errors="ignore") or "_" for part in parts]
    return "/".join(cut) + EXTENSION
