"""What is measured: for each subject how a request is made, and the command or query behind it."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from app.accounts import queries as accounts
from app.audit import service as audit
from app.core import clock
from app.core.ratelimit import Take
from app.core.settings import Settings
from app.decks import queries as decks
from app.decks import service
from app.decks.changes import NewCard
from app.decks.limits import Limits
from app.decks.search import search_cards
from app.domain.calendar import StudyClock
from app.domain.plans import PLANS, Plan
from app.domain.scheduling import Rating
from app.mcp.plans import rates_of
from app.stats import queries as stats
from app.study import sessions
from app.study.settings import settings_for
from benchmarks.client import form, page, rpc, tool_call
from benchmarks.sql import Act
from benchmarks.world import World

_DAYS = StudyClock("UTC", 4)
_LIMITS = Limits(replace(PLANS[Plan.PRO], decks=1_000_000, cards=10_000_000), deck_card_cap=1_000_000)
_TAKE = Take("benchmark:", rates_of(Settings()))
_KEPT = 50
_TWO_AND_A_HALF = 2.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """One kind of request."""

    name: str
    request: Callable[[], bytes]
    """A new request at each call."""
    act: Callable[[], Act]
    """A new run of the command or query behind it, without the token, the rate and the rendering."""
    writes: bool = False
    together: bool = False
    """Whether its statements are one transaction."""
    aim_ms: float | None = None
    aim_bare: float | None = None
    heavy: bool = False
    """Costs so much more than a read that a tenth of the calls must do."""


def subjects(world: World, batches: Iterator[tuple[str, list[dict[str, Any]]]]) -> list[Subject]:
    """All of them, in the order of the table."""
    return [*_tools(world), *_searches(world), _import(world, batches), *_pages(world), _statistics(world)]


def _tools(world: World) -> list[Subject]:
    draw = random.Random(11)

    def one_card() -> int:
        return draw.choice(world.card_ids)

    return [
        Subject(
            name="token, rate and dispatch",  # of a message that asks for nothing more
            request=lambda: rpc("ping", {}, world.key),
            act=lambda: lambda: accounts.admit_key(world.key, _TAKE, now=clock.now()),
            writes=True,
        ),
        Subject(
            name="list_decks",
            request=lambda: tool_call("list_decks", {}, world.key),
            act=lambda: lambda: decks.decks(world.account_id, clock=_DAYS, now=clock.now()),
            aim_bare=_TWO_AND_A_HALF,
        ),
        Subject(
            name="get_flashcard",
            request=lambda: tool_call("get_flashcard", {"cardId": one_card()}, world.key),
            act=lambda: lambda: decks.card(world.account_id, one_card()),
            aim_bare=_TWO_AND_A_HALF,
        ),
    ]


def _searches(world: World) -> list[Subject]:
    return [_search(world, what, needle) for what, needle in world.needles.items()]


def _search(world: World, what: str, needle: str) -> Subject:
    return Subject(
        name=f"search: {what}",
        request=lambda: tool_call("search_flashcards", {"query": needle}, world.key),
        act=lambda: lambda: search_cards(world.account_id, needle),
        aim_ms=20 if what.startswith("commonest") else 5,
    )


def _import(world: World, batches: Iterator[tuple[str, list[dict[str, Any]]]]) -> Subject:
    def request() -> bytes:
        title, cards = next(batches)
        return tool_call("import_flashcards", {"deckTitle": title, "cards": cards}, world.key)

    def act() -> Act:
        _, cards = next(batches)
        new = [NewCard(front=card["front"], back=card["back"], tags=tuple(card["tags"])) for card in cards]

        async def run() -> None:
            now = clock.now()
            done = await service.import_cards(
                world.account_id, new, deck_id=world.spare_deck_id, limits=_LIMITS, now=now
            )
            await audit.record(
                world.account_id,
                client_kind="key",
                client_id=1,
                client_name="benchmark",
                tool="import_flashcards",
                action="create",
                input_summary=audit.summarise({"cards": cards}),
                affected_ids=[f"card:{id}" for id in done.imported_ids],
                request_id="req_benchmark",
                now=now,
            )

        return run

    return Subject(
        name="import of 100 cards", request=request, act=act, writes=True, together=True, aim_ms=30, heavy=True
    )


def _statistics(world: World) -> Subject:
    async def run() -> None:
        options = (await settings_for(world.account_id)).scheduling(_DAYS)
        await stats.statistics(world.account_id, None, options=options, now=clock.now())

    return Subject(
        name="statistics",
        request=lambda: page("/statistics", world.session),
        act=lambda: run,
        aim_ms=300,
        heavy=True,
    )


def _pages(world: World) -> list[Subject]:
    # A question is answered once; some are kept for being looked at.
    kept, fresh = itertools.cycle(world.sittings[:_KEPT]), iter(world.sittings[_KEPT:])

    def answer_request() -> bytes:
        session_id, item_id = next(fresh)
        fields: dict[str, object] = {"item": item_id, "elapsed_ms": 4000, "rating": 3}
        return form(f"/study/{session_id}/keep", world.session, **fields)

    def reveal_request() -> bytes:
        session_id, item_id = next(kept)
        return form(f"/study/{session_id}/reveal", world.session, item=item_id, elapsed_ms=0)

    def question() -> Act:
        session_id, _ = next(kept)
        return lambda: sessions.session(world.account_id, session_id, clock=_DAYS, now=clock.now())

    def reveal() -> Act:
        session_id, item_id = next(kept)
        return lambda: sessions.reveal(world.account_id, session_id, item_id, clock=_DAYS, now=clock.now())

    def answer() -> Act:
        session_id, item_id = next(fresh)
        return lambda: sessions.keep(
            world.account_id, session_id, item_id, Rating.GOOD, elapsed_ms=4000, clock=_DAYS, now=clock.now()
        )

    return [
        Subject(name="study: question", request=lambda: page(f"/study/{next(kept)[0]}", world.session), act=question),
        Subject(name="study: reveal", request=reveal_request, act=reveal),
        Subject(name="study: answer", request=answer_request, act=answer, writes=True, aim_ms=10),
    ]
