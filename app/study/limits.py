"""What the study day still allows in each deck: new cards and reviews within the person's limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from app.core.db import fetch
from app.domain.calendar import StudyClock
from app.domain.study_settings import STANDARD


@dataclass(frozen=True, slots=True)
class Room:
    """How many new cards and how many reviews a deck may still show today."""

    deck_id: int
    new: int
    reviews: int


_ROOMS = """
SELECT wanted.id AS deck_id,
       greatest(0, coalesce(own.new_per_day, common.new_per_day, $4::int) - done.introduced)::int AS new,
       greatest(0, coalesce(own.reviews_per_day, common.reviews_per_day, $5::int) - done.reviewed)::int AS reviews
  FROM unnest($2::bigint[]) AS wanted (id)
  LEFT JOIN study_settings common ON common.account_id = $1
  LEFT JOIN deck_settings own ON own.account_id = $1 AND own.deck_id = wanted.id
 CROSS JOIN LATERAL (
   SELECT count(*) FILTER (WHERE state_before = 0) AS introduced,
          count(*) FILTER (WHERE state_before = 2) AS reviewed
     FROM review r WHERE r.account_id = $1 AND r.deck_id = wanted.id AND r.reviewed_at >= $3) AS done
"""


async def rooms(account_id: int, deck_ids: Sequence[int], *, clock: StudyClock, now: datetime) -> list[Room]:
    """The room that today's limits leave in each of the decks."""
    rows = await fetch(
        _ROOMS,
        account_id,
        deck_ids,
        clock.start_of(clock.study_day(now)),
        STANDARD.new_per_day,
        STANDARD.reviews_per_day,
    )
    return [Room(row["deck_id"], row["new"], row["reviews"]) for row in rows]
