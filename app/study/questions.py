"""The questions of a session: which comes next, in which kind it is asked, and how its answer is graded."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Final, TypeAlias

import msgspec
from asyncpg import Record

from app.core.db import execute, fetch, fetch_row, fetch_value
from app.domain import choices, cloze, matching
from app.domain.answers import Facts
from app.domain.cards import clean_optional_text
from app.domain.errors import N_, InvalidInput
from app.domain.grading import Grade, Note, Verdict, is_right
from app.domain.grading import grade as grade_text
from app.domain.modes import Goal, ItemKind, Mode, is_short, is_typeable, is_wordless, kind_for
from app.domain.sessions import Step, next_step
from app.study.rows import CARD, study_card
from app.study.views import StudyCard

POOL: Final = 500
"""Cards of the deck from which wrong options are taken."""
LONGEST_ANSWER: Final = 4_000
BOARD_CANDIDATES: Final = 16
PAIRS: Final = 6
"""Pairs on a board: what a telephone shows at once."""

# A question that was put aside, or answered somewhere else since the session began, is passed over; a session that
# moves no schedule asks what is buried or answered all the same. Where nothing else is left a card is asked again in
# the moment of its answer, which is before.
ASKABLE = (
    "(s.active AND (NOT $4 OR (s.buried_until IS NULL OR s.buried_until <= $3) "
    "AND (s.last_review IS NULL OR s.last_review <= coalesce(i.shown_at, $5))))"
)
JOINED = (
    "study_item i JOIN card_schedule s "
    "ON s.account_id = i.account_id AND s.card_id = i.card_id AND s.ordinal = i.ordinal"
)

_STATE = f"""
WITH line AS MATERIALIZED (
  SELECT i.id, i.place, i.status, i.board, i.review_id, s.card_id, s.ordinal, s.state, s.due, {ASKABLE} AS askable,
         s.active AND (s.buried_until IS NULL OR s.buried_until <= $3) AS free
    FROM {JOINED} WHERE i.account_id = $1 AND i.session_id = $2)
SELECT open.id AS open_id, open.askable AS open_askable, waiting.id AS waiting_id,
       learning.card_id, learning.ordinal, learning.due AS learning_due
  FROM (SELECT 1) AS one
  LEFT JOIN LATERAL (
    SELECT id, askable FROM line WHERE status IN ('shown', 'graded') AND board IS NULL LIMIT 1) AS open ON true
  LEFT JOIN LATERAL (
    SELECT id FROM line WHERE status = 'waiting' AND askable ORDER BY place LIMIT 1) AS waiting ON true
  LEFT JOIN LATERAL (
    SELECT card_id, ordinal, due FROM line
     WHERE status = 'answered' AND review_id IS NOT NULL AND free AND state IN (1, 3) ORDER BY due LIMIT 1
  ) AS learning ON true
"""  # noqa: S608 - constants

_ITEM = f"""
SELECT i.id, i.session_id, i.place, i.status, i.kind, i.board, i.card_version, i.asked::text AS asked, i.revealed,
       i.given, i.verdict, i.note, i.overridden, i.rating, i.review_id, i.shown_at, i.undo::text AS undo, {CARD}
  FROM {JOINED}
  JOIN card c ON c.account_id = i.account_id AND c.id = i.card_id
  JOIN deck d ON d.account_id = c.account_id AND d.id = c.deck_id
 WHERE i.account_id = $1 AND i.session_id = $2
"""  # noqa: S608
_ITEM_OF_ID = _ITEM + " AND i.id = $3"
_ITEM_OF_KEY = _ITEM + " AND i.review_key = $3"
_ON_BOARD = _ITEM + " AND i.board = $3 ORDER BY i.place"
_NEXT_WAITING = f"""
SELECT i.id, {CARD} FROM {JOINED}
  JOIN card c ON c.account_id = i.account_id AND c.id = i.card_id
  JOIN deck d ON d.account_id = c.account_id AND d.id = c.deck_id
 WHERE i.account_id = $1 AND i.session_id = $2 AND i.status = 'waiting' AND {ASKABLE} AND i.id <> $6
 ORDER BY i.place LIMIT {BOARD_CANDIDATES}
"""  # noqa: S608

_POOL = f"""
SELECT id, front, back, tags, language FROM card
 WHERE account_id = $1 AND deck_id = $2 AND deleted_at IS NULL ORDER BY id LIMIT {POOL}
