"""Moving and renaming notes; links that named them are rewritten, each as a version of its note."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from app.core.db import atomic, fetch
from app.decks.rows import lock_writes
from app.domain.errors import N_, Conflict, InvalidInput, NotFound
from app.domain.note_links import NotePaths, folder_pair, relinked, relinked_values
from app.domain.note_paths import clean_folder, clean_path, title_of
from app.domain.notes import NoteText, note_text
from app.domain.search_text import fold, literal_grams
from app.notes.queries import paths
from app.notes.rows import Current, current_at, current_of, store_version
from app.notes.views import Author, Moved, Written

FOLDER_MAX = 1_000
"""Notes that move with one folder."""


async def move_note(account_id: int, note_id: int, path: str, *, author: Author, now: datetime) -> Moved:
    """Give a note another path, and rewrite the links that would break.

    Raises `NotFound`, `InvalidInput`, `Conflict` when another note is at that path.
    """
    path = clean_path(path)
    async with atomic():
        await lock_writes(account_id)
        current = await current_of(account_id, note_id)
        if current.path == path:
            return Moved(current.unchanged(), 0)
        taken = await current_at(account_id, path)
        if taken:
            raise Conflict(
                N_("Another note is at this path already."),
                N_("Choose another path, or move that note."),
                note_id=taken.id,
            )
        renames = {current.path: path}
        before = NotePaths((await paths(account_id)).keys())
        after = before.renamed(renames)
        note = await _move(account_id, current, path, (before, after), renames, author, now)
        naming = await _naming(account_id, current)
        changed = await _relink(account_id, naming, (before, after), renames, author, now)
    return Moved(note, changed)


async def move_folder(account_id: int, folder: str, to: str, *, author: Author, now: datetime) -> tuple[int, int]:
    """Move all notes of a folder and below into another; how many moved, and how many others had links rewritten.

    Raises `NotFound` for a folder without notes, `InvalidInput`, and `Conflict` when a note is in the way.
    """
    folder, to = clean_folder(folder), clean_folder(to, "to")
    if not folder or not to or to == folder or to.startswith(folder + "/"):
        raise InvalidInput(
            N_("The folder cannot be moved there."), N_("Choose another folder, not one inside it."), field="to"
        )
    async with atomic():
        await lock_writes(account_id)
        known = await paths(account_id)
        renames = {path: to + path[len(folder) :] for path in known if path.startswith(folder + "/")}
        if not renames:
            raise NotFound(N_("There is no such folder."), N_("List the notes to see their folders."))
        if len(renames) > FOLDER_MAX:
            raise Conflict(
                N_("The folder holds more than %(limit)s notes."),
                N_("Move its subfolders one by one."),
                limit=FOLDER_MAX,
            )
        for path in renames.values():
            clean_path(path, "to")
            if path in known:
                raise Conflict(
                    N_("Another note is at this path already."),
                    N_("Choose another path, or move that note."),
                    note_id=known[path],
                )
        before = NotePaths(known.keys())
        after = before.renamed(renames)
        for old, new in renames.items():
            current = await current_of(account_id, known[old])
            await _move(account_id, current, new, (before, after), renames, author, now)
        others = [note_id for path, note_id in known.items() if path not in renames]
        changed = await _relink(account_id, others, (before, after), renames, author, now)
    return len(renames), changed


async def _move(
    account_id: int,
    current: Current,
    path: str,
    both: tuple[NotePaths, NotePaths],
    renames: Mapping[str, str],
    author: Author,
    now: datetime,
) -> Written:
    text = _relinked(current, path, both, renames)
    return await store_version(account_id, current.id, current.version + 1, path, text, author, now)


def _relinked(current: Current, path: str, both: tuple[NotePaths, NotePaths], renames: Mapping[str, str]) -> NoteText:
    """The text of a note that is at `path` after the move."""
    folders = folder_pair(current.path, path)

    def relink(text: str) -> str:
        return relinked(text, folders, both, renames)

    return note_text(relinked_values(current.text.frontmatter, relink), relink(current.text.body))


_NAMING = """
SELECT note_id FROM note_search
 WHERE account_id + 0 = $1 AND note_id <> $2 AND grams @> (SELECT $3::int[]) AND strpos(search_text, $4) > 0
"""


_LINKS_IN_METADATA = """
SELECT note.id FROM note JOIN note_version AS stored
    ON stored.account_id = note.account_id AND stored.note_id = note.id AND stored.version = note.version
 WHERE note.account_id = $1 AND note.id <> $2 AND note.deleted_at IS NULL
   AND (strpos(stored.frontmatter, '[[') > 0 OR strpos(stored.frontmatter, '](') > 0)
"""


async def _naming(account_id: int, current: Current) -> list[int]:
    """Notes that hold the title, as a link to the note must (percent-encoded signs apart: those are looked for too)."""
    title = fold(title_of(current.path))
    words = {title, max(title.replace("%", " ").split() or [title], key=len)}
    found: set[int] = set()
    for word in words:
        rows = await fetch(_NAMING, account_id, current.id, literal_grams(account_id, word), word)
        found.update(row["note_id"] for row in rows)
    # A search does not look at the metadata.
    rows = await fetch(_LINKS_IN_METADATA, account_id, current.id)
    found.update(row["id"] for row in rows)
    if not title.isascii():  # an address may carry it percent-encoded as a whole
        rows = await fetch(_NAMING, account_id, current.id, literal_grams(account_id, ".md"), ".md")
        found.update(row["note_id"] for row in rows)
    return sorted(found)


async def _relink(
    account_id: int,
    note_ids: list[int],
    both: tuple[NotePaths, NotePaths],
    renames: Mapping[str, str],
    author: Author,
    now: datetime,
) -> int:
    changed = 0
    for note_id in note_ids:
        current = await current_of(account_id, note_id)
        text = _relinked(current, current.path, both, renames)
        if text != current.text:
            await store_version(account_id, note_id, current.version + 1, current.path, text, author, now)
            changed += 1
    return changed
