"""The study page as two of its users have it: with the keyboard alone, and without JavaScript."""

from __future__ import annotations

import secrets

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, Page, expect

from app.domain.modes import Mode
from tests.e2e.conftest import begin_study, sign_in
from tests.server import Server

pytestmark = pytest.mark.browser
CAPITALS = {
    "France": "Paris", "Spain": "Madrid", "Italy": "Rome", "Japan": "Tokyo", "Peru": "Lima", "Kenya": "Nairobi",
}  # fmt: skip
CLOZE = "The capital of Estonia is {{c1::Tallinn}}."
GAP = "Tallinn"


@pytest_asyncio.fixture
async def deck_id(server: Server, page: Page) -> int:
    """A deck of capitals with a cloze, its owner signed in."""
    return await owned_deck(server, page)


async def owned_deck(server: Server, page: Page) -> int:
    email = f"{secrets.token_hex(4)}@example.org"
    key = server.key(email, "decks:read", "decks:write")
    cards = [{"front": front, "back": back} for front, back in CAPITALS.items()]
    cards.append({"front": CLOZE, "back": "Since 1918."})
    made = server.call(key, "import_flashcards", {"deckTitle": "Capitals", "cards": cards})["structuredContent"]
    await sign_in(page, server, email)
    return int(made["deckId"])


async def answered(page: Page) -> int:
    return int(await page.locator("#study progress").first.get_attribute("value") or 0)


async def press(page: Page, *keys: str) -> None:
    for key in keys:
        await page.keyboard.press(key)


async def tab_to(page: Page, label: str) -> None:
    """Tab until the focus is on a control with this name; what a person without a mouse does."""
    for _ in range(80):
        await page.keyboard.press("Tab")
        name = await page.evaluate(
            "(() => { const e = document.activeElement;"
            " return (e.labels?.[0]?.innerText ?? e.innerText ?? '').split('\\n')[0].trim(); })()"
        )
        if name == label:
            return
    raise AssertionError(f"Tab never reaches {label}")


async def answer_by_keys(page: Page) -> None:
    """The present question, whatever its kind, up to its verdict or answer, rightly."""
    study = page.locator("#study")
    if await study.locator(".pairs").count():
        for left in await study.locator(".pair label").all_inner_texts():
            await tab_to(page, left.strip())
            await page.keyboard.type(CAPITALS.get(left.strip(), GAP))
        await tab_to(page, "Check")
        await press(page, "Enter")
    elif await study.locator("input[name=answer]").count():
        front = (await study.locator(".face").first.inner_text()).strip()
        await expect(study.locator("input[name=answer]")).to_be_focused()
        await page.keyboard.type(CAPITALS.get(front, GAP))
        await press(page, "Enter")
    elif await study.locator(".choices").count():
        front = (await study.locator(".face").first.inner_text()).strip()
        options = await study.locator(".choices button [dir=auto]").all_inner_texts()
        await press(page, f"Digit{options.index(CAPITALS.get(front, GAP)) + 1}")
    else:
        await press(page, "Space")


async def follow(page: Page, button: Locator) -> None:
    """Click what opens a page, and wait until that page is whole: without scripts, nothing else tells old from new."""
    async with page.expect_navigation():
        await button.click()


@pytest.mark.parametrize("mode", list(Mode))
async def test_a_whole_session_with_the_keyboard_alone(server: Server, page: Page, deck_id: int, mode: Mode) -> None:
    await begin_study(page, server, deck_id, mode.value)
    study = page.locator("#study")
    seen = 0
    while not await study.locator(".study-end").count():
        before = await answered(page)
        await answer_by_keys(page)
        await study.locator("form[action$=keep]").first.wait_for()
        # What is read out comes with the focus: the answer or the verdict, never the top of the page.
        await expect(study.locator(":focus")).to_have_count(1)
        assert not await study.locator(".verdict.bad").count()
        ratings = await study.locator("[data-key~=Digit4]").count()
        await press(page, "Digit4" if ratings else "Space")
        await expect(study.locator("form[action$=keep]")).to_have_count(0)
        seen += 1
        if seen == 1:
            if await study.locator("input[name=answer]").count():  # a letter is an answer there
                await tab_to(page, "Undo")
                await press(page, "Enter")
            else:
                await press(page, "KeyU")
            await study.locator("form[action$=keep]").first.wait_for()
            assert await answered(page) == before
            await press(page, "Digit4" if ratings else "Space")
            await expect(study.locator("form[action$=keep]")).to_have_count(0)
        assert seen < 20
    await expect(study.get_by_role("heading", level=1)).to_have_text("Done for now")


@pytest.mark.parametrize("mode", list(Mode))
async def test_a_whole_session_without_javascript(server: Server, chromium: Browser, mode: Mode) -> None:
    context = await chromium.new_context(java_script_enabled=False)
    page = await context.new_page()
    await begin_study(page, server, await owned_deck(server, page), mode.value)
    study = page.locator("#study")
    for _ in range(20):
        if await study.locator(".study-end").count():
            break
        if await study.locator(".pairs").count():
            for pair in await study.locator(".pair").all():
                left = (await pair.locator("label").inner_text()).strip()
                await pair.locator("select").select_option(label=CAPITALS.get(left, GAP))
            await follow(page, study.get_by_role("button", name="Check"))
        elif await study.locator("input[name=answer]").count():
            front = (await study.locator(".face").first.inner_text()).strip()
            await study.locator("input[name=answer]").fill(CAPITALS.get(front, GAP))
            await follow(page, study.get_by_role("button", name="Check"))
        elif await study.locator(".choices").count():
            front = (await study.locator(".face").first.inner_text()).strip()
            await follow(page, study.locator(".choices button", has_text=CAPITALS.get(front, GAP)))
        else:
            await follow(page, study.get_by_role("button", name="Show answer"))
        assert not await study.locator(".verdict.bad").count()
        easy = study.get_by_role("button", name="Easy")
        await follow(page, easy if await easy.count() else study.get_by_role("button", name="Continue"))
    await expect(study.get_by_role("heading", level=1)).to_have_text("Done for now")
    await context.close()
