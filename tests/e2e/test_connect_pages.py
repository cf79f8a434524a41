"""The Connect pages in Chromium: what is copied, what there is without a script; schemas of a running server."""

from __future__ import annotations

import json
import re
from html import unescape

import httpx
import pytest
from playwright.async_api import Browser, BrowserContext, Page

from app.domain.scopes import Scope
from app.web.connect import links
from tests.server import Server

pytestmark = pytest.mark.browser


async def test_address_and_command_are_copied(server: Server, context: BrowserContext, page: Page) -> None:
    await context.grant_permissions(["clipboard-read", "clipboard-write"])
    url = f"{server.url}/mcp"
    await page.goto(f"{server.url}/connect")
    await page.get_by_role("link", name="VS Code", exact=True).click()
    for label, text in (
        ("Address of the MCP server", url),
        ("Command that adds Loci", links.vscode_command(url)),
        ("mcp.json", links.vscode_file(url)),
    ):
        await page.get_by_role("button", name=f"Copy {label}", exact=True).click()
        await page.get_by_text("Copied", exact=True).wait_for()
        assert await page.evaluate("navigator.clipboard.readText()") == text


async def test_without_a_script_the_address_can_be_selected_and_no_button_promises_more(
    server: Server, chromium: Browser
) -> None:
    context = await chromium.new_context(java_script_enabled=False)
    page = await context.new_page()
    await page.goto(f"{server.url}/connect/claude")
    field = page.get_by_label("Address of the MCP server")
    assert await field.input_value() == f"{server.url}/mcp"
    assert await field.is_editable() is False
    assert await page.locator("[data-copy]").first.is_hidden()
    await page.get_by_text("Addresses with fewer tools").click()
    assert await page.get_by_label("Only reading, /mcp/readonly").is_visible()
    await context.close()


def test_the_developers_page_of_a_running_server_equals_its_tools_list(server: Server) -> None:
    key = server.key("developer@example.org", *(scope.value for scope in Scope if scope is not Scope.OFFLINE_ACCESS))
    listed = httpx.post(
        f"{server.url}/mcp",
        headers={"authorization": f"Bearer {key}", "accept": "application/json, text/event-stream"},
        json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
    ).json()["result"]["tools"]
    text = httpx.get(f"{server.url}/developers").text
    shown = {
        name: json.loads(unescape(schema))
        for name, schema in re.findall(r'data-schema="([^"]+)">(.*?)</pre>', text, flags=re.DOTALL)
    }
    assert shown == {f"{tool['name']}.{side}": tool[f"{side}Schema"] for tool in listed for side in ("input", "output")}
