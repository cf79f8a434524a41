"""Who studies in a chat, the window they have, and how they answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from playwright.async_api import Locator, expect

from tests.e2e.chat import Chat
from tests.e2e.conftest import QuietPage
from tests.server import Server

CAPITALS = {
    "France": "Paris", "Spain": "Madrid", "Italy": "Rome", "Japan": "Tokyo", "Peru": "Lima", "Kenya": "Nairobi",
}  # fmt: skip
CLOZE = "The capital of Estonia is {{c1::Tallinn}}."


@dataclass
class Learner:
    """Somebody with a deck of capitals and a chat with a key."""

    server: Server
    key: str
    deck_id: int

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        return self.server.call(self.key, tool, arguments)["structuredContent"]

    def reviews(self) -> int:
        found = self.call("search_cards", deckId=self.deck_id, limit=50)["cards"]
        return sum(self.call("get_card", cardId=card["cardId"])["schedule"]["reps"] for card in found)


@dataclass
class Window:
    """A narrow browser window; its console stays empty."""

    chat: Chat
    quiet: QuietPage


async def answer(chat: Chat) -> None:
    """Answer the present question rightly where the kind can tell, and keep it."""
    study = chat.widget.locator(".study")
    await study.wait_for()
    if await study.locator(".choices").count():
        front = await study.locator(".face").first.inner_text()
        await study.locator(".choices button", has_text=CAPITALS.get(front.strip(), "Tallinn")).click()
    elif await study.locator("input[name=answer]").count():
        front = (await study.locator(".face").first.inner_text()).strip()
        await study.locator("input[name=answer]").fill(CAPITALS.get(front, "Tallinn"))
        await study.locator("input[name=answer]").press("Enter")
    elif await study.locator(".pair").count():
        for pair in await study.locator(".pair").all():
            front = (await pair.locator("label").inner_text()).strip()
            await pair.locator("select").select_option(label=CAPITALS[front])
        await study.get_by_role("button", name="Check").click()
    else:
        await study.get_by_role("button", name="Show answer").click()
    await study.locator("form[action$=keep]").first.wait_for()
    easy = study.get_by_role("button", name="Easy")
    await (easy if await easy.count() else study.get_by_role("button", name="Continue")).click()
    await expect(study.locator("form[action$=keep]")).to_have_count(0)


async def finish(chat: Chat) -> None:
    finish = chat.widget.get_by_role("button", name="Finish")
    if await finish.count():
        await finish.first.click()
    await expect(chat.widget.get_by_role("heading", name="Done for now")).to_be_visible()


async def first_of(study: Locator, *names: str) -> Locator:
    for name in names:
        if await study.get_by_role("button", name=name).count():
            return study.get_by_role("button", name=name)
    raise AssertionError(names)


async def height_of(chat: Chat) -> int:
    """The height the chat was told last, once the screen is at rest."""
    await chat.widget.locator("body").evaluate("() => new Promise((done) => setTimeout(done, 150))")
    return await chat.page.evaluate("window.chat.height")
