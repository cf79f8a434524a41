"""The front page: what is due today, or, to somebody who is not signed in, what Loci is."""

from __future__ import annotations

from litestar import Response, get

from app.core import clock
from app.decks import queries
from app.web.context import HtmlRequest, maybe_signed_in, page, web_context
from app.web.person import study_clock

_DECKS = 500


@get("/")
async def home_page(request: HtmlRequest) -> Response[str]:
    """The decks with something due first; one button for the deck with the most."""
    me = await maybe_signed_in(request)
    if me is None:
        endpoint = web_context(request).settings.base_url + "/mcp"
        return page(request, "home/welcome.html", nav="home", endpoint=endpoint)
    found = await queries.decks(me.account.id, clock=study_clock(me), now=clock.now(), limit=_DECKS)
    waiting = sorted(
        (deck for deck in found.items if deck.due_count or deck.new_count),
        key=lambda deck: (-deck.due_count, deck.title.casefold()),
    )
    return page(
        request,
        "home/home.html",
        nav="home",
        decks=waiting,
        has_decks=bool(found.items),
        due=sum(deck.due_count for deck in waiting),
        due_decks=sum(deck.due_count > 0 for deck in waiting),
    )


HANDLERS = [home_page]
