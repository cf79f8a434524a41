"""The trash: what lies in it, what comes back, what is gone for good."""

from __future__ import annotations

import re
from dataclasses import replace

from app.core import clock, db
from app.domain.plans import Plan
from app.domain.scheduling import Rating
from app.main import create_app
from tests.factories import make_account
from tests.web.conftest import SETTINGS, Visitor, ids_on, new_card, new_deck, signed_in, text_of
from tests.web.sitting import study_card


async def test_it_says_how_long_things_are_kept(rollback: None) -> None:
    person = await signed_in(create_app(replace(SETTINGS, trash_days=7)), await make_account(now=clock.now()))
    assert "After 7 days it is erased for good." in text_of(await person.get("/trash"))


async def test_decks_and_single_cards_lie_apart_the_last_deleted_first(alice: Visitor) -> None:
    one, two = await new_deck(alice, "One"), await new_deck(alice, "Two")
    single = await new_card(alice, one, "deleted by itself")
    await new_card(alice, one, "gone with its deck")
    await alice.post(f"/cards/{single}/delete")
    await alice.post(f"/decks/{one}/delete", confirmed="1")
    await alice.post(f"/decks/{two}/delete", confirmed="1")
    page = await alice.get("/trash")
    assert re.findall(r"/trash/decks/(\d+)/restore", page.text) == [str(two), str(one)]
    assert ids_on(page) == [single]
    assert "gone with its deck" not in text_of(page)
    assert "deleted too: restore the deck first" in text_of(page)


async def test_the_buttons_of_a_row_say_which_row(alice: Visitor) -> None:
    deck_id = await new_deck(alice, "Capitals")
    await alice.post(f"/decks/{deck_id}/delete", confirmed="1")
    page = text_of(await alice.get("/trash"))
    assert "Restore Capitals" in page
    assert "Erase Capitals" in page


async def test_a_card_comes_back_after_its_deck(alice: Visitor) -> None:
    deck_id = await new_deck(alice)
    card_id = await new_card(alice, deck_id, "Japan")
    await alice.post(f"/cards/{card_id}/delete")
    await alice.post(f"/decks/{deck_id}/delete", confirmed="1")
    page = await alice.submit("/trash/cards", do="restore", card_id=card_id)
    assert "Restore the deck first" in text_of(page)
    assert ids_on(page) == [card_id]
    await alice.post(f"/trash/decks/{deck_id}/restore")
    page = await alice.submit("/trash/cards", do="restore", card_id=card_id)
    assert "Cards restored: 1." in text_of(page)
    assert ids_on(await alice.get(f"/decks/{deck_id}")) == [card_id]


async def test_a_card_whose_place_was_taken_stays(alice: Visitor) -> None:
    deck_id = await new_deck(alice)
    card_id = await new_card(alice, deck_id, "Japan", "Tokyo")
    await alice.post(f"/cards/{card_id}/delete")
    await new_card(alice, deck_id, "Japan", "Tokyo")
    page = await alice.submit("/trash/cards", do="restore", card_id=card_id)
    assert "would have the same front and back" in text_of(page)
    assert ids_on(page) == [card_id]


async def test_a_deck_comes_back_with_its_schedules(alice: Visitor) -> None:
    deck_id = await new_deck(alice)
    card_id = await new_card(alice, deck_id, "Japan")
    await study_card(alice, deck_id, Rating.EASY)
    before = await db.fetch("SELECT * FROM card_schedule WHERE card_id = $1", card_id)
    await alice.post(f"/decks/{deck_id}/delete", confirmed="1")
    await alice.submit(f"/trash/decks/{deck_id}/restore")
    assert await db.fetch("SELECT * FROM card_schedule WHERE card_id = $1", card_id) == before


async def test_a_limit_keeps_a_deck_in_the_trash_and_says_so(rollback: None) -> None:
    settings = replace(SETTINGS, plan_figures=(("free.decks", 1),))
    person = await signed_in(create_app(settings), await make_account(plan=Plan.FREE, now=clock.now()))
    deck_id = await new_deck(person, "One")
    await person.post(f"/decks/{deck_id}/delete", confirmed="1")
    await new_deck(person, "Two")
    page = await person.submit(f"/trash/decks/{deck_id}/restore")
    assert "The plan allows 1 decks and 1 are in use." in text_of(page)
    assert f"/trash/decks/{deck_id}/restore" in page.text
    page = await person.post("/decks/new", 409, title="Three", description="kept", language="")
    assert "The plan allows 1 decks" in text_of(page)
    assert "kept" in page.text


async def test_erasing_takes_a_question_and_what_is_live_cannot_be_erased(alice: Visitor) -> None:
    deck_id = await new_deck(alice)
    card_id = await new_card(alice, deck_id, "Japan")
    await alice.post(f"/trash/decks/{deck_id}/erase", 404, confirmed="1")
    page = await alice.submit("/trash/cards", do="erase", confirmed="1", card_id=card_id)
    assert "Cards erased: 0." in text_of(page)
    assert ids_on(await alice.get(f"/decks/{deck_id}")) == [card_id]
    await alice.post(f"/cards/{card_id}/delete")
    asked = await alice.post("/trash/cards", 200, do="erase", card_id=card_id)
    assert "There is no way back." in text_of(asked)
    assert await db.fetch_value("SELECT count(*) FROM card WHERE id = $1", card_id) == 1
    await alice.submit("/trash/cards", do="erase", confirmed="1", card_id=card_id)
    assert await db.fetch_value("SELECT count(*) FROM card WHERE id = $1", card_id) == 0


async def test_an_action_without_what_it_needs_says_so(alice: Visitor) -> None:
    for fields, words in (
        ({"do": "restore"}, "No card is ticked."),
        ({"do": "dance", "card_id": 1}, "not one of the choices"),
        ({"do": "restore", "card_id": "x"}, "not one of the choices"),
    ):
        assert words in text_of(await alice.submit("/trash/cards", **fields))


async def test_both_lists_have_pages(alice: Visitor) -> None:
    deck_id = await new_deck(alice)
    cards = [await new_card(alice, deck_id, f"card {number}") for number in range(52)]
    for card_id in cards:
        await alice.post(f"/cards/{card_id}/delete")
    first = await alice.get("/trash")
    (following,) = re.findall(r'href="(/trash\?cards=[^"]+)"', first.text)
    second = await alice.get(following)
    assert ids_on(first) + ids_on(second) == cards[::-1]
    await alice.get("/trash?cards=rubbish", 422)
