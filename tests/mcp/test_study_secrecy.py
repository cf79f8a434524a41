"""No answer reaches a model before the learner gave theirs: whole sessions, every mode, every result searched."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from app.core import clock, db
from app.domain.transfer.bundle import Side
from app.mcp.registry import TOOLS, wire
from app.mcp.spec import Toolset, Visibility
from app.media.service import add_to_card, room_of
from tests.mcp.conftest import Client, forget_rates

# A word in each answer that stands nowhere else, and answers that are alike enough to be options for one another.
CAPITALS = {
    "France": "Parizqu", "Spain": "Madrizqu", "Italy": "Romazqu", "Japan": "Tokyozqu", "Peru": "Limazqu",
    "Kenya": "Nairobizqu", "Egypt": "Kairozqu", "Norway": "Oslozqu", "Chile": "Santiagozqu", "Cuba": "Havannazqu",
}  # fmt: skip
LONG = {"What is a delta?": "deltazqu " + "land that a river builds where it meets the sea, " * 4}
GAPS = {"The [...] flows by Vienna": ("The {{c1::Danubezqu}} flows by Vienna", "Danubezqu"),
        "Ghana is ruled from [a port]": ("Ghana is ruled from {{c1::Accrazqu::a port}}", "Accrazqu")}  # fmt: skip
SECRETS = {**CAPITALS, **LONG, **{prompt: answer for prompt, (_, answer) in GAPS.items()}}
LETTERS = "ABCDEFGHIJ"
PICTURE = b"\x89PNG\r\n\x1a\n"

SHOWING_CARDS = {"get_deck", "search_cards", "get_card"}  # what they are for; their descriptions say when not to
DURING = ("list_decks", "get_deck", "get_study_session", "render_study_session", "get_study_plan", "get_learning_stats")


def arguments_of(tool: str, deck_id: int, session_id: int) -> dict[str, Any]:
    if tool == "list_decks":
        return {}
    return {"sessionId": session_id} if tool.endswith("session") else {"deckId": deck_id}


async def a_deck(client: Client) -> int:
    cards = [{"front": front, "back": back} for front, back in {**CAPITALS, **LONG}.items()]
    cards += [{"front": text, "back": f"It is {answer}."} for text, answer in GAPS.values()]
    deck = await client.done("create_deck", {"title": "Secrets"})
    made = await client.done("create_cards", {"deckId": deck["deckId"], "cards": cards})
    assert made["createdCount"] == len(SECRETS)
    account_id = await db.fetch_value("SELECT account_id FROM deck WHERE id = $1", deck["deckId"])
    for one, answer in zip(made["results"], SECRETS.values(), strict=True):
        for side in Side:  # names of files tell answers
            room = await room_of(account_id, 10_000)
            await add_to_card(account_id, one["cardId"], side, f"{answer}.png", PICTURE, room, now=clock.now())
    return deck["deckId"]


def seen(result: dict[str, Any]) -> str:
    """All of a result but the options and the sides of a board, which the learner sees and which say nothing more."""
    assert not result.get("isError"), result
    text = "\n".join(
        line for item in result["content"] for line in item["text"].split("\n")
        if not re.match(r"[A-J]\) |[0-9]+\. ", line)
    )  # fmt: skip
    structured = json.loads(json.dumps(result["structuredContent"]))
    item = structured.get("item", {})
    for name, keys in (("options", {"letter", "text"}), ("right", {"letter", "text"}), ("left", {"number", "text"})):
        assert all(set(one) == keys for one in item.pop(name, []))
    return json.dumps([text, structured, result.get("_meta")], ensure_ascii=False)


def answer_to(item: dict[str, Any], wrong: bool) -> dict[str, Any]:
    """What a learner says who knows the answer, or does not."""
    if item["kind"] == "matching":
        right = {side["text"]: side["letter"] for side in item["right"]}
        return {"answer": " ".join(f"{side['number']}{right[SECRETS[side['text']]]}" for side in item["left"])}
    secret = SECRETS[item["prompt"]]
    if item["kind"] == "choice":
        chosen = [one["letter"] for one in item["options"] if (one["text"] == secret) is not wrong]
        return {"answer": chosen[0]}
    if item["accepts"] == ["rating"]:
        return {"rating": "again" if wrong else "easy"}
    return {"answer": "something else" if wrong else secret}


@pytest.mark.parametrize("goal", ["learn", "cram"])
@pytest.mark.parametrize("mode", ["flashcards", "multiple_choice", "typed", "matching", "cloze", "mixed"])
async def test_no_result_holds_an_answer_before_it_was_given(client: Client, mode: str, goal: str):
    deck_id = await a_deck(client)
    hidden = set(SECRETS.values())
    kinds: set[str] = set()

    async def look(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        result = await client.call(tool, arguments)
        text = seen(result)
        for secret in hidden:
            assert secret.split()[0] not in text, (tool, text)
        return result["structuredContent"]

    state = await look("start_study_session", {"deckId": deck_id, "mode": mode, "goal": goal})
    session_id, steps = state["sessionId"], 0
    while item := state.get("item"):
        await forget_rates()
        steps += 1
        assert steps < 120
        kinds.add(item["kind"])
        assert ("mediaUrl" in item) is (item["kind"] != "matching")
        for tool in DURING:
            if steps < 4 or tool == "get_study_session":
                await look(tool, arguments_of(tool, deck_id, session_id))
        given = answer_to(item, wrong=steps in {2, 5})
        asked = [side["text"] for side in item["left"]] if item["kind"] == "matching" else [item["prompt"]]
        hidden -= {SECRETS[front] for front in asked}
        state = await look("record_review", {"sessionId": session_id, "itemId": item["itemId"], **given})
        if item["kind"] == "matching":
            assert {pair["right"] for pair in state["pairs"]} == {SECRETS[front] for front in asked}
        else:
            assert state["rightAnswer"] == SECRETS[item["prompt"]].strip()
    assert state["status"] == "finished"
    assert not hidden
    expected = {"flashcards": "flashcard", "multiple_choice": "choice", "typed": "typed", "matching": "matching",
                "cloze": "cloze", "mixed": "choice"}  # fmt: skip
    assert expected[mode] in kinds
    await look("get_study_session", {"sessionId": session_id})


def test_every_reading_tool_of_the_study_set_is_watched_or_there_to_show_cards():
    reading = {
        tool.name
        for tool in TOOLS
        if Toolset.STUDY in tool.toolsets and not tool.kind.mutates and tool.visibility is Visibility.ALL
    }
    assert reading <= set(DURING) | SHOWING_CARDS
    for name in SHOWING_CARDS:
        assert "do not call it to look at a card" in (wire(name).description or "")
    for name in reading - SHOWING_CARDS:
        assert '"back"' not in json.dumps(wire(name).output_schema)


async def test_a_weak_cloze_keeps_its_gap_in_the_statistics(client: Client) -> None:
    deck = await client.done("create_deck", {"title": "Rivers"})
    cards = [{"front": "The {{c1::Danubezqu}} flows by Vienna", "back": "a river"}]
    await client.done("create_cards", {"deckId": deck["deckId"], "cards": cards})
    session = await client.done("start_study_session", {"deckId": deck["deckId"], "mode": "cloze"})
    for _ in range(3):
        item = session["item"]["itemId"]
        await client.done("record_review", {"sessionId": session["sessionId"], "itemId": item, "rating": "again"})
        await db.execute("UPDATE card_schedule SET due = now() - interval '1 minute'")
        session = await client.done("get_study_session", {"sessionId": session["sessionId"]})
    told = await client.done("get_learning_stats", {"deckId": deck["deckId"]})
    assert told["weakCards"]
    assert "Danubezqu" not in json.dumps(told)
    assert "[...]" in told["weakCards"][0]["front"]
