"""The only path from a tool call to a handler: spec, caller, scope, plan, input, one unit of work, result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import mcp_types as types
import msgspec
from mcp import MCPError

from app.accounts.views import Caller
from app.audit import service as audit
from app.core import clock
from app.core.db import atomic
from app.core.settings import Settings
from app.domain.errors import N_, AppError, PlanRequired
from app.mcp.errors import scope_error, tool_error, unexpected
from app.mcp.http import REFUSED
from app.mcp.metadata import metadata_path
from app.mcp.plans import may, standing_of, write_refusal
from app.mcp.registry import Surface
from app.mcp.schema import parse
from app.mcp.spec import AnyTool, Call, Reply


@dataclass(slots=True, kw_only=True)
class McpRequest:
    """One HTTP request on its way through the SDK. `tool` and `outcome` are filled in for the log line."""

    surface: Surface
    caller: Caller
    settings: Settings
    request_id: str
    tool: str = ""
    outcome: str = "ok"


async def call_tool(request: McpRequest, name: str, arguments: Mapping[str, Any] | None) -> types.CallToolResult:
    """Run one call. What the caller can act on comes back as a tool error; the rest raises `MCPError`."""
    tool = request.surface.tool(name)
    if tool is None:
        request.outcome = "unknown_tool"
        raise MCPError(code=types.INVALID_PARAMS, message="Unknown tool; tools/list names those of this endpoint.")
    request.tool = tool.name
    if tool.scope not in request.caller.scopes:
        request.outcome = "insufficient_scope"
        if request.caller.asks_in_band:
            return scope_error(tool, request.settings.base_url + metadata_path(request.surface))
        # The endpoint has answered 403 before; this is the lock behind it.
        raise MCPError(code=REFUSED, message=f"insufficient_scope: {tool.name} needs {tool.scope.value}.")
    try:
        reply = await _run(request, tool, arguments)
    except AppError as error:
        request.outcome = error.code.value
        return tool_error(error, request.settings)
    except MCPError:
        raise
    except Exception as error:
        request.outcome = "unexpected"
        raise unexpected(error, request.request_id) from None
    structured = msgspec.to_builtins(reply.output)
    text = reply.text if reply.text is not None else msgspec.json.encode(structured).decode()
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)],
        structured_content=structured,
        _meta=dict(reply.meta) if reply.meta else None,
    )


async def _run(request: McpRequest, tool: AnyTool, arguments: Mapping[str, Any] | None) -> Reply[Any]:
    caller = request.caller
    if not may(caller, tool.feature, request.settings):
        standing = await standing_of(caller, request.settings, now=clock.now())
        raise write_refusal(caller, standing, request.settings) or PlanRequired(N_("Another plan is needed."))
    given = parse(tool.input, arguments)
    call = Call(caller=caller, settings=request.settings, now=clock.now(), request_id=request.request_id)
    if not tool.kind.mutates:
        return await tool.handler(call, given)
    async with atomic():
        reply = await tool.handler(call, given)
        await audit.record(
            caller.account_id,
            client_kind=caller.client_kind,
            client_id=caller.client_id,
            client_name=caller.client_name,
            tool=tool.name,
            action=tool.kind.action,
            input_summary=audit.summarise(_shortened(arguments or {}, tool.kept_characters)),
            affected_ids=list(reply.affected),
            request_id=request.request_id,
            now=call.now,
        )
    return reply


def _shortened(arguments: Mapping[str, Any], kept_characters: Mapping[str, int]) -> dict[str, Any]:
    """The arguments with the texts named cut to so many characters."""
    return {
        name: value[: kept_characters[name]] if name in kept_characters and isinstance(value, str) else value
        for name, value in arguments.items()
    }
