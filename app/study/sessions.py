"""The commands of a session that has begun: show the answer, grade, keep, undo, put aside, finish.

Each locks the session's row first, so that two widgets, two tabs and a retried call come one after another, and leaves
the next question open. All raise `NotFound` for a session that is not the account's.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from asyncpg import Record

from app.core.db import atomic, execute, fetch, fetch_row
from app.decks.rows import possible
from app.domain.calendar import StudyClock
from app.domain.errors import N_, AlreadyAnswered, Conflict, InvalidInput, SessionFinished
from app.domain.modes import Goal, ItemKind
from app.domain.scheduling import Rating
from app.study import keeping, questions, snapshots
from app.study.questions import Given
from app.study.rows import no_such_item, no_such_session
from app.study.views import Kept, Session

LONGEST_KEY = 200


async def session(account_id: int, session_id: int, *, clock: StudyClock, now: datetime) -> Session:
    """The session as it stands. A step that is over in the meantime is asked."""
    async with atomic():
        return await _go_on(account_id, await _lock(account_id, session_id), clock, now)


async def reveal(account_id: int, session_id: int, item_id: int, *, clock: StudyClock, now: datetime) -> Session:
    """Turn a flashcard over: its answer may be seen, and its rating is still to come.

    Raises `AlreadyAnswered`, `Conflict` for a question that is not the present one, `SessionFinished`, `InvalidInput`
    for a question that is to be answered in words or by choice.
    """
    async with atomic():
        head = await _lock(account_id, session_id)
        item = await _item(account_id, session_id, item_id)
        _refuse_unless_open(head, item)
        if item["status"] == "shown" and item["kind"] != ItemKind.FLASHCARD:
            raise InvalidInput(
                N_("This question is answered before its answer is shown."),
                N_("An empty answer gives up."),
                field="answer",
            )
        await execute("UPDATE study_item SET revealed = true WHERE account_id = $1 AND id = $2", account_id, item_id)
        return await snapshots.view(account_id, session_id, clock=clock, now=now)


async def submit(
    account_id: int,
    session_id: int,
    item_id: int,
    given: Given,
    *,
    clock: StudyClock,
    now: datetime,
) -> Session:
    """Grade an answer; its verdict is kept at once, its rating with `keep`.

    A second submission gets the first verdict. Raises as `reveal` does, and `InvalidInput`.
    """
    async with atomic():
        head = await _lock(account_id, session_id)
        item = await _item(account_id, session_id, item_id)
        if item["status"] != "answered":
            _refuse_unless_open(head, item)
            if item["status"] == "shown":
                _refuse_seen(item)
                await questions.grade(account_id, item, given)
        return await snapshots.view(account_id, session_id, clock=clock, now=now)


async def keep(
    account_id: int,
    session_id: int,
    item_id: int,
    rating: Rating | None = None,
    *,
    was_right: bool = False,
    elapsed_ms: int | None = None,
    review_key: str | None = None,
    clock: StudyClock,
    now: datetime,
) -> tuple[Kept, Session]:
    """Keep the answer of a question with its rating, the suggested one when None, and go on to the next.

    `was_right` corrects a verdict that the person knows to be wrong. The same question, or the same `review_key`, kept
    again gives the first outcome. Raises `InvalidInput` for a rating that is missing, `Conflict` for a question that
    is not the present one, `SessionFinished`.
    """
    async with atomic():
        head = await _lock(account_id, session_id)
        item = await _item(account_id, session_id, item_id, review_key)
        if item["status"] != "answered":
            _refuse_unless_open(head, item)
            kept = await keeping.keep(
                account_id,
                head,
                item,
                rating,
                was_right=was_right,
                elapsed_ms=elapsed_ms,
                review_key=review_key,
                clock=clock,
                now=now,
            )
        else:
            kept = await keeping.first_outcome(account_id, item)
        return kept, await _go_on(account_id, head, clock, now)


async def record(
    account_id: int,
    session_id: int,
    item_id: int,
    *,
    answer: Given | None,
    rating: Rating | None,
    elapsed_ms: int | None = None,
    review_key: str | None = None,
    clock: StudyClock,
    now: datetime,
) -> tuple[Kept, Session]:
    """Grade and keep in one step, as a chat does it: exactly one of `answer` and `rating`. Raises as `keep` does."""
    if (answer is None) is (rating is None):
        raise InvalidInput(
            N_("Give either an answer or a rating."),
            N_("The learner's answer as text, or how well a flashcard was known: again, hard, good or easy."),
            field="answer",
        )
    async with atomic():
        if answer is not None:
            await _lock(account_id, session_id)
            item = await _item(account_id, session_id, item_id, review_key)
            if item["status"] == "graded":
                raise Conflict(
                    N_("This question was answered on another screen and waits for its rating."),
                    N_("Ask how well it was known and give the rating, or get the session again."),
                )
            if item["status"] == "shown":
                await submit(account_id, session_id, item["id"], answer, clock=clock, now=now)
        return await keep(
            account_id,
            session_id,
            item_id,
            rating,
            elapsed_ms=elapsed_ms,
            review_key=review_key,
            clock=clock,
            now=now,
        )


def _refuse_seen(item: Record) -> None:
    """Who has seen the answer can say how well they knew it, and cannot be graded on it."""
    if item["revealed"]:
        raise InvalidInput(
            N_("The answer of this question has been shown."),
            N_("Ask the learner how well it was known: again, hard, good or easy."),
            field="answer",
        )


async def undo(
    account_id: int,
    session_id: int,
    *,
    answered: int | None = None,
    clock: StudyClock,
    now: datetime,
) -> Session:
    """Take back the session's last answer of this study day: schedule, log, siblings and place are what they were.

    Its question is open again, with the verdict it had. `answered` is the question whose answer the person saw as the
    last one: taken back before, it stays as it is, so that the same wish may be sent again. Raises `Conflict` when
    another answer was given since, `NotFound` when there is none to take back.
    """
    async with atomic():
        head = await _lock(account_id, session_id)
        if answered is not None:
            if (await _item(account_id, session_id, answered))["status"] != "answered":
                return await _go_on(account_id, head, clock, now)
            last = await snapshots.view(account_id, session_id, clock=clock, now=now)
            if last.undoes not in {answered, None}:
                raise Conflict(
                    N_("Another answer has been given since."), N_("Look at the session, then take that one back.")
                )
        await keeping.undo(account_id, session_id, since=clock.start_of(clock.study_day(now)))
        # What was asked may not be there to ask any more: a gap that was edited away, a card that was deleted.
        return await _go_on(account_id, await _lock(account_id, session_id), clock, now)


async def put_aside(
    account_id: int, session_id: int, item_id: int, *, suspend: bool, clock: StudyClock, now: datetime
) -> Session:
    """Suspend the card of the present question until it is taken up again, or bury it until the next study day.

    The other questions of the card go with it. Raises as `reveal` does.
    """
    async with atomic():
        head = await _lock(account_id, session_id)
        item = await _item(account_id, session_id, item_id)
        _refuse_unless_open(head, item)
        if suspend:
            change, values = "suspended = true", ()
        else:
            change, values = "buried_until = $3", (clock.end_of(clock.study_day(now)),)
        await execute(
            f"UPDATE card_schedule SET {change} WHERE account_id = $1 AND card_id = $2",  # noqa: S608 - constants
            account_id,
            item["card_id"],
            *values,
        )
        await keeping.put_back_open(account_id, session_id)
        await questions.pass_over_card(account_id, session_id, item["card_id"])
        return await _go_on(account_id, head, clock, now)


async def finish(account_id: int, session_id: int, *, clock: StudyClock, now: datetime) -> Session:
    """End the session; an open question goes back into the queue."""
    async with atomic():
        await _lock(account_id, session_id)
        await keeping.put_back_open(account_id, session_id)
        await execute(
            "UPDATE study_session SET finished_at = coalesce(finished_at, $3) WHERE account_id = $1 AND id = $2",
            account_id,
            session_id,
            now,
        )
        return await snapshots.view(account_id, session_id, clock=clock, now=now)


_LEFT = """
SELECT s.account_id, s.id FROM study_session s
 WHERE s.finished_at IS NULL AND s.created_at < $1
   AND NOT EXISTS (SELECT FROM study_item i WHERE i.account_id = s.account_id AND i.session_id = s.id
                      AND greatest(i.answered_at, i.shown_at) >= $1)
 LIMIT 1000
