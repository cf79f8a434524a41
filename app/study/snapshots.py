"""Reads of a session: how far it is, its present question as the learner may see it, and its report at the end."""

from __future__ import annotations

from datetime import datetime, timedelta

from asyncpg import Record

from app.core.db import fetch, fetch_row
from app.decks.rows import possible
from app.domain import cloze, scheduling
from app.domain.calendar import StudyClock
from app.domain.grading import kept_rating, suggested_rating
from app.domain.modes import Goal, ItemKind, Mode
from app.domain.scheduling import LEARN_AHEAD
from app.study.limits import rooms
from app.study.questions import ASKABLE, JOINED, Board, Options, decoded, facts_of, grade_of, item, on_board
from app.study.rows import no_such_item, no_such_session, study_card
from app.study.settings_queries import settings_for
from app.study.views import Answered, Item, Missed, Next, OpenSession, Pair, Progress, Report, Session, TagResult

_HEAD = """
SELECT s.id, s.deck_id, s.mode, s.goal, s.horizon_days, s.created_at, s.finished_at, d.title AS deck_title
  FROM study_session s LEFT JOIN deck d ON d.account_id = s.account_id AND d.id = s.deck_id
 WHERE s.account_id = $1 AND s.id = $2
"""

# A question counts once as long as it is to come, however often it was asked: `steps` are those in (re)learning.
_PROGRESS = f"""
WITH line AS MATERIALIZED (
  SELECT i.id, i.status, i.board, i.verdict, i.answered_at, i.review_id, s.card_id, s.ordinal, s.state, s.due,
         i.status IN ('shown', 'graded') AS open, i.status = 'waiting' AND {ASKABLE} AS waiting,
         s.active AND (s.buried_until IS NULL OR s.buried_until <= $3) AND s.state IN (1, 3) AS step
    FROM {JOINED} WHERE i.account_id = $1 AND i.session_id = $2)
SELECT count(*) FILTER (WHERE status = 'answered') AS answered,
       count(*) FILTER (WHERE status = 'answered' AND verdict = 'correct') AS correct,
       count(*) FILTER (WHERE status = 'answered' AND verdict = 'almost') AS almost,
       count(*) FILTER (WHERE status = 'answered' AND verdict = 'wrong') AS wrong,
       count(*) FILTER (WHERE (open OR waiting) AND state = 0) AS new,
       count(*) FILTER (WHERE (open OR waiting) AND state = 2) AS due,
       count(DISTINCT (card_id, ordinal)) FILTER (
         WHERE step AND (open OR waiting OR status = 'answered' AND review_id IS NOT NULL)) AS learning,
       count(*) FILTER (WHERE open OR waiting) AS to_ask,
       min(due) FILTER (WHERE step AND status = 'answered' AND review_id IS NOT NULL) AS next_step_due,
       max(answered_at) FILTER (WHERE status = 'answered') AS last_answer_at,
       (array_agg(id ORDER BY answered_at DESC, id DESC)
         FILTER (WHERE status = 'answered' AND board IS NULL))[1] AS last_id,
       min(id) FILTER (WHERE open AND board IS NULL) AS open_id
  FROM line
"""  # noqa: S608 - constants


async def head(account_id: int, session_id: int) -> Record:
    """The session's row with the title of its deck. Raises `NotFound`."""
    row = await fetch_row(_HEAD, account_id, session_id) if possible(session_id) else None
    if row is None:
        raise no_such_session()
    return row


async def view(account_id: int, session_id: int, *, clock: StudyClock, now: datetime) -> Session:
    """The session as it stands. Raises `NotFound`."""
    row = await head(account_id, session_id)
    goal = Goal(row["goal"])
    so_far = await fetch_row(_PROGRESS, account_id, session_id, now, goal.schedules, row["created_at"])
    assert so_far is not None  # noqa: S101 - an aggregate always has a row
    asks = so_far["open_id"] is not None and row["finished_at"] is None
    present = await _item(account_id, session_id, so_far["open_id"], goal, clock, now) if asks else None
    resumes_at = None
    if present is None and row["finished_at"] is None and so_far["next_step_due"] is not None:
        resumes_at = so_far["next_step_due"] - LEARN_AHEAD
    last = so_far["last_answer_at"]
    return Session(
        id=row["id"],
        deck_id=row["deck_id"],
        deck_title=row["deck_title"],
        mode=Mode(row["mode"]),
        goal=goal,
        horizon_days=row["horizon_days"],
        created_at=row["created_at"],
        finished_at=row["finished_at"],
        progress=_progress(so_far, goal),
        item=present,
        resumes_at=resumes_at,
        undoes=so_far["last_id"] if last is not None and last >= clock.start_of(clock.study_day(now)) else None,
    )


