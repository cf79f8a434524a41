"""Finding cards by text, deck, tag, state and due time: the query language of `app.domain.card_query` as SQL.

A card counts by its questions: it is new, due, suspended and so on when one of them is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

import msgspec
from asyncpg import Record

from app.core import cursors
from app.core.db import fetch
from app.decks.rows import LARGEST_ID, live_deck
from app.decks.search import run_search
from app.decks.views import Page
from app.domain.calendar import StudyClock
from app.domain.card_query import CardQuery, CardState, Part, StatePart
from app.domain.cards import title_key
from app.domain.errors import N_, NotFound
from app.domain.scheduling import State
from app.domain.search_text import needle
from app.study.views import CardRow


class CardSort(StrEnum):
    NEWEST = "newest"
    OLDEST = "oldest"
    DUE = "due"
    """What is due first; cards without a due time last."""
    DIFFICULTY = "difficulty"
    """The most difficult first; cards that were never answered last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardFilter:
    """What to look for. `tags` and `state` add to what the query asks."""

    query: CardQuery = field(default_factory=CardQuery)
    deck_id: int | None = None
    tags: Sequence[str] = ()
    state: CardState | None = None
    due_before: datetime | None = None
    sort: CardSort = CardSort.NEWEST


_Id = Annotated[int, msgspec.Meta(ge=1, le=LARGEST_ID)]
_KEYS: dict[CardSort, type[tuple[Any, ...]]] = {
    CardSort.NEWEST: tuple[_Id],
    CardSort.OLDEST: tuple[_Id],
    CardSort.DUE: tuple[Annotated[datetime, msgspec.Meta(tz=True)] | None, _Id],
    CardSort.DIFFICULTY: tuple[float | None, _Id],
}
# By rising value; difficulty therefore with its sign turned.
_VALUES = {
    CardSort.DUE: ("min(v.due)", "timestamptz"),
    CardSort.DIFFICULTY: ("-max(v.difficulty)", "float8"),
}

_SHOWN = """
SELECT hit.id, c.deck_id, d.title AS deck_title, c.front, c.back, c.tags, hit.value, q.*
  FROM hit JOIN card c ON c.account_id = $1 AND c.id = hit.id JOIN deck d ON d.account_id = $1 AND d.id = c.deck_id
 CROSS JOIN LATERAL (
   SELECT (array_agg(s.state ORDER BY s.due NULLS LAST, s.ordinal))[1] AS state, min(s.due) AS due,
          bool_and(s.suspended) AS suspended, bool_or(s.leech) AS leech
     FROM card_schedule s WHERE s.account_id = $1 AND s.card_id = hit.id AND NOT s.gone) AS q
"""


class _Sql:
    """Conditions on the card `c`, and their values."""

    def __init__(self, account_id: int) -> None:
        self.values: list[object] = [account_id]
        self.conditions = ["c.deleted_at IS NULL"]

    def value(self, value: object) -> str:
        self.values.append(value)
        return f"${len(self.values)}"

    def add(self, condition: str, *, negated: bool = False) -> None:
        self.conditions.append(f"NOT ({condition})" if negated else condition)

    def question(self, condition: str) -> str:
        """That one of the card's questions fits."""
        return (  # the text is of this module
            "EXISTS (SELECT 1 FROM card_schedule s WHERE s.account_id = $1 AND s.card_id = c.id AND NOT s.gone "  # noqa: S608
            f"AND {condition})"
        )


async def search(
    account_id: int, wanted: CardFilter, *, clock: StudyClock, now: datetime, cursor: str | None = None, limit: int = 20
) -> Page[CardRow]:
    """Live cards that fit, a page at a time.

    Raises `InvalidInput` for a text without a letter, a foreign cursor and a search that takes too long; `NotFound` for
    a deck that is not there, by its id or by a title that the query asks for.
    """
    listing = f"cards-{wanted.sort}"
    after = cursors.decode(cursor, listing, _KEYS[wanted.sort])
    sql = _Sql(account_id)
    _texts(sql, account_id, wanted.query.texts)
    await _decks(sql, account_id, wanted)
    await _tags(sql, account_id, wanted)
    states = [*wanted.query.states, *([StatePart(wanted.state)] if wanted.state else [])]
    for part in states:
        condition = _due(sql, clock, now) if part.state is CardState.DUE else _STATES[part.state]
        sql.add(sql.question(condition), negated=part.negated)
    if wanted.due_before is not None:
        sql.add(sql.question(f"s.active AND s.state > 0 AND s.due < {sql.value(wanted.due_before)}"))
    rows = await run_search(_statement(sql, wanted.sort, after, limit + 1), *sql.values)
    views = tuple(_view(row) for row in rows[:limit])
    last = rows[limit - 1] if len(rows) > limit else None
    if last is None:
        return Page(views, None)
    key = [last["value"], last["id"]] if wanted.sort in _VALUES else [last["id"]]
    return Page(views, cursors.encode(listing, key))


