"""What a newcomer does on the first day: cards made from chat by the official client, then studied in the browser."""

from __future__ import annotations

import csv
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from playwright.async_api import Browser, Page

from app.domain.calendar import StudyClock
from app.domain.scheduling import Rating, Schedule, SchedulingOptions, preview
from tests.e2e.conftest import begin_study, sign_in
from tests.server import Server

pytestmark = pytest.mark.browser
EMAIL = "newcomer@example.org"


@asynccontextmanager
async def connected(server: Server, key: str) -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers={"authorization": f"Bearer {key}"}, timeout=30) as http,
        Client(streamable_http_client(f"{server.url}/mcp", http_client=http)) as client,
    ):
        yield client


def capitals(data: Path) -> list[dict[str, Any]]:
    """299 capitals in traditional Chinese and German, and a former one with its reading in katakana."""
    with (data / "decks" / "capitals_16_languages.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["capital:zh-tw"] and row["capital:de"]]
    chinese = [{"front": row["country"], "back": row["capital:zh-tw"], "tags": ["中文"]} for row in rows]
    german = [{"front": row["country"], "back": row["capital:de"], "tags": ["Deutsch"]} for row in rows]
    return [{"front": "Japan, until 1868", "back": "京都 (キョウト)"}, *chinese, *german][:300]


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    assert result.structured_content is not None
    return result.structured_content


async def test_from_chat_to_ten_studied_cards(server: Server, page: Page, data: Path, tmp_path: Path) -> None:
    key = server.key(EMAIL)
    cards = capitals(data)
    assert len(cards) == 300
    async with connected(server, key) as client:
        for number in range(3):
            part = cards[number * 100 : number * 100 + 100]
            made = await call(client, "import_flashcards", deckTitle="Capitals", cards=part)
            assert (made["importedCount"], made.get("skippedCount", 0)) == (100, 0)
        # The same call again, as after a lost answer.
        again = await call(client, "import_flashcards", deckTitle=" capitals ", cards=cards[:100])
        assert (again["deckId"], again["importedCount"], again["skippedCount"]) == (made["deckId"], 0, 100)
        deck_id = made["deckId"]

        found = await call(client, "search_flashcards", query="東京")
        assert [hit["front"] for hit in found["results"]] == ["Japan"]
        found = await call(client, "search_flashcards", query="ｷｮｳﾄ")
        assert [hit["back"] for hit in found["results"]] == ["京都 (キョウト)"]
        kyoto = found["results"][0]["cardId"]

        card = await call(client, "get_flashcard", cardId=kyoto)
        edited = await call(
            client, "update_flashcard", cardId=kyoto, front="Japan, 794 to 1868", expectedVersion=card["version"]
        )
        assert edited["version"] == card["version"] + 1
        stale = await client.call_tool(
            "update_flashcard", {"cardId": kyoto, "front": "Japan", "expectedVersion": card["version"]}
        )
        assert stale.is_error
        assert stale.content[0].text.startswith("[CONFLICT]")

        gone = await call(client, "delete_deck", deckId=deck_id)
        assert gone["deletedCardCount"] == 300
        assert (await call(client, "list_decks"))["decks"] == []
        await call(client, "restore_deck", deckId=deck_id)
        (deck,) = (await call(client, "list_decks"))["decks"]
        assert (deck["cardCount"], deck["newCount"], deck["dueCount"]) == (300, 300, 0)

    await sign_in(page, server, EMAIL)
    await begin_study(page, server, deck_id)
    asked: list[tuple[str, int]] = []
    ratings = [3, 4, 1, 2, 3, 4, 4, 3, 2, 4]
    for rating in ratings:
        await page.locator(".face").first.wait_for()
        asked.append((await page.locator(".face").first.inner_text(), rating))
        await page.keyboard.press("Space")
        await page.locator(".ratings").wait_for()
        assert await page.locator(".rating-next").count() == 4
        await page.keyboard.press(str(rating))
        await page.locator("form.reveal").wait_for()
    # The last answer taken back and given again.
    await page.keyboard.press("u")
    await page.locator(".ratings").wait_for()
    assert (await page.locator(".face").first.inner_text()) == asked[-1][0]
    await page.keyboard.press("4")
    await page.locator("form.reveal").wait_for()

    server.run("export", EMAIL, str(tmp_path))
    export = json.loads((tmp_path / "loci.json").read_text())
    fronts = {card["id"]: card["front"] for card in export["cards"]}
    reviews = export["reviews"]
    assert [(fronts[review["card_id"]], review["rating"]) for review in reviews] == asked
    schedules = {row["card_id"]: row for row in export["schedules"]}
    options = SchedulingOptions(clock=StudyClock("UTC", 4))
    for review in reviews:
        moment = datetime.fromisoformat(review["reviewed_at"])
        assert datetime.now(UTC) - moment < timedelta(minutes=5)
        outcome = preview(Schedule.new(), options, card_id=review["card_id"], now=moment)[Rating(review["rating"])]
        stored = schedules[review["card_id"]]
        assert datetime.fromisoformat(stored["due"]) == outcome.schedule.due
        assert stored["stability"] == pytest.approx(outcome.schedule.stability, rel=1e-12)
        assert review["elapsed_ms"] is None or 0 < review["elapsed_ms"] <= 60_000
    assert [schedules[card_id]["reps"] for card_id in schedules].count(1) == 10


async def test_a_session_that_ended_leads_to_the_sign_in_page_and_back(server: Server, page: Page) -> None:
    """The answer to a swap that is no study screen is never swapped in: the screen would go blank."""
    key = server.key("ended@example.org")
    async with connected(server, key) as client:
        made = await call(client, "import_flashcards", deckTitle="One", cards=[{"front": "front", "back": "back"}])
    await sign_in(page, server, "ended@example.org")
    await begin_study(page, server, made["deckId"])
    study = page.url
    await page.context.clear_cookies()
    await page.keyboard.press("Space")
    await page.wait_for_url(f"{server.url}/sign-in?next=*")
    await page.get_by_label("E-mail").fill("ended@example.org")
    await page.get_by_label("Password").fill("correct horse battery staple")
    await page.get_by_role("button", name="Sign in", exact=True).click()
    await page.wait_for_url(study)


async def test_a_failed_answer_leaves_the_screen_and_says_so(server: Server, chromium: Browser) -> None:
    key = server.key("failed@example.org")
    async with connected(server, key) as client:
        made = await call(client, "import_flashcards", deckTitle="One", cards=[{"front": "front", "back": "back"}])
    context = await chromium.new_context()
    page = await context.new_page()
    await sign_in(page, server, "failed@example.org")
    await begin_study(page, server, made["deckId"])
    await page.route("**/reveal", lambda route: route.fulfill(status=503, body="<p>away</p>"))
    await page.keyboard.press("Space")
    await page.locator("#status.shown").wait_for()
    assert await page.locator(".face").first.inner_text() == "front"
    await page.unroute("**/reveal")
    await page.keyboard.press("Space")
    await page.locator(".ratings").wait_for()
    await context.close()