def _progress(row: Record, goal: Goal) -> Progress:
    new, learning, due = (row["new"], row["learning"], row["due"]) if goal.schedules else (0, 0, 0)
    other = 0 if goal.schedules else row["to_ask"]
    return Progress(row["answered"], row["correct"], row["almost"], row["wrong"], new, learning, due, other)


async def _item(
    account_id: int, session_id: int, item_id: int, goal: Goal, clock: StudyClock, now: datetime
) -> Item | None:
    row = await item(account_id, session_id, item_id=item_id)
    if row is None:
        return None
    card, kind, kept = study_card(row), ItemKind(row["kind"]), decoded(row)
    grade = grade_of(row)
    seen = row["revealed"] or grade is not None
    keeps = goal.schedules
    if grade is not None:
        keeps = keeps and kept_rating(kind, grade.verdict, card.schedule.state) is not None
    outcomes = None
    if seen and keeps:
        options = (await settings_for(account_id, card.deck_id)).scheduling(clock)
        outcomes = scheduling.preview(card.schedule, options, card_id=card.id, now=now)
    board = kept if isinstance(kept, Board) else None
    choice = kept if isinstance(kept, Options) else None
    return Item(
        id=row["id"],
        kind=kind,
        card=card,
        facts=facts_of(card),
        status=row["status"],
        options=tuple(choice.options) if choice else (),
        left=board.sides.left if board else (),
        right=board.sides.right if board else (),
        right_option=choice.right if choice and grade else None,
        revealed=row["revealed"],
        given=row["given"],
        grade=grade,
        pairs=await _pairs(account_id, session_id, row, board) if board and grade else (),
        suggested=suggested_rating(grade.verdict) if grade else None,
        keeps=keeps,
        outcomes=outcomes,
    )


async def _pairs(account_id: int, session_id: int, row: Record, board: Board) -> tuple[Pair, ...]:
    rows = {other["id"]: other for other in (row, *await on_board(account_id, session_id, row["id"]))}
    return tuple(
        Pair(
            card_id=rows[item_id]["card_id"],
            left=board.sides.left[place],
            right=board.sides.right[board.sides.pairs[place]],
            chosen=rows[item_id]["given"] or "",
            correct=rows[item_id]["verdict"] == "correct",
        )
        for place, item_id in enumerate(board.items)
        if item_id in rows
    )


async def answered(account_id: int, session_id: int, item_id: int) -> Answered:
    """What an answered question may show. Raises `NotFound` for one that is not answered."""
    row = await item(account_id, session_id, item_id=item_id)
    if row is None or row["status"] != "answered":
        raise no_such_item()
    card, grade, kept = study_card(row), grade_of(row), decoded(row)
    return Answered(
        kind=ItemKind(row["kind"]),
        right_answer=facts_of(card).back,
        given=row["given"],
        note=grade.note if grade else None,
        sentence=cloze.revealed(card.front) if card.ordinal else None,
        pairs=await _pairs(account_id, session_id, row, kept) if isinstance(kept, Board) else (),
    )


async def open_sessions(account_id: int) -> tuple[OpenSession, ...]:
    """The newest sessions that are not finished, without those that nobody answered in."""
    rows = await fetch(
        "SELECT s.id, s.deck_id, d.title AS deck_title, s.mode, s.goal, s.created_at, done.answers "
        "FROM study_session s "
        "LEFT JOIN deck d ON d.account_id = s.account_id AND d.id = s.deck_id "
        "CROSS JOIN LATERAL (SELECT count(*) FILTER (WHERE status = 'answered') AS answers FROM study_item i "
        "WHERE i.account_id = s.account_id AND i.session_id = s.id) AS done "
        "WHERE s.account_id = $1 AND s.finished_at IS NULL AND d.deleted_at IS NULL AND done.answers > 0 "
        "ORDER BY s.created_at DESC LIMIT 5",
        account_id,
    )
    return tuple(
        OpenSession(
            row["id"], row["deck_title"], Mode(row["mode"]), Goal(row["goal"]), row["created_at"], row["answers"]
        )
        for row in rows
    )


