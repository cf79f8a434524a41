"""The study tools that show, find, make and change cards."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from app.accounts.views import AccountView
from app.core import clock, db
from app.domain.transfer.bundle import Side
from app.media.service import add_to_card, room_of
from tests.areas.deck_makers import make_card, make_deck
from tests.mcp.conftest import Client
from tests.mcp.studying import cards, deck_of, make_due


async def test_a_card_shows_its_schedule_and_its_last_answers(client: Client, alice: AccountView):
    deck_id, [card_id] = await deck_of(client, "a")
    new = await client.done("get_card", {"cardId": card_id})
    assert new["schedule"] == {
        "state": "new", "reps": 0, "lapses": 0, "suspended": False, "flag": 0, "leech": False
    }  # fmt: skip
    assert new["lastReviews"] == []
    state = await client.done("start_study_session", {"deckId": deck_id})
    about = {"sessionId": state["sessionId"], "itemId": state["item"]["itemId"]}
    await client.done("record_review", {**about, "rating": "easy", "elapsedMs": 900})
    known = await client.done("get_card", {"cardId": card_id})
    assert known["schedule"]["state"] == "review"
    assert known["schedule"]["stability"] > 1
    assert known["schedule"]["retrievability"] == 1
    [review] = known["lastReviews"]
    assert (review["rating"], review["elapsedMs"]) == ("easy", 900)
    assert (known["front"], known["back"], known["version"]) == ("a", "about a", 1)


async def test_pictures_are_named_by_their_card_and_led_to_by_a_question(client: Client, alice: AccountView):
    deck_id, ids = await deck_of(client, "a", "b")
    for card_id, side, name in ((ids[0], Side.FRONT, "cat.png"), (ids[1], Side.BACK, "dog.png")):
        room = await room_of(alice.id, 100)
        await add_to_card(alice.id, card_id, side, name, b"\x89PNG\r\n\x1a\n", room, now=clock.now())
    shown = await client.call("get_card", {"cardId": ids[1]})
    assert shown["structuredContent"]["media"] == [{"side": "back", "kind": "image", "name": "dog.png"}]
    assert "Image on the back: dog.png" in shown["content"][0]["text"]
    begun = await client.call("start_study_session", {"deckId": deck_id})
    state = begun["structuredContent"]
    assert state["item"]["prompt"] == "a"
    assert state["item"]["mediaUrl"].endswith(f"/study/{state['sessionId']}")
    assert f"this link to them: {state['item']['mediaUrl']}" in begun["content"][0]["text"]
    about = {"sessionId": state["sessionId"], "itemId": state["item"]["itemId"]}
    after = await client.done("record_review", {**about, "rating": "easy"})
    assert after["item"]["prompt"] == "b"
    assert "mediaUrl" not in after["item"]  # that its answer has a picture is not told before


async def test_a_cloze_card_shows_each_of_its_questions(client: Client, alice: AccountView):
    deck_id, _ = await make_deck(alice.id)
    card_id = await make_card(alice.id, deck_id, "{{c1::Paris}} lies on the {{c2::Seine::river}}")
    card = await client.done("get_card", {"cardId": card_id})
    assert [(one["number"], one["prompt"], one["answer"]) for one in card["questions"]] == [
        (1, "[...] lies on the Seine", "Paris"),
        (2, "Paris lies on the [river]", "Seine"),
    ]
    state = await client.done("start_study_session", {"deckId": deck_id, "mode": "cloze"})
    assert (state["item"]["kind"], state["item"]["prompt"]) == ("cloze", "[...] lies on the Seine")
    about = {"sessionId": state["sessionId"], "itemId": state["item"]["itemId"]}
    done = await client.done("record_review", {**about, "answer": "paris"})
    assert (done["verdict"], done["why"], done["sentence"]) == (
        "correct",
        "case_or_punctuation",
        "Paris lies on the Seine",
    )


async def test_a_deck_gives_its_cards_page_by_page(client: Client, alice: AccountView):
    deck_id, ids = await deck_of(client, *"abcde")
    assert "cards" not in await client.done("get_deck", {"deckId": deck_id})
    found: list[int] = []
    cursor: dict[str, Any] = {}
    while True:
        page = await client.done("get_deck", {"deckId": deck_id, "includeCards": True, "limit": 2, **cursor})
        assert page["cardCount"] == 5
        found += [card["cardId"] for card in page["cards"]]
        if "nextCursor" not in page:
            break
        cursor = {"cursor": page["nextCursor"]}
    assert found == ids


async def test_cards_are_found_by_text_deck_tag_state_and_due_time(client: Client, alice: AccountView):
    _, (a, b, c, d) = await deck_of(client, "river one", "river two", "sea three", "lake four", title="Wet Things")
    other, [e] = await deck_of(client, "river five", title="Other")
    await client.done("update_card", {"cardId": a, "tags": ["Big River", "x"]})
    await client.done("update_card", {"cardId": b, "tags": ["big river"]})
    await make_due(a, days=2, difficulty=9.0)
    await make_due(b, days=-3, difficulty=3.0)
    await db.execute("UPDATE card_schedule SET suspended = true WHERE card_id = $1", c)
    await db.execute("UPDATE card_schedule SET leech = true WHERE card_id = $1", d)

    async def found(query: str = "", **more: Any) -> list[int]:
        page = await client.done("search_cards", {"query": query, **more})
        return [card["cardId"] for card in page["cards"]]

    assert await found() == [e, d, c, b, a]
    assert await found("RIVER") == [e, b, a]
    assert await found('deck:"wet things" river') == [b, a]
    assert await found("river -two") == [e, a]
    assert await found('tag:"big river"') == [b, a]
    assert await found('-tag:"BIG RIVER" river') == [e]
    assert await found("is:due") == [a]
    assert await found("is:review") == [b, a]
    assert await found("is:new -is:suspended") == [e, d]
    assert await found("is:suspended") == [c]
    assert await found(state="leech") == [d]
    assert await found("is:learning") == []
    assert await found('"sea three"') == [c]
    assert await found(deckId=other) == [e]
    assert await found(tags=["x", "Big River"]) == [a]
    assert await found(dueBefore=clock.now().isoformat()) == [a]
    assert await found(dueBefore=(clock.now() + timedelta(days=9)).date().isoformat()) == [b, a]
    assert await found(sort="due") == [a, b, c, d, e]
    assert await found(sort="difficulty") == [a, b, c, d, e]
    assert await found("-deck:Other", sort="oldest") == [a, b, c, d]
    assert await found("tag:nobody") == []


@pytest.mark.parametrize("sort", ["newest", "oldest", "due", "difficulty"])
async def test_pages_of_a_search_hold_each_card_once_in_order(client: Client, alice: AccountView, sort: str):
    _, ids = await deck_of(client, *(f"card {number}" for number in range(11)))
    for place, id in enumerate(ids[:7]):
        await make_due(id, days=place // 2, difficulty=1.0 + place // 2)  # some are equal
    whole = await client.done("search_cards", {"sort": sort, "limit": 100})
    pages: list[int] = []
    cursor: dict[str, Any] = {}
    while True:
        page = await client.done("search_cards", {"sort": sort, "limit": 3, **cursor})
        pages += [card["cardId"] for card in page["cards"]]
        if "nextCursor" not in page:
            break
        cursor = {"cursor": page["nextCursor"]}
    assert pages == [card["cardId"] for card in whole["cards"]]
    assert sorted(pages) == ids


@pytest.mark.parametrize(
    ("query", "word"),
    [('"open', "quote"), ("is:old", "leech"), ("deck:Nowhere", "title"), ("state:new", "is:"), ("tag:", "colon")],
)
async def test_a_query_that_cannot_be_read_teaches(client: Client, alice: AccountView, query: str, word: str):
    about = await client.refused("search_cards", {"query": query})
    assert about["code"] in {"INVALID_INPUT", "NOT_FOUND"}
    assert word in about["text"]


async def test_of_a_hundred_cards_three_are_bad_and_the_others_are_made(client: Client, alice: AccountView):
    """Case 23."""
    deck = await client.done("create_deck", {"title": "Deck"})
    sent = cards(*(f"card {number}" for number in range(100)))
    sent[7]["front"] = "x" * 1001
    del sent[50]["back"]
    sent[99]["tags"] = ["t"] * 13
    done = await client.done("create_cards", {"deckId": deck["deckId"], "cards": sent})
    assert (done["createdCount"], done["existingCount"], done["rejectedCount"]) == (97, 0, 3)
    bad = {one["index"]: one["reason"] for one in done["results"] if one["outcome"] == "rejected"}
    assert set(bad) == {7, 50, 99}
    assert "1000" in bad[7]
    assert "back" in bad[50]
    assert "12" in bad[99]
    ids = [one["cardId"] for one in done["results"] if one["outcome"] == "created"]
    assert len(set(ids)) == await db.fetch_value("SELECT count(*) FROM card") == 97
    assert (await client.done("get_card", {"cardId": ids[8]}))["front"] == "card 9"


async def test_what_is_no_card_or_is_there_already_costs_only_itself(client: Client, alice: AccountView):
    deck_id, [first] = await deck_of(client, "a")
    sent = [{"front": " A ", "back": "about a"}, "no card", None, {"front": "b", "back": "b", "extra": 1},
            {"front": "c", "back": 5}, {"front": "d", "back": "d"}, {"front": "D", "back": "d"}]  # fmt: skip
    done = await client.done("create_cards", {"deckId": deck_id, "cards": sent})
    outcomes = ["exists", "rejected", "rejected", "rejected", "rejected", "created", "exists"]
    assert [one["outcome"] for one in done["results"]] == outcomes
    assert done["results"][0]["cardId"] == first
    assert done["results"][6]["cardId"] == done["results"][5]["cardId"]


async def test_one_key_makes_cards_once_and_stands_for_these_alone(client: Client, alice: AccountView):
    """Case 10."""
    deck = await client.done("create_deck", {"title": "Deck"})
    sent = {"deckId": deck["deckId"], "cards": [*cards("a", "b"), {"front": ""}], "idempotencyKey": "key-1"}
    first, *others = await asyncio.gather(*(client.done("create_cards", sent) for _ in range(4)))
    assert all(other == first for other in others)
    assert first["createdCount"] == 2
    assert await db.fetch_value("SELECT count(*) FROM card") == 2
    about = await client.refused("create_cards", {**sent, "cards": cards("a", "c")})
    assert about["code"] == "CONFLICT"
    await client.done("delete_card", {"cardId": first["results"][0]["cardId"]})
    assert await client.done("create_cards", sent) == first
    assert await db.fetch_value("SELECT count(*) FROM card WHERE deleted_at IS NULL") == 1


async def test_a_deck_that_would_be_too_large_gets_none_of_them(client: Client, alice: AccountView):
    deck_id, _ = await make_deck(alice.id, count=450)
    for tool, given in (
        ("create_cards", {"cards": cards(*(f"more {number}" for number in range(51)))}),
        ("import_deck", {"format": "csv", "content": "\n".join(f"more {number},b" for number in range(51))}),
    ):
        about = await client.refused(tool, {"deckId": deck_id, **given})
        assert (about["code"], about["limit"], about["used"]) == ("DECK_CARD_LIMIT_EXCEEDED", 500, 450)
    assert await db.fetch_value("SELECT count(*) FROM card") == 450


async def test_a_card_is_changed_and_deleted_by_the_study_tools(client: Client, alice: AccountView):
    _, [card_id] = await deck_of(client, "a")
    changed = await client.done("update_card", {"cardId": card_id, "back": "better", "expectedVersion": 1})
    assert (changed["back"], changed["version"]) == ("better", 2)
    about = await client.refused("update_card", {"cardId": card_id, "back": "x", "expectedVersion": 1})
    assert about["code"] == "CONFLICT"
    assert await client.done("delete_card", {"cardId": card_id}) == {"cardId": card_id, "deleted": True}
    assert (await client.refused("delete_card", {"cardId": card_id}))["code"] == "NOT_FOUND"
