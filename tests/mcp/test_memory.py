"""The six memory tools through the dispatch, compared with a small model of what is promised of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.accounts.views import Caller
from app.core import clock, db
from app.core.settings import Settings
from app.domain.notes import BODY_MAX_BYTES, READ_MAX_BYTES
from app.domain.plans import Plan
from app.domain.scopes import Scope
from app.mcp.dispatch import McpRequest, call_tool
from app.mcp.registry import Surface
from app.mcp.spec import Toolset
from tests.factories import make_account

SETTINGS = Settings(secret_key="k" * 32, public_url="https://loci.example.org")


def request_of(account_id: int, plan: Plan = Plan.PLUS, name: str = "Claude") -> McpRequest:
    caller = Caller(
        account_id=account_id,
        email="alice@example.org",
        plan=plan,
        zone="UTC",
        rollover_hour=4,
        language="en",
        single_keys=True,
        client_kind="oauth",
        client_id=1,
        client_name=name,
        scopes=frozenset(Scope),
        asks_in_band=False,
    )
    return McpRequest(surface=Surface(Toolset.MEMORY, False), caller=caller, settings=SETTINGS, request_id="req_test")


@dataclass
class Memory:
    """One client's tools; the clock moves a second with each call."""

    account_id: int
    tick: Callable[[], None]
    name: str = "Claude"

    async def call(self, tool: str, **arguments: Any) -> Any:
        """The structured result, or the error's code."""
        self.tick()
        result = await call_tool(request_of(self.account_id, name=self.name), f"memory__{tool}", arguments)
        if result.is_error:
            return result.meta["loci/error"]["code"] if result.meta else "?"
        return result.structured_content

    async def text(self, tool: str, **arguments: Any) -> str:
        self.tick()
        result = await call_tool(request_of(self.account_id, name=self.name), f"memory__{tool}", arguments)
        return result.content[0].text  # type: ignore[union-attr]


@pytest.fixture
async def memory(rollback: None, monkeypatch: pytest.MonkeyPatch) -> Memory:
    times = [datetime(2026, 3, 2, 12, 0, tzinfo=UTC)]
    monkeypatch.setattr(clock, "now", lambda: times[-1])
    account = await make_account()
    return Memory(account.id, lambda: times.append(times[-1] + timedelta(seconds=1)))


# --- the model


@dataclass
class Stored:
    body: str
    frontmatter: dict[str, Any]
    updated: str


