"""The study widget inside a chat, in Chromium: the official host class, the specification's policy, a real server."""

from __future__ import annotations

import json

import pytest
from playwright.async_api import expect

from tests.e2e.widget.learners import CAPITALS, CLOZE, Learner, Window, answer, finish


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
    await finish(chat)
    heading = chat.widget.get_by_role("heading", name="Done for now")
    assert await heading.evaluate("heading => heading === document.activeElement")
    assert await chat.widget.locator("#spoken").inner_text() == "Nothing is left for now."
    await chat.widget.get_by_label("How").select_option("typed")
    await chat.widget.get_by_role("button", name="Start").click()
    await expect(chat.widget.get_by_label("Your answer")).to_be_visible()
    assert await chat.widget.locator("#spoken").inner_text() == ""
    await chat.open(learner.server.url, learner.key, wish, result="again", session=str(first))
    await expect(chat.widget.get_by_label("Your answer")).to_be_visible()


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
