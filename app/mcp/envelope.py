"""The outside of a JSON-RPC message: what is read of it before the protocol engine gets it, and errors around it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import mcp_types as types
import msgspec

_METHOD_LENGTH = 128


@dataclass(frozen=True, slots=True)
class Envelope:
    """A well-formed JSON-RPC 2.0 message. `id` is None for a notification, `method` for a posted response."""

    id: str | int | None
    method: str | None
    tool: str | None
    """The name in `params` of a `tools/call`."""


class BadEnvelope(Exception):
    """Not one JSON-RPC 2.0 message. `status` 400, or 200 for a request whose `params` alone are malformed."""

    def __init__(self, code: int, message: str, *, id: str | int | None = None, params_only: bool = False) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.id = id
        self.params_only = params_only


def read(body: bytes) -> Envelope:
    """The envelope of a body; raises `BadEnvelope`, which quotes nothing of it."""
    try:
        decoded: Any = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise BadEnvelope(types.PARSE_ERROR, "Parse error: the body is not JSON in UTF-8.") from None
    if isinstance(decoded, list):
        raise BadEnvelope(types.INVALID_REQUEST, "Batches are not supported: send one request per POST.")
    if not isinstance(decoded, dict) or decoded.get("jsonrpc") != "2.0":  # pyright: ignore[reportUnknownMemberType]
        raise BadEnvelope(types.INVALID_REQUEST, "The body is not a JSON-RPC 2.0 message.")
    message = cast("dict[str, Any]", decoded)
    id = message.get("id")
    if "id" in message and (isinstance(id, bool) or not isinstance(id, str | int)):
        raise BadEnvelope(types.INVALID_REQUEST, "The id of a request is text or a whole number.")
    method = message.get("method")
    if method is None and id is not None and ("result" in message or "error" in message):
        return Envelope(id, None, None)
    if not isinstance(method, str) or not method or len(method) > _METHOD_LENGTH:
        raise BadEnvelope(types.INVALID_REQUEST, "The message has no method.", id=id)
    params = message.get("params", {})
    if not isinstance(params, dict):
        raise BadEnvelope(types.INVALID_PARAMS, "params is not an object.", id=id, params_only=id is not None)
    name = cast("dict[str, Any]", params).get("name") if method == "tools/call" else None
    return Envelope(id, method, name if isinstance(name, str) else None)


def error_body(code: int, message: str, id: str | int | None = None) -> bytes:
    """A JSON-RPC error response."""
    return msgspec.json.encode({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
