"""The room that a chat gives the widget: nothing scrolls inside, buttons stay in view, targets are large."""

from __future__ import annotations

import secrets

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import expect

from tests.e2e.chat import Chat
from tests.e2e.widget.learners import CLOZE, Learner, Window, finish, first_of, height_of


def long_deck(learner: Learner, letters: int) -> int:
    """A long card, then a short one."""
    title = secrets.token_hex(4)
    sides = {"front": ("What " * letters)[:letters], "back": ("That " * letters)[:letters]}
    made = learner.call("import_flashcards", deckTitle=title, cards=[sides])
    learner.call("import_flashcards", deckId=made["deckId"], cards=[{"front": "short", "back": "y"}])
    return made["deckId"]


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
        await (await first_of(study, "Easy", "Continue")).click()
        await expect(study.locator("form[action$=keep]")).to_have_count(0)
        if await study.locator(".study-end").count():
            break
    await finish(chat)
    assert await height_of(chat) <= 500
    assert await scrolling_inside(chat) == []


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


async def test_targets_are_large_enough_for_a_finger(learner: Learner, narrow: Window) -> None:
    chat = narrow.chat
    await chat.open(learner.server.url, learner.key, {"deckId": learner.deck_id, "mode": "matching"})
    await chat.widget.locator(".pair select").first.wait_for()
    sizes = await chat.widget.locator(".study :is(select, button)").evaluate_all(
        "parts => parts.filter((part) => part.checkVisibility())"
        ".map((part) => Math.round(part.getBoundingClientRect().height))"
    )
    assert min(sizes) >= 44


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
    await finish(chat)
    await look("report")
    assert faults == []


# The page around the frame is a bare stand-in for a chat.
_OF_THE_PAGE = frozenset({"region", "landmark-one-main"})
