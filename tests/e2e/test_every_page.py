"""Every page on a living account: axe finds nothing, nothing overflows, the console is silent; also without script."""

from __future__ import annotations

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser, Page

from app.web.connect.guides import GUIDES
from tests.e2e.conftest import QuietPage, sign_in
from tests.e2e.media_files import picture, put_on_card, tone
from tests.server import Server

pytestmark = pytest.mark.browser
EMAIL = "demo@localhost"
PASSWORD = "correct horse battery staple"
PUBLIC = ("/connect", "/developers", *(guide.path for guide in GUIDES))

NOTES = {
    "work/auth.md": "# Auth\n\n**PKCE** with [[plan]] and [[none]]. #security\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n"
    "> quote\n\n```\ncode\n```\n\ntoken :: what opens the door\n\nThe {{c1::verifier}} is random.\n\n![x](https://e.org/y)",
    "work/plan.md": "Auth first. " + "averylongwordwithoutanybreak" * 8,
    "日本/メモ.md": "吾輩は猫である。 #読書",
    "old.md": "to delete",
}


@pytest.fixture(scope="module")
def demo(server: Server) -> Server:
    """The server with the demo account, one deck and two cards of it in the trash."""
    server.run("demo")
    server.run("account", "password", EMAIL, "--password-stdin", stdin=PASSWORD + "\n")
    key = server.run(
        "key",
        "create",
        EMAIL,
        "--scope",
        "decks:read",
        "--scope",
        "decks:write",
        "--scope",
        "memory:read",
        "--scope",
        "memory:write",
    )
    decks = server.call(key, "list_decks", {})["structuredContent"]["decks"]
    server.call(key, "delete_deck", {"deckId": decks[0]["deckId"]})
    hits = server.call(key, "search_flashcards", {"query": "the"})["structuredContent"]["results"]
    server.call(key, "delete_flashcards", {"cardIds": [hit["cardId"] for hit in hits[:2]]})
    for path, body in NOTES.items():
        server.call(key, "memory__write", {"path": path, "body": body, "frontmatter": {"type": "note"}})
    server.call(key, "memory__edit", {"path": "work/auth.md", "mode": "append", "body": "one more line"})
    server.call(key, "memory__delete", {"path": "old.md"})
    return server


async def pages_of(page: Page, server: Server) -> list[str]:
    """The addresses of one page of each kind, found by walking links as a person does."""
    await page.goto(f"{server.url}/decks")
    deck = await page.locator(".rows .row-title", has_text="capitals").last.get_attribute("href")
    collection = await page.locator("a[href^='/collections/']").first.get_attribute("href")
    await page.goto(f"{server.url}{deck}")
    card = await page.locator(".card-front").first.get_attribute("href")
    await page.goto(f"{server.url}{card}")
    if not await page.locator(".files").count():
        for side in ("front", "back"):
            files = {
                "a wide view.png": picture(1_200, 300),
                "high.png": picture(90, 900),
                "how it sounds.wav": tone(0.2),
            }
            await put_on_card(page, f"{server.url}{card}/edit", side, **files)
    await page.goto(f"{server.url}/notes")
    note = await page.get_by_role("link", name="auth", exact=True).get_attribute("href")
    return [
        "/notes", "/notes?q=pkce", "/notes?q=nothing-like-this", "/notes?folder=work", "/notes/new", "/notes/import",
        "/notes/folder?folder=work", f"{note}", f"{note}/edit", f"{note}/move", f"{note}/history", f"{note}/history/2",
        f"{note}/cards?headings=1",
        "/", "/decks", "/decks/new", "/search", "/search?q=the", "/search?q=nothing-like-this", "/trash", "/activity",
        "/keys", "/connections", "/connect", "/connect/claude", "/developers",
        "/account", "/plan", "/settings/study", "/no-such-page", f"{collection}", f"{deck}", f"{deck}/edit",
        f"{deck}/settings", f"{deck}/cards/new", "/statistics", f"{deck}/statistics",
        f"{deck}/study", f"{card}", f"{card}/edit", "/import",
        *[f"/import/{number}" for number in await imports_of(page, server)],
    ]  # fmt: skip


