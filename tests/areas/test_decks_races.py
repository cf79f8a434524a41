"""Commands of one account at the same time, with real commits: nothing is made twice and no limit is passed."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import asyncpg
import pytest

from app.core import db
from app.decks import queries, service
from app.decks.changes import CardChanges
from app.decks.views import Usage
from app.domain.errors import AppError, Conflict, DeckCardLimitExceeded, DeckLimitExceeded, PlanRequired
from tests.areas.deck_makers import LIMITS, limits, make_deck, plain_cards
from tests.factories import NOW, make_account


async def test_parallel_imports_of_the_same_cards_make_one_of_each_in_one_deck(committed: None) -> None:
    alice = await make_account()
    results = await asyncio.gather(
        *(
            service.import_cards(alice.id, plain_cards(range(50)), deck_title=title, limits=LIMITS, now=NOW)
            for title in ("Edo", "EDO", " edo ", "ｅｄｏ", "Edo", "Edo")
        )
    )
    assert len({result.deck_id for result in results}) == 1
    assert sorted(len(result.imported_ids) for result in results) == [0, 0, 0, 0, 0, 50]
    assert await queries.usage(alice.id) == Usage(1, 50)


async def test_parallel_creations_of_one_deck_make_one(committed: None) -> None:
    alice = await make_account()
    ids = await asyncio.gather(*(service.create_deck(alice.id, title="Edo", limits=LIMITS, now=NOW) for _ in range(8)))
    assert len(set(ids)) == 1


async def test_parallel_imports_never_pass_a_limit(committed: None) -> None:
    alice = await make_account()
    deck_id, _ = await make_deck(alice.id)
    results = await asyncio.gather(
        *(
            service.import_cards(
                alice.id, plain_cards(range(n, n + 3)), deck_id=deck_id, limits=limits(cap=10), now=NOW
            )
            for n in range(0, 24, 3)
        ),
        return_exceptions=True,
    )
    assert sum(isinstance(result, DeckCardLimitExceeded) for result in results) == 5
    assert await queries.usage(alice.id) == Usage(1, 9)
    more = await asyncio.gather(
        *(
            service.import_cards(
                alice.id, plain_cards([n]), deck_title=f"deck {n}", limits=limits(decks=4, cards=11), now=NOW
            )
            for n in range(6)
        ),
        return_exceptions=True,
    )
    assert sum(isinstance(result, PlanRequired | DeckLimitExceeded) for result in more) == 4
    assert await queries.usage(alice.id) == Usage(3, 11)


async def test_of_two_changes_of_one_version_one_is_a_conflict(committed: None) -> None:
    alice = await make_account()
    _, (card_id,) = await make_deck(alice.id, count=1)
    results = await asyncio.gather(
        *(
            service.update_card(
                alice.id, card_id, CardChanges(back=f"text {n}"), expected_version=1, limits=LIMITS, now=NOW
            )
            for n in range(4)
        ),
        return_exceptions=True,
    )
    assert sum(isinstance(result, Conflict) for result in results) == 3
    assert (await queries.card(alice.id, card_id)).version == 2


async def test_commands_of_all_kinds_at_once_end_without_a_deadlock_and_with_right_counts(committed: None) -> None:
    alice, bob = await make_account(), await make_account("bob@example.org")
    one, ids = await make_deck(alice.id, "one", count=40)
    two, _ = await make_deck(alice.id, "two", count=20)
    of_bob, _ = await make_deck(bob.id, "one", count=5)
    commands = []
    for n in range(10):
        now = NOW + timedelta(seconds=n)
        some = ids[n::3]
        commands += [
            service.import_cards(alice.id, plain_cards(range(n, n + 40)), deck_id=one, limits=LIMITS, now=now),
            service.delete_cards(alice.id, some[::-1], now=now),
            service.restore_cards(alice.id, some, limits=LIMITS, now=now),
            service.move_cards(alice.id, ids[20 + n :], two, limits=LIMITS, now=now),
            service.tag_cards(alice.id, some, add=[f"tag {n}"], now=now),
            service.delete_deck(alice.id, two, now=now),
            service.restore_deck(alice.id, two, limits=LIMITS, now=now),
            service.import_cards(bob.id, plain_cards(range(n, n + 10)), deck_id=of_bob, limits=LIMITS, now=now),
            service.sweep_trash(NOW - timedelta(days=1)),
        ]
    results = await asyncio.gather(*commands, return_exceptions=True)
    unexpected = [
        result for result in results if isinstance(result, BaseException) and not isinstance(result, AppError)
    ]
    assert unexpected == []
    wrong = await db.fetch(
        """
        SELECT * FROM (
          SELECT account_id, deck_id, count(*) FILTER (WHERE live) AS cards FROM card_schedule GROUP BY 1, 2
        ) AS real JOIN deck_count USING (account_id, deck_id) WHERE real.cards <> deck_count.cards
        """
    )
    assert wrong == []
    assert (await queries.usage(bob.id)).cards == 19


async def test_the_database_itself_refuses_two_equal_live_cards(committed: None) -> None:
    alice = await make_account()
    _, (card_id,) = await make_deck(alice.id, count=1)
    with pytest.raises(asyncpg.UniqueViolationError):
        await db.execute(
            "INSERT INTO card (account_id, deck_id, front, back, card_key, search_text) "
            "SELECT account_id, deck_id, front, back, card_key, search_text FROM card WHERE id = $1",
            card_id,
        )


async def test_a_row_that_points_at_the_account_does_not_wait_for_its_writes(committed: None) -> None:
    """Signing in or counting a call inserts rows with a foreign key to the account; an import must not hold them up."""
    alice = await make_account()
    async with db.atomic():
        await service.lock_writes(alice.id)
        other = await db.DB.get_new_connection()
        try:
            await other.execute("SET lock_timeout = '2s'")
            await other.execute("INSERT INTO collection (account_id, title, title_key) VALUES ($1, 'a', 'a')", alice.id)
        finally:
            await other.close()
