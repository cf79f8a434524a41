"""Many cards of a deck at once: moved, tagged, deleted after a question, and brought back when that was a mistake."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from litestar import Response, get, post
from litestar.params import FromPath

from app.core import clock
from app.decks import queries, service
from app.domain.errors import N_, AppError, InvalidInput, NotFound
from app.web.context import HtmlRequest, Me, done, go, page, web_context
from app.web.forms import Form
from app.web.pages.cards import tags_in
from app.web.pages.refusals import noted
from app.web.person import limits_of, study_clock
from app.web.undo import undo_token

_VIEW = ("q", "tag", "cursor")


def _here(deck_id: int, form: Form, **more: str) -> str:
    """The deck's page with the search, tag and place of the list that the form was sent from."""
    view = {name: form.text(f"in_{name}") for name in _VIEW} | more
    query = urlencode({name: value for name, value in view.items() if value})
    return f"/decks/{deck_id}" + (f"?{query}" if query else "")


@post("/decks/{deck_id:int}/cards", status_code=200)
async def change_many(request: HtmlRequest, me: Me, deck_id: FromPath[int]) -> Response[Any]:
    """Move, tag, untag or delete the ticked cards of a deck."""
    deck = await queries.deck(me.account.id, deck_id, clock=study_clock(me), now=clock.now())
    form = await Form.of(request)
    here, now = _here(deck_id, form), clock.now()
    try:
        card_ids = _ticked(form)
        match form.text("do"):
            case "move":
                target = form.id("to")
                if target is None:
                    raise InvalidInput(N_("No deck is chosen."), N_("Choose the deck to move the cards to."))
                limits = limits_of(me, web_context(request).settings)
                moved = await service.move_cards(me.account.id, card_ids, target, limits=limits, now=now)
                return go(request, here, done(N_("Cards moved: %(count)s."), count=len(moved.done_ids)))
            case "tag" | "untag" as what:
                tags = tags_in(form.text("tag"))
                if not tags:
                    raise InvalidInput(N_("No tag is given."), N_("Write the tag beside the button."))
                add, remove = (tags, []) if what == "tag" else ([], tags)
                changed = await service.tag_cards(me.account.id, card_ids, add=add, remove=remove, now=now)
                return go(request, here, done(N_("Cards changed: %(count)s."), count=len(changed.done_ids)))
            case "delete":
                if not form.switch("confirmed"):
                    view = {f"in_{name}": form.text(f"in_{name}") for name in _VIEW}
                    return page(
                        request,
                        "cards/delete_many.html",
                        nav="decks",
                        deck=deck,
                        card_ids=card_ids,
                        view=view,
                        back=here,
                    )
                gone = await service.delete_cards(me.account.id, card_ids, now=now)
                note = done(N_("Cards in the trash: %(count)s."), count=len(gone.done_ids))
                return go(request, _here(deck_id, form, undo=undo_token(request, gone.done_ids)), note)
            case _:
                raise InvalidInput(N_("This is not one of the choices."), field="do")
    except NotFound:
        raise
    except AppError as error:
        return go(request, here, noted(error))


@post("/decks/{deck_id:int}/cards/restore", status_code=200)
async def restore_many(request: HtmlRequest, me: Me, deck_id: FromPath[int]) -> Response[None]:
    """Bring back what was deleted a moment ago."""
    await queries.deck(me.account.id, deck_id, clock=study_clock(me), now=clock.now())
    form = await Form.of(request)
    here = _here(deck_id, form)
    try:
        limits = limits_of(me, web_context(request).settings)
        back = await service.restore_cards(me.account.id, _ticked(form), limits=limits, now=clock.now())
    except AppError as error:
        return go(request, here, noted(error))
    return go(request, here, done(N_("Cards restored: %(count)s."), count=len(back.done_ids)))


def _ticked(form: Form) -> list[int]:
    card_ids = form.ids("card_id")
    if not card_ids:
        raise InvalidInput(N_("No card is ticked."), N_("Tick the cards first."))
    return card_ids


@get(["/decks/{deck_id:int}/cards", "/decks/{deck_id:int}/cards/restore"], sync_to_thread=False)
def after_reload(request: HtmlRequest, deck_id: FromPath[int]) -> Response[None]:
    """The address of a posted form, opened by itself."""
    return go(request, f"/decks/{deck_id}")


HANDLERS = [change_many, restore_many, after_reload]
