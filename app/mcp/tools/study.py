"""Tools of a study session: start, show, read, answer. The rules are those of `app.study.sessions`."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from app.domain.errors import N_, InvalidInput
from app.domain.modes import Goal, Mode
from app.domain.scopes import Scope
from app.domain.sessions import MAX_ITEMS
from app.domain.transfer.bundle import Side
from app.mcp.plans import study_clock
from app.mcp.schema import ENUM_ORDER
from app.mcp.spec import Call, Input, Kind, Output, Reply, Toolset, ToolSpec
from app.mcp.tools.card_details import RATING_WORDS, rating_word
from app.mcp.tools.fields import Instant, ItemId, Minutes, SessionId, StudyGoal, StudyMode
from app.mcp.tools.session_views import (
    SessionProgress,
    SessionReport,
    SessionSnapshot,
    StudyQuestion,
    snapshot,
    snapshot_text,
    where_next,
)
from app.mcp.tools.text import time_words
from app.study import sessions, snapshots, starting
from app.study.files import files_of_item
from app.study.questions import LONGEST_ANSWER
from app.study.queue import most_due_deck
from app.study.sessions import LONGEST_KEY
from app.study.starting import Wish
from app.study.views import Answered, Kept, Session

_NO_ANSWERS = "Items hold the question alone: never look the answer up, hint at it or answer for the learner."
_OneDeck = Annotated[int, Meta(ge=1, description="The deck to study; left out: all decks together.")]


async def _snapshot(call: Call, session: Session) -> SessionSnapshot:
    report = None
    if session.finished:
        report = await snapshots.report(call.caller.account_id, session, clock=study_clock(call.caller), now=call.now)
    files = await files_of_item(call.caller.account_id, session)
    # The screen of the session, which keeps the answer's files back as long as the answer; never that of the card.
    asked = any(file.side is Side.FRONT for file in files)
    return snapshot(session, report, f"{call.settings.base_url}/study/{session.id}" if asked else "")


class StartStudySession(Input):
    deck_id: _OneDeck | UnsetType = UNSET
    mode: StudyMode = "flashcards"
    goal: StudyGoal = "review"
    minutes: Minutes | UnsetType = UNSET
    limit: Annotated[int, Meta(ge=1, le=MAX_ITEMS, description="Questions at most.")] | UnsetType = UNSET


async def start_study_session(call: Call, given: StartStudySession) -> Reply[SessionSnapshot]:
    wish = Wish(
        mode=Mode(given.mode),
        goal=Goal(given.goal),
        deck_id=given.deck_id or None,
        minutes=given.minutes or None,
        limit=given.limit or None,
    )
    session = await starting.start(call.caller.account_id, wish, clock=study_clock(call.caller), now=call.now)
    output = await _snapshot(call, session)
    return Reply(output, snapshot_text(output), affected=[f"session:{session.id}"])


START_STUDY_SESSION = ToolSpec(
    name="start_study_session",
    title="Start study session",
    description=(
        "Start a study session without any display and get its first question, to be asked in words. When the person "
        "wants to study in the chat, call render_study_session alone instead: it starts the session too. Then one "
        f"record_review for each answer. {_NO_ANSWERS}"
    ),
    toolsets=frozenset({Toolset.STUDY}),
    scope=Scope.STUDY_WRITE,
    kind=Kind.WRITE,
    input=StartStudySession,
    output=SessionSnapshot,
    handler=start_study_session,
)


class RenderStudySession(Input):
    deck_id: (
        Annotated[int, Meta(ge=1, description="The deck to study; without it and sessionId, the one with most due.")]
        | UnsetType
    ) = UNSET
    session_id: (
        Annotated[int, Meta(ge=1, description="A session to go on with; then none of the other arguments.")] | UnsetType
    ) = UNSET
    mode: StudyMode | UnsetType = UNSET
    goal: StudyGoal | UnsetType = UNSET
    minutes: Minutes | UnsetType = UNSET


async def render_study_session(call: Call, given: RenderStudySession) -> Reply[SessionSnapshot]:
    session = await _session_to_show(call, given)
    output = await _snapshot(call, session)
    lines = ["If no study window opens beside this, study in words.", snapshot_text(output)]
    if session.item:
        lines.append("Then call record_review with sessionId, itemId and what the learner said; it gives the next one.")
    return Reply(output, "\n".join(lines), affected=[f"session:{session.id}"])


async def _session_to_show(call: Call, given: RenderStudySession) -> Session:
    """The session named; or that of today for this deck, mode and goal, or a new one."""
    account_id, clock, now = call.caller.account_id, study_clock(call.caller), call.now
    if given.session_id:
        if given.deck_id or given.mode or given.goal or given.minutes:
            raise InvalidInput(
                N_("A session that is there has its deck, mode, goal and length already."),
                N_("Pass sessionId alone, or the others for a new session."),
                field="sessionId",
            )
        return await sessions.session(account_id, given.session_id, clock=clock, now=now)
    wish = Wish(
        mode=Mode(given.mode or Mode.FLASHCARDS),
        goal=Goal(given.goal or Goal.REVIEW),
        deck_id=given.deck_id or await most_due_deck(account_id, clock=clock, now=now),
        minutes=given.minutes or None,
    )
    # Whoever names a length wants a session of that length.
    open_one = None if wish.minutes else await starting.resumable(account_id, wish, clock=clock, now=now)
    if open_one is not None:
        return await sessions.session(account_id, open_one, clock=clock, now=now)
    return await starting.start(account_id, wish, clock=clock, now=now)


RENDER_STUDY_SESSION = ToolSpec(
    name="render_study_session",
    title="Study",
    description=(
        "Study in the chat: shows a study session in a window of its own, or gives its question to be asked in words. "
        "Call it as the only tool of the turn; it needs no call before it. With deckId (and mode, goal, minutes) it "
        "goes on with today's session for these or starts one; with sessionId it goes on with that session; with "
        f"neither it takes the deck with most due. {_NO_ANSWERS}"
    ),
    toolsets=frozenset({Toolset.STUDY}),
    scope=Scope.STUDY_RENDER,
    kind=Kind.WRITE,
    input=RenderStudySession,
    output=SessionSnapshot,
    handler=render_study_session,
    shows_widget=True,
)


class OneSession(Input):
    session_id: SessionId


async def get_study_session(call: Call, given: OneSession) -> Reply[SessionSnapshot]:
    session = await sessions.session(
        call.caller.account_id, given.session_id, clock=study_clock(call.caller), now=call.now
    )
    output = await _snapshot(call, session)
    return Reply(output, snapshot_text(output))


# It reads: which question stands open follows from what was answered and from the time, and nothing else is touched.
GET_STUDY_SESSION = ToolSpec(
    name="get_study_session",
    title="Get study session",
    description=(
        "Read a study session as it stands: status, progress and the question to answer now, or the report of a "
        "finished one. Call it when an answer was lost, after a pause, or to see which question is the present one. "
        f"{_NO_ANSWERS}"
    ),
    toolsets=frozenset({Toolset.STUDY}),
    scope=Scope.DECKS_READ,
    kind=Kind.READ,
    input=OneSession,
    output=SessionSnapshot,
    handler=get_study_session,
)

RatingWord = Annotated[
    Literal["again", "hard", "good", "easy"],
    Meta(
        description="How well the learner says they know it: again (not), hard, good or easy.",
        extra_json_schema={"type": "string", ENUM_ORDER: list(RATING_WORDS)},
    ),
]


class RecordReview(Input):
    session_id: SessionId
    item_id: ItemId
    answer: (
        Annotated[
            str,
            Meta(
                max_length=LONGEST_ANSWER,
                description="The learner's own words; of a choice the letter, of a board the pairs, such as 1b 2a 3d.",
            ),
        ]
        | UnsetType
    ) = UNSET
    rating: RatingWord | UnsetType = UNSET
    elapsed_ms: (
        Annotated[int, Meta(ge=0, le=2**31 - 1, description="How long the learner took, in milliseconds, if known.")]
        | UnsetType
    ) = UNSET
    review_id: (
        Annotated[
            str,
            Meta(
                min_length=1,
                max_length=LONGEST_KEY,
                description="A name of your own for this answer; sent again, it gives the first result again.",
            ),
        ]
        | UnsetType
    ) = UNSET


class AnsweredPair(Output):
    left: str
    right: Annotated[str, Meta(description="What belongs to it.")]
    chosen: str
    correct: bool


class ReviewResult(Output, kw_only=True):
    session_id: SessionId
    item_id: ItemId
    verdict: Annotated[str, Meta(description="correct, almost or wrong.")]
    why: Annotated[str, Meta(description="What made the verdict, such as accents, typo or other_card.")] | UnsetType = (
        UNSET
    )
    right_answer: Annotated[str, Meta(description="Of the question just answered.")] | UnsetType = UNSET
    sentence: Annotated[str, Meta(description="Of a cloze: the text with its gaps filled.")] | UnsetType = UNSET
    pairs: list[AnsweredPair] | UnsetType = UNSET
    rating: Annotated[str, Meta(description="What was kept: again, hard, good or easy.")]
    next_due: (
        Annotated[Instant, Meta(description="When the card comes back; absent where the answer moved no schedule.")]
        | UnsetType
    ) = UNSET
    interval_days: Annotated[float, Meta(ge=0)] | UnsetType = UNSET
    repeated: Annotated[bool, Meta(description="Whether it had been answered before; this is the first result.")]
    became_leech: Annotated[bool, Meta(description="Whether it is forgotten so often that its text needs a change.")]
    status: Annotated[str, Meta(description="active, paused or finished: of the session, after this answer.")]
    progress: SessionProgress
    item: Annotated[StudyQuestion, Meta(description="The next question.")] | UnsetType = UNSET
    resumes_at: Instant | UnsetType = UNSET
    report: SessionReport | UnsetType = UNSET


async def record_review(call: Call, given: RecordReview) -> Reply[ReviewResult]:
    account_id = call.caller.account_id
    kept, session = await sessions.record(
        account_id,
        given.session_id,
        given.item_id,
        answer=None if given.answer is UNSET else given.answer,
        rating=RATING_WORDS[given.rating] if given.rating else None,
        elapsed_ms=None if given.elapsed_ms is UNSET else given.elapsed_ms,
        review_key=given.review_id or None,
        clock=study_clock(call.caller),
        now=call.now,
    )
    after = await _snapshot(call, session)
    answered = await snapshots.answered(account_id, given.session_id, kept.item_id)
    output = ReviewResult(
        session_id=session.id,
        item_id=kept.item_id,
        verdict=kept.verdict.value,
        why=answered.note.value if answered.note else UNSET,
        right_answer=UNSET if answered.pairs else answered.right_answer,
        sentence=answered.sentence or UNSET,
        pairs=[
            AnsweredPair(left=pair.left, right=pair.right, chosen=pair.chosen, correct=pair.correct)
            for pair in answered.pairs
        ]
        or UNSET,
        rating=rating_word(kept.rating),
        next_due=kept.due or UNSET,
        interval_days=UNSET if kept.interval_days is None else round(kept.interval_days, 4),
        repeated=kept.repeated,
        became_leech=kept.became_leech,
        status=after.status,
        progress=after.progress,
        item=after.item,
        resumes_at=after.resumes_at,
        report=after.report,
    )
    lines = [*_verdict_lines(kept, answered), *where_next(after)]
    return Reply(output, "\n".join(lines), affected=[f"session:{session.id}", f"card:{kept.card_id}"])


_SAID = {"correct": "Right.", "almost": "Almost right.", "wrong": "Wrong."}


def _verdict_lines(kept: Kept, answered: Answered) -> list[str]:
    lines = ["This was answered before; the first result counts."] if kept.repeated else []
    if answered.pairs:
        right = sum(pair.correct for pair in answered.pairs)
        lines.append(f"{right} of {len(answered.pairs)} pairs right.")
        lines += [f"{pair.left}: {pair.right}" for pair in answered.pairs if not pair.correct]
    else:
        lines += [_SAID[kept.verdict.value], f"The answer of the card: {answered.right_answer}"]
        lines += [answered.sentence] if answered.sentence else []
    if kept.due is None:
        lines.append("No due date was changed by this.")
    elif kept.interval_days is not None:
        lines.append(f"Kept as {rating_word(kept.rating)}; it comes back in {time_words(kept.interval_days)}.")
    if kept.became_leech:
        lines.append("This card is forgotten again and again; offer to make its text clearer after the session.")
    return lines


RECORD_REVIEW = ToolSpec(
    name="record_review",
    title="Record review",
    description=(
        "Record the learner's answer to the session's present question and get the verdict, the right answer, when the "
        "card comes back, the progress and the next question. Pass either answer, in the learner's own words, unmended "
        "(I do not know is an answer too: rating again), or rating, as the learner says it. One call for each "
        "question, only after the learner answered. A call sent again gives the first result and counts once. "
        f"{_NO_ANSWERS}"
    ),
    toolsets=frozenset({Toolset.STUDY}),
    scope=Scope.STUDY_WRITE,
    kind=Kind.IDEMPOTENT_WRITE,
    input=RecordReview,
    output=ReviewResult,
    handler=record_review,
)
