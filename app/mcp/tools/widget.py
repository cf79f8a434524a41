"""What the study widget calls: the steps of the study screen as tools for the app alone, each giving the next screen.

The model does not see them where the host keeps to the protocol. What one learns by calling them anyway is what the
person at the screen sees; the session's own rules hold: one open question, answered once.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, UnsetType

from app.core import idempotency
from app.core.settings import Settings
from app.domain.errors import N_, InvalidInput, NotFound
from app.domain.modes import Goal, Mode
from app.domain.scheduling import Rating
from app.domain.scopes import Scope
from app.mcp.plans import study_clock
from app.mcp.spec import Call, Input, Kind, Output, Reply, Toolset, ToolSpec, Visibility
from app.mcp.tools.fields import ItemId, Minutes, SessionId, StudyGoal, StudyMode
from app.study import sessions, snapshots, starting
from app.study.files import files_of_item
from app.study.queue import most_due_deck
from app.study.starting import Wish
from app.study.views import Session
from app.ui.render import Reader, render, translate
from app.ui.study_view import MODES, screen

GivenT = TypeVar("GivenT", bound=Input)
ElapsedMs = Annotated[int, Meta(ge=0, le=2**31 - 1, description="Milliseconds since the question was shown.")]


class Screen(Output, kw_only=True):
    """The screen after a step."""

    session_id: int
    html: Annotated[str, Meta(description="The study screen, as the widget shows it.")]
    finished: bool
    language: str
    base_url: str
    for_model: Annotated[str, Meta(description="What the chat may know of it: progress, never an answer to come.")]


def _about(call: Call) -> dict[str, Any]:
    return {"clock": study_clock(call.caller), "now": call.now}


async def _screen(call: Call, session: Session, message: str = "", *, elapsed_ms: int = 0) -> Reply[Screen]:
    about = _about(call)
    report = await snapshots.report(call.caller.account_id, session, **about) if session.finished else None
    reader = Reader(call.caller.language, call.caller.zone)
    files = await files_of_item(call.caller.account_id, session)
    shown = screen(
        session,
        reader,
        report=report,
        message=translate(reader, message) if message else "",
        files=files,
        elapsed_ms=elapsed_ms,
        embedded=True,
        single_keys=call.caller.single_keys,
    )
    missed = "; ".join(card.front[:80] for card in report.missed[:10]) if report else ""
    return Reply(
        Screen(
            session_id=session.id,
            html=render("study/screen.html", reader, screen=shown, now=call.now, modes=MODES),
            finished=session.finished,
            language=reader.language,
            base_url=_base(call.settings),
            for_model=progress_text(session) + (f" Missed: {missed}" if missed else ""),
        ),
        progress_text(session),
        affected=[f"session:{session.id}"],
    )


def _base(settings: Settings) -> str:
    return settings.base_url + "/"


def progress_text(session: Session) -> str:
    """How far a session is, in a line."""
    so_far = session.progress
    state = "finished" if session.finished else f"{so_far.left} left"
    return (
        f"Study session {session.id} ({session.mode}, {session.goal}): {so_far.answered} answered, "
        f"{so_far.correct} right, {so_far.almost} almost, {so_far.wrong} wrong, {state}."
    )


class StudyStep(Input):
    session_id: SessionId | UnsetType = UNSET
    deck_id: Annotated[int, Meta(ge=1, description="Without a session: the deck.")] | UnsetType = UNSET
    mode: StudyMode = "flashcards"
    goal: StudyGoal = "review"
    minutes: Minutes | UnsetType = UNSET
    or_newer: Annotated[
        bool, Meta(description="For a session that is finished, the one of today about its deck that came after it.")
    ] = False


async def study_step(call: Call, given: StudyStep) -> Reply[Screen]:
    account_id, about = call.caller.account_id, _about(call)
    session_id = given.session_id
    if session_id is not UNSET:
        session = await sessions.session(account_id, session_id, **about)
        after = await starting.newer(account_id, session_id, **about) if given.or_newer and session.finished else None
        session = session if after is None else await sessions.session(account_id, after, **about)
    else:  # a second place, or a reload whose first result is lost
        deck_id = given.deck_id or await most_due_deck(account_id, **about)
        wish = Wish(mode=Mode(given.mode), goal=Goal(given.goal), deck_id=deck_id, minutes=given.minutes or None)
        found = await starting.resumable(account_id, wish, **about)
        if found is None:
            raise NotFound(N_("No study session has begun yet."), N_("Ask the chat to start one."))
        session = await sessions.session(account_id, found, **about)
    return await _screen(call, session)


class StudyItem(Input):
    session_id: SessionId
    item_id: ItemId


class StudyReveal(StudyItem):
    elapsed_ms: ElapsedMs | UnsetType = UNSET


async def study_reveal(call: Call, given: StudyReveal) -> Reply[Screen]:
    about = _about(call)
    session = await sessions.reveal(call.caller.account_id, given.session_id, given.item_id, **about)
    return await _screen(call, session, elapsed_ms=_elapsed(given.elapsed_ms, session, given.item_id))


def _elapsed(elapsed_ms: int | UnsetType, session: Session, item_id: int) -> int:
    """The time so far of a question that goes on."""
    return elapsed_ms if elapsed_ms is not UNSET and session.item and session.item.id == item_id else 0


class StudyAnswer(StudyItem):
    answer: Annotated[str, Meta(max_length=4000, description="What was written.")] | UnsetType = UNSET
    choice: Annotated[int, Meta(ge=0, le=9, description="Which option, from 0.")] | UnsetType = UNSET
    pairs: (
        Annotated[
            list[Annotated[int, Meta(ge=-1, le=9)]],
            Meta(max_length=8, description="For each left side the right one, from 0; -1 for none."),
        ]
        | UnsetType
    ) = UNSET
    elapsed_ms: ElapsedMs | UnsetType = UNSET


async def study_answer(call: Call, given: StudyAnswer) -> Reply[Screen]:
    answer: str | int | Mapping[int, int]
    if given.pairs is not UNSET:
        answer = {left: right for left, right in enumerate(given.pairs) if right >= 0}
    elif given.choice is not UNSET:
        answer = given.choice
    elif given.answer is not UNSET:
        answer = given.answer
    else:
        raise InvalidInput(N_("There is no answer."), N_("Give answer, choice or pairs."), field="answer")
    about = _about(call)
    session = await sessions.submit(call.caller.account_id, given.session_id, given.item_id, answer, **about)
    return await _screen(call, session, elapsed_ms=_elapsed(given.elapsed_ms, session, given.item_id))


class StudyRate(StudyItem):
    rating: Annotated[int, Meta(ge=1, le=4, description="1 again, 2 hard, 3 good, 4 easy.")] | UnsetType = UNSET
    was_right: Annotated[bool, Meta(description="Whether the verdict was wrong.")] = False
    elapsed_ms: ElapsedMs | UnsetType = UNSET


async def study_rate(call: Call, given: StudyRate) -> Reply[Screen]:
    kept, session = await sessions.keep(
        call.caller.account_id,
        given.session_id,
        given.item_id,
        None if given.rating is UNSET else Rating(given.rating),
        was_right=given.was_right,
        elapsed_ms=None if given.elapsed_ms is UNSET else given.elapsed_ms,
        **_about(call),
    )
    other = kept.repeated and given.rating is not UNSET and kept.rating != given.rating
    return await _screen(
        call, session, N_("This card was answered somewhere else; that answer counts.") if other else ""
    )


class StudyUndo(Input):
    session_id: SessionId
    item_id: (
        Annotated[int, Meta(ge=1, description="The question whose answer is taken back: once, however often asked.")]
        | UnsetType
    ) = UNSET


async def study_undo(call: Call, given: StudyUndo) -> Reply[Screen]:
    answered = given.item_id or None
    session = await sessions.undo(call.caller.account_id, given.session_id, answered=answered, **_about(call))
    return await _screen(call, session, N_("Taken back. Answer again."))


class StudySetAside(StudyItem):
    until: Annotated[
        Literal["resumed", "tomorrow"],
        Meta(description="tomorrow buries the card, resumed suspends it.", extra_json_schema={"type": "string"}),
    ]


async def study_set_aside(call: Call, given: StudySetAside) -> Reply[Screen]:
    session = await sessions.put_aside(
        call.caller.account_id,
        given.session_id,
        given.item_id,
        suspend=given.until == "resumed",
        **_about(call),
    )
    return await _screen(call, session)


class StudySettings(Input):
    key: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=80,
            pattern="^[0-9A-Za-z.-]+$",
            description="Of this wish: one session, however often asked.",
        ),
    ]
    session_id: (
        Annotated[int, Meta(ge=1, description="Go on beyond the day's limits with a session like this one.")]
        | UnsetType
    ) = UNSET
    finish: Annotated[bool, Meta(description="End the session sessionId here instead.")] = False
    deck_id: Annotated[int, Meta(ge=1, description="The deck; left out: all decks.")] | UnsetType = UNSET
    mode: StudyMode = "flashcards"
    goal: StudyGoal = "review"
    minutes: Minutes | UnsetType = UNSET


async def study_settings(call: Call, given: StudySettings) -> Reply[Screen]:
    account_id, about = call.caller.account_id, _about(call)
    sent = msgspec.to_builtins(given)
    before = await idempotency.begin(account_id, "study_settings", given.key, sent, call.now)
    if before is not None:
        return await _screen(call, await sessions.session(account_id, before, **about))
    session = await _wished(account_id, given, about)
    await idempotency.finish(account_id, "study_settings", given.key, session.id)
    return await _screen(call, session)


async def _wished(account_id: int, given: StudySettings, about: dict[str, Any]) -> Session:
    if given.session_id is not UNSET:
        if given.finish:
            return await sessions.finish(account_id, given.session_id, **about)
        return await starting.more(account_id, given.session_id, **about)
    wish = Wish(
        mode=Mode(given.mode),
        goal=Goal(given.goal),
        deck_id=given.deck_id or None,
        minutes=given.minutes or None,
    )
    return await starting.start(account_id, wish, **about)


def _app_only(
    name: str,
    title: str,
    description: str,
    kind: Kind,
    scope: Scope,
    input: type[GivenT],
    handler: Callable[[Call, GivenT], Awaitable[Reply[Screen]]],
) -> ToolSpec[GivenT, Screen]:
    return ToolSpec(
        name=name,
        title=title,
        description=f"For the study screen alone; a chat uses record_review. {description}",
        toolsets=frozenset({Toolset.STUDY}),
        scope=scope,
        kind=kind,
        input=input,
        output=Screen,
        handler=handler,
        visibility=Visibility.APP,
    )


STUDY_STEP = _app_only(
    "study_step",
    "Study: screen",
    "Shows a session that has begun.",
    Kind.READ,
    Scope.STUDY_RENDER,
    StudyStep,
    study_step,
)
STUDY_REVEAL = _app_only(
    "study_reveal",
    "Study: answer",
    "Turns a flashcard.",
    Kind.IDEMPOTENT_WRITE,
    Scope.STUDY_WRITE,
    StudyReveal,
    study_reveal,
)
STUDY_ANSWER = _app_only(
    "study_answer",
    "Study: check",
    "Grades an answer.",
    Kind.IDEMPOTENT_WRITE,
    Scope.STUDY_WRITE,
    StudyAnswer,
    study_answer,
)
STUDY_RATE = _app_only(
    "study_rate", "Study: keep", "Keeps an answer.", Kind.IDEMPOTENT_WRITE, Scope.STUDY_WRITE, StudyRate, study_rate
)
STUDY_UNDO = _app_only(
    "study_undo", "Study: undo", "Takes the last answer back.", Kind.WRITE, Scope.STUDY_WRITE, StudyUndo, study_undo
)
STUDY_SET_ASIDE = _app_only(
    "study_set_aside",
    "Study: set aside",
    "Asks a card tomorrow, or no more.",
    Kind.IDEMPOTENT_WRITE,
    Scope.STUDY_WRITE,
    StudySetAside,
    study_set_aside,
)
STUDY_SETTINGS = _app_only(
    "study_settings",
    "Study: otherwise",
    "Begins another session, or ends this one.",
    Kind.WRITE,
    Scope.STUDY_WRITE,
    StudySettings,
    study_settings,
)
