"""The chats, and a window with one."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser

from tests.e2e.chat import Chat, Chats, bundles
from tests.e2e.conftest import QuietPage
from tests.e2e.widget.learners import CAPITALS, Learner, Window
from tests.node.conftest import Node
from tests.server import Server

# The engine of the chat says these of itself, whatever the widget does.
OF_THE_CHAT = ("oncalltool handler replaced", "405 (Method Not Allowed)", "403 (Forbidden)")


@pytest_asyncio.fixture(scope="session")
async def chats(node: Node) -> AsyncIterator[Chats]:
    """The pages of the chats, bundled from the official packages."""
    with Chats(await bundles(node)).serving() as serving:
        yield serving


@pytest.fixture
def learner(server: Server) -> Learner:
    email = f"{secrets.token_hex(4)}@example.org"
    key = server.key(email, "decks:read", "decks:write", "study:write", "study:render")
    cards = [{"front": front, "back": back} for front, back in CAPITALS.items()]
    made = server.call(key, "import_flashcards", {"deckTitle": "Capitals", "cards": cards})["structuredContent"]
    return Learner(server, key, made["deckId"])


@pytest_asyncio.fixture
async def narrow(chromium: Browser, chats: Chats) -> AsyncIterator[Window]:
    async for window in _window(chromium, chats, "host"):
        yield window


@pytest_asyncio.fixture
async def chatgpt(chromium: Browser, chats: Chats) -> AsyncIterator[Window]:
    async for window in _window(chromium, chats, "openai"):
        yield window


async def _window(chromium: Browser, chats: Chats, script: str) -> AsyncIterator[Window]:
    context = await chromium.new_context(viewport={"width": 360, "height": 800})
    quiet = QuietPage(await context.new_page())
    yield Window(Chat(quiet.page, chats.url, script), quiet)
    await context.close()
    assert [line for line in quiet.said if not any(known in line for known in OF_THE_CHAT)] == []
