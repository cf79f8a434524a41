"""Question and answer of a cloze side with formatting, as HTML that stays as it is when it is cleaned once more."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.cloze import question
from app.domain.cloze_rich import rich_answer, rich_cloze_numbers, rich_gap_texts, rich_question
from app.domain.errors import InvalidInput
from app.domain.richtext import ALLOWED_TAGS, plain_from_rich, rich_from_plain, sanitize_rich

tags = [f"<{slash}{name}>" for name in sorted(ALLOWED_TAGS) for slash in ("", "/")]
sides = (
    st.lists(
        st.one_of(
            st.sampled_from(tags),
            st.sampled_from(["{{c1::", "{{c2::", "{{c1,2::", "}}", "}}", "::", "{", "}", "a", " ", "\n", "b c"]),
            st.sampled_from([r"\(", r"\)", "&lt;", "&am", "p;", "&", "<x", ">", "&nbsp;", "한"]),
        ),
        max_size=30,
    )
    .map("".join)
    .map(lambda html: sanitize_rich(html).html)
)


@pytest.mark.parametrize(
    ("html", "asked", "told"),
    [
        ("<p>{{c1::a}} b</p>", "<p><mark>[...]</mark> b</p>", "<p><mark>a</mark> b</p>"),
        (
            "<p>x {{c1::a <strong>b</strong>::h}} y</p>",
            "<p>x <mark>[h]</mark> y</p>",
            "<p>x <mark>a <strong>b</strong></mark> y</p>",
        ),
        (
            "<p>x {{c1::a</p><p>b}} y</p>",
            "<p>x <mark>[...]</mark> y</p>",
            "<p>x <mark>a</mark></p><p><mark>b</mark> y</p>",
        ),
        (
            "<ul><li>x {{c1::a</li><li>b}} y</li></ul>",
            "<ul><li>x <mark>[...]</mark> y</li></ul>",
            "<ul><li>x <mark>a</mark></li><li><mark>b</mark> y</li></ul>",
        ),
        (
            "<p>x {{c1::a</p><ul><li>b}} y</li></ul>",
            "<p>x <mark>[...]</mark></p><ul><li> y</li></ul>",
            "<p>x <mark>a</mark></p><ul><li><mark>b</mark> y</li></ul>",
        ),
        (
            "<em>x {{c1::a</em> b}}",
            "<em>x <mark>[...]</mark></em>",
            "<em>x <mark>a</mark></em><mark> b</mark>",
        ),
        (
            "{{c1::x::a <em>hint</em>}} {{c2::b <em>c</em>::<strong>h}} i</strong>",
            "<mark>[a hint]</mark> b <em>c</em><strong> i</strong>",
            "<mark>x</mark> b <em>c</em><strong> i</strong>",
        ),
        (
            "<h4>{{c2::a {{c1::&lt;b&gt;}}}}</h4>",
            "<h4>a <mark>[...]</mark></h4>",
            "<h4>a <mark>&lt;b&gt;</mark></h4>",
        ),
        ("{{c1::a<br>b}}", "<mark>[...]</mark>", "<mark>a<br>b</mark>"),
        (
            "{{c1::<ul>\n<li>a</li>\n</ul>}}",
            "<mark>[...]</mark>",
            "<ul>\n<li><mark>a</mark></li>\n</ul>",
        ),
    ],
)
def test_gaps_are_marked_and_tags_stay_whole(html: str, asked: str, told: str) -> None:
    assert sanitize_rich(html).html == html
    assert rich_question(html, 1) == asked
    assert rich_answer(html, 1) == told


def test_numbers_and_hidden_texts_read_like_those_of_plain_text() -> None:
    html = "<p>{{c3::a <strong>&amp;</strong> b::h<em>i</em>}}, {{c1,3::c</p><p>d}}</p>"
    assert rich_cloze_numbers(html) == (1, 3)
    assert rich_gap_texts(html, 3) == ("a & b", "c\nd")
    assert rich_gap_texts(html, 1) == ("c\nd",)


@pytest.mark.parametrize("show", [rich_question, rich_answer, rich_gap_texts])
def test_a_number_that_is_not_there_is_refused(show) -> None:
    with pytest.raises(InvalidInput):
        show("<p>{{c1::a}}</p>", 2)


@given(sides)
def test_question_and_answer_are_clean_html(html: str) -> None:
    for number in rich_cloze_numbers(html):
        for shown in (rich_question(html, number), rich_answer(html, number)):
            again = sanitize_rich(shown)
            assert (again.html, again.removed) == (shown, ())
        assert "<mark>[" in rich_question(html, number)
        assert len(rich_gap_texts(html, number)) >= 1


@given(sides)
def test_the_answer_has_all_the_text_and_the_question_none_of_what_is_hidden(html: str) -> None:
    for number in rich_cloze_numbers(html):
        words = re.sub(r"\s+", "", plain_from_rich(rich_answer(html, number)))
        rest = re.sub(r"\s+", "", plain_from_rich(rich_question(html, number)))
        for hidden in rich_gap_texts(html, number):
            assert re.sub(r"\s+", "", hidden) in words
        before = rest.split("[", 1)[0]
        assert words.startswith(before)


@given(st.lists(st.sampled_from(["{{c1::", "{{c2::", "}}", "::", "a", "b ", "<", "&", ">", r"\("]), max_size=15))
def test_a_side_without_tags_asks_what_its_plain_text_asks(parts: list[str]) -> None:
    text = " ".join("".join(parts).split())
    html = rich_from_plain(text)
    if sanitize_rich(html).html != html:
        return
    for number in rich_cloze_numbers(html):
        shown = question(text, number).plain
        assert plain_from_rich(rich_question(html, number)).split() == shown.split()


def test_a_side_nested_to_the_limit_is_shown_without_marks() -> None:
    html = "<em>" * 100 + "x {{c1::a}}" + "</em>" * 100
    assert sanitize_rich(html).html == html
    assert rich_question(html, 1) == "<em>" * 100 + "x [...]" + "</em>" * 100
    assert plain_from_rich(rich_answer(html, 1)) == "x a"


@pytest.mark.parametrize(
    "piece", ["{{c1::<em>", "{{c1::a</em><em>}}", "<p>{{c1::</p>", "}}</p>{{c1::", "{{c1::x}}<br>"]
)
def test_a_long_side_is_shown_in_a_moment(piece: str) -> None:
    html = sanitize_rich(piece * (8_000 // len(piece))).html
    start = time.process_time()
    for number in rich_cloze_numbers(html):
        rich_question(html, number)
        rich_answer(html, number)
    assert time.process_time() - start < 1
