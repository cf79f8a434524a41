"""The pictures and sounds of a package, as far as the cards that are taken name them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from app.domain.errors import N_
from app.domain.media import ending, sniff
from app.domain.transfer.anki.media_refs import MediaRef
from app.domain.transfer.anki.notices import Notices
from app.domain.transfer.bundle import MEDIA_MAX_BYTES, BroughtMedia, Line
from app.domain.transfer.rows import Reason
from app.transfer.package_files import PackageFiles

TOTAL_MAX: Final = 1 << 30
"""Bytes of all files of a package that are taken."""

HELD_MAX: Final = 32 << 20
"""Bytes kept for one note until its card is sent; what is beyond is unpacked once more."""

_MISSING: Final = N_("A picture or sound of this note is not in the package.")
_REMOTE: Final = N_("A picture or sound of this note is on another server, and was left out.")
_BAD_NAME: Final = N_("A picture or sound of this note has a name that no file of a package can have.")
_TOO_LARGE: Final = N_("A picture or sound of this note has more than %(max)d MB, or is damaged.")
_UNKNOWN: Final = N_("A file of this note is neither a picture nor a sound that can be shown.")
_TOO_MANY: Final = N_("The pictures and sounds have more than %(max)d MB together; those from here on were left out.")


@dataclass(frozen=True, slots=True)
class _Fault:
    message: str
    max: int = 0


class PackageMedia:
    """Finds files by what cards call them; each new content waits to be sent before the card."""

    def __init__(self, files: PackageFiles, notices: Notices, *, contents: bool) -> None:
        self._files, self._notices, self._contents = files, notices, contents
        self._keys = files.media_names()
        self._found: dict[str, str | _Fault] = {}
        """Digest, or why there is none, by the name in the package."""
        self._sent: set[str] = set()
        self._waiting: list[tuple[BroughtMedia, str | None, bytes | None]] = []
        self._held = 0
        self._total = 0

    def find(self, ref: MediaRef, place: int) -> tuple[str, str] | None:
        """Digest and name of the file that is meant; without one, a warning for the note at `place`."""
        if ref.content is not None:
            return self._written(ref, place)
        if not ref.names:
            self._warn(place, _Fault(_REMOTE if ref.remote else _BAD_NAME))
            return None
        name = next((name for name in ref.names if name in self._keys), None)
        if name is None:
            self._warn(place, _Fault(_MISSING))
            return None
        key = self._keys[name]
        if key not in self._found:
            self._found[key] = self._read(key)
        found = self._found[key]
        if isinstance(found, _Fault):
            self._warn(place, found)
            return None
        return found, name

    def take(self) -> Iterator[Line | bytes]:
        """The lines of new files, each with its content after it where contents are wanted."""
        waiting, self._waiting, self._held = self._waiting, [], 0
        for media, key, content in waiting:
            yield Line(media=media)
            if self._contents:
                yield content or (self._files.media(key, MEDIA_MAX_BYTES) if key else None) or b""

    def _read(self, key: str) -> str | _Fault:
        if self._total >= TOTAL_MAX:
            return _Fault(_TOO_MANY, TOTAL_MAX >> 20)
        content = self._files.media(key, MEDIA_MAX_BYTES)
        if content is None:
            self._total += MEDIA_MAX_BYTES  # it was unpacked as far as that
            return _Fault(_TOO_LARGE, MEDIA_MAX_BYTES >> 20)
        return self._keep(content, key)

    def _written(self, ref: MediaRef, place: int) -> tuple[str, str] | None:
        """As `find`, for a file that is written into the text."""
        content = ref.content or b""
        if self._total >= TOTAL_MAX:
            found: str | _Fault = _Fault(_TOO_MANY, TOTAL_MAX >> 20)
        elif len(content) > MEDIA_MAX_BYTES:
            found = _Fault(_TOO_LARGE, MEDIA_MAX_BYTES >> 20)
        else:
            found = self._keep(content, None)
        if isinstance(found, _Fault):
            self._warn(place, found)
            return None
        return found, f"{ref.kind}{ending(sniff(content) or '')}"

    def _keep(self, content: bytes, key: str | None) -> str | _Fault:
        """The digest of a content, which waits to be sent; without a `key` it can be had nowhere else."""
        self._total += len(content)
        mime = sniff(content)
        if mime is None:
            return _Fault(_UNKNOWN)
        digest = hashlib.sha256(content).hexdigest()
        if digest not in self._sent:
            self._sent.add(digest)
            held = self._contents and (key is None or self._held + len(content) <= HELD_MAX)
            self._held += len(content) if held else 0
            self._waiting.append((BroughtMedia(digest, len(content), mime), key, content if held else None))
        return digest

    def _warn(self, place: int, fault: _Fault) -> None:
        params = {"max": fault.max} if fault.max else {}
        self._notices.warning(place, Reason.LEFT_OUT, fault.message, **params)
