"""A fit from the request to the proposal: a job, a process of its own, nothing used unasked."""

from __future__ import annotations

import asyncio
import sys
from datetime import UTC, datetime, timedelta

import psutil
import pytest

from app import jobs
from app.core import clock, db, queue
from app.core.mail import PrintingMailer
from app.core.settings import Settings
from app.domain.calendar import StudyClock
from app.domain.errors import PlanRequired
from app.domain.fitting import FitOutcome, fit, histories
from app.domain.scheduling import SchedulingOptions
from app.study import fitting, settings, settings_queries
from tests.areas.deck_makers import make_deck
from tests.domain.review_log import real_answers
from tests.factories import NOW, make_account

CONTEXT = jobs.JobContext(Settings(secret_key="k" * 32), PrintingMailer())
ANSWERS = real_answers()


async def make_reviewed_account(email: str = "alice@example.org", answers: int = len(ANSWERS)) -> int:
    """An account with the real log as the log of its cards; its id."""
    account = await make_account(email)
    of_log = list(dict.fromkeys(answer.card_id for answer in ANSWERS[:answers]))
    deck_id, _ = await make_deck(account.id)
    first = await db.fetch_value("SELECT coalesce(max(id), 0) FROM card") + 1
    await db.execute(
        "INSERT INTO card (id, account_id, deck_id, front, back, tags, card_key, search_text, grams, created_at, "
        "updated_at) SELECT n, $1, $2, n::text, '', '{}', decode(lpad(to_hex(n), 32, '0'), 'hex'), '', '{}', $5, $5 "
        "FROM generate_series($3::bigint, $4) AS n",
        account.id,
        deck_id,
        first,
        first + len(of_log) - 1,
        NOW,
    )
    ids = {card_id: first + place for place, card_id in enumerate(of_log)}
    reps: dict[int, int] = {}
    rows: list[tuple[object, ...]] = []
    for answer in ANSWERS[:answers]:
        rep = reps[answer.card_id] = reps.get(answer.card_id, -1) + 1
        known = (account.id, ids[answer.card_id], deck_id, rep, answer.rating, answer.reviewed_at, answer.state_before)
        rows.append(known)
    await db.execute_many(
        "INSERT INTO review (account_id, card_id, deck_id, rep, rating, reviewed_at, state_before, before, due, "
        "interval_days, stability, difficulty) VALUES ($1, $2, $3, $4, $5, $6, $7, '{}', $6, 1, 1, 5)",
        rows,
    )
    return account.id


async def jobs_waiting() -> int:
    return await db.fetch_value("SELECT count(*) FROM job")


async def test_a_fit_is_proposed_and_not_used(rollback: None) -> None:
    account_id = await make_reviewed_account()
    schedules = await db.fetch("SELECT * FROM card_schedule")
    assert await fitting.ask_for_fit(account_id, allowed=True, now=clock.now())
    assert (await settings_queries.own_parameters(account_id)).asked_at
    assert await jobs.run_one(CONTEXT)
    own = await settings_queries.own_parameters(account_id)
    expected = fit(histories(ANSWERS, StudyClock("UTC", 4)), current=SchedulingOptions().parameters)
    assert own.last
    assert (own.asked_at, own.parameters, own.used) == (None, None, None)
    assert own.proposed == expected.parameters
    assert (own.last.outcome, own.last.reviews) == (FitOutcome.FITTED, expected.reviews)
    assert own.last.log_loss_after == expected.log_loss_after
    assert own.last.log_loss_before == expected.log_loss_before
    assert (await settings.settings_for(account_id)).parameters is None
    assert await db.fetch("SELECT * FROM card_schedule") == schedules
    await settings.use_fitted_parameters(account_id, own.last.at)
    assert (await settings.settings_for(account_id)).parameters == expected.parameters
    assert await jobs_waiting() == 0


async def test_a_second_fit_on_the_same_reviews_is_no_better(rollback: None) -> None:
    account_id = await make_reviewed_account()
    for _ in range(2):
        await fitting.ask_for_fit(account_id, allowed=True, now=clock.now())
        await jobs.run_one(CONTEXT)
        own = await settings_queries.own_parameters(account_id)
        assert own.last
        if own.proposed:
            await settings.use_fitted_parameters(account_id, own.last.at)
    assert own.last.outcome is FitOutcome.NO_BETTER
    assert own.proposed is None
    assert own.used


async def test_the_days_are_the_persons(rollback: None) -> None:
    account_id = await make_reviewed_account()
    await db.execute("UPDATE account SET zone = 'Pacific/Auckland', rollover_hour = 9")
    await fitting.ask_for_fit(account_id, allowed=True, now=clock.now())
    await jobs.run_one(CONTEXT)
    expected = fit(histories(ANSWERS, StudyClock("Pacific/Auckland", 9)), current=SchedulingOptions().parameters)
    assert (await settings_queries.own_parameters(account_id)).proposed == expected.parameters


