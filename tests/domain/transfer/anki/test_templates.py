"""Anki's templates: what is shown, what is broken, and that nothing raises or takes long."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.transfer.anki.sides import CardTemplate, Named, is_blank, sides
from app.domain.transfer.anki.templates import (
    NESTING_MAX,
    RENDERED_MAX,
    TAGS_READ_MAX,
    Fault,
    Rendering,
    is_empty,
    parse,
)

FIELDS = {
    "Front": "<b>one</b>",
    "Back": "two",
    "Empty": "<br> <div></div>",
    "Kanji": "日本語[にほんご]を 勉強[べんきょう]",
}
NAMED = Named(("a", "b<c"), "Basic", "Languages::French", "Card 1")


def rendered(template: str, **options: bool) -> str:
    return Rendering(FIELDS, **options).render(parse(template))


@pytest.mark.parametrize(
    ("template", "shown"),
    [
        ("{{Front}}", "<b>one</b>"),
        ("{{ Front }} and {{Back}}", "<b>one</b> and two"),
        ("{{{Front}}}", "<b>one</b>"),
        ("{{text:Front}}", "one"),
        ("{{Nothing}}x", "x"),
        ("{{#Front}}f{{/Front}}{{^Front}}n{{/Front}}", "f"),
        ("{{#Empty}}f{{/Empty}}{{^Empty}}n{{/Empty}}", "n"),
        ("{{#Front}}{{#Back}}both{{/Back}}{{/Front}}", "both"),
        ("{{#Front}}{{^Back}}a{{/Back}}b{{/Front}}", "b"),
        ("<!-- {{Front}} -->{{Back}}", "two"),
        ("<!-- open {{Back}}", "<!-- open two"),
        ("{{=<% %>=}}<%Front%> {{Back}}", "<b>one</b> {{Back}}"),
        ("<% Front %>", "<% Front %>"),
        ("{{furigana:Kanji}}", "日本語(にほんご)を勉強(べんきょう)"),
        ("{{kana:Kanji}}", "にほんごをべんきょう"),
        ("{{kanji:Kanji}}", "日本語を勉強"),
        ("{{unknown:Back}}", "two"),
        ("{{kana:text:Kanji}}", "にほんごをべんきょう"),
        ("{{type:Back}}", ""),
        ("{{type:cloze:Back}}", ""),
        ("{{tts en_US voices=Apple_Otoya speed=0.8:Front}}", ""),
        ("{{hint:Back}}", ""),
        ("{{#c1}}x{{/c1}}", "x"),
        ("{{}}{{#}}{{/}}", ""),
    ],
)
def test_what_a_template_shows(template: str, shown: str) -> None:
    assert rendered(template) == shown


@pytest.mark.parametrize(
    ("template", "fault"),
    [
        ("{{Front", Fault.UNCLOSED_TAG),
        ("{{#Front}}x", Fault.UNCLOSED_SECTION),
        ("x{{/Front}}", Fault.WRONG_END),
        ("{{#Front}}{{/Back}}{{/Front}}", Fault.WRONG_END),
        ("{{#Front}}" * (NESTING_MAX + 1) + "{{/Front}}" * (NESTING_MAX + 1), Fault.TOO_DEEP),
        ("{{Front}}" * (TAGS_READ_MAX + 1), Fault.TOO_LONG),
    ],
)
def test_what_is_broken_is_reported_and_followed_as_far_as_it_goes(template: str, fault: Fault) -> None:
    assert fault in parse(template).faults
    rendered(template)


def test_a_field_that_there_is_not_is_a_fault_of_the_template() -> None:
    names = frozenset(FIELDS)
    assert CardTemplate.of("c", "{{Frnt}}", "").faults(names) == (Fault.NO_SUCH_FIELD,)
    assert CardTemplate.of("c", "{{#Frnt}}{{/Frnt}}", "").faults(names) == (Fault.NO_SUCH_FIELD,)
    assert CardTemplate.of("c", "{{Front}}{{Tags}}{{#c1}}{{/c1}}", "{{FrontSide}}{{Deck}}").faults(names) == ()


pieces = st.sampled_from(
    [
        "{{",
        "}}",
        "{{#Front}}",
        "{{/Front}}",
        "{{^Back}}",
        "{{/Back}}",
        "{{Front}}",
        "{{text:kana:Kanji}}",
        "<!--",
        "-->",
    ]
)


@given(st.lists(pieces | st.text(max_size=5)).map("".join))
def test_no_template_raises_or_grows_without_bound(template: str) -> None:
    parsed = parse(template)
    rendering = Rendering(FIELDS, typed=True, speech=True)
    assert len(rendering.render(parsed)) <= RENDERED_MAX
    parsed.unknown(frozenset(FIELDS))
    assert parsed.names() >= rendering.shown - {""}


@given(st.text(alphabet="abc <>&", max_size=30))
def test_text_without_mustaches_is_shown_as_it_is(text: str) -> None:
    assert rendered(text) == text


@given(st.text(max_size=20))
def test_a_section_and_its_contrary_show_one_of_them(value: str) -> None:
    template = parse("{{#F}}full{{/F}}{{^F}}empty{{/F}}")
    assert Rendering({"F": value}).render(template) == ("empty" if is_empty(value) else "full")


def both(question: str, answer: str, *, cloze: bool = False, **fields: str) -> tuple[str, str]:
    made = sides(CardTemplate.of("Card 1", question, answer), FIELDS | fields, NAMED, cloze=cloze)
    return made.front, made.back


@pytest.mark.parametrize(
    ("question", "answer", "front", "back"),
    [
        ("{{Front}}", "{{FrontSide}}\n\n<hr id=answer>\n\n{{Back}}", "<b>one</b>", "\n\ntwo"),
        ("{{Front}}", "{{FrontSide}}<hr id='answer' class=x>{{Back}}", "<b>one</b>", "two"),
        ("{{Front}}", '{{FrontSide}}<HR class="x" ID="answer" />{{Back}}', "<b>one</b>", "two"),
        ("{{Front}}", "{{FrontSide}}<br>{{Back}}", "<b>one</b>", "<br>two"),
        ("{{Front}}?", "{{Front}}?\n<i>{{Back}}</i>", "<b>one</b>?", "\n<i>two</i>"),
        ("{{Front}}", "{{Back}}<hr id=answer>", "<b>one</b>", "two<hr id=answer>"),
        ("{{Front}}{{type:Back}}", "{{Front}}<hr id=answer>{{type:Back}}", "<b>one</b>", "two"),
        ("{{Front}}{{hint:Back}}", "{{FrontSide}}<hr id=answer>{{Kanji}}", "<b>one</b>", f"{FIELDS['Kanji']}<br>two"),
        ("{{Front}}{{hint:Back}}", "{{FrontSide}}<hr id=answer>{{Back}}", "<b>one</b>", "two"),
        ("{{tts fr_FR:Back}}", "{{Front}}", "two", "<b>one</b>"),
        ("{{Back}}{{tts fr_FR:Back}}", "{{Front}}", "two", "<b>one</b>"),
        ("{{Tags}} {{Type}} {{Deck}} {{Subdeck}} {{Card}}", "{{Back}}",
         "a b&lt;c Basic Languages::French French Card 1", "two"),
    ],
)  # fmt: skip
def test_what_is_on_which_side(question: str, answer: str, front: str, back: str) -> None:
    assert both(question, answer) == (front, back)


@pytest.mark.parametrize(
    ("answer", "back"),
    [
        ("{{cloze:Text}}<br>\n{{Back}}", "<br>\ntwo"),
        ("<p>{{cloze:Text}}</p>{{Back}}", "<p></p>two"),
        ("{{cloze:Text}}", ""),
        ("{{type:cloze:Text}}{{Empty}}", "<br> <div></div>"),
    ],
)
def test_the_back_of_a_cloze_card_is_what_the_answer_has_besides(answer: str, back: str) -> None:
    text = "{{c1::a::hint}} {{c2::b}}"
    assert both("{{cloze:Text}}", answer, cloze=True, Text=text) == (text, back)


@pytest.mark.parametrize(
    ("html", "blank"),
    [("", True), ("<br>\n&nbsp;<div></div>", True), ("x", False), ('<img src="a">', False), ("[sound:a]", False)],
)
def test_a_side_is_blank_when_there_is_nothing_to_see_or_hear(html: str, blank: bool) -> None:
    assert is_blank(html) is blank
