"""Studying: choose what, then question, answer, verdict and finish. Plain forms; htmx swaps the same fragment."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from litestar import Response, get, post
from litestar.params import FromPath, FromQuery

from app.accounts.views import SignedIn
from app.core import clock
from app.decks import queries as decks
from app.decks.views import DeckView
from app.domain.errors import AppError, Conflict, InvalidInput, NotFound, SessionFinished
from app.domain.modes import Goal, Mode
from app.domain.scheduling import Rating
from app.domain.statistics import LONGEST_ANSWER_MS
from app.study import sessions, snapshots, starting
from app.study.files import files_of_item
from app.study.starting import Wish
from app.study.views import Session
from app.ui.render import translate
from app.ui.study_view import GOALS, MODES, screen
from app.web.context import HtmlRequest, Me, go, page, reader_of
from app.web.forms import Form
from app.web.pages.sign_in import refusal
from app.web.person import study_clock

_NUMBER = re.compile(r"[0-9]{1,9}")
_DECKS_SHOWN = 100


async def _all_decks(me: SignedIn) -> tuple[DeckView, ...]:
    found = await decks.decks(me.account.id, clock=study_clock(me), now=clock.now(), limit=_DECKS_SHOWN)
    return found.items


async def _choices(
    request: HtmlRequest, me: SignedIn, values: Mapping[str, str], *, status: int = 200, errors: Any = ()
) -> Response[str]:
    return page(
        request,
        "study/start.html",
        nav="study",
        status=status,
        decks=await _all_decks(me),
        values=values,
        errors=dict(errors),
        modes=MODES,
        goals=GOALS,
        open_sessions=await snapshots.open_sessions(me.account.id),
    )


@get("/study")
async def start_page(request: HtmlRequest, me: Me, deck: FromQuery[int | None] = None) -> Response[str]:
    """What to study, how and to what end; sessions that wait to be gone on with."""
    return await _choices(request, me, {"deck": str(deck or "")})


@get("/decks/{deck_id:int}/study")
async def start_page_of_deck(request: HtmlRequest, me: Me, deck_id: FromPath[int]) -> Response[str]:
    """The same for one deck."""
    deck = await decks.deck(me.account.id, deck_id, clock=study_clock(me), now=clock.now())
    return await _choices(request, me, {"deck": str(deck.id)})


@post("/study", status_code=200)
async def start(request: HtmlRequest, me: Me) -> Response[Any]:
    """Begin, or with `resume` go on with today's session of the same kind."""
    form = await Form.of(request)
    names = ("deck", "mode", "goal", "minutes", "horizon_days")
    values = {name: form.text(name) for name in names}
    about: dict[str, Any] = {"clock": study_clock(me), "now": clock.now()}
    try:
        wish = Wish(
            mode=_one_of(Mode.FLASHCARDS, values["mode"], "mode"),
            goal=_one_of(Goal.REVIEW, values["goal"], "goal"),
            deck_id=form.id("deck"),
            minutes=form.whole("minutes") if values["minutes"] else None,
            horizon_days=form.whole("horizon_days") if values["horizon_days"] else None,
        )
        found = await starting.resumable(me.account.id, wish, **about) if form.switch("resume") else None
        session_id = found or (await starting.start(me.account.id, wish, **about)).id
    except NotFound:
        raise
    except AppError as error:
        status, errors = refusal(request, error)
        return await _choices(request, me, values, status=status, errors=errors)
    return go(request, f"/study/{session_id}")


Choice = TypeVar("Choice", Mode, Goal)


def _one_of(standard: Choice, text: str, field: str) -> Choice:
    try:
        return type(standard)(text) if text else standard
    except ValueError:
        raise InvalidInput("This is not one of the choices.", field=field) from None


async def _shown(
    request: HtmlRequest, me: SignedIn, session: Session, *, status: int = 200, **more: str | int
) -> Response[str]:
    """The page of a session, with its report when it is finished."""
    report = None
    if session.finished:
        report = await snapshots.report(me.account.id, session, clock=study_clock(me), now=clock.now())
    files = await files_of_item(me.account.id, session)
    shown = screen(session, reader_of(request), report=report, files=files, single_keys=me.account.single_keys, **more)
    return page(request, "study/page.html", nav="study", status=status, screen=shown)


@get("/study/{session_id:int}")
async def study_page(request: HtmlRequest, me: Me, session_id: FromPath[int]) -> Response[str]:
    """The session as it stands: the same question after a reload."""
    return await _shown(request, me, await _present(me, session_id))


async def _present(me: SignedIn, session_id: int) -> Session:
    return await sessions.session(me.account.id, session_id, clock=study_clock(me), now=clock.now())


Step = Callable[[int, Form, dict[str, Any]], Awaitable[Session]]


async def _step(request: HtmlRequest, me: SignedIn, session_id: int, step: Step) -> Response[str]:
    """Do one thing with the present question and show what comes next; a refusal is said on the same screen."""
    form = await Form.of(request)
    elapsed = {"elapsed_ms": _elapsed(form)}
    try:
        item_id = form.id("item")
        if item_id is None:
            raise InvalidInput("This is not one of the choices.", field="item")
        session = await step(item_id, form, {"clock": study_clock(me), "now": clock.now()})
    except AppError as error:
        session = await _present(me, session_id)  # raises when it is the session that is not there
        text = _said(request, error)
        if isinstance(error, InvalidInput):
            return await _shown(request, me, session, wrong=text, typed=form.text("answer"), **elapsed)
        return await _shown(request, me, session, message="" if isinstance(error, SessionFinished) else text)
    return await _shown(request, me, session, **(elapsed if session.item and session.item.id == item_id else {}))


