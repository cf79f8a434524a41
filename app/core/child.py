"""Modules of ours that run in a process of their own, for work that is long, greedy or done on a stranger's bytes."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_LINE_MAX: Final = 65_536


@dataclass(frozen=True, slots=True)
class Child:
    """A running process with what goes into it and what comes out of it."""

    process: Process
    stdin: asyncio.StreamWriter
    stdout: asyncio.StreamReader


@asynccontextmanager
async def child(module: str, *, folder: Path | None = None, line_max: int = _LINE_MAX) -> AsyncGenerator[Child, None]:
    """Run a module of ours; the process is gone when the block is left.

    Its environment holds no secret of the server's. Its temporary files lie in `folder`; a line of its output has at
    most `line_max` bytes.
    """
    environment = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONSAFEPATH": "1"}
    if folder is not None:
        environment |= {"TMPDIR": str(folder), "SQLITE_TMPDIR": str(folder)}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", module, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, limit=line_max, env=environment
    )
    try:
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("the process has no pipes")
        yield Child(process, process.stdin, process.stdout)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