_ANSWERS = """
SELECT i.card_id, i.verdict, i.elapsed_ms, c.front, c.tags, c.deleted_at IS NULL AS there,
       (r.state_before = 0) IS TRUE AS was_new
  FROM study_item i JOIN card c ON c.account_id = i.account_id AND c.id = i.card_id
  LEFT JOIN review r ON r.account_id = i.account_id AND r.id = i.review_id
 WHERE i.account_id = $1 AND i.session_id = $2 AND i.status = 'answered' ORDER BY i.answered_at, i.id
"""
_MISSED = 20


async def report(account_id: int, session: Session, *, clock: StudyClock, now: datetime) -> Report:
    """What happened in a session, and what is next for its decks."""
    rows = await fetch(_ANSWERS, account_id, session.id)
    missed: dict[int, Missed] = {}
    tags: dict[str, list[bool]] = {}
    for row in rows:
        if row["verdict"] == "wrong" and row["there"]:
            missed.setdefault(row["card_id"], Missed(row["card_id"], cloze.with_gaps(row["front"]), tuple(row["tags"])))
        for tag in row["tags"]:
            tags.setdefault(tag, []).append(row["verdict"] == "correct")
    verdicts = [row["verdict"] for row in rows]
    return Report(
        answers=len(rows),
        correct=verdicts.count("correct"),
        almost=verdicts.count("almost"),
        wrong=verdicts.count("wrong"),
        new_cards=sum(row["was_new"] for row in rows),
        seconds=round(sum(row["elapsed_ms"] or 0 for row in rows) / 1000),
        missed=tuple(missed.values())[:_MISSED],
        by_tag=tuple(
            TagResult(tag, len(answers), sum(answers))
            for tag, answers in sorted(tags.items(), key=lambda pair: (sum(pair[1]) / len(pair[1]), pair[0]))
        ),
        next=await whats_next(account_id, session.deck_id, clock=clock, now=now),
    )


_NEXT = """
SELECT d.id, coalesce(n.new_cards, 0) - coming.buried AS new, coming.due, coming.tomorrow
  FROM deck d LEFT JOIN deck_count n ON n.account_id = d.account_id AND n.deck_id = d.id
 CROSS JOIN LATERAL (
   SELECT count(*) FILTER (WHERE s.due >= $3 AND s.due < $4) AS tomorrow,
          count(*) FILTER (
            WHERE s.state = 2 AND s.due < $3 AND (s.buried_until IS NULL OR s.buried_until <= $5)) AS due,
          (SELECT count(*) FROM card_schedule b WHERE b.account_id = d.account_id AND b.deck_id = d.id AND b.active
              AND b.state = 0 AND b.buried_until IS NOT NULL AND b.buried_until > $5) AS buried
     FROM card_schedule s
    WHERE s.account_id = d.account_id AND s.deck_id = d.id AND s.active AND s.state > 0 AND s.due < $4) AS coming
 WHERE d.account_id = $1 AND d.deleted_at IS NULL AND ($2::bigint IS NULL OR d.id = $2)
"""


async def whats_next(account_id: int, deck_id: int | None, *, clock: StudyClock, now: datetime) -> Next:
    """What waits in the deck, or in all decks."""
    today = clock.study_day(now)
    rows = await fetch(_NEXT, account_id, deck_id, clock.end_of(today), clock.end_of(today + timedelta(days=1)), now)
    room = {room.deck_id: room for room in await rooms(account_id, [row["id"] for row in rows], clock=clock, now=now)}
    due = sum(min(row["due"], room[row["id"]].reviews) for row in rows)
    new = sum(min(row["new"], room[row["id"]].new) for row in rows)
    return Next(
        due, new, sum(row["due"] + row["new"] for row in rows) - due - new, sum(row["tomorrow"] for row in rows)
    )
