from __future__ import annotations

import re

from app.core import db
from tests.web.conftest import Visitor, text_of
from tests.web.test_decks_pages import new_card, new_deck


def hidden(page_text: str, name: str) -> str:
    """The value of a hidden field of the study screen."""
    found = re.findall(rf'<input type="hidden" name="{name}" value="([^"]*)"', page_text)
    assert found, name
    return str(found[0])


async def deck_with(person: Visitor, *fronts: str) -> tuple[int, list[int]]:
    deck_id = await new_deck(person)
    return deck_id, [await new_card(person, deck_id, front, f"answer of {front}") for front in fronts]


async def test_a_question_its_answer_and_four_buttons(alice: Visitor) -> None:
    deck_id, (card_id, _) = await deck_with(alice, "one", "two")
    page = await alice.get(f"/decks/{deck_id}/study")
    assert "one" in text_of(page)
    assert "answer of one" not in page.text
    assert "2 new 0 learning 0 due" in text_of(page)
    page = await alice.post(f"/decks/{deck_id}/study/reveal", 200, card=card_id, rep=0, elapsed_ms=1200)
    assert "answer of one" in text_of(page)
    assert hidden(page.text, "elapsed_ms") == "1200"
    labels = re.findall(r'rating-label">(\w+)</span> <span class="rating-next">([^<]+)<', page.text)
    assert [label for label, _ in labels] == ["Again", "Hard", "Good", "Easy"]
    assert [interval for _, interval in labels[:3]] == ["&lt;1m", "&lt;6m", "&lt;10m"]
    page = await alice.post(f"/decks/{deck_id}/study/answer", 200, card=card_id, rep=0, rating=4, elapsed_ms=2500)
    assert "two" in text_of(page)
    assert "1 new 0 learning 0 due" in text_of(page)
    assert await db.fetch_value("SELECT elapsed_ms FROM review") == 2500


async def test_answer_two_reload_and_be_at_the_third(alice: Visitor) -> None:
    """Case 15."""
    deck_id, cards = await deck_with(alice, "one", "two", "three")
    for card_id in cards[:2]:
        await alice.post(f"/decks/{deck_id}/study/answer", 200, card=card_id, rep=0, rating=4)
    assert "three" in text_of(await alice.get(f"/decks/{deck_id}/study"))
    location = (await alice.get(f"/decks/{deck_id}/study/answer", 303)).headers["location"]
    assert "three" in text_of(await alice.get(location))


async def test_the_same_form_twice_counts_once(alice: Visitor) -> None:
    deck_id, (card_id, _) = await deck_with(alice, "one", "two")
    for _ in range(2):
        page = await alice.post(f"/decks/{deck_id}/study/answer", 200, card=card_id, rep=0, rating=3)
        assert "two" in text_of(page)
    assert await db.fetch_value("SELECT count(*) FROM review") == 1


async def test_undo_shows_the_card_again_with_its_answer(alice: Visitor) -> None:
    deck_id, (card_id, _) = await deck_with(alice, "one", "two")
    page = await alice.post(f"/decks/{deck_id}/study/undo", 200)
    assert "no answer to take back" in text_of(page)
    await alice.post(f"/decks/{deck_id}/study/answer", 200, card=card_id, rep=0, rating=1)
    page = await alice.post(f"/decks/{deck_id}/study/undo", 200)
    assert "answer of one" in text_of(page)
    assert hidden(page.text, "rep") == "0"
    assert await db.fetch_value("SELECT count(*) FROM review") == 0


