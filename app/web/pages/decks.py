"""Decks: the list on its shelves, one deck with its cards, making, changing and deleting them."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from litestar import Response, get, post
from litestar.params import FromPath, FromQuery
from msgspec import UNSET

from app.accounts.views import SignedIn
from app.core import clock
from app.decks import queries, service
from app.decks.changes import DeckChanges
from app.decks.views import DeckView
from app.domain.errors import N_, AppError, InvalidInput
from app.media.queries import media_of
from app.study import queries as study
from app.web.context import HtmlRequest, Me, done, go, pace, page, web_context
from app.web.forms import Form
from app.web.pages.refusals import Errors, said
from app.web.person import limits_of, study_clock
from app.web.undo import cards_of

_DECKS = 500
_CARDS = 50


@get("/decks")
async def decks_page(request: HtmlRequest, me: Me, cursor: FromQuery[str | None] = None) -> Response[str]:
    """Collections with their decks, then the decks of no collection."""
    return await shelves_page(request, me, cursor=cursor)


async def shelves_page(
    request: HtmlRequest,
    me: SignedIn,
    *,
    cursor: str | None = None,
    status: int = 200,
    errors: Errors | None = None,
    title: str = "",
) -> Response[str]:
    """The list of decks; `errors` and `title` belong to its form for a collection."""
    found = await queries.decks(me.account.id, clock=study_clock(me), now=clock.now(), cursor=cursor, limit=_DECKS)
    shelves: defaultdict[int | None, list[DeckView]] = defaultdict(list)
    for deck in sorted(found.items, key=lambda deck: deck.title.casefold()):
        shelves[deck.collection_id].append(deck)
    return page(
        request,
        "decks/decks.html",
        status=status,
        nav="decks",
        collections=await queries.collections(me.account.id),
        shelves=shelves,
        next_cursor=found.next_cursor,
        errors=errors or [],
        title=title,
    )


async def _deck_form(
    request: HtmlRequest,
    me: SignedIn,
    template: str,
    values: Any,
    *,
    status: int = 200,
    errors: Errors | None = None,
    **shown: Any,
) -> Response[str]:
    return page(
        request,
        template,
        status=status,
        nav="decks",
        values=values,
        errors=errors or [],
        collections=await queries.collections(me.account.id),
        **shown,
    )


_NEW_DECK = dict.fromkeys(("title", "description", "language", "collection_id"), "")


def _deck_values(form: Form) -> dict[str, Any]:
    return {name: form.text(name) for name in _NEW_DECK}


@get("/decks/new")
async def new_deck_page(request: HtmlRequest, me: Me) -> Response[str]:
    """The form for a deck."""
    return await _deck_form(request, me, "decks/new.html", _NEW_DECK)


@post("/decks/new", status_code=200)
async def create_deck(request: HtmlRequest, me: Me) -> Response[Any]:
    """Make a deck and go to adding its first card."""
    form = await Form.of(request)
    values = _deck_values(form)
    try:
        deck_id = await service.create_deck(
            me.account.id,
            title=values["title"],
            description=values["description"],
            language=values["language"] or None,
            collection_id=form.id("collection_id"),
            limits=limits_of(me, web_context(request).settings),
            now=clock.now(),
        )
    except AppError as error:
        status, errors = said(request, error)
        return await _deck_form(request, me, "decks/new.html", values, status=status, errors=errors)
    return go(request, f"/decks/{deck_id}/cards/new", done(N_("The deck is there. Add its first card.")))


@get("/decks/{deck_id:int}")
async def deck_page(
    request: HtmlRequest,
    me: Me,
    deck_id: FromPath[int],
    q: FromQuery[str] = "",
    tag: FromQuery[str] = "",
    cursor: FromQuery[str | None] = None,
    undo: FromQuery[str] = "",
) -> Response[str]:
    """A deck with its cards, all or those that a search or a tag finds; `undo` names cards just deleted."""
    now, days = clock.now(), study_clock(me)
    tag = tag.replace("\0", "")  # which the database takes in no text
    deck = await queries.deck(me.account.id, deck_id, clock=days, now=now)
    errors: Errors = []
    items: Any = ()
    next_cursor = None
    status = 200
    try:
        if q.strip():
            await pace(me)
            hits = await queries.search_cards(
                me.account.id, q, deck_id=deck_id, tag=tag or None, cursor=cursor, limit=_CARDS
            )
            items, next_cursor = hits.items, hits.next_cursor
        else:
            cards = await queries.cards(me.account.id, deck_id, tag=tag or None, cursor=cursor, limit=_CARDS)
            items, next_cursor = cards.items, cards.next_cursor
    except InvalidInput as error:
        status, errors = said(request, error)
    everything = await queries.decks(me.account.id, clock=days, now=now, limit=_DECKS)
    collections = {shelf.id: shelf for shelf in await queries.collections(me.account.id)}
    return page(
        request,
        "decks/deck.html",
        status=status,
        nav="decks",
        deck=deck,
        collection=collections.get(deck.collection_id or 0),
        counts=await study.counts(me.account.id, deck_id, clock=days, now=now),
        cards=items,
        files=await media_of(me.account.id, [card.id for card in items]) if items else {},
        next_cursor=next_cursor,
        q=q,
        tag=tag,
        cursor=cursor or "",
        undo=cards_of(request, undo),
        tags=await queries.tags(me.account.id, deck_id),
        other_decks=[other for other in everything.items if other.id != deck_id],
        errors=errors,
    )


@get("/decks/{deck_id:int}/edit")
async def edit_deck_page(request: HtmlRequest, me: Me, deck_id: FromPath[int]) -> Response[str]:
    """The deck's title, description, language and collection."""
    deck = await queries.deck(me.account.id, deck_id, clock=study_clock(me), now=clock.now())
    return await _deck_form(request, me, "decks/edit.html", deck, deck=deck)


