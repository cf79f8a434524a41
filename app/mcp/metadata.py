"""What a client reads before it signs in: the protected resource metadata of RFC 9728, a document per endpoint."""

from typing import Any

from litestar import Response, get
from litestar.handlers import BaseRouteHandler

from app.core.settings import Settings
from app.mcp.registry import SURFACES, Surface

WELL_KNOWN = "/.well-known/oauth-protected-resource"


def metadata_path(surface: Surface) -> str:
    """Where the document of an endpoint is: the well-known path, then the endpoint's own (RFC 9728, section 3.1)."""
    return WELL_KNOWN + surface.path


def document(surface: Surface, settings: Settings) -> dict[str, Any]:
    """The metadata of an endpoint. `resource` is its URL to the letter, from the configured public address."""
    return {
        "resource": settings.base_url + surface.path,
        "resource_name": "Loci",
        "scopes_supported": surface.scopes(),
        "bearer_methods_supported": ["header"],
    }


def metadata_handlers(settings: Settings) -> list[BaseRouteHandler]:
    """A route per endpoint; the bare well-known path speaks of `/mcp`."""
    return [
        _handler(
            [metadata_path(surface), *([WELL_KNOWN] if surface == SURFACES[0] else [])], document(surface, settings)
        )
        for surface in SURFACES
    ]


def _handler(paths: list[str], content: dict[str, Any]) -> BaseRouteHandler:
    @get(paths, sync_to_thread=False)
    def protected_resource_metadata() -> Response[dict[str, Any]]:
        # Public and read by pages of other origins, such as an inspector in a browser.
        return Response(content, headers={"access-control-allow-origin": "*", "cache-control": "public, max-age=300"})

    return protected_resource_metadata
