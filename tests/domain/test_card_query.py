from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.calendar import StudyClock
from app.domain.card_query import CardQuery, CardState, Part, StatePart, due_before, parse_card_query
from app.domain.errors import InvalidInput


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", CardQuery()),
        ("  \n", CardQuery()),
        ("river sea", CardQuery(texts=(Part("river"), Part("sea")))),
        ('-"river mouth" sea', CardQuery(texts=(Part("river mouth", negated=True), Part("sea")))),
        ("deck:Capitals", CardQuery(decks=(Part("Capitals"),))),
        ('Deck:"World capitals" -tag:x', CardQuery(decks=(Part("World capitals"),), tags=(Part("x", negated=True),))),
        ("is:DUE -is:leech", CardQuery(states=(StatePart(CardState.DUE), StatePart(CardState.LEECH, negated=True)))),
        ("10:30 https://a.b/c?d", CardQuery(texts=(Part("10:30"), Part("https://a.b/c?d")))),
        ('5" 6\'2" a"b', CardQuery(texts=(Part('5"'), Part("6'2\""), Part('a"b')))),
        (r'"say \"no\" \\ yes"', CardQuery(texts=(Part('say "no" \\ yes'),))),
        ('"is:due"', CardQuery(texts=(Part("is:due"),))),
        ("お酒 -한국", CardQuery(texts=(Part("お酒"), Part("한국", negated=True)))),
        ("tag:math::algebra", CardQuery(tags=(Part("math::algebra"),))),
    ],
)
def test_a_query_is_taken_apart(query: str, expected: CardQuery) -> None:
    assert parse_card_query(query) == expected


@pytest.mark.parametrize(
    ("query", "hint"),
    [
        ('"open', "Close it"),
        ('deck:"open', "Close it"),
        ('"a"b', "space after it"),
        ("deck:", "right after the colon"),
        ("tag: x", "right after the colon"),
        ("is:old", "new, learning, review, due, suspended, leech"),
        ("is:", "right after the colon"),
        ("state:new", "deck:, tag: and is:"),
        ("tags:x", "deck:, tag: and is:"),
        ("a - b", "right after it"),
        ('""', "right after it"),
        ("a " * 21, "at most 20"),
    ],
)
def test_what_cannot_be_read_is_refused_with_what_to_write(query: str, hint: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_card_query(query)
    assert hint in str(caught.value)
    assert caught.value.field == "query"


@given(st.text())
def test_any_text_is_parts_or_a_refusal(text: str) -> None:
    with suppress(InvalidInput):
        found = parse_card_query(text)
        assert all(part.value.strip() for part in (*found.texts, *found.decks, *found.tags))


@given(st.lists(st.text(min_size=1).filter(str.strip), max_size=5), st.booleans())
def test_any_text_can_be_written_in_quotes(texts: list[str], negated: bool) -> None:
    written = ['"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"' for text in texts]
    parts = tuple(Part(text, negated) for text in texts)
    for name, field in (("", "texts"), ("deck:", "decks"), ("tag:", "tags")):
        query = " ".join(f"{'-' if negated else ''}{name}{text}" for text in written)
        assert parse_card_query(query) == CardQuery(**{field: parts})


def test_due_before_is_a_day_of_the_person_or_a_time_with_its_offset() -> None:
    clock = StudyClock("Europe/Berlin", 4)
    assert due_before("2026-03-02", clock) == datetime(2026, 3, 2, 3, tzinfo=UTC)
    assert due_before(" 2026-03-02T18:00:00+02:00 ", clock) == datetime(2026, 3, 2, 16, tzinfo=UTC)
    assert due_before("2026-03-02T18:00:00Z", clock) == datetime(2026, 3, 2, 18, tzinfo=UTC)
    for wrong in ("", "soon", "2026-02-30", "2026-03-02T18:00:00", "0001-01-01", "9999-12-31", "20260302"):
        with pytest.raises(InvalidInput):
            due_before(wrong, clock)
