"""From failures to what MCP says: a tool error for what the caller can act on, an incident id for everything else."""

from __future__ import annotations

import traceback
from typing import Any

import mcp_types as types
from mcp import MCPError

from app.core import logs
from app.core.settings import Settings
from app.domain.errors import AppError, ErrorCode, InvalidInput, RateLimited
from app.mcp.spec import AnyTool

ERROR_META = "loci/error"
_log = logs.get_logger(__name__)

# With these a larger plan is one way on.
_PLAN_CODES = frozenset({ErrorCode.PLAN_REQUIRED, ErrorCode.DECK_LIMIT_EXCEEDED})


def upgrade_url(settings: Settings) -> str:
    """The page where the person changes the plan."""
    return f"{settings.base_url}/plan"


def tool_error(error: AppError, settings: Settings) -> types.CallToolResult:
    """A failed call that the model can mend or explain: the code in brackets, what is wrong, what to do."""
    text = f"[{error.code}] {error}"
    about: dict[str, Any] = {"code": error.code.value}
    if error.hint:
        about["hint"] = error.hint % error.params if error.params else error.hint
    if isinstance(error, InvalidInput) and error.field:
        about["field"] = error.field
    if isinstance(error, RateLimited):
        about["retryAfterSeconds"] = error.retry_after_seconds
    if error.code in _PLAN_CODES:
        url = upgrade_url(settings)
        about["upgradeUrl"] = url
        text += f" Plans: {url}"
    # Ids and figures help a client; nothing else of the parameters leaves here.
    about.update(
        {
            _camel(name): value
            for name, value in error.params.items()
            if type(value) is int and _camel(name) not in about
        }
    )
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)], is_error=True, _meta={ERROR_META: about}
    )


def scope_challenge(tool: AnyTool, metadata_url: str) -> str:
    """The challenge of RFC 6750, section 3, for a token that does not reach the tool."""
    needed = tool.scope.value
    return (
        f'Bearer error="insufficient_scope", scope="{needed}", resource_metadata="{metadata_url}", '
        f'error_description="{tool.name} needs {needed}"'
    )


def scope_error(tool: AnyTool, metadata_url: str) -> types.CallToolResult:
    """The same as a tool's result, for a host that starts a wider consent from there."""
    text = (
        f"insufficient_scope: {tool.name} needs {tool.scope.value}. The person is asked to allow it; then call again."
    )
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)],
        is_error=True,
        _meta={"mcp/www_authenticate": [scope_challenge(tool, metadata_url)]},
    )


def unexpected(error: BaseException, request_id: str) -> MCPError:
    """-32603 with an incident id and nothing else; the failure is logged under that id."""
    incident = logs.incident_id()
    _log.error("unexpected_failure", incident=incident, request_id=request_id, failure=stack_of(error))
    return MCPError(code=types.INTERNAL_ERROR, message=f"Internal error. Incident {incident}.")


def stack_of(error: BaseException) -> str:
    """Where a failure came from: classes and lines of code, without the messages, which may quote stored text."""
    lines: list[str] = []
    current: BaseException | None = error
    while current is not None:
        frames = traceback.extract_tb(current.__traceback__)
        lines += [f"{frame.filename}:{frame.lineno} in {frame.name}" for frame in frames]
        lines.append(type(current).__qualname__)
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)
    return "\n".join(lines)


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