@post("/study/{session_id:int}/reveal", status_code=200)
async def reveal(request: HtmlRequest, me: Me, session_id: FromPath[int]) -> Response[str]:
    """The answer, and what each button would do."""

    async def step(item_id: int, _form: Form, about: dict[str, Any]) -> Session:
        return await sessions.reveal(me.account.id, session_id, item_id, **about)

    return await _step(request, me, session_id, step)


@post("/study/{session_id:int}/answer", status_code=200)
async def answer(request: HtmlRequest, me: Me, session_id: FromPath[int]) -> Response[str]:
    """Grade what was written, chosen or paired, and show the verdict."""

    async def step(item_id: int, form: Form, about: dict[str, Any]) -> Session:
        return await sessions.submit(me.account.id, session_id, item_id, _given(form), **about)

    return await _step(request, me, session_id, step)


def _given(form: Form) -> str | int | dict[int, int]:
    if form.has("choice"):
        return form.whole("choice")
    if form.has("pair-0"):
        places = range(8)
        return {place: form.whole(f"pair-{place}") for place in places if form.text(f"pair-{place}")}
    # Who gives up is not graded on what stands in the field.
    return "" if form.has("unknown") else form.text("answer")


@post("/study/{session_id:int}/keep", status_code=200)
async def keep(request: HtmlRequest, me: Me, session_id: FromPath[int]) -> Response[str]:
    """Keep the answer, once, and show what comes next."""

    async def step(item_id: int, form: Form, about: dict[str, Any]) -> Session:
        rating = form.whole("rating") if form.text("rating") else None
        if rating is not None and rating not in tuple(Rating):
            raise InvalidInput("This is not one of the choices.", field="rating")
        _, session = await sessions.keep(
            me.account.id,
            session_id,
            item_id,
            None if rating is None else Rating(rating),
            was_right=form.switch("was_right"),
            elapsed_ms=_elapsed(form) or None,
            **about,
        )
        return session

    return await _step(request, me, session_id, step)


@post("/study/{session_id:int}/suspend", status_code=200)
async def suspend(request: HtmlRequest, me: Me, session_id: FromPath[int]) -> Response[str]:
    """Ask the card no more until it is taken up again on its page."""
    return await _put_aside(request, me, session_id, suspend=True)


@post("/study/{session_id:int}/bury", status_code=200)
async def bury(request: HtmlRequest, me: Me, session_id: FromPath[int]) -> Response[str]:
    """Ask the card again tomorrow."""
    return await _put_aside(request, me, session_id, suspend=False)


async def _put_aside(request: HtmlRequest, me: SignedIn, session_id: int, *, suspend: bool) -> Response[str]:
    async def step(item_id: int, _form: Form, about: dict[str, Any]) -> Session:
        return await sessions.put_aside(me.account.id, session_id, item_id, suspend=suspend, **about)

    return await _step(request, me, session_id, step)


@post("/study/{session_id:int}/undo", status_code=200)
async def undo(request: HtmlRequest, me: Me, session_id: FromPath[int]) -> Response[str]:
    """Take the last answer back and show its question again."""
    form = await Form.of(request)
    try:
        session = await sessions.undo(
            me.account.id, session_id, answered=form.id("answered"), clock=study_clock(me), now=clock.now()
        )
    except (NotFound, Conflict) as error:
        return await _shown(request, me, await _present(me, session_id), message=_said(request, error))
    return await _shown(request, me, session, message=translate(reader_of(request), "Taken back. Answer again."))


@post("/study/{session_id:int}/finish", status_code=200)
async def finish(request: HtmlRequest, me: Me, session_id: FromPath[int]) -> Response[str]:
    """End the session here."""
    session = await sessions.finish(me.account.id, session_id, clock=study_clock(me), now=clock.now())
    return await _shown(request, me, session)


@post("/study/{session_id:int}/more", status_code=200)
async def more(request: HtmlRequest, me: Me, session_id: FromPath[int]) -> Response[None]:
    """More new cards than the day's limit allows, in a session like this one."""
    found = await starting.more(me.account.id, session_id, clock=study_clock(me), now=clock.now())
    return go(request, f"/study/{found.id}")


@get(
    [
        f"/study/{{session_id:int}}/{step}"
        for step in ("reveal", "answer", "keep", "suspend", "bury", "undo", "finish", "more")
    ],
    sync_to_thread=False,
)
def after_reload(request: HtmlRequest, session_id: FromPath[int]) -> Response[None]:
    """The address of a posted form, opened by itself, leads to the session."""
    return go(request, f"/study/{session_id}")


def _elapsed(form: Form) -> int:
    text = form.text("elapsed_ms")
    return min(int(text), LONGEST_ANSWER_MS) if _NUMBER.fullmatch(text) else 0


def _said(request: HtmlRequest, error: AppError) -> str:
    reader = reader_of(request)
    return f"{translate(reader, error.message, **error.params)} {translate(reader, error.hint, **error.params)}".strip()


HANDLERS = [
    start_page,
    start_page_of_deck,
    start,
    study_page,
    reveal,
    answer,
    keep,
    suspend,
    bury,
    undo,
    finish,
    more,
    after_reload,
]
