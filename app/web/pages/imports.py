"""Bringing cards in from files: upload, preview with choices, progress, report, undo."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from typing import Any

from litestar import Response, get, post
from litestar.datastructures import UploadFile
from litestar.params import FromPath

from app.core import clock
from app.decks import queries as decks
from app.domain.cards import DECK_TITLE_MAX, clean_title
from app.domain.errors import N_, AppError, InvalidInput
from app.domain.transfer.bundle import ScheduleChoice
from app.domain.transfer.columns import Column
from app.transfer import imports
from app.transfer.views import Choices, Duplicates, ImportState, ImportView
from app.ui.render import translate
from app.web.context import HtmlRequest, Me, done, failed, go, page, reader_of, web_context
from app.web.forms import Form
from app.web.pages.refusals import Errors, refusal
from app.web.person import study_clock

_MEGABYTE = 1_048_576
_NUMBER = re.compile(r"[0-9]{1,18}")
# Above what the setting may allow; the setting itself is kept while the upload is stored.
_BODY_MAX = 2_050 * _MEGABYTE
_COLUMNS: Mapping[str, str] = {
    Column.UNUSED: N_("not used"),
    Column.FRONT: N_("Front"),
    Column.BACK: N_("Back"),
    Column.TAGS: N_("Tags"),
    Column.DECK: N_("Deck"),
    Column.LANGUAGE: N_("Language"),
    Column.SOURCE_TITLE: N_("Source"),
}
_SEPARATORS: Mapping[str, str] = {
    "": N_("found out from the file"),
    ",": N_("comma"),
    ";": N_("semicolon"),
    "\\t": N_("tab"),
    "|": N_("bar"),
}
_FORMATS: Mapping[str, str] = {
    "anki": N_("Anki package"),
    "table": N_("table"),
    "quizlet": N_("terms and definitions"),
    "json": N_("JSON"),
    "markdown": N_("Markdown"),
    "loci": N_("export of Loci"),
}
_RUNNING = frozenset({ImportState.UPLOADING, ImportState.READING, ImportState.IMPORTING})


@get("/import")
async def start_page(request: HtmlRequest, me: Me) -> Response[str]:
    """The form for a file, and the last imports."""
    return await _start_page(request, me)


async def _start_page(
    request: HtmlRequest, me: Me, *, status: int = 200, errors: Errors | None = None
) -> Response[str]:
    return page(
        request,
        "imports/start.html",
        status=status,
        nav="decks",
        errors=errors or [],
        recent=await imports.recent(me.account.id),
        megabytes=web_context(request).settings.import_mb,
    )


@post("/import", status_code=303, request_max_body_size=_BODY_MAX)
async def upload(request: HtmlRequest, me: Me) -> Response[Any]:
    """Keep the file and have it read."""
    most = web_context(request).settings.import_mb * _MEGABYTE
    try:
        announced = request.headers.get("content-length", "")
        if _NUMBER.fullmatch(announced) and int(announced) > most + _MEGABYTE:
            raise imports.too_large(most)
        sent = (await request.form()).get("file")
        if not isinstance(sent, UploadFile) or not sent.filename:
            raise InvalidInput(N_("No file is chosen."), N_("Choose the file that holds your cards."), field="file")
        import_id = await imports.start_import(
            me.account.id, sent.filename, _pieces(sent), max_bytes=most, now=clock.now()
        )
    except AppError as error:
        status, errors = refusal(request, error)
        return await _start_page(request, me, status=status, errors=[("file", text) for _, text in errors])
    return go(request, f"/import/{import_id}")


async def _pieces(sent: UploadFile) -> AsyncIterator[bytes]:
    while piece := await sent.read(imports.PIECE_BYTES):
        yield piece


@get("/import/{import_id:int}")
async def import_page(request: HtmlRequest, me: Me, import_id: FromPath[int]) -> Response[str]:
    """One import in whatever state it is."""
    return await _import_page(request, me, await imports.imported(me.account.id, import_id))


async def _import_page(
    request: HtmlRequest,
    me: Me,
    view: ImportView,
    *,
    status: int = 200,
    errors: Errors | None = None,
) -> Response[str]:
    own: list[tuple[str, str]] = []
    if view.state is ImportState.READY:
        listed = await decks.decks(me.account.id, clock=study_clock(me), now=clock.now(), limit=200)
        own = [(str(deck.id), deck.title) for deck in listed.items]
    return page(
        request,
        "imports/import.html",
        status=status,
        nav="decks",
        view=view,
        errors=errors or [],
        decks=own,
        columns=_named(request, _COLUMNS),
        separators=_named(request, _SEPARATORS),
        formats=dict(_named(request, _FORMATS)),
        running=view.state in _RUNNING,
    )


def _named(request: HtmlRequest, names: Mapping[str, str]) -> list[tuple[str, str]]:
    reader = reader_of(request)
    return [(value, translate(reader, label)) for value, label in names.items()]


@post("/import/{import_id:int}/again", status_code=303)
async def read_again(request: HtmlRequest, me: Me, import_id: FromPath[int]) -> Response[Any]:
    """The preview by other options of a text file."""
    return await _go_on(request, me, import_id, again=True)


@post("/import/{import_id:int}/begin", status_code=303)
async def begin(request: HtmlRequest, me: Me, import_id: FromPath[int]) -> Response[Any]:
    """Import what the preview shows."""
    return await _go_on(request, me, import_id, again=False)


async def _go_on(request: HtmlRequest, me: Me, import_id: int, *, again: bool) -> Response[Any]:
    view = await imports.imported(me.account.id, import_id)
    try:
        choices = _choices(await Form.of(request), view)
        step = imports.read_again if again else imports.begin
        await step(me.account.id, import_id, choices, now=clock.now())
    except AppError as error:
        status, errors = refusal(request, error)
        return await _import_page(request, me, view, status=status, errors=errors)
    return go(request, f"/import/{import_id}")


def _choices(form: Form, view: ImportView) -> Choices:
    """What the form of the preview chose. Raises `InvalidInput` with the field."""
    numbers = {deck.number for deck in view.preview.decks} if view.preview else set[int]()
    chosen = tuple(int(text) for text in form.texts("deck") if _NUMBER.fullmatch(text) and int(text) in numbers)
    if form.has("decks") and not chosen:
        raise InvalidInput(N_("No deck is chosen."), N_("Choose at least one deck of the file."), field="deck")
    into = form.text("into")
    title = form.text("title")
    if into == "title" and not title:
        raise InvalidInput(N_("The new deck has no title."), N_("Give it one."), field="title")
    try:
        duplicates = Duplicates(form.text("duplicates") or "skip")
        schedule = ScheduleChoice(form.text("schedule") or "keep")
    except ValueError:
        raise InvalidInput(N_("This is not one of the choices."), field="duplicates") from None
    columns = tuple(form.texts("column"))
    guessed = view.preview.columns if view.preview else ()
    separator = form.text("separator")
    return Choices(
        decks=None if not form.has("decks") or len(chosen) == len(numbers) else chosen,
        duplicates=duplicates,
        schedule=schedule,
        deck_id=form.id("deck_id") if into == "deck" else None,
        title=clean_title(title, "title", DECK_TITLE_MAX) if into == "title" else "",
        separator=separator if separator in _SEPARATORS else "",
        header={"yes": True, "no": False}.get(form.text("header")),
        # What was found out stays free to be found out again where another separator is chosen.
        columns=columns if columns != guessed or view.choices.columns else (),
        settings=form.switch("settings"),
    )


@post("/import/{import_id:int}/cancel", status_code=303)
async def cancel(request: HtmlRequest, me: Me, import_id: FromPath[int]) -> Response[Any]:
    """Stop; what has come in can be undone."""
    await imports.cancel(me.account.id, import_id, now=clock.now())
    return go(request, f"/import/{import_id}")


@post("/import/{import_id:int}/undo", status_code=303)
async def undo(request: HtmlRequest, me: Me, import_id: FromPath[int]) -> Response[Any]:
    """Move what came in to the trash."""
    try:
        gone = await imports.undo(me.account.id, import_id, now=clock.now())
    except AppError as error:
        return go(request, f"/import/{import_id}", failed(error))
    return go(request, f"/import/{import_id}", done(N_("Cards moved to the trash: %(count)s."), count=gone))


HANDLERS = [start_page, upload, import_page, read_again, begin, cancel, undo]
