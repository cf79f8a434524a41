"""Passwords: what is accepted, guessing, changing, and the link for a forgotten one."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from datetime import timedelta
from statistics import median

import msgspec
import pytest
from argon2 import PasswordHasher

from app.accounts import passwords, queries, service, throttle
from app.accounts.views import AccountView
from app.core import db
from app.core.ratelimit import Rate
from app.core.tokens import token_hash
from app.domain.errors import Conflict, InvalidInput, NotFound, RateLimited, Unavailable
from tests.factories import NOW, PASSWORD, make_account

BASE_URL = "https://loci.example.org"
OTHER = "another horse, another staple"


async def sign_in(password: str = PASSWORD, email: str = "alice@example.org", address: str = "192.0.2.1") -> str:
    _, token = await service.sign_in(email, password, now=NOW, address=address, user_agent="test")
    return token


@pytest.mark.parametrize(
    "password", ["ten letter", "日本語の長い合言葉です", "x" * 199 + "y", "aaaaaaaaab", " padded by spaces "]
)
def test_a_password_needs_no_kinds_of_characters(password: str) -> None:
    passwords.check_new(password, "alice@example.org")


@pytest.mark.parametrize(
    "password",
    [
        "",
        "nine char",
        " " * 12,
        "\u3000" * 12,
        "x" * 201,
        "Alice@Example.org",
        " alice@example.org ",
        "Password123",
        "1234567890",
        "QWERTYUIOP",
        "correcthorsebatterystaple",
    ],
)
def test_a_password_is_refused(password: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        passwords.check_new(password, "alice@example.org")
    assert caught.value.field == "password"
    assert not password.strip() or password not in str(caught.value)


async def test_a_password_matches_however_its_letters_were_composed() -> None:
    stored = await passwords.hashed("Z\u00fcrich am See")
    assert await passwords.matches(stored, "Zu\u0308rich am See")
    assert not await passwords.matches(stored, "Zurich am See")
    assert not await passwords.matches(stored, "Z\u00fcrich am See" + " " * 100_000)
    assert not await passwords.matches("not a hash", "Z\u00fcrich am See")
    assert not await passwords.matches(None, "")
    assert await passwords.matches(await passwords.hashed("lone \ud800 half"), "lone \ud800 half")


async def test_a_hash_leaves_the_event_loop_free() -> None:
    started = threading.get_ident()
    hashing = asyncio.create_task(passwords.hashed(PASSWORD))
    turns = 0
    while not hashing.done():
        await asyncio.sleep(0)
        turns += 1
    assert turns > 10
    assert threading.get_ident() == started


async def test_a_flood_of_hashes_is_refused_instead_of_queued_without_end() -> None:
    flood = [asyncio.create_task(passwords.matches(None, "x")) for _ in range(60)]
    outcomes = await asyncio.gather(*flood, return_exceptions=True)
    assert sum(isinstance(outcome, Unavailable) for outcome in outcomes) == 18
    assert sum(outcome is False for outcome in outcomes) == 42
    assert not await passwords.matches(None, "x")


async def test_a_place_is_given_back_when_whoever_waited_has_gone() -> None:
    for _ in range(3):
        waiting = [asyncio.create_task(passwords.matches(None, "x")) for _ in range(42)]
        await asyncio.sleep(0)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
    for _ in range(20):  # the threads finish what they had begun
        outcomes = await asyncio.gather(*(passwords.matches(None, "x") for _ in range(42)), return_exceptions=True)
        if outcomes == [False] * 42:
            return
    pytest.fail("places were lost")


async def test_a_right_password_opens_a_session_with_a_new_token_each_time(rollback: None) -> None:
    account = await make_account()
    signed_in, first = await service.sign_in(
        "ALICE@example.org", PASSWORD, now=NOW, address="192.0.2.1", user_agent="Firefox"
    )
    second = await sign_in()
    assert signed_in == account
    assert first != second
    assert first.startswith("loci_web_")
    for token in (first, second):
        found = await queries.signed_in(token, now=NOW)
        assert found is not None
        assert found.account == account


async def test_every_wrong_way_in_gets_the_same_answer(rollback: None) -> None:
    account = await make_account()
    bob = await make_account("bob@example.org")
    await db.execute("UPDATE account SET password_hash = NULL WHERE id = $1", bob.id)
    answers: set[tuple[str, str, str | None]] = set()
    for email, password in (
        (account.email, "wrong wrong wrong"),
        (account.email, ""),
        (account.email, "x" * 10_000),
        ("carol@example.org", PASSWORD),
        ("bob@example.org", PASSWORD),
        ("no address \x00 at all", PASSWORD),
        ("", ""),
    ):
        with pytest.raises(InvalidInput) as caught:
            await sign_in(password, email)
        answers.add((caught.value.message, caught.value.hint, caught.value.field))
    assert len(answers) == 1


async def test_an_unknown_address_takes_as_long_as_a_wrong_password(rollback: None) -> None:
    await make_account()
    times: dict[str, list[float]] = {"alice@example.org": [], "carol@example.org": [], "nonsense": []}
    for turn in range(7):
        for email, taken in times.items():
            begun = time.perf_counter()
            with pytest.raises(InvalidInput):
                await sign_in("wrong wrong wrong", email, address=f"192.0.2.{turn}")
            taken.append(time.perf_counter() - begun)
    typical = [median(taken) for taken in times.values()]
    assert max(typical) < 2 * min(typical)


async def test_guessing_at_an_account_is_throttled_for_the_guesser_and_not_for_its_owner(rollback: None) -> None:
    await make_account()
    for email in ("alice@example.org", "carol@example.org"):  # an account and none
        for turn in range(10):
            with pytest.raises(InvalidInput):
                await sign_in("wrong wrong wrong", [email, email.upper()][turn % 2], "192.0.2.1")
        with pytest.raises(RateLimited) as caught:
            await sign_in(PASSWORD, email, "192.0.2.1")
        assert 1 <= caught.value.retry_after_seconds <= 30
    await sign_in(PASSWORD, address="192.0.2.99")


async def test_guessing_at_an_account_from_everywhere_is_throttled_too(
    rollback: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make_account()
    monkeypatch.setattr(throttle, "_GUESSES_BY_ACCOUNT", Rate(calls=1, seconds=10, burst=8))
    for turn in range(8):
        with pytest.raises(InvalidInput):
            await sign_in("wrong wrong wrong", address=f"192.0.3.{turn}")
    with pytest.raises(RateLimited) as caught:
        await sign_in("wrong wrong wrong", address="192.0.3.99")
    assert 1 <= caught.value.retry_after_seconds <= 10
    assert "alice" not in "".join(row["key"] for row in await db.fetch("SELECT key FROM rate_limit"))


async def test_guessing_is_throttled_by_network_address_over_all_accounts(
    rollback: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A refill so slow that a busy machine sees none.
    monkeypatch.setattr(throttle, "_GUESSES_BY_ADDRESS", Rate(calls=1, seconds=3600, burst=30))
    for turn in range(30):
        with pytest.raises(InvalidInput):
            await sign_in("wrong wrong wrong", f"person{turn}@example.org")
    with pytest.raises(RateLimited) as caught:
        await sign_in("wrong wrong wrong", "person99@example.org")
    assert 1 <= caught.value.retry_after_seconds <= 3600


async def test_a_hash_with_old_parameters_is_replaced_at_sign_in(rollback: None) -> None:
    account = await make_account()
    old = PasswordHasher(time_cost=1, memory_cost=8 * 1024, parallelism=1).hash(PASSWORD)
    await db.execute("UPDATE account SET password_hash = $2 WHERE id = $1", account.id, old)
    await sign_in()
    stored = await db.fetch_value("SELECT password_hash FROM account WHERE id = $1", account.id)
    assert stored != old
    assert not passwords.is_outdated(stored)
    await sign_in()
    assert await db.fetch_value("SELECT password_hash FROM account WHERE id = $1", account.id) == stored


async def test_changing_the_password_ends_the_other_sessions_and_links(rollback: None) -> None:
    account = await make_account()
    here, elsewhere = await sign_in(), await sign_in()
    link = await make_link(account)
    session = await queries.signed_in(here, now=NOW)
    assert session is not None
    await service.change_password(account.id, PASSWORD, OTHER, now=NOW, keep_session_id=session.session_id)
    assert await queries.signed_in(here, now=NOW) == session
    assert await queries.signed_in(elsewhere, now=NOW) is None
    with pytest.raises(InvalidInput):
        await service.reset_password(link, PASSWORD, now=NOW)
    with pytest.raises(InvalidInput):
        await sign_in(PASSWORD)
    await sign_in(OTHER)


async def test_changing_the_password_needs_the_present_one_and_a_good_new_one(rollback: None) -> None:
    account = await make_account()
    for current, new, field in (("wrong wrong wrong", OTHER, "current"), (PASSWORD, "short", "new")):
        with pytest.raises(InvalidInput) as caught:
            await service.change_password(account.id, current, new, now=NOW, keep_session_id=None)
        assert caught.value.field == field
    for _ in range(8):
        with pytest.raises(InvalidInput):
            await service.change_password(account.id, "wrong wrong wrong", OTHER, now=NOW, keep_session_id=None)
    with pytest.raises(RateLimited):
        await service.change_password(account.id, PASSWORD, OTHER, now=NOW, keep_session_id=None)
    with pytest.raises(NotFound):
        await service.change_password(account.id + 1, PASSWORD, OTHER, now=NOW, keep_session_id=None)
    await sign_in(PASSWORD)


async def test_of_two_changes_of_a_password_at_once_one_wins(committed: None) -> None:
    account = await make_account()
    wanted = [OTHER, "third horse, third staple"]
    outcomes = await asyncio.gather(
        *(service.change_password(account.id, PASSWORD, new, now=NOW, keep_session_id=None) for new in wanted),
        return_exceptions=True,
    )
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["Conflict", "NoneType"]
    await sign_in(wanted[[outcome is None for outcome in outcomes].index(True)])


async def test_a_password_changed_while_somebody_signs_in_with_the_old_one_leaves_no_session(committed: None) -> None:
    account = await make_account()
    for turn in range(5):
        old, new = (PASSWORD, OTHER) if turn % 2 == 0 else (OTHER, PASSWORD)
        opened, changed = await asyncio.gather(
            sign_in(old, address=f"192.0.2.{turn}"),
            service.set_password(account.id, new, now=NOW),
            return_exceptions=True,
        )
        assert changed is None
        if isinstance(opened, str):
            assert await queries.signed_in(opened, now=NOW) is None
        else:
            assert isinstance(opened, InvalidInput)


async def test_setting_a_password_ends_every_session(rollback: None) -> None:
    account = await make_account()
    token = await sign_in()
    await service.set_password(account.id, OTHER, now=NOW)
    assert await queries.signed_in(token, now=NOW) is None
    kept = await queries.signed_in(await sign_in(OTHER), now=NOW)
    assert kept is not None
    await service.set_password(account.id, PASSWORD, now=NOW, keep_session_id=kept.session_id)
    assert [session.id for session in await queries.sessions(account.id, now=NOW, current_session_id=None)] == [
        kept.session_id
    ]
    with pytest.raises(InvalidInput):
        await service.set_password(account.id, account.email, now=NOW)
    with pytest.raises(NotFound):
        await service.set_password(account.id + 1, OTHER, now=NOW)


async def test_the_password_is_not_removed_while_there_is_no_passkey(rollback: None) -> None:
    account = await make_account()
    with pytest.raises(Conflict, match="passkey"):
        await service.remove_password(account.id, PASSWORD, now=NOW)
    await sign_in()


async def make_link(account: AccountView) -> str:
    """The token of a fresh reset link, read from its mail as a person would."""
    mail = await service.issue_password_reset(account.id, now=NOW, base_url=BASE_URL)
    assert mail is not None
    assert mail.to == account.email
    found = re.search(rf"^{BASE_URL}/password/reset\?token=(loci_rst_\w+)$", mail.text, re.MULTILINE)
    assert found is not None
    return found[1]


async def test_asking_for_a_link_queues_a_job_without_secret_whether_or_not_there_is_an_account(rollback: None) -> None:
    account = await make_account()
    for email in (account.email, "carol@example.org"):
        await service.request_password_reset(email, now=NOW, address="192.0.2.1")
    jobs = await db.fetch("SELECT kind, payload FROM job ORDER BY id")
    assert [(job["kind"], msgspec.json.decode(job["payload"])) for job in jobs] == [
        ("password_reset", {"account_id": account.id}),
        ("password_reset", {"account_id": 0}),
    ]
    assert await db.fetch_value("SELECT count(*) FROM password_reset") == 0
    assert await service.issue_password_reset(0, now=NOW, base_url=BASE_URL) is None
    with pytest.raises(InvalidInput):
        await service.request_password_reset("nonsense", now=NOW, address="192.0.2.1")


async def test_asking_for_links_is_throttled_alike_for_known_and_unknown_addresses(rollback: None) -> None:
    await make_account()
    for email in ("alice@example.org", "carol@example.org"):
        before = await db.fetch_value("SELECT count(*) FROM job")
        for _ in range(4):
            await service.request_password_reset(email, now=NOW, address="192.0.2.1")
        assert await db.fetch_value("SELECT count(*) FROM job") == before + 3
    with pytest.raises(RateLimited):
        for turn in range(9):
            await service.request_password_reset(f"person{turn}@example.org", now=NOW, address="192.0.2.1")


async def test_a_link_sets_a_new_password_once_and_ends_all_sessions(rollback: None) -> None:
    account = await make_account()
    session = await sign_in()
    link = await make_link(account)
    stored = await db.fetch_value("SELECT token_hash FROM password_reset WHERE account_id = $1", account.id)
    assert stored == token_hash(link)
    with pytest.raises(InvalidInput, match="shorter"):
        await service.reset_password(link, "short", now=NOW)
    assert await service.reset_password(link, OTHER, now=NOW + timedelta(minutes=59)) == account
    assert await queries.signed_in(session, now=NOW) is None
    await sign_in(OTHER)
    with pytest.raises(InvalidInput) as caught:
        await service.reset_password(link, PASSWORD, now=NOW)
    assert caught.value.field == "token"


async def test_only_the_newest_link_works_and_none_after_an_hour(rollback: None) -> None:
    account = await make_account()
    older, newest = await make_link(account), await make_link(account)
    for link, now in ((older, NOW), (newest, NOW + timedelta(hours=1)), (newest[:-1] + "!", NOW), ("", NOW)):
        with pytest.raises(InvalidInput):
            await service.reset_password(link, OTHER, now=now)
    await service.reset_password(newest, OTHER, now=NOW)


async def test_of_two_uses_of_one_link_at_once_one_works(committed: None) -> None:
    account = await make_account()
    link = await make_link(account)
    wanted = [OTHER, "third horse, third staple"]
    outcomes = await asyncio.gather(
        *(service.reset_password(link, new, now=NOW) for new in wanted), return_exceptions=True
    )
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["AccountView", "InvalidInput"]
    await sign_in(wanted[[isinstance(outcome, AccountView) for outcome in outcomes].index(True)])


async def test_of_two_links_made_at_once_one_works(committed: None) -> None:
    account = await make_account()
    links = await asyncio.gather(*(make_link(account) for _ in range(4)))
    outcomes = [await _works(link) for link in links]
    assert outcomes.count(True) == 1


async def _works(link: str) -> bool:
    try:
        await service.reset_password(link, OTHER, now=NOW)
    except InvalidInput:
        return False
    return True


async def test_a_link_lets_in_who_has_only_passkeys(rollback: None) -> None:
    account = await make_account()
    await db.execute("UPDATE account SET password_hash = NULL WHERE id = $1", account.id)
    with pytest.raises(Conflict, match="passkey"):
        await service.delete_account(account.id, "")
    with pytest.raises(Conflict):
        await service.change_password(account.id, "", OTHER, now=NOW, keep_session_id=None)
    assert (await service.reset_password(await make_link(account), OTHER, now=NOW)).has_password
    await sign_in(OTHER)
