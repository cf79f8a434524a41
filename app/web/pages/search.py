"""Search over all cards."""

from __future__ import annotations

from litestar import Response, get
from litestar.params import FromQuery

from app.decks import queries
from app.decks.views import CardHit
from app.domain.errors import InvalidInput
from app.media.queries import media_of
from app.web.context import HtmlRequest, Me, pace, page
from app.web.pages.refusals import Errors, said

_HITS = 30


@get("/search")
async def search_page(
    request: HtmlRequest, me: Me, q: FromQuery[str] = "", cursor: FromQuery[str | None] = None
) -> Response[str]:
    """The cards that hold the text, newest first."""
    hits: tuple[CardHit, ...] = ()
    errors: Errors = []
    next_cursor, status = None, 200
    if q.strip():
        try:
            await pace(me)
            found = await queries.search_cards(me.account.id, q, cursor=cursor, limit=_HITS)
            hits, next_cursor = found.items, found.next_cursor
        except InvalidInput as error:
            status, errors = said(request, error)
    return page(
        request,
        "search/search.html",
        status=status,
        nav="search",
        q=q,
        hits=hits,
        files=await media_of(me.account.id, [hit.id for hit in hits]) if hits else {},
        next_cursor=next_cursor,
        errors=errors,
    )


HANDLERS = [search_page]
