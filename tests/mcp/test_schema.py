"""Arguments: strict, counted in code points, refused with the path and never with the value."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from msgspec import UNSET, Meta, UnsetType

from app.domain.errors import InvalidInput
from app.mcp.registry import TOOLS, wire
from app.mcp.schema import parse, schema_of
from app.mcp.spec import AnyTool, Input
from app.mcp.tools.cards import UpdateFlashcard
from app.mcp.tools.decks import CreateDeck, ListDecks
from app.mcp.tools.imports import ImportFlashcards

SECRET = "zanzibarium"


class Inner(Input):
    label: Annotated[str, Meta(min_length=1, max_length=3)]


class Outer(Input):
    number: Annotated[int, Meta(ge=1)] | UnsetType = UNSET
    title: str | UnsetType = UNSET
    inner_things: list[Inner] | UnsetType = UNSET


def refusal(struct: type[Input], arguments: Any) -> InvalidInput:
    with pytest.raises(InvalidInput) as caught:
        parse(struct, arguments)
    assert SECRET not in str(caught.value)
    assert SECRET not in repr(caught.value.params)
    return caught.value


def test_a_schema_is_inlined_and_keeps_a_property_called_title():
    assert schema_of(Outer) == {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "number": {"type": "integer", "minimum": 1},
            "title": {"type": "string"},
            "innerThings": {
                "type": "array",
                "items": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {"label": {"type": "string", "minLength": 1, "maxLength": 3}},
                    "required": ["label"],
                },
            },
        },
    }


@pytest.mark.parametrize("value", [1.0, "1", True, None, 1.5, [1], {"a": 1}, 0, -1])
def test_only_whole_numbers_from_the_range_are_taken(value: Any):
    assert refusal(Outer, {"number": value}).field == "number"


def test_lengths_are_counted_in_code_points():
    assert parse(Outer, {"innerThings": [{"label": "😀😀😀"}]})
    assert refusal(Outer, {"innerThings": [{"label": "😀😀😀😀"}]}).field == "innerThings[0].label"


@pytest.mark.parametrize(
    ("struct", "arguments", "field", "words"),
    [
        (ImportFlashcards, {}, "cards", "is missing"),
        (ImportFlashcards, {"cards": [{"front": "a"}]}, "cards[0].back", "is missing"),
        (ImportFlashcards, {"cards": [{"front": "a", "back": "b", SECRET: 1}]}, "cards[0]", "It takes front, back"),
        (ImportFlashcards, {"cards": [{"front": SECRET, "back": 5}]}, "cards[0].back", "Expected str, got int"),
        (ImportFlashcards, {"cards": []}, "cards", "length >= 1"),
        (ImportFlashcards, {"cards": [{"front": "a", "back": "b"}] * 101}, "cards", "length <= 100"),
        (ImportFlashcards, {"cards": SECRET}, "cards", "Expected array, got str"),
        (ImportFlashcards, {"cards": [SECRET]}, "cards[0]", "Expected object, got str"),
        (
            ImportFlashcards,
            {"cards": [{"front": "a", "back": "b"}, {"front": SECRET * 100, "back": "b"}]},
            "cards[1].front",
            "length <= 1000",
        ),
        (
            ImportFlashcards,
            {"cards": [{"front": "a", "back": "b", "tags": ["x", SECRET * 4]}]},
            "cards[0].tags[1]",
            "length <= 40",
        ),
        (ImportFlashcards, {"cards": [{"front": "a", "back": "b", "tags": ["x"] * 13}]}, "cards[0].tags", "<= 12"),
        (ImportFlashcards, {"cards": [{"front": "a", "back": "b"}], "language": SECRET}, "language", "ja, en, ko"),
        (CreateDeck, {"title": "a", "deckId": 3}, None, "It takes title, description"),
        (CreateDeck, {"title": "a", "description": None}, "description", "Expected str, got null"),
        (UpdateFlashcard, {"cardId": 1, "front": ""}, "front", "length >= 1"),
        (ListDecks, {"limit": 101}, "limit", "<= 100"),
    ],
)
def test_a_refusal_names_the_argument_and_never_its_value(
    struct: type[Input], arguments: Any, field: str | None, words: str
):
    error = refusal(struct, arguments)
    assert error.field == field
    assert words in str(error)


def test_no_arguments_are_no_fields():
    assert parse(ListDecks, None) == parse(ListDecks, {}) == ListDecks()


_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize("tool", TOOLS, ids=[tool.name for tool in TOOLS])
@given(data=st.data())
def test_what_the_schema_refuses_is_refused(tool: AnyTool, data: st.DataObject):
    """The parser is never laxer than the schema that clients see (it is stricter about 1.0)."""
    schema = wire(tool.name).input_schema
    arguments = data.draw(
        st.fixed_dictionaries({}, optional=dict.fromkeys(schema["properties"], _values)) | _values.filter(_is_object)
    )
    try:
        parse(tool.input, arguments)
    except InvalidInput:
        return
    else:
        Draft202012Validator(schema).validate(arguments)


def _is_object(value: object) -> bool:
    return isinstance(value, dict)
