"""The official client of the `mcp` package finds its way alone, from the pasted address to a wider consent."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

import httpx
import httpx2
import pytest
from litestar import Litestar
from mcp import Client, MCPError
from mcp.client.auth import OAuthClientProvider, TokenStorage
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from pydantic import AnyUrl

from app.core import db
from app.mcp.registry import SURFACES, TOOLS
from app.oauth.documents import ClientDocuments
from tests.oauth.conftest import BASE, MCP, Browser, continue_link, query_of
from tests.oauth.test_documents import URL, Outside
from tests.oauth.test_refusals import age

REDIRECT = "http://127.0.0.1:33418/callback"


class Memory(TokenStorage):
    """What the client keeps."""

    tokens: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None
    provider: OAuthClientProvider

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


class Person:
    """Opens what the client shows and decides; `untick` is what they leave out the next time."""

    def __init__(self, browser: Browser) -> None:
        self.browser, self.untick, self.asked, self.location = browser, (), list[str](), ""

    async def open(self, url: str) -> None:
        page = await self.browser.get(url.removeprefix(BASE))
        self.asked.append(query_of(url)["scope"])
        self.location = continue_link(await self.browser.decide(page, untick=self.untick))

    async def answer(self) -> AuthorizationCodeResult:
        told = query_of(self.location)
        return AuthorizationCodeResult(code=told["code"], state=told["state"], iss=told["iss"])


@asynccontextmanager
async def connected(
    asgi: Any, person: Person, memory: Memory, url: str = MCP, *, document: str | None = None, mode: str = "auto"
) -> AsyncIterator[tuple[Client, list[tuple[str, str, int]]]]:
    provider = OAuthClientProvider(
        url,
        OAuthClientMetadata(
            client_name="Official",
            redirect_uris=[AnyUrl(REDIRECT)],
            grant_types=["authorization_code", "refresh_token"],
            response_types=["code"],
            token_endpoint_auth_method="none",
        ),
        memory,
        person.open,
        person.answer,
        client_metadata_url=document,
    )
    memory.provider = provider
    seen: list[tuple[str, str, int]] = []

    async def note(response: httpx2.Response) -> None:
        seen.append((response.request.method, response.request.url.path, response.status_code))

    async with (
        httpx2.AsyncClient(
            transport=httpx2.ASGITransport(asgi), auth=provider, event_hooks={"response": [note]}
        ) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as client,
    ):
        yield client, seen


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize("path", ["", "/", "/flashcards", "/flashcards/readonly"])
async def test_from_the_address_to_a_call(
    asgi: Any, http: httpx.AsyncClient, alice: Browser, mode: str, path: str
) -> None:
    person = Person(alice)
    async with connected(asgi, person, Memory(), MCP + path, mode=mode) as (client, seen):
        names = [tool.name for tool in (await client.list_tools()).tools]
        offered = next(surface for surface in SURFACES if surface.path == "/mcp" + path.rstrip("/"))
        assert names == [tool.name for tool in TOOLS if offered.offers(tool)]
        found = await client.call_tool("list_decks", {})
        assert not found.is_error
    assert [step for step in seen if step[1] in {"/register", "/token"}] == [
        ("POST", "/register", 201), ("POST", "/token", 200)
    ]  # fmt: skip
    assert person.asked[0].startswith("email profile decks:read")
    assert len(person.asked) == 1


async def test_a_client_with_a_document_does_not_register(
    asgi: Any, application: Litestar, http: httpx.AsyncClient, alice: Browser
) -> None:
    outside = Outside(document={"client_id": URL, "client_name": "Official", "redirect_uris": [REDIRECT]})
    usual = application.state.authorization
    application.state.authorization = replace(usual, documents=ClientDocuments(outside.resolve, outside.get))
    try:
        async with connected(asgi, Person(alice), Memory(), document=URL) as (client, seen):
            assert len((await client.list_tools()).tools) == len(TOOLS)
    finally:
        application.state.authorization = usual
    assert not [step for step in seen if step[1] == "/register"]
    assert await db.fetch_value("SELECT kind FROM oauth_client") == "document"


async def test_a_wider_consent_is_asked_for_when_it_is_needed(
    asgi: Any, http: httpx.AsyncClient, alice: Browser
) -> None:
    person = Person(alice)
    person.untick = ("decks:write",)
    async with connected(asgi, person, Memory()) as (client, seen):
        assert "create_deck" not in [tool.name for tool in (await client.list_tools()).tools]
        person.untick = ()
        made = await client.call_tool("create_deck", {"title": "Rivers"})
        assert not made.is_error
        assert made.structured_content is not None
        assert made.structured_content["title"] == "Rivers"
        assert ("POST", "/mcp", 403) in seen
        assert len(person.asked) == 2
        assert "decks:write" in person.asked[1].split()
        found = await client.call_tool("list_decks", {})
        assert not found.is_error
        assert len(person.asked) == 2


async def test_an_expired_token_is_refreshed_without_the_person(
    asgi: Any, http: httpx.AsyncClient, alice: Browser
) -> None:
    person, memory = Person(alice), Memory()
    async with connected(asgi, person, memory) as (client, seen):
        await client.list_tools()
        first = memory.tokens
        await age("oauth_access_token", timedelta(hours=2))
        memory.provider.context.token_expiry_time = 1  # an hour has passed for the client too
        assert not (await client.call_tool("list_decks", {})).is_error
    assert first is not None
    assert memory.tokens is not None
    assert memory.tokens.refresh_token != first.refresh_token
    assert memory.tokens.scope == first.scope
    assert [step[2] for step in seen if step[1] == "/token"] == [200, 200]
    assert len(person.asked) == 1


async def test_a_disconnected_client_has_to_ask_again(asgi: Any, http: httpx.AsyncClient, alice: Browser) -> None:
    person, memory = Person(alice), Memory()
    async with connected(asgi, person, memory) as (client, seen):
        await client.list_tools()
        connection = await db.fetch_value("SELECT id FROM oauth_connection")
        await alice.post(f"/connections/{connection}/disconnect", {"confirmed": "1"})
        try:
            await client.call_tool("list_decks", {})
        except MCPError:
            pass
    assert ("POST", "/mcp", 401) in seen[-8:]
    assert len(person.asked) == 2
