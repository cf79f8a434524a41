"""What the study tools do: sessions in words, cards with their state, results card by card, files."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta
from typing import Any

import httpx
import pytest

from app.accounts.views import AccountView
from app.core import clock, db
from app.domain.plans import Plan
from app.domain.scheduling import DEFAULT_PARAMETERS
from app.domain.scopes import Scope
from app.domain.transfer.bundle import Side
from app.media.service import add_to_card, room_of
from tests.areas.deck_makers import make_card, make_deck
from tests.factories import make_account, make_key
from tests.mcp.conftest import Client, World, client_of


def cards(*fronts: str) -> list[dict[str, Any]]:
    return [{"front": front, "back": f"about {front}"} for front in fronts]


async def deck_of(client: Client, *fronts: str, title: str = "Deck") -> tuple[int, list[int]]:
    deck = await client.done("create_deck", {"title": title})
    made = await client.done("create_cards", {"deckId": deck["deckId"], "cards": cards(*fronts)})
    return deck["deckId"], [one["cardId"] for one in made["results"]]


async def make_due(card_id: int, days: float = 1, **columns: Any) -> None:
    """In review, due so many days ago."""
    now = clock.now()
    values = {"stability": 5.0, "difficulty": 5.0, "lapses": 0, **columns}
    await db.execute(
        "UPDATE card_schedule SET state = 2, due = $2, last_review = $3, reps = 3, stability = $4, difficulty = $5, "
        "lapses = $6 WHERE card_id = $1",
        card_id, now - timedelta(days=days), now - timedelta(days=days + 5),
        values["stability"], values["difficulty"], values["lapses"],
    )  # fmt: skip


async def reviews() -> int:
    return int(await db.fetch_value("SELECT count(*) FROM review"))


# --- sessions


async def test_a_session_in_words_from_the_question_to_the_report(client: Client, alice: AccountView):
    deck_id, [card_id] = await deck_of(client, "Seine?")
    shown = await client.call("render_study_session", {"deckId": deck_id})
    item = shown["structuredContent"]["item"]
    assert (item["kind"], item["prompt"], item["accepts"]) == ("flashcard", "Seine?", ["answer", "rating"])
    text = shown["content"][0]["text"]
    assert "Seine?" in text
    assert "record_review" in text
    about = {"sessionId": shown["structuredContent"]["sessionId"], "itemId": item["itemId"]}
    result = await client.call("record_review", {**about, "rating": "easy", "elapsedMs": 2500})
    done = result["structuredContent"]
    assert (done["verdict"], done["rating"], done["rightAnswer"]) == ("correct", "easy", "about Seine?")
    assert done["nextDue"] > clock.now().isoformat()
    assert done["status"] == "finished"
    assert done["report"]["newCards"] == 1
    assert "about Seine?" in result["content"][0]["text"]
    row = await db.fetch_row("SELECT elapsed_ms, rating FROM review WHERE card_id = $1", card_id)
    assert row is not None
    assert tuple(row) == (2500, 4)


async def test_the_same_answer_sent_again_counts_once_and_says_the_same(client: Client, alice: AccountView):
    """Case 12, by the item and by the client's own id."""
    deck_id, _ = await deck_of(client, "a", "b")
    state = await client.done("start_study_session", {"deckId": deck_id})
    sent = {"sessionId": state["sessionId"], "itemId": state["item"]["itemId"], "rating": "good", "reviewId": "r-1"}
    first = await client.done("record_review", sent)
    assert not first["repeated"]
    same = ("verdict", "rating", "nextDue", "rightAnswer", "itemId", "intervalDays")
    for again in (sent, {**sent, "rating": "again"}, {**sent, "itemId": first["item"]["itemId"]}):
        result = await client.done("record_review", again)
        assert result["repeated"]
        assert [result[name] for name in same] == [first[name] for name in same]
        assert result["item"] == first["item"]
    assert await reviews() == 1


async def test_answers_sent_at_once_are_one_review(client: Client, alice: AccountView):
    """Case 11."""
    deck_id, _ = await deck_of(client, "a", "b")
    state = await client.done("start_study_session", {"deckId": deck_id})
    sent = {"sessionId": state["sessionId"], "itemId": state["item"]["itemId"], "rating": "good"}
    results = await asyncio.gather(*(client.done("record_review", sent) for _ in range(6)))
    assert sorted(result["repeated"] for result in results) == [False] + [True] * 5
    assert len({json.dumps({**result, "repeated": 0}, sort_keys=True) for result in results}) == 1
    assert await reviews() == 1


