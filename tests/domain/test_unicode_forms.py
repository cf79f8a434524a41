from __future__ import annotations

import sys
import unicodedata
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.unicode_forms import MARKS_IN_A_RUN, normal_form

FORMS: list[Literal["NFC", "NFD", "NFKC", "NFKD"]] = ["NFC", "NFD", "NFKC", "NFKD"]
MARKS = "\u0301\u0316"  # above and below: their order has to be found
# Marks that are none by their own class but decompose to some.
HIDDEN_MARKS = ["\u0f73\u0f75", "\u0301\uff9e", "\u0344\u0316", "\u0f81\u0f73"]


@given(st.text(max_size=200), st.sampled_from(FORMS))
def test_ordinary_text_gets_its_normal_form(text: str, form: Literal["NFC", "NFD", "NFKC", "NFKD"]) -> None:
    assert normal_form(form, text) == unicodedata.normalize(form, text)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("marks", [MARKS, *HIDDEN_MARKS])
def test_no_run_of_marks_is_longer_than_the_stream_safe_format_allows(
    form: Literal["NFC", "NFD", "NFKC", "NFKD"], marks: str
) -> None:
    """A million marks: with the plain function this test would run for half an hour."""
    result = normal_form(form, "a" + marks * 500_000 + "b" + marks * 10)
    assert len(result) < 8 * MARKS_IN_A_RUN
    assert unicodedata.normalize("NFD", result).startswith("a")
    assert "b" in result


def test_a_run_of_exactly_thirty_is_kept() -> None:
    text = "a" + "\u0316" * MARKS_IN_A_RUN
    assert normal_form("NFD", text) == text
    assert normal_form("NFD", text + "\u0316") == text


def test_every_character_that_decomposes_to_marks_counts_as_one() -> None:
    """Any character, repeated among marks, leaves no long run in the compatibility decomposition."""
    for point in range(0x300, min(sys.maxunicode, 0x1E950)):
        character = chr(point)
        decomposed = unicodedata.normalize("NFKD", character)
        if unicodedata.combining(decomposed[0]):
            run = normal_form("NFKD", "a" + (character + MARKS) * 40)
            assert len(run) <= 1 + MARKS_IN_A_RUN * 4, hex(point)
