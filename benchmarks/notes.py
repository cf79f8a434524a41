"""Notes: an account with 10,000 of 4 KB, and what is measured on them."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import datetime
from typing import Any

from app.core import clock
from app.core.db import atomic, execute, fetch_value
from app.domain.note_paths import folder_of, path_key
from app.domain.notes import NoteEdit, note_text, search_document, tags_of
from app.domain.search_text import grams
from app.notes import queries, service
from app.notes.views import BROWSER
from benchmarks.client import tool_call
from benchmarks.sql import Act
from benchmarks.subjects import Subject
from benchmarks.texts import Writer
from benchmarks.world import World

_BYTES = 4096
_AT_ONCE = 500
_RARE, _RARE_EVERY = "quxzyq", 1000
_EVERYWHERE = "the end"
_LIMIT = 1_000_000
_NOTE = "id account_id path path_key folder tags version size_bytes created_at updated_at"
_VERSION = "account_id note_id version path frontmatter body size_bytes author_kind author_name created_at"
_SEARCH = "account_id note_id search_text grams updated_at"


def path_of(number: int) -> str:
    """A hundred folders with ten subfolders each; some notes lie directly in a folder."""
    inner = "" if number % 10 == 0 else f"part {number % 10}/"
    return f"folder {number // 10 % 100}/{inner}note {number}.md"


async def load_notes(writer: Writer, account_id: int, count: int, now: datetime) -> None:
    """Write `count` notes straight into the tables; a rare word is in one of a thousand, another in all."""
    index = await fetch_value("SELECT pg_get_indexdef('note_search_grams'::regclass)")
    await execute("DROP INDEX note_search_grams")
    for start in range(1, count + 1, _AT_ONCE):
        notes: list[tuple[Any, ...]] = []
        versions: list[tuple[Any, ...]] = []
        searched: list[tuple[Any, ...]] = []
        for number in range(start, min(start + _AT_ONCE, count + 1)):
            path = path_of(number)
            text = note_text({"type": "note"}, _body(writer, number))
            document = search_document(path, text)
            key = (path, path_key(path), folder_of(path), list(tags_of(text)))
            notes.append((number, account_id, *key, 1, text.size_bytes, now, now))
            versions.append(
                (account_id, number, 1, path, '{"type":"note"}', text.body, text.size_bytes, "browser", "", now)
            )
            searched.append((account_id, number, document, grams(account_id, document), now))
        async with atomic() as connection:
            await connection.copy_records_to_table("note", records=notes, columns=_NOTE.split())
            await connection.copy_records_to_table("note_version", records=versions, columns=_VERSION.split())
            await connection.copy_records_to_table("note_search", records=searched, columns=_SEARCH.split())
    await execute(index)
    await fetch_value("SELECT setval(pg_get_serial_sequence('note', 'id'), $1)", count)
    await execute("VACUUM ANALYZE")


def _body(writer: Writer, number: int) -> str:
    lines = [f"# Note {number}"]
    size = 0
    while size < _BYTES:
        words = writer.card()
        lines.append(f"{words.front}: {words.back}")
        size += len(lines[-1].encode()) + 1
    if number % _RARE_EVERY == 1:
        lines.append(_RARE)
    return "\n".join([*lines, _EVERYWHERE])


def note_subjects(world: World, count: int) -> list[Subject]:
    """Each memory tool on the notes of the account."""
    draw = random.Random(17)
    account_id = world.account_id

    def any_path() -> str:
        return path_of(draw.randint(1, count))

    def tool(name: str, arguments: Callable[[], dict[str, Any]]) -> Callable[[], bytes]:
        return lambda: tool_call(f"memory__{name}", arguments(), world.key)

    def written() -> dict[str, Any]:
        return {"path": any_path(), "body": f"{draw.random()} " + "word " * 800}

    async def write(asked: dict[str, Any]) -> None:
        await service.write_note(
            account_id, asked["path"], body=asked["body"], frontmatter={}, author=BROWSER, limit=_LIMIT, now=clock.now()
        )

    def write_act() -> Act:
        asked = written()
        return lambda: write(asked)

    def edit_act() -> Act:
        path, edit = any_path(), NoteEdit(mode="append", body=f"line {draw.random()}")
        return lambda: service.edit_note(account_id, path, edit, author=BROWSER, now=clock.now())

    def read_act() -> Act:
        path = any_path()
        return lambda: queries.note_at(account_id, path)

    return [
        Subject(
            name="notes, search: rare word",
            request=tool("search", lambda: {"query": _RARE}),
            act=lambda: lambda: queries.search_notes(account_id, _RARE),
            aim_ms=15,
        ),
        Subject(
            name="notes, search: word in every note",
            request=tool("search", lambda: {"query": _EVERYWHERE}),
            act=lambda: lambda: queries.search_notes(account_id, _EVERYWHERE),
            aim_ms=80,
            heavy=True,
        ),
        Subject(name="notes, read", request=tool("read", lambda: {"path": any_path()}), act=read_act, aim_ms=8),
        Subject(
            name="notes, list",
            request=tool("list", dict),
            act=lambda: lambda: queries.tree(account_id),
            aim_ms=8,
        ),
        Subject(
            name="notes, write", request=tool("write", written), act=write_act, writes=True, together=True, aim_ms=8
        ),
        Subject(
            name="notes, edit",
            request=tool("edit", lambda: {"path": any_path(), "mode": "append", "body": f"line {draw.random()}"}),
            act=edit_act,
            writes=True,
            together=True,
            aim_ms=8,
        ),
    ]