async def test_an_answer_that_cannot_be_recorded_says_why(client: Client, world: World):
    about = {"sessionId": world.session_id, "itemId": world.item_id}
    for wrong, code in (
        ({}, "INVALID_INPUT"),
        ({"answer": "x", "rating": "good"}, "INVALID_INPUT"),
        ({"rating": "perfect"}, "INVALID_INPUT"),
        ({"itemId": world.item_id + 1, "rating": "good"}, "CONFLICT"),
        ({"itemId": 999_999, "rating": "good"}, "NOT_FOUND"),
        ({"sessionId": 999_999, "rating": "good"}, "NOT_FOUND"),
    ):
        assert (await client.refused("record_review", {**about, **wrong}))["code"] == code
    await db.execute("UPDATE study_session SET finished_at = now() WHERE id = $1", world.session_id)
    about = await client.refused("record_review", {**about, "rating": "good"})
    assert about["code"] == "SESSION_FINISHED"
    assert await reviews() == 0


@pytest.mark.parametrize("given", [{"answer": "\ud800"}, {"rating": "good", "reviewId": "\ud800"}])
async def test_half_a_character_is_refused(client: Client, world: World, given: dict[str, str]):
    arguments = {"sessionId": world.session_id, "itemId": world.item_id, **given}
    params = {"name": "record_review", "arguments": arguments}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    answer = (await client.post(raw=body.encode())).json()
    if "error" in answer:  # the engine may refuse it before us
        assert answer["error"]["code"] in {-32600, -32602, -32700}
    else:
        assert answer["result"]["_meta"]["loci/error"]["code"] == "INVALID_INPUT"
    assert await reviews() == 0


async def test_a_long_answer_is_rated_not_judged_as_text(client: Client, alice: AccountView):
    deck = await client.done("create_deck", {"title": "Essays"})
    long = {"front": "Why?", "back": "Because " + "one thing leads to another, " * 20}
    await client.done("create_cards", {"deckId": deck["deckId"], "cards": [long]})
    state = await client.done("start_study_session", {"deckId": deck["deckId"]})
    assert state["item"]["accepts"] == ["rating"]
    about = {"sessionId": state["sessionId"], "itemId": state["item"]["itemId"]}
    refused = await client.refused("record_review", {**about, "answer": "It follows."})
    assert refused["code"] == "INVALID_INPUT"
    assert "rating" in refused["text"]
    assert (await client.done("record_review", {**about, "rating": "hard"}))["rightAnswer"] == long["back"].strip()


async def test_a_session_is_shown_for_a_deck_for_itself_or_for_the_deck_with_most_due(client: Client, world: World):
    await make_due(world.card_ids[0])
    shown = await client.done("render_study_session")
    assert shown["deckId"] == world.deck_id
    assert shown["sessionId"] == world.session_id  # today's, for the same deck, mode and goal
    again = await client.done("render_study_session", {"sessionId": world.session_id})
    assert again == shown
    new = await client.done("render_study_session", {"deckId": world.deck_id, "mode": "typed", "goal": "cram"})
    assert new["sessionId"] != world.session_id
    assert (new["mode"], new["goal"]) == ("typed", "cram")
    short = await client.done("render_study_session", {"deckId": world.deck_id, "minutes": 1})
    assert short["sessionId"] not in {world.session_id, new["sessionId"]}
    about = await client.refused("render_study_session", {"sessionId": world.session_id, "deckId": world.deck_id})
    assert about["code"] == "INVALID_INPUT"


async def test_another_accounts_session_does_not_exist(bobs_client: Client, world: World):
    for tool in ("get_study_session", "render_study_session"):
        theirs, missing = [await bobs_client.refused(tool, {"sessionId": id}) for id in (world.session_id, 999_999)]
        assert theirs == missing
        assert theirs["code"] == "NOT_FOUND"


async def test_without_a_deck_there_is_a_word_about_making_one(client: Client, alice: AccountView):
    assert (await client.refused("render_study_session"))["code"] == "NOT_FOUND"
    empty = await client.done("create_deck", {"title": "Empty"})
    shown = await client.done("render_study_session", {"deckId": empty["deckId"]})
    assert shown["status"] == "finished"
    assert "item" not in shown