"""


async def sweep(now: datetime) -> None:
    """Finish sessions that nobody went on with for three days, and forget those of more than 90."""
    left = await fetch(_LEFT, now - timedelta(days=3))
    for row in left:
        async with atomic():
            await _lock(row["account_id"], row["id"])
            await keeping.put_back_open(row["account_id"], row["id"])
            await execute(
                "UPDATE study_session SET finished_at = $3 WHERE account_id = $1 AND id = $2 AND finished_at IS NULL",
                row["account_id"],
                row["id"],
                now,
            )
    await execute("DELETE FROM study_session WHERE finished_at < $1", now - timedelta(days=90))


async def _go_on(account_id: int, head: Record, clock: StudyClock, now: datetime) -> Session:
    await questions.open_next(account_id, head, until=clock.end_of(clock.study_day(now)), now=now)
    return await snapshots.view(account_id, head["id"], clock=clock, now=now)


async def _lock(account_id: int, session_id: int) -> Record:
    row = (
        await fetch_row(
            "SELECT id, deck_id, mode, goal, horizon_days, created_at, finished_at FROM study_session "
            "WHERE account_id = $1 AND id = $2 FOR UPDATE",
            account_id,
            session_id,
        )
        if possible(session_id)
        else None
    )
    if row is None:
        raise no_such_session()
    return row


async def _item(account_id: int, session_id: int, item_id: int, review_key: str | None = None) -> Record:
    """The item named by the client's key for its answer if one has it, else the one named by id."""
    row = None
    if review_key is not None:
        if not 1 <= len(review_key) <= LONGEST_KEY or not review_key.isprintable():
            raise InvalidInput(
                N_("The review id is too long, or not all of it can be seen."),
                N_("Give at most 200 letters, digits and signs."),
                field="reviewId",
            )
        row = await questions.item(account_id, session_id, review_key=review_key)
    if row is None and possible(item_id):
        row = await questions.item(account_id, session_id, item_id=item_id)
    if row is None:
        raise no_such_item()
    return row


def _refuse_unless_open(head: Record, item: Record) -> None:
    """Raises `AlreadyAnswered`, `SessionFinished`, or `Conflict` for what is not the question to answer now."""
    if item["status"] == "answered":
        raise AlreadyAnswered(
            N_("This question was answered before."), N_("Go on with the session's present question.")
        )
    if head["finished_at"] is not None:
        raise SessionFinished(N_("This study session is finished."), N_("Start a new one."))
    if item["status"] not in {"shown", "graded"} or item["board"] is not None:
        raise Conflict(N_("This is not the session's present question."), N_("Get the session to see which one is."))
    answered = item["last_review"]
    if Goal(head["goal"]).schedules and answered is not None and answered > item["shown_at"]:
        raise Conflict(N_("This card was answered somewhere else."), N_("Go on with the present question."))
