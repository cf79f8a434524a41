"""Statistics: of all decks, and of one."""

from __future__ import annotations

from litestar import Response, get
from litestar.params import FromPath

from app.accounts.views import SignedIn
from app.core import clock
from app.decks import queries as decks
from app.domain.scheduling import SchedulingOptions
from app.stats import queries
from app.study.settings import settings_for
from app.ui.statistics_view import statistics_screen
from app.web.context import HtmlRequest, Me, page, reader_of
from app.web.person import study_clock


async def _options(me: SignedIn, deck_id: int | None) -> SchedulingOptions:
    return (await settings_for(me.account.id, deck_id)).scheduling(study_clock(me))


@get("/statistics")
async def statistics_page(request: HtmlRequest, me: Me) -> Response[str]:
    """How studying goes and what is ahead, over all decks."""
    found = await queries.statistics(me.account.id, None, options=await _options(me, None), now=clock.now())
    screen = statistics_screen(found, reader_of(request))
    return page(request, "statistics/statistics.html", nav="statistics", screen=screen, deck=None)


@get("/decks/{deck_id:int}/statistics")
async def deck_statistics_page(request: HtmlRequest, me: Me, deck_id: FromPath[int]) -> Response[str]:
    """The same for one deck."""
    now = clock.now()
    deck = await decks.deck(me.account.id, deck_id, clock=study_clock(me), now=now)
    found = await queries.statistics(me.account.id, deck_id, options=await _options(me, deck_id), now=now)
    screen = statistics_screen(found, reader_of(request))
    return page(request, "statistics/statistics.html", nav="statistics", screen=screen, deck=deck)


HANDLERS = [statistics_page, deck_statistics_page]
