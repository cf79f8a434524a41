"""The servers that are measured, each a process of its own on loopback, ended with the block that started it."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

_START_SECONDS = 60
_STOP_SECONDS = 30


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def process(
    *words: str, port: int, folder: Path, log: str, environment: Mapping[str, str]
) -> Generator[subprocess.Popen[bytes], None, None]:
    """Run `python -m words…` until the block ends; the block begins when something listens on `port`.

    Its output goes to the file `log` in `folder`. Raises `RuntimeError` with the end of it when the process dies.
    """
    path = folder / log
    with path.open("wb") as output:
        child = subprocess.Popen(
            [sys.executable, "-m", *words], cwd=folder, env=dict(environment), stdout=output, stderr=output
        )
    try:
        _wait(child, port, path)
        yield child
    finally:
        if child.poll() is None:
            child.terminate()
            try:
                child.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()


def _wait(child: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and child.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise RuntimeError(f"the server did not start:\n{log.read_text(errors='replace')[-2000:]}")
