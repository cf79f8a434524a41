"""The widget where the chat speaks through the globals of ChatGPT."""

from __future__ import annotations

import json

from playwright.async_api import expect

from tests.e2e.widget.learners import CAPITALS, Learner, Window, answer, height_of


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
