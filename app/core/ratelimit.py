"""Exact rate limits shared by all processes: the generic cell rate algorithm (GCRA) in one statement.

Times are the database's own, so that the clocks of several machines need not agree.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
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


@dataclass(frozen=True, slots=True)
class Take:
    """One call to take from the bucket of whoever a statement finds: `prefix` and their name, at their tier's rate.

    Goes with `taking`, as its last four parameters.
    """

    prefix: str
    rates: Mapping[str, Rate]

    @property
    def values(self) -> tuple[str, list[str], list[float], list[float]]:
        rates = self.rates.values()
        return self.prefix, list(self.rates), [r.emission_seconds for r in rates], [r.window_seconds for r in rates]


# A row that is refused stays as it was, so waiting is measured from calls that went through. The new arrival is
# reckoned from the row as it is once it is locked, so calls at the same time count one after the other.
_TAKEN = """
taken AS (
  INSERT INTO rate_limit AS r (key, arrival) {first}
  ON CONFLICT (key) DO UPDATE SET arrival = greatest(r.arrival, clock_timestamp()) + {emission} * interval '1 second'
    WHERE greatest(r.arrival, clock_timestamp()) + {emission} * interval '1 second' - clock_timestamp()
          <= {window} * interval '1 second'
  RETURNING 0.0::float8
)"""
_WAIT = """coalesce((SELECT * FROM taken),
  (SELECT greatest(0.001, extract(epoch FROM arrival - clock_timestamp()) + {emission} - {window})::float8
     FROM rate_limit WHERE key = {key}), 1.0)"""


def _filled(text: str, key: str, emission: str, window: str, first: str) -> str:
    return text.format(key=key, emission=emission, window=window, first=first)


_OF_PARAMETERS = (
    *("$1", "$2::float8", "$3::float8"),
    "VALUES ($1, clock_timestamp() + $2::float8 * interval '1 second')",
)
_OF_WHO_IS_FOUND = (
    *("(SELECT key FROM found)", "(SELECT emission_seconds FROM found)", "(SELECT window_seconds FROM found)"),
    "SELECT key, clock_timestamp() + emission_seconds * interval '1 second' FROM found",
)
_TAKE = f"WITH {_filled(_TAKEN, *_OF_PARAMETERS)} SELECT {_filled(_WAIT, *_OF_PARAMETERS)}"


def taking(found: str, first_parameter: int) -> str:
    """SQL: the row that `found` gives, with `seconds_to_wait`: 0 when a call of theirs was taken from their bucket.

    `found` is a SELECT of a row at most, with their name as `bucket` and the name of a rate as `tier`. It is run once,
    in the same statement. The parameters of a `Take` follow from `first_parameter` on. Nobody is found, and nothing
    taken, where the tier has no rate.
    """
    # Materialised, so that the plan of `found` stays what it is alone.
    prefix, tiers, emissions, windows = (f"${first_parameter + place}" for place in range(4))
    return f"""
WITH who AS MATERIALIZED ({found}), found AS MATERIALIZED (
  SELECT who.*, {prefix}::text || who.bucket AS key, rate.emission_seconds, rate.window_seconds
    FROM who JOIN unnest({tiers}::text[], {emissions}::float8[], {windows}::float8[])
                  AS rate (tier, emission_seconds, window_seconds) ON rate.tier = who.tier
), {_filled(_TAKEN, *_OF_WHO_IS_FOUND)}
SELECT found.*, {_filled(_WAIT, *_OF_WHO_IS_FOUND)} AS seconds_to_wait FROM found
"""  # noqa: S608 - texts of this application


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
