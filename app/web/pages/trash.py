"""The trash: deleted decks, cards and notes, restored or erased for good."""

from __future__ import annotations

from typing import Any

from litestar import Response, get, post
from litestar.params import FromPath, FromQuery

from app.core import clock
from app.decks import queries, service
from app.domain.errors import N_, AppError, Conflict, InvalidInput, NotFound
from app.notes import queries as note_queries
from app.notes import service as notes_service
from app.notes.views import BROWSER
from app.web.context import HtmlRequest, Me, done, go, page, web_context
from app.web.forms import Form
from app.web.pages.note_forms import note_limit
from app.web.pages.refusals import noted
from app.web.person import limits_of

_DECKS = 50
_CARDS = 50
_NOTES = 50
_PATH_TAKEN = N_("Another note has taken its path. Move or delete that one first.")


@get("/trash")
async def trash_page(
    request: HtmlRequest,
    me: Me,
    decks: FromQuery[str | None] = None,
    cards: FromQuery[str | None] = None,
    notes: FromQuery[str | None] = None,
) -> Response[str]:
    """The last deleted first; `decks`, `cards` and `notes` are the cursors of the three lists."""
    return page(
        request,
        "trash/trash.html",
        nav="trash",
        decks=await queries.trash_decks(me.account.id, cursor=decks, limit=_DECKS),
        cards=await queries.trash_cards(me.account.id, cursor=cards, limit=_CARDS),
        notes=await note_queries.trash_notes(me.account.id, cursor=notes, limit=_NOTES),
    )


@post("/trash/decks/{deck_id:int}/restore", status_code=200)
async def restore_deck(request: HtmlRequest, me: Me, deck_id: FromPath[int]) -> Response[None]:
    """Bring a deck back with the cards that went with it."""
    limits = limits_of(me, web_context(request).settings)
    try:
        count = await service.restore_deck(me.account.id, deck_id, limits=limits, now=clock.now())
    except NotFound:
        raise
    except AppError as error:
        return go(request, "/trash", noted(error))
    return go(
        request, f"/decks/{deck_id}", done(N_("The deck is back. Cards that came with it: %(count)s."), count=count)
    )


@post("/trash/decks/{deck_id:int}/erase", status_code=200)
async def erase_deck(request: HtmlRequest, me: Me, deck_id: FromPath[int]) -> Response[Any]:
    """Erase a deck of the trash for good, after a question."""
    form = await Form.of(request)
    if not form.switch("confirmed"):
        return page(request, "trash/erase.html", nav="trash", action=f"/trash/decks/{deck_id}/erase", card_ids=[])
    await service.erase_deck(me.account.id, deck_id)
    return go(request, "/trash", done(N_("The deck is erased.")))


@post("/trash/notes/{note_id:int}/restore", status_code=200)
async def restore_note(request: HtmlRequest, me: Me, note_id: FromPath[int]) -> Response[None]:
    """Bring a note back as it was."""
    try:
        limit = note_limit(me, request)
        await notes_service.restore_note(me.account.id, note_id, author=BROWSER, limit=limit, now=clock.now())
    except NotFound:
        raise
    except Conflict:
        return go(request, "/trash", ("bad", _PATH_TAKEN, {}))
    except AppError as error:
        return go(request, "/trash", noted(error))
    return go(request, f"/notes/{note_id}", done(N_("The note is back.")))


@post("/trash/notes/{note_id:int}/erase", status_code=200)
async def erase_note(request: HtmlRequest, me: Me, note_id: FromPath[int]) -> Response[Any]:
    """Erase a note of the trash for good, with its history, after a question."""
    form = await Form.of(request)
    if not form.switch("confirmed"):
        return page(request, "trash/erase.html", nav="trash", action=f"/trash/notes/{note_id}/erase", card_ids=[])
    await notes_service.erase_note(me.account.id, note_id)
    return go(request, "/trash", done(N_("The note is erased.")))


@post("/trash/cards", status_code=200)
async def change_many(request: HtmlRequest, me: Me) -> Response[Any]:
    """Restore or erase the ticked cards."""
    form = await Form.of(request)
    try:
        card_ids = form.ids("card_id")
        if not card_ids:
            raise InvalidInput(N_("No card is ticked."), N_("Tick the cards first."))
        match form.text("do"):
            case "restore":
                limits = limits_of(me, web_context(request).settings)
                back = await service.restore_cards(me.account.id, card_ids, limits=limits, now=clock.now())
                return go(request, "/trash", done(N_("Cards restored: %(count)s."), count=len(back.done_ids)))
            case "erase":
                if not form.switch("confirmed"):
                    return page(request, "trash/erase.html", nav="trash", action="/trash/cards", card_ids=card_ids)
                gone = await service.erase_cards(me.account.id, card_ids)
                return go(request, "/trash", done(N_("Cards erased: %(count)s."), count=len(gone.done_ids)))
            case _:
                raise InvalidInput(N_("This is not one of the choices."), field="do")
    except AppError as error:
        return go(request, "/trash", noted(error))


@get(
    [
        "/trash/cards",
        "/trash/notes/{note_id:int}/erase",
        "/trash/notes/{note_id:int}/restore",
        "/trash/decks/{deck_id:int}/erase",
        "/trash/decks/{deck_id:int}/restore",
    ]
)
async def after_reload(request: HtmlRequest) -> Response[None]:
    """The address of a posted form, opened by itself."""
    return go(request, "/trash")


HANDLERS = [trash_page, restore_deck, erase_deck, restore_note, erase_note, change_many, after_reload]
