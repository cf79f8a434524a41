"""Studying a deck: a question, its answer, four buttons, undo. Plain forms; htmx swaps the same fragment."""

from __future__ import annotations

import re

from litestar import Response, get, post
from litestar.params import FromPath, FromQuery

from app.accounts.views import SignedIn
from app.core import clock
from app.decks import queries as decks
from app.domain import scheduling
from app.domain.errors import AppError, InvalidInput, NotFound
from app.domain.scheduling import Rating, SchedulingOptions
from app.study import queries, service
from app.study.settings import settings_for
from app.ui.render import translate
from app.ui.study_view import StudyScreen, rating_buttons
from app.web.context import HtmlRequest, Me, go, page, reader_of
from app.web.forms import Form
from app.web.person import study_clock

_MOST_EXTRA = 10_000
_NUMBER = re.compile(r"[0-9]{1,9}")


async def options_of(me: SignedIn, deck_id: int) -> SchedulingOptions:
    """How the cards of the person's deck are scheduled."""
    return (await settings_for(me.account.id, deck_id)).scheduling(study_clock(me))


async def _screen(
    request: HtmlRequest,
    me: SignedIn,
    deck_id: int,
    *,
    extra_new: int,
    card_id: int | None = None,
    rep: int | None = None,
    revealed: bool = False,
    elapsed_ms: int = 0,
    message: str = "",
    status: int = 200,
) -> Response[str]:
    """The present state of the deck: the named card if it still waits for that answer, else the next one."""
    now, days = clock.now(), study_clock(me)
    counts = await queries.counts(me.account.id, deck_id, clock=days, now=now, extra_new=extra_new, extra_due=extra_new)
    card = None
    if card_id is not None:
        try:
            card = await queries.card_to_answer(me.account.id, card_id)
        except NotFound:
            card = None
        if card is None or card.deck_id != deck_id or (rep is not None and card.rep != rep):
            card, revealed = None, False
    if card is None:
        card = await queries.next_card(
            me.account.id, deck_id, clock=days, now=now, with_new=counts.new > 0, with_due=counts.due > 0
        )
    buttons = ()
    if card is not None and revealed:
        preview = scheduling.preview(card.schedule, await options_of(me, deck_id), card_id=card.id, now=now)
        buttons = rating_buttons(preview, reader_of(request))
    tomorrow = 0
    title = card.deck_title if card else ""
    if card is None:
        title = (
            await decks.deck(me.account.id, deck_id, clock=days, now=now)
        ).title  # refuses a deck that is not there
        tomorrow = await queries.forecast(me.account.id, deck_id, clock=days, now=now)
    screen = StudyScreen(
        deck_id=deck_id,
        deck_title=title,
        counts=counts,
        extra_new=extra_new,
        card=card,
        revealed=revealed and card is not None,
        buttons=buttons,
        elapsed_ms=elapsed_ms,
        can_undo=counts.today.answers > 0,
        tomorrow=tomorrow,
        message=message,
    )
    return page(request, "study/page.html", nav="decks", status=status, screen=screen)


def _extra(text: str) -> int:
    return min(int(text), _MOST_EXTRA) if _NUMBER.fullmatch(text) else 0


@get("/decks/{deck_id:int}/study")
async def study_page(
    request: HtmlRequest,
    me: Me,
    deck_id: FromPath[int],
    extra: FromQuery[int] = 0,
    card: FromQuery[int | None] = None,
    rep: FromQuery[int | None] = None,
) -> Response[str]:
    """The question of the next card, or of the one that is named (after an edit)."""
    return await _screen(request, me, deck_id, extra_new=min(max(0, extra), _MOST_EXTRA), card_id=card, rep=rep)


@post("/decks/{deck_id:int}/study/reveal", status_code=200)
async def reveal(request: HtmlRequest, me: Me, deck_id: FromPath[int]) -> Response[str]:
    """The answer, and what each button would do."""
    form = await Form.of(request)
    return await _screen(
        request,
        me,
        deck_id,
        extra_new=_extra(form.text("extra")),
        card_id=form.id("card"),
        rep=form.whole("rep"),
        revealed=True,
        elapsed_ms=_elapsed(form),
    )


@post("/decks/{deck_id:int}/study/answer", status_code=200)
async def answer(request: HtmlRequest, me: Me, deck_id: FromPath[int]) -> Response[str]:
    """Keep the answer, once, and show what comes next."""
    form = await Form.of(request)
    card_id = form.id("card")
    if card_id is None:
        raise InvalidInput("This is not one of the choices.", field="card")
    rating = form.whole("rating")
    if rating not in tuple(Rating):
        raise InvalidInput("This is not one of the choices.", field="rating")
    message = ""
    try:
        await service.answer(
            me.account.id,
            card_id,
            form.whole("rep"),
            Rating(rating),
            elapsed_ms=_elapsed(form) or None,
            options=await options_of(me, deck_id),
            now=clock.now(),
        )
    except NotFound:
        message = translate(reader_of(request), "That card is not there any more.")
    except AppError as error:
        message = _said(request, error)
    return await _screen(request, me, deck_id, extra_new=_extra(form.text("extra")), message=message)


@post("/decks/{deck_id:int}/study/undo", status_code=200)
async def undo(request: HtmlRequest, me: Me, deck_id: FromPath[int]) -> Response[str]:
    """Take the last answer back and show its card again."""
    form = await Form.of(request)
    extra_new = _extra(form.text("extra"))
    try:
        card = await service.undo(me.account.id, deck_id, clock=study_clock(me), now=clock.now())
    except NotFound as error:
        return await _screen(request, me, deck_id, extra_new=extra_new, message=_said(request, error))
    return await _screen(
        request,
        me,
        deck_id,
        extra_new=extra_new,
        card_id=card.id,
        rep=card.rep,
        revealed=True,
        message=translate(reader_of(request), "Taken back. Answer again."),
    )


@get(["/decks/{deck_id:int}/study/reveal", "/decks/{deck_id:int}/study/answer", "/decks/{deck_id:int}/study/undo"])
async def after_reload(request: HtmlRequest, deck_id: FromPath[int]) -> Response[None]:
    """The address of a posted form, opened by itself, leads to the deck's study page."""
    return go(request, f"/decks/{deck_id}/study")


def _elapsed(form: Form) -> int:
    text = form.text("elapsed_ms")
    return min(int(text), service.LONGEST_ANSWER_MS) if _NUMBER.fullmatch(text) else 0


def _said(request: HtmlRequest, error: AppError) -> str:
    reader = reader_of(request)
    return f"{translate(reader, error.message, **error.params)} {translate(reader, error.hint, **error.params)}".strip()


HANDLERS = [study_page, reveal, answer, undo, after_reload]
