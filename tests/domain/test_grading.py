"""Typed answers: laws that hold for every text, other cards' answers, hostile lengths; and ratings."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.answer_forms import shown
from app.domain.answers import Facts, understand
from app.domain.differences import Part
from app.domain.grading import Note, Verdict, grade, is_right, kept_rating, suggested_rating
from app.domain.modes import ItemKind
from app.domain.scheduling import Rating, State

LANGUAGES = ("en", "de", "fr", "es", "it", "tr", "ja", "ko", None)
texts = st.text(
    st.one_of(
        st.sampled_from("abcdeXYZ  019.,;/()-'éÉßıİøŁäöü"),
        st.sampled_from("東京をがカガｶﾞーﾊﾟヴ한국어각"),
        st.sampled_from("²½−–“”\u0301\u0308\u3099\u200d\u00ad\ufeff\n\u1112\u1161"),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=30,
)
languages = st.sampled_from(LANGUAGES)


def facts(back: str, language: str | None = "en") -> Facts:
    return Facts(1, 0, "front", back, (), language)


@given(texts, languages)
def test_the_answer_itself_is_right(back: str, language: str | None) -> None:
    result = grade(back, facts(back, language))
    if shown(back):
        assert (result.verdict, result.note) == (Verdict.CORRECT, Note.EXACT)
    else:
        assert result.verdict is Verdict.WRONG


@given(texts, languages)
def test_every_accepted_form_is_right_in_every_normal_form(back: str, language: str | None) -> None:
    for form in understand(back, language).forms:
        for normal_form in ("NFC", "NFD"):
            typed = unicodedata.normalize(normal_form, form)
            assert not form or grade(typed, facts(back, language)).verdict is Verdict.CORRECT


@given(texts, texts, languages)
def test_the_difference_leads_from_what_was_given_to_an_accepted_form(
    typed: str, back: str, language: str | None
) -> None:
    result = grade(typed, facts(back, language))
    given_text = "".join(segment.text for segment in result.difference if segment.part is not Part.MISSING)
    expected = "".join(segment.text for segment in result.difference if segment.part is not Part.EXTRA)
    assert given_text == shown(typed)
    assert expected in understand(back, language).forms
    assert all(segment.text for segment in result.difference)


@given(texts, texts, languages)
def test_another_cards_answer_is_never_almost_right(typed: str, back: str, language: str | None) -> None:
    result = grade(typed, facts(back, language), [typed])
    assert result.verdict is not Verdict.ALMOST
    if result.verdict is Verdict.WRONG and shown(typed):
        assert result.note is Note.OTHER_CARD


@given(texts, texts, languages)
def test_grading_the_same_twice_gives_the_same(typed: str, back: str, language: str | None) -> None:
    assert grade(typed, facts(back, language), [back]) == grade(typed, facts(back, language))


@pytest.mark.parametrize(
    ("typed", "back", "other"),
    [
        ("Austria", "Australia", "Austria"),
        ("Niger", "Nigeria", "Niger (country)"),
        ("affect", "effect", "Affect; influence"),
        ("ano", "año", "ano"),
        ("Niger", "Nigeria", "the Niger / Niger river"),
        ("8849", "8,849 m", "8.849e3; 8849.0"),
    ],
)
def test_a_near_miss_that_is_another_cards_answer_is_wrong(typed: str, back: str, other: str) -> None:
    without, having = grade(typed, facts(back), ["Peru"]), grade(typed, facts(back), ["Peru", other])
    assert without.note is not Note.OTHER_CARD
    assert (having.verdict, having.note) == (Verdict.WRONG, Note.OTHER_CARD)


def test_a_right_answer_may_be_that_of_another_card_too() -> None:
    assert grade("1", facts("1"), ["1", "1", "1.0"]).verdict is Verdict.CORRECT


@pytest.mark.parametrize(
    "piece",
    ["a", "ab ", "a;", "a / ", "(a)", "(", "1,", "é", "e\u0301\u0316", "1", "1 ", "^2", "²", "-", "'", "が", "l'"],
)
def test_long_answers_are_graded_in_linear_time(piece: str) -> None:
    """With a step that takes the square of the length these would run for an hour."""
    text = (piece * 20_000)[:20_000]
    for typed in (text[:-1] + "x", "x" + text, text[:10_000]):
        result = grade(typed, facts(text), [text[1:]] * 3)
        assert result.verdict in Verdict
    assert grade(text, facts("short")).verdict is Verdict.WRONG
    assert grade(text, facts(text)).verdict is Verdict.CORRECT


def test_a_difference_keeps_letters_and_their_marks_together() -> None:
    difference = grade("कि", facts("की")).difference
    assert [(segment.text, segment.part) for segment in difference] == [("कि", Part.EXTRA), ("की", Part.MISSING)]


def test_a_difference_shows_the_slip_alone() -> None:
    difference = grade("beautifull", facts("beautiful")).difference
    assert [(segment.text, segment.part) for segment in difference] == [("beautiful", Part.SAME), ("l", Part.EXTRA)]


def test_ratings_of_objective_results() -> None:
    assert [suggested_rating(verdict) for verdict in Verdict] == [Rating.GOOD, Rating.HARD, Rating.AGAIN]
    assert [suggested_rating(verdict, hinted=True) for verdict in Verdict] == [Rating.HARD, Rating.HARD, Rating.AGAIN]


@pytest.mark.parametrize("kind", [ItemKind.CHOICE, ItemKind.MATCHING])
def test_recognition_counts_as_good_only_while_learning(kind: ItemKind) -> None:
    kept = {state: kept_rating(kind, Verdict.CORRECT, state) for state in State}
    assert kept == {
        State.NEW: Rating.GOOD,
        State.LEARNING: Rating.GOOD,
        State.REVIEW: None,
        State.RELEARNING: Rating.GOOD,
    }
    assert {kept_rating(kind, Verdict.WRONG, state) for state in State} == {Rating.AGAIN}


@given(
    st.sampled_from([ItemKind.TYPED, ItemKind.CLOZE, ItemKind.FLASHCARD]),
    st.sampled_from(Verdict),
    st.sampled_from(State),
    st.booleans(),
)
def test_recall_keeps_the_suggested_rating_in_every_state(
    kind: ItemKind, verdict: Verdict, state: State, hinted: bool
) -> None:
    kept = kept_rating(kind, verdict, state, hinted=hinted)
    assert kept is suggested_rating(verdict, hinted=hinted)
    assert kept is not Rating.EASY


def test_an_option_equal_in_value_is_right() -> None:
    assert is_right("1.0", facts("1"))
    assert is_right("automobile", facts("the car; Automobile"))
    assert not is_right("2", facts("1"))