def _statement(sql: _Sql, sort: CardSort, after: Sequence[object] | None, rows: int) -> str:
    found = f"FROM card c WHERE {' AND '.join(sql.conditions)}"
    limit = f"LIMIT {sql.value(rows)}"
    if sort not in _VALUES:
        order, beyond = ("DESC", "<") if sort is CardSort.NEWEST else ("ASC", ">")
        more = f"AND c.id {beyond} {sql.value(after[0])}" if after else ""
        hit = f"SELECT c.id, NULL AS value {found} {more} ORDER BY c.id {order} {limit}"
        return f"WITH hit AS MATERIALIZED ({hit}) {_SHOWN} ORDER BY hit.id {order}"
    value, kind = _VALUES[sort]
    more = ""
    if after:
        last_value, last_id = f"{sql.value(after[0])}::{kind}", sql.value(after[1])
        more = (
            f"WHERE CASE WHEN {last_value} IS NULL THEN value IS NULL AND id > {last_id} "
            f"ELSE value IS NULL OR value > {last_value} OR value = {last_value} AND id > {last_id} END"
        )
    valued = (  # the texts are of this module
        f"SELECT c.id, (SELECT {value} FROM card_schedule v WHERE v.account_id = $1 AND v.card_id = c.id "  # noqa: S608
        f"AND v.active) AS value {found}"
    )
    order = "ORDER BY value NULLS LAST, id"
    hit = f"SELECT id, value FROM ({valued}) AS valued {more} {order} {limit}"  # noqa: S608
    return f"WITH hit AS MATERIALIZED ({hit}) {_SHOWN} {order}"


def _texts(sql: _Sql, account_id: int, texts: Sequence[Part]) -> None:
    """Each text a pattern; the letter pairs of those that must be there name the rows that may match."""
    grams: set[int] = set()
    for part in texts:
        found = needle(account_id, part.value)
        sql.add(f"c.search_text LIKE {sql.value(found.pattern_like)}", negated=part.negated)
        if not part.negated:
            grams.update(found.grams)
    if grams:  # `+ 0`: see app.decks.search
        sql.add(f"c.account_id + 0 = $1 AND c.grams @> (SELECT {sql.value(sorted(grams))}::int[])")
    else:
        sql.add("c.account_id = $1")


async def _decks(sql: _Sql, account_id: int, wanted: CardFilter) -> None:
    if wanted.deck_id is not None:
        await live_deck(account_id, wanted.deck_id)
        sql.add(f"c.deck_id = {sql.value(wanted.deck_id)}")
    for part in wanted.query.decks:
        rows = await fetch(
            "SELECT id FROM deck WHERE account_id = $1 AND title_key = $2 AND deleted_at IS NULL",
            account_id,
            title_key(part.value),
        )
        if not rows:
            raise NotFound(
                N_("No deck has the title that the query names."),
                N_('List the decks for their titles; write one with spaces in quotes: deck:"World capitals".'),
            )
        sql.add(f"c.deck_id = ANY ({sql.value([row['id'] for row in rows])}::bigint[])", negated=part.negated)


async def _tags(sql: _Sql, account_id: int, wanted: CardFilter) -> None:
    parts = [*wanted.query.tags, *(Part(tag) for tag in wanted.tags)]
    if not parts:
        return
    rows = await fetch(
        "SELECT DISTINCT unnest(tags) AS tag FROM card WHERE account_id = $1 AND deleted_at IS NULL", account_id
    )
    for part in parts:
        spellings = [row["tag"] for row in rows if title_key(row["tag"]) == title_key(part.value)]
        sql.add(f"c.tags && {sql.value(spellings)}::text[]", negated=part.negated)


def _due(sql: _Sql, clock: StudyClock, now: datetime) -> str:
    """As decks count it: in review until the study day ends, in (re)learning from its minute on, never while buried."""
    end, instant = sql.value(clock.end_of(clock.study_day(now))), sql.value(now)
    return (
        f"s.active AND s.state > 0 AND s.due < {end} AND (s.state = 2 OR s.due <= {instant}) "
        f"AND (s.buried_until IS NULL OR s.buried_until <= {instant})"
    )


_STATES = {
    CardState.NEW: "s.state = 0",
    CardState.LEARNING: "s.state IN (1, 3)",
    CardState.REVIEW: "s.state = 2",
    CardState.SUSPENDED: "s.suspended",
    CardState.LEECH: "s.leech",
}


def _view(row: Record) -> CardRow:
    return CardRow(
        id=row["id"],
        deck_id=row["deck_id"],
        deck_title=row["deck_title"],
        front=row["front"],
        back=row["back"],
        tags=tuple(row["tags"]),
        state=State(row["state"]),
        due=row["due"],
        suspended=row["suspended"],
        leech=row["leech"],
    )


_DECK_CARDS = f"""
WITH hit AS MATERIALIZED (
  SELECT id, NULL AS value FROM card
   WHERE account_id = $1 AND deck_id = $2 AND deleted_at IS NULL AND id > $3 ORDER BY id LIMIT $4)
{_SHOWN} ORDER BY hit.id
"""  # noqa: S608 - constants


async def cards_of_deck(account_id: int, deck_id: int, *, cursor: str | None = None, limit: int = 50) -> Page[CardRow]:
    """The live cards of a live deck in the order they were made. Raises `NotFound`, `InvalidInput` for the cursor."""
    after = cursors.decode(cursor, "deck-cards", tuple[_Id])
    await live_deck(account_id, deck_id)
    rows = await fetch(_DECK_CARDS, account_id, deck_id, after[0] if after else 0, limit + 1)
    views = tuple(_view(row) for row in rows[:limit])
    return Page(views, cursors.encode("deck-cards", [views[-1].id]) if len(rows) > limit else None)
