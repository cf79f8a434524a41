"""The SQLite file of an Anki collection, which may have been made to do harm.

It is opened so that nothing can be written and nothing in its schema runs: tables must be real tables with the columns
that are expected, an authorizer allows reading alone, and the work of a query is counted.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from app.domain.errors import N_, InvalidInput

VALUE_MAX: Final = 64 << 20
"""Bytes of one value or row."""

NOTES: Final = ("id", "guid", "mid", "mod", "tags", "flds")
CARDS: Final = (
    "id", "nid", "did", "ord", "type", "queue", "due", "ivl", "factor", "reps", "lapses", "left", "odue", "odid",
    "flags", "data",
)  # fmt: skip
REVLOG: Final = ("id", "cid", "ease", "ivl", "factor", "time", "type")

_WAL_BYTES = 18
_HEADER = b"SQLite format 3\x00"
_STEPS_BETWEEN = 100_000
# Reading a million answers in order takes some forty million steps; a query without an end takes as many as it may.
_STEPS_LEAST, _STEPS_EACH_BYTE = 1_000_000_000, 2
_ALLOWED = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ})
_FUNCTIONS = frozenset({"typeof"})
_GENERATED = frozenset({2, 3})


class Database:
    """An open collection: which tables it has, and their rows."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def has(self, name: str, columns: Sequence[str] = (), *, key: bool = False) -> bool:
        """Whether there is a real table with these columns, and with `key` that `id` is the number of its rows.

        Raises `InvalidInput` for something else under that name.
        """
        rows = self.rows("SELECT type, rootpage, sql FROM sqlite_master WHERE name = ?", name)
        found = next(rows, None)
        if found is None:
            return False
        kind, page, sql = found
        virtual = not isinstance(sql, str) or not isinstance(page, int) or page <= 0 or "virtual" in sql[:40].lower()
        if kind != "table" or virtual or next(rows, None) is not None:
            raise unreadable()
        if not columns:
            return True
        info = {row[1]: row for row in self._pragma(name)}
        if any(column not in info or info[column][6] in _GENERATED for column in columns):
            raise unreadable()
        if key and (info["id"][5] != 1 or str(info["id"][2]).lower() != "integer"):
            raise unreadable()
        return True

    def rows(self, query: str, *values: object) -> Iterator[tuple[Any, ...]]:
        """The rows one by one. Raises `InvalidInput` when the file is damaged or the work has no end."""
        with _faults():
            cursor = self._connection.execute(query, values)
            cursor.arraysize = 500
            while found := cursor.fetchmany():
                yield from found

    def _pragma(self, name: str) -> list[tuple[Any, ...]]:
        self._connection.set_authorizer(None)
        try:
            with _faults():
                # The name is one of ours.
                return self._connection.execute(f"PRAGMA table_xinfo({name})").fetchall()
        finally:
            self._connection.set_authorizer(_authorized)


@contextmanager
def opened_collection(path: Path) -> Generator[Database]:
    """The collection at `path`, a private file: its header is made one without a log beside it.

    Raises `InvalidInput` for a file that is no collection.
    """
    _settle_header(path)
    with _faults():
        connection = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True, isolation_level=None)
    try:
        with _faults():
            _restrict(connection, path.stat().st_size)
        yield Database(connection)
    finally:
        connection.close()


def unreadable() -> InvalidInput:
    return InvalidInput(
        N_("The collection in the package is damaged, or none of Anki's."),
        N_("In Anki, choose “Check Database”, export again, and try once more."),
    )


def _settle_header(path: Path) -> None:
    with path.open("r+b") as file:
        if file.read(len(_HEADER)) != _HEADER:
            raise unreadable()
        file.seek(_WAL_BYTES)
        file.write(b"\x01\x01")


def _restrict(connection: sqlite3.Connection, size: int) -> None:
    for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0", "query_only = ON"):
        connection.execute(f"PRAGMA {pragma}")
    for limit, value in (
        (sqlite3.SQLITE_LIMIT_LENGTH, VALUE_MAX),
        (sqlite3.SQLITE_LIMIT_SQL_LENGTH, 1 << 20),
        (sqlite3.SQLITE_LIMIT_COLUMN, 100),
        (sqlite3.SQLITE_LIMIT_EXPR_DEPTH, 20),
        (sqlite3.SQLITE_LIMIT_COMPOUND_SELECT, 2),
        (sqlite3.SQLITE_LIMIT_FUNCTION_ARG, 8),
        (sqlite3.SQLITE_LIMIT_ATTACHED, 0),
        (sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH, 1),
        (sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0),
    ):
        connection.setlimit(limit, value)
    connection.text_factory = _decoded
    connection.create_collation("unicase", _compared)
    left = (_STEPS_LEAST + _STEPS_EACH_BYTE * size) // _STEPS_BETWEEN

    def worked() -> bool:
        nonlocal left
        left -= 1
        return left < 0

    connection.set_progress_handler(worked, _STEPS_BETWEEN)
    connection.set_authorizer(_authorized)


def _authorized(action: int, _first: str | None, name: str | None, _database: str | None, _inner: str | None) -> int:
    if action in _ALLOWED or (action == sqlite3.SQLITE_FUNCTION and name in _FUNCTIONS):
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


def _decoded(content: bytes) -> str:
    return content.decode("utf-8", "replace")


def _compared(left: str, right: str) -> int:
    first, second = left.casefold(), right.casefold()
    return (first > second) - (first < second)


@contextmanager
def _faults() -> Generator[None]:
    try:
        yield
    except (sqlite3.Error, OverflowError, UnicodeError) as error:
        raise unreadable() from error
