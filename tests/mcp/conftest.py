"""A running server on a real socket, clients with keys, and one valid call of every tool."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest_asyncio
import uvicorn
from litestar import Litestar
from litestar.types import ASGIApp

from app.accounts.views import AccountView
from app.core import db
from app.core.settings import Settings
from app.domain.plans import Plan
from app.domain.scopes import Scope
from app.mcp.endpoint import create_mcp_routes
from tests.factories import make_account, make_key

HANDSHAKE = "2025-11-25"
MODERN = "2026-07-28"
MARKER = "zanzibarium"  # a word in every stored text, looked for in every error


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:  # pytest keeps its own
        yield


@dataclass(frozen=True)
class LiveServer:
    url: str
    port: int
    settings: Settings


@asynccontextmanager
async def listening(make: Callable[[Settings], ASGIApp]) -> AsyncIterator[LiveServer]:
    """What `make` gives, behind uvicorn on a free port, in the loop of the tests."""
    with socket.socket(proto=socket.IPPROTO_TCP) as listener:  # named, or asyncio leaves Nagle's delay on
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        settings = Settings(
            port=port, secret_key="a key that is only for tests, 32+", allowed_origins=("https://claude.ai",)
        )
        server = _Server(uvicorn.Config(make(settings), log_config=None, access_log=False, lifespan="on"))  # type: ignore[arg-type]
        task = asyncio.create_task(server.serve(sockets=[listener]))
        while not server.started:
            await asyncio.sleep(0)
            if task.done():
                task.result()
        yield LiveServer(settings.base_url, port, settings)
        server.should_exit = True
        await task


def mcp_application(settings: Settings) -> ASGIApp:
    """The MCP routes and nothing else."""
    handlers, lifespan = create_mcp_routes(settings)
    return Litestar(handlers, lifespan=[lifespan()], openapi_config=None, logging_config=None)


@pytest_asyncio.fixture(scope="session")
async def live_server(database: str) -> AsyncIterator[LiveServer]:
    """The MCP routes on the database of the tests."""
    async with listening(mcp_application) as server:
        yield server


@dataclass
class Client:
    """A client of one protocol version with one token."""

    http: httpx.AsyncClient
    token: str | None
    version: str | None = HANDSHAKE
    path: str = "/mcp"
    next_id: int = field(default=1)

    async def post(
        self,
        body: Any = None,
        *,
        raw: bytes | None = None,
        path: str | None = None,
        headers: Mapping[str, str | None] | None = None,
    ) -> httpx.Response:
        sent: dict[str, str | None] = {
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            "authorization": f"Bearer {self.token}" if self.token else None,
            "mcp-protocol-version": self.version,
            **(headers or {}),
        }
        content = {"json": body} if raw is None else {"content": raw}
        return await self.http.post(
            path or self.path, headers={name: value for name, value in sent.items() if value is not None}, **content
        )

    async def rpc(self, method: str, params: dict[str, Any] | None = None, **options: Any) -> httpx.Response:
        id, self.next_id = self.next_id, self.next_id + 1
        params = dict(params or {})
        headers = dict(options.pop("headers", {}))
        if self.version == MODERN:
            params["_meta"] = {
                "io.modelcontextprotocol/protocolVersion": MODERN,
                "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {},
            }
            headers |= {"mcp-method": method}
            if name := params.get("name", params.get("uri")):
                headers |= {"mcp-name": str(name)}
        return await self.post(
            {"jsonrpc": "2.0", "id": id, "method": method, "params": params}, headers=headers, **options
        )

    async def call(self, tool: str, arguments: Mapping[str, Any] | None = None, **options: Any) -> dict[str, Any]:
        """The result of a call that the protocol accepts."""
        response = await self.rpc("tools/call", {"name": tool, "arguments": dict(arguments or {})}, **options)
        assert response.status_code == 200, response.text
        return response.json()["result"]

    async def done(self, tool: str, arguments: Mapping[str, Any] | None = None, **options: Any) -> dict[str, Any]:
        """The structured content of a call that succeeds."""
        result = await self.call(tool, arguments, **options)
        assert not result.get("isError"), result
        return result["structuredContent"]

    async def refused(self, tool: str, arguments: Mapping[str, Any] | None = None, **options: Any) -> dict[str, Any]:
        """The `loci/error` of a call that fails as a tool error, with its text."""
        result = await self.call(tool, arguments, **options)
        assert result.get("isError"), result
        about = result["_meta"]["loci/error"]
        [text] = [item["text"] for item in result["content"]]
        assert text.startswith(f"[{about['code']}] ")
        assert "structuredContent" not in result
        return {**about, "text": text}

    async def tools(self, path: str | None = None) -> list[dict[str, Any]]:
        response = await self.rpc("tools/list", path=path)
        assert response.status_code == 200, response.text
        return response.json()["result"]["tools"]


@dataclass(frozen=True)
class World:
    """Alice (Plus) with two decks of cards, one of them in the trash, and Bob, who has nothing of it."""

    alice: AccountView
    bob: AccountView
    deck_id: int
    card_ids: list[int]
    other_deck_id: int
    deleted_deck_id: int
    deleted_card_id: int
    session_id: int
    item_id: int
    crammed_session_id: int
    """With an answer that can be taken back; nothing is scheduled by it."""

    def example(self, tool: str) -> dict[str, Any]:
        """Arguments with which Alice's call of the tool succeeds."""
        return {
            "list_decks": {},
            "search_flashcards": {"query": MARKER, "deckId": self.deck_id},
            "get_flashcard": {"cardId": self.card_ids[0]},
            "search": {"query": MARKER},
            "fetch": {"id": f"card:{self.card_ids[0]}"},
            "get_account_status": {},
            "get_learning_stats": {"deckId": self.deck_id, "days": 7},
            "get_deck": {"deckId": self.deck_id, "includeCards": True},
            "search_cards": {"query": f"{MARKER} is:new", "deckId": self.deck_id, "tags": [MARKER], "sort": "due"},
            "get_card": {"cardId": self.card_ids[0]},
            "get_study_plan": {"deckId": self.deck_id, "goal": "learn", "minutes": 5},
            "get_study_session": {"sessionId": self.session_id},
            "render_study_session": {"deckId": self.deck_id, "mode": "typed"},
            "start_study_session": {"deckId": self.deck_id, "mode": "mixed", "goal": "learn", "limit": 5},
            "record_review": {"sessionId": self.session_id, "itemId": self.item_id, "rating": "good"},
            "study_step": {"sessionId": self.session_id},
            "study_reveal": {"sessionId": self.session_id, "itemId": self.item_id},
            "study_answer": {"sessionId": self.session_id, "itemId": self.item_id, "answer": "I think so"},
            "study_rate": {"sessionId": self.session_id, "itemId": self.item_id, "rating": 3},
            "study_undo": {"sessionId": self.crammed_session_id},
            "study_set_aside": {"sessionId": self.session_id, "itemId": self.item_id, "until": "tomorrow"},
            "study_settings": {"key": "one-wish", "deckId": self.deck_id, "mode": "typed"},
            "create_cards": {"deckId": self.deck_id, "cards": [{"front": "Elbe?", "back": "A river"}]},
            "import_deck": {"deckId": self.deck_id, "format": "csv", "content": "front,back\nOder?,A river"},
            "update_card": {"cardId": self.card_ids[0], "deckId": self.other_deck_id, "tags": ["moved"]},
            "delete_card": {"cardId": self.card_ids[1]},
            "create_deck": {"title": "Rivers", "language": "en"},
            "update_deck": {"deckId": self.deck_id, "description": "About capitals"},
            "import_flashcards": {"deckId": self.deck_id, "cards": [{"front": "Seine?", "back": "A river"}]},
            "update_flashcard": {"cardId": self.card_ids[0], "deckId": self.other_deck_id, "tags": ["moved"]},
            "delete_flashcards": {"cardIds": [self.card_ids[1]]},
            "delete_deck": {"deckId": self.other_deck_id},
            "restore_deck": {"deckId": self.deleted_deck_id},
            "restore_flashcards": {"cardIds": [self.deleted_card_id]},
            "memory__search": {"query": MARKER},
            "memory__read": {"path": f"{MARKER}/one.md"},
            "memory__list": {},
            "memory__write": {"path": "new.md", "body": "text", "frontmatter": {"a": 1}},
            "memory__edit": {"path": f"{MARKER}/one.md", "mode": "append", "body": "more"},
            "memory__delete": {"path": f"{MARKER}/two.md"},
        }[tool]


