"""Passkeys in Chromium, with the browser's own virtual authenticator."""

from __future__ import annotations

import pytest
from playwright.async_api import BrowserContext, Page, expect

from tests.server import Server

pytestmark = pytest.mark.browser
PASSWORD = "correct horse battery staple"


@pytest.fixture
def home(server: Server) -> str:
    """The server under a name: a passkey belongs to one, and never to a bare IP address."""
    return f"http://localhost:{server.port}"


async def give_device(page: Page) -> None:
    """A device that keeps passkeys and always recognises its owner."""
    protocol = await page.context.new_cdp_session(page)
    await protocol.send("WebAuthn.enable")
    await protocol.send(
        "WebAuthn.addVirtualAuthenticator",
        {
            "options": {
                "protocol": "ctap2",
                "transport": "internal",
                "hasResidentKey": True,
                "hasUserVerification": True,
                "isUserVerified": True,
                "automaticPresenceSimulation": True,
            }
        },
    )


async def create_account(page: Page, home: str, email: str) -> None:
    await page.goto(f"{home}/sign-up")
    await page.get_by_label("E-mail").fill(email)
    await page.get_by_label("Password").fill(PASSWORD)
    await page.get_by_role("button", name="Create account").click()
    await page.wait_for_url(f"{home}/")


async def sign_out(page: Page, home: str) -> None:
    await page.goto(f"{home}/")
    await page.get_by_role("button", name="Sign out").click()
    await page.wait_for_url(f"{home}/sign-in")


async def add_passkey(page: Page, home: str, name: str) -> None:
    await page.goto(f"{home}/account")
    await page.get_by_label("Name of the new passkey").fill(name)
    await page.get_by_role("button", name="Add a passkey").click()
    await expect(page.locator(".row-title", has_text=name)).to_be_visible()


async def test_a_passkey_from_its_making_to_its_end(page: Page, home: str) -> None:
    await give_device(page)
    await page.set_viewport_size({"width": 1280, "height": 900})
    await create_account(page, home, "passkeys@example.org")
    await add_passkey(page, home, "Laptop")

    # The same device once more: its own words for it.
    await page.get_by_label("Name of the new passkey").fill("Again")
    await page.get_by_role("button", name="Add a passkey").click()
    await expect(page.get_by_role("alert")).to_have_text("This device has a passkey for your account already.")

    await sign_out(page, home)
    await page.goto(f"{home}/sign-in?next=/keys")
    await page.get_by_role("button", name="Sign in with a passkey").click()
    await page.wait_for_url(f"{home}/keys")

    await page.goto(f"{home}/account")
    await page.get_by_text("Rename").click()
    await page.get_by_label("New name").fill("Old laptop")
    await page.locator("details", has_text="Rename").get_by_role("button", name="Save").click()
    await expect(page.locator(".row-title", has_text="Old laptop")).to_be_visible()

    await page.get_by_role("button", name="Remove Old laptop").click()
    await page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    await expect(page.locator(".notice")).to_have_text("The passkey is removed.")
    await expect(page.locator(".row-title", has_text="Old laptop")).to_have_count(0)


async def test_a_removed_passkey_is_refused(context: BrowserContext, home: str) -> None:
    page = await context.new_page()
    console: list[str] = []
    page.on("console", lambda message: console.append(message.text) if message.type == "error" else None)
    await give_device(page)
    await page.set_viewport_size({"width": 1280, "height": 900})
    await create_account(page, home, "removed@example.org")
    await add_passkey(page, home, "Tablet")
    await page.get_by_role("button", name="Remove Tablet").click()
    await page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    await expect(page.locator(".notice")).to_have_text("The passkey is removed.")
    await sign_out(page, home)
    await page.get_by_role("button", name="Sign in with a passkey").click()
    alert = page.get_by_role("alert")
    await expect(alert).to_have_text("This passkey is not known here. It may have been removed; sign in another way.")
    await expect(page.get_by_role("button", name="Sign in with a passkey")).to_be_focused()
    [line] = console  # the browser's own, about any answer that is an error
    assert "422" in line
    assert page.url == f"{home}/sign-in"


async def test_where_no_passkey_can_be_the_page_links_to_where_it_can(page: Page, server: Server, home: str) -> None:
    await create_account(page, server.url, "address@example.org")
    await page.goto(f"{server.url}/account")
    await expect(page.get_by_role("button", name="Add a passkey")).to_have_count(0)
    link = page.get_by_role("link", name="Open Loci at localhost")
    assert await link.get_attribute("href") == f"{home}/account#passkeys"