async def imports_of(page: Page, server: Server) -> list[str]:
    """An import that waits for its choices, and one that is done."""
    numbers: list[str] = []
    for finish in (False, True):
        await page.goto(f"{server.url}/import")
        waiting = page.locator(".row", has_text="done" if finish else "waits for you")
        if await waiting.count():
            numbers.append((await waiting.first.locator("a").get_attribute("href") or "").rsplit("/", 1)[1])
            continue
        rows = "front,back,tags,deck\na long word,b,t,One::Two\nc,d,,Three\n,e,,\n"
        file = {"name": f"{finish}.csv", "mimeType": "text/csv", "buffer": rows.encode()}
        await page.locator("input[name=file]").set_input_files(file)  # type: ignore[arg-type]
        await page.get_by_role("button", name="Upload and look").click()
        await page.wait_for_url("**/import/*")
        await page.locator("#choices").wait_for()
        if finish:
            await page.get_by_role("button", name="Import", exact=True).click()
            await page.get_by_role("link", name="See the decks").wait_for()
        numbers.append(page.url.rsplit("/", 1)[1])
    return numbers


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 1280])
async def test_every_page_is_sound(chromium: Browser, demo: Server, scheme: str, width: int) -> None:
    context = await chromium.new_context(
        viewport={"width": width, "height": 800}, color_scheme="dark" if scheme == "dark" else "light"
    )
    quiet = QuietPage(await context.new_page())
    page, axe = quiet.page, Axe()
    faults: list[str] = []

    async def judge(path: str) -> None:
        found = await axe.run(page)
        faults.extend(f"{path}: {fault['id']} {fault['nodes'][0]['html']}" for fault in found.response["violations"])
        over = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
        if over > 0:
            faults.append(f"{path}: {over} px too wide")

    async def look(path: str) -> None:
        await page.goto(demo.url + path)
        await judge(path)

    async def unfold(path: str) -> None:
        await page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true })")
        await judge(f"{path}, unfolded")

    for path in ("/", "/sign-in", "/sign-up", "/password/forgotten", "/password/reset?token=x", *PUBLIC):
        await look(path)
        if path in {"/connect", "/developers"}:
            await unfold(path)
    await sign_in(page, demo, EMAIL, PASSWORD)
    for path in await pages_of(page, demo):
        await look(path)
        if path.endswith("/cards/new"):
            await unfold(path)
        if path.startswith("/decks/") and path.endswith("/study"):
            await page.get_by_role("button", name="Start", exact=True).click()
            await page.get_by_role("button", name="Show answer").wait_for()
            await judge("question")
            await page.keyboard.press("Space")
            await page.locator(".ratings").wait_for()
            await judge("answer")
    await context.close()
    assert faults == [], "\n".join(faults)
    assert [line for line in quiet.said if "404" not in line] == []


async def test_everything_works_without_javascript(chromium: Browser, demo: Server) -> None:
    context = await chromium.new_context(java_script_enabled=False, viewport={"width": 360, "height": 800})
    page = await context.new_page()
    await sign_in(page, demo, EMAIL, PASSWORD)
    await page.goto(f"{demo.url}/decks/new")
    await page.get_by_label("Title").fill("Without a script")
    await page.get_by_role("button", name="Create the deck").click()
    for number in range(2):
        await page.get_by_label("Front", exact=False).first.fill(f"front {number}")
        await page.get_by_label("Back", exact=False).first.fill(f"back {number}")
        await page.get_by_role("button", name="Add the card").click()
    await page.get_by_role("link", name="Done").click()
    await page.get_by_role("button", name="Study", exact=True).click()
    for number in range(2):
        assert f"front {number}" in await page.locator(".face").first.inner_text()
        await page.get_by_role("button", name="Show answer").click()
        assert f"back {number}" in await page.locator(".face.answer").inner_text()
        await page.get_by_role("button", name="Easy").click()
    assert "Done for now" in await page.inner_text("main")
    await page.get_by_role("button", name="Undo").click()
    await page.get_by_role("button", name="Good").click()
    await page.get_by_role("link", name="Leave").click()
    await page.locator("input[name=card_id]").first.check()
    await page.get_by_text("Change the ticked cards").click()
    await page.get_by_role("button", name="Delete", exact=True).click()
    await page.get_by_role("button", name="Delete", exact=True).click()
    assert "Cards in the trash: 1." in await page.inner_text("main")
    await page.goto(f"{demo.url}/trash")
    await page.locator(".card:has-text('Without a script') input").check()
    await page.get_by_role("button", name="Restore", exact=True).last.click()
    assert "Cards restored: 1." in await page.inner_text("main")
    await context.close()
