"""The data: one account with many cards, some others beside it, loaded straight into the tables."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from app.accounts import service as accounts
from app.core.db import atomic, execute, execute_many, fetch_value
from app.decks import rows as decks
from app.domain.cards import card_key, search_document, title_key
from app.domain.plans import Plan
from app.domain.scopes import Scope
from app.domain.search_text import grams
from benchmarks.texts import Writer, needles

_PASSWORD = "a benchmark has nothing to hide"  # noqa: S105 - of made-up accounts
_CARDS_IN_DECK = 500
_SESSIONS = 2_500
_OTHERS = 10
_OTHERS_DECKS = 4
_SAMPLE = 5_000
_NEW_SHARE, _LEARNING_SHARE, _OVERDUE_SHARE = 0.25, 0.002, 0.015
_CARD = "id account_id deck_id front back tags card_key search_text grams version created_at updated_at"
_SCHEDULE = "account_id card_id deck_id state step due stability difficulty last_review reps lapses"
_REVIEW = (
    "account_id card_id deck_id rep rating reviewed_at elapsed_ms before state_before last_interval_days due "
    "interval_days stability difficulty"
)


@dataclass(slots=True)
class World:
    """What is there after loading."""

    account_id: int
    key: str
    session: str
    spare_deck_id: int = 0
    """An empty deck."""
    deck_ids: list[int] = field(default_factory=list[int])
    card_ids: list[int] = field(default_factory=list[int])
    in_review: list[tuple[int, int, int]] = field(default_factory=list[tuple[int, int, int]])
    sittings: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """Sessions and the item that is open in each."""
    """(deck, card, times answered) of cards in review, in random order."""
    needles: dict[str, str] = field(default_factory=dict[str, str])


async def load(writer: Writer, *, cards: int, now: datetime) -> World:
    """Fill an empty, migrated database: `cards` in decks of 500 for one account, 2,000 for each of ten others.

    Ten answers for each card.

    The account has the plan Pro, a key with all scopes and a browser session.
    """
    draw = random.Random(7)
    account = await accounts.sign_up("big@example.org", _PASSWORD, now=now, plan=Plan.PRO)
    _, key = await accounts.create_key(account.id, "benchmark", frozenset(Scope), now=now)
    session = await accounts.open_session(account.id, now=now, address="127.0.0.1", user_agent="benchmark")
    world = World(account.id, key, session)
    others = [
        await accounts.sign_up(f"other{n}@example.org", _PASSWORD, now=now, plan=Plan.PRO) for n in range(_OTHERS)
    ]
    count = max(1, cards // _CARDS_IN_DECK)
    # The others' decks stand between those of the account, as they would after years.
    owners = [account.id] * count
    for place, other in enumerate(others * _OTHERS_DECKS):
        owners.insert((place + 1) * len(owners) // (_OTHERS * _OTHERS_DECKS + 1), other.id)

    # An index of its kind is made several times quicker from full tables.
    index = await fetch_value("SELECT pg_get_indexdef('card_grams'::regclass)")
    await execute("DROP INDEX card_grams")
    sample: list[str] = []
    for number, owner in enumerate(owners, 1):
        await _load_deck(world, writer, draw, owner, number, now, sample)
    await execute(index)
    for table in ("deck", "card", "review"):
        last = "SELECT setval(pg_get_serial_sequence('{table}', 'id'), (SELECT max(id) FROM {table}))"
        await fetch_value(last.format(table=table))
    world.spare_deck_id = await decks.insert_deck(account.id, "Spare", now)
    await execute("VACUUM ANALYZE")
    await execute("CHECKPOINT")
    draw.shuffle(world.in_review)
    await _load_sessions(world, now)
    world.needles = needles(sample)
    return world


async def _load_sessions(world: World, now: datetime) -> None:
    """Sessions with two questions, the first of them open: one for each answer that is measured."""
    pairs = list(zip(world.in_review[::2], world.in_review[1::2], strict=False))[:_SESSIONS]
    await execute_many(
        "INSERT INTO study_session (account_id, id, mode, goal, created_at) "
        "VALUES ($1, $2, 'flashcards', 'review', $3)",
        [(world.account_id, number, now) for number in range(1, len(pairs) + 1)],
    )
    await execute_many(
        "INSERT INTO study_item (account_id, id, session_id, place, card_id, status, kind, card_version, shown_at) "
        "VALUES ($1, $2, $3, $4, $5, $6, 'flashcard', 1, $7)",
        [
            (world.account_id, 2 * number + place, number, place, card_id, "waiting" if place == 2 else "shown", now)
            for number, pair in enumerate(pairs, 1)
            for place, (_, card_id, _) in enumerate(pair, 1)
        ],
    )
    for table in ("study_session", "study_item"):
        last = "SELECT setval(pg_get_serial_sequence('{table}', 'id'), (SELECT max(id) FROM {table}))"
        await fetch_value(last.format(table=table))
    world.sittings = [(number, 2 * number + 1) for number in range(1, len(pairs) + 1)]


async def _load_deck(
    world: World, writer: Writer, draw: random.Random, owner: int, deck_id: int, now: datetime, sample: list[str]
) -> None:
    title = f"{writer.title()} {deck_id}"
    cards: list[tuple[Any, ...]] = []
    schedules: list[tuple[Any, ...]] = []
    reviews: list[tuple[Any, ...]] = []
    first = (deck_id - 1) * _CARDS_IN_DECK + 1
    for card_id, words in zip(range(first, first + _CARDS_IN_DECK), writer.cards(), strict=False):
        document = search_document(words.front, words.back, words.tags)
        made = now - timedelta(days=draw.uniform(1, 700))
        sides = (words.front, words.back, list(words.tags), card_key(words.front, words.back))
        cards.append((card_id, owner, deck_id, *sides, document, grams(owner, document), 1, made, made))
        schedule = _schedule(draw, now)
        schedules.append((owner, card_id, deck_id, *schedule))
        state, *_, reps, _ = schedule
        reviews.extend((owner, card_id, deck_id, *answer) for answer in _history(draw, schedule))
        if owner == world.account_id:
            world.card_ids.append(card_id)
            if state == 2:
                world.in_review.append((deck_id, card_id, reps))
            if len(sample) < _SAMPLE:
                sample.append(document)
    if owner == world.account_id:
        world.deck_ids.append(deck_id)
    async with atomic() as connection:
        await connection.execute(
            "INSERT INTO deck (id, account_id, title, title_key, created_at, updated_at) "
            "VALUES ($1, $2, $3, $4, $5, $5)",
            deck_id,
            owner,
            title,
            title_key(title),
            now,
        )
        await connection.copy_records_to_table("card", records=cards, columns=_CARD.split())
        await connection.copy_records_to_table("card_schedule", records=schedules, columns=_SCHEDULE.split())
        await connection.copy_records_to_table("review", records=reviews, columns=_REVIEW.split())


_BEFORE = (
    '{"due": "2026-01-02T03:04:05+00:00", "live": true, "reps": 3, "step": null, "state": 2, "lapses": 0, '
    '"card_id": 12345, "deck_id": 123, "stability": 12.345678, "account_id": 1, "difficulty": 5.4321, '
    '"last_review": "2025-12-20T03:04:05+00:00"}'
)


def _history(draw: random.Random, schedule: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """The answers that led to a schedule, the last first: each interval about half of the one after it.

    Thirteen a card on average, so that three quarters of 100,000 cards have a million.
    """
    state, _, due, stability, difficulty, answered_at, reps, _ = schedule
    interval = (due - answered_at) / timedelta(days=1) if reps else 0.0
    for rep in range(reps - 1, -1, -1):
        before = max(interval * draw.uniform(0.4, 0.9), 0.01) if rep else None
        rating = draw.choices((1, 2, 3, 4), (8, 10, 72, 10))[0]
        state_before = 0 if rep == 0 else 2 if state == 2 and rep > 1 else 1
        answer = (rep, rating, _in_a_sitting(draw, answered_at), draw.randint(900, 20_000), _BEFORE)
        yield (*answer, state_before, before, due, interval, stability, difficulty)
        due, interval = answered_at, before or 0.0
        answered_at -= timedelta(days=interval)


def _in_a_sitting(draw: random.Random, moment: datetime) -> datetime:
    """The moment moved back by less than two days into an hour of the morning or two of the evening."""
    hour = draw.uniform(7, 8) if draw.random() < 0.3 else draw.uniform(20, 22)
    moved = moment.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(hours=hour)
    return moved if moved <= moment else moved - timedelta(days=1)


def _schedule(draw: random.Random, now: datetime) -> tuple[Any, ...]:
    """state, step, due, stability, difficulty, last_review, reps, lapses.

    A quarter is new. The rest has a median interval of five months, as cards have after years, so that about one in a
    hundred was answered within the last day and about as many are due.
    """
    share = draw.random()
    if share < _NEW_SHARE:
        return (0, None, None, None, None, None, 0, 0)
    if share < _NEW_SHARE + _LEARNING_SHARE:
        return (1, 0, now + timedelta(minutes=draw.uniform(-5, 10)), 0.4, 6.0, now - timedelta(minutes=6), 1, 0)
    stability = min(draw.lognormvariate(5, 1.2), 5_000.0)
    overdue = draw.random() < _OVERDUE_SHARE
    due = now + timedelta(days=-draw.uniform(0.05, 4) if overdue else draw.uniform(1, 1 + stability))
    last_review = due - timedelta(days=1 + stability)
    return (2, None, due, stability, draw.uniform(1, 10), last_review, draw.randint(3, 24), draw.choice((0, 0, 0, 1)))


def import_batches(writer: Writer) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Title of a deck and a hundred cards for each import; five imports fill a deck."""
    number = 0
    while True:
        cards = [{"front": words.front, "back": words.back, "tags": list(words.tags)} for words in _take(writer, 100)]
        yield f"Imported {number // 5}", cards
        number += 1


def _take(writer: Writer, count: int) -> Iterator[Any]:
    return (words for words, _ in zip(writer.cards(), range(count), strict=False))
