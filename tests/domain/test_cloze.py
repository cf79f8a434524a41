"""What a cloze text asks, shows and wants typed."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.cloze import (
    Segment,
    SegmentKind,
    answer,
    cloze_numbers,
    gap_texts,
    is_cloze,
    question,
    revealed,
    typed_answer,
)
from app.domain.errors import InvalidInput

TEXT, GAP, ANSWER = SegmentKind.TEXT, SegmentKind.GAP, SegmentKind.ANSWER

fragments = st.sampled_from(
    [
        *(
            "{{c1::",
            "{{c2::",
            "{{c1,3::",
            "{{c0::",
            "{{c501::",
            "{{c,::",
            "{{c007::",
            "}}",
            "::",
            "{",
            "}",
            "{{",
            "a",
            " ",
        ),
        *(r"\(", r"\)", r"\[", r"\]", "\\", r"\{", r"\}", "\n", "é", "한", "<b>", "&amp;"),
    ]
)
soup = st.one_of(st.lists(fragments, max_size=25).map("".join), st.text(max_size=40))


def _shown(text: str) -> dict[int, tuple[str, str, str]]:
    return {
        number: (question(text, number).plain, answer(text, number).plain, typed_answer(text, number))
        for number in cloze_numbers(text)
    }


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("{{c1::Paris}} is in France", {1: ("[...] is in France", "Paris is in France", "Paris")}),
        ("{{c1::Paris::city}}", {1: ("[city]", "Paris", "Paris")}),
        ("{{c1::a}} {{c2::b}}", {1: ("[...] b", "a b", "a"), 2: ("a [...]", "a b", "b")}),
        ("{{c1,2::x}} {{c2::y}}", {1: ("[...] y", "x y", "x"), 2: ("[...] [...]", "x y", "x, y")}),
        ("{{c1::a}}, {{c1::b::h}}", {1: ("[...], [h]", "a, b", "a, b")}),
        ("{{c1::s}} {{c1::s}}", {1: ("[...] [...]", "s s", "s")}),
        ("{{c1::a {{c2::b::i}} c::h}}", {1: ("[h]", "a b c", "a b c"), 2: ("a [i] c", "a b c", "b")}),
        ("{{c1::a {{c1::b}}}}", {1: ("[...]", "a b", "a b")}),
        ("{{c1::a::h {{c2::b}} c}}", {1: ("[h ]", "ab c", "ab c"), 2: ("a[...] c", "ab c", "b")}),
        ("{{c1::a::h::k}}", {1: ("[h::k]", "a", "a")}),
        ("{{c1::a::}}", {1: ("[...]", "a", "a")}),
        ("{{c1::}}", {1: ("[...]", "", "")}),
        ("{{c007::x}} {{c500::y}}", {7: ("[...] y", "x y", "x"), 500: ("x [...]", "x y", "y")}),
        ("{{c1,0,,501::x}}", {1: ("[...]", "x", "x")}),
        ("{{c1::L1\nL2}}", {1: ("[...]", "L1\nL2", "L1\nL2")}),
        ("{{{c1::x}}}", {1: ("{[...]}", "{x}", "x")}),
        ("a::b {{c1::c}}", {1: ("a::b [...]", "a::b c", "c")}),
    ],
)
def test_each_number_is_a_question_of_its_own(text: str, shown: dict[int, tuple[str, str, str]]) -> None:
    assert _shown(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain",
        "{{c1::never closed",
        "closed}} only",
        "{{c1:one colon}}",
        "{{C1::x}}",
        "{{c::x}}",
        "{{c0::x}}",
        "{{c501::x}}",
        "{{c99999999999999999999::x}}",
        "{{c1, 2::x}}",
        "{{c٣::x}}",
        "{{front}}",
        "{ {c1::x}}",
        r"{{c1::\(x}}\)",
    ],
)
def test_what_is_no_deletion_is_text(text: str) -> None:
    assert cloze_numbers(text) == ()
    assert not is_cloze(text)
    assert revealed(text) == text
    with pytest.raises(InvalidInput):
        question(text, 1)


def test_an_unclosed_deletion_is_text_and_those_in_it_count() -> None:
    assert _shown("{{c1::a::h {{c2::b::i}} c") == {2: ("{{c1::a::h [i] c", "{{c1::a::h b c", "b")}


@pytest.mark.parametrize(
    ("text", "asked", "hidden"),
    [
        (r"{{c1::\(x^{2^{3}}\)}} y", "[...] y", r"\(x^{2^{3}}\)"),
        (r"{{c1::\[\frac{a}{b_{c}}\]::h}}", "[h]", r"\[\frac{a}{b_{c}}\]"),
        (r"{{c1::\(x :: Int\)}}", "[...]", r"\(x :: Int\)"),
        (r"\({{c1::\frac{a}{b}}}+{{c1::c::h}}\)", r"\([...]+[h]\)", r"\frac{a}{b}, c"),
        (r"\(\frac{{{c1::a}}}{b}\)", r"\(\frac{[...]}{b}\)", "a"),
        (r"\({{c1::\{x\}}}\)", r"\([...]\)", r"\{x\}"),
        (r"\({{c1::a\) b}}", r"\([...]", r"a\) b"),
        (r"\( never closed {{c1::{a}}", r"\( never closed [...]", "{a"),
        (r"{{c1::\(a\)}} {b}}", r"[...] {b}}", r"\(a\)"),
    ],
)
def test_braces_of_a_formula_close_nothing_outside_it(text: str, asked: str, hidden: str) -> None:
    assert question(text, 1).plain == asked
    assert typed_answer(text, 1) == hidden


def test_the_segments_name_what_a_page_marks() -> None:
    text = "{{c2::The}} capital of {{c1::France::country}} is {{c2::{{c1::Paris}}}}."
    assert question(text, 1).segments == (
        Segment(TEXT, "The capital of "),
        Segment(GAP, "country"),
        Segment(TEXT, " is "),
        Segment(GAP, ""),
        Segment(TEXT, "."),
    )
    assert answer(text, 2).segments == (
        Segment(ANSWER, "The"),
        Segment(TEXT, " capital of France is "),
        Segment(ANSWER, "Paris"),
        Segment(TEXT, "."),
    )
    assert gap_texts(text, 1) == ("France", "Paris")


def test_a_number_that_is_not_there_is_refused_without_the_text() -> None:
    with pytest.raises(InvalidInput) as caught:
        answer("{{c1::secret}}", 2)
    assert "2" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_deletions_nest_ten_deep_and_what_is_deeper_is_text() -> None:
    text = "".join(f"{{{{c{n}::{n} " for n in range(1, 13)) + "}}" * 12
    assert cloze_numbers(text) == tuple(range(1, 11))
    assert question(text, 10).plain == "1 2 3 4 5 6 7 8 9 [...]"
    assert typed_answer(text, 10) == "10 {{c11::11 {{c12::12 }}}}"


@given(soup)
def test_whatever_the_text_every_number_has_a_question_and_an_answer(text: str) -> None:
    numbers = cloze_numbers(text)
    assert list(numbers) == sorted(set(numbers))
    assert all(1 <= number <= 500 for number in numbers)
    for number in numbers:
        asked, told = question(text, number), answer(text, number)
        assert [s.kind is TEXT for s in asked.segments] == [s.kind is TEXT for s in told.segments]
        assert [s.text for s in asked.segments if s.kind is TEXT] == [s.text for s in told.segments if s.kind is TEXT]
        assert told.plain == revealed(text)
        assert len(gap_texts(text, number)) >= 1
    assert is_cloze(text) == bool(numbers)
    if not numbers:
        assert revealed(text) == text


plain = st.text("ab :,.é한", max_size=6).filter(lambda text: "::" not in text and not text.endswith(":"))


@given(st.lists(st.tuples(plain, st.integers(1, 500), plain, plain), min_size=1, max_size=6), plain)
def test_a_text_that_was_put_together_comes_apart_the_same(parts: list[tuple[str, int, str, str]], after: str) -> None:
    text = "".join(f"{before}{{{{c{n}::{hidden}::{hint}}}}}" for before, n, hidden, hint in parts) + after
    assert cloze_numbers(text) == tuple(sorted({n for _, n, _, _ in parts}))
    for number in cloze_numbers(text):
        asked = "".join(before + (f"[{hint or '...'}]" if n == number else hidden) for before, n, hidden, hint in parts)
        assert question(text, number).plain == asked + after
        assert gap_texts(text, number) == tuple(hidden for _, n, hidden, _ in parts if n == number)


@pytest.mark.parametrize(
    "piece",
    [
        *("{{c1::", "{{c", "{{c1", "{{c1,", "}}", "::", "{", "{{c1::}}", "{{c1::::", "{{c1::a::b}}", "{{c1::{{c1::}}"),
        *("<", "<p>", "{{c1::<", "\\", r"\(", r"\(}}\)", r"\({{c1::", r"\({{c1::{", r"\[", r"{{c1::\(", r"\(\["),
        r"{{c1::\(x\)}}",
    ],
)
def test_a_hostile_text_takes_time_in_proportion(piece: str) -> None:
    text = piece * 20_000
    start = time.process_time()
    if 1 in cloze_numbers(text):
        answer(text, 1)
    assert time.process_time() - start < 2


def test_fifty_thousand_openings_are_read_in_a_moment() -> None:
    text = "{{c1::" * 50_000
    start = time.process_time()
    assert cloze_numbers(text) == ()
    assert cloze_numbers(text + "}}" * 50_000) == (1,)
    assert time.process_time() - start < 3
