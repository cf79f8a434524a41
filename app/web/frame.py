"""The outermost layer of the server: request id, security headers, one log line per request.

It wraps the whole application, so that answers which no route made (404, 405, 500) carry the same. A HEAD is answered
with what GET would give, less its body (RFC 9110, 9.3.2): monitors and link checkers ask so.
"""

from __future__ import annotations

import re
import time
from ipaddress import ip_address
from typing import Any

import structlog
from litestar.types import ASGIApp, HTTPScope, Message, Receive, Scope, Send

from app.core import logs
from app.core.settings import Settings
from app.web.security import HTML_HEADERS, SECURITY_HEADERS, STRICT_TRANSPORT_SECURITY, WHILE_CONNECTING

_log = logs.get_logger(__name__)
# Asked every few seconds by a machine, or a file: not worth a line.
_QUIET = ("/health", "/static/")
_HOST = re.compile(rb"(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])?(?::[0-9]{1,5})?")


class RequestFrame:
    """An ASGI application around another."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._always = SECURITY_HEADERS + ((STRICT_TRANSPORT_SECURITY,) if settings.secure_cookies else ())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        given = next((value for name, value in scope["headers"] if name == b"x-request-id"), b"")
        request_id = logs.request_id(given.decode("latin-1"))
        state: dict[str, Any] = scope.setdefault("state", {})
        state["request_id"] = request_id
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=request_id)
        status = 500
        is_head = scope["method"] == "HEAD"
        # A copy, because the server still needs to know that its client waits for no body.
        asked: Scope = {**scope, "method": "GET"} if is_head else scope  # type: ignore[assignment]

        async def framed(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = self._with_own(
                    list(message.get("headers", ())), request_id, connects="attempt" in state
                )
            elif is_head and message["type"] == "http.response.body":
                message["body"] = b""
            await send(message)

        scope["client"] = _client_of(scope)
        try:
            if _is_malformed(scope):
                await _refuse(framed)
                return
            await self._app(asked, receive, framed)
        finally:
            if not scope["path"].startswith(_QUIET) and not state.get("logged"):
                _log.info(
                    "request",
                    method=scope["method"],
                    route=_route_of(asked),
                    status=status,
                    milliseconds=round((time.perf_counter() - started) * 1000, 1),
                )

    def _with_own(
        self, headers: list[tuple[bytes, bytes]], request_id: str, *, connects: bool
    ) -> list[tuple[bytes, bytes]]:
        present = {name.lower() for name, _ in headers}
        is_html = any(name.lower() == b"content-type" and value.startswith(b"text/html") for name, value in headers)
        own = [
            *(WHILE_CONNECTING if connects else ()),
            *self._always,
            *(HTML_HEADERS if is_html else ()),
            (b"x-request-id", request_id.encode()),
        ]
        for name, value in own:
            if name not in present:
                present.add(name)
                headers.append((name, value))
        return headers


def _client_of(scope: HTTPScope) -> tuple[str, int]:
    """Who asks, as an IP address: a proxy's header may say anything, and rates and rows are named by it."""
    host, port = scope.get("client") or ("", 0)
    for text in (host, host.rpartition(":")[0].strip("[]")):  # some proxies write the port behind the address
        try:
            return str(ip_address(text.partition("%")[0])), port
        except ValueError:
            continue
    return "0.0.0.0", port  # noqa: S104 - a name for nobody, not an address to listen on


def _is_malformed(scope: HTTPScope) -> bool:
    """What no browser and no client of ours sends, and what parsers and the database would stumble over."""
    host = next((value for name, value in scope["headers"] if name == b"host"), b"")
    return "\0" in scope["path"] or b"%00" in scope["query_string"] or not _HOST.fullmatch(host)


async def _refuse(send: Send) -> None:
    body = b"This request is malformed.\n"
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 400, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})


def _route_of(scope: Scope) -> str:
    """The route's template rather than the path, which may hold what a person typed or a secret of a link."""
    handler = scope.get("path_template")
    return str(handler) if handler else "unmatched"
