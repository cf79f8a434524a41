"""A study session as a model may see it: its present question without the answer, its progress, its report.

The views of the study area hold both sides of a card. What goes out is taken from them field by field, and nothing
that tells the answer of an open question is among it: neither here nor in a text, and not in metadata.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from app.domain import cloze
from app.domain.modes import ItemKind, is_typeable
from app.mcp.spec import Output
from app.mcp.tools.fields import Count, Instant, ItemId, SessionId
from app.mcp.tools.text import counted
from app.study.views import Item, Progress, Report, Session

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Lettered(Output):
    letter: str
    text: str


class Numbered(Output):
    number: int
    text: str


class StudyQuestion(Output, kw_only=True):
    item_id: ItemId
    kind: Annotated[str, Meta(description="flashcard, choice, typed, matching or cloze.")]
    deck_title: str
    prompt: Annotated[
        str, Meta(description="What to ask, word for word. A cloze text shows [...] or [hint] as its gap.")
    ]
    hint: Annotated[str, Meta(description="Of a gap, when the card has one.")] | UnsetType = UNSET
    options: Annotated[list[Lettered], Meta(description="Of a choice.")] | UnsetType = UNSET
    left: Annotated[list[Numbered], Meta(description="Of a board of pairs: the sides with numbers.")] | UnsetType = (
        UNSET
    )
    right: Annotated[list[Lettered], Meta(description="The sides to find for them.")] | UnsetType = UNSET
    media_url: (
        Annotated[str, Meta(description="Where the learner sees and hears the pictures and sounds of the question.")]
        | UnsetType
    ) = UNSET
    accepts: Annotated[list[str], Meta(description="What record_review takes here: answer, rating or either.")]
    how_to_answer: str


class SessionProgress(Output):
    answered: Count
    correct: Count
    almost: Count
    wrong: Count
    left: Annotated[Count, Meta(description="Still to ask; a card in learning steps may be asked again.")]
    total: Count


class MissedCard(Output):
    card_id: int
    front: str


class SessionReport(Output):
    answers: Count
    correct: Count
    almost: Count
    wrong: Count
    new_cards: Annotated[Count, Meta(description="Cards met for the first time.")]
    missed: Annotated[list[MissedCard], Meta(description="Cards answered wrong, 20 at most.")]
    due_now: Annotated[Count, Meta(description="Reviews left today, within the day's limit.")]
    new_now: Annotated[Count, Meta(description="New cards left today, within the day's limit.")]
    due_tomorrow: Count


class SessionSnapshot(Output, kw_only=True):
    session_id: SessionId
    status: Annotated[str, Meta(description="active, paused (nothing to ask before resumesAt) or finished.")]
    mode: str
    goal: str
    deck_id: int | UnsetType = UNSET
    deck_title: Annotated[str, Meta(description="Absent when the session is about all decks.")] | UnsetType = UNSET
    started_at: Instant
    progress: SessionProgress
    item: Annotated[StudyQuestion, Meta(description="The question to answer now.")] | UnsetType = UNSET
    resumes_at: Instant | UnsetType = UNSET
    report: Annotated[SessionReport, Meta(description="When the session is finished.")] | UnsetType = UNSET


def snapshot(session: Session, report: Report | None, media_url: str = "") -> SessionSnapshot:
    """What a model may know of a session; `media_url` where its present question has pictures or sounds."""
    return SessionSnapshot(
        session_id=session.id,
        status=status_of(session),
        mode=session.mode.value,
        goal=session.goal.value,
        deck_id=session.deck_id or UNSET,
        deck_title=session.deck_title or UNSET,
        started_at=session.created_at,
        progress=progress_of(session.progress),
        item=question_of(session.item, media_url) if session.item else UNSET,
        resumes_at=session.resumes_at or UNSET,
        report=report_of(report) if report else UNSET,
    )


def status_of(session: Session) -> str:
    if session.finished:
        return "finished"
    return "active" if session.item else "paused"


def progress_of(so_far: Progress) -> SessionProgress:
    return SessionProgress(
        answered=so_far.answered,
        correct=so_far.correct,
        almost=so_far.almost,
        wrong=so_far.wrong,
        left=so_far.left,
        total=so_far.total,
    )


def question_of(item: Item, media_url: str = "") -> StudyQuestion:
    """The question alone. `item.facts` and `item.card` hold the answer and stay here."""
    hints = _hints(item)
    return StudyQuestion(
        item_id=item.id,
        kind=item.kind.value,
        deck_title=item.card.deck_title,
        prompt=_BOARD if item.kind is ItemKind.MATCHING else item.facts.front,
        hint=", ".join(hints) or UNSET,
        options=lettered(item.options) or UNSET,
        left=[Numbered(number=number, text=text) for number, text in enumerate(item.left, 1)] or UNSET,
        right=lettered(item.right) or UNSET,
        media_url=media_url or UNSET,
        accepts=_accepts(item),
        how_to_answer=_how(item),
    )


_BOARD = "Which belong together?"


def lettered(texts: Sequence[str]) -> list[Lettered]:
    return [Lettered(letter=letter, text=text) for letter, text in zip(_LETTERS, texts, strict=False)]


def _hints(item: Item) -> list[str]:
    if not item.card.ordinal:
        return []
    segments = cloze.question(item.card.front, item.card.ordinal).segments
    return list(dict.fromkeys(part.text for part in segments if part.kind is cloze.SegmentKind.GAP and part.text))


def _accepts(item: Item) -> list[str]:
    if item.kind is ItemKind.MATCHING:
        return ["answer"]
    if item.kind is ItemKind.FLASHCARD and not is_typeable(item.facts):
        return ["rating"]
    return ["answer", "rating"]


_NOT_KNOWN = "If they do not know, pass rating again."
_HOW = {
    ItemKind.CHOICE: f"Pass the letter or the text that the learner chooses as answer. {_NOT_KNOWN}",
    ItemKind.MATCHING: "Pass all pairs that the learner names as answer, numbers with letters, such as 1b 2a 3d.",
    ItemKind.CLOZE: f"Pass what the learner puts into the gap as answer, in their own words. {_NOT_KNOWN}",
    ItemKind.TYPED: f"Pass what the learner answers as answer, in their own words and spelling. {_NOT_KNOWN}",
    ItemKind.FLASHCARD: (
        "Pass what the learner answers as answer, in their own words; or, if they would rather say how well they know "
        "it, that as rating: again (not), hard, good or easy."
    ),
}
_HOW_LONG = (
    "Let the learner say the answer, ask how well they know it, and pass that as rating: again (not), hard, good or "
    "easy. The result then shows the answer of the card to compare."
)


def _how(item: Item) -> str:
    return _HOW[item.kind] if "answer" in _accepts(item) else _HOW_LONG


def report_of(report: Report) -> SessionReport:
    return SessionReport(
        answers=report.answers,
        correct=report.correct,
        almost=report.almost,
        wrong=report.wrong,
        new_cards=report.new_cards,
        missed=[MissedCard(card_id=card.card_id, front=cloze.revealed(card.front)) for card in report.missed],
        due_now=report.next.due,
        new_now=report.next.new,
        due_tomorrow=report.next.tomorrow,
    )


def snapshot_text(given: SessionSnapshot) -> str:
    """The session in short lines, to be read aloud from `Question` on."""
    so_far = given.progress
    where = f" in {given.deck_title}" if given.deck_title else ""
    head = (
        f"Session {given.session_id}{where} ({given.mode}, {given.goal}): {so_far.answered} of {so_far.total} answered."
    )
    return "\n".join([head, *where_next(given)])


def where_next(given: SessionSnapshot) -> list[str]:
    """The question to ask now, or why there is none, line by line."""
    if given.item is not UNSET:
        return _question_lines(given.item, given.session_id)
    if given.resumes_at is not UNSET:
        return [
            f"Nothing to ask before {given.resumes_at:%Y-%m-%d %H:%M} UTC, when a card in learning comes back. "
            "get_study_session then gives it."
        ]
    return ["The session is finished.", *(_report_lines(given.report) if given.report is not UNSET else [])]


def _question_lines(item: StudyQuestion, session_id: int) -> list[str]:
    lines = [f"Question (sessionId {session_id}, itemId {item.item_id}): {item.prompt}"]
    if item.hint is not UNSET:
        lines.append(f"Hint: {item.hint}")
    if item.media_url is not UNSET:
        lines.append(f"The question has pictures or sounds; give the learner this link to them: {item.media_url}")
    lines += [f"{side.number}. {side.text}" for side in item.left or ()]
    lines += [f"{option.letter}) {option.text}" for option in (item.options or item.right or ())]
    return [*lines, f"Ask this and wait for the learner. {item.how_to_answer}"]


def _report_lines(report: SessionReport) -> list[str]:
    if not report.answers:
        lines = ["There was nothing to ask."]
    else:
        lines = [
            f"{report.answers} answers: {report.correct} right, {report.almost} almost, {report.wrong} wrong; "
            f"{counted(report.new_cards)} met for the first time."
        ]
    if report.missed:
        lines.append("Missed: " + "; ".join(f"{card.front} (cardId {card.card_id})" for card in report.missed))
    lines.append(f"Left today: {report.due_now} due, {report.new_now} new. Due tomorrow: {report.due_tomorrow}.")
    return lines
