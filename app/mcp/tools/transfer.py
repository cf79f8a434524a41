"""The tool that takes a file's text: CSV, TSV or JSON."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from app.decks import service
from app.decks.views import RowLeftOut
from app.domain.plans import Feature
from app.domain.scopes import Scope
from app.domain.transfer.delimited import parse_delimited
from app.domain.transfer.json_cards import parse_json_cards
from app.domain.transfer.rows import Limits, Parsed, Problem
from app.mcp.instructions import ASK_FIRST
from app.mcp.plans import limits_of
from app.mcp.schema import ENUM_ORDER
from app.mcp.spec import Call, Input, Kind, Output, Reply, Toolset, ToolSpec
from app.mcp.tools.fields import Count, DeckId, DeckTitle
from app.mcp.tools.text import counted, id_ranges

ROWS_PER_CALL = 500
_LIMITS = Limits(rows=ROWS_PER_CALL)
_SAID_ROWS = 40
_FORMATS = ("csv", "tsv", "json")


class ImportDeck(Input):
    format: Annotated[
        Literal["csv", "tsv", "json"],
        Meta(description="What content is.", extra_json_schema={"type": "string", ENUM_ORDER: list(_FORMATS)}),
    ]
    content: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=1_000_000,
            description=(
                "The text of the file, unchanged. csv and tsv: a card in a row, fields with a comma (or semicolon) or "
                "a tab between them, quoted where needed. json: a list of objects with front, back and perhaps tags, "
                "or of pairs. 500 rows at most."
            ),
        ),
    ]
    deck_id: (
        Annotated[int, Meta(ge=1, description="The deck for the cards. Pass either deckId or title, never both.")]
        | UnsetType
    ) = UNSET
    title: DeckTitle | UnsetType = UNSET
    collection_id: (
        Annotated[int, Meta(ge=1, description="With title: the collection for a deck that is made.")] | UnsetType
    ) = UNSET
    has_header: (
        Annotated[bool, Meta(description="Whether the first row holds names. Left out: found out from the names.")]
        | UnsetType
    ) = UNSET
    columns: (
        Annotated[
            list[Annotated[str, Meta(max_length=40)]],
            Meta(
                max_length=50,
                description=(
                    "What each column is, in order: front, back, tags, frontRich, backRich, language, sourceTitle, or "
                    "an empty text for one to pass over. Left out: by the header, else front, back, tags."
                ),
            ),
        ]
        | UnsetType
    ) = UNSET


class RowNotTaken(Output):
    line: Annotated[
        Count, Meta(description="The line on which the row starts, from 1; of json the place of the card in its list.")
    ]
    reason: Annotated[str, Meta(description="A stable word, such as missing_side, unclosed_quote or equal_card.")]
    message: str


class ImportedDeck(Output):
    deck_id: DeckId
    deck_title: str
    deck_created: bool
    imported_count: Count
    not_taken_count: Annotated[Count, Meta(description="Rows that made no card.")]
    not_taken: Annotated[list[RowNotTaken], Meta(description="One for each such row, in the order of the lines.")]
    warnings: Annotated[list[RowNotTaken], Meta(description="What was changed or left out of rows that were taken.")]


async def import_deck(call: Call, given: ImportDeck) -> Reply[ImportedDeck]:
    parsed = _parsed(given)
    done = await service.import_rows(
        call.caller.account_id,
        parsed.rows,
        deck_id=given.deck_id or None,
        deck_title=None if given.title is UNSET else given.title,
        collection_id=given.collection_id or None,
        limits=limits_of(call.caller, call.settings),
        now=call.now,
    )
    reasons = [*map(_row, parsed.problems), *(_equal(row, parsed.numbered_by) for row in done.left_out)]
    not_taken = sorted(reasons, key=lambda row: row.line)
    warnings = [_row(warning) for warning in parsed.warnings]
    if any(row.deck for row in parsed.rows):
        warnings.append(RowNotTaken(line=0, reason="left_out", message="Names of decks in the rows were not used."))
    if given.collection_id and not done.made_deck:
        message = "A deck of this title was there already; it stays in its collection."
        warnings.append(RowNotTaken(line=0, reason="left_out", message=message))
    output = ImportedDeck(
        deck_id=done.deck_id,
        deck_title=done.deck_title,
        deck_created=done.made_deck,
        imported_count=len(done.imported_ids),
        not_taken_count=_rows_not_taken(parsed) + len(done.left_out),
        not_taken=not_taken,
        warnings=warnings,
    )
    affected = [f"deck:{done.deck_id}", *(f"card:{id}" for id in done.imported_ids)]
    return Reply(output, _text(output, done.imported_ids, parsed.numbered_by), affected=affected)


def _parsed(given: ImportDeck) -> Parsed:
    if given.format == "json":
        return parse_json_cards(given.content, limits=_LIMITS)
    has_header = None if given.has_header is UNSET else given.has_header
    columns = None if given.columns is UNSET else given.columns

    def parse(separator: str | None) -> Parsed:
        return parse_delimited(
            given.content, separator=separator, has_header=has_header, columns=columns, limits=_LIMITS
        )

    if given.format == "tsv":
        return parse("\t")
    found = parse(None)
    if found.separator in {",", ";"}:
        return found
    by_comma = parse(",")  # the caller says that it is CSV; only where that makes no cards is it something else
    return by_comma if by_comma.rows else found


def _row(problem: Problem) -> RowNotTaken:
    return RowNotTaken(line=problem.line, reason=problem.reason.value, message=str(problem))


def _equal(row: RowLeftOut, numbered_by: str) -> RowNotTaken:
    if row.card_id is None:
        return RowNotTaken(line=row.line, reason="equal_row", message=f"Equal to {numbered_by} {row.like_line}.")
    return RowNotTaken(line=row.line, reason="equal_card", message=f"Card {row.card_id} of the deck is equal.")


def _rows_not_taken(parsed: Parsed) -> int:
    """Rows of the text that are no card: a problem is one row, or says how many it stands for."""
    counts = (problem.params.get("count") if problem.reason in _MANY else 1 for problem in parsed.problems)
    return sum(count for count in counts if isinstance(count, int))


_MANY = frozenset({"more", "too_many_rows"})


def _text(output: ImportedDeck, ids: tuple[int, ...], numbered_by: str) -> str:
    made = " (a new deck)" if output.deck_created else ""
    lines = [f"Imported {counted(output.imported_count)} into {output.deck_title} (deckId {output.deck_id}){made}."]
    if ids:
        lines.append(f"cardIds {id_ranges(ids)}")
    if output.not_taken:
        lines.append(f"Not taken: {output.not_taken_count}.")
        lines += [f"- {numbered_by} {row.line}: {row.message}" for row in output.not_taken[:_SAID_ROWS]]
        if len(output.not_taken) > _SAID_ROWS:
            lines.append(f"- and {len(output.not_taken) - _SAID_ROWS} more, in the structured result.")
    lines += [f"- {f'{numbered_by} {row.line}: ' if row.line else ''}{row.message}" for row in output.warnings[:10]]
    return "\n".join(lines)


IMPORT_DECK = ToolSpec(
    name="import_deck",
    title="Import deck",
    description=(
        "Take the cards of a CSV, TSV or JSON text that the person has, up to 500 rows in a call, into a deck named by "
        "deckId or title. Rows that cannot be cards, and rows that the deck has already, are left out, each with its "
        "line and the reason; the others are made. Send the text as it is instead of rewriting it. An import that "
        "would make the deck too large is refused whole (DECK_CARD_LIMIT_EXCEEDED): split it over several decks. For "
        f"cards written in this conversation use create_cards. {ASK_FIRST}"
    ),
    toolsets=frozenset({Toolset.STUDY}),
    scope=Scope.DECKS_WRITE,
    feature=Feature.AI_WRITE,
    kind=Kind.WRITE,
    input=ImportDeck,
    output=ImportedDeck,
    handler=import_deck,
    kept_characters={"content": 200},
)
