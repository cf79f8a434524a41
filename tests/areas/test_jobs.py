"""The worker: what it does with a job that fails, one that nobody knows, and with two of itself."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest

from app import jobs
from app.accounts import service as accounts
from app.core import clock, db, queue
from app.core.mail import Mail, PrintingMailer
from app.core.settings import Settings
from app.domain.errors import Unavailable
from tests.factories import make_account

SETTINGS = Settings(secret_key="k" * 32, public_url="https://loci.example.org")
CONTEXT = jobs.JobContext(SETTINGS, PrintingMailer())


class BrokenMailer:
    """A mail server that is away; it keeps what it was asked to send."""

    def __init__(self) -> None:
        self.asked: list[Mail] = []

    async def send(self, mail: Mail) -> None:
        self.asked.append(mail)
        raise ConnectionRefusedError(f"could not send to {mail.to}")


async def the_job() -> dict[str, Any]:
    rows = await db.fetch("SELECT * FROM job")
    assert len(rows) == 1
    return dict(rows[0])


async def ask_for_reset() -> None:
    await make_account()
    await accounts.request_password_reset("alice@example.org", now=clock.now(), address="")


async def test_without_a_job_there_is_nothing_to_do(rollback: None) -> None:
    assert not await jobs.run_one(CONTEXT)


async def test_a_reset_mail_has_one_link_to_the_public_address(
    rollback: None, capsys: pytest.CaptureFixture[str]
) -> None:
    await ask_for_reset()
    job = await the_job()
    assert "loci_rst_" not in job["payload"]
    assert "alice" not in job["payload"]
    assert await jobs.run_one(CONTEXT)
    printed = capsys.readouterr().out
    assert printed.count("https://loci.example.org/password/reset?token=loci_rst_") == 1
    assert await db.fetch_value("SELECT count(*) FROM job") == 0


async def test_a_job_of_an_account_that_is_gone_is_done(rollback: None, capsys: pytest.CaptureFixture[str]) -> None:
    await queue.enqueue("password_reset", {"account_id": 999_999}, clock.now())
    assert await jobs.run_one(CONTEXT)
    assert "--- mail" not in capsys.readouterr().out
    assert await db.fetch_value("SELECT count(*) FROM job") == 0


async def test_a_job_that_fails_waits_longer_each_time_and_is_kept_in_the_end(
    rollback: None, capsys: pytest.CaptureFixture[str]
) -> None:
    await ask_for_reset()
    mailer = BrokenMailer()
    context = jobs.JobContext(SETTINGS, mailer)
    pauses: list[float] = []
    for attempt in range(1, queue.ATTEMPTS + 1):
        before = clock.now()
        assert await jobs.run_one(context)
        job = await the_job()
        assert (job["attempts"], job["last_error"]) == (attempt, "ConnectionRefusedError")
        pauses.append(round((job["run_at"] - before).total_seconds()))
        assert not await jobs.run_one(context), "it did not wait"
        await db.execute("UPDATE job SET run_at = $1", clock.now() - timedelta(seconds=1))
    assert pauses == [5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560]
    assert job["failed_at"] is not None
    assert not await jobs.run_one(context), "a job that has failed for good is tried again"
    logged = capsys.readouterr().err
    assert "job_failed" in logged
    assert "alice@example.org" not in logged
    # Each try made a link of its own, and only the last is good.
    tokens = [mail.text.partition("token=")[2].split()[0] for mail in mailer.asked]
    assert len(set(tokens)) == queue.ATTEMPTS
    await accounts.reset_password(tokens[-1], "a sentence nobody guesses", now=clock.now())


async def test_a_job_of_a_kind_that_nobody_knows_is_kept(rollback: None) -> None:
    await queue.enqueue("from_the_future", {"a": 1}, clock.now())
    assert await jobs.run_one(CONTEXT)
    job = await the_job()
    assert (job["kind"], job["attempts"], job["last_error"]) == ("from_the_future", 1, "LookupError")
    assert job["run_at"] > clock.now()
    assert job["failed_at"] is None


async def leave_expired_things() -> int:
    """An account with a session and a reset link that have expired; its id."""
    account = await make_account()
    past = clock.now() - timedelta(days=120)
    await accounts.open_session(account.id, now=past, address="", user_agent="")
    await accounts.issue_password_reset(account.id, now=past, base_url="")
    return account.id


async def expired_things() -> int:
    return await db.fetch_value("SELECT (SELECT count(*) FROM web_session) + (SELECT count(*) FROM password_reset)")


async def test_the_sweep_erases_what_has_expired_and_nothing_else(rollback: None) -> None:
    account_id = await leave_expired_things()
    await accounts.open_session(account_id, now=clock.now(), address="", user_agent="")
    await jobs.sweep(SETTINGS)
    assert await expired_things() == 1


async def test_one_process_sweeps_while_the_others_pass(committed: None) -> None:
    await leave_expired_things()
    async with db.atomic():
        assert await db.fetch_value("SELECT pg_try_advisory_xact_lock($1)", jobs._SWEEP_LOCK)
        # A task of its own context has a connection of its own, as another process would.
        await asyncio.get_running_loop().create_task(_elsewhere(jobs.sweep(SETTINGS)))
        await asyncio.get_running_loop().create_task(_elsewhere(jobs.tidy_search()))
        assert await expired_things() == 2, "two processes swept at once"
    await jobs.sweep(SETTINGS)
    await jobs.tidy_search()
    assert await expired_things() == 0


async def _elsewhere(work: Any) -> None:
    db.DB.current_transaction.set(None)
    await work


async def test_the_worker_goes_on_after_a_fault_and_ends_when_told(
    committed: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = asyncio.Event()
    calls: list[str] = []

    async def note(_context: jobs.JobContext, payload: Mapping[str, Any]) -> None:
        calls.append(payload["name"])
        if len(calls) == 3:
            done.set()

    faults: list[Exception] = [Unavailable("away"), RuntimeError("a fault")]
    real = queue.claim

    async def claim(now: Any, **kinds: Any) -> queue.ClaimedJob | None:
        if faults:
            raise faults.pop(0)
        return await real(now, **kinds)

    monkeypatch.setattr(jobs, "_IDLE_SECONDS", 0.001)
    monkeypatch.setattr(jobs, "HANDLERS", {"note": note})
    monkeypatch.setattr(queue, "claim", claim)
    for name in ("first", "second"):
        await queue.enqueue("note", {"name": name}, clock.now())
    await queue.enqueue("note", {"name": "later"}, clock.now(), run_at=clock.now() + timedelta(milliseconds=20))
    async with jobs.running(SETTINGS):
        await asyncio.wait_for(done.wait(), 20)
    assert calls == ["first", "second", "later"]
    assert not [task for task in asyncio.all_tasks() if task.get_name() == "jobs"]
