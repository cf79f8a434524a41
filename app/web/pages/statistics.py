"""Statistics: of all decks, and of one."""

from __future__ import annotations

from litestar import Response, get
from litestar.params import FromPath

from app.core import clock
from app.decks import queries as decks
from app.stats import queries
from app.ui.statistics_view import statistics_screen
from app.web.context import HtmlRequest, Me, page, reader_of
from app.web.pages.study import options_of
from app.web.person import study_clock


@get("/statistics")
async def statistics_page(request: HtmlRequest, me: Me) -> Response[str]:
    """How studying goes and what is ahead, over all decks."""
    found = await queries.statistics(me.account.id, None, options=options_of(me), now=clock.now())
    screen = statistics_screen(found, reader_of(request))
    return page(request, "statistics/statistics.html", nav="statistics", screen=screen, deck=None)


@get("/decks/{deck_id:int}/statistics")
async def deck_statistics_page(request: HtmlRequest, me: Me, deck_id: FromPath[int]) -> Response[str]:
    """The same for one deck."""
    now = clock.now()
    deck = await decks.deck(me.account.id, deck_id, clock=study_clock(me), now=now)
    found = await queries.statistics(me.account.id, deck_id, options=options_of(me), now=now)
    screen = statistics_screen(found, reader_of(request))
    return page(request, "statistics/statistics.html", nav="statistics", screen=screen, deck=deck)


HANDLERS = [statistics_page, deck_statistics_page]