"""  # noqa: S608


# An item on its way back into the queue. What was seen stays seen: whoever has met the answer is not graded on it.
PUT_BACK = (
    "status = 'waiting', board = NULL, given = NULL, verdict = NULL, "
    "revealed = revealed OR (status = 'graded' AND kind <> 'matching')"
)


class Options(msgspec.Struct, frozen=True):
    """What a choice keeps between requests: its options as they were shown, and which one was made from the answer."""

    options: list[str]
    right: int


class Board(msgspec.Struct, frozen=True):
    """What a board keeps: its sides as they were shown, and the item of each left one."""

    sides: matching.Board
    items: list[int]


def facts_of(card: StudyCard) -> Facts:
    """The text of a question: the two sides, or of a cloze the text with its gap and what is typed into it."""
    front, back = card.front, card.back
    if card.ordinal:
        front, back = cloze.question(card.front, card.ordinal).plain, cloze.typed_answer(card.front, card.ordinal)
    return Facts(card.id, card.ordinal, front, back, card.tags, card.language)


async def item(
    account_id: int, session_id: int, *, item_id: int | None = None, review_key: str | None = None
) -> Record | None:
    """An item with its card, by its id or by the client's key for its answer."""
    if review_key is not None:
        return await fetch_row(_ITEM_OF_KEY, account_id, session_id, review_key)
    return await fetch_row(_ITEM_OF_ID, account_id, session_id, item_id)


async def on_board(account_id: int, session_id: int, board_id: int) -> list[Record]:
    """The other items of a board."""
    return await fetch(_ON_BOARD, account_id, session_id, board_id)


async def open_next(account_id: int, head: Record, *, until: datetime, now: datetime) -> None:
    """Leave a question open, unless the session is finished, is so now, or waits for a learning step.

    A step that is over after `until`, the end of the study day, is for another session.
    """
    if head["finished_at"] is not None:
        return
    about = (account_id, head["id"], now, Goal(head["goal"]).schedules, head["created_at"])
    state = await fetch_row(_STATE, *about)
    assert state is not None  # noqa: S101 - one row in any case
    if state["open_id"] is not None:
        if state["open_askable"]:
            return
        await execute(
            f"UPDATE study_item SET {PUT_BACK} WHERE account_id = $1 AND session_id = $2 AND (id = $3 OR board = $3)",  # noqa: S608 - constant
            account_id,
            head["id"],
            state["open_id"],
        )
        await pass_over(account_id, state["open_id"])
        await open_next(account_id, head, until=until, now=now)
        return
    due = state["learning_due"]
    step = next_step(
        learning_due=due if due is not None and due < until else None,
        waiting=state["waiting_id"] is not None,
        now=now,
    )
    if step is Step.FINISH:
        await execute("UPDATE study_session SET finished_at = $3 WHERE account_id = $1 AND id = $2", *about[:3])
    elif step is Step.WAITING:
        await _show(about, Mode(head["mode"]), state["waiting_id"])
    elif step is Step.LEARNING:
        await _show(about, Mode(head["mode"]), await ask_again(*about[:2], state["card_id"], state["ordinal"]))


async def pass_over(account_id: int, item_id: int) -> None:
    """The session asks this no more: its card was put aside, deleted, or answered somewhere else."""
    await execute(
        "UPDATE study_item SET status = 'passed', board = NULL WHERE account_id = $1 AND id = $2", account_id, item_id
    )


async def pass_over_card(account_id: int, session_id: int, card_id: int) -> None:
    """The session asks no question of this card any more. Its open question has been put back before."""
    await execute(
        "UPDATE study_item SET status = 'passed' "
        "WHERE account_id = $1 AND session_id = $2 AND card_id = $3 AND status = 'waiting'",
        account_id,
        session_id,
        card_id,
    )


async def ask_again(account_id: int, session_id: int, card_id: int, ordinal: int) -> int:
    """Put a question at the end of the queue once more; its item's id."""
    return int(
        await fetch_value(
            "INSERT INTO study_item (account_id, session_id, card_id, ordinal, place) SELECT $1, $2, $3, $4, "
            "coalesce(max(place), 0) + 1 FROM study_item WHERE account_id = $1 AND session_id = $2 RETURNING id",
            account_id,
            session_id,
            card_id,
            ordinal,
        )
    )


