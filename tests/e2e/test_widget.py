"""The study widget inside a chat, in Chromium: the official host class, the specification's policy, a real server."""

from __future__ import annotations

import json
import secrets
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest
import pytest_asyncio
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser, expect

from tests.e2e.chat import Chat, Chats, bundles
from tests.e2e.conftest import QuietPage
from tests.node.conftest import Node
from tests.server import Server

CAPITALS = {
    "France": "Paris", "Spain": "Madrid", "Italy": "Rome", "Japan": "Tokyo", "Peru": "Lima", "Kenya": "Nairobi",
}  # fmt: skip
CLOZE = "The capital of Estonia is {{c1::Tallinn}}."
# The engine of the chat says these of itself, whatever the widget does.
OF_THE_CHAT = ("oncalltool handler replaced", "405 (Method Not Allowed)", "403 (Forbidden)")


@pytest_asyncio.fixture(scope="session")
async def chats(node: Node) -> AsyncIterator[Chats]:
    """The pages of the chats, bundled from the official packages."""
    with Chats(await bundles(node)).serving() as serving:
        yield serving


@dataclass
class Learner:
    """Somebody with a deck of capitals and a chat with a key."""

    server: Server
    key: str
    deck_id: int

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        return self.server.call(self.key, tool, arguments)["structuredContent"]

    def reviews(self) -> int:
        found = self.call("search_cards", deckId=self.deck_id, limit=50)["cards"]
        return sum(self.call("get_card", cardId=card["cardId"])["schedule"]["reps"] for card in found)


@pytest.fixture
def learner(server: Server) -> Learner:
    email = f"{secrets.token_hex(4)}@example.org"
    key = server.key(email, "decks:read", "decks:write", "study:write", "study:render")
    cards = [{"front": front, "back": back} for front, back in CAPITALS.items()]
    made = server.call(key, "import_flashcards", {"deckTitle": "Capitals", "cards": cards})["structuredContent"]
    return Learner(server, key, made["deckId"])


@dataclass
class Window:
    """A narrow browser window; its console stays empty."""

    chat: Chat
    quiet: QuietPage


@pytest_asyncio.fixture
async def narrow(chromium: Browser, chats: Chats) -> AsyncIterator[Window]:
    async for window in _window(chromium, chats, "host"):
        yield window


@pytest_asyncio.fixture
async def chatgpt(chromium: Browser, chats: Chats) -> AsyncIterator[Window]:
    async for window in _window(chromium, chats, "openai"):
        yield window


async def _window(chromium: Browser, chats: Chats, script: str) -> AsyncIterator[Window]:
    context = await chromium.new_context(viewport={"width": 360, "height": 800})
    quiet = QuietPage(await context.new_page())
    yield Window(Chat(quiet.page, chats.url, script), quiet)
    await context.close()
    assert [line for line in quiet.said if not any(known in line for known in OF_THE_CHAT)] == []


async def answer(chat: Chat) -> None:
    """Answer the present question rightly where the kind can tell, and keep it."""
    study = chat.widget.locator(".study")
    await study.wait_for()
    if await study.locator(".choices").count():
        front = await study.locator(".face").first.inner_text()
        await study.locator(".choices button", has_text=CAPITALS.get(front.strip(), "Tallinn")).click()
    elif await study.locator("input[name=answer]").count():
        front = (await study.locator(".face").first.inner_text()).strip()
        await study.locator("input[name=answer]").fill(CAPITALS.get(front, "Tallinn"))
        await study.locator("input[name=answer]").press("Enter")
    elif await study.locator(".pair").count():
        for pair in await study.locator(".pair").all():
            front = (await pair.locator("label").inner_text()).strip()
            await pair.locator("select").select_option(label=CAPITALS[front])
        await study.get_by_role("button", name="Check").click()
    else:
        await study.get_by_role("button", name="Show answer").click()
    await study.locator("form[action$=keep]").first.wait_for()
    easy = study.get_by_role("button", name="Easy")
    await (easy if await easy.count() else study.get_by_role("button", name="Continue")).click()
    await expect(study.locator("form[action$=keep]")).to_have_count(0)


