"""Making and changing cards: what is cleaned, skipped, refused; versions; formatted sides; moves."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from app.decks import queries, service
from app.decks.changes import CardChanges, NewCard
from app.domain.errors import (
    Conflict,
    DeckCardLimitExceeded,
    DeckLimitExceeded,
    InvalidInput,
    NotFound,
    PlanRequired,
)
from tests.areas.deck_makers import (
    LIMITS,
    deck_changed_at,
    limits,
    make_card,
    make_deck,
    plain_cards,
    schedule_of,
    set_schedule,
)
from tests.factories import NOW, make_account

LATER = NOW + timedelta(hours=1)


async def test_an_import_by_title_makes_the_deck_and_then_reuses_it(rollback: None) -> None:
    alice = await make_account()
    first = await service.import_cards(
        alice.id,
        [NewCard(front="将軍", back="shogun", tags=("history",)), NewCard(front="Q", back="A")],
        deck_title=" Edo Period ",
        language="en",
        source_title="A talk",
        limits=LIMITS,
        now=NOW,
    )
    assert (first.deck_title, first.skipped_count, first.warnings) == ("Edo Period", 0, ())
    again = await service.import_cards(
        alice.id, plain_cards([1]), deck_title="ｅｄｏ period", language="ja", limits=LIMITS, now=LATER
    )
    assert (again.deck_id, again.deck_title) == (first.deck_id, "Edo Period")
    page = await queries.cards(alice.id, first.deck_id)
    assert [card.id for card in page.items] == [*first.imported_ids, *again.imported_ids]
    card = page.items[0]
    assert (card.front, card.back, card.tags, card.language, card.source_title, card.version) == (
        "将軍",
        "shogun",
        ("history",),
        "en",
        "A talk",
        1,
    )
    assert (page.items[2].language, page.items[2].source_title) == ("ja", None)
    assert await deck_changed_at(first.deck_id) == LATER


async def test_of_several_decks_of_one_title_an_import_takes_the_oldest(rollback: None) -> None:
    alice = await make_account()
    first, _ = await make_deck(alice.id, "one")
    await service.delete_deck(alice.id, first, now=NOW)
    second, _ = await make_deck(alice.id, "one")
    result = await service.import_cards(alice.id, plain_cards([1]), deck_title="one", limits=LIMITS, now=NOW)
    assert result.deck_id == second
    assert await service.restore_deck(alice.id, first, limits=LIMITS, now=NOW) == 0
    result = await service.import_cards(alice.id, plain_cards([2]), deck_title="one", limits=LIMITS, now=NOW)
    assert result.deck_id == first


@pytest.mark.parametrize("given", [{}, {"deck_id": 1, "deck_title": "one"}])
async def test_an_import_names_its_deck_in_one_way(rollback: None, given: dict[str, Any]) -> None:
    alice = await make_account()
    with pytest.raises(InvalidInput, match="either by deckId or by deckTitle"):
        await service.import_cards(alice.id, plain_cards([1]), **given, limits=LIMITS, now=NOW)


@pytest.mark.parametrize("count", [0, 101])
async def test_an_import_brings_from_1_to_100_cards(rollback: None, count: int) -> None:
    alice = await make_account()
    with pytest.raises(InvalidInput, match=f"this one brings {count}"):
        await service.import_cards(alice.id, plain_cards(range(count)), deck_title="one", limits=LIMITS, now=NOW)


@pytest.mark.parametrize(
    ("field", "card"),
    [
        ("front", NewCard(front="secret" + "x" * 995, back="b")),
        ("front", NewCard(front=" \u200b ", back="secret")),
        ("back", NewCard(front="secret", back="x" * 4001)),
        ("frontRich", NewCard(front="secret", back="b", front_rich="x" * 4001)),
        ("backRich", NewCard(front="secret", back="b", back_rich="x" * 8001)),
        ("tags", NewCard(front="secret", back="b", tags=tuple(map(str, range(13))))),
        ("tags", NewCard(front="secret", back="b", tags=("x" * 41,))),
        ("tags", NewCard(front="secret", back="b", tags=("",))),
        ("back", NewCard(front="secret", back="half \ud800")),
    ],
)
async def test_one_bad_card_refuses_the_whole_import_and_is_named_by_its_place(
    rollback: None, field: str, card: NewCard
) -> None:
    alice = await make_account()
    with pytest.raises(InvalidInput) as caught:
        await service.import_cards(alice.id, [*plain_cards([1, 2]), card], deck_title="one", limits=LIMITS, now=NOW)
    assert caught.value.field == field
    assert str(caught.value).startswith("Card 3: ")
    assert "secret" not in str(caught.value)
    assert await queries.usage(alice.id) == await queries.usage(0)


async def test_limits_are_met_exactly(rollback: None) -> None:
    alice = await make_account()
    card = NewCard(
        front="x" * 1000,
        back="y" * 4000,
        front_rich="<p>" + "x" * 3993 + "</p>",
        back_rich="<p>" + "x" * 7993 + "</p>",
        tags=tuple(f"{number:040}" for number in range(12)),
    )
    result = await service.import_cards(
        alice.id, [card], deck_title="d" * 120, source_title="s" * 160, limits=LIMITS, now=NOW
    )
    stored = await queries.card(alice.id, result.imported_ids[0])
    assert (stored.front, stored.back, stored.tags) == (card.front, card.back, card.tags)
    assert result.warnings == ()


async def test_equal_cards_are_skipped_counted_and_named(rollback: None) -> None:
    alice = await make_account()
    deck_id, (old,) = await make_deck(alice.id, count=1)
    cards = [
        NewCard(front="ＦＲＯＮＴ  0", back="Back 0 ", tags=("other",)),
        NewCard(front="new", back="card"),
        NewCard(front="NEW", back="card"),
        NewCard(front="new", back="another card"),
    ]
    result = await service.import_cards(alice.id, cards, deck_id=deck_id, limits=LIMITS, now=NOW)
    assert (len(result.imported_ids), result.skipped_count) == (2, 2)
    assert result.warnings == (
        f"Card 1: skipped, card {old} of this deck is equal.",
        "Card 3: skipped, equal to card 2 of this call.",
    )


async def test_a_repeated_import_makes_nothing_twice_and_changes_nothing(rollback: None) -> None:
    alice = await make_account()
    first = await service.import_cards(alice.id, plain_cards(range(100)), deck_title="one", limits=LIMITS, now=NOW)
    tight = limits(decks=1, cards=100, cap=100)
    again = await service.import_cards(alice.id, plain_cards(range(100)), deck_title="one", limits=tight, now=LATER)
    assert (again.deck_id, again.imported_ids, again.skipped_count) == (first.deck_id, (), 100)
    assert await deck_changed_at(first.deck_id) == NOW


async def test_a_deleted_card_is_no_obstacle_to_an_equal_one(rollback: None) -> None:
    alice = await make_account()
    deck_id, ids = await make_deck(alice.id, count=2)
    await service.delete_cards(alice.id, ids, now=NOW)
    result = await service.import_cards(alice.id, plain_cards([0, 1]), deck_id=deck_id, limits=LIMITS, now=NOW)
    assert (len(result.imported_ids), result.skipped_count) == (2, 0)


async def test_an_import_that_exceeds_a_limit_writes_nothing(rollback: None) -> None:
    alice = await make_account()
    deck_id, _ = await make_deck(alice.id, count=3)
    await make_deck(alice.id, "other", count=4)
    cards = plain_cards(range(6))  # three of them are there already
    with pytest.raises(DeckCardLimitExceeded, match="at most 5 cards; this one has 3 and 3 more do not fit"):
        await service.import_cards(alice.id, cards, deck_id=deck_id, limits=limits(cap=5), now=NOW)
    with pytest.raises(PlanRequired, match="allows 9 cards; 7 are in use and 3 more do not fit"):
        await service.import_cards(alice.id, cards, deck_id=deck_id, limits=limits(cards=9), now=NOW)
    with pytest.raises(DeckLimitExceeded):
        await service.import_cards(alice.id, cards, deck_title="third", limits=limits(decks=2), now=NOW)
    with pytest.raises(PlanRequired):
        await service.import_cards(alice.id, cards, deck_title="third", limits=limits(cards=9), now=NOW)
    usage = await queries.usage(alice.id)
    assert (usage.decks, usage.cards) == (2, 7)
    result = await service.import_cards(alice.id, cards, deck_id=deck_id, limits=limits(cards=10, cap=6), now=NOW)
    assert len(result.imported_ids) == 3


async def test_removed_markup_and_repeated_tags_are_said_by_the_card_s_place(rollback: None) -> None:
    """Case 6: a reading in ruby loses its tags and keeps its text."""
    alice = await make_account()
    cards = [
        NewCard(front="plain", back="b"),
        NewCard(
            front="一", back="one", front_rich="<p class=x><ruby>一<rt>いち</rt></ruby></p>", tags=("N5", "n5", "kanji")
        ),
    ]
    result = await service.import_cards(alice.id, cards, deck_title="one", limits=LIMITS, now=NOW)
    card = await queries.card(alice.id, result.imported_ids[1])
    assert card.front_rich is not None
    assert "一" in card.front_rich
    assert "いち" in card.front_rich
    assert "ruby" not in card.front_rich
    assert "class" not in card.front_rich
    assert card.tags == ("N5", "kanji")
    assert len(result.warnings) == 3
    assert all(warning.startswith("Card 2: ") for warning in result.warnings)
    assert "ruby" in result.warnings[0]


@pytest.mark.parametrize(
    "text", ["a <producer> b", "for i<n; x>0", r"\(x<y\) and 5 < 6", 'q"\\', "{a,b}", "NULL", "%_\\"]
)
async def test_text_that_looks_like_markup_or_like_an_array_is_text(rollback: None, text: str) -> None:
    """Case 5."""
    alice = await make_account()
    deck_id, _ = await make_deck(alice.id)
    card_id = await make_card(alice.id, deck_id, text, text, tags=(text, "plain"))
    card = await queries.card(alice.id, card_id)
    assert (card.front, card.back, card.tags) == (text, text, (text, "plain"))
    changed = await service.update_card(alice.id, card_id, CardChanges(tags=("x", text)), limits=LIMITS, now=NOW)
    assert changed.tags == ("x", text)
    assert [hit.id for hit in (await queries.search_cards(alice.id, text)).items] == [card_id]


async def test_a_card_made_by_hand_that_equals_another_is_a_conflict_that_names_it(rollback: None) -> None:
    alice = await make_account()
    deck_id, (old,) = await make_deck(alice.id, count=1)
    with pytest.raises(Conflict, match=f"Card {old} "):
        await make_card(alice.id, deck_id, "FRONT 0", "back 0")
    with pytest.raises(InvalidInput) as caught:
        await make_card(alice.id, deck_id, "")
    assert caught.value.field == "front"
    with pytest.raises(DeckCardLimitExceeded):
        await service.add_card(alice.id, NewCard(front="a", back="b"), deck_id=deck_id, limits=limits(cap=1), now=NOW)


async def test_a_typo_is_mended_and_the_schedule_stays(rollback: None) -> None:
    """Case 14."""
    alice = await make_account()
    deck_id, _ = await make_deck(alice.id)
    card_id = await make_card(alice.id, deck_id, "Tokio", "capital of Japan")
    await set_schedule(card_id, 2, LATER)
    before = await schedule_of(card_id)
    card = await service.update_card(
        alice.id, card_id, CardChanges(front="Tokyo"), expected_version=1, limits=LIMITS, now=LATER
    )
    assert (card.front, card.back, card.version, card.updated_at, card.warnings) == (
        "Tokyo",
        "capital of Japan",
        2,
        LATER,
        (),
    )
    assert await schedule_of(card_id) == before
    assert await deck_changed_at(deck_id) == LATER
    assert [hit.front for hit in (await queries.search_cards(alice.id, "tokyo")).items] == ["Tokyo"]
    assert (await queries.search_cards(alice.id, "tokio")).items == ()
    with pytest.raises(Conflict):
        await make_card(alice.id, deck_id, "TOKYO", "capital of japan")
    await make_card(alice.id, deck_id, "Tokio", "capital of Japan")


async def test_a_change_for_an_older_version_is_a_conflict_even_when_it_changes_nothing(rollback: None) -> None:
    alice = await make_account()
    deck_id, (card_id,) = await make_deck(alice.id, count=1)
    await service.update_card(alice.id, card_id, CardChanges(back="new"), limits=LIMITS, now=NOW)
    for changes in (CardChanges(back="newer"), CardChanges(back="new"), CardChanges()):
        with pytest.raises(Conflict, match="version 2 now; the change was made for version 1"):
            await service.update_card(alice.id, card_id, changes, expected_version=1, limits=LIMITS, now=NOW)
    assert (await queries.card(alice.id, card_id)).back == "new"
    assert deck_id


async def test_a_change_to_what_is_so_already_keeps_version_and_time(rollback: None) -> None:
    alice = await make_account()
    deck_id, _ = await make_deck(alice.id)
    card_id = await make_card(alice.id, deck_id, "a", front_rich="<p>a</p>", tags=("x",))
    before = await queries.card(alice.id, card_id)
    changes = CardChanges(
        front=" a ", back="back", front_rich="<p>a</p>", back_rich="", tags=["x", "X"], deck_id=deck_id
    )
    card = await service.update_card(alice.id, card_id, changes, limits=LIMITS, now=LATER)
    assert len(card.warnings) == 1
    assert await queries.card(alice.id, card_id) == before
    assert await deck_changed_at(deck_id) == NOW


async def test_a_formatted_side_goes_with_the_text_that_it_showed_unless_a_new_one_comes(rollback: None) -> None:
    alice = await make_account()
    deck_id, _ = await make_deck(alice.id)
    card_id = await make_card(alice.id, deck_id, "a", "b", front_rich="<em>a</em>", back_rich="<em>b</em>")

    async def change(**given: Any) -> tuple[str | None, str | None, int]:
        card = await service.update_card(alice.id, card_id, CardChanges(**given), limits=LIMITS, now=NOW)
        return card.front_rich, card.back_rich, len(card.warnings)

    assert await change(tags=["x"]) == ("<em>a</em>", "<em>b</em>", 0)
    assert await change(front="A", front_rich="<strong>A</strong>") == ("<strong>A</strong>", "<em>b</em>", 0)
    assert await change(front="AA") == (None, "<em>b</em>", 1)
    assert await change(back_rich="") == (None, None, 0)
    assert await change(back="bb") == (None, None, 0)
    assert await change(back="b", back_rich="<u>b</u>") == (None, "b", 1)


async def test_a_card_moves_with_its_schedule(rollback: None) -> None:
    alice = await make_account()
    source, ids = await make_deck(alice.id, "one", count=2)
    target, _ = await make_deck(alice.id, "two")
    await set_schedule(ids[0], 2, LATER)
    card = await service.update_card(
        alice.id, ids[0], CardChanges(deck_id=target, front="moved"), limits=limits(cards=2), now=LATER
    )
    assert (card.deck_id, card.deck_title, card.front, card.version) == (target, "two", "moved", 2)
    schedule = await schedule_of(ids[0])
    assert (schedule["deck_id"], schedule["state"], schedule["due"]) == (target, 2, LATER)
    assert [await deck_changed_at(deck) for deck in (source, target)] == [LATER, LATER]


async def test_a_card_cannot_move_to_where_its_equal_is_or_no_room_or_nothing(rollback: None) -> None:
    alice = await make_account()
    _, (mine,) = await make_deck(alice.id, "one", count=1)
    target, (equal,) = await make_deck(alice.id, "two", count=1)
    gone, _ = await make_deck(alice.id, "three")
    await service.delete_deck(alice.id, gone, now=NOW)
    with pytest.raises(Conflict, match=f"{mine}, {equal}"):
        await service.update_card(alice.id, mine, CardChanges(deck_id=target), limits=LIMITS, now=NOW)
    with pytest.raises(DeckCardLimitExceeded):
        await service.update_card(alice.id, mine, CardChanges(deck_id=target, front="x"), limits=limits(cap=1), now=NOW)
    for missing in (gone, 2**63 - 1, 2**63, 10**30, 0, -1):
        with pytest.raises(NotFound):
            await service.update_card(alice.id, mine, CardChanges(deck_id=missing), limits=LIMITS, now=NOW)
    await service.update_card(alice.id, mine, CardChanges(deck_id=target, front="x"), limits=LIMITS, now=NOW)


async def test_a_card_cannot_become_equal_to_another(rollback: None) -> None:
    alice = await make_account()
    _, (first, second) = await make_deck(alice.id, count=2)
    with pytest.raises(Conflict) as caught:
        await service.update_card(
            alice.id, second, CardChanges(front="Front  0", back="back 0"), limits=LIMITS, now=NOW
        )
    assert f"{first}, {second}" in str(caught.value)
    assert "ront" not in str(caught.value).replace("in front and back", "")


@pytest.mark.parametrize(
    "changes", [{"front": ""}, {"back": "x" * 4001}, {"tags": ["x"] * 13}, {"front_rich": "x" * 4001}]
)
async def test_a_change_that_breaks_a_rule_names_the_field(rollback: None, changes: dict[str, Any]) -> None:
    alice = await make_account()
    _, (card_id,) = await make_deck(alice.id, count=1)
    with pytest.raises(InvalidInput) as caught:
        await service.update_card(alice.id, card_id, CardChanges(**changes), limits=LIMITS, now=NOW)
    assert caught.value.field in {"front", "back", "tags", "frontRich"}


async def test_cards_of_a_deck_come_in_pages_and_by_tag(rollback: None) -> None:
    alice = await make_account()
    deck_id, ids = await make_deck(alice.id, count=7)
    await make_deck(alice.id, "other", count=2)
    await service.delete_cards(alice.id, [ids[3]], now=NOW)
    await service.tag_cards(alice.id, ids[::2], add=["even"], now=NOW)
    seen: list[int] = []
    cursor = None
    while True:
        page = await queries.cards(alice.id, deck_id, cursor=cursor, limit=2)
        seen += [card.id for card in page.items]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert seen == ids[:3] + ids[4:]
    assert [card.id for card in (await queries.cards(alice.id, deck_id, tag="even")).items] == ids[::2]
    assert (await queries.cards(alice.id, deck_id, tag="none")).items == ()
