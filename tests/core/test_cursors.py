from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core import cursors
from app.domain.errors import InvalidInput


@given(st.tuples(st.integers(min_value=-(2**63), max_value=2**63 - 1), st.text(max_size=40)))
def test_a_cursor_gives_back_its_key(key: tuple[int, str]) -> None:
    assert cursors.decode(cursors.encode("decks", key), "decks", tuple[int, str]) == key


def test_no_cursor_means_the_first_page() -> None:
    assert cursors.decode(None, "decks", tuple[int]) is None
    assert cursors.decode("", "decks", tuple[int]) is None


@pytest.mark.parametrize(
    "cursor",
    [
        "x",
        "!!!",
        "é",
        "W10",
        "e30",
        "bnVsbA",
        cursors.encode("cards", (1,)),
        cursors.encode("decks", ("a",)),
        "A" * 5000,
    ],
)
def test_any_other_text_is_refused_as_bad_input(cursor: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        cursors.decode(cursor, "decks", tuple[int])
    assert refusal.value.field == "cursor"


@given(st.text(max_size=200))
def test_no_text_breaks_it(text: str) -> None:
    try:
        cursors.decode(text, "decks", tuple[int])
    except InvalidInput:
        pass
