"""A real `loci serve` in processes and a data folder of its own, for tests that start, kill and restart it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

LOCI = [sys.executable, "-m", "app.cli"]
ROOT = Path(__file__).parent.parent


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server:
    """One data folder and one port; `start`, `kill` and `stop` as often as needed."""

    def __init__(self, folder: Path, *, workers: int = 1, **settings: str) -> None:
        self.folder, self.port, self.workers = folder, free_port(), workers
        self.url = f"http://127.0.0.1:{self.port}"
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "LOCI_DATA_DIR": str(folder / "data"),
            "LOCI_PORT": str(self.port),
            "LOCI_PLANS": "off",
            **settings,
        }
        self.log = folder / "log"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*LOCI, "serve", "--workers", str(self.workers)],
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=log,
            )
        self.wait_until_healthy()

    def wait_until_healthy(self, seconds: float = 60) -> None:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if self.process is not None and self.process.poll() is not None:
                break
            try:
                if httpx.get(f"{self.url}/health", timeout=2).status_code == 200:
                    return
            except httpx.TransportError:
                pass
            time.sleep(0.05)
        raise AssertionError(f"the server is not healthy:\n{self.log.read_text()[-3000:]}")

    def kill(self) -> None:
        """kill -9 of the process that was started, and nothing else."""
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> int:
        """SIGTERM, and the exit code."""
        assert self.process is not None
        self.process.terminate()
        return self.process.wait(timeout=30)

    def kill_postgres(self) -> None:
        pid = int((self.folder / "data" / "postgres" / "pgdata" / "postmaster.pid").read_text().split()[0])
        os.kill(pid, signal.SIGKILL)

    def run(self, *words: str, stdin: str = "") -> str:
        """A `loci` command on the same data; its standard output."""
        done = subprocess.run(
            [*LOCI, *words], cwd=ROOT, env=self.environment, input=stdin, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def key(self, email: str = "alice@example.org", *scopes: str) -> str:
        """A new account, and the secret of an access key of it."""
        self.run("account", "create", email, "--password-stdin", stdin="correct horse battery staple\n")
        words = [word for scope in scopes or ("decks:read", "decks:write") for word in ("--scope", scope)]
        return self.run("key", "create", email, *words)

    def call(self, key: str, tool: str, arguments: Mapping[str, Any], timeout: float = 30) -> dict[str, Any]:
        """One tool call over HTTP; the JSON-RPC result. Transport errors are raised."""
        answer = httpx.post(
            f"{self.url}/mcp",
            headers={
                "authorization": f"Bearer {key}",
                "accept": "application/json, text/event-stream",
                "mcp-protocol-version": "2025-06-18",
            },
            json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}},
            timeout=timeout,
        )
        answer.raise_for_status()
        body = answer.json()
        assert "result" in body, body
        result: dict[str, Any] = body["result"]
        return result


@contextmanager
def running_server(folder: Path, **options: Any) -> Generator[Server, None, None]:
    """A server that is stopped in the end, whatever the test did to it."""
    server = Server(folder, **options)
    server.start()
    try:
        yield server
    except BaseException:
        sys.stdout.write(server.log.read_text()[-6000:])  # shown with the failure
        raise
    finally:
        if server.process is not None and server.process.poll() is None:
            server.stop()
        # A killed server leaves its PostgreSQL: the last command to use it stops it.
        server.run("migrate")
