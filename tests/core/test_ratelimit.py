from __future__ import annotations

import asyncio

import asyncpg
import pytest

from app.core import db, ratelimit
from app.core.ratelimit import Rate, Take, taking
from app.domain.errors import RateLimited

SLOW = Rate(calls=1, seconds=3600, burst=5)


async def test_the_burst_goes_through_and_the_next_call_waits(committed: None) -> None:
    for _ in range(5):
        assert await ratelimit.seconds_to_wait("alice", SLOW) == 0
    wait = await ratelimit.seconds_to_wait("alice", SLOW)
    assert 3590 < wait <= 3600


async def test_a_refused_call_does_not_prolong_the_wait(committed: None) -> None:
    for _ in range(5):
        await ratelimit.seconds_to_wait("alice", SLOW)
    waits = [await ratelimit.seconds_to_wait("alice", SLOW) for _ in range(10)]
    assert max(waits) <= 3600


async def test_two_hundred_calls_at_once_get_exactly_the_burst(committed: None) -> None:
    rate = Rate(calls=1, seconds=3600, burst=20)
    waits = await asyncio.gather(*(ratelimit.seconds_to_wait("bob", rate) for _ in range(200)))
    assert sum(wait == 0 for wait in waits) == 20


async def test_buckets_are_apart(committed: None) -> None:
    one = Rate(calls=1, seconds=3600, burst=1)
    await ratelimit.check("alice", one)
    await ratelimit.check("bob", one)
    with pytest.raises(RateLimited) as refusal:
        await ratelimit.check("alice", one)
    assert 3590 < refusal.value.retry_after_seconds <= 3600
    assert "seconds" in str(refusal.value)


async def test_full_buckets_are_forgotten(committed: None) -> None:
    await ratelimit.check("past", Rate(calls=1_000_000, seconds=1, burst=10))
    await ratelimit.check("present", SLOW)
    await db.execute("UPDATE rate_limit SET arrival = now() - interval '1 second' WHERE key = 'past'")
    await ratelimit.sweep()
    assert await db.fetch_value("SELECT array_agg(key) FROM rate_limit") == ["present"]


# --- in the same statement as the question who calls

TIERS = Take("call:", {"free": Rate(calls=1, seconds=3600, burst=2), "pro": Rate(calls=1, seconds=3600, burst=20)})
ASK = taking(
    "SELECT name AS bucket, tier FROM (VALUES ('alice', 'free'), ('bob', 'pro')) AS p (name, tier) WHERE name = $1", 2
)


async def ask(name: str) -> asyncpg.Record | None:
    return await db.fetch_row(ASK, name, *TIERS.values)


async def test_whoever_is_found_gives_a_call_at_the_rate_of_their_tier(committed: None) -> None:
    for name, burst in (("alice", 2), ("bob", 20)):
        for _ in range(burst):
            found = await ask(name)
            assert found is not None
            assert (found["bucket"], found["seconds_to_wait"]) == (name, 0)
        for _ in range(3):
            refused = await ask(name)
            assert refused is not None
            assert 3590 < refused["seconds_to_wait"] <= 3600


async def test_two_hundred_questions_at_once_get_exactly_the_burst(committed: None) -> None:
    found = await asyncio.gather(*(ask("bob") for _ in range(200)))
    assert sum(row is not None and row["seconds_to_wait"] == 0 for row in found) == 20


async def test_both_ways_take_from_one_bucket(committed: None) -> None:
    assert await ratelimit.seconds_to_wait("call:alice", TIERS.rates["free"]) == 0
    assert [row and row["seconds_to_wait"] == 0 for row in [await ask("alice"), await ask("alice")]] == [True, False]


async def test_nobody_found_takes_nothing(committed: None) -> None:
    assert await ask("carol") is None
    assert await db.fetch_value("SELECT count(*) FROM rate_limit") == 0


async def test_a_tier_without_a_rate_may_not_call(committed: None) -> None:
    assert await db.fetch_row(ASK, "bob", *Take("call:", {"free": SLOW}).values) is None
