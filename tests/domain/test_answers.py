"""What counts as one answer: forms, value, types, scripts."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.answer_forms import bare_keys, kana_keys, keys, shown
from app.domain.answers import (
    PHRASE_MAX,
    Answer,
    AnswerType,
    Facts,
    equal_in_value,
    nearly_equal,
    parted_article,
    script_of,
    understand,
)
from app.domain.formulas import is_formula

texts = st.text(
    st.one_of(
        st.sampled_from("abcXYZ  019.,;/()-'éÉßıİøŁäöüΣς"),
        st.sampled_from("東京をがカガｶﾞーﾊﾟヴ한국어각กินน้ำ"),
        st.sampled_from("²½−–“”´¨\u0301\u0308\u3099\u200d\u00ad\ufeff\n\ufe0f"),
        st.characters(),
    ),
    max_size=30,
)
languages = st.sampled_from(["en", "de", "fr", "tr", "ja", "ko", None])


def same(one: str, other: str, language: str | None = None) -> bool:
    return equal_in_value(understand(one, language), understand(other, language))


@given(texts)
def test_a_shown_form_is_its_own_shown_form(text: str) -> None:
    assert shown(shown(text)) == shown(text)


@given(texts)
def test_composed_and_decomposed_text_are_shown_alike(text: str) -> None:
    text = text.encode("utf-8", "ignore").decode()
    assert shown(unicodedata.normalize("NFD", text)) == shown(unicodedata.normalize("NFC", text))


@given(texts, languages)
def test_keys_leave_out_case_and_depend_on_nothing_but_the_text(text: str, language: str | None) -> None:
    form = shown(text)
    found = keys(form, language)
    assert bool(found) == bool(form)
    assert all(key for key in found)
    decorated = f"({form})!"
    if any(map(str.isalnum, form)) and not is_formula(form) and not is_formula(decorated):
        assert not found.isdisjoint(keys(decorated, language))


@given(texts, languages)
def test_what_is_equal_is_nearly_equal(text: str, language: str | None) -> None:
    answer = understand(text, language)
    assert equal_in_value(answer, answer) == nearly_equal(answer, answer) == bool(shown(text))


@given(texts, texts, languages)
def test_equality_is_the_same_both_ways_and_implies_near_equality(one: str, other: str, language: str | None) -> None:
    assert same(one, other, language) == same(other, one, language)
    if same(one, other, language):
        assert nearly_equal(understand(one, language), understand(other, language))


@pytest.mark.parametrize(
    ("text", "language", "forms"),
    [
        ("a; b", "en", ("a; b", "a", "b")),
        ("a ; b / c", "en", ("a ; b / c", "a", "b", "c")),
        ("km/h", "en", ("km/h",)),
        ("x (b; c)", "en", ("x (b; c)", "x", "x b; c")),
        ("伦敦(London)", "zh", ("伦敦(London)", "伦敦", "伦敦London")),
        ("colo（u）r", "en", ("colo(u)r", "color", "colour")),
        ("the cat", "en", ("the cat", "cat")),
        ("the cat", "de", ("the cat",)),
        ("l’eau", "fr", ("l'eau", "eau")),
        ("der Hund", None, ("der Hund", "Hund")),
        ("A minor", "en", ("A minor",)),
        ("the", "en", ("the",)),
        (";", "en", (";",)),
        ("(a)", "en", ("(a)", "a")),
        ("x (b", "en", ("x (b",)),
        ("a) b; c", "en", ("a) b; c", "a) b", "c")),
        ("One; two.\nThree (four).", "en", ("One; two. Three (four).",)),
    ],
)
def test_the_forms_that_are_accepted(text: str, language: str | None, forms: tuple[str, ...]) -> None:
    assert understand(text, language).forms == forms


@pytest.mark.parametrize(
    ("one", "other", "language"),
    [
        ("1", "1.0", "en"),
        ("1,000", "1000", "en"),
        ("1.000", "1 000", "de"),
        ("$5", "$ 5.00", "en"),
        ("5 km", "5km", "en"),
        ("m²", "m2", "en"),
        ("14.7.1789", "14. Juli 1789", "de"),
        ("7/14/1789", "14 July 1789", "en-US"),
        ("14/7/1789", "14 July 1789", "en-GB"),
        ("car; auto", "the car", "en"),
        ("Polish", "polish", "en"),
        ("ΟΔΟΣ", "οδος", "el"),
        ("İstanbul", "istanbul", "tr"),
        ("C#", "c#", "en"),
        ("３．５", "3.5", "en"),
    ],
)
def test_answers_of_one_value(one: str, other: str, language: str) -> None:
    assert same(one, other, language)


@pytest.mark.parametrize(
    ("one", "other", "language"),
    [
        ("1", "10", "en"),
        ("1.5", "15", "en"),
        ("1,5", "15", "de"),
        ("-1", "1", "en"),
        ("50 %", "50", "en"),
        ("5 km", "5 m", "en"),
        ("007", "7", "en"),
        ("10²", "102", "en"),
        ("2½", "21/2", "en"),
        ("C", "C#", "en"),
        ("C", "C++", "en"),
        ("x = 1", "x = -1", "en"),
        ("10:30", "1030", "en"),
        ("ano", "año", "es"),
        ("Masse", "Maße", "de"),
        ("nono", "nonno", "it"),
        ("かき", "かぎ", "ja"),
        ("ขาว", "ข้าว", "th"),
        ("3." + "1" * 35, "3." + "1" * 34 + "2", "en"),
        ("1 July 1789", "July 1789", "en"),
        ("?", "!", "en"),
    ],
)
def test_answers_of_two_values(one: str, other: str, language: str) -> None:
    assert not same(one, other, language)


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("1789", "en", AnswerType.NUMBER),
        ("8,849 m", "en", AnswerType.NUMBER),
        ("−40 °C", "en", AnswerType.NUMBER),
        ("€ 5", "de", AnswerType.NUMBER),
        ("007", "en", AnswerType.WORD),
        ("19th century", "en", AnswerType.PHRASE),
        ("1.2.3", "en", AnswerType.WORD),
        ("14 July 1789", "en", AnswerType.DATE),
        ("1789-07-14", None, AnswerType.DATE),
        ("7月14日", "ja", AnswerType.DATE),
        ("May", "en", AnswerType.WORD),
        ("the Tisch", "en", AnswerType.WORD),
        ("San Marino", "en", AnswerType.PHRASE),
        ("お酒を飲む", "ja", AnswerType.WORD),
        ("私は毎晩おいしいお酒を飲みます", "ja", AnswerType.PHRASE),
        ("x" * PHRASE_MAX, "en", AnswerType.WORD),
        ("x" * (PHRASE_MAX + 1), "en", AnswerType.PARAGRAPH),
        ("one\ntwo", "en", AnswerType.PARAGRAPH),
        ("; ".join(["word"] * 40), "en", AnswerType.WORD),
        ("; ".join(["word"] * 80), "en", AnswerType.PARAGRAPH),
    ],
)
def test_the_type_of_an_answer(text: str, language: str | None, expected: AnswerType) -> None:
    assert understand(text, language).type is expected


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("Paris", "LATIN"), ("Čeština", "LATIN"), ("Лондон", "CYRILLIC"), ("לונדון", "HEBREW"),
        ("東京", "HAN"), ("お酒", "JAPANESE"), ("カメラ", "JAPANESE"), ("한국어", "HANGUL"), ("伦敦伦敦(UK)", "HAN"),
        ("42", ""), ("½", ""),
    ],
)  # fmt: skip
def test_the_script_of_an_answer(text: str, script: str) -> None:
    assert script_of(text) == script


def test_accents_are_folded_and_dakuten_doubled_letters_and_tone_marks_are_not() -> None:
    words = ("année", "köln", "ł", "がぱ", "한국", "ข้าว", "ёж", "שָׁלוֹם")
    folded = {text: bare_keys([text]) for text in words}
    assert folded["année"] == {"annee"}
    assert folded["köln"] == {"koln", "koeln"}
    assert folded["ł"] == {"l"}
    assert {text for text, bare in folded.items() if text in bare} == {"がぱ", "한국", "ข้าว"}
    assert kana_keys(["ガッコー"]) == {"がっこー"}


@given(texts)
def test_an_article_and_the_rest_are_the_whole(text: str) -> None:
    form = shown("the " + text)
    parted = parted_article(form, "en")
    assert parted is None or " ".join(parted) == form
    assert (parted is None) == (not shown(text))


def test_a_gap_of_a_cloze_card_has_a_number() -> None:
    assert Facts(1, 2, "The capital of France is [...]", "Paris").is_cloze
    assert not Facts(1, 0, "Capital of France", "Paris").is_cloze


@given(texts, languages)
def test_understanding_never_fails(text: str, language: str | None) -> None:
    answer = understand(text, language)
    assert isinstance(answer, Answer)
    assert answer.forms[0] == shown(text)
    assert answer.core in (*answer.forms, shown(text))
    assert isinstance(answer.script, str)
