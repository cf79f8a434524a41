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
from playwright.async_api import Browser, Locator, expect

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
    await chat.widget.get_by_role("button", name="Undo").dispatch_event("click")
    await chat.widget.locator("body").press("u")
    await expect(chat.widget.locator(".face:not(.answer)")).to_have_text("Italy")
    assert learner.reviews() == 2
    assert "study_undo" not in [sent["name"] for sent in await chat.passed("tool")]


def long_deck(learner: Learner, letters: int) -> int:
    """A long card, then a short one."""
    title = secrets.token_hex(4)
    sides = {"front": ("What " * letters)[:letters], "back": ("That " * letters)[:letters]}
    made = learner.call("import_flashcards", deckTitle=title, cards=[sides])
    learner.call("import_flashcards", deckId=made["deckId"], cards=[{"front": "short", "back": "y"}])
    return made["deckId"]


async def height_of(chat: Chat) -> int:
    """The height the chat was told last, once the screen is at rest."""
    await chat.widget.locator("body").evaluate("() => new Promise((done) => setTimeout(done, 150))")
    return await chat.page.evaluate("window.chat.height")


async def scrolling_inside(chat: Chat) -> list[str]:
    return await chat.widget.locator("body").evaluate(
        "() => [...document.querySelectorAll('*')].filter((part) => part.scrollHeight > part.clientHeight + 1 "
        "&& /auto|scroll/.test(getComputedStyle(part).overflowY)).map((part) => part.className || part.tagName)"
    )


@pytest.mark.parametrize(("letters", "room"), [(200, 500), (1_000, 500), (1_000, 400)])
async def test_a_long_card_leaves_its_buttons_in_view_and_the_frame_shrinks_again(
    learner: Learner, narrow: Window, letters: int, room: int
) -> None:
    chat = narrow.chat
    await chat.open(learner.server.url, learner.key, {"deckId": long_deck(learner, letters)}, room=str(room))
    await chat.widget.get_by_role("button", name="Show answer").click()
    await chat.widget.get_by_role("button", name="Good").wait_for()
    tall = await height_of(chat)
    assert tall <= room
    assert await scrolling_inside(chat) == []
    box = await chat.widget.get_by_role("button", name="Good").evaluate("part => part.getBoundingClientRect().bottom")
    assert box <= room
    await chat.widget.get_by_role("button", name="Easy").click()
    await expect(chat.widget.locator(".face:not(.answer)")).to_have_text("short")
    assert await height_of(chat) < tall


async def test_what_was_cut_is_shown_in_full(learner: Learner, narrow: Window) -> None:
    chat = narrow.chat
    wish = {"deckId": long_deck(learner, 1_000)}
    await chat.open(learner.server.url, learner.key, wish)
    await chat.widget.get_by_role("button", name="Show all").click()
    await expect(chat.widget.locator("html")).to_have_attribute("data-mode", "fullscreen")
    await expect(chat.widget.locator(".clipped")).to_have_count(0)
    await chat.open(learner.server.url, learner.key, wish, modes="inline")
    await chat.widget.get_by_role("button", name="Show all").click()
    await expect(chat.widget.locator(".clipped")).to_have_count(0)
    assert await height_of(chat) > 500
    await chat.widget.get_by_role("button", name="Show less").click()
    assert await height_of(chat) <= 500


