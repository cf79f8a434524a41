"""Running Loci: the database it needs, then one or more server processes."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import socket
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType

import uvicorn

from app.core import db, logs
from app.core.embedded_postgres import EmbeddedPostgres, EmbeddedPostgresError
from app.core.migrations import migrate
from app.core.settings import Settings

_WATCH_SECONDS = 1.0
_log = logs.get_logger(__name__)


@contextmanager
def database(settings: Settings) -> Generator[str, None, None]:
    """The database's address while the block runs: the one of the settings, or the embedded one, started if need be."""
    if settings.database_url:
        db.configure(settings.database_url)
        yield settings.database_url
        return
    with EmbeddedPostgres(settings.data_dir / "postgres") as server:
        db.configure(server.dsn())
        yield server.dsn()


def serve(settings: Settings) -> None:
    """Start the database, migrate, and serve until SIGTERM or SIGINT; then stop what was started."""
    signal.signal(signal.SIGTERM, _leave)
    # A start takes a third less without the collector, which would walk the half-loaded modules again and again;
    # `app.main` turns it on when the application has settled.
    gc.disable()
    settings.signing_key()  # made now, so that all processes read the same
    with _listening(settings) as listener, database(settings) as dsn:
        asyncio.run(migrate())
        # The processes of uvicorn read their settings from the environment.
        os.environ.update(
            LOCI_DATABASE_URL=dsn,
            LOCI_HOST=settings.host,
            LOCI_PORT=str(settings.port),
            LOCI_WORKERS=str(settings.workers),
            LOCI_DATA_DIR=str(settings.data_dir.resolve()),
        )
        config = uvicorn.Config(
            "app.main:asgi",
            factory=True,
            workers=settings.workers,
            log_config=None,
            access_log=False,
            server_header=False,
            lifespan="on",
            proxy_headers=True,
            forwarded_allow_ips=settings.trusted_proxies,
            timeout_graceful_shutdown=10,
        )
        sys.stdout.write(f"Loci is at {settings.base_url}\n")
        sys.stdout.flush()
        with _watched_database(settings):
            if settings.workers == 1:
                uvicorn.Server(config).run(sockets=[listener])
            else:
                _run_workers(config, listener)


def _run_workers(config: uvicorn.Config, listener: socket.socket) -> None:
    from uvicorn.supervisors import Multiprocess

    Multiprocess(config, sockets=[listener]).run()


@contextmanager
def _listening(settings: Settings) -> Generator[socket.socket, None, None]:
    """The listening socket, taken first: a port in use is said before anything else is started."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # Named, because asyncio turns off Nagle only on sockets that say they are TCP.
    with socket.socket(family, proto=socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((settings.host, settings.port))
        except OSError as error:
            raise SystemExit(
                f"Cannot listen on {settings.host} port {settings.port}: {error.strerror}. "
                "Choose another with --port or LOCI_PORT."
            ) from None
        listener.listen(2048)
        listener.set_inheritable(True)
        yield listener


@contextmanager
def _watched_database(settings: Settings) -> Generator[None, None, None]:
    """Bring the embedded PostgreSQL back if it dies while the server runs."""
    if settings.database_url:
        yield
        return
    server, ended = EmbeddedPostgres(settings.data_dir / "postgres"), threading.Event()
    server.start()

    def watch() -> None:
        while not ended.wait(_WATCH_SECONDS):
            try:
                server.ensure_running()
            except EmbeddedPostgresError:
                _log.error("database_restart_failed", exc_info=True)

    thread = threading.Thread(target=watch, name="database-watch", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        server.stop()


def _leave(_signal: int, _frame: FrameType | None) -> None:
    raise SystemExit(0)
