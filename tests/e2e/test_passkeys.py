"""Passkeys in Chromium, with the browser's own virtual authenticator."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from tests.server import Server

pytestmark = pytest.mark.browser
PASSWORD = "correct horse battery staple"


@pytest.fixture
def home(server: Server) -> str:
    """The server under a name: a passkey belongs to one, and never to a bare IP address."""
    return f"http://localhost:{server.port}"


@pytest_asyncio.fixture
async def device(page: Page) -> AsyncIterator[str]:
    """A device that keeps passkeys and always recognises its owner; its id in the browser's protocol."""
    protocol = await page.context.new_cdp_session(page)
    await protocol.send("WebAuthn.enable")
    made = await protocol.send(
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
    yield made["authenticatorId"]


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
    await expect(page.get_by_text(name, exact=True)).to_be_visible()


async def test_a_passkey_from_its_making_to_its_end(page: Page, device: str, home: str) -> None:
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
    await expect(page.get_by_text("Old laptop", exact=True)).to_be_visible()

    await page.get_by_role("button", name="Remove Old laptop").click()
    await page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    await expect(page.locator(".notice")).to_have_text("The passkey is removed.")
    await expect(page.get_by_text("Old laptop", exact=True)).to_have_count(0)


async def test_a_removed_passkey_is_refused(page: Page, device: str, home: str) -> None:
    await page.set_viewport_size({"width": 1280, "height": 900})
    await create_account(page, home, "removed@example.org")
    await add_passkey(page, home, "Tablet")
    await page.get_by_role("button", name="Remove Tablet").click()
    await page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    await expect(page.locator(".notice")).to_have_text("The passkey is removed.")
    await sign_out(page, home)
    said: list[str] = []
    page.on("response", lambda response: said.append(f"{response.status} {response.url}"))
    await page.get_by_role("button", name="Sign in with a passkey").click()
    alert = page.get_by_role("alert")
    await expect(alert).to_have_text("This passkey is not known here. It may have been removed; sign in another way.")
    await expect(page.get_by_role("button", name="Sign in with a passkey")).to_be_focused()
    assert f"422 {home}/passkeys/sign-in" in said
    assert page.url == f"{home}/sign-in"


async def test_where_no_passkey_can_be_the_page_links_to_where_it_can(page: Page, server: Server, home: str) -> None:
    await create_account(page, server.url, "address@example.org")
    await page.goto(f"{server.url}/account")
    await expect(page.get_by_role("button", name="Add a passkey")).to_have_count(0)
    link = page.get_by_role("link", name="Open Loci at localhost")
    assert await link.get_attribute("href") == f"{home}/account#passkeys"