async def test_long_options_pairs_and_a_report_of_many_fit_in_line(learner: Learner, narrow: Window) -> None:
    chat = narrow.chat
    sides = [
        {
            "front": f"{number} a left side of thirty-five letters",
            "back": f"{number} a right side that goes on for " + "a " * 22,
        }
        for number in range(6)
    ]
    deck_id = learner.call("import_flashcards", deckTitle="Wordy", cards=sides)["deckId"]
    await chat.open(learner.server.url, learner.key, {"deckId": deck_id, "mode": "multiple_choice"})
    study = chat.widget.locator(".study")
    for _ in sides:
        await study.locator(".choices button").first.wait_for()
        assert await height_of(chat) <= 500
        prompt = (await study.locator(".face").first.inner_text())[0]
        wrong = study.locator(".choices button").filter(has_not_text=f"{prompt} a right")
        await wrong.first.click()
        await (
            study.get_by_role("button", name="Continue").or_(study.get_by_role("button", name="Again")).first.wait_for()
        )
        assert await height_of(chat) <= 500
        assert await study.get_by_text(f"{prompt} a right").filter(visible=True).count() == 1
        await (await _first_of(study, "Easy", "Continue")).click()
        await expect(study.locator("form[action$=keep]")).to_have_count(0)
        if await study.locator(".study-end").count():
            break
    await _finish(chat)
    assert await height_of(chat) <= 500
    assert await scrolling_inside(chat) == []


async def _first_of(study: Locator, *names: str) -> Locator:
    for name in names:
        if await study.get_by_role("button", name=name).count():
            return study.get_by_role("button", name=name)
    raise AssertionError(names)


async def _finish(chat: Chat) -> None:
    finish = chat.widget.get_by_role("button", name="Finish")
    if await finish.count():
        await finish.first.click()
    await expect(chat.widget.get_by_role("heading", name="Done for now")).to_be_visible()


async def test_a_full_screen_has_the_size_that_the_chat_gives_it(learner: Learner, narrow: Window) -> None:
    chat = narrow.chat
    await chat.open(learner.server.url, learner.key, {"deckId": learner.deck_id})
    await chat.widget.locator(".study").wait_for()
    inset = {"safeAreaInsets": {"top": "47px", "right": 0, "bottom": 34, "left": 0}}
    await chat.page.evaluate("context => window.chat.bridge.setHostContext(context)", inset)
    body = chat.widget.locator("body")
    await expect(body).to_have_css("padding-top", "59px")
    await chat.widget.get_by_role("button", name="Full screen").click()
    await expect(chat.widget.get_by_role("button", name="Back to the chat")).to_be_visible()
    before = await chat.page.evaluate("window.chat.sizes")
    await height_of(chat)
    assert await chat.page.evaluate("window.chat.sizes") == before
    assert await body.evaluate("body => body.offsetHeight <= Math.max(innerHeight, body.scrollHeight)")
    await chat.widget.get_by_role("button", name="Back to the chat").click()
    await expect(chat.widget.get_by_role("button", name="Full screen")).to_be_visible()
    assert await height_of(chat) <= 500


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


@pytest.mark.parametrize("result", ["refused", "cancelled"])
async def test_what_did_not_happen_is_said_and_nothing_is_begun(learner: Learner, narrow: Window, result: str) -> None:
    chat = narrow.chat
    await chat.open(learner.server.url, learner.key, {"deckId": learner.deck_id}, result=result)
    said = "Another plan is needed." if result == "refused" else "The chat did not start a session."
    await expect(chat.widget.locator("#status")).to_have_text(said)
    await chat.page.wait_for_timeout(2_500)
    assert await chat.passed("tool") == []


async def test_a_result_whose_data_is_lost_leads_to_the_session_all_the_same(learner: Learner, narrow: Window) -> None:
    chat = narrow.chat
    await chat.open(learner.server.url, learner.key, {"deckId": learner.deck_id}, result="bare")
    await expect(chat.widget.locator("#status")).to_have_text("That did not work.")
    await expect(chat.widget.locator(".face")).to_have_text("France", timeout=8_000)
    await expect(chat.widget.locator("#status")).to_be_hidden()