@dataclass
class Model:
    """What the contract says of paths, edits, tags, searches and lists, in the plainest words."""

    notes: dict[str, Stored] = field(default_factory=dict)

    def write(self, now: str, path: str, body: str, frontmatter: dict[str, Any] | None = None) -> Any:
        new = Stored(body, frontmatter or {}, now)
        old = self.notes.get(path)
        if old and (old.body, list(old.frontmatter.items())) == (new.body, list(new.frontmatter.items())):
            new = old
        self.notes[path] = new
        return {"path": path, "updated": new.updated}

    def edit(self, now: str, path: str, **asked: Any) -> Any:
        mode = asked.get("mode", "replace")
        replacing = mode == "str_replace"
        old = self.notes.get(path)
        if old is None:
            return "NOT_FOUND"
        if replacing and ("body" in asked or "old_str" not in asked):
            return "INVALID_INPUT"
        if not replacing and ("old_str" in asked or "new_str" in asked):
            return "INVALID_INPUT"
        if not replacing and "body" not in asked and not asked.get("frontmatter"):
            return "INVALID_INPUT"
        body = old.body
        if replacing:
            places = [at for at in range(len(body)) if body.startswith(asked["old_str"], at)]
            if len(places) != 1:
                return "CONFLICT"
            body = body[: places[0]] + asked.get("new_str", "") + body[places[0] + len(asked["old_str"]) :]
        elif mode == "append" and "body" in asked:
            body = "\n".join([body.removesuffix("\n"), asked["body"]]) if body else asked["body"]
        elif "body" in asked:
            body = asked["body"]
        return self.write(now, path, body, old.frontmatter | asked.get("frontmatter", {}))

    def delete(self, path: str) -> Any:
        return {"path": path, "deleted": True} if self.notes.pop(path, None) else "NOT_FOUND"

    def tags(self, path: str) -> list[str]:
        note = self.notes[path]
        named = [tag for tag in note.frontmatter.get("tags", []) if isinstance(tag, str)]
        inline = re.findall(r"(?:^|\s)#([^\s#]+)", note.body)
        return [tag for tag in dict.fromkeys(named + inline) if not tag.isdigit()]

    def read(self, path: str) -> Any:
        note = self.notes.get(path)
        if note is None:
            return "NOT_FOUND"
        return {
            "path": path,
            "title": path.rpartition("/")[2][:-3],
            "frontmatter": note.frontmatter,
            "body": note.body.encode()[:READ_MAX_BYTES].decode(errors="ignore"),
            "tags": self.tags(path),
            "updated": note.updated,
            "deleted": False,
        }

    def chosen(self, folder: str, tags: list[str]) -> list[str]:
        inside = [path for path in self.notes if not folder or path.startswith(folder + "/")]
        return [path for path in inside if all(tag in self.tags(path) for tag in tags)]

    def search(self, query: str, folder: str = "", tags: list[str] | None = None) -> list[tuple[str, int]]:
        scores: dict[str, int] = {}
        for path in self.chosen(folder, tags or []):
            note = self.notes[path]
            fields = [path.rpartition("/")[2][:-3], note.body, *note.frontmatter.get("tags", [])]
            scores[path] = sum(text.lower().count(query.lower()) for text in fields)
        found = [path for path, score in scores.items() if score]
        found.sort(key=lambda path: (scores[path], self.notes[path].updated), reverse=True)
        return [(path, scores[path]) for path in found]

    def list(self, folder: str = "", depth: int = 2, tags: list[str] | None = None) -> Any:
        chosen = self.chosen(folder, tags or [])
        return {
            "folder": folder,
            "entries": self.entries(chosen, folder, depth),
            "truncated": False,
            "files": len(chosen),
        }

    def entries(self, chosen: list[str], folder: str, depth: int) -> list[Any]:
        start = len(folder) + 1 if folder else 0
        inside = [path for path in chosen if not folder or path.startswith(folder + "/")]
        names = sorted({path[start:].partition("/")[0] for path in inside if "/" in path[start:]})
        made: list[Any] = []
        for name in names:
            inner = f"{folder}/{name}" if folder else name
            entry: dict[str, Any] = {"type": "folder", "path": inner}
            entry["files"] = sum(path.startswith(inner + "/") for path in chosen)
            if depth > 1:
                entry["entries"] = self.entries(chosen, inner, depth - 1)
            made.append(entry)
        for path in sorted(path for path in inside if "/" not in path[start:]):
            title = path.rpartition("/")[2][:-3]
            made.append({"type": "file", "path": path, "title": title, "updated": self.notes[path].updated})
        return made


# --- the sequences

