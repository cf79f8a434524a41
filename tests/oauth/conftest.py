"""The whole application in the tests' own process, with its MCP endpoints, and clients that ask people for access."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from html import unescape
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx
import pytest
import pytest_asyncio
from litestar import Litestar

from app import jobs
from app.accounts import service as accounts
from app.accounts.views import AccountView
from app.core import clock, db
from app.core.settings import Settings
from app.main import create_app
from app.web.frame import RequestFrame
from tests.factories import make_account

BASE = "http://loci.example"
MCP = f"{BASE}/mcp"
SETTINGS = Settings(secret_key="k" * 32, public_url=BASE, plans=False)
CALLBACK = "https://claude.ai/api/mcp/auth_callback"
VERIFIER = "v" * 43
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()


@asynccontextmanager
async def _no_jobs(_settings: Settings) -> AsyncIterator[None]:
    yield


async def _no_pool(*_given: object) -> None:
    """The tests have opened one."""


@pytest_asyncio.fixture(scope="session")
async def application(database: str) -> AsyncIterator[Litestar]:
    """The real application with its lifespan entered, on the tests' connections and without a worker."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(db, "open_pool", _no_pool)
        patch.setattr(db, "close_pool", _no_pool)
        patch.setattr(jobs, "running", _no_jobs)
        made = create_app(SETTINGS)
        started, over = asyncio.Event(), asyncio.Event()

        async def live() -> None:  # in one task from start to end, which a fixture is not
            async with made.lifespan():
                started.set()
                await over.wait()

        task = asyncio.create_task(live())
        await started.wait()
        yield made
        over.set()
        await task


@pytest.fixture
def asgi(application: Litestar) -> Any:
    return RequestFrame(application, SETTINGS)  # type: ignore[arg-type]


@pytest_asyncio.fixture
async def http(asgi: Any, committed: None) -> AsyncIterator[httpx.AsyncClient]:
    """Programs: no cookies, no browser's headers."""
    async with httpx.AsyncClient(transport=httpx.ASGITransport(asgi), base_url=BASE) as client:
        yield client


@dataclass
class Browser:
    """A person's browser without JavaScript."""

    http: httpx.AsyncClient
    account: AccountView | None = None

    async def get(self, path: str) -> httpx.Response:
        return await self.http.get(path)

    async def post(self, path: str, form: Mapping[str, Any]) -> httpx.Response:
        return await self.http.post(path, data=dict(form))

    async def decide(
        self, page: httpx.Response, decision: str = "allow", *, untick: tuple[str, ...] = ()
    ) -> httpx.Response:
        """Press a button of the consent page, with these boxes unticked."""
        form = fields_of(page)
        form["scope"] = [scope for scope in form.get("scope", []) if scope not in untick]
        return await self.post("/authorize", {**form, "decision": decision})


@asynccontextmanager
async def browser_of(asgi: Any, account: AccountView | None = None) -> AsyncIterator[Browser]:
    headers = {"sec-fetch-site": "same-origin", "user-agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"}
    async with httpx.AsyncClient(transport=httpx.ASGITransport(asgi), base_url=BASE, headers=headers) as client:
        if account:
            token = await accounts.open_session(account.id, now=clock.now(), address="127.0.0.1", user_agent="test")
            client.cookies.set("loci_session", token)
        yield Browser(client, account)


@pytest_asyncio.fixture
async def alice(asgi: Any, committed: None) -> AsyncIterator[Browser]:
    async with browser_of(asgi, await make_account("alice@example.org", now=clock.now())) as browser:
        yield browser


@pytest_asyncio.fixture
async def bob(asgi: Any, committed: None) -> AsyncIterator[Browser]:
    async with browser_of(asgi, await make_account("bob@example.org", now=clock.now())) as browser:
        yield browser


@pytest_asyncio.fixture
async def carol(asgi: Any, committed: None) -> AsyncIterator[Browser]:
    """Signed out."""
    async with browser_of(asgi) as browser:
        yield browser


