"""Runs the benchmarks: a real server with its own PostgreSQL, a bare one beside it, calls over HTTP, a table."""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import psutil
import uvloop

from app.core import clock, db
from app.core.db import fetch_value
from app.core.migrations import migrate
from app.core.settings import Settings
from app.serve import database
from benchmarks.figures import Figures, as_mapping, table
from benchmarks.fitting import fit_many
from benchmarks.measure import FULL, QUICK, Amount, Target, measure
from benchmarks.notes import load_notes, note_subjects
from benchmarks.packages import packages
from benchmarks.processes import free_port, process
from benchmarks.subjects import subjects
from benchmarks.texts import Writer
from benchmarks.widget import document_size, first_question
from benchmarks.world import import_batches, load

_SEED = 5
_CARDS, _QUICK_CARDS = 100_000, 10_000
_PACKAGE_CARDS = 10_000
_NOTES, _QUICK_NOTES = 10_000, 1_000
# Limits must not be what is measured; the statement that checks them runs all the same.
_FIGURES = "pro.decks=1000000 pro.cards=10000000 pro.notes=1000000 pro.calls_per_minute=100000000 pro.burst=100000000"


def main() -> None:
    options = _options()
    signal.signal(signal.SIGTERM, _leave)
    cards = options.cards or (_QUICK_CARDS if options.quick else _CARDS)
    started = time.monotonic()
    with _folder() as folder:
        notes = options.notes or (_QUICK_NOTES if options.quick else _NOTES)
        lines, facts = _run(folder, cards, notes, QUICK if options.quick else FULL)
    facts["seconds"] = round(time.monotonic() - started)
    print(table(lines))
    print("\n" + "  ".join(f"{name}: {value}" for name, value in facts.items()))
    if options.json is not None:
        options.json.write_text(json.dumps({"facts": facts, "figures": as_mapping(lines)}, indent=1) + "\n")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Measure Loci over HTTP on an account of 100,000 cards, beside a bare MCP server and the "
        "SQL alone. Takes a few minutes, uses loopback only, and ends and erases all that it started.",
    )
    parser.add_argument("--quick", action="store_true", help="10,000 cards and fewer calls: half a minute, rough")
    parser.add_argument("--cards", type=int, help="cards of the account, a multiple of 500")
    parser.add_argument("--notes", type=int, help="notes of the account, 10,000 unless told")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to a file as well")
    return parser.parse_args()


def _run(folder: Path, cards: int, notes: int, amount: Amount) -> tuple[list[Figures], dict[str, Any]]:
    port, bare_port = free_port(), free_port()
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "PYTHONPATH": str(Path(__file__).parent.parent),
        "LOCI_DATA_DIR": str(folder / "data"),
        "LOCI_PORT": str(port),
        "LOCI_PLAN_FIGURES": _FIGURES,
    }
    settings = Settings.read(environment, dotenv=None)
    load_before = os.getloadavg()[0]
    writer = Writer(_SEED)
    with database(settings):
        _say("loading")
        world = uvloop.run(_with_pool(lambda: _prepared(writer, cards, notes)))
        ours = process("app.cli", "serve", port=port, folder=folder, log="loci.log", environment=environment)
        words = ("benchmarks.bare", "--port", str(bare_port))
        bare = process(*words, port=bare_port, folder=folder, log="bare.log", environment=environment)
        with ours as loci_process, bare as bare_process:
            _say("measuring")
            targets = {
                "ours": Target(port, psutil.Process(loci_process.pid)),
                "bare_server": Target(bare_port, psutil.Process(bare_process.pid)),
            }
            measured = [*subjects(world, import_batches(writer)), *note_subjects(world, notes)]
            lines = uvloop.run(_with_pool(lambda: measure(measured, amount, **targets)))
            painted = uvloop.run(first_question(world, f"http://127.0.0.1:{port}"))
            version = uvloop.run(_with_pool(lambda: fetch_value("SHOW server_version")))
        # With the server gone, whose worker would take the job.
        fitted = uvloop.run(_with_pool(lambda: fit_many(cards, now=clock.now())))
        packed = uvloop.run(_with_pool(lambda: packages(min(cards, _PACKAGE_CARDS), now=clock.now())))
    return lines, {
        **fitted,
        **packed,
        **document_size(),
        **painted,
        "cards": cards,
        "notes": notes,
        "python": platform.python_version(),
        "postgresql": version,
        "cpus": os.cpu_count(),
        "load before": round(load_before, 2),
    }


async def _with_pool(act: Any) -> Any:
    await db.open_pool(2)
    try:
        return await act()
    finally:
        await db.close_pool()


async def _prepared(writer: Writer, cards: int, notes: int) -> Any:
    await migrate()
    world = await load(writer, cards=cards, now=clock.now())
    await load_notes(writer, world.account_id, notes, clock.now())
    return world


@contextmanager
def _folder() -> Generator[Path, None, None]:
    """A folder that PostgreSQL's own user can enter, erased in the end."""
    folder = Path(tempfile.mkdtemp(prefix="loci-bench-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _leave(_signal: int, _frame: FrameType | None) -> None:
    raise SystemExit(1)


def _say(what: str) -> None:
    print(f"{what} ...", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