WORDS = [
    "kiwi",
    "Kiwi",
    "日本語",
    "가나다",
    "ananas",
    "x",
    "🦆",
    "Éa",
    "%_\\",
    "two words",
    "#tag",
    "#Tag",
    "#名詞",
    "#1984",
]
BODIES = st.lists(st.sampled_from([*WORDS, "\n", " ", "\r\n", ""]), max_size=8).map(" ".join)
PATHS = st.sampled_from(
    ["a.md", "A.md", "work/a.md", "work/deep/b.md", "work/deep/er/c.md", "日本/メモ.md", "가.md", "kiwi.md", "🦆/é.md",
     "x" * 1021 + ".md"]
)  # fmt: skip
BAD_PATHS = st.sampled_from(["/a.md", "../a.md", "a/../b.md", "a", "a.txt", "a\x07.md", "y" * 1022 + ".md", ".md"])
FRONTMATTERS = st.dictionaries(
    st.sampled_from(["type", "status", "n"]), st.sampled_from(["task", 1, True, None, ["x"], {"y": 1}]), max_size=2
)
TAG_LISTS = st.lists(st.sampled_from(["tag", "Tag", "名詞", "work", "2024", "kiwi"]), max_size=3)
METADATA = st.tuples(FRONTMATTERS, TAG_LISTS | st.none()).map(
    lambda both: both[0] if both[1] is None else both[0] | {"tags": both[1]}
)
FOLDERS = st.sampled_from(["", "work", "work/deep", "日本", "none", "wor"])
FILTERS = st.lists(st.sampled_from(["tag", "Tag", "名詞", "work"]), max_size=2)
EDITS = st.fixed_dictionaries(
    {},
    optional={
        "mode": st.sampled_from(["replace", "append", "str_replace", "str_replace"]),
        "body": BODIES,
        "frontmatter": METADATA,
        "old_str": st.sampled_from(WORDS),
        "new_str": BODIES,
    },
)
STEPS = st.one_of(
    st.tuples(st.just("write"), PATHS, BODIES, METADATA | st.none()),
    st.tuples(st.just("edit"), PATHS, EDITS),
    st.tuples(st.just("delete"), PATHS),
    st.tuples(st.just("read"), PATHS),
    st.tuples(st.just("search"), st.sampled_from([word.strip() for word in WORDS]), FOLDERS, FILTERS),
    st.tuples(st.just("list"), FOLDERS, st.sampled_from([1, 2]), FILTERS),
    st.tuples(st.just("bad"), st.sampled_from(["read", "write", "edit", "delete"]), BAD_PATHS),
)


async def step(memory: Memory, model: Model, asked: tuple[Any, ...]) -> None:
    """One call to both; the answers must be equal."""
    match asked:
        case ("write", path, body, frontmatter):
            given_frontmatter = {} if frontmatter is None else {"frontmatter": frontmatter}
            answer = await memory.call("write", path=path, body=body, **given_frontmatter)
            assert answer == model.write(now(), path, body, frontmatter)
        case ("edit", path, edit):
            answer = await memory.call("edit", path=path, **edit)
            assert answer == model.edit(now(), path, **edit)
        case ("delete", path):
            assert await memory.call("delete", path=path) == model.delete(path)
        case ("read", path):
            assert await memory.call("read", path=path) == model.read(path)
        case ("search", query, folder, tags):
            await compare_search(memory, model, query, folder, tags)
        case ("list", folder, depth, tags):
            answer = await memory.call("list", folder=folder, depth=depth, tags=tags)
            assert answer == model.list(folder, depth, tags)
        case (_, tool, path):
            more = {"body": "x"} if tool in {"write", "edit"} else {}
            assert await memory.call(tool, path=path, **more) == "INVALID_INPUT"


async def compare_search(memory: Memory, model: Model, query: str, folder: str, tags: list[str]) -> None:
    found: list[tuple[str, int]] = []
    cursor: dict[str, str] = {}
    while True:
        page = await memory.call("search", query=query, folder=folder, tags=tags, limit=2, **cursor)
        assert len(page["results"]) <= 2
        for hit in page["results"]:
            found.append((hit["path"], hit["score"]))
            assert hit["updated"] == model.notes[hit["path"]].updated
            assert len(hit["snippet"]) <= 202
        if "nextCursor" not in page:
            break
        cursor = {"cursor": page["nextCursor"]}
    assert found == model.search(query, folder, tags)


