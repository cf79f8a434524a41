"""kill -9 while somebody studies: each answer that was confirmed is there afterwards, and counted once."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import httpx
import pytest

from tests.server import Server, running_server

EMAIL, PASSWORD = "alice@example.org", "correct horse battery staple"
CARDS = 45


def answer_until_confirmed(browser: httpx.Client, path: str, item: str) -> str:
    """The same form again and again, as a person presses the button again, until a page confirms it; that page."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            page = browser.post(f"{path}/keep", data={"item": item, "rating": 4})
        except httpx.TransportError:
            time.sleep(0.05)
            continue
        if page.status_code == 200:
            return page.text
        assert page.status_code in {429, 503}, page.status_code
        time.sleep(0.05)
    raise AssertionError("the answer was never confirmed")


def kill(server: Server, victim: str) -> None:
    if victim == "server":
        server.kill()
        server.start()
    else:
        server.kill_postgres()


@pytest.mark.parametrize("victim", ["server", "postgres"])
def test_every_confirmed_answer_survives_a_kill_and_counts_once(open_folder: Path, tmp_path: Path, victim: str) -> None:
    with running_server(open_folder) as server:
        key = server.key(EMAIL)
        cards = [{"front": f"front {number}", "back": "back"} for number in range(CARDS)]
        made = server.call(key, "import_flashcards", {"deckTitle": "Deck", "cards": cards})["structuredContent"]
        hits = server.call(key, "search_flashcards", {"query": "front", "limit": 50})["structuredContent"]["results"]
        card_ids = [hit["cardId"] for hit in hits]
        assert len(card_ids) == CARDS
        headers = {"sec-fetch-site": "same-origin"}
        with httpx.Client(base_url=server.url, headers=headers, timeout=30) as browser:
            assert browser.post("/sign-in", data={"email": EMAIL, "password": PASSWORD}).status_code == 303
            limits = {"new_per_day": "100", "desired_retention": "90"}
            assert browser.post(f"/decks/{made['deckId']}/settings", data=limits).status_code == 303
            wish = {"deck": made["deckId"], "goal": "learn"}
            path = browser.post("/study", data=wish).headers["location"]
            page = browser.get(path).text
            for place in range(CARDS):
                (item, *_) = re.findall(r'name="item" value="(\d+)"', page)
                if place % 15 == 7:
                    kill(server, victim)
                page = answer_until_confirmed(browser, path, item)
        server.wait_until_healthy()
        server.run("export", EMAIL, str(tmp_path))
        export = json.loads((tmp_path / "loci.json").read_text())
        assert sorted(review["card_id"] for review in export["reviews"]) == sorted(card_ids)
        assert {row["reps"] for row in export["schedules"]} == {1}
