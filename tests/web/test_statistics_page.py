"""The pages of statistics."""

from __future__ import annotations

import re
from datetime import timedelta

from app.core import clock, db
from app.domain.calendar import StudyClock
from app.domain.scheduling import Rating, SchedulingOptions
from tests.areas.answering import answer_card
from tests.web.conftest import Visitor, new_card, new_deck, text_of

OPTIONS = SchedulingOptions(clock=StudyClock("UTC", 4))


async def studied(person: Visitor, title: str, answers: int) -> tuple[int, int]:
    """A deck with one card that was answered once a day; the ids of both."""
    deck_id = await new_deck(person, title)
    card_id = await new_card(person, deck_id, f"front of {title} <b>", f"back of {title}")
    assert person.account
    for ago in range(answers - 1, -1, -1):
        rating = Rating.GOOD if ago % 10 else Rating.AGAIN
        moment = clock.now() - timedelta(days=ago)
        await answer_card(person.account.id, card_id, rating, options=OPTIONS, now=moment, elapsed_ms=4000)
    return deck_id, card_id


async def test_a_new_account_is_told_what_will_stand_here(alice: Visitor) -> None:
    page = await alice.get("/statistics")
    assert "Nothing to count yet" in text_of(page)
    assert "<svg class" not in page.text
    deck_id = await new_deck(alice)
    page = await alice.get(f"/decks/{deck_id}/statistics")
    assert "Nothing to count yet" in text_of(page)
    assert 'aria-current="page"' in page.text


async def test_figures_charts_and_the_tables_behind_them(alice: Visitor) -> None:
    _, card_id = await studied(alice, "Rivers", 45)
    page = await alice.get("/statistics")
    words = text_of(page)
    assert "Days in a row 45" in words
    assert "Seconds an answer 4" in words
    assert "of 1 studied cards" in words
    assert re.search(r"Last 365 days [\d.]+ % of \d+", words)
    assert "Weak cards" in words
    assert f"/cards/{card_id}" in page.text
    assert "Again” in 30 days" in words
    drawings = re.findall(r'<svg class="chart-(\w+)"', page.text)
    assert drawings == ["heatmap", "columns", "shares", "shares", "shares", "columns"]
    assert len(re.findall(r'<details class="behind">', page.text)) == 4
    ids = re.findall(r'\bid="([^"]+)"', page.text)
    assert len(ids) == len(set(ids))


async def test_no_answer_of_a_card_and_no_markup_of_it_reaches_the_page(alice: Visitor) -> None:
    await studied(alice, "Rivers", 12)
    await db.execute("UPDATE card_schedule SET lapses = 9")
    page = await alice.get("/statistics")
    assert "front of Rivers &lt;b&gt;" in page.text
    assert "back of Rivers" not in page.text


async def test_a_deck_has_its_own_and_only_its_own(alice: Visitor) -> None:
    rivers, _ = await studied(alice, "Rivers", 5)
    hills, _ = await studied(alice, "Hills", 3)
    for deck_id, answers in ((rivers, 5), (hills, 3)):
        page = await alice.get(f"/decks/{deck_id}/statistics")
        pressed = re.findall(r">(\d+) answers</span>", page.text)
        assert sum(map(int, pressed)) == answers
    assert "front of Rivers" not in page.text
    assert f"/decks/{hills}/statistics" in (await alice.get(f"/decks/{hills}")).text


async def test_few_answers_give_a_count_and_no_percentage(alice: Visitor) -> None:
    await studied(alice, "Rivers", 6)
    table = re.search(
        r"<caption[^>]*>True retention</caption>.*?</table>", (await alice.get("/statistics")).text, re.DOTALL
    )
    assert table
    assert re.search(r"<td>\d of \d</td>", table.group())
    assert "%" not in table.group()
