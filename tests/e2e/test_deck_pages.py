"""What script adds to the pages of decks and cards: search while typing, a list that grows, a question, an undo."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Page, expect

from tests.e2e.conftest import sign_in
from tests.server import Server

pytestmark = pytest.mark.browser
EMAIL = "lists@example.org"
CARDS = 70


@pytest.fixture(scope="module")
def deck(server: Server) -> str:
    """The address of a deck of 70 cards, which is more than a page of the list."""
    key = server.key(EMAIL)
    cards = [{"front": f"number {number}", "back": f"back {number}"} for number in range(CARDS)]
    made = server.call(key, "import_flashcards", {"deckTitle": "Numbers", "cards": cards})
    return f"{server.url}/decks/{made['structuredContent']['deckId']}"


async def test_search_follows_typing_and_keeps_the_focus(server: Server, deck: str, page: Page) -> None:
    await sign_in(page, server, EMAIL)
    for address in (f"{server.url}/search", deck):
        await page.goto(address)
        field = page.locator("main input[type=search]")
        await field.click()
        await page.keyboard.type("back 1")
        await expect(page.locator("#found .card")).to_have_count(11)
        assert "q=back" in page.url
        await page.keyboard.type("3")
        await expect(page.locator("#found .card")).to_have_count(1)
        await expect(field).to_be_focused()
        await page.keyboard.type("x")
        await expect(page.locator("#found [role=status]")).to_be_visible()


async def test_ticks_stay_while_the_list_grows_and_a_deletion_is_undone(server: Server, deck: str, page: Page) -> None:
    await sign_in(page, server, EMAIL)
    await page.goto(deck)
    boxes = page.locator(".card input")
    await boxes.first.check()
    await page.get_by_role("link", name="Show more").click()
    await expect(boxes).to_have_count(CARDS)
    await boxes.last.check()
    assert await page.locator("[data-selected-count]").inner_text() == "2"
    await page.get_by_text("Change the ticked cards").click()
    delete = page.get_by_role("button", name="Delete", exact=True)
    await delete.click()
    await page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    await expect(boxes).to_have_count(CARDS)
    await delete.click()
    await page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    await page.wait_for_url(re.compile(r"undo="))
    await expect(page.get_by_text("Cards in the trash: 2.").first).to_be_visible()
    assert await page.locator(".counts + span").inner_text() == f"{CARDS - 2} cards"
    await page.get_by_role("button", name="Undo the deletion").click()
    await expect(page.get_by_text("Cards restored: 2.").first).to_be_visible()
    assert await page.locator(".counts + span").inner_text() == f"{CARDS} cards"
    assert await page.get_by_role("button", name="Undo the deletion").count() == 0
