"""Connecting a client in Chromium, with the policy on: sign-in, consent, back to a callback on another host, calls."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx
import httpx2
import pytest
from axe_playwright_python.async_playwright import Axe
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata
from playwright.async_api import Browser, Page, Route
from pydantic import AnyUrl

from tests.e2e.conftest import QuietPage, sign_in
from tests.oauth.conftest import CHALLENGE
from tests.oauth.test_official_client import Memory
from tests.server import Server

pytestmark = pytest.mark.browser
PASSWORD = "correct horse battery staple"


@pytest.fixture
def email(server: Server) -> str:
    """The address of a new account."""
    made = f"{secrets.token_hex(4)}@example.org"
    server.run("account", "create", made, "--password-stdin", stdin=PASSWORD + "\n")
    return made


@dataclass
class Callback:
    """A program's own page on `localhost`, which is another host than the server's 127.0.0.1."""

    port: int = 0
    came: list[dict[str, str]] = field(default_factory=list)
    arrived: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}/callback"

    async def answer(self) -> AuthorizationCodeResult:
        await asyncio.wait_for(self.arrived.wait(), 20)
        self.arrived.clear()
        told = self.came[-1]
        return AuthorizationCodeResult(code=told["code"], state=told["state"], iss=told["iss"])

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = (await reader.readuntil(b"\r\n\r\n")).split(b" ")[1].decode()
        if line.startswith("/callback"):
            self.came.append(dict(parse_qsl(urlsplit(line).query)))
            self.arrived.set()
        body = b"<title>Back</title><h1>Back in the program</h1>"
        writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body)
            + body
        )
        await writer.drain()
        writer.close()


@asynccontextmanager
async def callback_page() -> AsyncIterator[Callback]:
    callback = Callback()
    server = await asyncio.start_server(callback.serve, "127.0.0.1", 0)
    callback.port = server.sockets[0].getsockname()[1]
    async with server:
        yield callback


async def test_the_official_client_connects_calls_refreshes_and_asks_for_more(
    server: Server, page: Page, email: str
) -> None:
    untick = ["decks:write"]
    async with callback_page() as callback:

        async def open_page(url: str) -> None:
            await page.goto(url)
            if "/sign-in" in page.url:
                await page.get_by_label("E-mail").fill(email)
                await page.get_by_label("Password").fill(PASSWORD)
                await page.get_by_role("button", name="Sign in", exact=True).click()
            await page.get_by_role("button", name="Allow").wait_for()
            for scope in untick:
                await page.locator(f"input[value='{scope}']").uncheck()
            await page.get_by_role("button", name="Allow").click()
            await page.get_by_role("heading", name="Back in the program").wait_for()

        memory = Memory()
        provider = OAuthClientProvider(
            f"{server.url}/mcp",
            OAuthClientMetadata(
                client_name="Official", redirect_uris=[AnyUrl(callback.url)], token_endpoint_auth_method="none"
            ),
            memory,
            open_page,
            callback.answer,
        )
        async with (
            httpx2.AsyncClient(auth=provider, timeout=30) as http,
            Client(streamable_http_client(f"{server.url}/mcp", http_client=http)) as client,
        ):
            names = [tool.name for tool in (await client.list_tools()).tools]
            assert "list_decks" in names
            assert "create_deck" not in names
            provider.context.token_expiry_time = 1
            assert not (await client.call_tool("list_decks", {})).is_error
            untick.clear()
            made = await client.call_tool("create_deck", {"title": "Rivers"})
            assert not made.is_error, made
            assert len(callback.came) == 2
            await page.goto(f"{server.url}/connections")
            assert "Official" in await page.inner_text("main")
            await page.get_by_role("link", name="What it did").click()
            assert "create_deck" in await page.inner_text("main")
            await page.goto(f"{server.url}/connections")
            await page.get_by_role("button", name="Disconnect").click()
            await page.locator("dialog").get_by_role("button", name="Disconnect").click()
            await page.get_by_text("No app is connected").wait_for()
            async with httpx.AsyncClient(base_url=server.url) as bare:
                refused = await bare.post(
                    "/mcp",
                    headers={"authorization": f"Bearer {memory.tokens.access_token}"},  # type: ignore[union-attr]
                    json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
                )
            assert refused.status_code == 401


def address(server: Server, registered_uri: str, /, **changed: str) -> str:
    """A request of a client that has just registered."""
    registered = httpx.post(
        f"{server.url}/register", json={"redirect_uris": [registered_uri], "client_name": "Claude"}
    ).json()
    return f"{server.url}/authorize?" + urlencode(
        {
            "response_type": "code",
            "client_id": registered["client_id"],
            "redirect_uri": registered_uri,
            "state": "s",
            "code_challenge": CHALLENGE,
            "code_challenge_method": "S256",
            **changed,
        }
    )


@pytest.mark.parametrize("script", [True, False], ids=["with script", "without"])
@pytest.mark.parametrize("press", ["Allow", "Cancel"])
async def test_a_web_app_on_another_host_is_reached(
    chromium: Browser, server: Server, email: str, script: bool, press: str
) -> None:
    context = await chromium.new_context(java_script_enabled=script)
    quiet = QuietPage(await context.new_page())
    page = quiet.page

    async def claude(route: Route) -> None:
        await route.fulfill(body="<title>Claude</title><h1>Back at Claude</h1>", content_type="text/html")

    await context.route("https://claude.ai/**", claude)
    await page.goto(address(server, "https://claude.ai/api/mcp/auth_callback"))
    await page.get_by_role("link", name="Create an account").click()
    await page.get_by_label("E-mail").fill("new." + email)
    await page.get_by_label("Password").fill(PASSWORD)
    await page.get_by_role("button", name="Create account").click()
    assert "claude.ai" in await page.inner_text("main")
    await page.get_by_role("button", name=press).click()
    await page.get_by_role("heading", name="Back at Claude").wait_for()
    told = dict(parse_qsl(urlsplit(page.url).query))
    assert told["iss"] == server.url
    assert told["state"] == "s"
    assert ("code" in told) == (press == "Allow")
    assert quiet.said == []
    await context.close()


async def test_a_window_that_a_web_app_opened_reports_back_to_it(chromium: Browser, server: Server, email: str) -> None:
    context = await chromium.new_context()
    page = await context.new_page()

    async def claude(route: Route) -> None:
        script = "window.opener.postMessage(location.search, location.origin); window.close()"
        back = f"<title>Back</title><script>{script}</script>"
        waiting = "<title>Waiting</title><script>onmessage = event => { document.title = event.data }</script>"
        body = back if "auth_callback" in route.request.url else waiting
        await route.fulfill(body=body, content_type="text/html")

    await context.route("https://claude.ai/**", claude)
    await page.goto("https://claude.ai/")
    async with page.expect_popup() as opened:
        await page.evaluate("url => { window.open(url) }", address(server, "https://claude.ai/api/mcp/auth_callback"))
    window = await opened.value
    await window.get_by_label("E-mail").fill(email)
    await window.get_by_label("Password").fill(PASSWORD)
    await window.get_by_role("button", name="Sign in", exact=True).click()
    await window.get_by_role("button", name="Allow").click()
    await page.wait_for_function("document.title.startsWith('?code=')")
    await context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 1280])
async def test_the_pages_are_sound(chromium: Browser, server: Server, email: str, scheme: str, width: int) -> None:
    context = await chromium.new_context(
        viewport={"width": width, "height": 800}, color_scheme="dark" if scheme == "dark" else "light"
    )
    quiet = QuietPage(await context.new_page())
    page, axe, faults = quiet.page, Axe(), list[str]()

    async def look(what: str) -> None:
        found = await axe.run(page)
        faults.extend(f"{what}: {fault['id']} {fault['nodes'][0]['html']}" for fault in found.response["violations"])
        over = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
        if over > 0:
            faults.append(f"{what}: {over} px too wide")

    led_on = asyncio.Event()

    async def stay(route: Route) -> None:
        await route.fulfill(status=204)
        led_on.set()

    await context.route("https://claude.ai/**", stay)
    await sign_in(page, server, email)
    await page.goto(f"{server.url}/connections")
    await look("no connections")
    await page.goto(address(server, "https://claude.ai/api/mcp/auth_callback", redirect_uri="https://evil.example/"))
    await look("failed")
    await page.goto(address(server, "https://claude.ai/api/mcp/auth_callback"))
    await look("consent")
    assert await page.evaluate("document.activeElement.tagName") == "H1"
    for box in await page.locator("input[type=checkbox]").all():
        await box.uncheck()
    await page.get_by_role("button", name="Allow").click()
    await look("nothing ticked")
    await page.locator("input[value='decks:read']").check()
    await page.get_by_role("button", name="Allow").click()
    await page.get_by_role("link", name="Continue to claude.ai").wait_for()
    await look("onward")
    await asyncio.wait_for(led_on.wait(), 20)  # the page leads on by itself, and would take the next address away
    await page.goto(f"{server.url}/connections")
    await look("connections")
    await context.close()
    assert faults == []
    assert [line for line in quiet.said if "400" not in line and "422" not in line] == []
