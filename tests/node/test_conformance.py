"""The official conformance suite of the protocol, against the endpoints and against the authorization server."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from litestar import Litestar
from litestar.types import ASGIApp, Receive, Scope, Send

from app.core.settings import Settings
from app.core.signing import Signer
from app.domain.plans import Plan
from app.mcp.endpoint import create_mcp_routes
from app.mcp.server import create_server
from tests.factories import make_account, make_key
from tests.mcp.conftest import listening
from tests.node.conformance_fixtures import add_fixtures
from tests.node.conftest import Node, Person
from tests.server import Server, free_port

pytestmark = pytest.mark.node
REVISION = "2026-07-28"


def with_key(application: ASGIApp, key: str) -> ASGIApp:
    """The application, called with an access key: the suite sends none."""

    async def called(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            headers = [*scope["headers"], (b"authorization", f"Bearer {key}".encode())]
            scope = cast("Scope", {**scope, "headers": headers})
        await application(scope, receive, send)

    return called


async def test_the_endpoint_meets_the_requirements_of_the_newest_revision(
    node: Node, conformance: Path, committed: None
) -> None:
    key = await make_key(await make_account(plan=Plan.PRO))

    def make(settings: Settings) -> ASGIApp:
        server = create_server(settings)
        add_fixtures(server, Signer(b"only for tests", "rounds"))
        handlers, lifespan = create_mcp_routes(settings, server, streams=True)
        application: Any = Litestar(handlers, lifespan=[lifespan()], openapi_config=None, logging_config=None)
        return with_key(application, key)

    async with listening(make) as live:
        code, said = await node.run(conformance, "server", "--url", f"{live.url}/mcp", "--requirements", REVISION)
    assert code == 0, said
    passed = re.findall(r"^✓ (\S+): [1-9]\d* passed, 0 failed$", said, flags=re.MULTILINE)
    assert {"server-stateless", "caching", "input-required-result-multi-round", "http-header-validation"} <= set(passed)


async def test_the_authorization_server_meets_the_requirements(
    node: Node, conformance: Path, server: Server, person: Person
) -> None:
    port = free_port()
    async with httpx.AsyncClient(base_url=server.url) as http:
        registered = await http.post(
            "/register",
            json={"redirect_uris": [f"http://127.0.0.1:{port}/callback"], "token_endpoint_auth_method": "none"},
        )
        words = ("--url", server.url, "--resource", f"{server.url}/mcp", "--port", str(port))
        client_id = registered.json()["client_id"]
        async with node.started(conformance, "authorization", *words, "--client-id", client_id) as suite:
            assert suite.stdout is not None
            said = ""
            async for line in suite.stdout:
                said += line.decode()
                if line.startswith(f"{server.url}/authorize?".encode()):
                    await http.get(await person.allows(line.decode().strip()))
            assert await suite.wait() == 0, said
    assert re.search(r"^Total: [1-9]\d* passed, 0 failed", said, flags=re.MULTILINE), said
