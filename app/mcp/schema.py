"""From msgspec Structs to plain JSON Schemas, and from arguments to Structs with errors that quote nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from app.domain.errors import N_, InvalidInput

JsonSchema = dict[str, Any]
StructT = TypeVar("StructT", bound=msgspec.Struct)

_REF_PREFIX = "#/$defs/"
ENUM_ORDER = "x-enum-order"
"""In `extra_json_schema` of a Literal: its values in the order that clients are to see."""
_PATH = re.compile(r"^(?P<what>.*?)(?: - at `\$?\.?(?P<path>.*)`)?$", re.DOTALL)
_CARD = re.compile(r"cards\[(\d+)\]")
_EXPECTED = re.compile(r"^Expected `[^`]*`[^`]*(?:`[^`]*`)?$")
_MISSING = re.compile(r"^Object missing required field `(?P<field>\w+)`$")


def schema_of(struct: type[msgspec.Struct]) -> JsonSchema:
    """The JSON Schema (draft 2020-12) of a Struct: definitions inlined, without titles, without empty `required`."""
    schema = msgspec.json.schema(struct)
    definitions: Mapping[str, JsonSchema] = schema.get("$defs", {})
    return _plain({key: value for key, value in schema.items() if key != "$defs"}, definitions)


def _plain(schema: JsonSchema, definitions: Mapping[str, JsonSchema]) -> JsonSchema:
    reference = schema.get("$ref")
    if reference is not None:
        named = _plain(definitions[reference.removeprefix(_REF_PREFIX)], definitions)
        return {**named, **{key: value for key, value in schema.items() if key != "$ref"}}
    plain: JsonSchema = {}
    for key, value in schema.items():
        if key in {"title", ENUM_ORDER} or (key == "required" and not value):
            continue
        if key == "enum" and ENUM_ORDER in schema:
            plain[key] = sorted(value, key=schema[ENUM_ORDER].index)
            continue
        if key == "properties":
            plain[key] = {name: _plain(inner, definitions) for name, inner in value.items()}
        elif key in {"items", "additionalProperties"} and isinstance(value, dict):
            plain[key] = _plain(value, definitions)  # pyright: ignore[reportUnknownArgumentType]
        else:
            plain[key] = value
    return plain


def parse(struct: type[StructT], arguments: Mapping[str, Any] | None) -> StructT:
    """The Struct that `arguments` describe; raises `InvalidInput` that names the argument and quotes no value."""
    try:
        return msgspec.convert(dict(arguments or {}), struct, strict=True)
    except msgspec.ValidationError as error:
        raise _meaning_of(str(error), struct) from None


def _meaning_of(message: str, struct: type[msgspec.Struct]) -> InvalidInput:
    parts = _PATH.match(message)
    what, path = (parts["what"], parts["path"] or "") if parts else (message, "")
    missing = _MISSING.match(what)
    if missing:
        return _invalid(f"{path}.{missing['field']}".lstrip("."), N_("is missing"), N_("It is required."))
    if what.startswith("Object contains unknown field"):
        taken = ", ".join(_fields_at(schema_of(struct), path))
        return _invalid(
            path,
            N_("has a field that this tool does not take"),
            N_("It takes %(fields)s.") if taken else N_("It takes none."),
            fields=taken,
        )
    if what.startswith("Invalid enum value"):
        choices = ", ".join(str(choice) for choice in _schema_at(schema_of(struct), path).get("enum", ()))
        return _invalid(path, N_("is not one of its values"), N_("Pass one of %(choices)s."), choices=choices)
    if _EXPECTED.match(what):
        return _invalid(path, N_("does not fit"), what.replace("`", "") + ".")
    return _invalid(path, N_("does not fit"), N_("See the input schema of the tool."))


def _invalid(path: str, what: str, hint: str, **params: object) -> InvalidInput:
    return InvalidInput(f"%(argument)s {what}.", hint, field=path or None, argument=_named(path), **params)


def _named(path: str) -> str:
    """The argument as an error names it; cards are counted from 1 there, as in every other message about them."""
    card = _CARD.match(path)
    return f"{path} (card {int(card[1]) + 1})" if card else path or N_("The input")


def _schema_at(schema: JsonSchema, path: str) -> JsonSchema:
    """The part of a schema that describes the argument at `path`, such as `cards[0].tags[3]`."""
    for step in re.findall(r"\w+|\[[^]]*\]", path):
        schema = schema.get("items", {}) if step.startswith("[") else schema.get("properties", {}).get(step, {})
    return schema


def _fields_at(schema: JsonSchema, path: str) -> list[str]:
    return list(_schema_at(schema, path).get("properties", {}))
