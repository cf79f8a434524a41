"""Notes: the folders, search, one note, writing, editing, deleting."""

from __future__ import annotations

import re
from typing import Any

from litestar import Response, get, post
from litestar.params import FromPath, FromQuery

from app.core import clock
from app.domain.errors import N_, AppError, Conflict, InvalidInput, NotFound
from app.domain.note_paths import ancestors, clean_folder
from app.notes import queries, service
from app.notes.views import BROWSER
from app.web.context import HtmlRequest, Me, done, go, pace, page
from app.web.forms import Form
from app.web.pages.note_forms import (
    EMPTY,
    frontmatter_in,
    full_path,
    note_limit,
    note_page,
    rendered,
    said,
    sent_values,
    values_of,
)
from app.web.pages.refusals import Errors

_HITS = 30
_TREE, _FOLDER = 600, 300
_NUMBER = re.compile(r"[0-9]{1,9}")


@get("/notes")
async def notes_page(
    request: HtmlRequest,
    me: Me,
    folder: FromQuery[str] = "",
    tag: FromQuery[str] = "",
    q: FromQuery[str] = "",
    cursor: FromQuery[str | None] = None,
    skip: FromQuery[str] = "",
) -> Response[str]:
    """A folder with its subfolders, or the notes that a search finds in it."""
    errors: Errors = []
    status, hits, next_cursor, tree = 200, (), None, None
    tags = [tag.replace("\0", "")] if tag else []
    try:
        folder = clean_folder(folder)
        if q.strip():
            await pace(me)
            found = await queries.search_notes(me.account.id, q, folder=folder, tags=tags, cursor=cursor, limit=_HITS)
            hits, next_cursor = found.items, found.next_cursor
        else:
            tree = await queries.tree(
                me.account.id, folder, tags=tags, folder_entries=_FOLDER, tree_entries=_TREE,
                skip=int(skip) if _NUMBER.fullmatch(skip) else 0,
            )  # fmt: skip
    except InvalidInput as error:
        status, errors = said(request, error)
    return page(
        request,
        "notes/notes.html",
        status=status,
        nav="notes",
        folder=folder if not errors else "",
        crumbs=ancestors(folder)[:-1] if not errors else [],
        tree=tree,
        tag=tag,
        tags=await queries.tags(me.account.id, limit=30),
        q=q,
        hits=hits,
        next_cursor=next_cursor,
        used=await queries.usage(me.account.id),
        errors=errors,
    )


@get("/notes/at")
async def note_at(request: HtmlRequest, me: Me, path: FromQuery[str] = "") -> Response[None]:
    """The page of the note at a path: the address that AI clients link to."""
    try:
        note = await queries.note_at(me.account.id, path)
    except InvalidInput:
        raise NotFound(N_("There is no note at this path.")) from None
    return go(request, f"/notes/{note.id}")


@get("/notes/new")
async def new_note_page(request: HtmlRequest, me: Me, folder: FromQuery[str] = "") -> Response[str]:  # noqa: ARG001 - signed in
    """The form for a note."""
    try:
        start = clean_folder(folder)
    except InvalidInput:
        start = ""
    values = {**EMPTY, "path": f"{start}/" if start else ""}
    return note_page(request, "notes/new.html", path=values["path"], values=values, errors=[], preview=None)


@post("/notes/new", status_code=200)
async def create_note(request: HtmlRequest, me: Me) -> Response[Any]:
    """Keep a new note, or show how it would look."""
    form = await Form.of(request)
    values = sent_values(form)
    errors: Errors = []
    status, preview = 200, None
    if form.text("do") == "preview":
        preview = await rendered(me.account.id, values["path"], values["body"])
    else:
        try:
            made = await service.create_note(
                me.account.id,
                full_path(values["path"]),
                body=values["body"],
                frontmatter=frontmatter_in(values),
                author=BROWSER,
                limit=note_limit(me, request),
                now=clock.now(),
            )
            return go(request, f"/notes/{made.id}", done(N_("The note is kept.")))
        except AppError as error:
            status, errors = said(request, error)
    return note_page(request, "notes/new.html", path="", status=status, values=values, errors=errors, preview=preview)


@get("/notes/{note_id:int}")
async def one_note_page(request: HtmlRequest, me: Me, note_id: FromPath[int]) -> Response[str]:
    """A note, rendered."""
    note = await queries.note(me.account.id, note_id)
    return note_page(
        request,
        "notes/note.html",
        path=note.path,
        note=note,
        html=await rendered(me.account.id, note.path, note.body),
        cards=await queries.cards_of_note(me.account.id, note_id),
    )


@get("/notes/{note_id:int}/edit")
async def edit_note_page(request: HtmlRequest, me: Me, note_id: FromPath[int]) -> Response[str]:
    """The note's text."""
    note = await queries.note(me.account.id, note_id)
    return note_page(
        request,
        "notes/edit.html",
        path=note.path,
        note=note,
        values=values_of(note),
        version=note.version,
        errors=[],
        stored=None,
        preview=None,
    )


@post("/notes/{note_id:int}/edit", status_code=200)
async def edit_note(request: HtmlRequest, me: Me, note_id: FromPath[int]) -> Response[Any]:
    """Keep the text, or show how it would look. If it changed meanwhile both texts are shown and nothing is lost."""
    note = await queries.note(me.account.id, note_id)
    form = await Form.of(request)
    values = {**sent_values(form), "path": note.path}
    errors: Errors = []
    status, preview, stored = 200, None, None
    version = note.version
    try:
        version = form.whole("version")
        if form.text("do") == "preview":
            preview = await rendered(me.account.id, note.path, values["body"])
        else:
            await service.save_note(
                me.account.id,
                note_id,
                body=values["body"],
                frontmatter=frontmatter_in(values),
                expected_version=version,
                author=BROWSER,
                now=clock.now(),
            )
            return go(request, f"/notes/{note_id}", done(N_("Saved. The version before is in the history.")))
    except NotFound:
        raise
    except AppError as error:
        status, errors = said(request, error)
        if isinstance(error, Conflict):
            stored = await queries.note(me.account.id, note_id)
            version, errors = stored.version, []
    return note_page(
        request,
        "notes/edit.html",
        path=note.path,
        status=status,
        note=note,
        values=values,
        version=version,
        errors=errors,
        stored=values_of(stored) if stored else None,
        preview=preview,
    )


@post("/notes/{note_id:int}/delete", status_code=200)
async def delete_note(request: HtmlRequest, me: Me, note_id: FromPath[int]) -> Response[None]:
    """Put a note into the trash."""
    await service.delete_note(me.account.id, note_id, author=BROWSER, now=clock.now())
    return go(request, "/trash", done(N_("The note is in the trash. You can restore it here.")))


@get("/notes/{note_id:int}/delete", sync_to_thread=False)
def after_reload(request: HtmlRequest, note_id: FromPath[int]) -> Response[None]:
    """The address of a posted form, opened by itself."""
    return go(request, f"/notes/{note_id}")


HANDLERS = [
    notes_page,
    note_at,
    new_note_page,
    create_note,
    one_note_page,
    edit_note_page,
    edit_note,
    delete_note,
    after_reload,
]
