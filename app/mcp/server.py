"""The MCP server: the official SDK's protocol engine around our registry and dispatch.

One engine serves every endpoint. What an endpoint offers, and who calls, comes with the request (`McpRequest`).
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any, cast

import mcp_types as types
from mcp import MCPError
from mcp.server import CacheHint, Server, ServerRequestContext
from mcp.server.context import CallNext, HandlerResult
from pydantic import ValidationError

from app.core.settings import Settings
from app.mcp import prompts, registry, resources
from app.mcp.dispatch import McpRequest, call_tool
from app.mcp.errors import unexpected
from app.mcp.instructions import INSTRUCTIONS
from app.mcp.widget import EXTENSION, MIME_TYPE

STATE = "mcp"
_LIST_FRESH_MS = 5 * 60 * 1000
_Context = ServerRequestContext[Any, Any]


def create_server(settings: Settings) -> Server[Any]:
    """The protocol engine. It keeps nothing between requests."""
    server: Server[Any] = Server(
        "loci",
        title="Loci",
        description="Flashcards on an FSRS schedule and Markdown notes",
        version=version("loci"),
        website_url=settings.base_url,
        instructions=INSTRUCTIONS,
        # The list depends on the token's scopes, so nobody else may be given it.
        cache_hints={
            "tools/list": CacheHint(ttl_ms=_LIST_FRESH_MS, scope="private"),
            "server/discover": CacheHint(ttl_ms=_LIST_FRESH_MS, scope="private"),
            "prompts/list": CacheHint(ttl_ms=_LIST_FRESH_MS, scope="private"),
            "resources/templates/list": CacheHint(ttl_ms=_LIST_FRESH_MS, scope="private"),
            "resources/list": CacheHint(ttl_ms=0, scope="private"),
            "resources/read": CacheHint(ttl_ms=0, scope="private"),
        },
        # Without it the engine lists all tools on every call to look for header declarations.
        get_tool_input_schema=registry.input_schema,
        on_list_tools=_list_tools,
        on_call_tool=_call_tool,
        on_list_resources=_list_resources,
        on_list_resource_templates=_list_resource_templates,
        on_read_resource=_read_resource,
        on_list_prompts=_list_prompts,
        on_get_prompt=_get_prompt,
        on_completion=_complete,
    )
    server.extensions[EXTENSION] = {"mimeTypes": [MIME_TYPE]}
    server.middleware[:] = [_guard, _wire_extras]  # in place of tracing, which nobody here collects
    return server


def request_of(context: _Context) -> McpRequest:
    """The request as the endpoint put it into the ASGI scope."""
    return cast("McpRequest", cast("Any", context.request).scope["state"][STATE])


async def _list_tools(context: _Context, _params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    request = request_of(context)
    return types.ListToolsResult(
        tools=[registry.wire(tool.name) for tool in request.surface.visible(request.caller.scopes)]
    )


async def _call_tool(context: _Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    return await call_tool(request_of(context), params.name, params.arguments)


async def _list_resources(context: _Context, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
    return await resources.list_resources(request_of(context), params.cursor if params else None)


async def _list_resource_templates(
    context: _Context, _params: types.PaginatedRequestParams | None
) -> types.ListResourceTemplatesResult:
    return resources.list_templates(request_of(context))


async def _read_resource(context: _Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    return await resources.read_resource(request_of(context), str(params.uri))


async def _list_prompts(context: _Context, _params: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
    return prompts.list_prompts(request_of(context))


async def _get_prompt(context: _Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
    return prompts.get_prompt(request_of(context), params.name, params.arguments)


async def _complete(context: _Context, params: types.CompleteRequestParams) -> types.CompleteResult:
    return await resources.complete(request_of(context), params)


async def _guard(ctx: _Context, call_next: CallNext) -> HandlerResult:
    """Whatever fails unexpectedly, in any method, leaves as an incident id. The engine's own errors pass."""
    try:
        return await call_next(ctx)
    except (MCPError, ValidationError):
        raise
    except Exception as error:
        raise unexpected(error, request_of(ctx).request_id) from None


async def _wire_extras(ctx: _Context, call_next: CallNext) -> HandlerResult:
    """Put back what the engine drops because its protocol version does not know it.

    That is `securitySchemes` on each tool, and in the older handshake the extension of the widget.
    """
    result = await call_next(ctx)
    if ctx.method == "initialize" and isinstance(result, dict):
        capabilities = cast("dict[str, Any]", result.setdefault("capabilities", {}))
        capabilities.setdefault("extensions", {})[EXTENSION] = {"mimeTypes": [MIME_TYPE]}
    if ctx.method == "tools/list" and isinstance(result, dict):
        for tool in cast("list[dict[str, Any]]", result.get("tools", [])):
            if (declared := registry.BY_NAME.get(tool["name"])) is not None:
                tool["securitySchemes"] = registry.security_schemes(declared)
    return result
