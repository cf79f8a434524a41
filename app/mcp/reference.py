"""The registry as plain values for the pages that describe it (`app.ui.reference`); `app.main` hands them over."""

from __future__ import annotations

import re

from mcp_types.version import SUPPORTED_PROTOCOL_VERSIONS

from app.core.settings import Settings
from app.domain.plans import Plan
from app.mcp.http import MAXIMUM_BODY_BYTES, UNAUTHORIZED
from app.mcp.instructions import GOOD_CARDS, INSTRUCTIONS
from app.mcp.metadata import metadata_path, resource_of
from app.mcp.plans import plan_allows
from app.mcp.registry import SURFACES, TOOLS, Surface, wire
from app.mcp.spec import AnyTool, Kind
from app.ui.reference import EndpointReference, Reference, ToolReference

_HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")


def reference(settings: Settings) -> Reference:
    """What there is to tell of this server: nothing is written twice, so nothing can differ from what is served."""
    return Reference(
        tools=tuple(_tool(tool, settings) for tool in TOOLS),
        endpoints=tuple(_endpoint(surface, settings) for surface in SURFACES),
        protocol_versions=tuple(sorted(SUPPORTED_PROTOCOL_VERSIONS, reverse=True)),
        most_body_bytes=MAXIMUM_BODY_BYTES,
        unauthorized_code=UNAUTHORIZED,
        allowed_origins=settings.allowed_origins,
        instructions=INSTRUCTIONS,
        good_cards=tuple(re.split(r"(?<=\.) ", GOOD_CARDS)),
    )


def _tool(tool: AnyTool, settings: Settings) -> ToolReference:
    listed = wire(tool.name).model_dump(by_alias=True, mode="json", exclude_none=True)
    return ToolReference(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        scope=tool.scope,
        mutates=tool.kind.mutates,
        removes=tool.kind is Kind.DESTRUCTIVE,
        hints={name: listed["annotations"][name] for name in _HINTS if name in listed["annotations"]},
        plans=frozenset(plan for plan in Plan if plan_allows(plan, tool.feature, settings)),
        endpoints=tuple(surface.path for surface in SURFACES if surface.offers(tool)),
        input_schema=listed["inputSchema"],
        output_schema=listed["outputSchema"],
    )


def _endpoint(surface: Surface, settings: Settings) -> EndpointReference:
    return EndpointReference(
        path=surface.path,
        url=resource_of(surface, settings),
        metadata_url=settings.base_url + metadata_path(surface),
        scopes=tuple(surface.scopes()),
        tools=sum(surface.offers(tool) for tool in TOOLS),
        readonly=surface.readonly,
    )
