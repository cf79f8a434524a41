"""One embedded PostgreSQL for the run; a rolled-back transaction, or real commits and a clean-up, for each test."""

from __future__ import annotations

import os
import tempfile
from collections.abc import AsyncIterator, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import hypothesis
import pytest
import pytest_asyncio

from app.core import db, logs
from app.core.embedded_postgres import EmbeddedPostgres
from app.core.migrations import migrate

logs.configure("warning", "text")
# Time is not asserted in tests; a busy machine must not fail a law. In CI the examples are those of the last run, so
# that what turns red there is the change; new ones are looked for on every other machine.
hypothesis.settings.register_profile("loci", deadline=None, derandomize=bool(os.environ.get("CI")))
hypothesis.settings.load_profile("loci")


@contextmanager
def open_to_all() -> Generator[Path, None, None]:
    """A new folder that any user may enter: started as root, PostgreSQL runs as an ordinary user."""
    with tempfile.TemporaryDirectory(prefix="loci-tests-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder for the data of a server that the test starts."""
    with open_to_all() as folder:
        yield folder


@pytest.fixture(scope="session")
def postgres() -> Iterator[EmbeddedPostgres]:
    with open_to_all() as folder, EmbeddedPostgres(folder / "postgres", durable=False) as server:
        yield server


@pytest_asyncio.fixture(scope="session")
async def database(postgres: EmbeddedPostgres) -> AsyncIterator[str]:
    """The migrated database, with the process's pool open; gives its address."""
    db.configure(postgres.dsn())
    await migrate()
    await db.open_pool(20)
    yield postgres.dsn()
    await db.close_pool()


@pytest_asyncio.fixture
async def rollback(database: str) -> AsyncIterator[None]:
    """The test runs in a transaction that is rolled back."""
    transaction = db.DB.transaction()
    await transaction.__aenter__()
    try:
        yield
    finally:
        await transaction.rollback()
        await transaction.__aexit__(None, None, None)


@pytest_asyncio.fixture
async def committed(database: str) -> AsyncIterator[None]:
    """The test commits for real; all rows are gone afterwards."""
    yield
    await db.execute(
        "TRUNCATE account, oauth_client, job, rate_limit, billing_event, billing_price RESTART IDENTITY CASCADE"
    )


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of test data."""
    return Path(__file__).parent / "data"
