"""Notes in and out: a zip, files or a folder of Markdown; all notes as a zip; moving a folder."""

from __future__ import annotations

import asyncio
from typing import Any

from litestar import Response, get, post
from litestar.datastructures import UploadFile
from litestar.params import FromQuery
from litestar.response import Stream

from app.core import clock
from app.domain.errors import N_, AppError, InvalidInput
from app.domain.note_paths import clean_folder
from app.domain.vaults import FILE_MAX_BYTES, Vault, read_files, read_zip
from app.notes import service
from app.notes.moves import move_folder
from app.notes.views import BROWSER
from app.transfer.notes_zip import notes_zip
from app.web.context import HtmlRequest, Me, done, go, page
from app.web.forms import Form
from app.web.pages.note_forms import note_limit, said

UPLOAD_MAX_BYTES = 32 * 1_048_576
_LISTED = 200


@get("/notes/export")
async def export_notes(me: Me) -> Stream:
    """All notes as Markdown files."""
    headers = {"content-disposition": 'attachment; filename="notes.zip"', "cache-control": "no-store"}
    return Stream(notes_zip(me.account.id), media_type="application/zip", headers=headers)


def _import_page(request: HtmlRequest, *, status: int = 200, folder: str = "", **shown: Any) -> Response[str]:
    values: dict[str, Any] = {"errors": [], "done": None, "vault": None, "listed": _LISTED, **shown}
    return page(request, "notes/import.html", status=status, nav="notes", folder=folder, **values)


@get("/notes/import")
async def import_page(request: HtmlRequest, me: Me, folder: FromQuery[str] = "") -> Response[str]:  # noqa: ARG001 - signed in
    """The form for files."""
    return _import_page(request, folder=folder)


@post("/notes/import", status_code=200, request_max_body_size=UPLOAD_MAX_BYTES)
async def import_notes(request: HtmlRequest, me: Me) -> Response[Any]:
    """Bring the files in, and say of each that was left out why."""
    form = await Form.of(request)
    folder = form.text("folder")
    try:
        vault = await _uploaded(request, folder)
        if not vault.files and not vault.left_out:
            raise InvalidInput(
                N_("There is no Markdown file in it."), N_("Choose a zip, or files that end in .md."), field="files"
            )
        outcome = await service.import_notes(
            me.account.id,
            vault.files,
            replace=form.switch("replace"),
            author=BROWSER,
            limit=note_limit(me, request),
            now=clock.now(),
        )
    except AppError as error:
        status, errors = said(request, error)
        field = error.field if isinstance(error, InvalidInput) and error.field in {"files", "folder"} else None
        return _import_page(request, status=status, folder=folder, errors=[(field, text) for _, text in errors])
    return _import_page(request, folder=folder, done=outcome, vault=vault)


async def _uploaded(request: HtmlRequest, folder: str) -> Vault:
    """The files of the form: zips unpacked, others as they are."""
    sent = [part for part in (await request.form()).getall("files", []) if isinstance(part, UploadFile)]
    sent = [part for part in sent if part.filename]
    if not sent:
        raise InvalidInput(N_("No file is chosen."), N_("Choose a zip, or files that end in .md."), field="files")
    if sum(part.filename.lower().endswith(".zip") for part in sent) > 1:
        raise InvalidInput(N_("Several zips are chosen."), N_("Import one after the other."), field="files")
    whole = Vault()
    loose: list[tuple[str, bytes | None]] = []
    for part in sent:
        name = part.filename
        if name.lower().endswith(".zip"):
            _add(whole, await asyncio.to_thread(read_zip, await part.read(), folder))
        else:
            data = await part.read(FILE_MAX_BYTES + 1)
            loose.append((name, data if len(data) <= FILE_MAX_BYTES else None))
    _add(whole, await asyncio.to_thread(read_files, loose, folder))
    return whole


def _add(whole: Vault, part: Vault) -> None:
    whole.files += part.files
    whole.attachments += part.attachments
    whole.left_out += part.left_out


@get("/notes/folder")
async def folder_page(request: HtmlRequest, me: Me, folder: FromQuery[str] = "") -> Response[Any]:  # noqa: ARG001
    """The form for another name of a folder."""
    try:
        here = clean_folder(folder)
    except InvalidInput:
        here = ""
    if not here:
        return go(request, "/notes")
    return page(request, "notes/folder.html", nav="notes", folder=here, value=here, errors=[])


@post("/notes/folder", status_code=200)
async def rename_folder(request: HtmlRequest, me: Me) -> Response[Any]:
    """Move all notes of a folder; links are rewritten."""
    form = await Form.of(request)
    folder, to = form.text("folder"), form.text("to")
    try:
        moved, relinked = await move_folder(me.account.id, folder, to, author=BROWSER, now=clock.now())
    except AppError as error:
        status, errors = said(request, error)
        shown = [("to", text) for _, text in errors]
        return page(request, "notes/folder.html", status=status, nav="notes", folder=folder, value=to, errors=shown)
    note = done(N_("Notes moved: %(moved)s. Notes with links rewritten: %(relinked)s."), moved=moved, relinked=relinked)
    return go(request, "/notes", note)


HANDLERS = [export_notes, import_page, import_notes, folder_page, rename_folder]
