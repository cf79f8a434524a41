"""The front page."""

from __future__ import annotations

import re

from app.core import db
from app.domain.scheduling import Rating
from tests.web.conftest import Visitor, new_card, new_deck, text_of
from tests.web.sitting import sit_down, study_card


async def test_a_newcomer_is_told_what_to_do(alice: Visitor) -> None:
    assert "Nothing to study yet" in text_of(await alice.get("/"))
    assert "No decks yet" in text_of(await alice.get("/decks"))
    assert "The trash is empty" in text_of(await alice.get("/trash"))


async def test_somebody_who_is_not_signed_in_reads_what_it_is(carol: Visitor) -> None:
    page = await carol.get("/")
    assert "Keep what you learn." in text_of(page)
    assert "http://testserver/mcp" in page.text


async def test_the_deck_with_the_most_due_comes_first(alice: Visitor) -> None:
    few, many = await new_deck(alice, "Few"), await new_deck(alice, "Many")
    for deck_id, number in ((few, 1), (many, 3)):
        for place in range(number):
            await new_card(alice, deck_id, f"card {place}")
    await db.execute(
        "UPDATE card_schedule SET state = 2, due = now() - interval '1 day', stability = 5, difficulty = 5"
    )
    page = await alice.get("/")
    assert "4 cards are due" in text_of(page)
    assert "In 2 decks." in text_of(page)
    primary = re.findall(
        r'name="deck" value="(\d+)"><input[^>]*>\s*<button type="submit" class="button primary"', page.text
    )
    assert primary == [str(many)]
    assert re.findall(r'row-title" dir="auto" href="/decks/(\d+)"', page.text) == [str(many), str(few)]


async def test_new_cards_count_as_far_as_the_day_allows(alice: Visitor) -> None:
    deck_id = await new_deck(alice)
    cards = [await new_card(alice, deck_id, f"card {number}") for number in range(22)]
    assert "0 due, 20 new" in text_of(await alice.get("/"))
    sitting = await sit_down(alice, deck_id)
    for _ in cards[:20]:
        await sitting.keep(Rating.EASY)
    page = await alice.get("/")
    assert "Nothing is left for today." in text_of(page)
    assert 'action="/study"' not in page.text


async def test_a_card_that_is_being_learned_says_when_it_comes_back(alice: Visitor) -> None:
    deck_id = await new_deck(alice)
    await new_card(alice, deck_id, "card")
    await study_card(alice, deck_id, Rating.AGAIN)
    assert "The next card comes back at" in text_of(await alice.get("/"))


async def test_a_first_deck_without_cards_is_told_how_to_fill_it(alice: Visitor) -> None:
    await new_deck(alice)
    assert "Your deck is there and empty." in text_of(await alice.get("/"))
