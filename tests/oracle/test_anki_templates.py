"""Templates rendered by Anki and by us."""

from __future__ import annotations

import html as entities
import re
from collections.abc import Iterator
from typing import Any

import pytest

from app.domain.transfer.anki.templates import Rendering, is_empty, parse
from tests.oracle import anki_collections as anki

FIELDS = {
    "Front": "<b>one</b> &amp; only",
    "Back": "two",
    "Empty": "<br>\n<div></div>",
    "Kanji": "日本語[にほんご]を 勉強[べんきょう]",
}

# Without hint, type, tts and furigana, which Anki renders as buttons, boxes, speech and markup.
TEMPLATES = [
    "{{Front}}",
    "{{ Front }}|{{Back}}",
    "{{text:Front}}",
    "{{#Front}}f{{/Front}}{{^Front}}n{{/Front}}",
    "{{Back}}{{#Empty}}f{{/Empty}}{{^Empty}}n{{/Empty}}",
    "{{#Front}}{{#Back}}both{{/Back}}{{/Front}}",
    "{{#Front}}{{^Back}}a{{/Back}}b{{Back}}{{/Front}}",
    "{{# Front }}x{{/ Front }}{{Back}}",
    "<!-- {{Nothing}} {{#x}} -->{{Back}}",
    "a <!-- open {{Back}}",
    "{{=<% %>=}}<%Front%> {{Back}}",
    "  {{=<% %>=}}<%#Back%><%Back%><%/Back%>",
    "<% Front %> {{Back}}",
    "{{kana:Kanji}}",
    "{{kanji:Kanji}}",
    "{{kana:text:Kanji}}",
    "{{text:kanji:Kanji}}",
    "{{unknown:Back}}",
    "{{unknown:text:Front}}",
    "{{Tags}}{{Type}}{{Deck}}{{Subdeck}}{{Card}}{{Back}}",
    "{{^Empty}}{{#Back}}{{Kanji}}{{/Back}}{{/Empty}}",
    "}} {{Back}} }} }",
    "{ {{Back}} {",
    "{{Back}}\n\n<p>{{Front}}</p>",
]


@pytest.fixture(scope="module")
def collection(utc: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with anki.collection(tmp_path_factory.mktemp("templates") / "anki", fsrs=False) as opened:
        model = opened.models.new("Made")
        for name in FIELDS:
            opened.models.add_field(model, opened.models.new_field(name))
        template = opened.models.new_template("Card 1")
        template["qfmt"], template["afmt"] = "{{Front}}{{Back}}", "{{Back}}"
        opened.models.add_template(model, template)
        opened.models.add(model)
        anki.add(opened, "Made", "Languages::French", "x y", **FIELDS)
        yield opened


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_template_shows_what_anki_shows(template: str, collection: Any) -> None:
    (card_id,) = collection.find_cards("")
    note = collection.get_card(card_id).note()
    model = note.note_type()
    rendered = note.ephemeral_card(
        custom_note_type=model, custom_template=model["tmpls"][0] | {"qfmt": template, "afmt": "{{FrontSide}}"}
    ).render_output()
    special = {"Tags": "x y", "Type": "Made", "Deck": "Languages::French", "Subdeck": "French", "Card": "Card 1"}
    ours = Rendering(FIELDS | special).render(parse(template))
    assert plain(ours) == plain(rendered.question_text)


@pytest.mark.parametrize(
    "value", ["", " \n", "<br>", "<br />", "<BR/>", "<div> </div>", "&nbsp;", "<p></p>", "x", "<br x>"]
)
def test_the_same_fields_are_empty(value: str, collection: Any) -> None:
    (card_id,) = collection.find_cards("")
    note = collection.get_card(card_id).note()
    note["Empty"] = value
    model = note.note_type()
    template = model["tmpls"][0] | {"qfmt": "{{Back}}{{#Empty}}filled{{/Empty}}", "afmt": "{{Back}}"}
    shown = note.ephemeral_card(custom_note_type=model, custom_template=template).render_output().question_text
    assert is_empty(value) is ("filled" not in shown)


def plain(html: str) -> str:
    """Without comments, which we leave out, entities, and what Anki says of a card that shows no field."""
    text = re.sub(r"<!--.*?-->|<div>The front of this card is blank.*", "", html, flags=re.DOTALL)
    return re.sub(r"\s+", " ", entities.unescape(text)).strip()
