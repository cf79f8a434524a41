"""Collections, the shelves that decks stand on: making, renaming, taking away."""

from __future__ import annotations

from typing import Any

from litestar import Response, get, post
from litestar.params import FromPath

from app.core import clock
from app.decks import queries, service
from app.domain.errors import N_, AppError, NotFound
from app.web.context import HtmlRequest, Me, done, go, page
from app.web.forms import Form
from app.web.pages.decks import shelves_page
from app.web.pages.refusals import said


@post("/collections", status_code=200)
async def create_collection(request: HtmlRequest, me: Me) -> Response[Any]:
    """Make a collection."""
    form = await Form.of(request)
    title = form.text("title")
    try:
        await service.create_collection(me.account.id, title=title, now=clock.now())
    except AppError as error:
        status, errors = said(request, error)
        return await shelves_page(request, me, status=status, errors=errors, title=title)
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
    except NotFound:
        raise
    except AppError as error:
        status, errors = said(request, error)
        return page(
            request, "decks/collection.html", status=status, nav="decks", collection=shelf, title=title, errors=errors
        )
    return go(request, "/decks", done(N_("Saved.")))


@post("/collections/{collection_id:int}/delete", status_code=200)
async def delete_collection(request: HtmlRequest, me: Me, collection_id: FromPath[int]) -> Response[None]:
    """Take the collection away; its decks stay, so nothing is asked twice."""
    await service.delete_collection(me.account.id, collection_id, now=clock.now())
    return go(request, "/decks", done(N_("The collection is gone. Its decks are still here.")))


@get(["/collections", "/collections/{collection_id:int}/delete"], sync_to_thread=False)
def after_reload(request: HtmlRequest) -> Response[None]:
    """The address of a posted form, opened by itself."""
    return go(request, "/decks")


HANDLERS = [create_collection, edit_collection_page, rename_collection, delete_collection, after_reload]
