"""Literal substring search over the notes of an account, those with the most matches first, then the newest.

The index of hashed letter pairs names the notes that may match; counting the matches decides. Ranking needs the count
of every note that matches, so a word that is everywhere costs one pass over all the text of the account.
"""

from __future__ import annotations

from asyncio import Semaphore, timeout
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

import msgspec
from asyncpg import Record

from app.core import cursors
from app.core.db import fetch
from app.decks.rows import LARGEST_ID
from app.decks.views import Page
from app.domain.errors import N_, InvalidInput, Unavailable
from app.domain.note_paths import clean_folder, title_of
from app.domain.notes import snippet
from app.domain.search_text import QUERY_MAX, fold, literal_grams
from app.notes.views import NoteHit

_LISTING = "note-search"
_PLACES = 2  # searches at once in one process; the pool has more connections than that
_SEARCH_SECONDS = 3.0
_WAIT_SECONDS = 6.0
_places = Semaphore(_PLACES)

HitKey = tuple[
    Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1)],
    Annotated[datetime, msgspec.Meta(tz=True)],
    Annotated[int, msgspec.Meta(ge=1, le=LARGEST_ID)],
]

# `replace` is the quickest counter there is. `+ 0` hides the account from the planner, which would read all its rows
# to combine two indexes.
_COUNTED = """
SELECT note_id, updated_at,
       (octet_length(search_text) - octet_length(replace(search_text, $2, ''))) / octet_length($2) AS score
  FROM note_search WHERE {rows}
"""
# Only notes in the folder and with the tags; nothing is joined where neither is asked for, since a common word would
# be joined with every note.
_CHOSEN = """
  JOIN note ON note.account_id = $1 AND note.id = counted.note_id
   AND ($7 = '' OR starts_with(note.path, $7 || '/')) AND ($8::text[] IS NULL OR note.tags @> $8)
"""
_HITS = """
WITH counted AS MATERIALIZED ({counted}),
hit AS MATERIALIZED (
  SELECT counted.note_id AS id, counted.updated_at, counted.score FROM counted {chosen}
   WHERE counted.score > 0
     AND ($3::int IS NULL OR (counted.score, counted.updated_at, counted.note_id) < ($3, $4::timestamptz, $5::bigint))
   ORDER BY counted.score DESC, counted.updated_at DESC, counted.note_id DESC LIMIT $6
)
SELECT hit.id, note.path, hit.updated_at, hit.score, stored.body
  FROM hit JOIN note ON note.account_id = $1 AND note.id = hit.id
  JOIN note_version AS stored
    ON stored.account_id = $1 AND stored.note_id = hit.id AND stored.version = note.version
 ORDER BY hit.score DESC, hit.updated_at DESC, hit.id DESC
"""
_SCAN = "account_id = $1"
_INDEX = "account_id + 0 = $1 AND grams @> (SELECT ${place}::int[])"
_SCAN_ALL = _HITS.format(counted=_COUNTED.format(rows=_SCAN), chosen="")
_SCAN_CHOSEN = _HITS.format(counted=_COUNTED.format(rows=_SCAN), chosen=_CHOSEN)
_INDEX_ALL = _HITS.format(counted=_COUNTED.format(rows=_INDEX.format(place=7)), chosen="")
_INDEX_CHOSEN = _HITS.format(counted=_COUNTED.format(rows=_INDEX.format(place=9)), chosen=_CHOSEN)


def checked_tags(tags: Sequence[str]) -> list[str] | None:
    """The tags to look for, None for any. Raises `InvalidInput` for text that no tag can hold."""
    if any("\0" in tag for tag in tags):
        raise InvalidInput(N_("A tag holds a character that cannot be stored (NUL)."), field="tags")
    return list(tags) or None


async def search_notes(
    account_id: int,
    query: str,
    *,
    folder: str = "",
    tags: Sequence[str] = (),
    cursor: str | None = None,
    limit: int = 20,
) -> Page[NoteHit]:
    """Live notes that hold `query` in title, body or tags, letter case apart.

    `folder` keeps the notes in it and below, `tags` those with all of them, letter by letter. Raises `InvalidInput` for
    a query that is blank, too long or takes too long, and a foreign cursor; `Unavailable`.
    """
    needle = _needle(query)
    after = cursors.decode(cursor, _LISTING, HitKey) or (None, None, None)
    common = (account_id, needle, *after, limit + 1)
    inside, wanted = clean_folder(folder), checked_tags(tags)
    chosen = (inside, wanted) if inside or wanted else ()
    keys = literal_grams(account_id, needle)
    if keys:
        rows = await _run(_INDEX_CHOSEN if chosen else _INDEX_ALL, *common, *chosen, keys)
    else:
        rows = await _run(_SCAN_CHOSEN if chosen else _SCAN_ALL, *common, *chosen)
    hits = tuple(
        NoteHit(
            row["id"], row["path"], title_of(row["path"]), snippet(row["body"], needle), row["score"], row["updated_at"]
        )
        for row in rows[:limit]
    )
    if len(rows) <= limit:
        return Page(hits, None)
    last = hits[-1]
    return Page(hits, cursors.encode(_LISTING, [last.score, last.updated_at, last.id]))


def _needle(query: str) -> str:
    if len(query) > QUERY_MAX:
        raise InvalidInput(
            N_("A search takes at most %(max)s characters."),
            N_("Search for a word or a short phrase."),
            field="query",
            max=QUERY_MAX,
        )
    needle = fold(query.strip())
    if not needle or any(sign == "\0" or "\ud800" <= sign <= "\udfff" for sign in needle):
        raise InvalidInput(
            N_("The search has nothing to look for."), N_("Give at least one letter or digit."), field="query"
        )
    return needle


async def _run(sql: str, *values: object) -> list[Record]:
    """The rows of a search that may neither take long nor take every connection."""
    try:
        async with timeout(_WAIT_SECONDS), _places:
            return await fetch(sql, *values, timeout_seconds=_SEARCH_SECONDS)
    except TimeoutError:
        raise Unavailable(N_("Too many searches run at this moment."), N_("Try again in a few seconds.")) from None
    except Unavailable as error:
        if not isinstance(error.__cause__, TimeoutError):
            raise
        raise InvalidInput(
            N_("This search takes too long."), N_("Search for a longer or rarer text, or in one folder."), field="query"
        ) from None