async def test_the_free_plan_studies_in_chat_and_writes_no_cards(http: httpx.AsyncClient, committed: None):
    carol = await make_account("carol@example.org", plan=Plan.FREE)
    deck_id, _ = await make_deck(carol.id, count=2)
    client = Client(http, await make_key(carol))
    state = await client.done("render_study_session", {"deckId": deck_id})
    about = {"sessionId": state["sessionId"], "itemId": state["item"]["itemId"]}
    assert (await client.done("record_review", {**about, "rating": "good"}))["verdict"] == "correct"
    await client.done("get_study_plan", {"deckId": deck_id})
    about = await client.refused("create_cards", {"deckId": deck_id, "cards": cards("a")})
    assert about["code"] == "PLAN_REQUIRED"


async def test_a_scope_that_is_missing_is_asked_for(http: httpx.AsyncClient, world: World):
    reader = await client_of(http, world.alice, Scope.DECKS_READ)
    for tool, scope in (("record_review", "study:write"), ("render_study_session", "study:render")):
        response = await reader.rpc("tools/call", {"name": tool, "arguments": world.example(tool)})
        assert response.status_code == 403
        assert "insufficient_scope" in response.headers["www-authenticate"]
        assert f'scope="{scope}"' in response.headers["www-authenticate"]
    shower = await client_of(http, world.alice, Scope.STUDY_RENDER)
    assert (await shower.done("render_study_session", {"deckId": world.deck_id, "mode": "mixed"}))["item"]


async def test_a_session_leaves_an_audit_row_for_each_step(client: Client, world: World):
    await db.execute("DELETE FROM mcp_audit_events")
    await client.done("render_study_session", {"deckId": world.deck_id})
    await client.done("record_review", world.example("record_review"))
    rows = await db.fetch("SELECT tool, affected_ids FROM mcp_audit_events ORDER BY id")
    assert [row["tool"] for row in rows] == ["render_study_session", "record_review"]
    assert rows[0]["affected_ids"] == [f"session:{world.session_id}"]
    assert rows[1]["affected_ids"] == [f"session:{world.session_id}", f"card:{world.card_ids[0]}"]


# --- plans


async def test_a_plan_says_what_comes_why_and_whose_memory_it_reckons_with(client: Client, alice: AccountView):
    deck_id, ids = await deck_of(client, *"abcdef")
    for id in ids[:3]:
        await make_due(id)
    plan = await client.done("get_study_plan", {"deckId": deck_id})
    assert (plan["goal"], plan["source"], plan["questions"]) == ("review", "scheduler", 6)
    assert [(block["kind"], block["questions"]) for block in plan["blocks"]] == [("reviews", 3), ("new", 3)]
    assert 0 < plan["blocks"][0]["expectedRecall"] < 1
    assert all(block["reason"] for block in plan["blocks"])
    assert plan["expectedMinutes"] == pytest.approx(6 * plan["secondsPerQuestion"] / 60, abs=0.1)
    short = await client.done("get_study_plan", {"deckId": deck_id, "minutes": 1, "mode": "typed"})
    assert short["questions"] + short["leftOut"] == 6
    assert short["questions"] < 6
    await db.execute(
        "INSERT INTO study_settings (account_id, parameters, fitted_at, fitted_reviews) VALUES ($1, $2, now(), 600)",
        alice.id, [1.5 * DEFAULT_PARAMETERS[0], *DEFAULT_PARAMETERS[1:]],
    )  # fmt: skip
    assert (await client.done("get_study_plan", {"deckId": deck_id}))["source"] == "personal"


async def test_a_plan_starts_nothing_and_knows_when_there_is_nothing(client: Client, alice: AccountView):
    deck_id, _ = await deck_of(client, "a", "b")
    assert (await client.done("get_study_plan", {"deckId": deck_id}))["goal"] == "learn"
    assert await db.fetch_value("SELECT count(*) FROM study_session") == 0
    cram = await client.done("get_study_plan", {"deckId": deck_id, "goal": "cram"})
    assert [block["kind"] for block in cram["blocks"]] == ["all"]
    empty = await client.done("create_deck", {"title": "Empty"})
    result = await client.call("get_study_plan", {"deckId": empty["deckId"]})
    assert result["structuredContent"]["blocks"] == []
    assert "Nothing to do now" in result["content"][0]["text"]


# --- cards


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


# --- files


def reasons(done: dict[str, Any]) -> list[tuple[int, str]]:
    return [(row["line"], row["reason"]) for row in done["notTaken"]]


