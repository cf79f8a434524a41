"""Decks and collections: the list, one deck with its cards, making, changing and deleting them."""

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
from app.study import queries as study
from app.web.context import HtmlRequest, Me, done, go, page, web_context
from app.web.forms import Form
from app.web.pages.sign_in import refusal
from app.web.person import limits_of, study_clock

_DECKS = 500
_CARDS = 50


@get("/decks")
async def decks_page(request: HtmlRequest, me: Me, cursor: FromQuery[str | None] = None) -> Response[str]:
    """Collections with their decks, then the decks of no collection."""
    return await _decks_page(request, me, cursor=cursor)


async def _decks_page(
    request: HtmlRequest,
    me: SignedIn,
    *,
    cursor: str | None = None,
    status: int = 200,
    errors: Any = (),
    title: str = "",
) -> Response[str]:
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
        errors=list(errors),
        title=title,
    )


async def _deck_form(
    request: HtmlRequest, me: SignedIn, template: str, values: Any, *, status: int = 200, errors: Any = (), **shown: Any
) -> Response[str]:
    return page(
        request,
        template,
        status=status,
        nav="decks",
        values=values,
        errors=list(errors),
        collections=await queries.collections(me.account.id),
        **shown,
    )


_NEW_DECK: dict[str, Any] = {"title": "", "description": "", "language": "", "collection_id": None}


def _deck_values(form: Form) -> dict[str, Any]:
    values: dict[str, Any] = {name: form.text(name) for name in ("title", "description", "language")}
    values["collection_id"] = form.id("collection_id")
    return values


@get("/decks/new")
async def new_deck_page(request: HtmlRequest, me: Me) -> Response[str]:
    """The form for a deck."""
    return await _deck_form(request, me, "decks/new.html", _NEW_DECK)


@post("/decks/new", status_code=200)
async def create_deck(request: HtmlRequest, me: Me) -> Response[Any]:
    """Make a deck and go to adding its first card."""
    form = await Form.of(request)
    values = _NEW_DECK
    try:
        values = _deck_values(form)
        deck_id = await service.create_deck(
            me.account.id,
            title=values["title"],
            description=values["description"],
            language=values["language"] or None,
            collection_id=values["collection_id"],
            limits=limits_of(me, web_context(request).settings),
            now=clock.now(),
        )
    except AppError as error:
        status, errors = refusal(request, error)
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
) -> Response[str]:
    """A deck with its cards, all or those that a search or a tag finds."""
    now, days = clock.now(), study_clock(me)
    deck = await queries.deck(me.account.id, deck_id, clock=days, now=now)
    errors: list[tuple[str | None, str]] = []
    items: Any = ()
    next_cursor = None
    status = 200
    try:
        if q.strip():
            hits = await queries.search_cards(
                me.account.id, q, deck_id=deck_id, tag=tag or None, cursor=cursor, limit=_CARDS
            )
            items, next_cursor = hits.items, hits.next_cursor
        else:
            cards = await queries.cards(me.account.id, deck_id, tag=tag or None, cursor=cursor, limit=_CARDS)
            items, next_cursor = cards.items, cards.next_cursor
    except InvalidInput as error:
        status, errors = refusal(request, error)
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
        next_cursor=next_cursor,
        q=q,
        tag=tag,
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
    values: Any = deck
    try:
        values = _deck_values(form)
        await service.update_deck(
            me.account.id,
            deck_id,
            DeckChanges(
                title=values["title"],
                description=values["description"],
                language=values["language"] or None,
                collection_id=values["collection_id"] if form.has("collection_id") else UNSET,
            ),
            now=clock.now(),
        )
    except AppError as error:
        status, errors = refusal(request, error)
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
    note = done(N_("The deck and its %(count)s cards are in the trash."), count=deleted.card_count)
    return go(request, f"/trash?deck={deck_id}", note)


@post("/collections", status_code=200)
async def create_collection(request: HtmlRequest, me: Me) -> Response[Any]:
    """Make a collection."""
    form = await Form.of(request)
    title = form.text("title")
    try:
        await service.create_collection(me.account.id, title=title, now=clock.now())
    except AppError as error:
        status, errors = refusal(request, error)
        return await _decks_page(request, me, status=status, errors=errors, title=title)
    return go(request, "/decks", done(N_("The collection is there. Put decks into it on their edit page.")))


@get("/collections/{collection_id:int}/edit")
async def edit_collection_page(request: HtmlRequest, me: Me, collection_id: FromPath[int]) -> Response[str]:
    """The collection's title, and its end."""
    shelf = await queries.collection(me.account.id, collection_id)
    return page(request, "decks/collection.html", nav="decks", collection=shelf, title=shelf.title, errors=[])


@post("/collections/{collection_id:int}/edit", status_code=200)
async def rename_collection(request: HtmlRequest, me: Me, collection_id: FromPath[int]) -> Response[Any]:
    """Give the collection another title."""
    shelf = await queries.collection(me.account.id, collection_id)
    form = await Form.of(request)
    title = form.text("title")
    try:
        await service.rename_collection(me.account.id, collection_id, title=title, now=clock.now())
    except AppError as error:
        status, errors = refusal(request, error)
        return page(
            request, "decks/collection.html", status=status, nav="decks", collection=shelf, title=title, errors=errors
        )
    return go(request, "/decks", done(N_("Saved.")))


@post("/collections/{collection_id:int}/delete", status_code=200)
async def delete_collection(request: HtmlRequest, me: Me, collection_id: FromPath[int]) -> Response[None]:
    """Take the collection away; its decks stay."""
    await service.delete_collection(me.account.id, collection_id, now=clock.now())
    return go(request, "/decks", done(N_("The collection is gone. Its decks are still here.")))


@get("/collections", sync_to_thread=False)
def after_reload(request: HtmlRequest) -> Response[None]:
    """The address of a posted form, opened by itself."""
    return go(request, "/decks")


@get("/decks/{deck_id:int}/delete", sync_to_thread=False)
def after_reload_of_delete(request: HtmlRequest, deck_id: FromPath[int]) -> Response[None]:
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
    create_collection,
    edit_collection_page,
    rename_collection,
    delete_collection,
    after_reload,
    after_reload_of_delete,
]
