"""What a session may ask: the candidates of each goal, within what the day still allows."""

from __future__ import annotations

from datetime import datetime, timedelta

from asyncpg import Record

from app.core.db import fetch
from app.decks.rows import live_deck
from app.domain.calendar import StudyClock
from app.domain.errors import NotFound
from app.domain.modes import Goal
from app.domain.scheduling import LEARN_AHEAD, State
from app.domain.sessions import MAX_ITEMS, Candidate
from app.study.limits import rooms as rooms_of

_COLUMNS = "s.card_id, s.ordinal, s.state, s.due, s.last_review, s.stability, s.difficulty"
_FREE = "(s.buried_until IS NULL OR s.buried_until <= $6)"

# By falling retrievability, which is by rising days over stability.
_DAILY = f"""
SELECT found.* FROM unnest($2::bigint[], $3::int[], $4::int[]) AS room (deck_id, new, reviews)
 CROSS JOIN LATERAL (
  (SELECT {_COLUMNS} FROM card_schedule s
    WHERE s.account_id = $1 AND s.deck_id = room.deck_id AND s.active AND s.state > 0 AND s.state <> 2
      AND s.due <= $5 AND {_FREE} ORDER BY s.due LIMIT {MAX_ITEMS})
  UNION ALL
  (SELECT {_COLUMNS} FROM card_schedule s
    WHERE s.account_id = $1 AND s.deck_id = room.deck_id AND s.active AND s.state > 0 AND s.state = 2
      AND s.due < $7 AND {_FREE}
    ORDER BY extract(epoch FROM $6 - s.last_review) / s.stability LIMIT room.reviews)
  UNION ALL
  (SELECT DISTINCT ON (s.card_id) {_COLUMNS} FROM card_schedule s
    WHERE s.account_id = $1 AND s.deck_id = room.deck_id AND s.active AND s.state = 0 AND {_FREE}
    ORDER BY s.card_id, s.ordinal LIMIT room.new)
 ) AS found
"""  # noqa: S608 - constants

_DUE_BEFORE = f"""
SELECT {_COLUMNS} FROM card_schedule s
 WHERE s.account_id = $1 AND s.deck_id = ANY ($2::bigint[]) AND s.active AND s.state > 0 AND s.due < $3
   AND (s.buried_until IS NULL OR s.buried_until <= $4)
 ORDER BY extract(epoch FROM $4 - s.last_review) / s.stability DESC LIMIT {MAX_ITEMS}
"""  # noqa: S608

# Everything, or of an account with more than a session holds a part that differs from seed to seed.
_ALL = f"""
SELECT {_COLUMNS}, c.tags FROM card_schedule s JOIN card c ON c.account_id = s.account_id AND c.id = s.card_id
 WHERE s.account_id = $1 AND s.deck_id = ANY ($2::bigint[]) AND s.active
 ORDER BY hashint8extended(s.card_id, $3), s.ordinal LIMIT $4
"""  # noqa: S608


async def decks_of(account_id: int, deck_id: int | None) -> list[int]:
    """The live decks that a session is about: the one named, or all. Raises `NotFound`."""
    if deck_id is not None:
        await live_deck(account_id, deck_id)
        return [deck_id]
    rows = await fetch("SELECT id FROM deck WHERE account_id = $1 AND deleted_at IS NULL ORDER BY id", account_id)
    return [row["id"] for row in rows]


async def candidates(
    account_id: int,
    deck_ids: list[int],
    goal: Goal,
    *,
    horizon_days: int,
    extra: int,
    seed: int,
    clock: StudyClock,
    now: datetime,
) -> list[Candidate]:
    """All that a session of this goal may ask, in no order. `extra` raises the day's limits of each deck."""
    if goal in {Goal.CRAM, Goal.DIAGNOSE}:
        most = MAX_ITEMS if len(deck_ids) > 1 else 10 * MAX_ITEMS
        rows = await fetch(_ALL, account_id, deck_ids, seed, most)
    elif goal is Goal.RETAIN:
        until = clock.end_of(clock.study_day(now) + timedelta(days=horizon_days))
        rows = await fetch(_DUE_BEFORE, account_id, deck_ids, until, now)
    else:
        rooms = await rooms_of(account_id, deck_ids, clock=clock, now=now)
        rows = await fetch(
            _DAILY,
            account_id,
            [room.deck_id for room in rooms],
            [min(MAX_ITEMS, room.new + extra) for room in rooms],
            [min(MAX_ITEMS, room.reviews + extra) for room in rooms],
            now + LEARN_AHEAD,
            now,
            clock.end_of(clock.study_day(now)),
        )
    return [_candidate(row) for row in rows]


async def most_due_deck(account_id: int, *, clock: StudyClock, now: datetime) -> int:
    """The live deck with the most to study now: due first, then new. Raises `NotFound` when there is no deck."""
    rows = await fetch(
        """
        SELECT d.id FROM deck d LEFT JOIN deck_count n ON n.account_id = d.account_id AND n.deck_id = d.id
         CROSS JOIN LATERAL (
           SELECT count(*) AS due FROM card_schedule s
            WHERE s.account_id = d.account_id AND s.deck_id = d.id AND s.active AND s.state > 0 AND s.due < $2
              AND (s.buried_until IS NULL OR s.buried_until <= $3)) AS waiting
         WHERE d.account_id = $1 AND d.deleted_at IS NULL
         ORDER BY waiting.due DESC, coalesce(n.new_cards, 0) DESC, d.id LIMIT 1
        """,
        account_id,
        clock.end_of(clock.study_day(now)),
        now,
    )
    if not rows:
        raise NotFound("There is no deck yet.", "Create a deck with cards first.")
    return int(rows[0]["id"])


def _candidate(row: Record) -> Candidate:
    return Candidate(
        card_id=row["card_id"],
        ordinal=row["ordinal"],
        state=State(row["state"]),
        due=row["due"],
        last_review=row["last_review"],
        stability=row["stability"],
        difficulty=row["difficulty"],
        tags=tuple(row["tags"]) if "tags" in row else (),
    )
