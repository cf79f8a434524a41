"""What a client reads before it signs in: the protected resource metadata of RFC 9728, a document per endpoint."""

from __future__ import annotations

from typing import Any

import msgspec
from litestar import asgi
from litestar.handlers import ASGIRouteHandler
from litestar.types import Receive, Scope, Send

from app.core.settings import Settings
from app.mcp.registry import SURFACES, Surface

WELL_KNOWN = "/.well-known/oauth-protected-resource"

# Public, and read by pages of other origins, such as an inspector in a browser.
_ANYBODY = (b"access-control-allow-origin", b"*")
_DOCUMENT = ((b"content-type", b"application/json"), (b"cache-control", b"public, max-age=300"))
_PREFLIGHT = (
    (b"access-control-allow-methods", b"GET, OPTIONS"),
    (b"access-control-allow-headers", b"Mcp-Protocol-Version, Content-Type, Accept, Authorization"),
    (b"access-control-max-age", b"7200"),
)


def metadata_path(surface: Surface) -> str:
    """Where the document of an endpoint is: the well-known path, then the endpoint's own (RFC 9728, section 3.1)."""
    return WELL_KNOWN + surface.path


def resource_of(surface: Surface, settings: Settings) -> str:
    """The URL of an endpoint as clients enter it, from the configured public address; tokens are bound to it."""
    return settings.base_url + surface.path


def document(surface: Surface, settings: Settings) -> dict[str, Any]:
    """The metadata of an endpoint. `resource` is its URL to the letter, from the configured public address."""
    return {
        "resource": resource_of(surface, settings),
        "resource_name": "Loci",
        "authorization_servers": [settings.base_url],
        "scopes_supported": surface.scopes(),
        "bearer_methods_supported": ["header"],
    }


def metadata_handlers(settings: Settings) -> list[ASGIRouteHandler]:
    """A route per endpoint; the bare well-known path speaks of `/mcp`."""
    return [
        _handler(
            [metadata_path(surface), *([WELL_KNOWN] if surface == SURFACES[0] else [])],
            msgspec.json.encode(document(surface, settings)),
        )
        for surface in SURFACES
    ]


def _handler(paths: list[str], body: bytes) -> ASGIRouteHandler:
    @asgi(paths, copy_scope=True)
    async def protected_resource_metadata(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001 - ASGI
        method = str(scope.get("method"))
        if method in {"GET", "HEAD"}:
            status, headers = 200, _DOCUMENT
        elif method == "OPTIONS":
            status, headers = 204, _PREFLIGHT
        else:
            status, headers = 405, ((b"allow", b"GET, HEAD, OPTIONS"),)
        length = () if status == 204 else ((b"content-length", str(len(body) if status == 200 else 0).encode()),)
        await send({"type": "http.response.start", "status": status, "headers": [_ANYBODY, *headers, *length]})
        sent = body if method == "GET" else b""
        await send({"type": "http.response.body", "body": sent, "more_body": False})

    return protected_resource_metadata