async def test_a_page_from_long_ago_shows_what_is_due_now(alice: Visitor) -> None:
    deck_id, (card_id, _) = await deck_with(alice, "one", "two")
    await alice.post(f"/decks/{deck_id}/study/answer", 200, card=card_id, rep=0, rating=4)
    page = await alice.post(f"/decks/{deck_id}/study/reveal", 200, card=card_id, rep=0)
    assert "two" in text_of(page)
    assert "answer of" not in page.text
    page = await alice.post(f"/decks/{deck_id}/study/answer", 200, card=card_id, rep=7, rating=4)
    assert "changed in the meantime" in text_of(page)
    await alice.post(f"/cards/{card_id}/delete")
    page = await alice.post(f"/decks/{deck_id}/study/answer", 200, card=card_id, rep=1, rating=4)
    assert "not there any more" in text_of(page)
    assert "two" in text_of(page)


async def test_bad_fields_are_refused_and_change_nothing(alice: Visitor) -> None:
    deck_id, (card_id,) = await deck_with(alice, "one")
    good = {"card": card_id, "rep": 0, "rating": 3}
    for field, value in (
        ("rating", "5"),
        ("rating", "0"),
        ("rating", "good"),
        ("rating", ""),
        ("card", "x"),
        ("card", ""),
        ("card", str(2**70)),
        ("rep", "one"),
        ("rep", str(2**70)),
    ):
        page = await alice.client.post(f"/decks/{deck_id}/study/answer", data={**good, field: value})
        assert page.status_code in {200, 422}, (field, value, page.status_code)
    assert await db.fetch_value("SELECT count(*) FROM review") == 0
    for query in (f"card={2**70}&rep=0", f"card={card_id}&rep={2**70}", "extra=-1", f"extra={2**70}"):
        assert "one" in text_of(await alice.get(f"/decks/{deck_id}/study?{query}")), query
    for query in ("card=x", "extra=many"):
        await alice.get(f"/decks/{deck_id}/study?{query}", 400)
    await alice.post(f"/decks/{deck_id}/study/answer", 200, **good, elapsed_ms="-5", extra="x")
    assert await db.fetch_value("SELECT elapsed_ms FROM review") is None


async def test_the_end_says_what_happened_and_what_is_next(alice: Visitor) -> None:
    deck_id, (card_id,) = await deck_with(alice, "one")
    await alice.post(f"/decks/{deck_id}/study/answer", 200, card=card_id, rep=0, rating=4)
    page = await alice.get(f"/decks/{deck_id}/study")
    assert "Done for today 1 answer, 1 to a new card. Nothing is due tomorrow." in text_of(page)
    empty = await new_deck(alice, "Empty")
    assert "Nothing is due here" in text_of(await alice.get(f"/decks/{empty}/study"))


async def test_a_card_that_comes_back_in_a_while_is_waited_for(alice: Visitor) -> None:
    deck_id, (card_id,) = await deck_with(alice, "one")
    await alice.post(f"/decks/{deck_id}/study/answer", 200, card=card_id, rep=0, rating=3)
    await db.execute("UPDATE card_schedule SET due = due + interval '30 minutes'")
    page = await alice.get(f"/decks/{deck_id}/study")
    assert "A short pause" in text_of(page) or "Done for today" in text_of(page)


async def test_more_new_cards_than_the_day_allows_on_request(alice: Visitor) -> None:
    deck_id, cards = await deck_with(alice, *(f"card {number}" for number in range(22)))
    for card_id in cards[:20]:
        await alice.post(f"/decks/{deck_id}/study/answer", 200, card=card_id, rep=0, rating=4)
    page = await alice.get(f"/decks/{deck_id}/study")
    assert "20 more new cards" in text_of(page)
    page = await alice.get(f"/decks/{deck_id}/study?extra=20")
    assert "card 20" in text_of(page)
    assert hidden(page.text, "extra") == "20"


async def test_single_keys_can_be_turned_off(alice: Visitor) -> None:
    deck_id, _ = await deck_with(alice, "one")
    assert 'data-single-keys="off"' not in (await alice.get(f"/decks/{deck_id}/study")).text
    await alice.post("/account/profile", name="", language="en", theme="dark", single_keys="")
    page = await alice.get(f"/decks/{deck_id}/study")
    assert 'data-single-keys="off"' in page.text
    assert 'data-theme="dark"' in page.text
