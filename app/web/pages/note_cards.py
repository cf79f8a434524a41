"""Cards made from a note: what it holds already is shown, the person chooses."""

from __future__ import annotations

import asyncio
import re
from typing import Any

from litestar import Response, get, post
from litestar.params import FromPath, FromQuery

from app.accounts.views import SignedIn
from app.core import clock
from app.decks import queries as decks
from app.domain.errors import N_, AppError, InvalidInput, NotFound
from app.domain.note_cards import cards_in
from app.notes import queries, service
from app.notes.views import NoteView
from app.web.context import HtmlRequest, Me, done, go, web_context
from app.web.forms import Form
from app.web.pages.note_forms import note_page, said
from app.web.person import limits_of, study_clock

_DECKS = 500
_PAGE = 200
"""Cards that are offered at once: what is ticked on a page is made, then come the next."""
_NUMBER = re.compile(r"[0-9]{1,6}")


async def _choice(
    request: HtmlRequest, me: SignedIn, note: NoteView, headings: bool, *, status: int = 200, **shown: Any
) -> Response[str]:
    found = await decks.decks(me.account.id, clock=study_clock(me), now=clock.now(), limit=_DECKS)
    values: dict[str, Any] = {"errors": [], "deck": "", "chosen": None, "skip": 0, **shown}
    cards = await asyncio.to_thread(cards_in, note.body, headings=headings)
    skip = values["skip"] = min(values["skip"], max(0, len(cards) - 1) // _PAGE * _PAGE)
    return note_page(
        request,
        "notes/cards.html",
        path=note.path,
        status=status,
        note=note,
        found=cards[skip : skip + _PAGE],
        total=len(cards),
        next_skip=skip + _PAGE if skip + _PAGE < len(cards) else None,
        headings=headings,
        decks=sorted(found.items, key=lambda deck: deck.title.casefold()),
        **values,
    )


def _skip(text: str) -> int:
    return int(text) // _PAGE * _PAGE if _NUMBER.fullmatch(text) else 0


@get("/notes/{note_id:int}/cards")
async def cards_page(
    request: HtmlRequest, me: Me, note_id: FromPath[int], headings: FromQuery[str] = "", skip: FromQuery[str] = ""
) -> Response[str]:
    """The cards that the note holds, with `headings` its sections as well; `skip` come before those shown."""
    note = await queries.note(me.account.id, note_id)
    return await _choice(request, me, note, headings == "1", skip=_skip(skip))


@post("/notes/{note_id:int}/cards", status_code=200)
async def make_cards(request: HtmlRequest, me: Me, note_id: FromPath[int]) -> Response[Any]:
    """Put the ticked ones into a deck."""
    note = await queries.note(me.account.id, note_id)
    form = await Form.of(request)
    headings = form.text("headings") == "1"
    chosen = form.texts("card")
    try:
        deck_id = form.id("deck")
        if deck_id is None:
            raise InvalidInput(N_("No deck is chosen."), N_("Choose the deck for the cards."), field="deck")
        if form.whole("version") != note.version:
            raise InvalidInput(N_("The note was changed meanwhile."), N_("Look at its cards again."))
        found = await asyncio.to_thread(cards_in, note.body, headings=headings)
        cards = [card for place, card in enumerate(found) if str(place) in chosen and card.fits]
        if not cards:
            raise InvalidInput(N_("No card is ticked."), N_("Tick the cards first."))
        made, equal = await service.cards_from_note(
            me.account.id, note_id, cards, deck_id=deck_id, limits=limits_of(me, web_context(request).settings),
            now=clock.now(),
        )  # fmt: skip
    except NotFound:
        raise
    except AppError as error:
        status, errors = said(request, error)
        field = error.field if isinstance(error, InvalidInput) and error.field == "deck" else None
        shown = [(field, text) for _, text in errors]
        return await _choice(
            request, me, note, headings, status=status, errors=shown, deck=form.text("deck"), chosen=chosen,
            skip=_skip(form.text("skip")),
        )  # fmt: skip
    notes = [done(N_("Cards made: %(count)s."), count=len(made))]
    if equal:
        notes.append(("info", N_("Left out, because the deck has them already: %(count)s."), {"count": equal}))
    after = _skip(form.text("skip")) + _PAGE
    if after < len(found):
        return go(request, f"/notes/{note_id}/cards?headings={int(headings)}&skip={after}", *notes)
    return go(request, f"/decks/{deck_id}", *notes)


@post("/cards/{card_id:int}/checked", status_code=200)
async def card_checked(request: HtmlRequest, me: Me, card_id: FromPath[int]) -> Response[None]:
    """The person has compared a card with its note."""
    await service.mark_checked(me.account.id, card_id)
    return go(request, f"/cards/{card_id}", done(N_("The mark is taken off.")))


@get("/cards/{card_id:int}/checked", sync_to_thread=False)
def after_reload(request: HtmlRequest, card_id: FromPath[int]) -> Response[None]:
    """The address of a posted form, opened by itself."""
    return go(request, f"/cards/{card_id}")


HANDLERS = [cards_page, make_cards, card_checked, after_reload]
