"""The HTTP around the protocol engine: origin, method, size, token and rate, scope, in this order, then the engine."""

from __future__ import annotations

import re
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, NoReturn, cast
from urllib.parse import urlsplit

import mcp_types as types
from litestar import asgi
from litestar.handlers import ASGIRouteHandler, BaseRouteHandler
from litestar.types import HTTPScope, Message, Receive, Scope, Send
from mcp.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from app.accounts.throttle import network
from app.accounts.views import Caller
from app.core import clock, logs
from app.core.ratelimit import Rate, Take, seconds_to_wait
from app.core.settings import Settings
from app.domain.errors import Unavailable
from app.mcp.caller import admit, bearer_token, may_be_token
from app.mcp.dispatch import McpRequest
from app.mcp.envelope import Envelope
from app.mcp.errors import scope_challenge, unexpected
from app.mcp.http import (
    EXPOSED_HEADERS,
    MAXIMUM_BODY_BYTES,
    METHODS,
    UNAUTHORIZED,
    Headers,
    Refusal,
    check_content_type,
    check_length,
    may_be_large,
    plain_headers,
    preflight_headers,
    read_body,
    read_envelope,
    replay_of,
    too_many,
)
from app.mcp.metadata import metadata_handlers, metadata_path, resource_of
from app.mcp.plans import rates_of
from app.mcp.registry import SURFACES, Surface
from app.mcp.server import STATE, create_server

_LOOPBACK = re.compile(r"https?://(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?")
# Refused tokens of one address: enough for any honest client, too few to wear the database out.
_REFUSED_TOKENS = Rate(calls=300, seconds=60, burst=300)
_log = logs.get_logger(__name__)


class McpEndpoint:
    """One endpoint as a pure ASGI application."""

    def __init__(
        self, surface: Surface, settings: Settings, engine: Callable[[Any, Any, Any], Awaitable[None]]
    ) -> None:
        self._surface = surface
        self._settings = settings
        self._engine = engine
        self._resource = resource_of(surface, settings)
        self._metadata_url = settings.base_url + metadata_path(surface)
        rates = rates_of(settings)
        self._calls, self._others = Take("mcp-call:", rates), Take("mcp-other:", rates)
        own = urlsplit(settings.base_url)
        self._origins = frozenset(
            origin.rstrip("/").lower() for origin in (*settings.allowed_origins, f"{own.scheme}://{own.netloc}")
        )

    async def __call__(self, scope: HTTPScope, receive: Receive, send: Send) -> None:
        started = time.perf_counter()
        state = scope.get("state") or {}
        request_id = str(state.get("request_id") or logs.request_id())
        line: dict[str, Any] = {"request_id": request_id, "endpoint": self._surface.path}
        try:
            await self._serve(scope, receive, send, request_id, line)
        except Refusal as refusal:
            line |= {"outcome": refusal.outcome, "status": refusal.status}
            await self._answer(scope, send, refusal)
        except Unavailable as error:
            line |= {"outcome": error.code.value, "status": 503}
            await self._answer(scope, send, Refusal(503, "", f"[{error.code}] {error}", headers=[("retry-after", "5")]))
        except Exception as error:
            failure = unexpected(error, request_id).error
            line["outcome"] = "unexpected"
            if "status" in line:  # half an answer is out: the server has to cut the connection
                raise
            line["status"] = 200
            await self._answer(scope, send, Refusal(200, "", failure.message, code=failure.code, id=line.get("rpc_id")))
        line.pop("rpc_id", None)
        if scope["method"] == "POST":
            scope.setdefault("state", {})["logged"] = True  # this line tells more than the frame's would
            _log.info("mcp_call", ms=round((time.perf_counter() - started) * 1000, 2), **line)

    async def _serve(
        self, scope: HTTPScope, receive: Receive, send: Send, request_id: str, line: dict[str, Any]
    ) -> None:
        headers = list(scope["headers"])
        self._check_origin(headers)
        if scope["method"] == "OPTIONS":
            raise Refusal(204, "preflight", headers=preflight_headers())
        if scope["method"] != "POST":
            # No stream is offered, so that a client learns at once what it would otherwise wait for.
            raise Refusal(405, "method", "Send JSON-RPC messages by POST.", headers=[("allow", METHODS)])
        check_length(headers)
        token = bearer_token(headers)
        if token is None or not may_be_token(token):
            await self._refuse_token(scope, token)
        if may_be_large(headers):  # nobody's megabyte is waited for: anyone can make what looks like a token
            await self._admit_sender(scope, token)
        # The sender is asked for after that, in the statement that takes the call from the bucket of its kind.
        body = await read_body(receive)
        if body is None:
            line["outcome"] = "disconnected"
            return
        message = _message_of(body, headers)
        line["rpc_id"] = message.id
        caller = await self._admit(scope, token, message, line)
        if isinstance(message, Refusal):
            raise message
        envelope = message
        self._check_scope(caller, envelope)
        request = McpRequest(surface=self._surface, caller=caller, settings=self._settings, request_id=request_id)
        inner: dict[str, Any] = {
            **scope,
            "headers": plain_headers(headers),
            "state": {**(scope.get("state") or {}), STATE: request},
        }
        await self._engine(inner, replay_of(body, receive), self._with_cors(scope, send, line))
        line["outcome"] = request.outcome
        if request.tool:
            line["tool"] = request.tool

    def _check_origin(self, headers: Headers) -> None:
        if any(not self._is_allowed(value) for name, value in headers if name == b"origin"):
            raise Refusal(403, "origin", "This origin is not allowed.", code=types.INVALID_REQUEST)

    def _is_allowed(self, origin: bytes) -> bool:
        text = origin.decode("latin-1").lower()
        return text in self._origins or _LOOPBACK.fullmatch(text) is not None

    async def _admit(self, scope: HTTPScope, token: str, message: Envelope | Refusal, line: dict[str, Any]) -> Caller:
        """Who calls. Tool calls and everything else are counted apart, so that a handshake does not use up calls."""
        is_call = isinstance(message, Envelope) and message.method == "tools/call"
        take = self._calls if is_call else self._others
        found = await admit(token, self._resource, take, self._settings, now=clock.now())
        if found is None:
            await self._refuse_token(scope, token)
        caller = found.caller
        line |= {"account": caller.account_id, "client": f"{caller.client_kind}:{caller.client_id}"}
        if found.seconds_to_wait > 0:
            raise too_many(found.seconds_to_wait, message.id)
        return caller

    async def _admit_sender(self, scope: HTTPScope, token: str) -> None:
        found = await admit(token, self._resource, self._others, self._settings, now=clock.now())
        if found is None:
            await self._refuse_token(scope, token)
        if found.seconds_to_wait > 0:
            raise too_many(found.seconds_to_wait)

    async def _refuse_token(self, scope: HTTPScope, token: str | None) -> NoReturn:
        address = (scope.get("client") or ("unknown", 0))[0]
        wait = await seconds_to_wait(f"mcp-refused:{network(address)}", _REFUSED_TOKENS)
        if wait > 0:
            raise too_many(wait)
        challenge = f'Bearer resource_metadata="{self._metadata_url}", scope="{" ".join(self._surface.scopes())}"'
        if token:
            challenge += ', error="invalid_token", '
            challenge += 'error_description="The token is unknown, expired, revoked or not for this resource"'
        message = "The token is not valid." if token else "Authentication is needed."
        raise Refusal(401, "unauthorized", message, code=UNAUTHORIZED, headers=[("www-authenticate", challenge)])

    def _check_scope(self, caller: Caller, envelope: Envelope) -> None:
        """The specification's step-up: 403 with the scope that a call needs, before anything is dispatched."""
        tool = self._surface.tool(envelope.tool) if envelope.tool else None
        if tool is None or tool.scope in caller.scopes or caller.asks_in_band:  # the last is answered by dispatch
            return
        raise Refusal(
            403,
            "insufficient_scope",
            f"insufficient_scope: {tool.name} needs {tool.scope.value}.",
            id=envelope.id,
            headers=[("www-authenticate", scope_challenge(tool, self._metadata_url))],
        )

    def _cors_headers(self, scope: HTTPScope) -> Headers:
        headers: Headers = [(b"vary", b"Origin")]
        origins = [value for name, value in scope["headers"] if name == b"origin"]
        if len(origins) == 1 and self._is_allowed(origins[0]):
            headers += [
                (b"access-control-allow-origin", origins[0]),
                (b"access-control-expose-headers", EXPOSED_HEADERS.encode()),
            ]
        return headers

    def _with_cors(self, scope: HTTPScope, send: Send, line: dict[str, Any]) -> Send:
        async def with_cors(message: Message) -> None:
            if message["type"] == "http.response.start":
                line["status"] = int(message["status"])
                message["headers"] = [*message.get("headers", ()), *self._cors_headers(scope)]
            await send(message)

        return with_cors

    async def _answer(self, scope: HTTPScope, send: Send, refusal: Refusal) -> None:
        headers = [*refusal.headers, *self._cors_headers(scope)]
        if refusal.status != 204:
            headers += [
                (b"content-type", b"application/json"),
                (b"content-length", str(len(refusal.body)).encode()),
                (b"cache-control", b"no-store"),
            ]
        await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
        await send({"type": "http.response.body", "body": refusal.body, "more_body": False})


