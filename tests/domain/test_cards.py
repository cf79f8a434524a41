"""What the text of a card may be, which cards are one, and what of a card is searched."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain import cards
from app.domain.cards import (
    CardText,
    card_key,
    card_text,
    clean_language,
    clean_source_title,
    clean_tags,
    clean_text,
    clean_title,
    search_document,
    title_key,
)
from app.domain.errors import InvalidInput
from app.domain.search_text import needle

texts = st.text(max_size=30)


def test_text_loses_control_characters_and_outer_space_and_gets_plain_line_ends() -> None:
    assert clean_text("\x00 a\x07\tb\r\nc\rd\x7f \n", "front", 100) == "a\tb\nc\nd"


def test_text_is_otherwise_kept_as_it_was_typed() -> None:
    typed = "a <producer> b  \\(x<y\\)\n\n" + unicodedata.normalize("NFD", "한국어 é") + " ＡＢ👩‍👩‍👧"
    assert clean_text(typed, "front", 100) == typed


@given(texts)
def test_cleaning_a_clean_text_changes_nothing(text: str) -> None:
    try:
        once = clean_text(text, "front", 1000)
    except InvalidInput:
        return
    assert clean_text(once, "front", 1000) == once


@pytest.mark.parametrize("blank", ["", "   ", "\n\t", "\u200b\u2060", "\x00", "\u3000", "\xa0"])
def test_text_without_anything_to_see_is_refused(blank: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        clean_text(blank, "front", 1000)
    assert caught.value.field == "front"


def test_half_a_surrogate_pair_is_refused_in_every_kind_of_text() -> None:
    for clean in (lambda text: clean_text(text, "back", 9), clean_source_title, clean_title):
        with pytest.raises(InvalidInput):
            clean("a\udc00")
    with pytest.raises(InvalidInput):
        card_text(front="a", back="b", back_rich="\ud800")
    with pytest.raises(InvalidInput):
        clean_tags(["\ud800"])


def test_the_length_that_was_sent_counts_with_line_ends_as_one() -> None:
    assert clean_text("x" * 999 + " ", "front", 1000) == "x" * 999
    with pytest.raises(InvalidInput):
        clean_text("x" * 1000 + " ", "front", 1000)
    assert len(clean_text("\r\n".join("xy"), "front", 3)) == 3
    assert clean_text("𠮷" * 1000, "front", 1000)


@pytest.mark.parametrize(
    ("field", "limit"),
    [("front", 1_000), ("back", 4_000), ("front_rich", 4_000), ("back_rich", 8_000)],
)
def test_each_side_has_its_limit(field: str, limit: int) -> None:
    sides = {"front": "f", "back": "b"}
    card_text(**{**sides, field: "x" * limit})
    with pytest.raises(InvalidInput) as caught:
        card_text(**{**sides, field: "x" * (limit + 1)})
    assert caught.value.field == {"front_rich": "frontRich", "back_rich": "backRich"}.get(field, field)
    assert str(limit) in str(caught.value)
    assert "xx" not in str(caught.value)


def test_the_limits_are_those_of_the_published_shape() -> None:
    assert (cards.TAGS_MAX, cards.TAG_MAX, cards.SOURCE_TITLE_MAX, cards.DECK_TITLE_MAX) == (12, 40, 160, 120)
    assert (cards.CARDS_PER_CALL_MAX, cards.DECK_CARD_CAP, cards.IMPORT_LANGUAGES) == (100, 500, ("ja", "en", "ko"))


def test_tags_are_trimmed_and_equal_ones_kept_once_with_a_warning() -> None:
    tags, warnings = clean_tags([" Kanji ", "kanji", "two\n words", "ＫＡＮＪＩ", "é", "e"])
    assert tags == ("Kanji", "two words", "é", "e")
    assert warnings == ("removed duplicate tags: 2.",)
    assert clean_tags([]) == ((), ())


@pytest.mark.parametrize("tags", [[f"t{n}" for n in range(13)], ["a"] * 13, ["x" * 41], [""], ["ok", " "]])
def test_too_many_too_long_and_empty_tags_are_refused(tags: list[str]) -> None:
    with pytest.raises(InvalidInput) as caught:
        clean_tags(tags)
    assert caught.value.field == "tags"


def test_twelve_tags_of_forty_characters_are_accepted() -> None:
    tags, warnings = clean_tags([f"{n:040}" for n in range(12)])
    assert (len(tags), warnings) == (12, ())


def test_a_title_is_one_line() -> None:
    assert clean_title("  Capitals\r\n of\tEurope ") == "Capitals of Europe"
    with pytest.raises(InvalidInput):
        clean_title("x" * 121)
    with pytest.raises(InvalidInput):
        clean_title(" ")


def test_what_may_be_left_out_may_be_empty() -> None:
    assert (clean_source_title(None), clean_source_title("  "), clean_source_title(" a\n b ")) == (None, None, "a b")


@pytest.mark.parametrize(
    ("given_tag", "kept"),
    [("ja", "ja"), ("EN", "en"), ("pt-br", "pt-BR"), ("zh_hant_tw", "zh-Hant-TW"), ("es-419", "es-419"), ("", None)],
)
def test_a_language_is_a_short_tag_in_its_usual_case(given_tag: str, kept: str | None) -> None:
    assert clean_language(given_tag) == kept


@pytest.mark.parametrize("tag", ["japanese", "e", "en-", "en US", "en-<b>", "日本", "x" * 50, "en\n-us"])
def test_anything_else_is_no_language(tag: str) -> None:
    with pytest.raises(InvalidInput):
        clean_language(tag)


def test_titles_are_compared_without_case_width_and_spacing() -> None:
    assert title_key("  Ｃａｐｉｔａｌｓ\n of   EUROPE ") == title_key("capitals of europe")
    assert title_key("Résumé") != title_key("Resume")


@given(texts)
def test_the_compared_form_of_a_title_is_its_own_compared_form(title: str) -> None:
    assert title_key(title_key(title)) == title_key(title)


def test_cards_are_one_when_only_case_width_spacing_or_composition_differ() -> None:
    assert card_key("What is  H2O?", "Water") == card_key(" what is\nＨ２Ｏ? ", "WATER")
    assert card_key("한국", "é") == card_key(unicodedata.normalize("NFD", "한국"), unicodedata.normalize("NFD", "é"))
    assert card_key("ﾊﾟ", "x") == card_key("パ", "x")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("résumé", "x"), ("resume", "x")),
        (("は", "x"), ("ハ", "x")),
        (("は", "x"), ("ば", "x")),
        (("a", "b"), ("b", "a")),
        (("ab", "c"), ("a", "bc")),
        (("a\nb", "c"), ("a", "b\nc")),
        (("", "ab"), ("ab", "")),
    ],
)
def test_cards_that_differ_in_more_are_two(one: tuple[str, str], other: tuple[str, str]) -> None:
    assert card_key(*one) != card_key(*other)


def test_a_card_key_has_sixteen_bytes_and_never_changes_between_versions() -> None:
    assert card_key("Japan", "東京").hex() == "a6e7b193d7cb14ccb40785492cc8c670"


def test_a_card_is_cleaned_as_a_whole() -> None:
    text, warnings = card_text(
        front=" 一 ",
        back="one",
        front_rich="<ruby>一<rt>いち</rt></ruby>",
        back_rich='<p class="x">one<!-- 1 --></p>',
        tags=["n", "N"],
    )
    assert text == CardText("一", "one", "一いち", "<p>one</p>", ("n",))
    assert warnings == (
        "removed tags from frontRich: ruby, rt.",
        "removed all attributes from backRich.",
        "removed comments from backRich.",
        "removed duplicate tags: 1.",
    )


def test_a_card_that_needs_no_cleaning_has_no_warnings() -> None:
    text, warnings = card_text(front="for i<n; x>0", back="a <producer> b", back_rich="a <producer> b", tags=("c",))
    assert text == CardText("for i<n; x>0", "a <producer> b", None, "a &lt;producer&gt; b", ("c",))
    assert warnings == ()


@pytest.mark.parametrize("empty", ["", "  ", None])
def test_an_empty_formatted_side_is_none(empty: str | None) -> None:
    text, warnings = card_text(front="a", back="b", front_rich=empty)
    assert (text.front_rich, warnings) == (None, ())


@pytest.mark.parametrize("html", ["<script>x</script>", "<p> </p>", "<img src=x>", "<p>&nbsp;&#8203;</p>"])
def test_a_formatted_side_with_nothing_to_read_is_left_out_with_a_warning(html: str) -> None:
    text, warnings = card_text(front="a", back="b", front_rich=html)
    assert text.front_rich is None
    assert warnings[-1] == "left out frontRich, which has no text to show."


@given(front=texts, back=texts, rich=texts, tags=st.lists(texts, max_size=3))
def test_a_cleaned_card_is_clean(front: str, back: str, rich: str, tags: list[str]) -> None:
    try:
        text, _ = card_text(front=front, back=back, front_rich=rich, tags=tags)
    except InvalidInput:
        return
    again, warnings = card_text(
        front=text.front, back=text.back, front_rich=text.front_rich, back_rich=text.back_rich, tags=text.tags
    )
    assert (again, warnings) == (text, ())


def test_front_back_and_tags_are_searched_each_for_itself() -> None:
    document = search_document("Hauptstadt  von\nFrankreich", "PARIS", ("Géo", "eu"))
    assert document == "hauptstadt von frankreich\nparis\ngeo\neu"
    across = needle(1, "frankreich paris").pattern_like[1:-1]
    assert across not in document
