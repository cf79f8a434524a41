"""Quizlet's text: terms, tabs, definitions of one line or several."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.cards import clean_text
from app.domain.errors import InvalidInput
from app.domain.transfer.quizlet import parse_quizlet
from app.domain.transfer.rows import Limits, Reason

DATA = Path(__file__).parents[2] / "data" / "text"


def _sides(content: bytes | str, **options) -> list[tuple[int, str, str]]:
    return [(row.line, row.front, row.back) for row in parse_quizlet(content, **options).rows]


def test_a_definition_keeps_its_second_line_and_the_line_is_reported() -> None:
    parsed = parse_quizlet("t1\td1\n- more\nt2\td;2")
    assert [(row.line, row.front, row.back) for row in parsed.rows] == [(1, "t1", "d1\n- more"), (3, "t2", "d;2")]
    assert [(warning.line, warning.reason) for warning in parsed.warnings] == [(2, Reason.NO_SEPARATOR)]
    assert parsed.problems == ()


def test_with_the_line_end_chosen_a_row_without_a_tab_is_a_problem() -> None:
    parsed = parse_quizlet("t1\td1\n- more\nt2\td;2", row_separator="\\n")
    assert [row.back for row in parsed.rows] == ["d1", "d;2"]
    assert [(problem.line, problem.reason) for problem in parsed.problems] == [(2, Reason.NO_SEPARATOR)]


def test_blank_lines_between_rows_are_seen_by_themselves_and_can_be_chosen() -> None:
    content = (DATA / "quizlet.txt").read_bytes()
    for options in ({}, {"row_separator": "\n\n"}, {"row_separator": "\\n\\n"}):
        parsed = parse_quizlet(content, **options)
        assert [(row.line, row.front, row.back) for row in parsed.rows] == [
            (1, "photosynthesis", "light to sugar\n- in leaves\n- by day"),
            (7, "osmosis", "water; through a membrane"),
            (9, "mitosis", "one cell\tbecomes two"),
        ]
        assert [(problem.line, problem.reason) for problem in parsed.problems] == [(5, Reason.NO_SEPARATOR)]
        assert parsed.row_separator == "\n\n"


def test_separators_of_ones_own() -> None:
    assert _sides("a, b=c;\nd=e\nf;g=", between="=", row_separator=";") == [(1, "a, b", "c"), (2, "d", "e\nf")]
    assert _sides("a - b\nc - d", between=" - ") == [(1, "a", "b"), (2, "c", "d")]
    assert _sides("a\tb\n\n\nc\td\n") == [(1, "a", "b"), (4, "c", "d")]


def test_a_first_line_without_a_tab_and_empty_sides_are_problems() -> None:
    parsed = parse_quizlet("title\na\t\n\tb\nc\td")
    assert [(row.line, row.front) for row in parsed.rows] == [(4, "c")]
    assert [(problem.line, problem.reason) for problem in parsed.problems] == [
        (1, Reason.NO_SEPARATOR),
        (2, Reason.INVALID_TEXT),
        (3, Reason.INVALID_TEXT),
    ]


@pytest.mark.parametrize(
    ("between", "row_separator"), [("", None), ("\t", ""), ("\t", "\\t"), ("x" * 21, None), ("\n", None)]
)
def test_separators_that_are_none_are_refused(between: str, row_separator: str | None) -> None:
    with pytest.raises(InvalidInput):
        parse_quizlet("a\tb", between=between, row_separator=row_separator)


words = st.text(st.sampled_from(list("ab ,;\"'#é한<>-")), min_size=1, max_size=10).filter(str.strip)
definitions = st.lists(words, min_size=1, max_size=3).map("\n".join)


@given(st.lists(st.tuples(words, definitions), min_size=1, max_size=5), st.sampled_from(["\n\n", "===", None]))
def test_what_was_joined_comes_apart_the_same(rows: list[tuple[str, str]], row_separator: str | None) -> None:
    text = (row_separator or "\n").join("\t".join(row) for row in rows)
    parsed = parse_quizlet(text, row_separator=row_separator)
    assert [(row.front, row.back) for row in parsed.rows] == [
        (clean_text(front, "front", 99), clean_text(back, "back", 99)) for front, back in rows
    ]
    assert parsed.problems == ()


@given(
    st.one_of(st.binary(max_size=60), st.text(max_size=60), st.text(st.sampled_from(list("a\t\n ;\0\r")), max_size=40)),
    st.sampled_from([None, "\n", "\n\n", ";", "aa"]),
)
def test_whatever_is_sent_there_are_rows_and_problems_or_the_one_error(content, row_separator) -> None:
    try:
        parsed = parse_quizlet(content, row_separator=row_separator, limits=Limits(rows=3))
    except InvalidInput:
        return
    assert all(row.line >= 1 for row in parsed.rows)
    assert all(str(problem) for problem in (*parsed.problems, *parsed.warnings))


@pytest.mark.parametrize("piece", ["\n", "\t", "\n \n", "a\t", "a\n", "a\tb\n", "a\tb\n\n", " "])
def test_long_texts_are_read_within_the_limits(piece: str) -> None:
    parsed = parse_quizlet(piece * (200_000 // len(piece)), limits=Limits(rows=500))
    assert len(parsed.rows) <= 500
