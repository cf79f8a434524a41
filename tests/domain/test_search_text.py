"""Any part of a text finds it, whatever case, accents, width or composition it is typed in."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.errors import InvalidInput
from app.domain.search_text import Needle, grams, needle, normalize

words = st.text(
    st.one_of(
        st.sampled_from("abcXYZ 019éÉßﬁıİøŁ  \t\n%_\\ςΣñ"),
        st.sampled_from("東京酒飲をがカガｶﾞｷｮｳﾄゔヴーﾊﾟ々"),
        st.sampled_from(unicodedata.normalize("NFD", "한국어éがパ") + "한국ㄱㅏ각"),
        st.sampled_from("กินน้ำहिन्दीعَرَبِيّשָׁ𠮷😀❤️\u200d\u00ad"),
        st.characters(),
    ),
    max_size=40,
)
accounts = st.integers(1, 2**63 - 1)


def found(wanted: Needle, account_id: int, normalized: str) -> bool:
    """What the database does with a needle: all grams among those of the text, then LIKE with the backslash."""
    literal = wanted.pattern_like[1:-1].replace("\\%", "%").replace("\\_", "_").replace("\\\\", "\\")
    assert (wanted.pattern_like[0], wanted.pattern_like[-1]) == ("%", "%")
    return set(wanted.grams) <= set(grams(account_id, normalized)) and literal in normalized


@given(words)
def test_normalising_twice_is_normalising_once(text: str) -> None:
    assert normalize(normalize(text)) == normalize(text)


@given(words)
def test_composed_and_decomposed_text_are_equal(text: str) -> None:
    text = text.encode("utf-8", "ignore").decode()
    assert normalize(unicodedata.normalize("NFD", text)) == normalize(unicodedata.normalize("NFC", text))


@given(words, accounts, st.data())
def test_every_part_of_a_normal_form_finds_the_text(text: str, account_id: int, data: st.DataObject) -> None:
    normalized = normalize(text)
    start = data.draw(st.integers(0, len(normalized)))
    part = normalized[start : data.draw(st.integers(start, len(normalized)))]
    if part.strip(" "):
        assert found(needle(account_id, part), account_id, normalized)


@given(words, accounts)
def test_a_text_finds_itself_as_it_was_typed(text: str, account_id: int) -> None:
    if normalize(text):
        assert found(needle(account_id, text), account_id, normalize(text))


@given(words, accounts)
def test_grams_are_sorted_unique_and_fit_a_postgresql_integer(text: str, account_id: int) -> None:
    hashes = grams(account_id, normalize(text))
    assert hashes == sorted(set(hashes))
    assert all(-(2**31) <= number < 2**31 for number in hashes)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("お酒を飲む", "飲"),
        ("お酒を飲む", "飲む"),
        ("お酒を飲む", "ｵ酒"),
        ("キョウト", "ｷｮｳﾄ"),
        ("京都 きょうと", "キョウト"),
        (unicodedata.normalize("NFD", "한국어"), "한국"),
        ("한국어", unicodedata.normalize("NFD", "국")),
        ("Résumé", "resume"),
        ("ΟΔΟΣ", "οδός"),
        ("Straße", "STRASSE"),
        ("İstanbul", "istanbul"),
        ("Łódź", "lodz"),
        ("ＡＢＣ１２", "abc12"),
        ("ﬁne", "fine"),
        ("naïve  café\n bar", "naive cafe bar"),
        ("ガラス", "ｶﾞﾗｽ"),
        ("葛\U000e0100城市", "葛城"),
        ("soft\u00adware", "software"),
        ("𠮷野家", "𠮷"),
        ("عَرَبِيّ", "عربي"),
        ("100%_done\\", "%_done\\"),
    ],
)
def test_a_query_finds_what_a_person_would_expect(text: str, query: str) -> None:
    assert found(needle(7, query), 7, normalize(text))


@pytest.mark.parametrize(
    ("text", "query"),
    [("カラス", "ガラス"), ("はは", "ぱぱ"), ("한국", "하"), ("100 percent", "100%"), ("กน", "กิน"), ("abc", "a_c")],
)
def test_a_query_does_not_find_what_is_another_word(text: str, query: str) -> None:
    assert not found(needle(7, query), 7, normalize(text))


def test_a_single_latin_letter_falls_back_to_a_scan() -> None:
    assert needle(7, "x") == Needle("%x%", [])


@pytest.mark.parametrize("letter", ["酒", "ん", "한", "ㄱ", "𠮷", "々"])
def test_a_single_east_asian_letter_is_looked_up(letter: str) -> None:
    assert needle(7, letter).grams


@pytest.mark.parametrize("query", ["", "  ", "\u200b", "\x00", "\u0301", "\ud800"])
def test_a_query_of_nothing_is_refused(query: str) -> None:
    with pytest.raises(InvalidInput):
        needle(7, query)


def test_accounts_do_not_share_grams() -> None:
    text = normalize("The quick brown fox jumps over the lazy dog. 東京は日本の首都")
    lists = [grams(account_id, text) for account_id in range(1, 201)]
    distinct = {number for numbers in lists for number in numbers}
    assert len(distinct) > 0.99 * sum(map(len, lists))


def test_within_an_account_no_two_pairs_share_a_gram() -> None:
    pairs = [first + second for first in "abcdefghij東京酒한" for second in "klmnopqrst都飲む국"]
    assert len({grams(7, pair)[0] if pair.isascii() else tuple(grams(7, pair)) for pair in pairs}) == len(pairs)


def test_no_pair_spans_two_fields() -> None:
    assert not set(needle(7, "bc").grams) & set(grams(7, "ab\ncd"))


def test_the_grams_of_a_stored_text_never_change_between_versions() -> None:
    assert grams(1, "ab") == [-300245493]
    assert grams(1, "酒") == [-294121672]
