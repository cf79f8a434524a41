"""Cards as JSON: shapes that are known, and the place and reason of every row that is no card."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.errors import InvalidInput
from app.domain.transfer.json_cards import parse_json_cards
from app.domain.transfer.rows import Limits, ParsedRow, Reason

DATA = Path(__file__).parents[2] / "data" / "text"


def test_a_file_with_every_kind_of_row() -> None:
    parsed = parse_json_cards((DATA / "cards.json").read_bytes())
    assert parsed.rows == (
        ParsedRow(1, "one", "1", ("n", "unit 1"), deck="Numbers", language="en"),
        ParsedRow(2, "zwei", "2", deck="Numbers", language="en"),
        ParsedRow(3, "three", "3", ("n", "odd"), deck="Numbers", language="en"),
        ParsedRow(10, "big", "123456789012345678901234567890", deck="Numbers", language="en"),
    )
    assert [(problem.line, problem.reason) for problem in parsed.problems] == [
        (4, Reason.INVALID_TEXT),
        (5, Reason.WRONG_TYPE),
        (6, Reason.WRONG_TYPE),
        (7, Reason.REPEATED_KEY),
        (8, Reason.WRONG_TYPE),
        (9, Reason.WRONG_TYPE),
    ]
    assert [(warning.line, warning.reason, warning.params) for warning in parsed.warnings] == [
        (0, Reason.LEFT_OUT, {"count": 1})
    ]
    assert parsed.numbered_by == "card"


def test_an_export_of_an_account_gives_its_cards_with_their_decks() -> None:
    card = {"id": 7, "deck_id": 3, "front": "f", "back": "b", "front_rich": "<p>f</p>", "back_rich": None}
    card |= {"tags": ["two words"], "language": None, "source_title": "S", "version": 1, "deleted_at": None}
    document = {
        "format": "loci-export",
        "version": 1,
        "exported_at": "2026-01-01T00:00:00Z",
        "account": None,
        "collections": [],
        "decks": [
            {"id": 3, "title": "D", "deleted_at": None},
            {"id": 4, "title": "gone", "deleted_at": "2026-01-01T00:00:00Z"},
        ],
        "cards": [
            card,
            card | {"deleted_at": "2026-01-01T00:00:00Z"},
            card | {"deck_id": 4},
            card | {"deck_id": [4]},
            None,
        ],
    }
    parsed = parse_json_cards("\ufeff" + json.dumps(document))
    assert parsed.rows == (
        ParsedRow(1, "f", "b", ("two words",), "<p>f</p>", None, "D", None, "S"),
        ParsedRow(4, "f", "b", ("two words",), "<p>f</p>", None, None, None, "S"),
    )
    assert [(problem.line, problem.reason) for problem in parsed.problems] == [
        (2, Reason.IN_TRASH),
        (3, Reason.IN_TRASH),
        (5, Reason.WRONG_TYPE),
    ]
    assert parsed.warnings == ()
    for change in ({"version": 3}, {"cards": None}, {"decks": {}}):
        with pytest.raises(InvalidInput):
            parse_json_cards(json.dumps(document | change))


@pytest.mark.parametrize(
    ("text", "line"),
    [("", 1), ("[", 1), ('[{"front": "secret"\n"back"}]', 2), ("nonsense", 1), ('["a"', 1), ("[1,]", 1), ('"\n"', 1)],
)
def test_what_is_no_json_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_json_cards(text)
    assert caught.value.params["line"] == line
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("text", ["1", '"cards"', "{}", '{"cards": {}}', '{"cards": [], "cards": []}', "null", "NaN"])
def test_json_without_a_list_of_cards_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        parse_json_cards(text)


@pytest.mark.parametrize("text", ["[" * 500_000, '{"a":' * 200_000, "[" * 33 + "]" * 33])
def test_deep_nesting_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_json_cards(text)
    assert caught.value.params["max"] == 32


@pytest.mark.parametrize("text", ['"' * 1_000_000, '"\\"' * 300_000, "[" + "9" * 1_000_000 + "]", '["' + "[" * 999_999])
def test_a_million_hostile_characters_end_in_the_one_error_or_in_problems(text: str) -> None:
    try:
        assert parse_json_cards(text).rows == ()
    except InvalidInput:
        pass


def test_numbers_are_text_as_they_are_written() -> None:
    rows = parse_json_cards(f"[[1.50, 1e9], [{'7' * 900}, -0]]").rows
    assert [(row.front, row.back) for row in rows] == [("1.50", "1e9"), ("7" * 900, "-0")]
    assert [type(row.front) for row in rows] == [str, str]


@pytest.mark.parametrize("value", ["true", "false", "NaN", "-Infinity", "[]", "{}"])
def test_other_types_are_problems(value: str) -> None:
    parsed = parse_json_cards(f'[{{"front": "a", "back": {value}}}]')
    assert [problem.reason for problem in parsed.problems] == [Reason.WRONG_TYPE]


def test_rows_beyond_the_limit_are_one_problem() -> None:
    parsed = parse_json_cards(json.dumps([["a", "b"]] * 9), limits=Limits(rows=4))
    assert len(parsed.rows) == 4
    assert [(problem.line, problem.reason) for problem in parsed.problems] == [(5, Reason.TOO_MANY_ROWS)]


words = st.text('ab é한"\\/<>{}', min_size=1, max_size=8).filter(str.strip)


@given(st.lists(st.tuples(words, words), max_size=5), st.sampled_from(["objects", "pairs", "cards"]))
def test_what_was_written_is_read_back(rows: list[tuple[str, str]], shape: str) -> None:
    objects = [{"front": front, "back": back} for front, back in rows]
    document = {"objects": objects, "pairs": rows, "cards": {"cards": objects}}[shape]
    parsed = parse_json_cards(json.dumps(document))
    assert [(row.line, row.front, row.back) for row in parsed.rows] == [
        (place, front.strip(), back.strip()) for place, (front, back) in enumerate(rows, 1)
    ]


scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5))
keys = st.one_of(
    st.sampled_from(
        ["front", "back", "tags", "cards", "decks", "deck_id", "format", "version", "language", "frontRich"]
    ),
    st.text(max_size=5),
)
values = st.recursive(
    st.one_of(scalars, st.sampled_from(["loci-export", 1])),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(keys, inner, max_size=5)),
    max_leaves=20,
)


@given(st.one_of(st.binary(max_size=40), st.text(max_size=40), values.map(json.dumps)))
def test_whatever_is_sent_there_are_rows_and_problems_or_the_one_error(content) -> None:
    try:
        parsed = parse_json_cards(content)
    except InvalidInput:
        return
    assert all(str(problem) for problem in (*parsed.problems, *parsed.warnings))
