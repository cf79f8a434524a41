"""Every hostile package is refused with its reason, or read as far as it is good; within limits, leaving nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.transfer.hostile_packages import HOSTILE
from tests.transfer.reading_hostile import MEMORY

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """Of each package: all are read in one process, which would die of what is beyond its limits."""
    folder = tmp_path_factory.mktemp("hostile")
    temporary = folder / "temporary"
    temporary.mkdir()
    paths: list[str] = []
    for place, hostile in enumerate(HOSTILE.values()):
        path = folder / f"{place}.apkg"
        path.write_bytes(hostile.make(folder))
        paths.append(str(path))
    done = subprocess.run(
        [sys.executable, "-m", "tests.transfer.reading_hostile", *paths],
        cwd=ROOT,
        env=os.environ | {"TMPDIR": str(temporary)},
        capture_output=True,
        text=True,
        check=False,
    )
    found = [json.loads(line) for line in done.stdout.splitlines()]
    names = list(HOSTILE)
    assert len(found) == len(names), f"{names[len(found)]}: {done.stderr[-2_000:]}"
    assert not list(temporary.iterdir())
    return dict(zip(names, found, strict=True))


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_package_does_no_harm(name: str, outcomes: dict[str, dict[str, Any]]) -> None:
    hostile, outcome = HOSTILE[name], outcomes[name]
    assert outcome["left"] == []
    assert outcome["megabytes"] << 20 < MEMORY
    if hostile.refused:
        assert hostile.refused in outcome.get("refused", f"was read: {outcome}")
        return
    assert "refused" not in outcome, outcome
    assert outcome["counts"]["end"] == 1
    assert outcome["counts"].get("card", 0) == hostile.cards, outcome
    assert any(hostile.said in said for said in outcome["said"]) or not hostile.said, outcome


def test_there_are_many_of_them() -> None:
    assert len(HOSTILE) >= 30
