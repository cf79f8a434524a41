"""Keeping the answer of an item: its rating, the schedule, siblings, a second try; and undoing all of it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec
from asyncpg import Record

from app.core.db import execute, fetch_row
from app.domain.calendar import StudyClock
from app.domain.errors import N_, Conflict, InvalidInput, NotFound
from app.domain.grading import Verdict, kept_rating, suggested_rating
from app.domain.modes import Goal, ItemKind
from app.domain.scheduling import Rating
from app.domain.sessions import CRAM_TRIES
from app.domain.statistics import capped_ms
from app.study import answers
from app.study.questions import PUT_BACK, ask_again, item, on_board, pass_over
from app.study.rows import study_card
from app.study.settings_queries import settings_for
from app.study.views import Kept


class Undo(msgspec.Struct, frozen=True, omit_defaults=True):
    """What an answer did besides its row in the log."""

    buried: list[int] = []
    retry: int | None = None


async def keep(
    account_id: int,
    head: Record,
    row: Record,
    rating: Rating | None,
    *,
    was_right: bool,
    elapsed_ms: int | None,
    review_key: str | None,
    clock: StudyClock,
    now: datetime,
) -> Kept:
    """Keep the answer of an open item; of a board, those of all its cards. Raises `InvalidInput`, `Conflict`."""
    if row["kind"] == ItemKind.MATCHING and row["verdict"] is None:
        raise InvalidInput(N_("The pairs are not matched yet."), N_("Match them first."), field="answer")
    others = await on_board(account_id, head["id"], row["id"]) if row["kind"] == ItemKind.MATCHING else []
    if elapsed_ms is not None:
        elapsed_ms //= len(others) + 1  # the time of a board is that of all its pairs together
    about: dict[str, Any] = {"clock": clock, "now": now, "elapsed_ms": elapsed_ms}
    for other in others:
        try:
            await _keep_one(account_id, head, other, None, was_right=False, review_key=None, **about)
        except Conflict:  # put aside, deleted or answered elsewhere while the board stood there: the others count
            await pass_over(account_id, other["id"])
    return await _keep_one(account_id, head, row, rating, was_right=was_right, review_key=review_key, **about)


async def _keep_one(
    account_id: int,
    head: Record,
    row: Record,
    rating: Rating | None,
    *,
    was_right: bool,
    elapsed_ms: int | None,
    review_key: str | None,
    clock: StudyClock,
    now: datetime,
) -> Kept:
    card, goal = study_card(row), Goal(head["goal"])
    kind = ItemKind.MATCHING if row["board"] is not None else ItemKind(row["kind"])
    verdict = _verdict(row, rating, was_right=was_right)
    usual = suggested_rating(verdict)
    moves = goal.schedules and (kept_rating(kind, verdict, card.schedule.state) is not None or row["verdict"] is None)
    rating = usual if rating is None or (not moves and row["verdict"] is not None) else rating
    written, buried, retry = None, list[int](), None
    if moves:
        settings = await settings_for(account_id, card.deck_id)
        written = await answers.keep(
            account_id,
            card,
            rating,
            elapsed_ms=elapsed_ms,
            options=settings.scheduling(clock),
            leech_threshold=settings.leech_threshold,
            now=now,
        )
        if written is None:
            raise Conflict(N_("This card was answered somewhere else."), N_("Go on with the present question."))
        if card.ordinal and settings.bury_siblings:
            until = clock.end_of(clock.study_day(now))
            buried = await answers.bury_siblings(account_id, card, until, now)
    elif goal is Goal.CRAM and verdict is Verdict.WRONG and await _tries(account_id, head["id"], row) < CRAM_TRIES:
        retry = await ask_again(account_id, head["id"], card.id, card.ordinal)
    await execute(
        "UPDATE study_item SET status = 'answered', verdict = $3, overridden = $4, rating = $5, review_id = $6, "
        "review_key = $7, elapsed_ms = $8, answered_at = $9, undo = $10 WHERE account_id = $1 AND id = $2",
        account_id,
        row["id"],
        verdict,
        was_right,
        rating,
        written.review_id if written else None,
        review_key,
        capped_ms(elapsed_ms),
        now,
        msgspec.json.encode(Undo(buried, retry)).decode(),
    )
    return Kept(
        item_id=row["id"],
        card_id=card.id,
        verdict=verdict,
        rating=rating,
        due=written.outcome.schedule.due if written else None,
        interval_days=written.outcome.interval_days if written else None,
        repeated=False,
        became_leech=written is not None and written.became_leech,
    )


def _verdict(row: Record, rating: Rating | None, *, was_right: bool) -> Verdict:
    """The verdict that counts: the graded one, the person's correction of it, or what they rate themselves."""
    if row["verdict"] is not None:
        return Verdict.CORRECT if was_right else Verdict(row["verdict"])
    if rating is None:
        raise InvalidInput(
            N_("A rating is missing."), N_("Give one of again, hard, good and easy, or an answer."), field="rating"
        )
    return Verdict.WRONG if rating is Rating.AGAIN else Verdict.CORRECT


