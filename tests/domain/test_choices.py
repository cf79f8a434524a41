"""Multiple choice: 400 questions over the capitals of the world, numbers and dates, decks too small or too alike."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.demo.decks import demo_decks
from app.domain.answers import AnswerType, Facts, equal_in_value, nearly_equal, understand
from app.domain.choices import Options, Pool, options
from app.domain.grading import is_right
from app.domain.quantities import date_of, number_of

COUNT = 4


def deck_facts(language: str) -> list[Facts]:
    deck = next(deck for deck in demo_decks() if deck.collection == "Geography" and deck.language == language)
    return [
        Facts(at, 0, card.front, card.back, card.tags, deck.language) for at, card in enumerate(deck.cards, start=1)
    ]


def asked(language: str, questions: int) -> list[tuple[Facts, Options]]:
    cards = deck_facts(language)
    pool = Pool(cards)
    made = [(cards[seed % len(cards)], options(cards[seed % len(cards)], pool, seed)) for seed in range(questions)]
    assert all(result for _, result in made)
    return [(facts, result) for facts, result in made if result]


QUESTIONS = asked("en", 400)


def chi_square(counts: Counter[int], cells: int) -> float:
    expected = counts.total() / cells
    return sum((counts[cell] - expected) ** 2 / expected for cell in range(cells))


CHI_SQUARE_3 = 16.27
"""Exceeded with a probability of 0.001 where four cells are equally likely."""


def test_the_right_option_is_in_every_place_equally_often() -> None:
    assert chi_square(Counter(result.right for _, result in QUESTIONS), COUNT) < CHI_SQUARE_3


def longest_is_right(result: Options) -> float:
    """The chance of a learner who knows nothing and takes the longest option."""
    lengths = [len(option.text) for option in result.options]
    return (lengths[result.right] == max(lengths)) / lengths.count(max(lengths))


def shortest_is_right(result: Options) -> float:
    lengths = [len(option.text) for option in result.options]
    return (lengths[result.right] == min(lengths)) / lengths.count(min(lengths))


@pytest.mark.parametrize("language", ["en", "de", "ja"])
def test_length_does_not_give_the_right_option_away(language: str) -> None:
    """Three standard deviations of 400 guesses with a chance of one in four are 26."""
    questions = QUESTIONS if language == "en" else asked(language, 400)
    for strategy in (longest_is_right, shortest_is_right):
        assert 74 <= sum(strategy(result) for _, result in questions) <= 126, strategy.__name__


def test_no_option_comes_twice_and_no_distractor_is_right() -> None:
    capitals = {facts.front: facts for facts, _ in QUESTIONS}
    assert len(capitals) > 200
    for facts, result in QUESTIONS:
        assert len(result.options) == COUNT
        assert result.options[result.right].text == facts.back
        understood = [understand(option.text, "en") for option in result.options]
        assert not any(nearly_equal(one, other) for one, other in combinations(understood, 2))
        right = [is_right(option.text, facts) for option in result.options]
        assert right == [at == result.right for at in range(COUNT)]


def test_distractors_are_of_the_deck_and_mostly_of_the_same_region(record_property: pytest.RecordProperty) -> None:
    by_id = {facts.card_id: facts for facts in deck_facts("en")}
    same = total = chance = 0.0
    for facts, result in QUESTIONS:
        others = [by_id[option.card_id] for option in result.options if option.card_id != facts.card_id]  # type: ignore[index]
        tagged = [bool(set(other.tags) & set(facts.tags)) for other in others]
        same, total = same + sum(tagged), total + len(tagged)
        chance += sum(bool(set(other.tags) & set(facts.tags)) for other in by_id.values()) / len(by_id) * len(others)
    record_property("same region share", f"{same / total:.2f}")
    record_property("same region by chance", f"{chance / total:.2f}")
    assert same / total > 0.85
    assert chance / total < 0.5


def test_a_card_meets_several_distractors_and_a_seed_always_the_same() -> None:
    cards = deck_facts("en")
    pool, facts = Pool(cards), cards[20]
    met = {option.text for seed in range(40) for option in (options(facts, pool, seed) or Options((), 0)).options}
    assert len(met) > 15
    assert options(facts, pool, 7) == options(facts, Pool(cards), 7) == options(facts, cards, 7)


def test_four_cards_with_the_same_number_get_other_numbers() -> None:
    cards = [Facts(at, 0, f"question {at}", "1", (), "en") for at in range(1, 5)]
    for seed in range(50):
        result = options(cards[0], cards, seed)
        assert result is not None
        values = [number_of(option.text, "en") for option in result.options]
        assert len({value.value for value in values if value}) == len(result.options) >= 3
        assert [option.text for option in result.options].count("1") == 1
        assert result.options[result.right].text == "1"


def test_four_cards_with_the_same_word_have_no_distractors() -> None:
    backs = ["one", "One", " one. ", "the one"]
    cards = [Facts(at, 0, f"question {at}", back, (), "en") for at, back in enumerate(backs)]
    assert options(cards[0], cards, 1) is None


@pytest.mark.parametrize(
    ("right", "others"),
    [
        ("car; auto", ["auto", "the car", "Auto (old)", "house"]),
        ("auto", ["car; auto", "auto / car", "tree"]),
        ("résumé", ["resume", "Resumé", "report"]),
        ("word", ["слово", "言葉", "단어", "word2 that is much, much, much too long to be taken for a word"]),
        ("word", []),
        ("", ["a", "b", "c"]),
        ("!?" * 200, ["a", "b", "c"]),
    ],
)
def test_what_is_right_by_another_reading_or_looks_wrong_is_no_distractor(right: str, others: list[str]) -> None:
    cards = [Facts(at, 0, f"question {at}", back, (), "en") for at, back in enumerate([right, *others])]
    assert options(cards[0], cards, 1) is None


def test_two_good_distractors_are_enough() -> None:
    cards = [Facts(at, 0, f"q{at}", back, (), "en") for at, back in enumerate(["cat", "dog", "cow"])]
    result = options(cards[0], cards, 3)
    assert result is not None
    assert sorted(option.text for option in result.options) == ["cat", "cow", "dog"]
    assert options(cards[0], cards[:2], 3) is None


def test_another_answer_to_the_same_front_is_no_distractor() -> None:
    backs = ["Ufer", "Bank", "Haus", "Baum"]
    fronts = ["bank", "Bank ", "house", "tree"]
    cards = [Facts(at, 0, front, back, (), "de") for at, (front, back) in enumerate(zip(fronts, backs, strict=True))]
    for seed in range(20):
        result = options(cards[0], cards, seed)
        assert result is not None
        assert {option.text for option in result.options} == {"Ufer", "Haus", "Baum"}
    roots = [Facts(1, 0, "root of 4", "2", (), "en"), Facts(2, 0, "root of 4", "3", (), "en")]
    for seed in range(20):
        result = options(roots[0], roots, seed)
        assert result is not None
        assert "3" not in {option.text for option in result.options}


def test_siblings_of_a_gap_are_no_distractors() -> None:
    gaps = [
        Facts(1, ordinal, "[...] is the capital of [...]", back, (), "en")
        for ordinal, back in ((1, "Rome"), (2, "Italy"))
    ]
    cards = [*gaps, *(Facts(at, 0, f"q{at}", back, (), "en") for at, back in enumerate(["Paris", "Oslo", "Bern"], 2))]
    for seed in range(20):
        result = options(gaps[0], cards, seed)
        assert result is not None
        assert "Italy" not in {option.text for option in result.options}


NUMBERS = [
    "1789",
    "8,849 m",
    "−40 °C",
    "3.14",
    "50 %",
    "$1,000,000",
    "0",
    "1",
    "2",
    "99 %",
    "1.5 kg",
    "1964年",
    "300,000 km/s",
    "2024",
]


@pytest.mark.parametrize("text", NUMBERS)
def test_numbers_get_near_values_in_the_same_format(text: str) -> None:
    facts = Facts(1, 0, "q", text, (), "en")
    right = understand(text, "en")
    assert right.type is AnswerType.NUMBER
    assert right.number is not None
    ranks: Counter[int] = Counter()
    for seed in range(200):
        result = options(facts, [facts], seed)
        assert result is not None
        values: list[Decimal] = []
        for option in result.options:
            number = number_of(understand(option.text, "en").core, "en")
            assert number is not None
            assert number.measure == right.number.measure
            assert number.decimals == right.number.decimals
            assert bool(number.grouping) == bool(right.number.grouping) or abs(number.value) < 1000
            assert (number.value < 0) == (right.number.value < 0)
            assert "%" not in text or number.value <= 100
            values.append(number.value)
        assert len(set(values)) == COUNT
        ranks[sorted(values).index(right.number.value)] += 1
    if abs(right.number.value) > 3 and text != "99 %":
        assert chi_square(ranks, COUNT) < CHI_SQUARE_3


def test_numbers_of_the_deck_come_before_made_ones() -> None:
    backs = ["1789", "1776", "1799", "1804", "1815", "1492", "12 km", "Paris"]
    cards = [Facts(at, 0, f"q{at}", back, (), "en") for at, back in enumerate(backs)]
    met = Counter(
        option.text for seed in range(100) for option in (options(cards[0], cards, seed) or Options((), 0)).options
    )
    assert met["1776"] > 20
    assert met["1799"] > 20
    assert not met["1492"] + met["12 km"] + met["Paris"]


@pytest.mark.parametrize("text", ["14 July 1789", "1945-08-15", "29 February 2000", "1789年7月14日", "March 1848"])
def test_dates_get_near_years_in_the_same_format(text: str) -> None:
    facts = Facts(1, 0, "q", text, (), "en")
    expected = date_of(text, "en")
    assert expected is not None
    for seed in range(50):
        result = options(facts, [facts], seed)
        assert result is not None
        dates = [date_of(option.text, "en") for option in result.options]
        assert None not in dates
        assert len(set(dates)) == COUNT
        assert {date[1:] for date in dates if date} == {expected[1:]}


answers = st.one_of(
    st.text(st.sampled_from("abé 12;/()東か"), max_size=8),
    st.integers(-20, 3000).map(str),
    st.decimals(-5, 5, places=1, allow_nan=False).map(str),
)


@given(st.lists(answers, min_size=1, max_size=12), st.integers(0, 2**63), st.integers(3, 6))
def test_for_any_deck_one_option_is_right_and_all_differ(backs: list[str], seed: int, count: int) -> None:
    cards = [Facts(at, 0, f"q{at}", back, (), "en") for at, back in enumerate(backs)]
    result = options(cards[0], cards, seed, count)
    if result is None:
        return
    assert 3 <= len(result.options) <= count
    right = understand(cards[0].back, "en")
    understood = [understand(option.text, "en") for option in result.options]
    assert [equal_in_value(right, other) for other in understood].count(True) == 1
    assert equal_in_value(right, understood[result.right])
    assert not any(nearly_equal(one, other) for one, other in combinations(understood, 2))


def test_a_large_deck_is_understood_in_part_only() -> None:
    """The work for one question does not grow with the texts of the whole deck."""
    random = Random(1)  # noqa: S311
    words = ["".join(random.choices("abcdefghijklmnop", k=random.randint(4, 12))) for _ in range(500)]
    cards = [Facts(at, 0, f"question {at}", word, (), "en") for at, word in enumerate(words)]
    pool = Pool(cards)
    assert options(cards[0], pool, 1) is not None
    assert len(pool.understood) < 20
