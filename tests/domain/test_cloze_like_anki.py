"""Anki as oracle: the same numbers, questions, answers and typed answers, and every difference by name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from anki.collection import Collection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.domain.cloze import answer, cloze_numbers, question, typed_answer
from app.domain.cloze_grammar import NESTING_MAX

_MARKUP = re.compile(r"<style.*?</style>|<[^>]*>", re.DOTALL)


class Anki:
    """What Anki's own engine makes of a text in a note of its cloze type."""

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self._kind = collection.models.by_name("Cloze")

    def _note(self, text: str):
        note = self._collection.new_note(self._kind)
        note.fields[0] = text
        return note

    def numbers(self, text: str) -> tuple[int, ...]:
        return tuple(sorted(self._note(text).cloze_numbers_in_fields()))

    def shown(self, text: str, number: int) -> tuple[str, str, str]:
        card = self._note(text).ephemeral_card(number - 1)
        asked = _MARKUP.sub("", card.question())
        told = _MARKUP.sub("", card.answer().removesuffix("<br>\n"))
        typed = self._collection._backend.extract_cloze_for_typing(text=text, ordinal=number)
        return asked, told, typed


@pytest.fixture(scope="module")
def anki(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Anki]:
    folder: Path = tmp_path_factory.mktemp("anki")
    collection = Collection(str(folder / "collection.anki2"))
    yield Anki(collection)
    collection.close()


def _ours(text: str, number: int) -> tuple[str, str, str]:
    return question(text, number).plain, answer(text, number).plain, typed_answer(text, number)


words = st.text("ab éß한漢.,;:!?-+=/'\"()$%\\", min_size=1, max_size=8).filter(
    lambda text: not re.search(r"::|^:|:$|\\\(|\\$", text)
)
markers = st.sampled_from(["{{c1::", "{{c2::", "{{c3::", "{{c1,2::", "{{c500::", "{{c01::", "{{c2,,3::"])
pieces = st.one_of(words, words, markers, st.sampled_from(["}}", "}}", "::", "{", "}", "{{", "{{c1:", "{{c::"]))


def _closed(parts: list[str]) -> str:
    """Closings enough that nothing is left open: what Anki does with the rest of a text after one is a difference."""
    text = "".join(parts)
    return text + "}}" * len(re.findall(r"\{\{c[\d,]+::", text))


def _within_the_depth(text: str) -> bool:
    """Markers deeper than both allow are a difference with a test of its own."""
    return len(re.findall(r"\{\{c[\d,]+::", text)) <= NESTING_MAX


balanced = st.lists(pieces, max_size=20).map(_closed).filter(_within_the_depth)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=300)
@given(text=balanced)
def test_numbers_questions_and_answers_are_ankis(anki: Anki, text: str) -> None:
    numbers = cloze_numbers(text)
    assert numbers == anki.numbers(text)
    for number in numbers[:3]:
        asked, told, typed = anki.shown(text, number)
        ours = _ours(text, number)
        assert ours[:2] == (asked.replace("[]", "[...]"), told)  # an empty hint, see below
        if not _nested_in_itself(text, number):
            assert ours[2] == typed


def _nested_in_itself(text: str, number: int) -> bool:
    opened: list[bool] = []
    for marker in re.finditer(r"\{\{c([\d,]+)::|\}\}", text):
        if marker[1]:
            own = number in {int(part) for part in marker[1].split(",") if part}
            if own and any(opened):
                return True
            opened.append(own)
        elif opened:
            opened.pop()
    return False


@pytest.mark.parametrize(
    ("why", "text", "theirs", "ours"),
    [
        ("what is never closed stays text, and what is closed in it counts", "{{c1::a {{c2::b}}", (), (2,)),
        ("there is no number 0, and a text that nobody can be asked is no cloze", "{{c501::x}}", (501,), ()),
        ("numbers end at 500", "{{c1::a}} {{c600::y}}", (1, 600), (1,)),
    ],
)
def test_where_the_numbers_differ(
    anki: Anki, why: str, text: str, theirs: tuple[int, ...], ours: tuple[int, ...]
) -> None:
    assert (anki.numbers(text), cloze_numbers(text)) == (theirs, ours), why


@pytest.mark.parametrize(
    ("why", "text", "theirs", "ours"),
    [
        (
            "a formula's braces close nothing outside the formula",
            r"{{c1::\(x^{2^{3}}\)}}",
            (r"[...]\)}}", r"\(x^{2^{3\)}}", r"\(x^{2^{3"),
            ("[...]", r"\(x^{2^{3}}\)", r"\(x^{2^{3}}\)"),
        ),
        (
            "a deletion in a formula ends where its own braces are balanced",
            r"\({{c1::\frac{a}{b}}}\)",
            (r"\([...]}\)", r"\(\frac{a}{b}\)", r"\frac{a}{b"),
            (r"\([...]\)", r"\(\frac{a}{b}\)", r"\frac{a}{b}"),
        ),
        (
            "colons in a formula are no hint",
            r"{{c1::\(x::y\)}}",
            (r"[y\)]", r"\(x", r"\(x"),
            ("[...]", r"\(x::y\)", r"\(x::y\)"),
        ),
        ("an empty hint is none", "{{c1::x::}}", ("[]", "x", "x"), ("[...]", "x", "x")),
        (
            "one gap is typed once, whatever is nested in it",
            "{{c1::a {{c1::b}}}}",
            ("[...]", "a b", "a b, b"),
            ("[...]", "a b", "a b"),
        ),
        (
            "text after a deletion that is never closed is not lost",
            "{{c1::a}} b {{c2::c",
            ("[...] b ", "a b ", "a"),
            ("[...] b {{c2::c", "a b {{c2::c", "a"),
        ),
        (
            "number 0 stays as it was written",
            "{{c1::a}} {{c0::x}}",
            ("[...] x", "a x", "a"),
            ("[...] {{c0::x}}", "a {{c0::x}}", "a"),
        ),
    ],
)
def test_where_the_texts_differ(
    anki: Anki, why: str, text: str, theirs: tuple[str, str, str], ours: tuple[str, str, str]
) -> None:
    assert (anki.shown(text, 1), _ours(text, 1)) == (theirs, ours), why


def test_deeper_than_ten_their_markers_vanish_and_ours_are_text(anki: Anki) -> None:
    text = "".join(f"{{{{c{n}::{n} " for n in range(1, 12)) + "}}" * 11
    assert anki.numbers(text) == cloze_numbers(text) == tuple(range(1, 11))
    assert "c11" not in anki.shown(text, 1)[1]
    assert "{{c11::11 }}" in answer(text, 1).plain
