"""The front page: what is due today, or, to somebody who is not signed in, what Loci is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from litestar import Response, get

from app.accounts.views import SignedIn
from app.core import clock
from app.decks import queries
from app.decks.views import DeckView
from app.study import queries as study
from app.study.views import Counts
from app.web.context import HtmlRequest, maybe_signed_in, page, web_context
from app.web.person import study_clock

_DECKS_A_QUERY = 500
_SHOWN = 30


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A deck in which something is left today; `counts.new` is what the day's limit still allows."""

    deck: DeckView
    counts: Counts


@get("/")
async def home_page(request: HtmlRequest) -> Response[str]:
    """The decks with something due first; one button for the deck with the most."""
    me = await maybe_signed_in(request)
    if me is None:
        endpoint = web_context(request).settings.base_url + "/mcp"
        return page(request, "home/welcome.html", nav="home", endpoint=endpoint)
    now = clock.now()
    decks = await _decks(me, now)
    counted = [
        _Waiting(deck, await study.counts(me.account.id, deck.id, clock=study_clock(me), now=now))
        for deck in sorted(decks, key=_urgency)[:_SHOWN]
        if deck.card_count
    ]
    soon = [found.counts.next_learning_due for found in counted if found.counts.next_learning_due]
    return page(
        request,
        "home/home.html",
        nav="home",
        has_decks=bool(decks),
        has_cards=any(deck.card_count for deck in decks),
        waiting=[found for found in counted if found.deck.due_count or found.counts.new],
        due=sum(deck.due_count for deck in decks),
        due_decks=sum(deck.due_count > 0 for deck in decks),
        next_learning_due=min(soon, default=None),
    )


async def _decks(me: SignedIn, now: datetime) -> list[DeckView]:
    decks: list[DeckView] = []
    cursor = None
    while True:
        found = await queries.decks(me.account.id, clock=study_clock(me), now=now, cursor=cursor, limit=_DECKS_A_QUERY)
        decks += found.items
        cursor = found.next_cursor
        if cursor is None:
            return decks


def _urgency(deck: DeckView) -> tuple[int, int, str]:
    return -deck.due_count, -deck.new_count, deck.title.casefold()


HANDLERS = [home_page]
