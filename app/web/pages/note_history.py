"""Moving a note, its history, and going back to what it said before."""

from __future__ import annotations

from typing import Any

from litestar import Response, get, post
from litestar.params import FromPath, FromQuery

from app.core import clock
from app.domain.errors import N_, AppError, InvalidInput, NotFound
from app.domain.frontmatter import to_document
from app.domain.line_differences import difference
from app.notes import queries, service
from app.notes.views import BROWSER, VersionView
from app.web.context import HtmlRequest, Me, done, go
from app.web.forms import Form
from app.web.pages.note_forms import full_path, note_page, said


@get("/notes/{note_id:int}/move")
async def move_page(request: HtmlRequest, me: Me, note_id: FromPath[int]) -> Response[str]:
    """The form for another path."""
    note = await queries.note(me.account.id, note_id)
    return note_page(request, "notes/move.html", path=note.path, note=note, value=note.path, errors=[])


@post("/notes/{note_id:int}/move", status_code=200)
async def move_note(request: HtmlRequest, me: Me, note_id: FromPath[int]) -> Response[Any]:
    """Give the note another path; links to it are rewritten."""
    note = await queries.note(me.account.id, note_id)
    form = await Form.of(request)
    path = form.text("path")
    try:
        moved = await service.move_note(me.account.id, note_id, full_path(path), author=BROWSER, now=clock.now())
    except NotFound:
        raise
    except AppError as error:
        status, errors = said(request, error)
        return note_page(
            request, "notes/move.html", path=note.path, status=status, note=note, value=path, errors=errors
        )
    note_text = (
        done(N_("Moved. Links were rewritten in other notes: %(count)s."), count=moved.relinked)
        if moved.relinked
        else done(N_("Moved."))
    )
    return go(request, f"/notes/{note_id}", note_text)


@get("/notes/{note_id:int}/history")
async def history_page(
    request: HtmlRequest, me: Me, note_id: FromPath[int], cursor: FromQuery[str | None] = None
) -> Response[str]:
    """Who changed the note when; the newest first. A note in the trash has one too."""
    try:
        versions = await queries.versions(me.account.id, note_id, cursor=cursor)
    except InvalidInput:
        return go(request, f"/notes/{note_id}/history")  # type: ignore[return-value]
    newest = versions.items[0]
    return note_page(
        request, "notes/history.html", path=newest.path, note_id=note_id, versions=versions, first=cursor is None
    )


def _text(version: VersionView | None) -> str:
    return to_document(version.frontmatter, version.body) if version else ""


@get("/notes/{note_id:int}/history/{version:int}")
async def version_page(request: HtmlRequest, me: Me, note_id: FromPath[int], version: FromPath[int]) -> Response[str]:
    """One version: what changed in it, and all of it."""
    shown, before = await queries.version(me.account.id, note_id, version)
    newest = (await queries.versions(me.account.id, note_id, limit=1)).items[0]
    return note_page(
        request,
        "notes/version.html",
        path=shown.entry.path,
        note_id=note_id,
        shown=shown,
        before=before,
        text=_text(shown),
        lines=difference(_text(before), _text(shown)),
        newest=newest,
    )


@post("/notes/{note_id:int}/history/{version:int}/restore", status_code=200)
async def restore_version(
    request: HtmlRequest, me: Me, note_id: FromPath[int], version: FromPath[int]
) -> Response[None]:
    """Make the note say again what it said then, as its newest version."""
    await service.restore_version(me.account.id, note_id, version, author=BROWSER, now=clock.now())
    return go(
        request,
        f"/notes/{note_id}",
        done(N_("The note says again what it said in version %(version)s."), version=version),
    )


@get("/notes/{note_id:int}/history/{version:int}/restore", sync_to_thread=False)
def after_reload(request: HtmlRequest, note_id: FromPath[int], version: FromPath[int]) -> Response[None]:
    """The address of a posted form, opened by itself."""
    return go(request, f"/notes/{note_id}/history/{version}")


HANDLERS = [move_page, move_note, history_page, version_page, restore_version, after_reload]
