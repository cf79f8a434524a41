"""Scopes are read and written in one form, and each has its sentence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.errors import InvalidInput
from app.domain.scopes import DEFAULT_SCOPES, SENTENCES, Group, Scope, format_scopes, parse_scopes


def test_the_scopes_are_the_published_ones_in_order() -> None:
    assert format_scopes(Scope) == (
        "email profile decks:read decks:write stats:read study:write study:render memory:read memory:write "
        "offline_access"
    )


@given(st.sets(st.sampled_from(Scope)))
def test_what_was_written_reads_the_same(scopes: set[Scope]) -> None:
    assert parse_scopes(format_scopes(scopes)) == scopes
    assert parse_scopes(reversed([*scopes])) == scopes
    assert format_scopes([*reversed([*scopes]), *scopes]) == format_scopes(scopes)


def test_nothing_is_no_scope() -> None:
    assert parse_scopes("  ") == parse_scopes([]) == frozenset()
    assert format_scopes([]) == ""


@pytest.mark.parametrize("value", ["decks:read admin", "DECKS:READ", ["decks:read email"], [""], "decks:*"])
def test_an_unknown_scope_is_refused_without_being_repeated(value: str | list[str]) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_scopes(value)
    assert "admin" not in str(caught.value)
    assert "memory:write" in str(caught.value)


def test_each_scope_has_one_sentence_in_order() -> None:
    assert [sentence.scope for sentence in SENTENCES] == list(Scope)
    assert all(sentence.text and not sentence.text.endswith(".") for sentence in SENTENCES)


def test_reading_scopes_only_see_and_writing_scopes_warn_of_deletion() -> None:
    by_scope = {sentence.scope: sentence for sentence in SENTENCES}
    for scope in (Scope.DECKS_READ, Scope.STATS_READ, Scope.MEMORY_READ):
        assert by_scope[scope].group is Group.SEE
    assert {scope for scope in Scope if by_scope[scope].deletes} == {Scope.DECKS_WRITE, Scope.MEMORY_WRITE}


def test_the_default_set_offers_every_tool() -> None:
    assert set(Scope) - DEFAULT_SCOPES == {Scope.OFFLINE_ACCESS}
