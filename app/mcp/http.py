"""What is checked of an HTTP request before the protocol engine gets it, and the answers when it fails."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import mcp_types as types
from litestar.types import Receive
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from app.mcp import envelope as envelopes
from app.mcp.envelope import BadEnvelope, Envelope, error_body

MAXIMUM_BODY_BYTES = 1_048_576
ORDINARY_BODY_BYTES = 65_536
BODY_SECONDS = 30
METHODS = "POST, OPTIONS"
UNAUTHORIZED = -32001
REFUSED = -32000
ALLOWED_HEADERS = (
    "Authorization, Content-Type, Accept, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID, "
    "X-Request-Id"
)
EXPOSED_HEADERS = "WWW-Authenticate, Retry-After, Mcp-Session-Id, X-Request-Id"


Headers = list[tuple[bytes, bytes]]


class Refusal(Exception):
    """An answer given before the protocol engine saw the request. `outcome` is its word in the log."""

    def __init__(
        self,
        status: int,
        outcome: str,
        message: str = "",
        *,
        code: int = REFUSED,
        id: str | int | None = None,
        headers: Sequence[tuple[str, str]] = (),
    ) -> None:
        super().__init__(message)
        self.status = status
        self.outcome = outcome
        self.id = id
        self.body = error_body(code, message, id) if message else b""
        self.headers: Headers = [(name.encode(), value.encode()) for name, value in headers]


def preflight_headers() -> list[tuple[str, str]]:
    return [
        ("access-control-allow-methods", METHODS),
        ("access-control-allow-headers", ALLOWED_HEADERS),
        ("access-control-max-age", "7200"),
    ]


def too_many(wait: float, id: str | int | None = None) -> Refusal:
    seconds = max(1, -int(-wait // 1))
    return Refusal(
        429,
        "RATE_LIMITED",
        f"Too many requests in a short time. Try again in {seconds} s.",
        id=id,
        headers=[("retry-after", str(seconds))],
    )


def too_large() -> Refusal:
    return Refusal(
        413, "too_large", f"The body is over {MAXIMUM_BODY_BYTES} bytes; split it.", code=types.INVALID_REQUEST
    )


def check_length(headers: Headers) -> None:
    for name, value in headers:
        if name == b"content-length" and value.isdigit() and int(value) > MAXIMUM_BODY_BYTES:
            raise too_large()


def check_content_type(headers: Headers) -> None:
    value = next((value for name, value in headers if name == b"content-type"), b"")
    if value.split(b";")[0].strip().lower() != b"application/json":
        raise Refusal(415, "content_type", "Send the message as application/json.", code=types.INVALID_REQUEST)


def may_be_large(headers: Headers) -> bool:
    """Whether the body is said to be more than an ordinary call, or its length is not said at all."""
    declared = next((value for name, value in headers if name == b"content-length"), b"")
    return not declared.isdigit() or int(declared) > ORDINARY_BODY_BYTES


async def read_body(receive: Receive) -> bytes | None:
    """The whole body, or None when the client went away. A body without a length is counted as it comes.

    Raises `Refusal` for one that is too large, and for one that does not come within `BODY_SECONDS`.
    """
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    return None
                body += message["body"]
                if len(body) > MAXIMUM_BODY_BYTES:
                    raise too_large()
                if not message.get("more_body", False):
                    return bytes(body)
    except TimeoutError:
        raise Refusal(408, "slow_body", "The body did not come in time.") from None


def read_envelope(body: bytes, headers: Headers) -> Envelope:
    try:
        return envelopes.read(body)
    except BadEnvelope as bad:
        version = next((value.decode("latin-1") for name, value in headers if name == b"mcp-protocol-version"), None)
        handshake = version is None or version in HANDSHAKE_PROTOCOL_VERSIONS
        status = 200 if bad.params_only and handshake else 400
        raise Refusal(status, "bad_request", bad.message, code=bad.code, id=bad.id) from None


def plain_headers(headers: Headers) -> Headers:
    """The headers with `Accept` and `Content-Type` as the engine wants them: it answers JSON whatever was accepted.

    Values without the white space around them, which is no part of a value (RFC 9110, section 5.5).
    """
    kept = [(name, value.strip(b" \t")) for name, value in headers if name not in {b"accept", b"content-type"}]
    return [*kept, (b"accept", b"application/json, text/event-stream"), (b"content-type", b"application/json")]


def replay_of(body: bytes, receive: Receive) -> Receive:
    first: list[Any] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Any:
        return first.pop() if first else await receive()

    return replay
