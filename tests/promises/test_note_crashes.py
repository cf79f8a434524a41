"""kill -9 while notes are written: each version that was confirmed is there afterwards, and none is half."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import httpx
import pytest

from tests.server import Server, running_server

EMAIL = "alice@example.org"
WRITERS = 4


def write_until_stopped(server: Server, key: str, name: str, first: int, confirmed: dict[str, list[int]]) -> None:
    """One version after the other until the server is gone; those that were confirmed are noted."""
    number = first
    while True:
        number += 1
        body = f"{number}\n" + f"line {number}\n" * 400
        try:
            given = {"path": f"{name}.md", "body": body, "frontmatter": {"n": number}}
            answer = server.call(key, "memory__write", given)
        except (httpx.HTTPError, AssertionError):  # it is being killed; only an answer counts
            return
        if answer.get("isError"):  # an answer too, and it confirms nothing
            return
        confirmed[name].append(number)


@pytest.mark.parametrize("victim", ["server", "postgres"])
def test_every_confirmed_version_survives_a_kill_and_none_is_half(
    open_folder: Path, tmp_path: Path, victim: str
) -> None:
    with running_server(open_folder, LOCI_PLAN_FIGURES="pro.calls_per_minute=100000 pro.burst=100000") as server:
        key = server.key(EMAIL, "memory:read", "memory:write")
        confirmed: dict[str, list[int]] = {f"w{number}": [] for number in range(WRITERS)}
        for round_number in range(2):
            before = sum(map(len, confirmed.values()))
            writers = [
                threading.Thread(target=write_until_stopped, args=(server, key, name, 1000 * round_number, confirmed))
                for name in confirmed
            ]
            for writer in writers:
                writer.start()
            while sum(map(len, confirmed.values())) < before + 20:
                assert writers[0].is_alive()
                writers[0].join(0.01)
            if victim == "server":
                server.kill()
            else:
                server.kill_postgres()
            for writer in writers:
                writer.join()
            if victim == "server":
                server.start()
            server.wait_until_healthy()
        server.run("export", EMAIL, str(tmp_path))
        export = json.loads((tmp_path / "loci.json").read_text())
        paths = {note["id"]: note["path"] for note in export["notes"]}
        seen: dict[str, set[int]] = {}
        for version in export["note_versions"]:
            number = json.loads(version["frontmatter"])["n"]
            assert version["body"] == f"{number}\n" + f"line {number}\n" * 400, "half a version"
            seen.setdefault(paths[version["note_id"]].removesuffix(".md"), set()).add(number)
        for name, numbers in confirmed.items():
            assert set(numbers) <= seen[name], "a version was confirmed and is gone"
        for note in export["notes"]:
            versions = [row["version"] for row in export["note_versions"] if row["note_id"] == note["id"]]
            assert sorted(versions) == list(range(1, note["version"] + 1))