async def test_a_refusal_is_said_and_stays_and_what_was_filled_in_stays_too(learner: Learner, narrow: Window) -> None:
    chat = narrow.chat
    await chat.open(learner.server.url, learner.key, {"deckId": learner.deck_id})
    await chat.widget.get_by_role("button", name="Show answer").wait_for()
    session = await chat.page.evaluate("window.chat.result.structuredContent.sessionId")
    item = learner.call("get_study_session", sessionId=session)["item"]["itemId"]
    learner.call("record_review", sessionId=session, itemId=item, rating="easy")
    await chat.widget.get_by_role("button", name="Show answer").click()
    await expect(chat.widget.locator(".face")).to_have_text("Spain")
    await expect(chat.widget.locator("#status")).to_contain_text("answered before")
    await chat.widget.get_by_role("button", name="Show answer").click()
    await chat.widget.get_by_role("button", name="Good").wait_for()
    await expect(chat.widget.locator("#status")).to_be_hidden()

    await chat.open(learner.server.url, learner.key, {"deckId": learner.deck_id, "mode": "typed"})
    field = chat.widget.get_by_label("Your answer")
    await field.fill("x" * 3_990)
    await field.evaluate("field => { field.maxLength = 5000; field.value = 'x'.repeat(4500) }")
    await chat.widget.get_by_role("button", name="Check").click()
    await expect(chat.widget.locator("#status")).to_be_visible()
    await expect(field).to_have_value("x" * 4_500)
    await field.fill("Madrid")
    await chat.widget.get_by_role("button", name="Check").click()
    await expect(chat.widget.locator(".verdict")).to_be_visible()


async def test_who_gives_up_is_not_graded_on_what_stands_in_the_field(learner: Learner, narrow: Window) -> None:
    chat = narrow.chat
    await chat.open(learner.server.url, learner.key, {"deckId": learner.deck_id, "mode": "typed"})
    field = chat.widget.get_by_label("Your answer")
    assert await field.get_attribute("aria-describedby") == "prompt"
    await field.fill("Paris")
    await chat.widget.get_by_role("button", name="I do not know").click()
    await expect(chat.widget.locator(".verdict")).to_contain_text("nothing was written")


async def test_a_reload_after_going_on_shows_the_session_gone_on_with_in_another_mode(
    learner: Learner, narrow: Window
) -> None:
    chat = narrow.chat
    wish = {"deckId": learner.deck_id}
    await chat.open(learner.server.url, learner.key, wish)
    await answer(chat)
    first = await chat.page.evaluate("window.chat.result.structuredContent.sessionId")
    await _finish(chat)
    heading = chat.widget.get_by_role("heading", name="Done for now")
    assert await heading.evaluate("heading => heading === document.activeElement")
    assert await chat.widget.locator("#spoken").inner_text() == "Nothing is left for now."
    await chat.widget.get_by_label("How").select_option("typed")
    await chat.widget.get_by_role("button", name="Start").click()
    await expect(chat.widget.get_by_label("Your answer")).to_be_visible()
    assert await chat.widget.locator("#spoken").inner_text() == ""
    await chat.open(learner.server.url, learner.key, wish, result="again", session=str(first))
    await expect(chat.widget.get_by_label("Your answer")).to_be_visible()


async def test_go_on_can_be_pressed_again_after_it_was_refused(learner: Learner, narrow: Window) -> None:
    chat = narrow.chat
    await chat.open(learner.server.url, learner.key, {"deckId": learner.deck_id})
    await answer(chat)
    await _finish(chat)
    go_on = chat.widget.get_by_role("button", name="Go on")
    await chat.page.evaluate("window.chat.say = 'NOT_FOUND'")
    await go_on.click()
    await expect(chat.widget.locator("#status")).to_contain_text("not there")
    await go_on.click()
    await expect(chat.widget.get_by_role("button", name="Show answer")).to_be_visible()