def now() -> str:
    return clock.now().isoformat()


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.lists(STEPS, min_size=4, max_size=16))
async def test_any_sequence_of_calls_gives_what_the_model_gives(memory: Memory, steps: list[tuple[Any, ...]]):
    await db.execute("DELETE FROM note WHERE account_id = $1", memory.account_id)
    model = Model()
    for asked in steps:
        await step(memory, model, asked)
    for path in model.notes:
        await step(memory, model, ("read", path))
    await step(memory, model, ("list", "", 2, []))
    # Every change is one version, and nothing but changes.
    rows = await db.fetch("SELECT note_id, array_agg(version ORDER BY version) AS v FROM note_version GROUP BY 1")
    assert all(list(row["v"]) == list(range(1, len(row["v"]) + 1)) for row in rows)


# --- the limits


@pytest.mark.parametrize("letter", ["x", "é", "語", "🦆"])
async def test_a_long_body_is_kept_whole_and_read_up_to_64_kib_of_whole_characters(memory: Memory, letter: str):
    for size in (READ_MAX_BYTES - 1, READ_MAX_BYTES, READ_MAX_BYTES + 1, READ_MAX_BYTES + 5):
        body = "a" * (size % len(letter.encode())) + letter * (size // len(letter.encode()))
        await memory.call("write", path="long.md", body=body)
        read = await memory.call("read", path="long.md")
        text = await memory.text("read", path="long.md")
        assert body.startswith(read["body"])
        assert len(read["body"].encode()) == len(body.encode()[:READ_MAX_BYTES].decode(errors="ignore").encode())
        assert ("bytes of the body are shown" in text) == (size > READ_MAX_BYTES)
        assert await memory.call("edit", path="long.md", mode="append", body="end") != "CONFLICT"
        stored = await db.fetch_value("SELECT body FROM note_version ORDER BY id DESC LIMIT 1")
        assert stored == body + "\nend"


async def test_a_body_of_a_mebibyte_is_the_largest(memory: Memory):
    assert "path" in await memory.call("write", path="a.md", body="x" * BODY_MAX_BYTES)
    assert await memory.call("write", path="b.md", body="x" * (BODY_MAX_BYTES + 1)) == "INVALID_INPUT"
    assert await memory.call("edit", path="a.md", mode="append", body="x") == "INVALID_INPUT"


async def test_arguments_at_their_limits(memory: Memory):
    await memory.call("write", path="a.md", body="x", frontmatter={"tags": ["t" * 128]})
    assert (await memory.call("list", tags=["t" * 128]))["files"] == 1
    assert await memory.call("list", tags=["t" * 129]) == "INVALID_INPUT"
    assert (await memory.call("list", tags=["t" * 128] * 50))["files"] == 1
    assert await memory.call("list", tags=["t"] * 51) == "INVALID_INPUT"
    assert await memory.call("list", depth=3) == "INVALID_INPUT"
    assert await memory.call("search", query="x", limit=51) == "INVALID_INPUT"
    assert await memory.call("search", query="") == "INVALID_INPUT"
    assert await memory.call("search", query="  ") == "INVALID_INPUT"
    assert await memory.call("search", query="x", cursor="e30") == "INVALID_INPUT"
    assert await memory.call("list", folder="f" * 1025) == "INVALID_INPUT"
    assert await memory.call("list", folder="/x") == "INVALID_INPUT"


async def test_a_folder_of_more_than_a_hundred_entries_is_not_opened(memory: Memory):
    for number in range(101):
        await memory.call("write", path=f"big/{number:03}.md", body="x")
    for number in range(100):
        await memory.call("write", path=f"full/{number:03}.md", body="x")
    tree = await memory.call("list")
    assert tree["truncated"]
    big, full = tree["entries"]
    assert big == {"type": "folder", "path": "big", "files": 101, "truncated": True}
    assert len(full["entries"]) == 100
    inside = await memory.call("list", folder="big")
    assert inside["truncated"]
    assert [entry["path"] for entry in inside["entries"]] == [f"big/{number:03}.md" for number in range(100)]
    assert not (await memory.call("list", folder="full"))["truncated"]
    assert "truncated" not in full


async def test_a_tree_has_five_hundred_entries_at_most(memory: Memory):
    await db.execute(
        "INSERT INTO note (account_id, path, path_key, folder, tags, size_bytes, created_at, updated_at) "
        "SELECT $1, 'f' || f || '/' || n || '.md', decode(md5(f || '/' || n), 'hex'), 'f' || f, '{}', 0, now(), now() "
        "FROM generate_series(1, 7) AS f, generate_series(1, 90) AS n",
        memory.account_id,
    )
    tree = await memory.call("list")
    assert tree["files"] == 630
    assert tree["truncated"]
    opened = [entry for entry in tree["entries"] if "entries" in entry]
    assert len(tree["entries"]) + sum(len(entry["entries"]) for entry in opened) <= 500
    assert len(opened) == 5


# --- what else is promised


async def test_every_version_names_its_client_and_a_deletion_is_one(memory: Memory):
    await memory.call("write", path="a.md", body="one")
    memory.name = "ChatGPT"
    await memory.call("edit", path="a.md", body="two")
    await memory.call("delete", path="a.md")
    memory.name = "Claude"
    await memory.call("write", path="a.md", body="three")
    rows = await db.fetch("SELECT version, author_name, deleted, body, size_bytes FROM note_version ORDER BY id")
    assert [tuple(row) for row in rows] == [
        (1, "Claude", False, "one", 3),
        (2, "ChatGPT", False, "two", 3),
        (3, "ChatGPT", True, "", 0),
        (4, "Claude", False, "three", 5),
    ]


@pytest.mark.parametrize(
    ("tool", "more"),
    [
        ("write", {"body": "password: hunter2"}),
        ("write", {"body": "x", "frontmatter": {"api_key": "9f8a7b6c5d4e3f2a"}}),
        ("edit", {"body": "4111 1111 1111 1111"}),
        ("edit", {"mode": "append", "body": "SSN 123-45-6789"}),
        ("edit", {"mode": "str_replace", "old_str": "old", "new_str": "OTP: 482913"}),
        ("edit", {"frontmatter": {"note": "ghp_" + "a1B2c3" * 6}}),
    ],
)
async def test_secrets_are_refused_and_nothing_is_stored(memory: Memory, tool: str, more: dict[str, Any]):
    await memory.call("write", path="a.md", body="old")
    assert await memory.call(tool, path="a.md", **more) == "RESTRICTED_CONTENT"
    assert await memory.call(tool, path="new.md", **more) in {"RESTRICTED_CONTENT", "NOT_FOUND"}
    assert (await memory.call("read", path="a.md"))["body"] == "old"
    assert await db.fetch_value("SELECT count(*) FROM note_version") == 1


async def test_texts_for_the_model_are_short_markdown(memory: Memory):
    await memory.call("write", path="work/plan.md", body="Ship it #q3", frontmatter={"type": "task"})
    assert await memory.text("read", path="work/plan.md") == "---\ntype: task\n---\nShip it #q3"
    assert "`work/plan.md` · 1 match" in await memory.text("search", query="SHIP")
    assert "- `work/` · 1 note\n  - `work/plan.md`" in await memory.text("list")
    assert (await memory.text("write", path="a.md", body="x")).startswith("Wrote `a.md`")
    assert (await memory.text("write", path="a.md", body="x")).startswith("Unchanged")


async def test_the_plan_limits_how_many_notes_there_are(memory: Memory, monkeypatch: pytest.MonkeyPatch):
    few = Settings(secret_key="k" * 32, plan_figures=(("plus.notes", 2),))
    monkeypatch.setattr("tests.mcp.test_memory.SETTINGS", few)
    for path in ("a.md", "b.md"):
        await memory.call("write", path=path, body="x")
    assert await memory.call("write", path="c.md", body="x") == "PLAN_REQUIRED"
    assert "path" in await memory.call("write", path="a.md", body="changed")
    await memory.call("delete", path="a.md")
    assert "path" in await memory.call("write", path="c.md", body="x")