def fields_of(page: httpx.Response) -> dict[str, list[str]]:
    """The fields of the consent form as a browser would send them: hidden ones, and boxes that are ticked."""
    form: dict[str, list[str]] = {}
    for tag in re.findall(r"<input[^>]*>", page.text.rpartition('<form method="post" action="/authorize"')[2]):
        name, value = (re.search(rf'\b{what}="([^"]*)"', tag) for what in ("name", "value"))
        if name and ('type="hidden"' in tag or re.search(r"\schecked\b", tag)):
            form.setdefault(unescape(name.group(1)), []).append(unescape(value.group(1) if value else ""))
    return form


def continue_link(page: httpx.Response) -> str:
    """Where the page after the decision leads; its refresh leads to the same place."""
    assert page.status_code == 200, page.text
    refresh = re.search(r'http-equiv="refresh" content="0;url=([^"]*)"', page.text)
    link = re.search(r'<a class="button primary" href="([^"]*)"', page.text)
    assert refresh is not None
    assert link is not None
    assert refresh.group(1) == link.group(1)
    return unescape(link.group(1))


def query_of(url: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(url).query))


@dataclass
class App:
    """An OAuth client of a test."""

    http: httpx.AsyncClient
    client_id: str = ""
    secret: str = ""
    redirect_uri: str = CALLBACK
    registered: dict[str, Any] = field(default_factory=dict)

    async def register(self, **metadata: Any) -> httpx.Response:
        answer = await self.http.post(
            "/register", json={"redirect_uris": [self.redirect_uri], "client_name": "Claude", **metadata}
        )
        if answer.status_code == 201:
            self.registered = answer.json()
            self.client_id, self.secret = self.registered["client_id"], self.registered.get("client_secret", "")
        return answer

    def parameters(self, **changed: str | None) -> dict[str, str]:
        """A sound request; None leaves a parameter out."""
        given: dict[str, str | None] = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": self.redirect_uri,
            "scope": "decks:read decks:write",
            "state": "s t&te",
            "code_challenge": CHALLENGE,
            "code_challenge_method": "S256",
            "resource": MCP,
            **changed,
        }
        return {name: value for name, value in given.items() if value is not None}

    def address(self, **changed: str | None) -> str:
        return "/authorize?" + urlencode(self.parameters(**changed))

    async def code(self, browser: Browser, *, untick: tuple[str, ...] = (), **changed: str | None) -> str:
        """A code that the person allowed."""
        page = await browser.get(self.address(**changed))
        assert page.status_code == 200, (page.status_code, page.headers, page.text)
        return query_of(continue_link(await browser.decide(page, untick=untick)))["code"]

    async def token(self, **form: str | None) -> httpx.Response:
        """The token endpoint; the client names itself unless told otherwise."""
        given = {"client_id": self.client_id, **({"client_secret": self.secret} if self.secret else {}), **form}
        return await self.http.post("/token", data={name: value for name, value in given.items() if value is not None})

    async def exchange(self, code: str, /, **changed: str | None) -> httpx.Response:
        return await self.token(
            **{
                "grant_type": "authorization_code",
                "code": code,
                "redirect_uri": self.redirect_uri,
                "code_verifier": VERIFIER,
                "resource": MCP,
                **changed,
            }
        )

    async def refresh(self, token: str, /, **changed: str | None) -> httpx.Response:
        return await self.token(**{"grant_type": "refresh_token", "refresh_token": token, **changed})

    async def connect(self, browser: Browser, **options: Any) -> dict[str, Any]:
        """The pair of tokens after a consent."""
        resource = {"resource": options["resource"]} if "resource" in options else {}
        answer = await self.exchange(await self.code(browser, **options), **resource)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def call(
        self, token: str, method: str = "tools/list", params: Mapping[str, Any] | None = None, path: str = "/mcp"
    ) -> httpx.Response:
        """A message to an MCP endpoint."""
        return await self.http.post(
            path,
            headers={"authorization": f"Bearer {token}", "mcp-protocol-version": "2025-11-25"},
            json={"jsonrpc": "2.0", "id": 1, "method": method, "params": dict(params or {})},
        )

    async def tools(self, token: str, path: str = "/mcp") -> list[str]:
        answer = await self.call(token, path=path)
        assert answer.status_code == 200, answer.text
        return [tool["name"] for tool in answer.json()["result"]["tools"]]


@pytest_asyncio.fixture
async def app(http: httpx.AsyncClient) -> App:
    """A public client that registered itself."""
    made = App(http)
    answer = await made.register()
    assert answer.status_code == 201, answer.text
    return made
