"""The running server of a data folder: which process it is, whether it answers, and how it is ended.

A process is believed to be the server only if its command line or its working folder says so: numbers in pid files
outlive their processes and are given to others.
"""

from __future__ import annotations

import os
import signal
import socket
import struct
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from app.core.postgres_binaries import ServerUser

PORT = 5432
SOCKET_NAME = f".s.PGSQL.{PORT}"

_PROC = Path("/proc")
_HAS_PROC = Path("/proc/self/stat").exists()
_ANSWER_SECONDS = 3.0
_STOP_SECONDS = 60.0
_QUIT_SECONDS = 10.0
_POLL_SECONDS = 0.01
_PROTOCOL_3 = 196608
_END_ORPHANS = """
for process in /proc/[0-9]*; do
    if [ "$process/cwd" -ef "$1" ]; then
        case "$(tr '\\0' ' ' <"$process/cmdline")" in postgres:*) kill -9 "${process#/proc/}" ;; esac
    fi
done
"""
# SQLSTATE codes: https://www.postgresql.org/docs/18/errcodes-appendix.html
_CANNOT_CONNECT_NOW = "57P03"
_INVALID_CATALOG_NAME = "3D000"
_TOO_MANY_CONNECTIONS = "53300"


class Answer(Enum):
    """What a server said to an attempt to connect."""

    NONE = "nobody listens"
    NOT_YET = "starting, stopping or recovering"
    NO_DATABASE = "serving, but without this database"
    REFUSED = "serving, but not this role"
    READY = "serving"


@dataclass(frozen=True, slots=True)
class Postmaster:
    """A live server process, with what its pid file says of it."""

    pid: int
    socket_folder: str
    serving: bool


def accepts(socket_path: Path) -> bool:
    """Whether somebody listens at the socket; the cheapest check there is."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(_ANSWER_SECONDS)
        try:
            client.connect(os.fspath(socket_path))
        except (BlockingIOError, TimeoutError):  # the queue is full: somebody does listen
            return True
        except OSError:
            return False
        return True


def ask(socket_path: Path, user: str, database: str) -> Answer:
    """Connect as `user` to `database` as far as the first word of the server, then leave."""
    fields = b"".join(part.encode() + b"\0" for part in ("user", user, "database", database)) + b"\0"
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(_ANSWER_SECONDS)
        try:
            client.connect(os.fspath(socket_path))
        except (BlockingIOError, TimeoutError):
            return Answer.NOT_YET
        except OSError:
            return Answer.NONE
        try:
            client.sendall(struct.pack("!ii", len(fields) + 8, _PROTOCOL_3) + fields)
            with client.makefile("rb") as stream:
                answer = _verdict(iter(lambda: _message(stream.read), None))
            client.sendall(b"X" + struct.pack("!i", 4))
        except OSError:
            return Answer.NOT_YET
        return answer


def _message(read: Callable[[int], bytes]) -> tuple[bytes, bytes] | None:
    head = read(5)
    if len(head) < 5:
        return None
    return head[:1], read(struct.unpack("!i", head[1:])[0] - 4)


def _verdict(messages: Iterator[tuple[bytes, bytes] | None]) -> Answer:
    for message in messages:
        if message is None:
            break
        kind, body = message
        if kind == b"Z":  # ReadyForQuery
            return Answer.READY
        if kind == b"E":  # ErrorResponse: fields of one letter and a text, each ended by a zero byte
            code = next((part[1:].decode() for part in body.split(b"\0") if part[:1] == b"C"), "")
            return {
                _CANNOT_CONNECT_NOW: Answer.NOT_YET,
                _INVALID_CATALOG_NAME: Answer.NO_DATABASE,
                _TOO_MANY_CONNECTIONS: Answer.READY,
            }.get(code, Answer.REFUSED)
    return Answer.NOT_YET


def postmaster_of(data: Path) -> Postmaster | None:
    """The live server of the data folder; None when its pid file is missing, stale or names a stranger."""
    try:
        lines = (data / "postmaster.pid").read_text(encoding="utf-8", errors="replace").splitlines()
        pid = int(lines[0])
    except (FileNotFoundError, ValueError, IndexError):
        return None
    if pid <= 0 or not is_alive(pid) or not _serves(pid, data):
        return None
    lines += [""] * 8
    return Postmaster(pid, socket_folder=lines[4], serving=lines[7].strip() == "ready")


def is_alive(pid: int) -> bool:
    """Whether the process runs; one that ended and waits to be reaped does not."""
    state = _state(pid)
    if state.startswith("Z"):
        with suppress(ChildProcessError):  # in a container it may have fallen to this process
            os.waitpid(pid, os.WNOHANG)
        return False
    return bool(state)


def _state(pid: int) -> str:
    if not _HAS_PROC:
        return _ps(pid, "stat")
    try:
        return (_PROC / str(pid) / "stat").read_text(errors="replace").rsplit(")", 1)[1].strip()
    except (OSError, IndexError):
        return ""


def _serves(pid: int, data: Path) -> bool:
    if not _HAS_PROC:
        command = _ps(pid, "command")
        return "postgres" in command.split(" -D ", 1)[0] and f" -D {data} " in command + " "
    arguments = _arguments(pid)
    if os.path.basename(arguments[0]) != b"postgres":  # its helpers and sessions are called "postgres: …"
        return False
    return os.fsencode(data) in arguments or _works_in(pid, data)


def _arguments(pid: int) -> list[bytes]:
    try:
        return (_PROC / str(pid) / "cmdline").read_bytes().split(b"\0")
    except OSError:
        return [b""]


def _works_in(pid: int, data: Path) -> bool:
    with suppress(OSError):
        return os.readlink(_PROC / str(pid) / "cwd") == str(data)
    return False


def _ps(pid: int, column: str) -> str:
    return subprocess.run(  # noqa: S603 - a fixed program and a number
        ["/bin/ps", "-ww", "-o", f"{column}=", "-p", str(pid)], capture_output=True, text=True, check=False
    ).stdout.strip()


def end(pid: int) -> None:
    """Shut the server down in order; if that takes too long, at once, to recover at the next start."""
    for sent, seconds in ((signal.SIGINT, _STOP_SECONDS), (signal.SIGQUIT, _QUIT_SECONDS), (signal.SIGKILL, 1.0)):
        deadline = time.monotonic() + seconds
        with suppress(ProcessLookupError):
            os.kill(pid, sent)
        while time.monotonic() < deadline:
            if not is_alive(pid):
                return
            time.sleep(_POLL_SECONDS)


def end_orphans(data: Path, user: ServerUser) -> None:
    """End the helpers and sessions that outlived the server of the data folder and keep its shared memory.

    An idle one ends by itself within moments; one that computes only notices at the end of its statement. They are
    told apart by their working folder, which only Linux shows, and only to their own user; elsewhere they are waited
    for.
    """
    if _HAS_PROC:
        user.run(["/bin/sh", "-c", _END_ORPHANS, "sh", data])
