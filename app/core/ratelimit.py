"""Exact rate limits shared by all processes: the generic cell rate algorithm (GCRA) in one statement.

Times are the database's own, so that the clocks of several machines need not agree.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from app.core.db import fetch_value
from app.domain.errors import N_, RateLimited


@dataclass(frozen=True, slots=True)
class Rate:
    """`calls` in `seconds` on average, `burst` at once."""

    calls: int
    seconds: float
    burst: int

    @property
    def emission_seconds(self) -> float:
        return self.seconds / self.calls

    @property
    def window_seconds(self) -> float:
        return self.emission_seconds * self.burst


# A row that is refused stays as it was, so waiting is measured from calls that went through.
_TAKE = """
WITH taken AS (
  INSERT INTO rate_limit AS r (key, arrival) VALUES ($1, clock_timestamp() + $2::float8 * interval '1 second')
  ON CONFLICT (key) DO UPDATE SET arrival = greatest(r.arrival, clock_timestamp()) + $2::float8 * interval '1 second'
    WHERE greatest(r.arrival, clock_timestamp()) + $2::float8 * interval '1 second' - clock_timestamp()
          <= $3::float8 * interval '1 second'
  RETURNING 0.0::float8
)
SELECT coalesce((SELECT * FROM taken),
  (SELECT greatest(0.001, extract(epoch FROM arrival - clock_timestamp()) + $2 - $3)::float8
     FROM rate_limit WHERE key = $1), 1.0)
"""


async def seconds_to_wait(key: str, rate: Rate) -> float:
    """Take one call from the bucket `key`: 0 if it went through, else the seconds until one would."""
    return float(await fetch_value(_TAKE, key, rate.emission_seconds, rate.window_seconds))


async def check(key: str, rate: Rate) -> None:
    """Take one call from the bucket `key` or raise `RateLimited`."""
    wait = await seconds_to_wait(key, rate)
    if wait > 0:
        raise RateLimited(
            N_("Too many requests in a short time."),
            N_("Try again in %(retry_after_seconds)s seconds."),
            retry_after_seconds=max(1, math.ceil(wait)),
        )


async def sweep() -> None:
    """Forget the buckets that are full again."""
    await fetch_value("WITH gone AS (DELETE FROM rate_limit WHERE arrival < clock_timestamp() RETURNING 1) SELECT 1")
