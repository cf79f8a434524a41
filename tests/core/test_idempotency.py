from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from app.core import db, idempotency
from app.domain.errors import Conflict
from tests.factories import NOW, make_account


async def once(account_id: int, key: str, value: object, made: list[int]) -> object:
    """A command that may be repeated."""
    async with db.atomic():
        before = await idempotency.begin(account_id, "make", key, value, NOW)
        if before is not None:
            return before
        made.append(1)
        answer = {"id": len(made)}
        await idempotency.finish(account_id, "make", key, answer)
        return answer


async def test_a_repeated_command_gets_the_first_answer(rollback: None) -> None:
    alice, made = await make_account(), list[int]()
    assert await once(alice.id, "k", {"a": 1, "b": 2}, made) == {"id": 1}
    assert await once(alice.id, "k", {"b": 2, "a": 1}, made) == {"id": 1}
    assert len(made) == 1


async def test_one_key_with_another_input_is_a_conflict(rollback: None) -> None:
    alice = await make_account()
    await once(alice.id, "k", {"a": 1}, [])
    with pytest.raises(Conflict):
        await once(alice.id, "k", {"a": 2}, [])


async def test_keys_belong_to_their_account(rollback: None) -> None:
    alice, bob = await make_account(), await make_account("bob@example.org")
    made: list[int] = []
    await once(alice.id, "k", 1, made)
    await once(bob.id, "k", 2, made)
    assert len(made) == 2


async def test_a_command_that_failed_leaves_its_key_free(rollback: None) -> None:
    alice = await make_account()
    with pytest.raises(RuntimeError):
        async with db.atomic():
            await idempotency.begin(alice.id, "make", "k", 1, NOW)
            raise RuntimeError
    made: list[int] = []
    await once(alice.id, "k", 1, made)
    assert len(made) == 1


async def test_the_same_command_eight_times_at_once_is_done_once(committed: None) -> None:
    alice, made = await make_account(), list[int]()
    answers = await asyncio.gather(*(once(alice.id, "k", 1, made) for _ in range(8)))
    assert answers == [{"id": 1}] * 8
    assert len(made) == 1


async def test_old_keys_are_forgotten(rollback: None) -> None:
    alice = await make_account()
    await once(alice.id, "k", 1, [])
    await idempotency.sweep(NOW + timedelta(days=idempotency.KEEP_DAYS, hours=1))
    assert await db.fetch_value("SELECT count(*) FROM idempotency_key") == 0
