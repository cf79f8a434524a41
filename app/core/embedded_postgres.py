"""The life of the embedded PostgreSQL: made at the first start, shared by processes, ended by the last of them.

    with EmbeddedPostgres(Path(".loci/postgres")) as server:
        connection = await asyncpg.connect(server.dsn())

Every process that uses the server holds a share of a lock, and the kernel gives it back when the process ends in any
way. So kill -9 leaves at most a server without users, which the next process takes over and ends.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import quote

from app.core import postgres_cluster as cluster
from app.core import postgres_folder as folders
from app.core import postgres_process as processes
from app.core.postgres_binaries import Binaries, EmbeddedPostgresError, ServerUser, usable_binaries
from app.core.postgres_process import PORT, SOCKET_NAME, Answer, Postmaster

__all__ = ["EmbeddedPostgres", "EmbeddedPostgresError"]

_START_SECONDS = 120.0  # a recovery after a crash is part of a start
_SERVING = frozenset({Answer.READY, Answer.NO_DATABASE, Answer.REFUSED})
_POLL_SECONDS = 0.01
_RETRY_SECONDS = 0.1
# What the server says when processes of an earlier one have not ended yet.
_NOT_YET_GONE = ("pre-existing shared memory block", 'lock file "')
_LINUX = sys.platform == "linux"
_SETTINGS = {
    "listen_addresses": "",
    "port": str(PORT),
    "unix_socket_permissions": "0700",
    "shared_buffers": "128MB",
    "timezone": "UTC",
    "log_timezone": "UTC",
    # The log tells of starts, ends and crashes. It holds no statement and no value, as those are people's texts.
    "logging_collector": "off",
    "log_destination": "stderr",
    "log_min_messages": "log",
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_checkpoints": "off",
} | ({"recovery_init_sync_method": "syncfs"} if _LINUX else {})
_NOT_DURABLE = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


class EmbeddedPostgres:
    """A PostgreSQL of its own in the folder `root`, reachable through a Unix socket only.

    `user` and `database` are made with the data. `max_connections` and `durable` take effect when this process is the
    one that starts the server; `durable=False` trades the data's safety in a crash of the machine for speed.
    All methods raise `EmbeddedPostgresError`, whose message says what to do.
    """

    def __init__(
        self,
        root: Path,
        *,
        user: str = "loci",
        database: str = "loci",
        max_connections: int = 100,
        durable: bool = True,
    ) -> None:
        self._root = root.expanduser().resolve()
        self._user, self._database = user, database
        self._max_connections, self._durable = max_connections, durable
        self._share: FileIO | None = None
        self._process_id = 0  # of the process that took the share
        self._launched = 0  # of the server, when this object launched it
        self._log_start = 0  # where in the log the launched server's lines begin

    @property
    def folder(self) -> Path:
        """Where the data lies: `root`, or a folder elsewhere if the server's user cannot enter root."""
        with _in_words(self._root):
            return folders.place_of(self._root)

    def dsn(self) -> str:
        """The address as a URL, the way asyncpg and libpq take it. The first `start()` may settle it."""
        socket_folder = quote(str(self._socket_folder))
        user, database = quote(self._user, safe=""), quote(self._database, safe="")
        return f"postgresql://{user}@/{database}?host={socket_folder}&port={PORT}"

    def connect_args(self) -> dict[str, str | int]:
        """The address as the keyword arguments of `asyncpg.connect`."""
        return {"host": str(self._socket_folder), "port": PORT, "user": self._user, "database": self._database}

    def ready(self) -> bool:
        """Whether the server lets this user into this database now."""
        return self._ask() is Answer.READY

    def start(self) -> None:
        """Take a share of the server, and start it unless it runs; returns when it serves."""
        if self._holds_share():
            self.ensure_running()
            return
        with _in_words(self._root):
            self._root.mkdir(parents=True, exist_ok=True)
            with folders.gate(self._root, self._server_user):
                share = folders.take_share(self._root, self._server_user)
                try:
                    self._bring_up()
                except BaseException:
                    with share:
                        self._leave(share)
                    raise
                self._share, self._process_id = share, os.getpid()

    def ensure_running(self) -> None:
        """Start the server again if it has ended since; costs one connection to the socket if it has not."""
        if not self._holds_share():
            raise EmbeddedPostgresError("This server has not been started here: call start() first.")
        with _in_words(self._root):
            if processes.accepts(self._socket_folder / SOCKET_NAME):
                return
            with folders.gate(self._root, self._server_user):
                if self._holds_share():  # asked again: another thread may have called stop()
                    self._bring_up()

    def stop(self) -> None:
        """Give the share back, and end the server if nobody else has one."""
        share, self._share = self._share, None
        if share is None:
            return
        with share, _in_words(self._root):
            if self._process_id == os.getpid():  # a forked child has its parent's share
                with folders.gate(self._root, self._server_user):
                    self._leave(share)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    def _holds_share(self) -> bool:
        return self._share is not None

    @property
    def _server_user(self) -> ServerUser:
        return folders.server_user(self.folder)

    @property
    def _data(self) -> Path:
        return self.folder / "pgdata"

    @property
    def _socket_folder(self) -> Path:
        place = self.folder
        return folders.socket_folder(place, folders.server_user(place))

    def _ask(self) -> Answer:
        return processes.ask(self._socket_folder / SOCKET_NAME, self._user, self._database)

    def _leave(self, share: FileIO) -> None:
        """End the server if nobody else has a share. Call with the gate held, and close the share afterwards."""
        if not folders.is_last(share):
            return
        running = processes.postmaster_of(self._data)
        if running and running.socket_folder == str(self._socket_folder):
            processes.end(running.pid)
        elif self._launched and not running and processes.is_alive(self._launched):  # interrupted at its very start
            with suppress(ProcessLookupError):
                os.kill(self._launched, signal.SIGTERM)
        self._launched = 0
        if self._socket_folder.parent != self.folder:
            with suppress(OSError):
                self._socket_folder.rmdir()

    def _bring_up(self) -> None:
        """See that the server serves this database. Call with the gate held."""
        place = folders.settle(self._root, self._server_user)
        answer = self._ask()
        if answer is Answer.READY:
            return
        user = folders.server_user(place)
        binaries = usable_binaries(user, place)
        folders.make_socket_folder(self._socket_folder, user)
        if answer not in _SERVING:
            if not cluster.exists(self._data):
                cluster.make(self._data, binaries, user, role=self._user, durable=self._durable)
            cluster.check_version(self._data, binaries)
            answer = self._serve(binaries, user)
        if answer is Answer.REFUSED:
            raise EmbeddedPostgresError(
                f"The database in {place} does not know the user {self._user}: it was made with another one. "
                "Give that one, or set LOCI_DATA_DIR to another folder."
            )
        if answer is Answer.NO_DATABASE:
            sockets = self._socket_folder
            cluster.create_database(self._database, binaries, user, role=self._user, socket_folder=sockets)

    def _serve(self, binaries: Binaries, user: ServerUser) -> Answer:
        """Launch the server, unless one is on its way up or down, and wait until it serves."""
        deadline = time.monotonic() + _START_SECONDS
        launched = 0
        while time.monotonic() < deadline:
            running = processes.postmaster_of(self._data)
            if running and running.serving and (answer := self._ask()) in _SERVING:
                return answer
            if not launched:
                if self._makes_way(running):
                    launched = self._launch(binaries, user)
            elif not processes.is_alive(launched):
                self._understand_failure(user)
                launched = 0
                time.sleep(_RETRY_SECONDS)
            time.sleep(_POLL_SECONDS)
        raise EmbeddedPostgresError(
            f"PostgreSQL did not begin to serve within {_START_SECONDS:.0f} seconds. {self.folder / 'postgres.log'} "
            "tells what it does; after a crash it may need longer, then start Loci again."
        )

    def _makes_way(self, running: Postmaster | None) -> bool:
        """Whether a server can be launched; what a dead one left is removed, and one out of reach is ended."""
        if running is None:
            (self._data / "postmaster.pid").unlink(missing_ok=True)
            for name in (SOCKET_NAME, f"{SOCKET_NAME}.lock"):
                (self._socket_folder / name).unlink(missing_ok=True)
            return True
        if running.socket_folder and running.socket_folder != str(self._socket_folder):
            raise EmbeddedPostgresError(
                f"Another PostgreSQL server, process {running.pid}, runs on {self._data} with its socket in "
                f"{running.socket_folder}. Stop it, then start Loci again."
            )
        if running.serving and not (self._socket_folder / SOCKET_NAME).exists():  # somebody removed the socket
            processes.end(running.pid)
        return False

    def _launch(self, binaries: Binaries, user: ServerUser) -> int:
        """Start the server as nobody's child, so that it outlives this process; returns its process id."""
        quoted = str(self._socket_folder).replace('"', '""')
        settings = _SETTINGS | {
            "max_connections": str(self._max_connections),
            "unix_socket_directories": f'"{quoted}"',
            **({} if self._durable else _NOT_DURABLE),
        }
        log = folders.open_log(self.folder, user)
        try:
            self._log_start = os.fstat(log).st_size
            options = [f"--{name}={value}" for name, value in settings.items()]
            command = [binaries.folder / "postgres", "-D", self._data, *options]
            done = user.run(["/bin/sh", "-c", '"$@" >&2 & echo $!', "sh", *command], errors=log)
        finally:
            os.close(log)
        if done.returncode:
            raise EmbeddedPostgresError(f"PostgreSQL cannot be launched: {done.stdout.strip()}. Look into /bin/sh.")
        self._launched = int(done.stdout)
        return self._launched

    def _understand_failure(self, user: ServerUser) -> None:
        """Make way for another try if leftovers of an earlier server were in the way; else raise what the log says."""
        with (self.folder / "postgres.log").open("rb") as log:
            log.seek(self._log_start)
            said = log.read().decode(errors="replace").strip()
        if not any(phrase in said for phrase in _NOT_YET_GONE):
            raise EmbeddedPostgresError(
                f"PostgreSQL did not start: {said[-1000:]} The whole log is {self.folder / 'postgres.log'}."
            )
        processes.end_orphans(self._data, user)


@contextmanager
def _in_words(root: Path) -> Generator[None]:
    """Turn a refusal of the file system into a message that says what to do."""
    try:
        yield
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        raise EmbeddedPostgresError(
            f"The database folder {root} cannot be used: {error.strerror}{where}. Make it writable for the user who "
            "starts Loci, or set LOCI_DATA_DIR to another folder."
        ) from error
