"""The bytes of a text file as text with plain line ends."""

from __future__ import annotations

import codecs

from app.domain.errors import N_, InvalidInput


def decoded(content: bytes | str) -> str:
    """UTF-8, or UTF-16 where a byte order mark says so; without the mark and NUL, each CRLF and CR made LF.

    Raises `InvalidInput` with the line for bytes that are no such text.
    """
    text = content if isinstance(content, str) else _from_bytes(content)
    return text.removeprefix("\ufeff").replace("\0", "").replace("\r\n", "\n").replace("\r", "\n")


def _from_bytes(content: bytes) -> str:
    wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    encoding = "utf-16" if wide else "utf-8"
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        raise InvalidInput(
            N_("The file is not text in %(encoding)s: line %(line)d holds other bytes."),
            N_("Save it as CSV UTF-8, or as a text file in the encoding UTF-8, and send it again."),
            field="content",
            encoding=encoding.upper(),
            line=content[: error.start].decode(encoding, "replace").count("\n") + 1,
        ) from None
