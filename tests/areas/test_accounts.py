"""Accounts: signing up, profile, plan, deletion; and the cleaning of what people type about themselves."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.accounts import queries, service
from app.accounts.fields import as_line, clean_email, email_key, is_line
from app.accounts.views import AccountView
from app.core import db
from app.domain.errors import Conflict, InvalidInput, NotFound, RateLimited
from app.domain.plans import Plan
from tests.factories import NOW, PASSWORD, make_account, make_key


async def test_a_new_account_is_found_by_its_address_in_any_letter_case(rollback: None) -> None:
    account = await service.sign_up(
        " Alice@Example.org ", PASSWORD, now=NOW, name="Alice", zone="Europe/Berlin", address="192.0.2.1"
    )
    assert account == AccountView(
        id=account.id,
        email="Alice@Example.org",
        name="Alice",
        plan=Plan.FREE,
        zone="Europe/Berlin",
        rollover_hour=4,
        language="en",
        theme="system",
        single_keys=True,
        has_password=True,
        created_at=NOW,
    )
    assert await queries.account(account.id) == account
    assert await queries.account_by_email("ALICE@example.ORG") == account
    assert await queries.account_by_email("bob@example.org") is None
    assert await queries.account_by_email("not an address") is None


async def test_the_password_is_stored_as_an_argon2id_hash_alone(rollback: None) -> None:
    account = await make_account()
    stored = await db.fetch_row("SELECT * FROM account WHERE id = $1", account.id)
    assert stored is not None
    assert stored["password_hash"].startswith("$argon2id$v=19$m=19456,t=3,p=1$")
    assert PASSWORD not in "".join(str(value) for value in stored.values())


async def test_a_taken_address_is_a_conflict_that_says_to_sign_in(rollback: None) -> None:
    await make_account("alice@example.org")
    with pytest.raises(Conflict, match="Sign in") as caught:
        await make_account("ＡLICE@example.org")
    assert "alice" not in str(caught.value).casefold()


async def test_of_two_sign_ups_of_one_address_at_once_one_wins(committed: None) -> None:
    outcomes = await asyncio.gather(
        *(service.sign_up("alice@example.org", PASSWORD, now=NOW) for _ in range(4)), return_exceptions=True
    )
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["AccountView", *["Conflict"] * 3]
    assert await db.fetch_value("SELECT count(*) FROM account") == 1


async def test_signing_up_is_throttled_by_address_but_not_at_the_command_line(rollback: None) -> None:
    async def taken(address: str | None) -> None:
        with pytest.raises(Conflict):
            await service.sign_up("alice@example.org", PASSWORD, now=NOW, address=address)

    await make_account("alice@example.org")
    for _ in range(20):
        await taken("192.0.2.7")
    with pytest.raises(RateLimited) as caught:
        await service.sign_up("bob@example.org", PASSWORD, now=NOW, address="192.0.2.7")
    assert 1 <= caught.value.retry_after_seconds <= 60
    await taken(None)
    await taken("192.0.2.8")


async def test_addresses_of_one_ipv6_network_are_throttled_together(rollback: None) -> None:
    await make_account("alice@example.org")
    for last in range(20):
        with pytest.raises(Conflict):
            await service.sign_up("alice@example.org", PASSWORD, now=NOW, address=f"2001:db8:1:2::{last:x}")
    with pytest.raises(RateLimited):
        await service.sign_up("alice@example.org", PASSWORD, now=NOW, address="2001:db8:1:2:ffff::1")
    with pytest.raises(Conflict):
        await service.sign_up("alice@example.org", PASSWORD, now=NOW, address="2001:db8:1:3::1")


@pytest.mark.parametrize(
    "address",
    [
        "alice@example.org",
        "alice@localhost",
        "a.b+c_d-e'f@sub.example.co.uk",
        "da.me..@docomo.example",
        "用户@例え.テスト",
        "x@xn--r8jz45g.xn--zckzah",
        "a" * 64 + "@example.org",
    ],
)
def test_an_address_is_accepted(address: str) -> None:
    assert clean_email(f"  {address}\n") == address


@pytest.mark.parametrize(
    "address",
    [
        "",
        "alice",
        "@example.org",
        "alice@",
        "alice@example",
        "alice@@example.org",
        "alice@exa@mple.org",
        "al ice@example.org",
        "alice@exam ple.org",
        "alice@example..org",
        "alice@.org",
        "alice@example.org.",
        "alice@-example.org",
        "alice@example-.org",
        "alice@exam_ple.org",
        "alice\r\nBcc: bob@example.org",
        "alice\x00@example.org",
        "alice,bob@example.org",
        "<alice@example.org>",
        '"alice"@example.org',
        "alice@[127.0.0.1]",
        "alice\ud800@example.org",
        "a" * 65 + "@example.org",
        "a@" + "b" * 64 + ".org",
        "a@" + ".".join(["b" * 60] * 5),
        "a" * 100_000 + "@example.org",
    ],
)
def test_an_address_is_refused_without_being_quoted(address: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        clean_email(address)
    assert caught.value.field == "email"
    assert "alice" not in str(caught.value)


@given(st.text(max_size=300))
def test_what_is_accepted_as_an_address_can_be_stored_and_mailed(text: str) -> None:
    try:
        email = clean_email(text)
    except InvalidInput:
        return
    assert is_line(email)
    assert email.count("@") == 1
    assert len(email.encode()) <= 254
    assert clean_email(email) == email
    assert email_key(email_key(email)) == email_key(email)


@given(st.text(max_size=300))
def test_what_a_browser_says_of_itself_becomes_one_line(text: str) -> None:
    line = as_line(text, 100)
    assert is_line(line)
    assert len(line) <= 100
    line.encode()


async def test_the_profile_is_replaced_and_each_field_checked(rollback: None) -> None:
    account = await make_account()
    values = {
        "name": "  Ａlice  ",
        "language": "ja",
        "theme": "dark",
        "single_keys": False,
    }
    changed = await service.update_profile(account.id, **values)
    assert changed == await queries.account(account.id)
    assert (changed.name, changed.language, changed.theme, changed.single_keys) == ("Ａlice", "ja", "dark", False)
    wrong = {
        "name": ["x" * 81, "a\nb", "a\x00b"],
        "language": ["", "english", "e n"],
        "theme": ["", "Dark"],
    }
    for field, bad_values in wrong.items():
        for bad in bad_values:
            with pytest.raises(InvalidInput) as caught:
                await service.update_profile(account.id, **{**values, field: bad})
            assert caught.value.field == field
    assert await queries.account(account.id) == changed
    with pytest.raises(NotFound):
        await service.update_profile(account.id + 1, **values)


async def test_the_study_day_is_chosen_and_checked(rollback: None) -> None:
    account = await make_account()
    changed = await service.set_study_day(account.id, zone="Asia/Tokyo", rollover_hour=3)
    assert changed == await queries.account(account.id)
    assert (changed.zone, changed.rollover_hour) == ("Asia/Tokyo", 3)
    for zone in ("", "Mars/Olympus", "../../etc/passwd", "europe/berlin", "localtime"):
        with pytest.raises(InvalidInput) as caught:
            await service.set_study_day(account.id, zone=zone, rollover_hour=4)
        assert caught.value.field == "zone"
    for hour in (-1, 24):
        with pytest.raises(InvalidInput) as caught:
            await service.set_study_day(account.id, zone="UTC", rollover_hour=hour)
        assert caught.value.field == "rollover_hour"
    assert await queries.account(account.id) == changed
    with pytest.raises(NotFound):
        await service.set_study_day(account.id + 1, zone="UTC", rollover_hour=4)


def test_an_unknown_zone_of_a_browser_becomes_utc() -> None:
    assert service.known_zone("Asia/Seoul") == "Asia/Seoul"
    assert service.known_zone("localtime") == "UTC"
    assert service.known_zone("Mars/Olympus") == "UTC"


async def test_the_plan_is_set_by_address(rollback: None) -> None:
    account = await make_account(plan=Plan.FREE)
    assert (await service.set_plan("ALICE@example.org", Plan.PRO, now=NOW)).plan is Plan.PRO
    assert (await queries.account(account.id)).plan is Plan.PRO
    for unknown in ("bob@example.org", "nonsense"):
        with pytest.raises(NotFound) as caught:
            await service.set_plan(unknown, Plan.PRO, now=NOW)
        assert unknown not in str(caught.value)


async def test_an_account_is_deleted_with_everything_in_it_and_nothing_else(rollback: None) -> None:
    alice, bob = await make_account(), await make_account("bob@example.org")
    for account in (alice, bob):
        await make_key(account)
        await service.open_session(account.id, now=NOW, address="192.0.2.1", user_agent="test")
        await service.issue_password_reset(account.id, now=NOW, base_url="http://localhost")
        await _write_rows(account.id)
    with pytest.raises(InvalidInput) as caught:
        await service.delete_account(alice.id, "wrong wrong wrong")
    assert caught.value.field == "password"
    assert await queries.account(alice.id) == alice
    await service.delete_account(alice.id, PASSWORD)
    with pytest.raises(NotFound):
        await queries.account(alice.id)
    tables = await db.fetch(
        "SELECT table_name FROM information_schema.columns WHERE column_name = 'account_id' AND table_schema = 'public'"
    )
    assert len(tables) >= 10
    for table in tables:
        name = table["table_name"]
        assert await db.fetch_value(f"SELECT count(*) FROM {name} WHERE account_id = $1", alice.id) == 0, name  # noqa: S608
        assert await db.fetch_value(f"SELECT count(*) FROM {name} WHERE account_id = $1", bob.id) == 1, name  # noqa: S608
    assert await queries.account(bob.id) == bob
    with pytest.raises(NotFound):
        await service.delete_account(alice.id, PASSWORD)


async def _write_rows(account_id: int) -> None:
    """One row in every table of the account that has none yet, its columns filled by type, children after parents."""
    await db.execute("SET CONSTRAINTS ALL IMMEDIATE")
    made: dict[str, int] = {}
    fillers = {
        "bigint": "0",
        "integer": "0",
        "smallint": "1",
        "double precision": "1",
        "boolean": "true",
        "text": "'x'",
        "jsonb": "'{}'",
        "bytea": "'\\x00'::bytea || sha256(random()::text::bytea)",
        "timestamp with time zone": "now()",
        "uuid": "gen_random_uuid()",
        "ARRAY": "'{}'",
    }
    made["client"] = await db.fetch_value(
        "INSERT INTO oauth_client (client_id, kind, name, redirect_uris, auth_method, created_at) "
        "VALUES (gen_random_uuid()::text, 'registered', 'x', '{}', 'none', now()) RETURNING id"
    )
    order = (
        "passkey", "mcp_audit_events", "idempotency_key", "collection", "deck", "card", "card_schedule", "review",
        "study_settings", "deck_settings", "study_session", "study_item", "media", "card_media", "import_job",
        "import_piece", "card_origin",
        "oauth_connection", "oauth_authorization_code", "oauth_access_token",
        "oauth_refresh_token",
        "note", "note_version", "note_search", "note_card",
        "billing_customer", "billing_subscription", "billing_checkout",
    )  # fmt: skip
    for table in order:
        columns = await db.fetch(
            "SELECT column_name, data_type, is_nullable FROM information_schema.columns "
            "WHERE table_name = $1 AND table_schema = 'public' AND is_generated = 'NEVER' AND column_name <> 'id'",
            table,
        )
        values: dict[str, str] = {}
        for column in columns:
            name = column["column_name"]
            if name == "account_id":
                values[name] = str(account_id)
            elif name == "client":
                values[name] = str(made["client"])
            elif name == "session_id":
                values[name] = str(made["study_session"])
            elif name == "import_id":
                values[name] = str(made["import_job"])
            elif (table, name) == ("card_media", "side"):
                values[name] = "'front'"
            elif (table, name) == ("card_media", "digest"):
                values[name] = f"(SELECT digest FROM media WHERE account_id = {account_id})"  # noqa: S608
            elif name.endswith("_id") and name.removesuffix("_id") in made:
                values[name] = str(made[name.removesuffix("_id")])
            elif column["is_nullable"] == "NO":
                values[name] = fillers[column["data_type"]]
        with_id = await db.fetch_value(
            "SELECT count(*) FROM information_schema.columns WHERE table_name = $1 AND column_name = 'id'", table
        )
        key = "RETURNING id" if with_id else ""
        made[table.removeprefix("oauth_").removeprefix("billing_")] = await db.fetch_value(
            f"INSERT INTO {table} ({', '.join(values)}) VALUES ({', '.join(values.values())}) {key}"  # noqa: S608
        )


async def test_the_sweep_erases_what_has_expired_and_keeps_the_rest(rollback: None) -> None:
    account = await make_account()
    old = NOW - timedelta(days=20)
    for opened, days in ((old, 90), (old, 5), (NOW, 90)):
        await service.open_session(account.id, now=opened, address="", user_agent="", session_days=days)
    await service.issue_password_reset(account.id, now=old, base_url="http://localhost")
    await service.issue_password_reset(account.id, now=NOW, base_url="http://localhost")
    await service.sweep(NOW + timedelta(minutes=1), idle_days=14)
    assert await db.fetch_value("SELECT count(*) FROM web_session WHERE account_id = $1", account.id) == 1
    assert await db.fetch_value("SELECT count(*) FROM password_reset WHERE account_id = $1", account.id) == 1
    await service.sweep(NOW + timedelta(days=91))
    assert await db.fetch_value("SELECT count(*) FROM web_session WHERE account_id = $1", account.id) == 0
    assert await db.fetch_value("SELECT count(*) FROM password_reset WHERE account_id = $1", account.id) == 0
