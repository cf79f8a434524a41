"""`loci export`: an account as files in a folder."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from app.core.db import fetch, fetch_value
from app.transfer.account_zip import write_zip
from app.transfer.export import cards_csv, document, file_title
from app.transfer.notes_zip import notes_zip
from app.transfer.packing import write_package


async def export_to(account_id: int, folder: Path, *, now: datetime) -> list[Path]:
    """Write `loci.json` (everything), a CSV for each live deck, the notes and all of it as a zip, an Anki package.

    Gives the files that were written.

    A file is complete or absent: each is written beside its place and moved there.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # noqa: ASYNC240 - a command of one person, nothing else waits
    written: list[Path] = []
    whole = folder / "loci.json"
    with _part(whole).open("wb") as file:
        async for piece in document(account_id, now=now):
            file.write(piece)
    written.append(_part(whole).rename(whole))
    decks = await fetch(
        "SELECT id, title FROM deck WHERE account_id = $1 AND deleted_at IS NULL ORDER BY id", account_id
    )
    for deck in decks:
        target = folder / f"{file_title(deck['title'])} ({deck['id']}).csv"
        with _part(target).open("w", encoding="utf-8", newline="") as file:
            async for line in cards_csv(account_id, deck["id"]):
                file.write(line)
        written.append(_part(target).rename(target))
    if await fetch_value("SELECT count(*) FROM note WHERE account_id = $1 AND deleted_at IS NULL", account_id):
        target = folder / "notes.zip"
        with _part(target).open("wb") as file:
            async for piece in notes_zip(account_id):
                file.write(piece)
        written.append(_part(target).rename(target))
    for name, write in (("loci-export.zip", write_zip), ("loci.apkg", write_package)):
        target = folder / name
        await write(account_id, _part(target), now=now)
        written.append(_part(target).rename(target))
    return written


def _part(path: Path) -> Path:
    return path.with_name(path.name + ".part")
