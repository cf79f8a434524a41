"""Anki's own engine as an oracle, driven in the test's process. Its package is AGPL, so it is used by tests alone."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fsrs.scheduler import DEFAULT_PARAMETERS

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from anki.collection import Collection


@pytest.fixture(scope="module")
def utc() -> Iterator[None]:
    """Anki counts days in the zone of the machine."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = "UTC"
    time.tzset()
    yield
    os.environ.pop("TZ")
    if before is not None:
        os.environ["TZ"] = before
    time.tzset()


@pytest.fixture(scope="module")
def anki(utc: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """An empty collection: FSRS-6 with its default parameters, retention 0.9, steps 1m 10m and 10m, days from 4:00."""
    folder: Path = tmp_path_factory.mktemp("anki")
    collection = Collection(str(folder / "collection.anki2"))
    collection.set_config("fsrs", True)
    collection.set_config("loadBalancerEnabled", False)
    collection.set_config("rollover", 4)
    options = collection.decks.config_dict_for_deck_id(1)
    options["new"]["delays"], options["lapse"]["delays"] = [1.0, 10.0], [10.0]
    options["desiredRetention"], options["fsrsParams6"] = 0.9, list(DEFAULT_PARAMETERS)
    collection.decks.update_config(options)
    yield collection
    collection.close()


def add_card(collection: Any, front: str) -> int:
    """A new card of the default deck; its id."""
    note = collection.new_note(collection.models.by_name("Basic"))
    note["Front"], note["Back"] = front, "back"
    collection.add_note(note, 1)
    return int(note.card_ids()[0])
