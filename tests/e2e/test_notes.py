"""Notes used in a real browser: written with a preview, searched while typing, moved, gone back to, made cards of."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from tests.e2e.conftest import sign_in
from tests.server import Server

pytestmark = pytest.mark.browser
PASSWORD = "correct horse battery staple"


def account(server: Server, email: str) -> None:
    server.run("account", "create", email, "--password-stdin", stdin=PASSWORD + "\n")


async def test_a_note_lives_in_the_browser(page: Page, server: Server) -> None:
    account(server, "notes@example.org")
    await sign_in(page, server, "notes@example.org")
    await page.get_by_role("link", name="Notes", exact=True).click()
    await page.get_by_role("link", name="New note").click()
    await page.get_by_role("textbox", name="Path").fill("trips/Kyoto")
    await page.get_by_role("textbox", name="Text").fill("# Kyoto\n\n**temple** :: 寺\n\nSee [[Tea]].")
    await page.get_by_role("button", name="Preview").click()
    await expect(page.locator("#preview strong")).to_have_text("temple")
    assert page.url.endswith("/notes/new"), "the preview is swapped into the page"
    await page.get_by_role("button", name="Save").click()
    await expect(page.locator("article h2")).to_have_text("Kyoto")
    note = page.url
    await page.get_by_role("link", name="Edit", exact=True).click()
    await page.get_by_role("textbox", name="Text").fill("# Kyoto\n\n**temple** :: 寺院\n\nSee [[Tea]].")
    await page.get_by_role("button", name="Save").click()
    await page.get_by_role("link", name="History").click()
    await page.locator(".rows a").last.click()
    await page.get_by_role("button", name="Go back to this version").click()
    await expect(page.locator("article")).to_contain_text("temple :: 寺")
    await page.get_by_role("link", name="Rename or move").click()
    await page.get_by_role("textbox", name="Path").fill("trips/japan/Kyoto")
    await page.get_by_role("button", name="Move").click()
    await expect(page.locator(".crumbs")).to_contain_text("japan")
    await page.goto(f"{server.url}/notes")
    await page.get_by_label("Search the notes").fill("temp")
    await expect(page.locator("#found .row-title")).to_have_text("Kyoto")
    await page.goto(note)
    await page.get_by_role("button", name="Delete").click()
    await page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    await page.get_by_role("button", name="Restore Kyoto").click()
    await expect(page.locator("main")).to_contain_text("The note is back.")


async def test_notes_work_without_javascript(chromium: Browser, server: Server, tmp_path: Path) -> None:
    account(server, "plain@example.org")
    context = await chromium.new_context(java_script_enabled=False, viewport={"width": 360, "height": 800})
    page = await context.new_page()
    await sign_in(page, server, "plain@example.org")
    file = tmp_path / "Tea.md"
    file.write_text("---\ntags: [drinks]\n---\ngreen tea :: 緑茶\n\nblack tea :: 紅茶\n")
    await page.goto(f"{server.url}/notes/import")
    await page.get_by_label("Zip or Markdown files").set_input_files(file)
    await page.get_by_role("button", name="Import").click()
    assert "New notes: 1." in await page.inner_text("main")
    await page.goto(f"{server.url}/decks/new")
    await page.get_by_label("Title").fill("Tea")
    await page.get_by_role("button", name="Create the deck").click()
    await page.goto(f"{server.url}/notes?q=green")
    await page.locator(".row-title").click()
    await page.get_by_role("link", name="Edit", exact=True).click()
    await page.get_by_role("button", name="Preview").click()
    assert await page.locator("#preview .note-body").is_visible()
    await page.get_by_role("link", name="Cancel").click()
    await page.get_by_role("link", name="Make cards").click()
    await page.get_by_label("Deck").select_option(label="Tea")
    await page.get_by_role("button", name="Make the ticked cards").click()
    assert "Cards made: 2." in await page.inner_text("main")
    async with page.expect_download() as download:
        await page.goto(f"{server.url}/notes")
        await page.get_by_role("link", name="Download all as a zip").click()
    assert (await download.value).suggested_filename == "notes.zip"
    await context.close()
