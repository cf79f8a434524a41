"""A real server, a real browser."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Page, async_playwright

from tests.conftest import open_to_all
from tests.node.conftest import node
from tests.server import Server, running_server

__all__ = ["node"]  # the widget's chats are bundled under Node


def chromium_path() -> str | None:
    """The system's Chromium: a browser of playwright's own may not be downloadable where tests run."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@pytest_asyncio.fixture(scope="session")
async def chromium() -> AsyncIterator[Browser]:
    """One browser for the run. Without one the test is skipped, and fails in CI."""
    path = chromium_path()
    if path is None:
        if os.environ.get("CI"):
            pytest.fail("there is no Chromium")
        pytest.skip("there is no Chromium")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        await browser.close()


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A server for the whole run: each test makes accounts of its own."""
    with open_to_all() as folder, running_server(folder) as running:
        yield running


class QuietPage:
    """A page whose console must stay empty."""

    def __init__(self, page: Page) -> None:
        self.page, self.said = page, list[str]()
        page.on("console", self._listen)
        page.on("pageerror", lambda error: self.said.append(str(error)))

    def _listen(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.said.append(message.text)


@pytest_asyncio.fixture
async def context(chromium: Browser) -> AsyncIterator[BrowserContext]:
    """A fresh browser profile."""
    made = await chromium.new_context()
    yield made
    await made.close()


@pytest_asyncio.fixture
async def page(context: BrowserContext) -> AsyncIterator[Page]:
    """A page of a fresh profile; its console stays empty, or the test fails."""
    quiet = QuietPage(await context.new_page())
    yield quiet.page
    assert quiet.said == []


async def sign_in(page: Page, server: Server, email: str, password: str = "correct horse battery staple") -> None:
    """Through the form, as a person does."""
    await page.goto(f"{server.url}/sign-in")
    await page.get_by_label("E-mail").fill(email)
    await page.get_by_label("Password").fill(password)
    await page.get_by_role("button", name="Sign in", exact=True).click()
    await page.wait_for_url(f"{server.url}/")


async def begin_study(page: Page, server: Server, deck_id: int, mode: str = "flashcards") -> None:
    """Start a session of a deck through the page where one chooses."""
    await page.goto(f"{server.url}/decks/{deck_id}/study")
    await page.locator(f"input[name=mode][value={mode}]").check()
    await page.get_by_role("button", name="Start", exact=True).click()
    await page.locator("#study").wait_for()
    await page.wait_for_load_state()