async def test_a_pause_is_looked_at_again_in_the_chat_by_itself_or_by_hand(learner: Learner, narrow: Window) -> None:
    chat = narrow.chat
    await chat.open(learner.server.url, learner.key, {"deckId": learner.deck_id})
    for by_hand in (True, False):
        await chat.widget.get_by_role("button", name="Show answer").wait_for()
        pause = '<section class="study" id="study"><a href="/study/1" data-resume="0">Look again</a></section>'
        await chat.page.evaluate("pause => { window.chat.instead = pause }", pause)
        await chat.widget.get_by_role("button", name="Tomorrow").click()
        await chat.widget.get_by_role("link", name="Look again").wait_for()
        if by_hand:
            await chat.widget.get_by_role("link", name="Look again").click()
    await expect(chat.widget.get_by_role("button", name="Show answer")).to_be_visible(timeout=10_000)
    assert await chat.passed("link") == []


async def test_what_the_chat_cannot_do_is_not_offered_and_what_it_refuses_is_said(
    learner: Learner, narrow: Window
) -> None:
    chat = narrow.chat
    await chat.open(learner.server.url, learner.key, {"deckId": learner.deck_id})
    await chat.widget.get_by_role("link", name="Edit").wait_for()
    await chat.page.evaluate("window.chat.refuse = true")
    await chat.widget.get_by_role("link", name="Edit").click()
    await expect(chat.widget.locator("#status")).to_have_text("The chat did not do that.")
    await chat.open(
        learner.server.url, learner.key, {"deckId": learner.deck_id}, without="openLinks,message", modes="odd"
    )
    await chat.widget.get_by_role("button", name="Show answer").wait_for()
    await expect(chat.widget.get_by_role("link", name="Edit")).to_be_hidden()
    await expect(chat.widget.get_by_role("button", name="Full screen")).to_be_hidden()
    await chat.widget.locator("body").press("Escape")
    await chat.widget.locator("body").press("?")
    await expect(chat.widget.locator(".keys-help")).to_be_hidden()
    assert await chat.passed("link") == []


async def test_a_chat_that_takes_the_screen_away_waits_for_the_grade(learner: Learner, narrow: Window) -> None:
    chat = narrow.chat
    await chat.open(learner.server.url, learner.key, {"deckId": learner.deck_id})
    await chat.widget.get_by_role("button", name="Show answer").click()
    await chat.widget.get_by_role("button", name="Good").wait_for()
    await chat.page.evaluate("window.chat.drop = 2")
    await chat.widget.get_by_role("button", name="Good").click()
    await expect(chat.widget.get_by_text("Trying again")).to_be_visible()
    await chat.page.evaluate("window.chat.bridge.teardownResource({})")
    assert learner.reviews() == 1


async def test_targets_are_large_enough_for_a_finger(learner: Learner, narrow: Window) -> None:
    chat = narrow.chat
    await chat.open(learner.server.url, learner.key, {"deckId": learner.deck_id, "mode": "matching"})
    await chat.widget.locator(".pair select").first.wait_for()
    sizes = await chat.widget.locator(".study :is(select, button)").evaluate_all(
        "parts => parts.filter((part) => part.checkVisibility())"
        ".map((part) => Math.round(part.getBoundingClientRect().height))"
    )
    assert min(sizes) >= 44


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
    own = (chat.url, learner.server.url, chat.url.replace("127.0.0.1", "localhost") + "/sandbox.html")
    assert [url for url in requests if not url.startswith((*own, "about:"))] == []
    loaded = "() => performance.getEntriesByType('resource').map((entry) => entry.name)"
    assert await chat.widget.locator("body").evaluate(loaded) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_axe_finds_nothing(learner: Learner, narrow: Window, theme: str) -> None:
    """Questions and verdicts of every mode, full screen, and the report."""
    chat, axe, faults = narrow.chat, Axe(), list[str]()
    learner.call("import_flashcards", deckId=learner.deck_id, cards=[{"front": CLOZE, "back": "On the Baltic"}])

    async def look(where: str) -> None:
        found = await axe.run(chat.page)
        faults.extend(
            f"{where}: {fault['id']}" for fault in found.response["violations"] if fault["id"] not in _OF_THE_PAGE
        )

    study = chat.widget.locator(".study")
    for mode in ("flashcards", "multiple_choice", "typed", "matching", "cloze"):
        wish = {"deckId": learner.deck_id, "mode": mode, "goal": "cram"}
        await chat.open(learner.server.url, learner.key, wish, theme=theme)
        await study.wait_for()
        await look(mode)
        if mode == "flashcards":
            await study.get_by_role("button", name="Show answer").click()
        elif mode == "multiple_choice":
            await study.locator(".choices button").first.click()
        elif mode == "matching":
            for place, pair in enumerate(await study.locator(".pair select").all(), start=1):
                await pair.select_option(index=place)
            await study.get_by_role("button", name="Check").click()
        else:
            await study.locator("input[name=answer]").fill("Tallin")
            await study.get_by_role("button", name="Check").click()
        await study.locator("form[action$=keep]").first.wait_for()
        await look(f"{mode}, answered")
    await study.locator("form[action$=keep] button").first.click()
    await expect(study.locator("form[action$=keep]")).to_have_count(0)
    await chat.widget.get_by_role("button", name="Full screen").click()
    await expect(chat.widget.get_by_role("button", name="Back to the chat")).to_be_visible()
    await look("full screen")
    await _finish(chat)
    await look("report")
    assert faults == []


