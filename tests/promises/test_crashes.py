"""kill -9 of the server or of PostgreSQL: each answered call is there afterwards, none twice; the next start works."""

from __future__ import annotations

import itertools
import threading
import time
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from tests.server import Server, running_server

CARDS = 10


class Importer(threading.Thread):
    """Imports batches of cards one after the other, repeats a call without an answer, and notes what was answered."""

    def __init__(self, server: Server, key: str) -> None:
        super().__init__()
        self.server, self.key = server, key
        self.answered: set[int] = set()
        self.failures: list[str] = []
        self.ended = threading.Event()

    def run(self) -> None:
        for batch in itertools.count():
            if self.ended.is_set():
                return
            self.import_batch(batch)

    def import_batch(self, batch: int) -> None:
        cards = [{"front": f"front {batch}-{card}", "back": "back"} for card in range(CARDS)]
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                result = self.server.call(
                    self.key, "import_flashcards", {"deckTitle": f"Deck {batch // 20}", "cards": cards}
                )
            except httpx.HTTPError:
                time.sleep(0.05)
                continue
            if result.get("isError"):
                text = result["content"][0]["text"]
                if not text.startswith(("[UNAVAILABLE]", "[RATE_LIMITED]")):
                    self.failures.append(text)
                    return
                time.sleep(0.05)
                continue
            self.answered.add(batch)
            return
        self.failures.append(f"batch {batch} was never answered")

    def finish(self) -> None:
        self.ended.set()
        self.join()


def stored_fronts(server: Server, key: str) -> list[str]:
    """The front of every card, page by page."""
    fronts: list[str] = []
    arguments: dict[str, Any] = {"query": "front", "limit": 50}
    while True:
        result = server.call(key, "search_flashcards", arguments)["structuredContent"]
        fronts += [card["front"] for card in result["results"]]
        if "nextCursor" not in result:
            return fronts
        arguments["cursor"] = result["nextCursor"]


@pytest.mark.parametrize("victim", ["server", "postgres"])
def test_every_answered_import_survives_a_kill_and_none_is_there_twice(open_folder: Path, victim: str) -> None:
    figures = "pro.calls_per_minute=100000 pro.burst=10000"
    with running_server(open_folder, LOCI_PLAN_FIGURES=figures) as server:
        key = server.key()
        importer = Importer(server, key)
        importer.start()
        for _ in range(3):
            reached = len(importer.answered) + 5
            while len(importer.answered) < reached and importer.is_alive():
                time.sleep(0.01)
            if victim == "server":
                server.kill()
                server.start()
            else:
                server.kill_postgres()
                server.wait_until_healthy()
        reached = len(importer.answered) + 5
        while len(importer.answered) < reached and importer.is_alive():
            time.sleep(0.01)
        importer.finish()
        assert importer.failures == []
        fronts = stored_fronts(server, key)
        assert len(fronts) == len(set(fronts))
        expected = {f"front {batch}-{card}" for batch in importer.answered for card in range(CARDS)}
        assert set(fronts) == expected
        decks = server.call(key, "list_decks", {})["structuredContent"]["decks"]
        assert sum(deck["cardCount"] for deck in decks) == len(fronts)


def test_a_killed_supervisor_takes_its_workers_along_and_the_port_is_free_again(open_folder: Path) -> None:
    with running_server(open_folder, workers=2) as server:
        key = server.key()
        server.call(key, "create_deck", {"title": "Before"})
        assert server.process is not None
        workers = [
            child
            for child in psutil.Process(server.process.pid).children(recursive=True)
            if any("spawn_main" in word for word in child.cmdline())
        ]
        assert len(workers) == 2
        server.kill()
        assert psutil.wait_procs(workers, timeout=20)[1] == []
        server.start()
        decks = server.call(key, "list_decks", {})["structuredContent"]["decks"]
        assert [deck["title"] for deck in decks] == ["Before"]