@pytest.mark.parametrize(
    ("mode", "era", "forms"),
    [
        ("flashcards", "legacy", "yes"),
        ("multiple_choice", "auto", "no"),
        ("typed", "legacy", "no"),
        ("matching", "auto", "yes"),
        ("cloze", "auto", "no"),
        ("mixed", "legacy", "no"),
    ],
)
async def test_a_whole_session_in_the_chat(learner: Learner, narrow: Window, mode: str, era: str, forms: str) -> None:
    if mode == "cloze":
        learner.call("import_flashcards", deckId=learner.deck_id, cards=[{"front": CLOZE, "back": "On the Baltic"}])
    chat = narrow.chat
    await chat.open(learner.server.url, learner.key, {"deckId": learner.deck_id, "mode": mode}, era=era, forms=forms)
    await chat.widget.locator(".study").wait_for()
    assert await chat.failed() is None
    height = await chat.page.evaluate("window.chat.height")
    assert height <= 500, height
    for _ in range(20):
        if await chat.widget.locator(".study-end").count():
            break
        await answer(chat)
    await expect(chat.widget.get_by_role("heading", name="Done for now")).to_be_visible()
    cards = len(CAPITALS) + (mode == "cloze")
    # Pairs are kept as Good, so a new card has its next step in the same session.
    assert learner.reviews() > cards if mode in {"matching", "mixed"} else learner.reviews() == cards
    assert "finished" in (await chat.passed("context"))[-1]["content"][0]["text"]


async def test_nothing_that_the_model_sees_holds_an_answer_before_it_was_given(
    learner: Learner, narrow: Window
) -> None:
    """Cases 7 and 8."""
    chat = narrow.chat
    await chat.open(learner.server.url, learner.key, {"deckId": learner.deck_id, "mode": "typed"})
    study = chat.widget.locator(".study")
    given: set[str] = set()
    while True:
        await study.wait_for()
        seen = json.dumps([await chat.page.evaluate("window.chat.result"), await chat.passed("context")])
        seen += json.dumps(await chat.passed("message"))
        for back in CAPITALS.values():
            assert back in given or back not in seen, back
        if await chat.widget.locator(".study-end").count():
            break
        given.add(CAPITALS[(await study.locator(".face").first.inner_text()).strip()])
        await answer(chat)
    assert given == set(CAPITALS.values())


async def test_a_chat_that_lost_the_result_and_a_second_place_show_the_same_question(
    learner: Learner, narrow: Window
) -> None:
    """Case 9."""
    chat, wish = narrow.chat, {"deckId": learner.deck_id}
    await chat.open(learner.server.url, learner.key, wish)
    await answer(chat)
    await expect(chat.widget.locator(".face:not(.answer)")).to_have_text("Spain")
    await chat.open(learner.server.url, learner.key, wish, result="lost")
    await expect(chat.widget.locator(".face:not(.answer)")).to_have_text("Spain")
    await answer(chat)
    assert learner.reviews() == 2


async def test_a_grade_whose_answer_is_lost_is_sent_again_and_counts_once(learner: Learner, narrow: Window) -> None:
    chat = narrow.chat
    await chat.open(learner.server.url, learner.key, {"deckId": learner.deck_id})
    await chat.widget.get_by_role("button", name="Show answer").click()
    await chat.widget.get_by_role("button", name="Good").wait_for()
    await chat.page.evaluate("window.chat.lose = 2")
    await chat.widget.get_by_role("button", name="Good").click()
    await expect(chat.widget.get_by_text("Trying again")).to_be_visible()
    await expect(chat.widget.locator(".face:not(.answer)")).to_have_text("Spain")
    await expect(chat.widget.get_by_text("Trying again")).to_be_hidden()
    assert learner.reviews() == 1
    assert sum(sent["name"] == "study_rate" for sent in await chat.passed("tool")) == 3


async def test_an_undo_whose_answer_is_lost_takes_back_one_answer(learner: Learner, narrow: Window) -> None:
    chat = narrow.chat
    await chat.open(learner.server.url, learner.key, {"deckId": learner.deck_id})
    for _ in range(2):
        await answer(chat)
    assert learner.reviews() == 2
    await chat.page.evaluate("window.chat.lose = 2")
    await chat.widget.get_by_role("button", name="Undo").click()
    await expect(chat.widget.locator(".notice", has_text="Taken back")).to_be_visible()
    assert learner.reviews() == 1
    assert sum(sent["name"] == "study_undo" for sent in await chat.passed("tool")) == 3