@post("/decks/{deck_id:int}/edit", status_code=200)
async def edit_deck(request: HtmlRequest, me: Me, deck_id: FromPath[int]) -> Response[Any]:
    """Keep what was changed."""
    deck = await queries.deck(me.account.id, deck_id, clock=study_clock(me), now=clock.now())
    form = await Form.of(request)
    values = _deck_values(form)
    try:
        await service.update_deck(
            me.account.id,
            deck_id,
            DeckChanges(
                title=values["title"],
                description=values["description"],
                language=values["language"] or None,
                collection_id=form.id("collection_id") if form.has("collection_id") else UNSET,
            ),
            now=clock.now(),
        )
    except AppError as error:
        status, errors = said(request, error)
        return await _deck_form(request, me, "decks/edit.html", values, status=status, errors=errors, deck=deck)
    return go(request, f"/decks/{deck_id}", done(N_("Saved.")))


@post("/decks/{deck_id:int}/delete", status_code=200)
async def delete_deck(request: HtmlRequest, me: Me, deck_id: FromPath[int]) -> Response[Any]:
    """Put the deck and its cards into the trash, after a question."""
    form = await Form.of(request)
    if not form.switch("confirmed"):
        deck = await queries.deck(me.account.id, deck_id, clock=study_clock(me), now=clock.now())
        return page(request, "decks/delete.html", nav="decks", deck=deck)
    deleted = await service.delete_deck(me.account.id, deck_id, now=clock.now())
    note = done(N_("The deck is in the trash. Cards that went with it: %(count)s."), count=deleted.card_count)
    return go(request, "/trash", note)


@get("/decks/{deck_id:int}/delete", sync_to_thread=False)
def after_reload(request: HtmlRequest, deck_id: FromPath[int]) -> Response[None]:
    """The address of a posted form, opened by itself."""
    return go(request, f"/decks/{deck_id}")


HANDLERS = [
    decks_page,
    new_deck_page,
    create_deck,
    deck_page,
    edit_deck_page,
    edit_deck,
    delete_deck,
    after_reload,
]
