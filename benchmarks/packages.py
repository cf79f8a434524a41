"""An Anki package of 10,000 cards in and out, beside Anki's own import and export of the same in the same run."""

from __future__ import annotations

import random
import tempfile
import time
import warnings
from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from typing import Any

from app.accounts import service as accounts
from app.core.settings import Settings
from app.domain.plans import Plan
from app.transfer import imports
from app.transfer.importing import run_import, run_preview
from app.transfer.packing import write_package
from app.transfer.views import Choices
from benchmarks.texts import Writer

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from anki.collection import (
        Collection,
        ExportAnkiPackageOptions,
        ImportAnkiPackageOptions,
        ImportAnkiPackageRequest,
    )

_PASSWORD = "a benchmark has nothing to hide"  # noqa: S105 - of a made-up account
_ANSWERS = 5
_DAY_MS = 86_400_000
_MANY = "pro.decks=100000 pro.cards=10000000"


async def packages(cards: int, *, now: datetime) -> dict[str, Any]:
    """Seconds of our preview, import and export, and of Anki's import and export."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        theirs = folder / "theirs.apkg"
        exported = _made(folder, theirs, cards)
        imported = _taken(folder, theirs)
        account = await accounts.sign_up("packages@example.org", _PASSWORD, now=now, plan=Plan.PRO)
        import_id = await imports.start_import(account.id, "theirs.apkg", _pieces(theirs), max_bytes=2**30, now=now)
        settings = Settings.read({"LOCI_PLAN_FIGURES": _MANY}, dotenv=None)
        preview = await _timed(run_preview(account.id, import_id, settings=settings, now=now))
        await imports.begin(account.id, import_id, Choices(), now=now)
        ours_in = await _timed(run_import(account.id, import_id, settings=settings, now=now))
        view = await imports.imported(account.id, import_id)
        if view.result is None or view.result.created != cards:
            raise RuntimeError("not every card came in")
        ours = folder / "ours.apkg"
        ours_out = await _timed(write_package(account.id, ours, now=now))
        return {
            f"package of {cards:,} cards, {view.result.reviews:,} answers": f"preview {preview:.1f} s, "
            f"import {ours_in:.1f} s (Anki {imported:.1f} s), export {ours_out:.1f} s (Anki {exported:.1f} s)"
        }


async def _timed(work: Any) -> float:
    started = time.perf_counter()
    await work
    return time.perf_counter() - started


async def _pieces(path: Path) -> AsyncIterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(imports.PIECE_BYTES):
            yield piece


def _options() -> Any:
    return ExportAnkiPackageOptions(with_scheduling=True, with_deck_configs=False, with_media=True, legacy=False)


def _made(folder: Path, package: Path, cards: int) -> float:
    """Fill a collection through Anki, export it, and give the seconds of the export."""
    writer, draw = Writer(3), random.Random(3)
    collection: Any = Collection(str(folder / "from.anki2"))
    try:
        note_type = collection.models.by_name("Basic")
        now = int(time.time() * 1000)
        notes: list[Any] = []
        for number, words in zip(range(cards), writer.cards(), strict=False):
            note = collection.new_note(note_type)
            note["Front"], note["Back"], note.tags = f"{words.front} {number}", words.back, ["a", "b"]
            notes.append(note)
        deck = collection.decks.id("Many::Cards")
        for note in notes:
            collection.add_note(note, deck)
        log: list[tuple[int, ...]] = []
        for place, card in enumerate(collection.find_cards("")):
            for answer in range(_ANSWERS):
                moment = now - (200 - 30 * answer) * _DAY_MS + place
                log.append((moment, card, -1, draw.choice((1, 3, 3, 4)), 30, 10, 2500, 4000, 1 if answer else 0))
        collection.db.executemany("INSERT INTO revlog VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", log)
        collection.db.execute(
            "UPDATE cards SET type = 2, queue = 2, ivl = 30, factor = 2500, reps = ?, due = ? + (id % 60)",
            _ANSWERS,
            collection.sched.today,
        )
        started = time.perf_counter()
        collection.export_anki_package(out_path=str(package), options=_options(), limit=None)
        return time.perf_counter() - started
    finally:
        collection.close()


def _taken(folder: Path, package: Path) -> float:
    """Seconds of Anki's own import into an empty collection."""
    collection: Any = Collection(str(folder / "to.anki2"))
    try:
        started = time.perf_counter()
        options = ImportAnkiPackageOptions(with_scheduling=True)
        collection.import_anki_package(ImportAnkiPackageRequest(package_path=str(package), options=options))
        return time.perf_counter() - started
    finally:
        collection.close()
