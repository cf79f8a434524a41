"""Ask a running server for what a newcomer does first: the front page, a card made through MCP and found again."""

from __future__ import annotations

import argparse
import asyncio
import urllib.request

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def through_mcp(base_url: str, key: str) -> None:
    """Import one card and find it."""
    headers = {"authorization": f"Bearer {key}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        Client(streamable_http_client(f"{base_url}/mcp", http_client=http)) as client,
    ):
        card = {"front": "Capital of Japan", "back": "東京"}
        made = await client.call_tool("import_flashcards", {"deckTitle": "Smoke", "cards": [card]})
        found = await client.call_tool("search_flashcards", {"query": "東京"})
    if made.is_error or found.is_error or len((found.structured_content or {})["results"]) != 1:
        raise SystemExit(f"unexpected answers: {made} {found}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("base_url")
    parser.add_argument("key", help="an access key with decks:read and decks:write")
    given = parser.parse_args()
    with urllib.request.urlopen(f"{given.base_url}/", timeout=10) as answer:  # noqa: S310 - the caller's own server
        if b"Loci" not in answer.read():
            raise SystemExit("the front page is not ours")
    asyncio.run(through_mcp(given.base_url, given.key))
    print("smoke: the front page, an import and a search work")


if __name__ == "__main__":
    main()
