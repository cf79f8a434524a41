from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.transfer.html_sides import kept_html


@pytest.mark.parametrize(
    ("html", "kept"),
    [
        ("<b>a</b><i>b</i><div class=x>c</div>", "<strong>a</strong><em>b</em><p class=x>c</p>"),
        ("<big>a</big><iframe>", "<big>a</big><iframe>"),
        ("10<sup>-3</sup>", "10⁻³"),
        ('x<SUB style="a">12</SUB>', "x₁₂"),
        ("x<sup>2*</sup>", "x<sup>2*</sup>"),
        ("<sup><b>2</b></sup>", "<sup><strong>2</strong></sup>"),
        ("<ruby>今日<rp>(</rp><rt>きょう</rt><rp>)</rp></ruby>", "<ruby>今日(きょう)</ruby>"),
        ("a < b", "a < b"),
        ("<pre><code>if a:\n\tb\n</code></pre>", "<p><code>if a:<br>\u00a0\u00a0\u00a0\u00a0b<br></code></p>"),
        ("<PRE class=x>\na\r\n  b\n</PRE >", "<p>a<br>\u00a0\u00a0b</p>"),
        ("<tr><td>1</td> <td>2</td></tr><tr><th>3</th></tr>", "<tr><td>1 | <td>2</td><br><tr><th>3</th></tr>"),
        ("<h1>One</h1><h2 class=x>Two</h2><h5>Five</h5>", "<h4>One</h4><h4 class=x>Two</h4><h5>Five</h5>"),
    ],
)
def test_tags_with_a_meaning_keep_it(html: str, kept: str) -> None:
    assert kept_html(html) == kept


@given(st.text())
def test_text_without_tags_is_as_it_was(text: str) -> None:
    plain = text.replace("<", "")
    assert kept_html(plain) == plain


@pytest.mark.parametrize("piece", ["<pre>", "<pre>a</pre>", "</tr>  ", "</td> ", "<h1 ", "<rt>", "<sup>"])
def test_long_html_takes_time_that_grows_with_its_length(piece: str) -> None:
    assert kept_html(piece * 100_000)
