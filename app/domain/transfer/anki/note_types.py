"""Note types, decks and the options that a schedule needs, from either form in which a collection keeps them.

Schema 11 holds JSON in the one row of `col`; schemas 15 to 18 have tables whose `config` is a message of Protocol
Buffers. Both come from a file of unknown origin: what is not as it should be is passed over or refused, never trusted.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final, cast

from app.domain.errors import N_, InvalidInput
from app.domain.transfer.anki import protobuf
from app.domain.transfer.anki.sides import CardTemplate

FIELDS_MAX: Final = 500
TEMPLATES_MAX: Final = 500
NAME_MAX: Final = 1_000

_IMAGE_OCCLUSION = 6
"""`original_stock_kind` of Anki's own note type; others are known by their fields alone."""
_OCCLUSION_FIELDS: Final = (frozenset({"Occlusion", "Image"}), frozenset({"Image", "Question Mask", "Answer Mask"}))


@dataclass(frozen=True, slots=True)
class NoteType:
    name: str
    cloze: bool
    fields: tuple[str, ...]
    templates: dict[int, CardTemplate] = field(default_factory=dict[int, CardTemplate])
    """By their ordinal. A cloze note type has one, with 0."""
    image_occlusion: bool = False
    shown_fields: frozenset[str] = frozenset()
    """The fields that stand in some template."""


@dataclass(frozen=True, slots=True)
class Steps:
    """How many learning and relearning steps the cards of a deck have."""

    learning: int = 2
    relearning: int = 1


@dataclass(frozen=True, slots=True)
class Deck:
    name: str
    """`::` between a deck and one inside it."""
    description: str = ""
    steps: Steps = Steps()
    filtered: bool = False


_STEPS = Steps()


def note_types_of_json(text: str) -> dict[int, NoteType]:
    """From `col.models`. Raises `InvalidInput` for JSON that is none."""
    found: dict[int, NoteType] = {}
    for key, model in _objects(text):
        fields = _names(model.get("flds"))
        stock = model.get("originalStockKind")
        templates = {
            place: CardTemplate.of(_text(each.get("name")), _text(each.get("qfmt")), _text(each.get("afmt")))
            for place, each in _ordered(model.get("tmpls"))
        }
        found[key] = _note_type(_text(model.get("name")), model.get("type") == 1, fields, templates, stock)
    return found


def decks_of_json(decks: str, options: str) -> dict[int, Deck]:
    """From `col.decks` and `col.dconf`. Raises `InvalidInput` for JSON that is none."""
    steps = {
        key: Steps(_delays(each.get("new"), _STEPS.learning), _delays(each.get("lapse"), _STEPS.relearning))
        for key, each in _objects(options or "{}")
    }
    found: dict[int, Deck] = {}
    for key, deck in _objects(decks):
        conf = deck.get("conf")
        chosen = steps.get(conf, _STEPS) if isinstance(conf, int) else _STEPS
        found[key] = Deck(_text(deck.get("name")), _text(deck.get("desc")), chosen, bool(deck.get("dyn")))
    return found


def note_types_of_rows(
    types: Iterable[tuple[int, str, bytes]],
    fields: Iterable[tuple[int, int, str]],
    templates: Iterable[tuple[int, int, str, bytes]],
) -> dict[int, NoteType]:
    """From the tables: (id, name, config), (note type, ordinal, name) and (note type, ordinal, name, config)."""
    names: dict[int, dict[int, str]] = {}
    for owner, ordinal, name in fields:
        if len(names.setdefault(owner, {})) < FIELDS_MAX:
            names[owner][ordinal] = name
    cards: dict[int, dict[int, CardTemplate]] = {}
    for owner, ordinal, name, config in templates:
        if len(cards.setdefault(owner, {})) < TEMPLATES_MAX:
            message = protobuf.fields(config)
            cards[owner][ordinal] = CardTemplate.of(name, protobuf.text(message, 1), protobuf.text(message, 2))
    found: dict[int, NoteType] = {}
    for key, name, config in types:
        message = protobuf.fields(config)
        own = names.get(key, {})
        found[key] = _note_type(
            name,
            protobuf.number(message, 1) == 1,
            tuple(own[ordinal] for ordinal in sorted(own)),
            cards.get(key, {}),
            protobuf.number(message, 9),
        )
    return found


def decks_of_rows(decks: Iterable[tuple[int, str, bytes]], options: Iterable[tuple[int, bytes]]) -> dict[int, Deck]:
    """From the tables: (id, name, kind) and (id, config). Names have U+001F between decks, or `::`."""
    steps: dict[int, Steps] = {}
    for key, config in options:
        message = protobuf.fields(config)
        steps[key] = Steps(_floats(message, 1), _floats(message, 2))
    found: dict[int, Deck] = {}
    for key, name, kind in decks:
        container = protobuf.fields(kind)
        normal = protobuf.fields(protobuf.content(container, 1))
        filtered = any(number == 2 for number, _ in container)
        chosen = steps.get(protobuf.number(normal, 1), _STEPS)
        found[key] = Deck(name.replace("\x1f", "::"), protobuf.text(normal, 4), chosen, filtered)
    return found


def _note_type(
    name: str, cloze: bool, fields: tuple[str, ...], templates: dict[int, CardTemplate], stock: object
) -> NoteType:
    occlusion = stock == _IMAGE_OCCLUSION or any(needed <= set(fields) for needed in _OCCLUSION_FIELDS)
    shown = (template.question.names() | template.answer.names() for template in templates.values())
    return NoteType(name[:NAME_MAX], cloze, fields, templates, occlusion, frozenset[str]().union(*shown))


def _objects(text: str) -> list[tuple[int, dict[str, Any]]]:
    """The objects in an object of JSON whose names are numbers."""
    try:
        loaded: object = json.loads(text)
    except (ValueError, RecursionError):
        raise _broken() from None
    if not isinstance(loaded, dict):
        raise _broken()
    found: list[tuple[int, dict[str, Any]]] = []
    for key, value in cast("dict[str, object]", loaded).items():
        if key.removeprefix("-").isdecimal() and len(key) < 20 and isinstance(value, dict):
            found.append((int(key), cast("dict[str, Any]", value)))
    return found


def _ordered(listed: object) -> list[tuple[int, dict[str, Any]]]:
    """The objects of a list with their `ord`, else their place."""
    if not isinstance(listed, list):
        return []
    found: list[tuple[int, dict[str, Any]]] = []
    for place, each in enumerate(cast("list[object]", listed)[:TEMPLATES_MAX]):
        if isinstance(each, dict):
            value = cast("dict[str, Any]", each)
            ordinal = value.get("ord")
            found.append((ordinal if isinstance(ordinal, int) else place, value))
    return found


def _names(listed: object) -> tuple[str, ...]:
    return tuple(_text(each.get("name")) for _, each in sorted(_ordered(listed), key=lambda pair: pair[0]))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _delays(options: object, standard: int) -> int:
    delays = cast("dict[str, object]", options).get("delays") if isinstance(options, dict) else None
    return len(cast("list[object]", delays)) if isinstance(delays, list) else standard


def _floats(message: list[tuple[int, int | bytes]], at: int) -> int:
    """How many floats a repeated field holds, packed or one by one."""
    size = struct.calcsize("<f")
    return sum(len(value) // size for number, value in message if number == at and isinstance(value, bytes))


def _broken() -> InvalidInput:
    return InvalidInput(
        N_("The note types or decks of the package cannot be read."),
        N_("Export it from Anki again, and try once more."),
    )
