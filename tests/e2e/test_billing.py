"""A plan bought, used, cancelled and run out in Chromium, with the stand-in for Stripe on loopback."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
import pytest_asyncio
import uvicorn
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser, Page

from app.billing.fake_stripe import FakeStripe
from app.core import clock
from tests.conftest import open_to_all
from tests.e2e.conftest import QuietPage, sign_in
from tests.mcp.conftest import _Server
from tests.server import Server, running_server

pytestmark = pytest.mark.browser
PASSWORD = "correct horse battery staple"


@dataclass
class Shop:
    """The server, and the stand-in that it takes payments through."""

    server: Server
    fake: FakeStripe

    def person(self, email: str) -> str:
        """A new account on Free; the secret of a key of it."""
        return self.server.key(email)


@pytest_asyncio.fixture(scope="module")
async def shop() -> AsyncIterator[Shop]:
    with socket.socket(proto=socket.IPPROTO_TCP) as listener, open_to_all() as folder:
        listener.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"

        async def deliver(body: bytes, headers: Mapping[str, str]) -> bool:
            async with httpx.AsyncClient(timeout=20) as client:
                return (await client.post(webhook, content=body, headers=dict(headers))).is_success

        fake = FakeStripe(now=int(clock.now().timestamp()), base_url=url, deliver=deliver)
        server = _Server(uvicorn.Config(fake, log_config=None, access_log=False, lifespan="off"))  # type: ignore[arg-type]
        task = asyncio.create_task(server.serve(sockets=[listener]))
        while not server.started:  # noqa: ASYNC110 - uvicorn has no event for it
            await asyncio.sleep(0)
        starting = running_server(
            folder,
            LOCI_PLANS="on",
            LOCI_STRIPE_SECRET_KEY="sk_test_fake",
            LOCI_STRIPE_WEBHOOK_SECRET="whsec_fake",
            LOCI_STRIPE_API_URL=url,
        )
        running = await asyncio.to_thread(starting.__enter__)
        webhook = f"{running.url}/webhooks/stripe"
        yield Shop(running, fake)
        await asyncio.to_thread(starting.__exit__, None, None, None)
        server.should_exit = True
        await task


async def see(page: Page, url: str, words: str) -> None:
    """Open the page until it says so: what Stripe told is worked on by a job."""
    for _ in range(100):
        await page.goto(url)
        if words in await page.inner_text("main"):
            return
        await page.wait_for_timeout(100)
    raise AssertionError(await page.inner_text("main"))


async def call(shop: Shop, key: str, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    return await asyncio.to_thread(shop.server.call, key, tool, arguments)


async def test_a_plan_from_the_refused_write_to_its_end(shop: Shop, page: Page) -> None:
    key = await asyncio.to_thread(shop.person, "alice@example.org")
    url = shop.server.url
    refused = await call(shop, key, "create_deck", {"title": "Rivers"})
    assert refused["content"][0]["text"].startswith("[PLAN_REQUIRED] ")
    upgrade = refused["_meta"]["loci/error"]["upgradeUrl"]
    assert upgrade == f"{url}/plan"
    await sign_in(page, shop.server, "alice@example.org")
    await see(page, upgrade, "Choose a plan")
    await page.get_by_label("Plus, €4.00 a month").check()
    await page.get_by_role("button", name="Go to payment").click()
    await page.get_by_role("button", name="Subscribe", exact=True).click()
    await page.locator("main").get_by_text("You are on Plus now.").wait_for()
    assert "renews on" in await page.inner_text("main")
    assert not (await call(shop, key, "create_deck", {"title": "Rivers"})).get("isError")
    status = (await call(shop, key, "get_account_status", {}))["structuredContent"]
    assert (status["plan"], status["canWrite"]) == ("plus", True)
    assert status["renewsOn"]

    await page.get_by_role("button", name="Manage plan, payment and invoices").click()
    await page.get_by_role("button", name="Cancel plan").click()
    await page.get_by_role("link", name="Return").click()
    await page.locator("main").get_by_text("does not renew").wait_for()
    assert not (await call(shop, key, "create_deck", {"title": "Seas"})).get("isError")

    await page.goto(shop.fake.base_url)
    await page.get_by_role("button", name="Go to the end of the period").click()
    await see(page, upgrade, "You are on Free")
    assert "The subscription has ended." in await page.inner_text("main")
    refused = await call(shop, key, "create_deck", {"title": "Lakes"})
    assert refused["content"][0]["text"].startswith("[PLAN_REQUIRED] ")
    assert "The subscription has ended. Nothing is lost." in refused["content"][0]["text"]
    status = (await call(shop, key, "get_account_status", {}))["structuredContent"]
    assert (status["plan"], status["canWrite"]) == ("free", False)
    decks = (await call(shop, key, "list_decks", {}))["structuredContent"]["decks"]
    assert {deck["title"] for deck in decks} == {"Rivers", "Seas"}
    await page.goto(f"{url}/decks")
    assert "Rivers" in await page.inner_text("main")


async def test_the_check_is_content_with_the_stand_in_but_for_the_webhook(shop: Shop) -> None:
    with pytest.raises(AssertionError):  # exit code 1: no webhook endpoint is registered at this stand-in
        await asyncio.to_thread(shop.server.run, "billing", "check")
    shop.fake.state.add(
        "we", "webhook_endpoint", url=f"{shop.server.url}/webhooks/stripe", status="enabled",
        api_version=shop.fake.state.api_version, enabled_events=["*"],
    )  # fmt: skip
    said = await asyncio.to_thread(shop.server.run, "billing", "check")
    assert "MISSING" not in said
    assert "Price loci_plus_monthly: 4 EUR a month, gives plus." in said
    shop.fake.state.emit("customer.updated", {"id": "cus_somebody", "object": "customer"})
    await shop.fake.flush()
    event = shop.fake.state.events[-1]["id"]
    assert (await asyncio.to_thread(shop.server.run, "billing", "replay", event)).startswith("Done")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 1280])
async def test_the_plan_page_is_sound(chromium: Browser, shop: Shop, scheme: str, width: int) -> None:
    email = f"{scheme}{width}@example.org"
    await asyncio.to_thread(shop.person, email)
    context = await chromium.new_context(
        viewport={"width": width, "height": 800}, color_scheme="dark" if scheme == "dark" else "light"
    )
    quiet = QuietPage(await context.new_page())
    page, axe, faults = quiet.page, Axe(), list[str]()

    async def look(what: str) -> None:
        found = await axe.run(page)
        faults.extend(f"{what}: {fault['id']} {fault['nodes'][0]['html']}" for fault in found.response["violations"])
        over = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
        if over > 0:
            faults.append(f"{what}: {over} px too wide")

    await sign_in(page, shop.server, email)
    await see(page, f"{shop.server.url}/plan", "Choose a plan")
    await look("free")
    await page.get_by_role("button", name="Go to payment").click()
    await page.get_by_role("button", name="Subscribe", exact=True).click()
    await page.locator("main").get_by_text("You are on Plus now.").wait_for()
    await look("plus")
    await page.get_by_role("button", name="Manage plan, payment and invoices").click()
    await page.get_by_role("button", name="Cancel plan").click()
    await page.get_by_role("link", name="Return").click()
    await page.get_by_role("button", name="Keep Plus").wait_for()
    await look("ending")
    await page.get_by_role("button", name="Keep Plus").click()
    await page.locator("main").get_by_text("The cancellation is taken back.").wait_for()
    shop.fake.is_down = True
    await page.get_by_role("button", name="Manage plan, payment and invoices").click()
    await page.locator("main").get_by_text("does not answer at the moment").wait_for()
    await look("down")
    shop.fake.is_down = False
    await context.close()
    assert faults == []
    assert [line for line in quiet.said if "503" not in line] == []
