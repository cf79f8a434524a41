from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.core import tokens


def test_a_new_token_is_well_formed_for_its_kind_and_for_no_other() -> None:
    token = tokens.new_token(tokens.ACCESS_KEY)
    assert token.startswith("loci_pat_")
    assert len(token) == len("loci_pat_") + 38
    assert tokens.is_well_formed(token, tokens.ACCESS_KEY)
    assert not tokens.is_well_formed(token, tokens.WEB_SESSION)


def test_no_two_tokens_are_alike() -> None:
    assert len({tokens.new_token(tokens.ACCESS_KEY) for _ in range(1000)}) == 1000


@given(place=st.integers(min_value=0, max_value=37), letter=st.sampled_from("0AaZz9-_ é"))
def test_one_changed_letter_is_noticed(place: int, letter: str) -> None:
    token = "loci_pat_0123456789abcdefghijklmnopqrstuv"
    token += tokens._checksum(token)
    assert tokens.is_well_formed(token, tokens.ACCESS_KEY)
    at = len("loci_pat_") + place
    changed = token[:at] + letter + token[at + 1 :]
    assert tokens.is_well_formed(changed, tokens.ACCESS_KEY) == (changed == token)


@given(st.text(max_size=60))
def test_any_text_can_be_asked_about(text: str) -> None:
    assert not tokens.is_well_formed(text, tokens.ACCESS_KEY)


def test_what_is_stored_does_not_hold_the_token() -> None:
    token = tokens.new_token(tokens.ACCESS_KEY)
    assert len(tokens.token_hash(token)) == 32
    assert token.encode() not in tokens.token_hash(token)
