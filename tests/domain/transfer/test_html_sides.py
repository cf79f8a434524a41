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
    ],
)
def test_tags_with_a_meaning_keep_it(html: str, kept: str) -> None:
    assert kept_html(html) == kept


@given(st.text())
def test_text_without_tags_is_as_it_was(text: str) -> None:
    plain = text.replace("<", "")
    assert kept_html(plain) == plain
