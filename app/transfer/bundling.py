"""An account's decks and cards as lines of a bundle, from which any format of export can be written."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from typing import Final

from asyncpg import Record

from app.core.db import fetch, fetch_row
from app.domain.errors import N_, NotFound
from app.domain.transfer.bundle import (
    BroughtCard,
    BroughtDeck,
    BroughtMedia,
    BroughtQuestion,
    BroughtReview,
    BundleEnd,
    Line,
    MediaUse,
    Side,
)
from app.domain.transfer.identity import guid_of, identity_of
from app.media import queries as media

_AT_ONCE: Final = 500

_DECKS = """
SELECT d.id, d.title, d.description, d.language, d.created_at, c.title AS shelf
  FROM deck d LEFT JOIN collection c ON c.account_id = d.account_id AND c.id = d.collection_id
 WHERE d.account_id = $1 AND d.deleted_at IS NULL AND ($2::bigint IS NULL OR d.id = $2)
   AND ($3::bigint IS NULL OR d.collection_id = $3) ORDER BY d.id
"""
_CARDS = """
SELECT id, deck_id, front, back, front_rich, back_rich, tags, language, source_title, created_at, updated_at
  FROM card WHERE account_id = $1 AND deck_id = ANY ($2::bigint[]) AND deleted_at IS NULL AND id > $3
 ORDER BY id LIMIT $4
"""
_SCHEDULES = """
SELECT card_id, ordinal, state, step, due, stability, difficulty, last_review, reps, lapses, suspended, buried_until,
       flag, leech, gone
  FROM card_schedule WHERE account_id = $1 AND card_id = ANY ($2::bigint[]) ORDER BY card_id, ordinal
"""
_REVIEWS = """
SELECT card_id, ordinal, rep, reviewed_at, rating, elapsed_ms, state_before, due, interval_days, stability, difficulty
  FROM review WHERE account_id = $1 AND card_id = ANY ($2::bigint[]) ORDER BY card_id, ordinal, rep
"""


async def identity(account_id: int) -> str:
    """What names the account in the GUIDs of its cards."""
    row = await fetch_row("SELECT created_at FROM account WHERE id = $1", account_id)
    if row is None:
        raise NotFound(N_("There is no such account."))
    return identity_of(account_id, row["created_at"])


async def bundle(
    account_id: int, *, deck_id: int | None = None, collection_id: int | None = None
) -> AsyncIterator[Line | bytes]:
    """Live decks and their live cards, all or those of a deck or collection; media before the cards that use them."""
    own = await identity(account_id)
    decks = await fetch(_DECKS, account_id, deck_id, collection_id)
    numbers = {row["id"]: number for number, row in enumerate(decks)}
    for row in decks:
        yield Line(
            deck=BroughtDeck(
                number=numbers[row["id"]],
                name=row["title"],
                description=row["description"],
                language=row["language"],
                collection=row["shelf"],
                own=True,
                created_at=row["created_at"],
            )
        )
    after = count = 0
    sent: set[str] = set()
    while True:
        rows = await fetch(_CARDS, account_id, list(numbers), after, _AT_ONCE)
        async for line in _cards(account_id, rows, numbers, own, sent):
            yield line
        count += len(rows)
        if len(rows) < _AT_ONCE:
            break
        after = rows[-1]["id"]
    yield Line(end=BundleEnd(format="loci", cards=count, numbered_by="card"))


async def _cards(
    account_id: int, rows: Sequence[Record], numbers: dict[int, int], own: str, sent: set[str]
) -> AsyncIterator[Line | bytes]:
    ids = [row["id"] for row in rows]
    reviews: dict[tuple[int, int], list[BroughtReview]] = defaultdict(list)
    for row in await fetch(_REVIEWS, account_id, ids):
        reviews[row["card_id"], row["ordinal"]].append(_review(row))
    questions: dict[int, list[BroughtQuestion]] = defaultdict(list)
    for row in await fetch(_SCHEDULES, account_id, ids):
        questions[row["card_id"]].append(_question(row, reviews[row["card_id"], row["ordinal"]]))
    files = await media.media_of(account_id, ids)
    for row in rows:
        uses = files.get(row["id"], ())
        for use in uses:
            if use.digest not in sent:
                sent.add(use.digest)
                content = await media.content(account_id, use.digest)
                yield Line(media=BroughtMedia(use.digest, len(content.data), content.mime))
                yield content.data
        yield Line(
            card=BroughtCard(
                place=row["id"],
                deck=numbers[row["deck_id"]],
                front=row["front"],
                back=row["back"],
                front_rich=row["front_rich"],
                back_rich=row["back_rich"],
                tags=tuple(row["tags"]),
                language=row["language"],
                source_title=row["source_title"],
                guid=guid_of(own, row["id"]),
                created_at=row["created_at"],
                updated_at=row["updated_at"],
                questions=tuple(questions[row["id"]]),
                media=tuple(MediaUse(Side(use.side), use.digest, use.name) for use in uses),
            )
        )


def _review(row: Record) -> BroughtReview:
    return BroughtReview(
        reviewed_at=row["reviewed_at"],
        rating=row["rating"],
        elapsed_ms=row["elapsed_ms"],
        state_before=row["state_before"],
        due=row["due"],
        interval_days=row["interval_days"],
        stability=row["stability"],
        difficulty=row["difficulty"],
        rep=row["rep"],
    )


def _question(row: Record, reviews: list[BroughtReview]) -> BroughtQuestion:
    return BroughtQuestion(
        ordinal=row["ordinal"],
        state=row["state"],
        step=row["step"],
        due=row["due"],
        stability=row["stability"],
        difficulty=row["difficulty"],
        last_review=row["last_review"],
        reps=row["reps"],
        lapses=row["lapses"],
        suspended=row["suspended"],
        buried_until=row["buried_until"],
        flag=row["flag"],
        leech=row["leech"],
        gone=row["gone"],
        reviews=tuple(reviews),
    )
