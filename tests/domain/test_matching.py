"""Matching boards: which cards go together, and what a wrong pair does."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.demo.decks import demo_decks
from app.domain.answers import Facts, nearly_equal, understand
from app.domain.errors import InvalidInput
from app.domain.matching import PAIRS_MAX, PAIRS_MIN, Board, board, check


def facts(*pairs: tuple[str, str], language: str | None = "en") -> list[Facts]:
    return [Facts(at, 0, front, back, (), language) for at, (front, back) in enumerate(pairs, start=1)]


ANIMALS = facts(("cat", "Katze"), ("dog", "Hund"), ("horse", "Pferd"), ("cow", "Kuh"), ("pig", "Schwein"))
sides = st.text(st.sampled_from("abcdé 12;が"), min_size=1, max_size=7)


def made(cards: list[Facts], seed: int, **limits: int) -> Board:
    result = board(cards, seed, **limits)
    assert result is not None
    return result


def test_each_pair_of_a_board_is_a_card() -> None:
    result = made(ANIMALS, 1)
    by_id = {(card.card_id, card.ordinal): card for card in ANIMALS}
    assert len(result.left) == len(result.right) == 5
    for left, right, card in zip(result.left, result.pairs, result.cards, strict=True):
        assert (left, result.right[right]) == (by_id[card].front, by_id[card].back)


def test_the_order_on_the_right_tells_nothing_about_the_left() -> None:
    places = Counter(made(ANIMALS, seed).pairs[0] for seed in range(500))
    firsts = Counter(made(ANIMALS, seed).left[0] for seed in range(500))
    assert all(60 < places[place] < 140 for place in range(5))
    assert all(60 < firsts[card.front] < 140 for card in ANIMALS)
    assert made(ANIMALS, 3) == made(ANIMALS, 3)


@pytest.mark.parametrize("language", ["en", "de", "ja"])
def test_the_capitals_fill_boards(language: str) -> None:
    deck = next(deck for deck in demo_decks() if deck.collection == "Geography" and deck.language == language)
    cards = facts(*((card.front, card.back) for card in deck.cards), language=language)
    for start in range(0, 200, 8):
        assert len(made(cards[start:], start).left) == PAIRS_MAX
    assert len(made(cards, 1, at_most=6).left) == 6


@given(st.lists(st.tuples(sides, sides), max_size=20), st.integers(0, 2**63))
def test_no_two_sides_of_a_board_are_nearly_equal(pairs: list[tuple[str, str]], seed: int) -> None:
    result = board(facts(*pairs), seed)
    if result is None:
        return
    assert PAIRS_MIN <= len(result.left) <= PAIRS_MAX
    shown = [understand(side, "en") for side in (*result.left, *result.right)]
    assert not any(nearly_equal(one, other) for one, other in combinations(shown, 2))


@pytest.mark.parametrize(
    "fifth",
    [
        ("kitten", "Katze"),
        ("cats", "KATZE!"),
        ("Cat", "Kater"),
        ("sow", "Schwien"),
        ("hourse", "Gaul"),
        ("goat", "goat"),
        ("goat", "Göat"),
        ("Katze", "gato"),
        ("goat", "Ziege\nan animal"),
        ("goat", "Z" * 61),
        ("goat", "  "),
    ],
)
def test_a_card_too_like_another_or_too_long_stays_off_the_board(fifth: tuple[str, str]) -> None:
    cards = facts(*((card.front, card.back) for card in ANIMALS), fifth)
    assert set(made(cards, 1).left) == {card.front for card in ANIMALS}


def test_one_gap_of_a_cloze_card_goes_on_a_board() -> None:
    gaps = [
        Facts(9, ordinal, f"gap {'abc'[ordinal]}", back, (), "en") for ordinal, back in ((1, "Rom"), (2, "Italien"))
    ]
    assert sum(card_id == 9 for card_id, _ in made([*gaps, *ANIMALS], 1).cards) == 1


def test_fewer_than_four_cards_make_no_board() -> None:
    assert board(ANIMALS[:3], 1) is None
    assert board(facts(*[("same", "alike")] * 10), 1) is None
    assert len(made(ANIMALS[:4], 1).left) == 4


def test_all_pairs_right() -> None:
    result = made(ANIMALS, 1)
    checked = check(result, dict(enumerate(result.pairs)))
    assert [(pair.card_id, pair.ordinal) for pair in checked] == list(result.cards)
    assert all(pair.right for pair in checked)


def test_a_wrong_pair_marks_both_cards_and_no_other() -> None:
    result = made(ANIMALS, 1)
    checked = check(result, {0: result.pairs[1]})
    assert [pair.right for pair in checked] == [False, False, None, None, None]
    assert [pair.chosen for pair in checked] == [result.pairs[1], None, None, None, None]


def test_a_card_taken_for_another_is_wrong_even_when_it_is_paired_rightly_too() -> None:
    result = made(ANIMALS, 1)
    for answer in ({1: result.pairs[1], 0: result.pairs[1]}, {0: result.pairs[1], 1: result.pairs[1]}):
        assert [pair.right for pair in check(result, answer)][:2] == [False, False]


def test_sides_are_compared_by_value() -> None:
    """Such a board is not made; one that was stored before a card changed may be like this."""
    stored = Board(("one", "uno", "a", "b"), ("1", "1.0", "x", "y"), (0, 1, 2, 3), ((1, 0), (2, 0), (3, 0), (4, 0)))
    assert [pair.right for pair in check(stored, {0: 1, 1: 0})] == [True, True, None, None]


@pytest.mark.parametrize("answer", [{5: 0}, {0: 5}, {-1: 0}, {0: -1}])
def test_a_place_that_is_not_on_the_board_is_refused(answer: dict[int, int]) -> None:
    with pytest.raises(InvalidInput):
        check(made(ANIMALS, 1), answer)