async def _show(about: tuple[int, int, datetime, bool, datetime], mode: Mode, item_id: int) -> None:
    account_id, session_id, now, *_ = about
    row = await item(account_id, session_id, item_id=item_id)
    assert row is not None  # noqa: S101 - of this transaction
    card = study_card(row)
    facts = facts_of(card)
    board = options = None
    others: list[Record] = []

    def kind(*, has_choices: bool, has_board: bool) -> ItemKind:
        known = card.schedule
        return kind_for(
            mode, facts, state=known.state, stability=known.stability, position=row["place"] - 1,
            has_choices=has_choices, has_board=has_board,
        )  # fmt: skip

    # Who has seen the answer can say how well it is known, and nothing else.
    wanted = ItemKind.FLASHCARD if row["revealed"] else kind(has_choices=True, has_board=True)
    if wanted is ItemKind.MATCHING:
        board, others = await _board(about, item_id, facts)
        wanted = kind(has_choices=True, has_board=board is not None)
    if wanted is ItemKind.CHOICE:
        options = await _options(account_id, card, facts, item_id)
        wanted = kind(has_choices=options is not None, has_board=False)
    asked = board if wanted is ItemKind.MATCHING else options if wanted is ItemKind.CHOICE else None
    await execute(
        "UPDATE study_item SET status = 'shown', kind = $4, asked = $5, card_version = $6, shown_at = $7, "
        "board = CASE WHEN id = $3 THEN NULL ELSE $3 END "
        "WHERE account_id = $1 AND session_id = $2 AND (id = $3 OR id = ANY ($8::bigint[]))",
        account_id,
        session_id,
        item_id,
        wanted,
        msgspec.json.encode(asked).decode() if asked else None,
        card.version,
        now,
        [other["id"] for other in others] if wanted is ItemKind.MATCHING else [],
    )


async def _pool(account_id: int, card: StudyCard) -> list[Facts]:
    rows = await fetch(_POOL, account_id, card.deck_id)
    pool = [
        Facts(row["id"], 0, row["front"], row["back"], tuple(row["tags"]), row["language"] or card.language)
        for row in rows
    ]
    return [facts for facts in pool if not is_wordless(facts.back)]


async def _options(account_id: int, card: StudyCard, facts: Facts, seed: int) -> Options | None:
    found = choices.options(facts, await _pool(account_id, card), seed)
    return Options([option.text for option in found.options], found.right) if found else None


async def _board(
    about: tuple[int, int, datetime, bool, datetime], item_id: int, facts: Facts
) -> tuple[Board | None, list[Record]]:
    """A board with this question and the next ones of the queue that fit, and their rows; None when too few do."""
    rows = {(row["card_id"], row["ordinal"]): row for row in await fetch(_NEXT_WAITING, *about, item_id)}
    others = [other for row in rows.values() if is_short(other := facts_of(study_card(row)))]
    made = matching.board([facts, *others], item_id, at_most=PAIRS)
    mine = (facts.card_id, facts.ordinal)
    if made is None or mine not in made.cards:
        return None, []
    board = Board(made, [item_id if key == mine else rows[key]["id"] for key in made.cards])
    return board, [rows[key] for key in made.cards if key != mine]


Given: TypeAlias = str | int | Mapping[int, int]
"""An answer: a text, the index of an option, or for a board which right side goes with which left one; from 0.

In a chat it is text for every kind: the text, letter or number of an option, and `1b 2a` for a board.
"""


async def grade(account_id: int, row: Record, given: Given) -> None:
    """Store the verdict on an answer of an open question. Raises `InvalidInput` for an answer of another kind."""
    kind = ItemKind(row["kind"])
    if kind is ItemKind.MATCHING and not isinstance(given, int):
        await _grade_board(account_id, row, given)
        return
    facts = facts_of(study_card(row))
    if kind is ItemKind.CHOICE and not isinstance(given, Mapping):
        asked = msgspec.json.decode(row["asked"], type=Options)
        chosen = asked.options[option_index(given, asked.options)]
        right = chosen == asked.options[asked.right] or is_right(chosen, facts)
        await _store(account_id, row["id"], chosen, right=right)
        return
    if kind is ItemKind.FLASHCARD and not is_typeable(facts):
        raise InvalidInput(
            N_("The answer of this card cannot be judged as text."),
            N_("Ask the learner how well they knew it and give a rating: again, hard, good or easy."),
            field="answer",
        )
    if not isinstance(given, str) or len(given) > LONGEST_ANSWER:
        raise InvalidInput(N_("This is not an answer."), N_("Give a text of at most 4,000 characters."), field="answer")
    given = clean_optional_text(given, "answer", LONGEST_ANSWER)
    others = [other.back for other in await _pool(account_id, study_card(row)) if other.card_id != facts.card_id]
    result = grade_text(given, facts, others)
    await _store_verdict(account_id, row["id"], given, result.verdict, result.note)


