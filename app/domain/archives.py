"""What reading a zip archive can end with."""

from __future__ import annotations

import lzma
import struct
import zipfile
import zlib
from typing import Final

ZIP_FAULTS: Final[tuple[type[Exception], ...]] = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    # `zipfile` raises it for an entry with a password and, as its NotImplementedError, for a strange compression.
    RuntimeError,
    # Among them UnicodeError, for the name of an entry.
    ValueError,
    OverflowError,
)
"""Whatever `zipfile` raises for a damaged or hostile archive, but for OSError, which a full disk raises as well."""
