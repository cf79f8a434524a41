from __future__ import annotations

import asyncio

import pytest

from app.core import db, ratelimit
from app.core.ratelimit import Rate
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
