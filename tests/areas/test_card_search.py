"""Search: letters of any script, case and accents, order, pages, narrowing; and that no plan reads a whole account."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.core import db
from app.decks import queries, search, service
from app.decks.changes import CardChanges
from app.domain.errors import InvalidInput, NotFound
from app.domain.search_text import needle
from tests.areas.deck_makers import LIMITS, make_card, make_deck, plain_cards
from tests.factories import NOW, make_account


async def found(account_id: int, query: str, **more: Any) -> list[int]:
    return [hit.id for hit in (await queries.search_cards(account_id, query, **more)).items]


@pytest.mark.parametrize(
    ("front", "query"),
    [
        ("お酒を飲む", "飲"),
        ("お酒を飲む", "飲む"),
        ("お酒を飲む", "ｵ酒"),
        ("お酒を飲む", "オ酒"),
        ("\u1112\u1161\u11ab\u1100\u116e\u11a8\u110b\u1165", "한국"),
        ("한국어", "\u1112\u1161\u11ab\u1100\u116e\u11a8"),
        ("東京", "京"),
        ("キョウト", "ｷｮｳﾄ"),
        ("Crème brûlée", "creme BRU"),
        ("STRASSE", "straße"),
        ("straße", "SS"),
        ("naïve", "ï"),
        ("x", "x"),
        ("100 % _sure_\\", "% _"),
        ("100 % _sure_\\", "\\"),
        ("two\nlines", "two lines"),
        ("😀 smile", "😀"),
        ("𠮷野家", "𠮷"),
    ],
)
async def test_a_card_is_found_by_any_piece_of_it(rollback: None, front: str, query: str) -> None:
    """Case 20, and its kind."""
    alice = await make_account()
    deck_id, _ = await make_deck(alice.id)
    by_front = await make_card(alice.id, deck_id, front, "-")
    by_back = await make_card(alice.id, deck_id, "-", front)
    await make_card(alice.id, deck_id, "¿", "¡")
    assert await found(alice.id, query) == [by_back, by_front]
    assert await found(alice.id, query, deck_id=deck_id) == [by_back, by_front]


async def test_tags_are_searched_and_no_match_spans_two_fields(rollback: None) -> None:
    alice = await make_account()
    deck_id, _ = await make_deck(alice.id)
    card = await make_card(alice.id, deck_id, "abc", "def", tags=("Ghi", "jkl"))
    assert await found(alice.id, "GHI") == [card]
    for query in ("cd", "c d", "abc def", "fg", "ij"):
        assert await found(alice.id, query) == []
    assert await found(alice.id, "a", tag="jkl") == [card]
    assert await found(alice.id, "abc", tag="jkl") == [card]
    assert await found(alice.id, "abc", tag="JKL") == []


@pytest.mark.parametrize("query", ["", "  ", "\u200b", "\u0301"])
async def test_a_query_without_anything_to_see_is_invalid(rollback: None, query: str) -> None:
    alice = await make_account()
    with pytest.raises(InvalidInput) as caught:
        await queries.search_cards(alice.id, query)
    assert caught.value.field == "query"


@pytest.mark.parametrize("query", ["front", "f", "front 0"])
async def test_pages_go_from_the_newest_to_the_oldest_without_gap(rollback: None, query: str) -> None:
    """A common query is answered from the newest cards, its later pages from the index: the seam must not show."""
    alice = await make_account()
    one, first = await make_deck(alice.id, "one", count=300)
    _, second = await make_deck(alice.id, "two", count=400)
    expected = sorted(
        [id for ids in (first, second) for number, id in enumerate(ids) if query != "front 0" or number == 0],
        reverse=True,
    )
    for deck_id, wanted in ((None, expected), (one, [id for id in expected if id in first])):
        seen: list[int] = []
        cursor = None
        while True:
            page = await queries.search_cards(alice.id, query, deck_id=deck_id, cursor=cursor, limit=60)
            seen += [hit.id for hit in page.items]
            cursor = page.next_cursor
            if cursor is None:
                break
        assert seen == wanted


async def test_only_live_cards_of_live_decks_of_this_person_are_found(rollback: None) -> None:
    alice, bob = await make_account(), await make_account("bob@example.org")
    one, ids = await make_deck(alice.id, "one", count=3)
    two, others = await make_deck(alice.id, "two", count=2)
    _, of_bob = await make_deck(bob.id, "one", count=1)
    await service.delete_cards(alice.id, [ids[0]], now=NOW)
    await service.delete_deck(alice.id, two, now=NOW)
    for query in ("front", "o", "front 0"):
        assert set(await found(alice.id, query)) <= set(ids[1:])
        assert await found(bob.id, query) == of_bob
        with pytest.raises(NotFound):
            await found(alice.id, query, deck_id=two)
        for deck_id in (one, 10**30, 0):
            with pytest.raises(NotFound):
                await found(bob.id, query, deck_id=deck_id)
    assert await found(alice.id, "nothing like it", deck_id=one) == []
    await service.restore_deck(alice.id, two, limits=LIMITS, now=NOW)
    assert await found(alice.id, "front 0") == [others[0]]


async def test_what_changed_is_found_by_its_new_text_alone(rollback: None) -> None:
    alice = await make_account()
    _, (card,) = await make_deck(alice.id, count=1)
    await service.update_card(alice.id, card, CardChanges(back="裏側", tags=["標"]), limits=LIMITS, now=NOW)
    assert await found(alice.id, "裏") == await found(alice.id, "標") == [card]
    assert await found(alice.id, "back") == []


LETTERS = st.text(alphabet="aAáb ｱあ한국漢𠮷%_\\ß\n", min_size=1, max_size=8)


async def test_search_agrees_with_plain_containment(rollback: None) -> None:
    alice = await make_account()
    deck_id, _ = await make_deck(alice.id)
    cards: dict[int, str] = {}

    @settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(LETTERS, LETTERS)
    def collect(front: str, query: str) -> None:
        examples.append((front, query))

    examples: list[tuple[str, str]] = []
    collect()
    for front, query in examples:
        try:
            wanted = needle(alice.id, query)
        except InvalidInput:
            continue
        if front.strip():
            result = await service.import_cards(
                alice.id,
                [service.NewCard(front=front, back=f"{len(cards)}")],
                deck_id=deck_id,
                limits=LIMITS,
                now=NOW,
            )
            for id in result.imported_ids:
                cards[id] = await db.fetch_value("SELECT search_text FROM card WHERE id = $1", id)
        plain = _unescaped(wanted.pattern_like[1:-1])
        expected = sorted((id for id, document in cards.items() if plain in document), reverse=True)
        assert await found(alice.id, query, limit=500) == expected, query
        assert await found(alice.id, query, limit=500, deck_id=deck_id) == expected, query
    assert len(cards) > 50


def _unescaped(pattern: str) -> str:
    letters = iter(pattern)
    return "".join(next(letters) if letter == "\\" else letter for letter in letters)


async def _plan(name: str, sql: str, *values: object) -> list[dict[str, Any]]:
    """The nodes of the generic plan of a statement, as run."""
    kinds = {6: "bigint, text, bigint, bigint, text, int[]", 5: "bigint, text, bigint, bigint, text"}[len(values)]
    await db.execute(f"PREPARE {name} ({kinds}) AS {sql}")
    literals = ", ".join(
        "NULL"
        if value is None
        else "'{" + ",".join(map(str, value)) + "}'"
        if isinstance(value, list)
        else f"'{value}'"
        for value in values
    )
    (row,) = await db.fetch(f"EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE {name} ({literals})")
    await db.execute(f"DEALLOCATE {name}")
    nodes: list[dict[str, Any]] = []
    todo = [json.loads(row[0])[0]["Plan"]]
    while todo:
        node = todo.pop()
        nodes.append(node)
        todo += node.get("Plans", [])
    return nodes


async def test_no_search_reads_a_whole_account_for_a_few_cards(rollback: None) -> None:
    """20,000 generated cards: a rare needle comes from the index, a common one from the newest cards."""
    alice = await make_account()
    deck_id, _ = await make_deck(alice.id)
    await service.import_cards(
        alice.id,
        [service.NewCard(front="微分方程式", back="xqz"), *plain_cards([1])],
        deck_id=deck_id,
        limits=LIMITS,
        now=NOW,
    )
    await db.execute(
        """
        INSERT INTO card (account_id, deck_id, front, back, card_key, search_text, grams, created_at, updated_at)
        SELECT $1, $2, 'f', 'b', int8send(n), 'front ' || n || ' 共通', ARRAY[$3::int, 7, n], $4, $4
          FROM generate_series(1, 20000) AS n
        """,
        alice.id,
        deck_id,
        needle(alice.id, "共通").grams[0],
        NOW,
    )
    # As the worker does every few seconds: the planner counts what waits in the index's list.
    await db.execute("SELECT gin_clean_pending_list('card_grams')")
    await db.execute("ANALYZE card")
    await db.execute("SET LOCAL plan_cache_mode = force_generic_plan")
    for query, index in (("微分", True), ("微", True), ("xq", True), ("亜亜", True), ("共通", False)):
        wanted = needle(alice.id, query)
        values = (alice.id, wanted.pattern_like, 2**62, 21, None, wanted.grams)
        nodes = await _plan("by_index", search._INDEX, *values)
        by_index = [node for node in nodes if node.get("Index Name") == "card_grams"]
        read = [node["Actual Rows"] for node in nodes if node.get("Relation Name") == "card" and node["Actual Loops"]]
        assert by_index, "the letter pairs are not looked up"
        assert bool(by_index[0]["Actual Loops"]) is index
        assert max(read) <= 500
    nodes = await _plan("by_walk", search._WALK_ACCOUNT, alice.id, "%f%", 2**62, 21, None)
    assert max(node["Actual Rows"] for node in nodes) <= 21
