from __future__ import annotations

import asyncio
from datetime import timedelta

from app.core import db, queue
from tests.factories import NOW


async def test_a_job_is_there_after_its_command_and_not_if_the_command_failed(committed: None) -> None:
    try:
        async with db.atomic():
            await queue.enqueue("mail", {"to": 1}, NOW)
            raise RuntimeError
    except RuntimeError:
        pass
    assert await queue.claim(NOW) is None
    async with db.atomic():
        await queue.enqueue("mail", {"to": 2}, NOW)
    job = await queue.claim(NOW)
    assert job is not None
    assert (job.kind, job.payload, job.attempts) == ("mail", {"to": 2}, 1)


async def test_a_claimed_job_is_nobody_elses_until_the_claim_runs_out(committed: None) -> None:
    await queue.enqueue("mail", {}, NOW)
    first = await queue.claim(NOW)
    assert await queue.claim(NOW + queue.CLAIM - timedelta(seconds=1)) is None
    again = await queue.claim(NOW + queue.CLAIM + timedelta(seconds=1))
    assert first is not None
    assert again is not None
    assert (again.id, again.attempts) == (first.id, 2)


async def test_each_of_twenty_jobs_is_claimed_once_by_eight_workers(committed: None) -> None:
    for number in range(20):
        await queue.enqueue("mail", {"number": number}, NOW)

    async def worker() -> list[int]:
        taken: list[int] = []
        while (job := await queue.claim(NOW)) is not None:
            taken.append(job.payload["number"])
            await queue.finish(job)
        return taken

    taken = await asyncio.gather(*(worker() for _ in range(8)))
    assert sorted(number for numbers in taken for number in numbers) == list(range(20))
    assert await db.fetch_value("SELECT count(*) FROM job") == 0


async def test_a_failed_job_comes_back_later_each_time_and_is_kept_in_the_end(committed: None) -> None:
    await queue.enqueue("mail", {}, NOW)
    moment = NOW
    pauses: list[timedelta] = []
    for _ in range(queue.ATTEMPTS):
        job = await queue.claim(moment)
        assert job is not None
        await queue.give_back(job, "TimeoutError", moment)
        run_at = await db.fetch_value("SELECT run_at FROM job")
        pauses.append(run_at - moment)
        assert await queue.claim(moment) is None
        moment = run_at
    assert pauses == sorted(pauses)
    assert pauses[0] == timedelta(seconds=5)
    assert pauses[-1] <= timedelta(hours=1)
    assert await queue.claim(moment + timedelta(days=1)) is None
    row = await db.fetch_row("SELECT last_error, failed_at FROM job")
    assert row is not None
    assert row["last_error"] == "TimeoutError"
    assert row["failed_at"] is not None


async def test_a_job_waits_for_its_time(committed: None) -> None:
    await queue.enqueue("mail", {}, NOW, run_at=NOW + timedelta(hours=1))
    assert await queue.claim(NOW) is None
    assert await queue.claim(NOW + timedelta(hours=1)) is not None


async def test_a_job_that_is_never_given_up_comes_back_every_hour(committed: None) -> None:
    await queue.enqueue("close", {}, NOW)
    moment = NOW
    for _ in range(queue.ATTEMPTS + 3):
        job = await queue.claim(moment)
        assert job is not None
        await queue.give_back(job, "PaymentsUnavailable", moment, give_up=False)
        run_at = await db.fetch_value("SELECT run_at FROM job")
        assert run_at - moment <= timedelta(hours=1)
        moment = run_at
    assert await db.fetch_value("SELECT count(*) FROM job WHERE failed_at IS NULL") == 1


async def test_what_nobody_waits_for_is_taken_when_nothing_else_waits(rollback: None) -> None:
    await queue.enqueue("nightly", {}, NOW - timedelta(hours=1))
    await queue.enqueue("urgent", {}, NOW)
    taken = [await queue.claim(NOW, patient=("nightly",)) for _ in range(3)]
    assert [job.kind if job else None for job in taken] == ["urgent", "nightly", None]


async def test_what_waits_for_a_later_time_can_be_hastened(rollback: None) -> None:
    await queue.enqueue_once("nightly", NOW, run_at=NOW + timedelta(hours=9))
    await queue.hasten("other", NOW)
    assert await queue.claim(NOW) is None
    await queue.hasten("nightly", NOW)
    job = await queue.claim(NOW)
    assert job
    assert job.kind == "nightly"
