"""The yardstick: the official SDK with one constant tool, on the same HTTP server, with nothing around it.

`python -m benchmarks.bare --port PORT` serves it on loopback until it is ended.
"""

from __future__ import annotations

import argparse
import gc
from typing import Any

import mcp_types as types
import uvicorn
from mcp.server import Server, ServerRequestContext
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

_TOOL = types.Tool(name="constant", description="Says ok.", input_schema={"type": "object", "properties": {}})
_RESULT = types.CallToolResult(content=[types.TextContent(type="text", text="ok")], structured_content={"said": "ok"})


async def _list_tools(
    _context: ServerRequestContext[Any, Any], _params: types.PaginatedRequestParams | None
) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[_TOOL])


async def _call_tool(
    _context: ServerRequestContext[Any, Any], _params: types.CallToolRequestParams
) -> types.CallToolResult:
    return _RESULT


class Application:
    """ASGI: the SDK's session manager at every path."""

    def __init__(self) -> None:
        server: Server[Any] = Server("bare", on_list_tools=_list_tools, on_call_tool=_call_tool)
        self._manager = StreamableHTTPSessionManager(
            app=server, stateless=True, json_response=True, security_settings=None
        )

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        else:
            await self._manager.asgi_app(scope, receive, send)

    async def _live(self, receive: Any, send: Any) -> None:
        await receive()
        async with self._manager.run():
            # As `app.main` does, so that both have the same collector.
            gc.collect()
            gc.freeze()
            gc.set_threshold(10_000, 20, 50)
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bare", description=__doc__)
    parser.add_argument("--port", type=int, required=True, help="port on 127.0.0.1")
    options = parser.parse_args()
    uvicorn.run(
        Application(),
        host="127.0.0.1",
        port=options.port,
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="on",
        proxy_headers=True,
    )


if __name__ == "__main__":
    main()
