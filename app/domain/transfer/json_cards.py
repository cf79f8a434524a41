"""Cards as JSON: a list of objects or of pairs, an object with such a list, or the document of an account's export."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import cast

from app.domain.errors import N_, InvalidInput
from app.domain.transfer.columns import Column, column_named
from app.domain.transfer.decoding import decoded
from app.domain.transfer.rows import DEFAULT_LIMITS, Collector, Limits, Parsed, RawRow, Reason

NESTING_MAX = 32
EXPORT_FORMAT = "loci-export"
EXPORT_VERSIONS = frozenset({"1", "2"})
_LISTS = ("cards", "flashcards")
# A string that never ends reaches the end of the text, so none of it is read twice.
_BRACKETS = re.compile(r'"(?:[^"\\]++|\\.)*"?|[\[{]|[\]}]', re.DOTALL)


class _Number(str):
    """A number as it is written: `1.50` is the text of a card as much as a figure, and none is too large."""

    __slots__ = ()


class _Nothing:
    """`NaN` and the infinities, which JSON does not have."""


class _Object(dict[str, object]):
    """An object, and whether it has one key twice."""

    def __init__(self, pairs: Sequence[tuple[str, object]]) -> None:
        super().__init__(pairs)
        self.repeated = len(self) < len(pairs)


def parse_json_cards(content: bytes | str, *, limits: Limits = DEFAULT_LIMITS) -> Parsed:
    """The cards of a document, numbered by their place in its list (from 1), and a problem for each that is not one.

    A card is an object with keys for front and back (the names that a column may have, in several languages) and
    perhaps tags, frontRich, backRich, deck, language, sourceTitle; or a list `[front, back]` or `[front, back, tags]`.
    Numbers count as text. `deckTitle`, `language` and `sourceTitle` of the object around a list hold for its cards.

    Raises `InvalidInput` for what is not JSON, is nested too deeply, or has no list of cards in a known place.
    """
    document = _read(decoded(content))
    collector = Collector(limits)
    if isinstance(document, _Object) and document.get("format") == EXPORT_FORMAT:
        _read_export(document, collector)
    else:
        rows, common = _list_in(document)
        _read_rows(rows, common, collector)
    return collector.parsed(numbered_by="card")


def _read(text: str) -> object:
    depth = 0
    for found in _BRACKETS.finditer(text):
        depth += (found[0] in "[{") - (found[0] in "]}")
        if depth > NESTING_MAX:
            raise InvalidInput(
                N_("The JSON is nested more than %(max)d deep."),
                N_("Send a list of objects with front and back."),
                field="content",
                max=NESTING_MAX,
            )
    try:
        return json.loads(
            text,
            parse_int=_Number,
            parse_float=_Number,
            parse_constant=lambda _: _Nothing(),
            object_pairs_hook=_Object,
        )
    except json.JSONDecodeError as error:
        raise InvalidInput(
            N_("The text is no JSON: line %(line)d, column %(column)d is not as it should be."),
            N_("Look for a missing comma, bracket or quote there or shortly before."),
            field="content",
            line=error.lineno,
            column=error.colno,
        ) from None


def _list_in(document: object) -> tuple[list[object], Mapping[Column, str]]:
    if isinstance(document, list):
        return cast("list[object]", document), {}
    if isinstance(document, _Object) and not document.repeated:
        for name in _LISTS:
            rows = document.get(name)
            if isinstance(rows, list):
                columns = ((column_named(key), value) for key, value in document.items())
                return cast("list[object]", rows), {
                    column: value for column, value in columns if column in _COMMON and isinstance(value, str)
                }
    raise InvalidInput(
        N_("The JSON has no list of cards."),
        N_("Send a list of objects with front and back, or an object with such a list named cards."),
        field="content",
    )


_COMMON = frozenset({Column.DECK, Column.LANGUAGE, Column.SOURCE_TITLE})


def _read_rows(rows: Sequence[object], common: Mapping[Column, str], collector: Collector) -> None:
    left_out = 0
    for place, row in enumerate(rows, 1):
        if isinstance(row, _Object):
            if row.repeated:
                collector.problem(place, Reason.REPEATED_KEY, N_("The object has one key twice."))
                continue
            fields, unknown = _fields(row)
            left_out += unknown
            _read_fields(place, {**common, **fields}, collector)
        elif isinstance(row, list) and 2 <= len(cast("list[object]", row)) <= 3:
            pair = cast("list[object]", row)
            _read_fields(place, {**common, **dict(zip(_PAIR, pair, strict=False))}, collector)
        else:
            message = N_("This is neither an object with front and back nor a pair of them.")
            collector.problem(place, Reason.WRONG_TYPE, message)
    if left_out:
        message = N_("Keys that a card does not have were left out. Cards with such keys: %(count)d.")
        collector.warning(0, Reason.LEFT_OUT, message, count=left_out)


_PAIR = (Column.FRONT, Column.BACK, Column.TAGS)


def _fields(row: Mapping[str, object]) -> tuple[dict[Column, object], bool]:
    """The values by what their keys say, of several that say the same the first; and whether any key is left out."""
    fields: dict[Column, object] = {}
    for key, value in row.items():
        fields.setdefault(column_named(key), value)
    known = len(fields) - (Column.UNUSED in fields)
    fields.pop(Column.UNUSED, None)
    return fields, known < len(row)


def _read_fields(place: int, fields: Mapping[Column, object], collector: Collector) -> None:
    texts: dict[Column, str | None] = {}
    for column, value in fields.items():
        if value is not None and not isinstance(value, str) and column is not Column.TAGS:
            message = N_("%(name)s has to be text.")
            collector.problem(place, Reason.WRONG_TYPE, message, name=column.value)
            return
        texts[column] = value if isinstance(value, str) else None
    tags = _tags(fields.get(Column.TAGS))
    if tags is None:
        message = N_("%(name)s has to be a list of texts.")
        collector.problem(place, Reason.WRONG_TYPE, message, name=Column.TAGS.value)
        return
    collector.add(
        RawRow(
            place,
            texts.get(Column.FRONT) or "",
            texts.get(Column.BACK) or "",
            tags,
            texts.get(Column.FRONT_RICH),
            texts.get(Column.BACK_RICH),
            texts.get(Column.DECK),
            texts.get(Column.LANGUAGE),
            texts.get(Column.SOURCE_TITLE),
            texts.get(Column.GUID),
        )
    )


def _tags(value: object) -> list[str] | None:
    """The tags of a list, or of a text with commas or spaces between them; None for anything else."""
    if value is None:
        return []
    if isinstance(value, str):
        return [tag.strip() for tag in value.split(",") if tag.strip()] if "," in value else value.split()
    if not isinstance(value, list):
        return None
    tags = cast("list[object]", value)
    return [tag for tag in tags if isinstance(tag, str)] if all(isinstance(tag, str) for tag in tags) else None


def _read_export(document: _Object, collector: Collector) -> None:
    """The cards of an export, in the decks they were in; those in the trash are not taken."""
    decks, cards = document.get("decks"), document.get("cards")
    known = str(document.get("version")) in EXPORT_VERSIONS and not document.repeated
    if not known or not isinstance(decks, list) or not isinstance(cards, list):
        raise InvalidInput(
            N_("This is not an export of a version that is known here."), N_("Export it again."), field="content"
        )
    by_id = {str(deck.get("id")): deck for deck in cast("list[object]", decks) if isinstance(deck, _Object)}
    for place, card in enumerate(cast("list[object]", cards), 1):
        if not isinstance(card, _Object) or card.repeated:
            collector.problem(place, Reason.WRONG_TYPE, N_("This is no card of an export."))
            continue
        deck = by_id.get(str(card.get("deck_id")), _Object(()))
        if card.get("deleted_at") is not None or deck.get("deleted_at") is not None:
            collector.problem(place, Reason.IN_TRASH, N_("The card was in the trash."))
            continue
        fields, _ = _fields(card)
        _read_fields(place, {**fields, Column.DECK: deck.get("title")}, collector)