async def test_a_second_button_waits_while_the_first_is_on_its_way(learner: Learner, narrow: Window) -> None:
    chat = narrow.chat
    await chat.open(learner.server.url, learner.key, {"deckId": learner.deck_id})
    await answer(chat)
    await chat.widget.get_by_role("button", name="Show answer").click()
    await chat.widget.get_by_role("button", name="Easy").wait_for()
    await chat.page.evaluate("window.chat.lose = 1")
    await chat.widget.get_by_role("button", name="Easy").click()
    await chat.widget.get_by_role("button", name="Undo").click()
    await expect(chat.widget.locator(".face:not(.answer)")).to_have_text("Italy")
    assert learner.reviews() == 2
    assert "study_undo" not in [sent["name"] for sent in await chat.passed("tool")]


async def test_the_frame_shrinks_again_after_a_long_card(learner: Learner, narrow: Window) -> None:
    learner.call("import_flashcards", deckTitle="Long", cards=[{"front": "long " * 190, "back": "x"}])
    learner.call("import_flashcards", deckTitle="Long", cards=[{"front": "short", "back": "y"}])
    deck_id = learner.call("list_decks")["decks"][-1]["deckId"]
    chat = narrow.chat
    await chat.open(learner.server.url, learner.key, {"deckId": deck_id})
    await chat.widget.locator(".study").wait_for()
    assert await chat.page.evaluate("window.chat.height") <= 500
    tall = await chat.page.evaluate("window.chat.height")
    await chat.widget.get_by_role("button", name="Show answer").click()
    await chat.widget.get_by_role("button", name="Good").wait_for()
    assert await chat.page.evaluate("window.chat.height") <= 500
    await chat.widget.get_by_role("button", name="Easy").click()
    await expect(chat.widget.locator(".face:not(.answer)")).to_have_text("short")
    await chat.page.wait_for_timeout(300)
    assert await chat.page.evaluate("window.chat.height") < tall


async def test_a_full_screen_keeps_its_size(learner: Learner, narrow: Window) -> None:
    chat = narrow.chat
    await chat.open(learner.server.url, learner.key, {"deckId": learner.deck_id})
    await chat.widget.locator(".study").wait_for()
    await chat.widget.get_by_role("button", name="Full screen").click()
    await expect(chat.widget.get_by_role("button", name="Back to the chat")).to_be_visible()
    before = await chat.page.evaluate("window.chat.height")
    await chat.page.wait_for_timeout(700)
    assert await chat.page.evaluate("window.chat.height") == before


async def test_a_tool_that_was_cancelled_starts_nothing(learner: Learner, narrow: Window) -> None:
    chat = narrow.chat
    await chat.open(learner.server.url, learner.key, {"deckId": learner.deck_id}, result="cancelled")
    await expect(chat.widget.get_by_text("did not start a session")).to_be_visible()
    await chat.page.wait_for_timeout(2_500)
    assert await chat.passed("tool") == []


async def test_a_late_result_is_the_one_session(learner: Learner, narrow: Window) -> None:
    chat = narrow.chat
    await chat.open(learner.server.url, learner.key, {"deckId": learner.deck_id}, result="late")
    await chat.widget.locator(".study").wait_for()
    await answer(chat)
    result = await chat.page.evaluate("window.chat.result.structuredContent.sessionId")
    steps = {sent["arguments"].get("sessionId") for sent in await chat.passed("tool")} - {None}
    assert steps == {result}


