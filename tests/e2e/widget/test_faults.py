"""What a chat loses, refuses or repeats: said, kept, and counted once."""

from __future__ import annotations

import secrets

import pytest
from playwright.async_api import expect

from tests.e2e.widget.learners import CAPITALS, Learner, Window, answer, finish
from tests.server import Server


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


async def test_go_on_can_be_pressed_again_after_it_was_refused(learner: Learner, narrow: Window) -> None:
    chat = narrow.chat
    await chat.open(learner.server.url, learner.key, {"deckId": learner.deck_id})
    await answer(chat)
    await finish(chat)
    go_on = chat.widget.get_by_role("button", name="Go on")
    await chat.page.evaluate("window.chat.say = 'NOT_FOUND'")
    await go_on.click()
    await expect(chat.widget.locator("#status")).to_contain_text("not there")
    await go_on.click()
    await expect(chat.widget.get_by_role("button", name="Show answer")).to_be_visible()