async def test_too_few_reviews_are_said(rollback: None) -> None:
    account_id = await make_reviewed_account(answers=600)
    await fitting.ask_for_fit(account_id, allowed=True, now=clock.now())
    await jobs.run_one(CONTEXT)
    own = await settings_queries.own_parameters(account_id)
    assert own.last
    assert own.last.outcome is FitOutcome.TOO_FEW
    assert 0 < own.last.reviews < 512
    assert own.proposed is None


async def test_the_plan_must_include_it(rollback: None) -> None:
    alice = await make_account()
    with pytest.raises(PlanRequired):
        await fitting.ask_for_fit(alice.id, allowed=False, now=clock.now())
    assert await jobs_waiting() == 0
    assert await db.fetch_value("SELECT count(*) FROM study_settings") == 0


async def test_ten_requests_at_once_are_one_job(committed: None) -> None:
    account_id = (await make_account()).id
    asked = await asyncio.gather(*(fitting.ask_for_fit(account_id, allowed=True, now=clock.now()) for _ in range(10)))
    assert sorted(asked) == [False] * 9 + [True]
    assert await jobs_waiting() == 1


async def test_a_lost_fit_can_be_asked_for_again_and_does_not_come_back(rollback: None) -> None:
    account_id = await make_reviewed_account(answers=600)
    long_ago = clock.now() - timedelta(hours=2)
    assert await fitting.ask_for_fit(account_id, allowed=True, now=long_ago)
    asked_at = clock.now()
    assert await fitting.ask_for_fit(account_id, allowed=True, now=asked_at)
    await fitting.run_fit(account_id, long_ago, now=clock.now())
    own = await settings_queries.own_parameters(account_id)
    assert (own.asked_at, own.last) == (asked_at, None), "the lost fit ended the new one"
    await fitting.run_fit(account_id, asked_at, now=clock.now())
    first = await settings_queries.own_parameters(account_id)
    await fitting.run_fit(account_id, asked_at, now=clock.now())
    assert await settings_queries.own_parameters(account_id) == first, "a job that is run twice does more than once"


async def test_a_fit_of_an_account_that_is_gone_is_done(rollback: None) -> None:
    account_id = (await make_account()).id
    await fitting.ask_for_fit(account_id, allowed=True, now=clock.now())
    await db.execute("DELETE FROM account WHERE id = $1", account_id)
    assert await jobs.run_one(CONTEXT)
    assert await jobs_waiting() == 0


async def test_a_process_that_fails_leaves_the_old_parameters(rollback: None, monkeypatch: pytest.MonkeyPatch) -> None:
    account_id = await make_reviewed_account()
    own = (0.3, *SchedulingOptions().parameters[1:])
    await db.execute(
        "INSERT INTO study_settings (account_id, parameters, fitted_at, fitted_reviews) VALUES ($1, $2, $3, 1)",
        account_id,
        own,
        NOW,
    )
    for program in ("/bin/false", "/no/such/program", "/bin/echo"):
        monkeypatch.setattr(sys, "executable", program)
        await fitting.ask_for_fit(account_id, allowed=True, now=clock.now())
        assert await jobs.run_one(CONTEXT)
        found = await settings_queries.own_parameters(account_id)
        assert found.last
        assert (found.last.outcome, found.proposed, found.asked_at) == (FitOutcome.FAILED, None, None)
        assert found.parameters == own
    assert await jobs_waiting() == 0


async def test_a_process_that_hangs_is_ended(rollback: None, monkeypatch: pytest.MonkeyPatch) -> None:
    account_id = await make_reviewed_account(answers=600)
    monkeypatch.setattr(fitting, "_SECONDS", 0)
    await fitting.ask_for_fit(account_id, allowed=True, now=clock.now())
    assert await jobs.run_one(CONTEXT)
    found = await settings_queries.own_parameters(account_id)
    assert found.last
    assert found.last.outcome is FitOutcome.FAILED
    left = [child for child in psutil.Process().children() if "app.study.fitting_process" in child.cmdline()]
    assert left == []


async def test_the_log_of_another_person_is_not_used(rollback: None) -> None:
    await make_reviewed_account()
    bob = await make_reviewed_account("bob@example.org", answers=600)
    await fitting.ask_for_fit(bob, allowed=True, now=clock.now())
    await jobs.run_one(CONTEXT)
    own = await settings_queries.own_parameters(bob)
    assert own.last
    assert own.last.outcome is FitOutcome.TOO_FEW


async def test_a_job_from_before_the_clock_change_is_read(rollback: None) -> None:
    """The moment in the payload is compared with the row's to the microsecond."""
    alice = await make_account()
    odd = datetime(2026, 3, 29, 1, 59, 59, 123_457, tzinfo=UTC)
    await fitting.ask_for_fit(alice.id, allowed=True, now=odd)
    job = await queue.claim(clock.now())
    assert job
    assert datetime.fromisoformat(job.payload["asked_at"]) == odd
    await jobs.HANDLERS[job.kind](CONTEXT, job.payload)
    assert (await settings_queries.own_parameters(alice.id)).asked_at is None
