"""Slips between two texts against the plain algorithm, and parts that make up both texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.differences import Part, Segment, differences, distance_within

near = st.text("abc", max_size=9)
texts = st.text(st.one_of(st.sampled_from("ab c"), st.sampled_from("é\u0301が한"), st.characters()), max_size=40)


def plain_distance(one: str, other: str) -> int:
    """The restricted Damerau-Levenshtein distance by the whole table."""
    table = [[max(i, j) if not i or not j else 0 for j in range(len(other) + 1)] for i in range(len(one) + 1)]
    for i in range(1, len(one) + 1):
        for j in range(1, len(other) + 1):
            cost = one[i - 1] != other[j - 1]
            table[i][j] = min(table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + cost)
            if i > 1 and j > 1 and one[i - 1] == other[j - 2] and one[i - 2] == other[j - 1]:
                table[i][j] = min(table[i][j], table[i - 2][j - 2] + 1)
    return table[-1][-1]


@given(near, near, st.integers(0, 3))
def test_slips_within_the_limit_are_those_of_the_whole_table(one: str, other: str, limit: int) -> None:
    slips = plain_distance(one, other)
    assert distance_within(one, other, limit) == (slips if slips <= limit else None)


@pytest.mark.parametrize(("one", "other", "slips"), [("friend", "freind", 1), ("abc", "abcd", 1), ("ab", "ba", 1)])
def test_a_letter_put_in_and_two_exchanged_are_one_slip(one: str, other: str, slips: int) -> None:
    assert distance_within(one, other, 2) == slips


@given(texts, texts)
def test_the_parts_make_up_both_texts(one: str, other: str) -> None:
    found = differences(one, other)
    assert "".join(part.text for part in found if part.part is not Part.MISSING) == one
    assert "".join(part.text for part in found if part.part is not Part.EXTRA) == other
    assert all(part.text for part in found)


@given(texts)
def test_equal_texts_have_one_part(text: str) -> None:
    assert [part.part for part in differences(text, text)] == ([Part.SAME] if text else [])


def test_long_texts_differ_by_words_and_longer_ones_by_a_block() -> None:
    words = [f"word{at}" for at in range(60)]
    one, other = " ".join(words), " ".join([*words[:1], "new", *words[1:-1], "last", words[-1]])
    assert [part.text.strip() for part in differences(one, other) if part.part is not Part.SAME] == ["new", "last"]
    block = differences("a" + "b c " * 500 + "d", "a" + "c b " * 500 + "d")
    assert len(block) <= 4


@pytest.mark.parametrize(("given", "expected"), [("Pariss", "Madrid"), ("Pariss", "Rome"), ("Pariss", "The entropy")])
def test_texts_that_share_little_are_shown_whole(given: str, expected: str) -> None:
    assert differences(given, expected) == (Segment(given, Part.EXTRA), Segment(expected, Part.MISSING))
