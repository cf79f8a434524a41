"""Pictures and sounds in Chromium: seen and heard on the card and with their side of a question; no drawing runs."""

from __future__ import annotations

import asyncio
import base64
import secrets

import pytest
from playwright.async_api import BrowserContext, Page, Route, expect

from app.domain.media import sniff
from app.domain.picture_sizes import picture_size
from tests.e2e.conftest import begin_study, sign_in
from tests.e2e.media_files import picture, put_on_card, tone
from tests.server import Server

pytestmark = pytest.mark.browser
DRAWING = (
    b'<svg xmlns="http://www.w3.org/2000/svg" width="80" height="40"><rect width="80" height="40" fill="teal"/>'
    b"<script>document.documentElement.setAttribute('data-ran', 'yes')</script></svg>"
)
_STYLED = """async () => {
  const sheets = [...document.querySelectorAll('link[rel=stylesheet]')]
  await Promise.all(sheets.map(one => one.sheet || new Promise(done => one.addEventListener('load', done))))
  document.body.getBoundingClientRect()
  await document.fonts.ready
}"""
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
    await put_on_card(page, f"{server.url}{href}/edit", "back", **{"teal.svg": DRAWING})
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


async def a_card(page: Page, server: Server, **files: bytes) -> tuple[int, str]:
    """A deck with one card that has these files on its front; its id, and the card's address."""
    email = f"{secrets.token_hex(4)}@example.org"
    key = server.key(email, "decks:read", "decks:write")
    cards = [{"front": "What is it?", "back": "An answer"}]
    made = server.call(key, "import_flashcards", {"deckTitle": "Things", "cards": cards})["structuredContent"]
    await sign_in(page, server, email)
    await page.goto(f"{server.url}/decks/{made['deckId']}")
    address = server.url + (await page.locator(".card-front").first.get_attribute("href") or "")
    await put_on_card(page, f"{address}/edit", "front", **files)
    return made["deckId"], address


async def test_a_sound_is_played_by_keyboard_alone_and_nothing_is_loaded_before(server: Server, page: Page) -> None:
    deck_id, _ = await a_card(page, server, **{"secret answer.wav": tone()})
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/media/" in request.url else None)
    await begin_study(page, server, deck_id)
    sound = page.locator("audio[aria-label='Sound 1']")
    await expect(sound).to_be_visible()
    assert asked == []
    for _ in range(30):
        await page.keyboard.press("Tab")
        if await sound.evaluate("sound => sound === document.activeElement"):
            break
    await page.keyboard.press("Enter")
    if await sound.evaluate("sound => sound.paused"):
        await page.keyboard.press("Space")
    await expect(sound).not_to_have_js_property("currentTime", 0)
    assert len(asked) >= 1
    assert await page.get_by_role("button", name="Show answer").is_visible(), "the key was the sound's alone"
    await sound.evaluate("sound => { sound.currentTime = 1.9 }")
    await expect(sound).to_have_js_property("ended", True)


@pytest.mark.parametrize("width", [320, 1280])
async def test_nothing_moves_when_a_picture_arrives(server: Server, page: Page, width: int) -> None:
    await page.set_viewport_size({"width": width, "height": 900})
    deck_id, _ = await a_card(page, server, **{"wide.png": picture(1_600, 900), "high.png": picture(100, 1_000)})
    arrive = asyncio.Event()

    async def late(route: Route) -> None:
        await arrive.wait()
        await route.continue_()

    await page.route("**/media/*", late)
    await begin_study(page, server, deck_id)
    button = page.get_by_role("button", name="Show answer")
    await page.evaluate(_STYLED)
    before = await button.bounding_box()
    rooms = [await each.bounding_box() for each in await page.locator(".files img").all()]
    arrive.set()
    for image in await page.locator(".files img").all():
        await image.scroll_into_view_if_needed()
        await expect(image).to_have_js_property("complete", True)
        assert await image.evaluate(_SEEN)
    await page.evaluate("scrollTo(0, 0)")
    assert await button.bounding_box() == pytest.approx(before, abs=0.6)
    for image, room in zip(await page.locator(".files img").all(), rooms, strict=True):
        assert room
        assert await image.bounding_box() == pytest.approx(room, abs=0.6)
        assert 0 < room["height"] <= 352
        assert room["width"] <= width


@pytest.mark.parametrize("form", ["png", "jpeg", "webp"])
async def test_a_size_is_what_chromium_sees(server: Server, page: Page, form: str) -> None:
    await page.goto(f"{server.url}/sign-in")
    made = await page.evaluate(
        """form => {
          const canvas = Object.assign(document.createElement('canvas'), {width: 321, height: 123});
          canvas.getContext('2d').fillRect(9, 9, 99, 99);
          return canvas.toDataURL(`image/${form}`).split(',')[1]
        }""",
        form,
    )
    data = base64.b64decode(made)
    assert sniff(data) == f"image/{form}"
    assert picture_size(data, f"image/{form}") == (321, 123)
