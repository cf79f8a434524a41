"""Frontmatter: plain values in, the same values out, nothing that runs or explodes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.errors import InvalidInput
from app.domain.frontmatter import from_document, parse_yaml, to_document, to_yaml

TEXT = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\0"), max_size=20)
NUMBERS = st.integers(-(10**18), 10**18) | st.floats(allow_nan=False, allow_infinity=False)
SCALARS = st.none() | st.booleans() | NUMBERS | TEXT | st.sampled_from(
    ["no", "yes", "on", "012", "0x1f", "1_000", "2026-07-05", "12:30", "~", "null", "true", "<<", "=", "-", "a: b",
     "# x", "'", '"', "- a", "| x", "%a", "@x", "`", "!x", "&a", "*a", "1e5", "1.", ".5", "+1", ".inf", ".nan", " x ",
     "", "a\nb", " a\n b\n", "\n", "a\u2028b", "\x85"]
)  # fmt: skip
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3), max_leaves=8
)
MAPPINGS = st.dictionaries(TEXT, VALUES, max_size=5)


@given(MAPPINGS)
def test_values_come_back_as_they_went(values: dict[str, Any]):
    back = parse_yaml(to_yaml(values))
    assert back == values
    assert list(back) == list(values)


@given(MAPPINGS, TEXT | st.sampled_from(["---\na: 1\n---\nx", "---\n---\n", "---", "\ufeffx", "...\n"]))
def test_a_document_comes_apart_as_it_was_put_together(values: dict[str, Any], body: str):
    assert from_document(to_document(values, body)) == (values, body)


def test_values_are_those_that_people_see():
    assert parse_yaml("a: no\nb: 012\nc: 2026-07-05\nd: 1.5\ne: [1, true, ~]\nf:\n'2': x\n3: y\ng: 12:30") == {
        "a": "no", "b": "012", "c": "2026-07-05", "d": 1.5, "e": [1, True, None], "f": None, "2": "x", "3": "y",
        "g": "12:30",
    }  # fmt: skip
    assert to_yaml({"date": "2026-07-05", "no": "no"}) == "date: 2026-07-05\nno: no\n"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("no fences", ({}, "no fences")),
        ("---\n---\nx", ({}, "x")),
        ("---\na: 1\n---", ({"a": 1}, "")),
        ("---\r\na: 1\r\n---\r\nx\r\n", ({"a": 1}, "x\r\n")),
        ("---\nno end", ({}, "---\nno end")),
        ("\ufeff---\na: 1\n---\nx", ({"a": 1}, "x")),
        ("text\n---\na: 1\n---\n", ({}, "text\n---\na: 1\n---\n")),
        ("---\n# only a comment\n---\nx", ({}, "x")),
    ],
)
def test_fences_are_those_at_the_very_start(text: str, parts: tuple[dict[str, Any], str]):
    assert from_document(text) == parts


@pytest.mark.parametrize(
    "text",
    [
        "- a", "text", "a: b: c", "a: [", "a: !!python/object/apply:os.system [x]", "a: !x y", "a: &x 1\nb: *x",
        "a: 1\n---\nb: 2", "[" * 10_000, "{a: " * 100, "? [a]\n: b", "a: \x01", "x" * 40_000, "\t: x",
        "a: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]",
    ],
)  # fmt: skip
def test_what_is_no_plain_mapping_is_refused_without_being_repeated(text: str):
    with pytest.raises(InvalidInput) as refused:
        parse_yaml(text)
    assert refused.value.field == "frontmatter"
    assert "os.system" not in str(refused.value)
