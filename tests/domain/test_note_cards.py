"""Cards that a note holds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.note_cards import Form, FoundCard, cards_in, lines_for, plain

NOTE = """---not a heading
# Capitals

capital of Japan :: Tokyo
- **France** :: [[Paris|the city of Paris]]
1. [ ] numbered :: yes

## Questions

Q: Capital of Peru?
A: Lima
and nothing else

**Q:** Without an answer

- Q: In a list?
- A: Yes

質問：한국？
答：서울

## Gaps

The capital of {{c1::Spain}} is {{c2::Madrid::a city}}.

```
code :: is no card
```
std::vector is none, nor a::b
"""


def test_every_form_is_found_with_its_heading_and_lines():
    found = cards_in(NOTE)
    assert [(card.form, card.front, card.back, card.heading) for card in found] == [
        (Form.LINE, "capital of Japan", "Tokyo", "Capitals"),
        (Form.LINE, "France", "the city of Paris", "Capitals"),
        (Form.LINE, "numbered", "yes", "Capitals"),
        (Form.QUESTION, "Capital of Peru?", "Lima\nand nothing else", "Questions"),
        (Form.QUESTION, "In a list?", "Yes", "Questions"),
        (
            Form.CLOZE,
            "The capital of {{c1::Spain}} is {{c2::Madrid::a city}}.",
            "The capital of Spain is Madrid.",
            "Gaps",
        ),
    ]
    assert {card.form for card in found} == {Form.LINE, Form.QUESTION, Form.CLOZE}
    assert all(card.source in NOTE for card in found)


def test_sections_are_offered_when_they_are_asked_for():
    found = list(cards_in("# One\n\ntext\n\n## Two\n\n# Three\nmore", headings=True))
    assert [(card.front, card.back) for card in found] == [("One", "text"), ("Three", "more")]
    assert all(card.form is Form.HEADING for card in found)


def test_a_card_is_offered_once_and_one_that_is_too_long_is_marked():
    assert len(cards_in("a :: b\na :: b")) == 1
    assert len(cards_in("\n".join(f"f{n} :: b" for n in range(300)))) == 300
    (long,) = cards_in("front :: " + "x" * 4001)
    assert not long.fits
    assert FoundCard(Form.LINE, "a", "b", "", "").fits


@pytest.mark.parametrize(
    ("markdown", "text"),
    [("**a** and `b`", "a and b"), ("[[x/y|z]] [[w]]", "z w"), ("2 * 3 * 4", "2 * 3 * 4"), ("~~no~~", "no")],
)
def test_marks_are_taken_out_of_plain_sides(markdown: str, text: str):
    assert plain(markdown) == text


@given(st.lists(st.sampled_from(["Q: x", "A: y", "a :: b", "{{c1::z}}", "# h", "", "```", "text", "- ", "Q:", "A:"])))
def test_the_lines_of_a_card_are_lines_of_the_note(lines: list[str]):
    body = "\n".join(lines)
    for card in cards_in(body, headings=True):
        assert card.source in body


@pytest.mark.parametrize(
    "body",
    [
        "# a" + " " * 900_000 + "b",
        "# a" + "# " * 400_000,
        "x :: " + "`a " * 330_000,
        "x :: " + "**a " * 250_000,
        "x" + " " * 900_000 + ":: y",
        "# a " + "`" * 1_000_000,
        ("x :: " + "**a " * 2_500 + "\n") * 20,
    ],
)
def test_a_hostile_body_is_read_like_any_other(body: str) -> None:
    """Patterns that try again and again would keep the test from ending."""
    assert all(len(card.front) <= len(body) for card in cards_in(body, headings=True))


def test_the_signs_that_close_a_heading_are_no_part_of_it() -> None:
    found = cards_in("## Birds ##  \nowl :: night\n### C# #\nx :: y\n# F#\nz :: w\n")
    assert [card.heading for card in found] == ["Birds", "C#", "F#"]


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        ("Q: a?\nA: b\nfront :: back", [("a?", "b"), ("front", "back")]),
        ("Q: a?\nA: b\nIt is {{c1::c}}.", [("a?", "b"), ("It is {{c1::c}}.", "It is c.")]),
        ("Q: a\nand more?\nA: b\nand more", [("a\nand more?", "b\nand more")]),
        ("Q: a?\n \t\nA: b", [("a?", "b")]),
        ("Q: a?\nA: one\nA: two", [("a?", "one")]),
        ("Q: a?\nA: b\n- c\n- d\n\nprose", [("a?", "b\n- c\n- d")]),
        ("Q: a?\nA: b\n```\ncode\n```", [("a?", "b")]),
        ("Q: a?\nfront :: back\nA: b", [("front", "back")]),
        ("Q: without\n\nprose\n\nA: far away", []),
        ("Q: a?\nQ: b?\nA: c", [("b?", "c")]),
    ],
)
def test_a_question_and_its_answer_end_where_another_card_begins(text: str, cards: list[tuple[str, str]]) -> None:
    for ending in ("\n", "\r\n"):
        assert [(card.front, card.back) for card in cards_in(text.replace("\n", ending))] == cards


def test_a_checked_card_is_watched_by_the_lines_of_today() -> None:
    about = {"source": "Pi :: 3.14", "heading": "Maths", "front": "Pi", "back": "3.14"}
    assert lines_for("# Maths\r\nPi :: 3.14\r\n", **about) == "Pi :: 3.14"
    assert lines_for("# Maths\nPi :: 3.1416\n", **about) == "Pi :: 3.1416"
    assert lines_for("# Maths\nThe number :: 3.14\n", **about) == "The number :: 3.14"
    assert lines_for("# Maths\n\nPi is about 3.14.\n\n# More\nx", **about) == "# Maths\n\nPi is about 3.14."
    assert lines_for("Nothing of it.", **about) == ""
