"""Chats for the widget's tests: pages on loopback with the official host class, or with ChatGPT's globals."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from playwright.async_api import FrameLocator, Page

from tests.node.conftest import FOLDER, Node

_PAGE = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Chat</title><body><h1>Chat</h1>'
    '<script type="module" src="/{script}.js"></script></body></html>'
)


def _policy(query: Mapping[str, list[str]]) -> str:
    """The policy that MCP Apps prescribes for a resource without domains of its own."""
    csp = json.loads(query.get("csp", ["{}"])[0])
    assert not csp.get("connectDomains")
    assert not csp.get("resourceDomains")
    forms = "; form-action 'none'" if query.get("forms") == ["no"] else ""
    return (
        "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data:; font-src 'self'; media-src 'self' data:; connect-src 'none'; "
        "frame-src 'self'; object-src 'none'; "
        f"base-uri 'self'{forms}"
    )


async def bundles(node: Node) -> dict[str, bytes]:
    """The scripts of the chats by name, made of the official packages."""
    scripts: dict[str, bytes] = {}
    for name in ("host", "openai"):
        code, said = await node.run(
            FOLDER / "node_modules" / "esbuild" / "bin" / "esbuild",
            f"widget_{name}.mjs", "--bundle", "--format=esm", "--log-level=error",
        )  # fmt: skip
        assert code == 0, said
        scripts[name] = said.encode()
    return scripts


class Chats:
    """Serves the pages; `scripts` are the bundles by name."""

    def __init__(self, scripts: Mapping[str, bytes]) -> None:
        chats = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                parts = urlsplit(self.path)
                name = parts.path.strip("/")
                kind, headers = "text/html", {}
                if name.endswith(".js") and name[:-3] in chats.scripts:
                    kind, body = "text/javascript", chats.scripts[name[:-3]]
                elif name == "sandbox.html":
                    body = (FOLDER / "widget_sandbox.html").read_bytes()
                    headers["content-security-policy"] = _policy(parse_qs(parts.query))
                elif name in chats.scripts:
                    body = _PAGE.format(script=name).encode()
                else:
                    self.send_error(204)
                    return
                self.send_response(200)
                self.send_header("content-type", f"{kind}; charset=utf-8")
                for header, value in headers.items():
                    self.send_header(header, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.scripts = dict(scripts)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    @contextmanager
    def serving(self) -> Iterator[Chats]:
        thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()
            thread.join()


class Chat:
    """One open chat: the widget in it, and what passed between them."""

    def __init__(self, page: Page, url: str, script: str) -> None:
        self.page, self.url, self._script = page, url, script
        outer = page.frame_locator("#sandbox, #app")
        self.widget: FrameLocator = outer.frame_locator("iframe") if script == "host" else outer

    async def open(self, server: str, key: str, arguments: Mapping[str, Any], **options: str) -> None:
        query = {"server": f"{server}/mcp", "key": key, "arguments": json.dumps(arguments), **options}
        await self.page.goto(f"{self.url}/{self._script}?{urlencode(query)}")

    async def failed(self) -> str | None:
        return await self.page.evaluate("window.chat.failed ?? null")

    async def passed(self, kind: str) -> list[Any]:
        """What the widget sent of one kind: tool, context, message, link, state."""
        log = await self.page.evaluate("window.chat.log")
        return [what for said, what in log if said == kind]
