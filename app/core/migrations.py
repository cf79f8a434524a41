"""Bringing the database to the tables of this version, one process at a time, all or nothing."""

from __future__ import annotations

import contextlib
import io
import os
from typing import cast

import asyncpg

from app.core.db import DB, atomic

_LOCK = 0x6C6F6369  # "loci" as a number: the advisory lock that migrating processes queue for
_OLDEST = 150000


class MigrationError(RuntimeError):
    """The database cannot be brought to this version; the message says why."""


async def migrate() -> list[str]:
    """Run what is missing and give back the names of the migrations that ran.

    The lock is held on a connection of its own, so that several processes may start at once.
    """
    from piccolo.apps.migrations.commands.forwards import run_forwards
    from piccolo.apps.migrations.tables import Migration

    os.environ.setdefault("PICCOLO_CONF", "app.piccolo_conf")
    lock = await _connected()
    try:
        version = int(await _value(lock, "SHOW server_version_num"))
        if version < _OLDEST:
            raise MigrationError(f"PostgreSQL 15 or newer is needed; this one is {version // 10000}.")
        await lock.execute("SELECT pg_advisory_lock($1)", _LOCK)
        before = await _ran(lock)
        said = io.StringIO()
        async with atomic():
            if not before:
                await Migration.create_table(if_not_exists=True)
            with contextlib.redirect_stdout(said):
                result = await run_forwards(app_name="loci", migration_id="all")
            if not result.success:
                raise MigrationError(result.message or said.getvalue())
        return [name for name in await _ran(lock) if name not in before]
    finally:
        await lock.close()


async def _connected() -> asyncpg.Connection:
    try:
        return await DB.get_new_connection()
    except (OSError, TimeoutError, ValueError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        # The first time that anything connects, so whatever is wrong with the address shows here. Its text may hold
        # the name of the user or the database, never the password; the class says enough.
        raise MigrationError(
            f"Cannot connect to the database ({type(error).__name__}). Check LOCI_DATABASE_URL and that it runs."
        ) from error


async def _value(connection: asyncpg.Connection, sql: str) -> str:
    return str(cast("object", await connection.fetchval(sql)))


async def _ran(connection: asyncpg.Connection) -> list[str]:
    if await connection.fetchval("SELECT to_regclass('migration')") is None:
        return []
    rows = cast(
        "list[dict[str, object]]",
        await connection.fetch("SELECT name FROM migration WHERE app_name = 'loci' ORDER BY name"),
    )
    return [str(row["name"]) for row in rows]