def _message_of(body: bytes, headers: Headers) -> Envelope | Refusal:
    """The message, or what it will be refused with once its sender is known."""
    try:
        check_content_type(headers)
        return read_envelope(body, headers)
    except Refusal as refusal:
        return refusal


def create_mcp_routes(
    settings: Settings, server: Server[Any] | None = None, *, streams: bool = False
) -> tuple[list[BaseRouteHandler], Callable[[], AbstractAsyncContextManager[None]]]:
    """The route handlers of every endpoint and of its metadata, and what must run around the application's life.

    `server` is the protocol engine, by default `create_server(settings)`. With `streams` a handler that reports its
    progress is answered by an event stream; ours report none, so their answers are JSON.

    A path answers with and without a slash at its end. One application takes one call of this function: the engine
    can be started once.
    """
    manager = StreamableHTTPSessionManager(
        app=server or create_server(settings),
        stateless=True,
        json_response=not streams,
        max_request_body_size=MAXIMUM_BODY_BYTES,
        security_settings=None,  # origin and size are checked here, and the Host header decides nothing
    )

    @asynccontextmanager
    async def lifespan() -> AsyncGenerator[None]:
        async with manager.run():
            yield

    handlers: list[BaseRouteHandler] = [
        _route(McpEndpoint(surface, settings, manager.asgi_app), surface.path) for surface in SURFACES
    ]
    return [*handlers, *metadata_handlers(settings)], lifespan


def _route(endpoint: McpEndpoint, path: str) -> ASGIRouteHandler:
    @asgi(path, copy_scope=True)
    async def mcp_endpoint(scope: Scope, receive: Receive, send: Send) -> None:
        await endpoint(cast("HTTPScope", scope), receive, send)

    return mcp_endpoint
