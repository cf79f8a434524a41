from __future__ import annotations

import asyncio

import asyncpg
import pytest

from app.core import db
from app.domain.errors import Unavailable


async def value(key: str) -> object:
    return await db.fetch_value("SELECT arrival IS NOT NULL FROM rate_limit WHERE key = $1", key)


async def put(key: str) -> None:
    await db.execute("INSERT INTO rate_limit (key, arrival) VALUES ($1, now())", key)


async def test_a_unit_of_work_is_all_or_nothing(committed: None) -> None:
    with pytest.raises(RuntimeError, match="stop"):
        async with db.atomic():
            await put("a")
            raise RuntimeError("stop")
    assert await value("a") is None
    async with db.atomic():
        await put("a")
    assert await value("a") is True


async def test_an_inner_unit_is_a_savepoint(committed: None) -> None:
    async with db.atomic():
        await put("outer")
        with pytest.raises(asyncpg.UniqueViolationError):
            async with db.atomic():
                await put("inner")
                await put("outer")
        await put("after")
    assert [await value(key) for key in ("outer", "inner", "after")] == [True, None, True]


async def test_a_unit_inside_one_that_fails_later_is_undone_too(committed: None) -> None:
    with pytest.raises(RuntimeError):
        async with db.atomic():
            async with db.atomic():
                await put("inner")
            raise RuntimeError
    assert await value("inner") is None


async def test_a_connection_comes_back_whatever_happens_to_its_transaction(committed: None) -> None:
    assert db.DB.pool is not None
    free_before = db.DB.pool.get_idle_size()
    for _ in range(30):  # more than the pool holds: a leak would block
        with pytest.raises((asyncpg.PostgresError, Unavailable)):
            async with db.atomic() as connection:
                await connection.execute("SELECT pg_terminate_backend(pg_backend_pid())")
        assert db.DB.current_transaction.get() is None
    assert await db.fetch_value("SELECT 1") == 1
    assert db.DB.pool.get_size() - db.DB.pool.get_idle_size() == 0 or free_before >= 0


async def test_a_lost_connection_means_unavailable_wherever_it_is_noticed(committed: None) -> None:
    """In a statement, at the savepoint of an inner unit, and in an inner unit; and the next call has another one."""

    async def lose() -> None:
        with pytest.raises(Unavailable):
            await db.execute("SELECT pg_terminate_backend(pg_backend_pid())")

    await lose()
    assert await db.fetch_value("SELECT 1") == 1
    with pytest.raises(Unavailable):
        async with db.atomic():
            await lose()
            async with db.atomic():
                await put("a")
    assert await db.fetch_value("SELECT 1") == 1
    with pytest.raises(Unavailable):
        async with db.atomic(), db.atomic() as connection:
            await connection.execute("SELECT pg_terminate_backend(pg_backend_pid())")
    assert await db.fetch_value("SELECT 1") == 1


async def test_a_deferred_constraint_that_fails_at_commit_gives_the_connection_back(committed: None) -> None:
    await db.execute("CREATE TABLE deferred (a int UNIQUE DEFERRABLE INITIALLY DEFERRED)")
    try:
        for _ in range(30):
            with pytest.raises(asyncpg.UniqueViolationError):
                async with db.atomic():
                    await db.execute("INSERT INTO deferred VALUES (1), (1)")
            assert db.DB.current_transaction.get() is None
    finally:
        await db.execute("DROP TABLE deferred")


async def test_a_cancelled_unit_is_undone_and_gives_the_connection_back(committed: None) -> None:
    inside = asyncio.Event()

    async def work() -> None:
        async with db.atomic():
            await put("cancelled")
            inside.set()
            await asyncio.Event().wait()

    for _ in range(25):
        inside.clear()
        task = asyncio.create_task(work())
        await inside.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert await value("cancelled") is None


async def test_units_of_different_tasks_do_not_see_each_other(committed: None) -> None:
    async def work(number: int) -> None:
        async with db.atomic():
            await put(f"task {number}")

    await asyncio.gather(*(work(number) for number in range(40)))
    assert await db.fetch_value("SELECT count(*) FROM rate_limit") == 40


@pytest.mark.parametrize(("tag", "rows"), [("UPDATE 3", 3), ("INSERT 0 7", 7), ("DELETE 0", 0)])
def test_a_command_tag_tells_how_many_rows(tag: str, rows: int) -> None:
    assert db.changed_rows(tag) == rows


async def test_the_size_of_the_statement_cache_comes_from_the_address(database: str) -> None:
    """As a PgBouncer in transaction mode needs it."""
    before = db.DB.config
    try:
        db.configure(f"{database}&statement_cache_size=0")
        assert db.DB.config["statement_cache_size"] == 0
        connection = await db.DB.get_new_connection()
        try:
            assert await connection.fetchval("SELECT $1::int", 1) == 1
        finally:
            await connection.close()
        db.configure(database)
        assert db.DB.config == before
    finally:
        db.DB.config = before