async def _store(account_id: int, item_id: int, chosen: str, *, right: bool) -> None:
    verdict, note = (Verdict.CORRECT, Note.EXACT) if right else (Verdict.WRONG, Note.DIFFERENT)
    await _store_verdict(account_id, item_id, chosen, verdict, note)


async def _store_verdict(account_id: int, item_id: int, given: str, verdict: Verdict, note: Note) -> None:
    await execute(
        "UPDATE study_item SET status = 'graded', given = $3, verdict = $4, note = $5 "
        "WHERE account_id = $1 AND id = $2",
        account_id,
        item_id,
        given,
        verdict,
        note,
    )


_LETTER = re.compile(r"\s*\(?([A-Za-z]|[0-9]{1,2})[.):]?\s*")


def option_index(given: str | int, options: list[str]) -> int:
    """Which option is meant: an index from 0, its text, or else its letter or number from A or 1.

    Raises `InvalidInput`.
    """
    if isinstance(given, int):
        if 0 <= given < len(options):
            return given
        given = ""
    text = given.strip()
    for place, option in enumerate(options):
        if option == text or option.strip().casefold() == text.casefold():
            return place
    if found := _LETTER.fullmatch(given):
        sign = found[1].upper()
        place = int(sign) - 1 if sign.isdecimal() else ord(sign) - ord("A")
        if 0 <= place < len(options):
            return place
    raise InvalidInput(
        N_("This is none of the options."), N_("Give the text of an option, its letter or its number."), field="answer"
    )


_PAIR = re.compile(r"([0-9]{1,2})\s*[-=:.)>→ ]*\s*([A-Za-z])(?![A-Za-z])")


def pairs_of(given: str) -> dict[int, int]:
    """`1b 2a 3d` as indexes from 0: left sides have numbers, right ones letters."""
    return {int(number) - 1: ord(letter.upper()) - ord("A") for number, letter in _PAIR.findall(given)}


async def _grade_board(account_id: int, row: Record, given: str | Mapping[int, int]) -> None:
    board = msgspec.json.decode(row["asked"], type=Board)
    chosen = pairs_of(given) if isinstance(given, str) else dict(given)
    if len(chosen) != len(board.items):
        raise InvalidInput(
            N_("Not every left side has a right one."),
            N_("Name a pair for each, such as 1b 2a 3d: numbers for the left side, letters for the right one."),
            field="answer",
        )
    if len(set(chosen.values())) != len(chosen):
        raise InvalidInput(N_("A right side is used twice."), N_("Use each once."), field="answer")
    for item_id, result in zip(board.items, matching.check(board.sides, chosen), strict=True):
        assert result.chosen is not None  # noqa: S101 - every left side was paired
        await _store(account_id, item_id, board.sides.right[result.chosen], right=bool(result.right))


def grade_of(row: Record) -> Grade | None:
    """The stored verdict with the difference to show, None before an answer."""
    if row["verdict"] is None or row["given"] is None:
        return None
    facts = facts_of(study_card(row))
    verdict, note = Verdict(row["verdict"]), Note(row["note"])
    if row["kind"] in {ItemKind.CHOICE, ItemKind.MATCHING}:
        return Grade(verdict, note, (), facts.back)
    return Grade(verdict, note, grade_text(row["given"], facts).difference, facts.back)


def decoded(row: Record) -> Options | Board | None:
    """Options or a board as they were stored, None for other kinds."""
    if row["asked"] is None:
        return None
    if row["kind"] == ItemKind.MATCHING:
        return msgspec.json.decode(row["asked"], type=Board)
    return msgspec.json.decode(row["asked"], type=Options)
