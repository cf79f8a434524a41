"""Migrations from empty give the tables that the code describes, once, however many processes start at a time."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import uuid
from collections.abc import AsyncIterator

import asyncpg
import pytest_asyncio
from piccolo.apps.migrations.commands.new import AutoMigrationManager

from app.core.embedded_postgres import EmbeddedPostgres
from app.piccolo_app import APP_CONFIG


@pytest_asyncio.fixture
async def empty_database(postgres: EmbeddedPostgres) -> AsyncIterator[str]:
    """The address of a database with nothing in it."""
    name = f"empty_{uuid.uuid4().hex}"
    connection = await asyncpg.connect(postgres.dsn())
    try:
        await connection.execute(f"CREATE DATABASE {name}")
        yield postgres.dsn().replace("/loci?", f"/{name}?")
        await connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
    finally:
        await connection.close()


async def migrate_in_a_process(dsn: str) -> tuple[int, str]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "app.cli", "migrate",
        env={"PATH": os.environ["PATH"], "LOCI_DATABASE_URL": dsn},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    output, _ = await process.communicate()
    return process.returncode or 0, output.decode()


async def test_four_processes_at_once_migrate_an_empty_database_once(empty_database: str) -> None:
    done = await asyncio.gather(*(migrate_in_a_process(empty_database) for _ in range(4)))
    assert [code for code, _ in done] == [0, 0, 0, 0], done
    connection = await asyncpg.connect(empty_database)
    try:
        names = [row["name"] for row in await connection.fetch("SELECT name FROM migration ORDER BY id")]
        tables = {
            row["tablename"]
            for row in await connection.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        }
    finally:
        await connection.close()
    assert names == sorted(set(names))
    assert tables == {table._meta.tablename for table in APP_CONFIG.table_classes} | {"migration"}


async def test_the_migrations_say_what_the_tables_say() -> None:
    """What `piccolo migrations new loci --auto` would write: nothing."""
    statements = await AutoMigrationManager(auto_input="y").get_alter_statements(app_config=APP_CONFIG)
    assert [statement for group in statements for statement in group.statements] == []


async def test_the_database_has_the_columns_of_the_tables(database: str) -> None:
    connection = await asyncpg.connect(database)
    try:
        rows = await connection.fetch(
            "SELECT table_name, column_name, is_nullable FROM information_schema.columns WHERE table_schema = 'public'"
        )
    finally:
        await connection.close()
    found = {(row["table_name"], row["column_name"]): row["is_nullable"] == "YES" for row in rows}
    for table in APP_CONFIG.table_classes:
        for column in table._meta.columns:
            assert found[table._meta.tablename, column._meta.name] == column._meta.null, column


async def test_every_owned_table_starts_its_keys_with_the_account(database: str) -> None:
    connection = await asyncpg.connect(database)
    try:
        rows = await connection.fetch(
            "SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' AND indexdef ~ 'btree'"
        )
    finally:
        await connection.close()
    owned = {
        table._meta.tablename
        for table in APP_CONFIG.table_classes
        if any(c._meta.name == "account_id" for c in table._meta.columns)
    }
    # Found by a secret or a credential, before the account is known.
    by_secret = ("token_hash", "credential_id")
    for row in rows:
        if row["tablename"] in owned and not any(name in row["indexdef"] for name in by_secret):
            assert "(account_id" in row["indexdef"], row["indexdef"]