# The page around the frame is a bare stand-in for a chat.
_OF_THE_PAGE = frozenset({"region", "landmark-one-main"})


async def test_the_same_through_the_globals_of_chatgpt(learner: Learner, chatgpt: Window) -> None:
    chat = chatgpt.chat
    await chat.open(learner.server.url, learner.key, {"deckId": learner.deck_id, "mode": "multiple_choice"})
    await chat.widget.locator(".study").wait_for()
    assert await chat.failed() is None
    assert await height_of(chat) <= 500
    for _ in range(len(CAPITALS)):
        await answer(chat)
    await expect(chat.widget.get_by_role("heading", name="Done for now")).to_be_visible()
    assert learner.reviews() == len(CAPITALS)
    assert set((await chat.passed("state"))[-1]) == {"sessionId", "modelContent"}


async def test_chatgpt_resumes_from_its_saved_state(learner: Learner, chatgpt: Window) -> None:
    chat = chatgpt.chat
    await chat.open(learner.server.url, learner.key, {"deckId": learner.deck_id})
    await answer(chat)
    state = (await chat.passed("state"))[-1]
    await chat.open(learner.server.url, learner.key, {"deckId": learner.deck_id}, saved=json.dumps(state))
    await expect(chat.widget.locator(".face")).to_have_text("Spain")
    await answer(chat)
    assert learner.reviews() == 2


async def test_chatgpt_loses_a_grade_changes_its_theme_and_gives_a_full_screen(
    learner: Learner, chatgpt: Window
) -> None:
    chat = chatgpt.chat
    await chat.open(learner.server.url, learner.key, {"deckId": learner.deck_id})
    await chat.widget.get_by_role("button", name="Show answer").click()
    await chat.widget.get_by_role("button", name="Good").wait_for()
    await chat.page.evaluate("window.chat.lose = 1")
    await chat.widget.get_by_role("button", name="Good").click()
    await expect(chat.widget.locator(".face:not(.answer)")).to_have_text("Spain")
    assert learner.reviews() == 1
    await expect(chat.widget.locator("html")).to_have_attribute("data-theme", "dark")
    await chat.page.evaluate("window.chat.set({ theme: 'light' })")
    await expect(chat.widget.locator("html")).to_have_attribute("data-theme", "light")
    await chat.widget.get_by_role("button", name="Full screen").click()
    await expect(chat.widget.get_by_role("button", name="Back to the chat")).to_be_visible()
    before = await height_of(chat)
    await chat.widget.get_by_role("button", name="Show answer").click()
    await chat.widget.get_by_role("button", name="Good").wait_for()
    assert await height_of(chat) == before