async def test_what_will_never_be_allowed_says_why(server: Server, narrow: Window) -> None:
    email = f"{secrets.token_hex(4)}@example.org"
    key = server.key(email, "decks:read", "decks:write", "study:render")
    cards = [{"front": front, "back": back} for front, back in CAPITALS.items()]
    made = server.call(key, "import_flashcards", {"deckTitle": "Capitals", "cards": cards})["structuredContent"]
    chat = narrow.chat
    await chat.open(server.url, key, {"deckId": made["deckId"]})
    await chat.widget.get_by_role("button", name="Show answer").click()
    await expect(chat.widget.get_by_role("button", name="Try again")).to_be_visible(timeout=15_000)
    sent = len(await chat.passed("tool"))
    await chat.page.wait_for_timeout(1_000)
    assert len(await chat.passed("tool")) == sent


async def test_theme_full_screen_links_keys_and_the_end(learner: Learner, narrow: Window) -> None:
    chat = narrow.chat
    await chat.open(learner.server.url, learner.key, {"deckId": learner.deck_id}, theme="light")
    body = chat.widget.locator("body")
    await chat.widget.locator(".study").wait_for()
    assert await body.evaluate("element => getComputedStyle(element).color") == "rgb(20, 20, 20)"
    dark = {"theme": "dark", "styles": {"variables": {"--color-text-primary": "rgb(9, 9, 9)"}}}
    await chat.page.evaluate("context => window.chat.bridge.setHostContext(context)", dark)
    await expect(chat.widget.locator("html")).to_have_attribute("data-theme", "dark")
    assert await body.evaluate("element => getComputedStyle(element).color") == "rgb(9, 9, 9)"
    await chat.widget.get_by_role("button", name="Full screen").click()
    await expect(chat.widget.get_by_role("button", name="Back to the chat")).to_be_visible()
    await chat.widget.get_by_role("link", name="Edit").click()
    for _ in range(40):
        if await chat.passed("link"):
            break
        await chat.page.wait_for_timeout(50)
    (link,) = await chat.passed("link")
    assert link["url"].startswith(f"{learner.server.url}/cards/")
    await body.evaluate("() => document.activeElement.blur()")  # Space is the link's while it has the focus
    await body.press("Space")
    await expect(chat.widget.get_by_role("button", name="Good")).to_be_visible()
    await body.press("3")
    await expect(chat.widget.locator(".face:not(.answer)")).to_have_text("Spain")
    await body.press("u")
    await expect(chat.widget.get_by_text("Paris")).to_be_visible()
    assert await chat.page.evaluate("window.chat.bridge.teardownResource({}).then(() => true)")


async def test_it_may_load_nothing_and_needs_nothing(learner: Learner, narrow: Window) -> None:
    chat = narrow.chat
    requests: list[str] = []
    chat.page.on("request", lambda request: requests.append(request.url))
    await chat.open(learner.server.url, learner.key, {"deckId": learner.deck_id, "mode": "multiple_choice"})
    await answer(chat)
    of_the_widget = [url for url in requests if url.startswith("http://localhost")]
    assert [url for url in of_the_widget if "/sandbox.html" not in url] == []


@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_axe_finds_nothing(learner: Learner, narrow: Window, theme: str) -> None:
    chat, axe, faults = narrow.chat, Axe(), list[str]()
    for mode in ("flashcards", "multiple_choice", "typed", "matching"):
        wish = {"deckId": learner.deck_id, "mode": mode, "goal": "cram"}
        await chat.open(learner.server.url, learner.key, wish, theme=theme)
        await chat.widget.locator(".study").wait_for()
        found = await axe.run(chat.page)
        faults += [
            f"{mode}: {fault['id']}" for fault in found.response["violations"] if fault["id"] not in _OF_THE_PAGE
        ]
    assert faults == []


# The page around the frame is a bare stand-in for a chat.
_OF_THE_PAGE = frozenset({"region", "landmark-one-main"})


async def test_the_same_through_the_globals_of_chatgpt(learner: Learner, chatgpt: Window) -> None:
    chat = chatgpt.chat
    await chat.open(learner.server.url, learner.key, {"deckId": learner.deck_id, "mode": "multiple_choice"})
    await chat.widget.locator(".study").wait_for()
    assert await chat.failed() is None
    for _ in range(len(CAPITALS)):
        await answer(chat)
    await expect(chat.widget.get_by_role("heading", name="Done for now")).to_be_visible()
    assert learner.reviews() == len(CAPITALS)
    assert any("sessionId" in state for state in await chat.passed("state"))
