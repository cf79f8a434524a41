"""Reads text files: tables (CSV, TSV, Anki's text), Quizlet's, JSON, Markdown with cards in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final

from app.domain.cards import DECK_TITLE_MAX
from app.domain.errors import N_, InvalidInput
from app.domain.frontmatter import from_document
from app.domain.note_cards import cards_in
from app.domain.transfer.anki_header import anki_header
from app.domain.transfer.bundle import BroughtCard, BroughtDeck, BundleEnd, Line, ReadOrder
from app.domain.transfer.decoding import decoded
from app.domain.transfer.delimited import parse_delimited
from app.domain.transfer.json_cards import parse_json_cards
from app.domain.transfer.quizlet import parse_quizlet
from app.domain.transfer.rows import Collector, Limits, Parsed, RawRow

TEXT_MAX_BYTES: Final = 64 * 1_048_576
LIMITS: Final = Limits(rows=100_000, problems=1_000)
_SAMPLE = 20_000


def read(path: Path, order: ReadOrder) -> Iterator[Line | bytes]:
    """The lines of a bundle. Raises `InvalidInput` for what is too large, no text, or not as its options say."""
    if path.stat().st_size > TEXT_MAX_BYTES:
        raise InvalidInput(
            N_("The text is larger than %(max)d MB."),
            N_("Split the file, and import its parts one after the other."),
            max=TEXT_MAX_BYTES // 1_048_576,
        )
    text = decoded(path.read_bytes())
    kind = _kind(order.file_name, text)
    parsed = _parsed(kind, text, order)
    # Of one front matter or another, the rows of a file without decks belong to one of the file's name.
    decks: dict[str, int] = {}
    for row in parsed.rows:
        name = row.deck or title_of_file(order.file_name)
        if name not in decks:
            decks[name] = len(decks)
            yield Line(deck=BroughtDeck(decks[name], name))
        yield Line(
            card=BroughtCard(
                place=row.line,
                deck=decks[name],
                front=row.front,
                back=row.back,
                front_rich=row.front_rich,
                back_rich=row.back_rich,
                tags=row.tags,
                language=row.language,
                source_title=row.source_title,
                guid=row.guid,
            )
        )
    yield from (Line(problem=problem) for problem in parsed.problems)
    yield from (Line(warning=warning) for warning in parsed.warnings)
    yield Line(
        end=BundleEnd(
            format=kind,
            cards=len(parsed.rows),
            numbered_by=parsed.numbered_by,
            columns=parsed.columns,
            separator=parsed.separator,
            row_separator=parsed.row_separator,
            header_used=parsed.header_used,
        )
    )


def title_of_file(name: str) -> str:
    """The name of a file without its ending, fit for a deck."""
    stem = PurePosixPath(name.replace("\\", "/")).stem.replace("_", " ").strip()
    return stem[:DECK_TITLE_MAX] or "Import"


def _kind(name: str, text: str) -> str:
    ending = PurePosixPath(name).suffix.lower()
    if ending in {".md", ".markdown"}:
        return "markdown"
    if ending in {".csv", ".tsv"}:
        return "table"
    if ending == ".json" or text.lstrip()[:1] in {"[", "{"}:
        return "json"
    return "quizlet" if _like_quizlet(text[:_SAMPLE]) else "table"


def _like_quizlet(sample: str) -> bool:
    """Terms and definitions with a tab between, no third column, nothing quoted, none of Anki's header lines."""
    if anki_header(sample).lines or '"' in sample:
        return False
    rows = [line for line in sample.split("\n") if "\t" in line]
    return bool(rows) and all(line.count("\t") == 1 for line in rows)


def _parsed(kind: str, text: str, order: ReadOrder) -> Parsed:
    if kind == "markdown":
        return _markdown(text)
    if kind == "json":
        return parse_json_cards(text, limits=LIMITS)
    if kind == "quizlet" and order.header is None and not order.columns:
        return parse_quizlet(
            text, between=order.separator or "\t", row_separator=order.row_separator or None, limits=LIMITS
        )
    return parse_delimited(
        text,
        separator=order.separator or None,
        has_header=order.header,
        columns=order.columns or None,
        limits=LIMITS,
    )


def _markdown(text: str) -> Parsed:
    """The cards that a note's lines make; headings count where nothing else does."""
    _, body = from_document(text)
    collector = Collector(LIMITS)
    for place, card in enumerate(cards_in(body) or cards_in(body, headings=True), 1):
        collector.add(RawRow(place, card.front, card.back))
    return collector.parsed(numbered_by="card")
