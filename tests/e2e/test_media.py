"""Pictures and sounds in Chromium: seen on the card and with their side of a question; a drawing can run nothing."""

from __future__ import annotations

import secrets

import pytest
from playwright.async_api import BrowserContext, Page, expect

from tests.e2e.conftest import begin_study, sign_in
from tests.server import Server

pytestmark = pytest.mark.browser
DRAWING = (
    b'<svg xmlns="http://www.w3.org/2000/svg" width="80" height="40"><rect width="80" height="40" fill="teal"/>'
    b"<script>document.documentElement.setAttribute('data-ran', 'yes')</script></svg>"
)
_SEEN = "image => image.complete && image.naturalWidth"


async def test_a_drawing_is_seen_on_its_side_and_runs_nothing(
    server: Server, page: Page, context: BrowserContext
) -> None:
    email = f"{secrets.token_hex(4)}@example.org"
    key = server.key(email, "decks:read", "decks:write")
    cards = [{"front": "Which colour?", "back": "Teal"}]
    made = server.call(key, "import_flashcards", {"deckTitle": "Colours", "cards": cards})["structuredContent"]
    await sign_in(page, server, email)
    await page.goto(f"{server.url}/decks/{made['deckId']}")
    href = await page.locator(".card-front").first.get_attribute("href")
    await page.goto(f"{server.url}{href}/edit")
    file = {"name": "teal.svg", "mimeType": "image/svg+xml", "buffer": DRAWING}
    await page.locator("#f-back_files").set_input_files(file)  # type: ignore[arg-type]
    await page.get_by_role("button", name="Change pictures and sounds").click()
    await expect(page.locator(".notice", has_text="as you chose")).to_be_visible()
    await page.goto(f"{server.url}{href}")
    image = page.get_by_role("img", name="teal")
    await image.scroll_into_view_if_needed()
    await expect(image).to_be_visible()
    assert await image.evaluate(_SEEN) == 80
    await begin_study(page, server, made["deckId"])
    await expect(page.locator("#study img")).to_have_count(0)
    await page.keyboard.press("Space")
    shown = page.get_by_role("img", name="Picture 1")
    await expect(shown).to_be_visible()
    source = await shown.get_attribute("src")
    alone = await context.new_page()
    await alone.goto(f"{server.url}{source}")
    assert await alone.locator("rect").count() == 1
    assert await alone.evaluate("document.documentElement.getAttribute('data-ran')") is None
