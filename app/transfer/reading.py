"""The server's side of reading a file: the process that reads it (`reading_process`) and the lines that it gives."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import msgspec

from app.core.child import child
from app.domain.errors import N_, InvalidInput
from app.domain.transfer.bundle import Line, ReadOrder, Refused
from app.transfer.reading_process import Task

_LINE_MAX: Final = 64 * 1_048_576
_QUIET_SECONDS: Final = 330.0
"""Without a line for so long the process is taken as lost; its own limit of processor time is shorter."""
_decoder = msgspec.json.Decoder(Line)


def _refusal(refused: Refused) -> InvalidInput:
    error = InvalidInput(refused.message, refused.hint)
    error.params = dict(refused.params)
    return error


@asynccontextmanager
async def private_folder() -> AsyncGenerator[Path, None]:
    """A folder for a file and for what is unpacked of it, gone with the block."""
    folder = Path(tempfile.mkdtemp(prefix="loci-import-"))
    try:
        yield folder
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


async def lines(path: Path, order: ReadOrder) -> AsyncGenerator[Line | bytes, None]:
    """The lines of the bundle up to its end; after one with media its content, unless the order does without.

    Raises `InvalidInput` for a file that is refused, or that cannot be read within the limits. The process is gone when
    the generator is closed. What it unpacks lies beside the file.
    """
    try:
        async with child("app.transfer.reading_process", folder=path.parent, line_max=_LINE_MAX) as reader:
            reader.stdin.write(msgspec.json.encode(Task(str(path), order)) + b"\n")
            await reader.stdin.drain()
            reader.stdin.close()
            while True:
                async with asyncio.timeout(_QUIET_SECONDS):
                    line = _decoder.decode(await reader.stdout.readuntil(b"\n"))
                if line.refused is not None:
                    raise _refusal(line.refused)
                yield line
                if line.end is not None:
                    return
                if line.media is not None and order.media:
                    async with asyncio.timeout(_QUIET_SECONDS):
                        yield await reader.stdout.readexactly(line.media.size)
    except (
        asyncio.IncompleteReadError,
        asyncio.LimitOverrunError,
        msgspec.MsgspecError,
        TimeoutError,
        ConnectionError,
    ):
        raise InvalidInput(
            N_("The file cannot be read within the limits of memory and time."),
            N_("If it opens elsewhere, export it again in parts."),
        ) from None
