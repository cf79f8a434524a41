"""The database: Piccolo's engine made safe, units of work, and parametrised SQL inside or outside of one.

`DB` is the one engine of the process; `configure()` tells it where the database is before anything connects. Tables
name it (`class Deck(Table, db=DB)`), so nothing is looked up by module name and nothing connects at import time.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager, suppress
from typing import Any, cast
from urllib.parse import parse_qsl, urlencode, urlsplit

import asyncpg
from asyncpg import Connection, Record
from piccolo.engine.postgres import PostgresEngine, PostgresTransaction

from app.domain.errors import N_, Unavailable

_ACQUIRE_SECONDS = 10
_CACHE = "statement_cache_size"


class SafeTransaction(PostgresTransaction):
    """A transaction that gives its connection back whatever happens.

    Piccolo's own leaks the connection, and leaves the context variable set, when COMMIT or ROLLBACK raises.
    """

    __slots__ = ()

    async def __aenter__(self) -> PostgresTransaction:
        if self._parent is not None:  # Piccolo's own code nests; ours uses `atomic()`
            return self._parent
        self.connection = await self.get_connection()
        try:
            self.transaction = self.connection.transaction()
            await self.begin()
        except BaseException:
            await self._give_back()
            raise
        self.context = self.engine.current_transaction.set(self)
        return self

    async def __aexit__(self, exception_type: object, exception: object, traceback: object) -> bool:
        if self._parent is not None:
            return False
        try:
            if exception_type is not None:
                if _connection_is_broken(exception):
                    _cut(_connection(self))
                elif not self._rolled_back:
                    with suppress(Exception):  # the first error is the one to report
                        await self.rollback()
            elif not self._committed and not self._rolled_back:
                await self.commit()
        finally:
            self.engine.current_transaction.reset(self.context)
            await asyncio.shield(self._give_back())
        return False

    async def _give_back(self) -> None:
        if self.engine.pool:
            await self.engine.pool.release(self.connection, timeout=5)
        else:
            await self.connection.close(timeout=5)


class SafeEngine(PostgresEngine):
    """Piccolo's engine without connections at import, with safe transactions and started replica pools."""

    __slots__ = ()

    def transaction(self, allow_nested: bool = True) -> SafeTransaction:
        return SafeTransaction(self, allow_nested)

    async def check_version(self) -> None:
        """Nothing at import: `app.core.migrations` checks the version when it has a connection anyway."""

    async def prep_database(self) -> None:
        """Nothing at import: migrations create what is needed."""

    async def start_connection_pool(self, **options: Any) -> None:
        await super().start_connection_pool(**options)
        for node in self.extra_nodes.values():
            await node.start_connection_pool(**options)

    async def close_connection_pool(self) -> None:
        for node in self.extra_nodes.values():
            if node.pool:
                await node.close_connection_pool()
        if self.pool:
            await super().close_connection_pool()


DB = SafeEngine(config={}, extensions=())


def configure(dsn: str) -> None:
    """Point the engine at the database of `dsn` (`postgresql://…`).

    `statement_cache_size` in its query is asyncpg's: 0 for a PgBouncer in transaction mode, which gives each statement
    another connection.
    """
    parts = urlsplit(dsn)
    query = parse_qsl(parts.query, keep_blank_values=True)
    rest = urlencode([pair for pair in query if pair[0] != _CACHE])
    DB.config = {"dsn": parts._replace(query=rest).geturl()}
    DB.config |= {name: int(value) for name, value in query if name == _CACHE and value.isdecimal()}


async def open_pool(size: int) -> None:
    """Open the process's connections. They keep no session state, so giving one back costs no round trip."""
    await DB.start_connection_pool(
        min_size=min(2, size), max_size=size, init=_plan_once, reset=_keep, timeout=10, command_timeout=60
    )


async def close_pool() -> None:
    await DB.close_connection_pool()


async def _plan_once(connection: Connection) -> None:
    """One plan for each statement: planning anew for each call's values took as long as running most statements.

    So a statement is written to have the same good plan for all values; one that needs two is two statements.
    """
    await connection.execute("SET plan_cache_mode = force_generic_plan")


async def _keep(_connection: Connection) -> None:
    """No reset: no code here leaves a setting, a lock, a cursor or a listener on a pooled connection."""