@pytest.mark.parametrize(
    ("format", "content", "imported", "left_out"),
    [
        ("csv", 'front,back\n"L1\nL2",A\n#include?,B\n', 2, []),
        ("csv", '\ufeff"front","back"\r\n"a","b"\r\n', 1, []),
        ("csv", 'a,b\nonly front\nc,d,e,f,g\n"open,x\nh,i\nA,b', 2,
         [(2, "missing_side"), (3, "too_many_fields"), (4, "unclosed_quote"), (6, "equal_row")]),
        ("csv", "a;b\nc;d", 2, []),
        ("csv", "What is a|b?,x|y\nq|r?,s|t", 2, []),
        ("tsv", "Vorderseite\tRückseite\tTags\na, b\tc, d\tx y\n\te\n", 1, [(3, "missing_side")]),
        ("tsv", "#separator:comma\na,b\tc", 1, []),
        ("json", '[{"front": "a", "back": "b", "tags": ["t"]}, ["c", "d"], {"front": "e"}, 5]', 2,
         [(3, "invalid_text"), (4, "wrong_type")]),
        ("json", '{"cards": [{"question": "a", "answer": 1.50}]}', 1, []),
    ],
)  # fmt: skip
async def test_a_text_is_taken_row_by_row_with_a_reason_for_each_that_is_not(
    client: Client, alice: AccountView, format: str, content: str, imported: int, left_out: list[tuple[int, str]]
):
    done = await client.done("import_deck", {"format": format, "content": content, "title": "File"})
    assert done["importedCount"] == imported
    assert reasons(done) == left_out
    assert done["notTakenCount"] == len(left_out)
    assert done["deckCreated"]
    assert all(row["message"] for row in done["notTaken"])
    assert await db.fetch_value("SELECT count(*) FROM card") == imported


async def test_an_import_sent_again_makes_nothing_twice(client: Client, alice: AccountView):
    given = {"format": "csv", "content": "a,b\nc,d", "title": " file "}
    first = await client.done("import_deck", given)
    again = await client.done("import_deck", {**given, "title": "FILE"})
    assert (again["deckId"], again["importedCount"], again["deckCreated"]) == (first["deckId"], 0, False)
    assert reasons(again) == [(1, "equal_card"), (2, "equal_card")]


async def test_columns_header_and_collection_are_as_the_caller_says(client: Client, alice: AccountView):
    shelf = await db.fetch_value(
        "INSERT INTO collection (account_id, title, title_key, created_at, updated_at) "
        "VALUES ($1, 'shelf', 'shelf', now(), now()) RETURNING id",
        alice.id,
    )
    given = {"format": "csv", "content": "front,back,rest\nx,y,z", "title": "File", "collectionId": shelf}
    done = await client.done("import_deck", {**given, "hasHeader": False, "columns": ["back", "front", ""]})
    assert done["importedCount"] == 2
    [first, _] = (await client.done("get_deck", {"deckId": done["deckId"], "includeCards": True}))["cards"]
    assert (first["front"], first["back"]) == ("back", "front")
    assert (await client.done("get_deck", {"deckId": done["deckId"]}))["collectionId"] == shelf
    for wrong in (
        {"deckId": done["deckId"]},
        {"columns": ["front"]},
        {"format": "xml"},
        {"format": "json", "content": "{"},
        {"collectionId": 999_999},
    ):
        assert (await client.refused("import_deck", {**given, **wrong}))["code"] in {"INVALID_INPUT", "NOT_FOUND"}
    await client.refused("import_deck", {"format": "csv", "content": "a,b"})
    await client.refused(
        "import_deck", {"format": "csv", "content": "a,b", "deckId": done["deckId"], "collectionId": shelf}
    )


async def test_five_hundred_rows_are_taken_and_the_rest_is_counted(client: Client, alice: AccountView):
    content = "\n".join(f"front {number},back" for number in range(520))
    done = await client.done("import_deck", {"format": "csv", "content": content, "title": "Large"})
    assert (done["importedCount"], done["notTakenCount"]) == (500, 20)
    assert reasons(done) == [(501, "too_many_rows")]


async def test_the_audit_row_keeps_two_hundred_characters_of_the_content(client: Client, alice: AccountView):
    content = "front,back\n" + "\n".join(f"número {number},b" for number in range(300))
    await client.done("import_deck", {"format": "csv", "content": content, "title": "File"})
    summary = await db.fetch_value("SELECT input_summary FROM mcp_audit_events WHERE tool = 'import_deck'")
    assert json.loads(summary) == {"format": "csv", "content": content[:200], "title": "File"}
