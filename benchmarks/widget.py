"""The study widget in Chromium: the size of its document, and how long a question takes from result to paint."""

from __future__ import annotations

import gzip
import statistics
from itertools import cycle, islice
from typing import Any

from playwright.async_api import Error, async_playwright

from app.mcp.widget import widget
from benchmarks.world import World
from tests.e2e.chat import Chat, Chats, bundles
from tests.e2e.conftest import chromium_path
from tests.node.conftest import installed

_ROUNDS = 15
# Two frames after the question is there it has been painted. Frames have clocks of their own with a common origin.
_WATCH = """
addEventListener("DOMContentLoaded", () => watch());
const watch = () => {
  if (document.querySelector(".study form")) {
    requestAnimationFrame(() => requestAnimationFrame(() => {
      globalThis.painted ??= performance.timeOrigin + performance.now();
    }));
  } else requestAnimationFrame(watch);
};
requestAnimationFrame(watch);
"""


def document_size() -> dict[str, Any]:
    """The document as it is served, and packed as a connection would."""
    html = widget().html.encode()
    return {"widget": f"{len(html) / 1000:.1f} KB, {len(gzip.compress(html, 9)) / 1000:.1f} KB gzipped"}


async def first_question(world: World, url: str) -> dict[str, Any]:
    """Milliseconds from the tool's result in the chat to the painted question: the median of a few new chats."""
    node, path = installed(), chromium_path()
    if node is None or path is None:
        return {"first question": "not measured: it takes Chromium and `make node`"}
    took: list[float] = []
    with Chats(await bundles(node)).serving() as chats:
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
            for deck_id in islice(cycle(world.deck_ids), _ROUNDS):
                context = await browser.new_context(viewport={"width": 700, "height": 800})
                await context.add_init_script(_WATCH)
                chat = Chat(await context.new_page(), chats.url, "host")
                await chat.open(url, world.key, {"deckId": deck_id})
                await chat.widget.locator(".study form").first.wait_for()
                painted = await _painted(chat)
                took.append(painted - await chat.page.evaluate("performance.timeOrigin + chat.resultAt"))
                await context.close()
            await browser.close()
    return {"first question": f"{statistics.median(took):.0f} ms (of {_ROUNDS}, longest {max(took):.0f} ms)"}


async def _painted(chat: Chat) -> float:
    for frame in chat.page.frames:
        try:
            if await frame.locator(".study").count():
                return float(await (await frame.wait_for_function("globalThis.painted")).json_value())
        except Error:
            continue
    raise RuntimeError("the widget is in none of the frames")
