"""What is chosen is kept, adds up, and acts on every answer and every day's limits."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import asyncpg
import pytest

from app.accounts import queries as accounts
from app.core import db
from app.decks import service as decks
from app.domain.calendar import StudyClock
from app.domain.errors import Conflict, InvalidInput, NotFound
from app.domain.scheduling import Rating, SchedulingOptions
from app.domain.study_settings import STANDARD, StudyChoices, settled
from app.study import queries, sessions, settings, settings_queries, starting
from app.study.settings import settings_for
from app.study.starting import Wish
from app.study.views import Kept, Session
from tests.areas.deck_makers import make_deck, set_schedule
from tests.factories import NOW, make_account

CLOCK = StudyClock("UTC", 4)
ALL = StudyChoices(
    desired_retention=0.85,
    learning_steps=(timedelta(minutes=5),),
    relearning_steps=(),
    maximum_interval_days=100,
    new_per_day=3,
    reviews_per_day=2,
    leech_threshold=4,
    bury_siblings=False,
)
OWN = (0.3, *SchedulingOptions().parameters[1:])


async def choose(account_id: int, choices: StudyChoices, **more: Any) -> None:
    await settings.choose_for_account(account_id, choices, **{"zone": "UTC", "rollover_hour": 4, **more})


async def propose(account_id: int, parameters: tuple[float, ...] = OWN) -> None:
    """What a fit leaves behind."""
    await db.execute(
        "INSERT INTO study_settings (account_id, fit_done_at, fit_outcome, fit_reviews, fit_log_loss_before, "
        "fit_log_loss_after, proposed_parameters) VALUES ($1, $2, 'fitted', 600, 0.46, 0.45, $3) "
        "ON CONFLICT (account_id) DO UPDATE SET fit_done_at = excluded.fit_done_at, "
        "fit_outcome = excluded.fit_outcome, proposed_parameters = excluded.proposed_parameters",
        account_id,
        NOW,
        parameters,
    )


async def test_without_choices_the_standard_holds_and_nothing_is_stored(rollback: None) -> None:
    alice = await make_account()
    deck_id, _ = await make_deck(alice.id)
    assert await settings_for(alice.id) == await settings_for(alice.id, deck_id) == STANDARD
    assert await settings_for(alice.id, 987_654) == STANDARD
    assert await db.fetch_value("SELECT count(*) FROM study_settings") == 0


async def test_the_deck_goes_before_the_account(rollback: None) -> None:
    alice = await make_account()
    deck_id, _ = await make_deck(alice.id)
    other, _ = await make_deck(alice.id, "other")
    await choose(alice.id, ALL)
    assert await settings_for(alice.id) == await settings_for(alice.id, deck_id) == settled(ALL)
    mine = StudyChoices(new_per_day=0, relearning_steps=(timedelta(days=1),), bury_siblings=True)
    await settings.choose_for_deck(alice.id, deck_id, mine)
    assert await settings_for(alice.id, deck_id) == settled(ALL, mine)
    assert await settings_for(alice.id, other) == await settings_for(alice.id) == settled(ALL)
    assert await settings_queries.deck_choices(alice.id, deck_id) == mine
    assert await settings_queries.account_choices(alice.id) == ALL


async def test_a_choice_that_is_taken_back_follows_again(rollback: None) -> None:
    alice = await make_account()
    deck_id, _ = await make_deck(alice.id)
    await choose(alice.id, ALL)
    await settings.choose_for_deck(alice.id, deck_id, StudyChoices(new_per_day=9))
    await settings.choose_for_deck(alice.id, deck_id, StudyChoices())
    assert await settings_for(alice.id, deck_id) == settled(ALL)
    assert await db.fetch_value("SELECT count(*) FROM deck_settings") == 0
    await settings.choose_standard(alice.id)
    assert await settings_for(alice.id) == STANDARD


async def test_a_standard_value_is_not_frozen(rollback: None) -> None:
    alice = await make_account()
    await choose(alice.id, StudyChoices(new_per_day=STANDARD.new_per_day, desired_retention=0.8))
    assert await settings_queries.account_choices(alice.id) == StudyChoices(desired_retention=0.8)


async def test_the_study_day_is_the_accounts(rollback: None) -> None:
    alice = await make_account()
    await choose(alice.id, StudyChoices(), zone="Asia/Tokyo", rollover_hour=2)
    changed = await accounts.account(alice.id)
    assert (changed.zone, changed.rollover_hour) == ("Asia/Tokyo", 2)
    for wrong in ({"zone": "Mars/Olympus"}, {"rollover_hour": 24}, {"zone": "localtime"}):
        with pytest.raises(InvalidInput):
            await choose(alice.id, ALL, **wrong)
    assert await settings_for(alice.id) == STANDARD, "half of a refused form was kept"
    with pytest.raises(NotFound):
        await choose(alice.id + 1, ALL)


async def test_another_persons_deck_is_like_a_missing_one(rollback: None) -> None:
    alice, bob = await make_account(), await make_account("bob@example.org")
    deck_id, _ = await make_deck(alice.id)
    await settings.choose_for_deck(alice.id, deck_id, ALL)
    for missing in (deck_id, 987_654, 2**63):
        with pytest.raises(NotFound):
            await settings.choose_for_deck(bob.id, missing, ALL)
    assert await settings_for(bob.id, deck_id) == STANDARD
    assert await settings_queries.deck_choices(bob.id, deck_id) == StudyChoices()
    await propose(alice.id)
    for command in (settings.dismiss_fit, settings.use_standard_parameters):
        await command(bob.id)
    with pytest.raises(Conflict):
        await settings.use_fitted_parameters(bob.id, NOW)
    assert (await settings_queries.own_parameters(alice.id)).proposed == OWN


async def test_a_deck_in_the_trash_keeps_its_settings_and_takes_no_others(rollback: None) -> None:
    alice = await make_account()
    deck_id, _ = await make_deck(alice.id)
    await settings.choose_for_deck(alice.id, deck_id, ALL)
    await decks.delete_deck(alice.id, deck_id, now=NOW)
    with pytest.raises(NotFound):
        await settings.choose_for_deck(alice.id, deck_id, StudyChoices())
    assert await settings_for(alice.id, deck_id) == settled(ALL)


@pytest.mark.parametrize(
    "column", ["desired_retention = 0.99", "maximum_interval_days = 0", "new_per_day = -1", "parameters = '{1,2}'"]
)
async def test_the_database_refuses_what_no_study_page_could_follow(rollback: None, column: str) -> None:
    alice = await make_account()
    await choose(alice.id, ALL)
    with pytest.raises(asyncpg.CheckViolationError):
        await db.execute(f"UPDATE study_settings SET {column}")  # noqa: S608 - of this list


async def begin(account_id: int, deck_id: int) -> Session:
    return await starting.start(account_id, Wish(deck_id=deck_id), clock=CLOCK, now=NOW)


async def keep(account_id: int, session: Session, rating: Rating = Rating.GOOD) -> tuple[Kept, Session]:
    assert session.item
    return await sessions.keep(account_id, session.id, session.item.id, rating, clock=CLOCK, now=NOW)


async def limits_of(account_id: int, deck_id: int, now: datetime = NOW) -> tuple[int, int, int, int]:
    counts = await queries.counts(account_id, deck_id, clock=CLOCK, now=now)
    return counts.new, counts.new_beyond, counts.due, counts.due_beyond


async def test_an_answer_follows_the_steps_and_the_longest_interval(rollback: None) -> None:
    alice = await make_account()
    deck_id, _ = await make_deck(alice.id, count=1)
    await choose(alice.id, StudyChoices(learning_steps=(), maximum_interval_days=3))
    done, session = await keep(alice.id, await begin(alice.id, deck_id), Rating.EASY)
    assert done.interval_days == 3
    assert session.finished


async def test_the_days_limit_of_new_cards(rollback: None) -> None:
    alice = await make_account()
    deck_id, _ = await make_deck(alice.id, count=25)
    assert await limits_of(alice.id, deck_id) == (20, 5, 0, 0)
    await choose(alice.id, StudyChoices(new_per_day=3))
    assert await limits_of(alice.id, deck_id) == (3, 22, 0, 0)
    assert (await begin(alice.id, deck_id)).progress.total == 3
    await settings.choose_for_deck(alice.id, deck_id, StudyChoices(new_per_day=1))
    assert await limits_of(alice.id, deck_id) == (1, 24, 0, 0)
    await keep(alice.id, await begin(alice.id, deck_id), Rating.EASY)
    assert await limits_of(alice.id, deck_id) == (0, 24, 0, 0)
    assert (await begin(alice.id, deck_id)).item is None


async def test_due_reviews_beyond_the_days_limit_wait_and_learning_cards_do_not(rollback: None) -> None:
    alice = await make_account()
    deck_id, cards = await make_deck(alice.id, count=5)
    for card_id in cards[:4]:
        await set_schedule(card_id, 2, NOW - timedelta(days=1))
    await set_schedule(cards[4], 3, NOW - timedelta(minutes=5))
    await db.execute("UPDATE card_schedule SET last_review = $1", NOW - timedelta(days=6))
    await db.execute("UPDATE card_schedule SET step = 0 WHERE card_id = $1", cards[4])
    await choose(alice.id, StudyChoices(reviews_per_day=2))
    assert await limits_of(alice.id, deck_id) == (0, 0, 2, 2)
    session = await begin(alice.id, deck_id)
    asked: list[int] = []
    while session.item:
        asked.append(session.item.card.id)
        _, session = await keep(alice.id, session)
    assert cards[4] in asked, "a card in relearning was kept back"
    assert len(asked) == 3
    assert await limits_of(alice.id, deck_id) == (0, 0, 0, 2)
    assert (await begin(alice.id, deck_id)).item is None, "a review came beyond the limit"
    assert await limits_of(alice.id, deck_id, NOW + timedelta(days=1)) == (0, 0, 2, 0)


async def test_proposed_parameters_are_used_once_the_person_agrees(rollback: None) -> None:
    alice = await make_account()
    deck_id, _ = await make_deck(alice.id)
    await propose(alice.id)
    assert (await settings_for(alice.id, deck_id)).parameters is None
    with pytest.raises(Conflict):
        await settings.use_fitted_parameters(alice.id, NOW - timedelta(seconds=1))
    await settings.use_fitted_parameters(alice.id, NOW)
    assert (await settings_for(alice.id, deck_id)).scheduling(CLOCK).parameters == OWN
    own = await settings_queries.own_parameters(alice.id)
    assert own.used
    assert (own.used.reviews, own.used.log_loss_before, own.used.log_loss_after) == (600, 0.46, 0.45)
    assert (own.parameters, own.proposed, own.last) == (OWN, None, None)
    with pytest.raises(Conflict):
        await settings.use_fitted_parameters(alice.id, NOW)
    await settings.use_standard_parameters(alice.id)
    assert (await settings_for(alice.id)).parameters is None
    assert (await settings_queries.own_parameters(alice.id)).used is None


async def test_parameters_that_are_declined_are_forgotten_and_those_in_use_stay(rollback: None) -> None:
    alice = await make_account()
    await propose(alice.id)
    await settings.use_fitted_parameters(alice.id, NOW)
    await propose(alice.id, (0.4, *OWN[1:]))
    await settings.dismiss_fit(alice.id)
    own = await settings_queries.own_parameters(alice.id)
    assert (own.parameters, own.proposed, own.last) == (OWN, None, None)


async def test_new_settings_move_no_card(rollback: None) -> None:
    alice = await make_account()
    deck_id, cards = await make_deck(alice.id, count=3)
    await set_schedule(cards[0], 2, NOW + timedelta(days=50))
    before = await db.fetch("SELECT * FROM card_schedule ORDER BY card_id")
    await choose(alice.id, ALL)
    await settings.choose_for_deck(alice.id, deck_id, ALL)
    await propose(alice.id)
    await settings.use_fitted_parameters(alice.id, NOW)
    assert await db.fetch("SELECT * FROM card_schedule ORDER BY card_id") == before
