"""Search over all cards and within a deck."""

from __future__ import annotations

import re

import pytest

from tests.web.conftest import Visitor, ids_on, new_card, new_deck, text_of


async def test_search_finds_any_part_in_any_script(alice: Visitor) -> None:
    deck_id = await new_deck(alice)
    await new_card(alice, deck_id, "お酒を飲む", "to drink")
    for query in ("飲", "飲む", "ｵ酒", "DRINK"):
        assert "お酒を飲む" in text_of(await alice.get(f"/search?q={query}")), query
        assert "お酒を飲む" in text_of(await alice.get(f"/decks/{deck_id}?q={query}")), query
    assert "No card holds this text." in text_of(await alice.get("/search?q=nothing"))
    page = await alice.get("/search?q=drink&cursor=rubbish", 422)
    assert "Start again from its top." in text_of(page)
    await alice.get(f"/decks/{deck_id}?cursor=rubbish", 422)


async def test_an_empty_search_shows_how_to_search(alice: Visitor) -> None:
    for query in ("", "?q=", "?q=%20"):
        page = await alice.get(f"/search{query}")
        assert "Any part of a word, in any script." in text_of(page)
        assert "No card holds this text." not in text_of(page)


async def test_hits_name_their_deck_and_come_in_pages(alice: Visitor) -> None:
    one, two = await new_deck(alice, "One"), await new_deck(alice, "Two")
    cards = [await new_card(alice, one if number % 2 else two, f"needle {number}") for number in range(33)]
    first = await alice.get("/search?q=needle&")
    assert f'href="/decks/{one}">One<' in first.text
    assert f'href="/decks/{two}">Two<' in first.text
    (following,) = re.findall(r'href="(/search\?q=needle&amp;cursor=[^"]+)"', first.text)
    second = await alice.get(following.replace("&amp;", "&"))
    assert ids_on(first) + ids_on(second) == cards[::-1]
    assert "Show more" not in text_of(second)


@pytest.mark.parametrize("query", ["%ED%A0%80", "%CC%81", "x" * 5000, "%25", "_", "%5C", "<script>"])
async def test_no_query_is_a_fault_of_ours(alice: Visitor, query: str) -> None:
    deck_id = await new_deck(alice)
    await new_card(alice, deck_id, "card")
    for path in (f"/search?q={query}", f"/decks/{deck_id}?q={query}", f"/decks/{deck_id}?tag={query}"):
        answer = await alice.client.get(path)
        assert answer.status_code in {200, 422}, path
        assert "<script>" not in answer.text.split("</head>")[1]
