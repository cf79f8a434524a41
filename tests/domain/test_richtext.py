"""Only the twelve tags come through, whatever is tried, and no text that merely looks like a tag is lost."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.errors import InvalidInput
from app.domain.richtext import ALLOWED_TAGS, plain_from_rich, rich_from_plain, sanitize_rich

ANY_TAG = re.compile(r"<[^>]*>?")
ALLOWED = re.compile(r"<(?:br|/?(?:p|strong|em|mark|ul|ol|li|blockquote|h4|h5|code))>")


def _pieces(text: str) -> list[str]:
    return text.split("|")


FRAGMENTS = [
    *(f"<{name}>" for name in sorted(ALLOWED_TAGS)),
    *(f"</{name}>" for name in sorted(ALLOWED_TAGS)),
    *_pieces("<script>|</script>|<style>|</style>|<svg>|</svg>|<table>|<td>|</table>|<div>|</div>|<title>|<textarea>"),
    *_pieces("<select>|<option>|<template>|<noscript>|<iframe>|<plaintext>|<frameset>|<body>|<math>|<mtext>|<a>|</a>"),
    *_pieces("<!--|-->|<!-->|--!>|<![CDATA[|]]>|<?php|?>|<!doctype html>|&amp;|&lt;|&#60;|&#13;|&#0;|&nbsp;|&am|p;"),
    *_pieces('<p title="|<a href=|">|<|>|/|=|,|"|\'|<n|</x|x| |\n|\r|\t|\x00|\x0c|é|한'),
]
hostile = st.one_of(st.lists(st.sampled_from(FRAGMENTS), max_size=16).map("".join), st.text(max_size=60))


@given(hostile)
def test_only_the_twelve_tags_come_out_and_none_has_an_attribute(html: str) -> None:
    for tag in ANY_TAG.findall(sanitize_rich(html).html):
        assert ALLOWED.fullmatch(tag)


@given(hostile)
def test_cleaning_what_was_cleaned_changes_nothing(html: str) -> None:
    once = sanitize_rich(html)
    again = sanitize_rich(once.html)
    assert again.html == once.html
    assert again.removed == ()


@given(st.text(max_size=80))
def test_plain_text_shown_as_html_reads_the_same_again(text: str) -> None:
    text = " ".join(re.sub(r"[\x00-\x1f\x7f\xa0]", "", text).split(" "))
    shown = sanitize_rich(rich_from_plain(text))
    assert shown.removed == ()
    assert plain_from_rich(shown.html).split() == text.split()


@pytest.mark.parametrize(
    "text",
    [
        "a <producer> b",
        "for i<n; x>0",
        r"\(x<y\) and 5 < 6",
        r"\(a<b\text{ and }c>d\)",
        "a<b and c>d",
        "if p<q && r>s:",
        "I <3 you, </3",
        "vector<int> v; Map<String, List<T>> m;",
        'std::cout << "x" << i;',
        "git push <remote> <branch>",
        "<?php echo 1; ?>",
        "if (a <!-- b) never closed",
        "the <script> tag is never closed here",
        "<",
        "a<",
        "<p",
        "5 > 4 & 3 < 4",
        "<>",
        "<일본> <é>",
    ],
)
def test_text_that_only_looks_like_a_tag_survives_as_text(text: str) -> None:
    rich = sanitize_rich(text)
    assert plain_from_rich(rich.html) == text
    assert rich.removed == ()
    assert "<" not in rich.html


@pytest.mark.parametrize(
    ("html", "kept", "removed"),
    [
        ("<ruby>一<rt>いち</rt></ruby>", "一いち", ("ruby", "rt")),
        ("<ruby>一<rp>(</rp><rt>いち</rt><rp>)</rp></ruby>", "一(いち)", ("ruby", "rp", "rt")),
        ('<p onclick="x()">t</p>', "<p>t</p>", ("attributes",)),
        ('<p title="a>b" lang=de hidden>q</p>', "<p>q</p>", ("attributes",)),
        ('<a href="javascript:alert(1)"class="x">go</a>', "go", ("a",)),
        ("<b>bold</b> <i>slanted</i>", "bold slanted", ("b", "i")),
        ("H<sub>2</sub>O", "H2O", ("sub",)),
        ("<script>alert(1)</script>b", "b", ("script",)),
        ("a<STYLE type='text/css'>p{}</Style >b", "ab", ("style",)),
        ("<svg><path d='M0'/></svg>z", "z", ("svg",)),
        ("<script>a<p></script ><script>b</script>c", "c", ("script",)),
        ("<script/>x</script>", "", ("script",)),
        ("<!-- note -->x", "x", ("comments",)),
        ("<!DOCTYPE html><html><body><p>x</p></body></html>", "<p>x</p>", ("doctype", "html", "body")),
        ("<img src=x onerror=alert(1)>", "", ("img",)),
        ("<BR/>x<br />y</br>", "<br>x<br>y<br>", ()),
        ("<EM>x</EM>", "<em>x</em>", ()),
        ("<p>a<p>b", "<p>a</p><p>b</p>", ()),
        ("a &amp; b &lt;p&gt; &copy;", "a &amp; b &lt;p&gt; ©", ()),
        ("<math><mi>x</mi><mo>&lt;</mo><mn>3</mn></math>", "x&lt;3", ("math", "mi", "mo", "mn")),
    ],
)
def test_other_tags_go_their_text_stays_and_their_names_are_told(
    html: str, kept: str, removed: tuple[str, ...]
) -> None:
    rich = sanitize_rich(html)
    assert rich.html == kept
    assert rich.removed == removed


def test_words_do_not_run_together_where_a_block_tag_stood() -> None:
    assert sanitize_rich("<div>one</div><div>two</div>").html.split() == ["one", "two"]
    assert sanitize_rich("<table><tr><td>x</td><td>y</td></tr></table>").html.split() == ["x", "y"]


@pytest.mark.parametrize(
    "html",
    [
        "<scr<script>x</script>ipt>alert(1)</script>",
        '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
        "<svg></p><style><a id='</style><img src=1 onerror=alert(1)>'>",
        "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
        "<textarea></textarea><img src=x onerror=alert(1)>",
        "<form><math><mtext></form><form><mglyph><svg><mtext><style><path id='</style><img onerror=alert(1) src>'>",
        "<<u>img src=x onerror=alert(1)>",
        "&am<u>p;lt;img src=x onerror=alert(1)&gt;",
        "<p/onclick=alert(1)>x",
        "<img\x00src=x onerror=alert(1)>",
        "&#60;img src=x onerror=alert(1)&#62;",
        "<xmp><p title='</xmp><img src=x onerror=alert(1)>'>",
        "<listing>&lt;img onerror=alert(1) src=x&gt;</listing>",
    ],
)
def test_known_tricks_leave_nothing_that_a_browser_would_run(html: str) -> None:
    rich = sanitize_rich(html)
    for tag in ANY_TAG.findall(rich.html):
        assert ALLOWED.fullmatch(tag)
    assert sanitize_rich(rich.html).html == rich.html


def test_an_entity_does_not_come_about_by_losing_a_tag() -> None:
    assert plain_from_rich(sanitize_rich("&l<u>t;").html) == "&lt;"


def test_headings_that_cross_formatting_settle() -> None:
    crossed = "<em><h4><em><h4><mark></em></h5>x"
    rich = sanitize_rich(crossed)
    assert sanitize_rich(rich.html).html == rich.html
    assert plain_from_rich(rich.html) == "x"


@pytest.mark.parametrize("html", ["<ul>" * 2000 + "deep", "<em><p>" * 1000 + "deep", "<ul></em>" * 800 + "deep"])
def test_formatting_nested_out_of_all_measure_goes_and_the_text_stays(html: str) -> None:
    rich = sanitize_rich(html)
    assert rich.html == "deep"
    assert rich.removed == ("nesting",)


@pytest.mark.parametrize("piece", ["<!--", "<b ", '<b a="', "<script>", "</script", "<svg ", "<", "<u><div>", "<p>"])
def test_a_long_hostile_text_grows_only_by_its_escapes_and_closing_tags(piece: str) -> None:
    html = piece * (8000 // len(piece))
    assert len(sanitize_rich(html).html) <= 5 * len(html)


def test_half_a_surrogate_pair_is_refused() -> None:
    with pytest.raises(InvalidInput):
        sanitize_rich("a\ud800b")


def test_readable_text_has_a_line_for_each_block() -> None:
    rich = sanitize_rich("<h4>T</h4><p>a <strong>b</strong>\n c</p><ul><li>x</li><li>y &lt; z</li></ul>l1<br>l2&nbsp;!")
    assert plain_from_rich(rich.html) == "T\na b c\nx\ny < z\nl1\nl2 !"


def test_plain_text_is_escaped_and_keeps_its_lines() -> None:
    assert rich_from_plain("a <b>\r\n& c") == "a &lt;b&gt;<br>&amp; c"
