"""The official MCP client over real HTTP, in both protocol eras."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
import pytest
from mcp import Client as McpClient
from mcp import MCPError
from mcp.client.streamable_http import streamable_http_client

from app.accounts.views import AccountView
from app.mcp.registry import TOOLS
from tests.factories import make_key
from tests.mcp.conftest import LiveServer

ERAS = ["legacy", "2026-07-28", "auto"]


@asynccontextmanager
async def connected(server: LiveServer, token: str, mode: str, path: str = "/mcp") -> AsyncIterator[McpClient]:
    async with httpx2.AsyncClient(headers={"authorization": f"Bearer {token}"}) as http:
        transport = streamable_http_client(server.url + path, http_client=http)
        async with McpClient(transport, mode=mode) as client:
            yield client


@pytest.mark.parametrize("mode", ERAS)
async def test_a_whole_conversation(live_server: LiveServer, alice: AccountView, mode: str):
    async with connected(live_server, await make_key(alice), mode) as client:
        tools = (await client.list_tools()).tools
        assert len(tools) == len(TOOLS)
        assert tools[0].name == "list_decks"
        made = await client.call_tool(
            "import_flashcards",
            {
                "deckTitle": "Capitals",
                "cards": [{"front": "Japan?", "back": "東京"}, {"front": "France?", "back": "Paris"}],
            },
        )
        assert not made.is_error
        assert made.structured_content["importedCount"] == 2
        found = await client.call_tool("search_flashcards", {"query": "東京"})
        [hit] = found.structured_content["results"]
        changed = await client.call_tool(
            "update_flashcard", {"cardId": hit["cardId"], "back": "Tokyo", "expectedVersion": 1}
        )
        assert changed.structured_content["back"] == "Tokyo"
        stale = await client.call_tool("update_flashcard", {"cardId": hit["cardId"], "back": "x", "expectedVersion": 1})
        assert stale.is_error
        assert stale.meta["loci/error"]["code"] == "CONFLICT"
        with pytest.raises(MCPError) as caught:
            await client.call_tool("dance", {})
        assert caught.value.code == -32602


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_the_server_introduces_itself(live_server: LiveServer, alice: AccountView, mode: str):
    async with connected(live_server, await make_key(alice), mode) as client:
        assert client.server_info.name == "loci"
        assert "Good cards" in (client.instructions or "")
        assert client.server_capabilities.tools
        assert client.server_capabilities.prompts
        assert client.server_capabilities.resources


async def test_the_newest_version_is_chosen_by_itself(live_server: LiveServer, alice: AccountView):
    async with connected(live_server, await make_key(alice), "auto") as client:
        assert client.protocol_version == "2026-07-28"
        listed = await client.list_tools()
        assert listed.cache_scope == "private"
        assert listed.ttl_ms > 0


@pytest.mark.parametrize("mode", ERAS)
async def test_a_read_only_endpoint_offers_what_changes_nothing(live_server: LiveServer, alice: AccountView, mode: str):
    async with connected(live_server, await make_key(alice), mode, "/mcp/flashcards/readonly") as client:
        tools = (await client.list_tools()).tools
        assert len(tools) == 6
        assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools)