def card(number: int, **more: Any) -> dict[str, Any]:
    return {"front": f"{MARKER} front {number}", "back": f"{MARKER} back {number}", "tags": [MARKER], **more}


@pytest_asyncio.fixture
async def http(live_server: LiveServer) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=live_server.url, timeout=20) as client:
        yield client


@pytest_asyncio.fixture
async def alice(committed: None) -> AccountView:
    return await make_account("alice@example.org", plan=Plan.PLUS)


@pytest_asyncio.fixture
async def client(http: httpx.AsyncClient, alice: AccountView) -> Client:
    """Alice's client with every scope."""
    return Client(http, await make_key(alice))


@pytest_asyncio.fixture
async def world(client: Client, alice: AccountView) -> World:
    """Alice's things. (Her rate limits are as fresh afterwards as before.)"""
    bob = await make_account("bob@example.org", plan=Plan.PLUS)
    first = await client.done("import_flashcards", {"deckTitle": f"{MARKER} one", "cards": [card(1), card(2), card(3)]})
    found = await client.done("search_flashcards", {"query": MARKER})
    ids = sorted(hit["cardId"] for hit in found["results"])
    other = await client.done("create_deck", {"title": f"{MARKER} two", "description": MARKER})
    gone = await client.done("import_flashcards", {"deckTitle": f"{MARKER} gone", "cards": [card(4)]})
    await client.done("delete_deck", {"deckId": gone["deckId"]})
    await client.done("delete_flashcards", {"cardIds": [ids[2]]})
    for name in ("one", "two"):
        note = {"path": f"{MARKER}/{name}.md", "body": f"{MARKER} #{MARKER}", "frontmatter": {"key": MARKER}}
        await client.done("memory__write", note)
    session = await client.done("start_study_session", {"deckId": first["deckId"]})
    crammed = await client.done("start_study_session", {"deckId": first["deckId"], "goal": "cram"})
    of_it = {"sessionId": crammed["sessionId"], "itemId": crammed["item"]["itemId"]}
    await client.done("record_review", {**of_it, "rating": "good"})
    await forget_rates()
    return World(
        alice,
        bob,
        first["deckId"],
        ids[:2],
        other["deckId"],
        gone["deckId"],
        ids[2],
        session["sessionId"],
        session["item"]["itemId"],
        crammed["sessionId"],
    )


@pytest_asyncio.fixture
async def bobs_client(http: httpx.AsyncClient, world: World) -> Client:
    return Client(http, await make_key(world.bob))


async def client_of(http: httpx.AsyncClient, account: AccountView, *scopes: Scope) -> Client:
    """A client of an account with these scopes alone."""
    return Client(http, await make_key(account, scopes))


async def forget_rates() -> None:
    """Every bucket is full again."""
    await db.execute("DELETE FROM rate_limit")