async def _tries(account_id: int, session_id: int, row: Record) -> int:
    found = await fetch_row(
        "SELECT count(*) AS n FROM study_item WHERE account_id = $1 AND session_id = $2 AND card_id = $3 "
        "AND ordinal = $4",
        account_id,
        session_id,
        row["card_id"],
        row["ordinal"],
    )
    return found["n"] if found else 0


async def first_outcome(account_id: int, row: Record) -> Kept:
    """What an answered item led to when it was kept."""
    review = await fetch_row(
        "SELECT due, interval_days FROM review WHERE account_id = $1 AND id = $2", account_id, row["review_id"]
    )
    return Kept(
        item_id=row["id"],
        card_id=row["card_id"],
        verdict=Verdict(row["verdict"]),
        rating=Rating(row["rating"]),
        due=review["due"] if review else None,
        interval_days=review["interval_days"] if review else None,
        repeated=True,
    )


async def undo(account_id: int, session_id: int, *, since: datetime) -> None:
    """Take back the last answer kept since then; its item is open again. Raises `NotFound` when there is none."""
    last = await fetch_row(
        "SELECT id FROM study_item WHERE account_id = $1 AND session_id = $2 AND status = 'answered' "
        "AND board IS NULL AND answered_at >= $3 ORDER BY answered_at DESC, id DESC LIMIT 1",
        account_id,
        session_id,
        since,
    )
    row = await item(account_id, session_id, item_id=last["id"]) if last else None
    if row is None:
        raise _nothing_to_undo()
    await _close_open(account_id, session_id)
    for each in (row, *await on_board(account_id, session_id, row["id"])):
        await _take_back(account_id, each)
    await execute(
        "UPDATE study_session SET finished_at = NULL WHERE account_id = $1 AND id = $2", account_id, session_id
    )


async def _close_open(account_id: int, session_id: int) -> None:
    """The question that is open goes back into the queue; one that was only asked again goes altogether."""
    await execute(
        "DELETE FROM study_item i WHERE i.account_id = $1 AND i.session_id = $2 AND i.status IN ('shown', 'graded') "
        "AND EXISTS (SELECT 1 FROM study_item e WHERE e.account_id = $1 AND e.session_id = $2 "
        "AND e.card_id = i.card_id AND e.ordinal = i.ordinal AND e.status = 'answered' AND e.review_id IS NOT NULL)",
        account_id,
        session_id,
    )
    await put_back_open(account_id, session_id)


async def put_back_open(account_id: int, session_id: int) -> None:
    """The question that is open, a board with all its cards, waits in the queue again."""
    await execute(
        f"UPDATE study_item SET {PUT_BACK} WHERE account_id = $1 AND session_id = $2 "  # noqa: S608 - constant
        "AND status IN ('shown', 'graded')",
        account_id,
        session_id,
    )


async def _take_back(account_id: int, row: Record) -> None:
    if row["review_id"] is not None and not await answers.take_back(account_id, row["review_id"]):
        raise _nothing_to_undo()
    did = msgspec.json.decode(row["undo"], type=Undo)
    if did.buried:
        await answers.dig_up(account_id, row["card_id"], did.buried)
    if did.retry is not None:
        await execute("DELETE FROM study_item WHERE account_id = $1 AND id = $2", account_id, did.retry)
    graded = row["given"] is not None
    await execute(
        "UPDATE study_item SET status = $3, revealed = NOT $4, rating = NULL, review_id = NULL, review_key = NULL, "
        "elapsed_ms = NULL, answered_at = NULL, undo = NULL, overridden = false, "
        "verdict = CASE WHEN $4 THEN verdict END WHERE account_id = $1 AND id = $2",
        account_id,
        row["id"],
        "graded" if graded else "shown",
        graded,
    )


def _nothing_to_undo() -> NotFound:
    return NotFound(N_("There is no answer to take back."), N_("Only answers of today can be taken back."))