@asynccontextmanager
async def atomic() -> AsyncGenerator[Connection, None]:
    """One unit of work: the outermost is a transaction, one inside another is a savepoint.

    Nothing slow belongs inside (no mail, no HTTP, no password hash) and no task may be started inside.
    """
    current = DB.current_transaction.get()
    if current is None:
        try:
            transaction = await DB.transaction().__aenter__()
        except Exception as error:
            raise _meaning_of(error) from error
        try:
            yield _connection(transaction)
        except BaseException as error:
            await transaction.__aexit__(type(error), error, error.__traceback__)
            if isinstance(error, Exception) and (meaning := _meaning_of(error)) is not error:
                raise meaning from error
            raise
        else:
            try:
                await transaction.__aexit__(None, None, None)
            except Exception as error:
                raise _meaning_of(error) from error
        return
    async with current.connection.transaction():
        yield _connection(current)


def _connection(transaction: PostgresTransaction) -> Connection:
    """The transaction's connection: the pool's proxy has the methods of a connection."""
    return cast("Connection", transaction.connection)


async def fetch(sql: str, *values: object, timeout_seconds: float | None = None) -> list[Record]:
    """All rows of a parametrised statement, in the current unit of work if there is one.

    A statement that takes longer than `timeout_seconds` is cancelled; that is `Unavailable` with a `TimeoutError` as
    its cause.
    """
    return await _run("fetch", sql, values, timeout_seconds)


async def fetch_row(sql: str, *values: object) -> Record | None:
    """The first row, or None."""
    return await _run("fetchrow", sql, values)


async def fetch_value(sql: str, *values: object) -> Any:
    """The first column of the first row, or None."""
    return await _run("fetchval", sql, values)


async def execute(sql: str, *values: object) -> str:
    """Run a statement for its effect; the answer is PostgreSQL's command tag."""
    return await _run("execute", sql, values)


async def execute_many(sql: str, rows: Iterable[tuple[object, ...]]) -> None:
    """Run a statement once per row, pipelined in one implicit transaction."""
    await _run("executemany", sql, (list(rows),))


async def _run(method: str, sql: str, values: tuple[object, ...], timeout: float | None = None) -> Any:  # noqa: ASYNC109
    try:
        current = DB.current_transaction.get()
        if current is not None:
            return await getattr(_connection(current), method)(sql, *values, timeout=timeout)
        if DB.pool is None:
            alone: Connection = await DB.get_new_connection()
            try:
                return await getattr(alone, method)(sql, *values, timeout=timeout)
            finally:
                await alone.close()
        async with DB.pool.acquire(timeout=_ACQUIRE_SECONDS) as pooled:  # pyright: ignore[reportUnknownVariableType]
            connection = cast("Connection", pooled)
            try:
                return await getattr(connection, method)(sql, *values, timeout=timeout)
            except Exception as error:
                if _connection_is_broken(error):
                    _cut(connection)
                raise
    except Exception as error:
        meaning = _meaning_of(error)
        if meaning is error:
            raise
        raise meaning from error


# What asyncpg raises when the server went away in the middle of something. `InternalClientError` is its word for a
# connection whose last answer was cut off.
_BROKEN = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.InternalClientError,
)
# The server is starting, full or slow: nothing is wrong with the connection, if there is one.
_BUSY = (TimeoutError, asyncpg.CannotConnectNowError, asyncpg.TooManyConnectionsError)


def _cut(connection: Connection) -> None:
    """Close at once: the pool would lend a broken connection once more before it notices."""
    with suppress(asyncpg.InterfaceError):  # the pool noticed first
        connection.terminate()


def _connection_is_broken(error: object) -> bool:
    cause = error.__cause__ if isinstance(error, Unavailable) else error
    if isinstance(cause, TimeoutError):  # an OSError by name only
        return False
    return isinstance(cause, _BROKEN) or (
        isinstance(cause, asyncpg.InterfaceError) and any(word in str(cause) for word in ("closed", "released"))
    )


def _meaning_of(error: Exception) -> Exception:
    """`Unavailable` for a database that is away, since the same call may succeed a moment later; else the error."""
    if not (isinstance(error, _BUSY) or _connection_is_broken(error)) or isinstance(error, Unavailable):
        return error
    return Unavailable(N_("The database does not answer at the moment."), N_("Try again in a few seconds."))


def changed_rows(tag: str) -> int:
    """How many rows a command tag such as `UPDATE 3` speaks of."""
    return int(tag.rsplit(" ", 1)[-1])
