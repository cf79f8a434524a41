"""Signing in, up and out, and a new password by mail: forms, cookies, redirects, throttling."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from html import unescape
from http.cookies import Morsel, SimpleCookie

import httpx
import pytest
from litestar import Litestar

from app import jobs
from app.accounts import service as accounts
from app.core import clock
from app.core.mail import PrintingMailer
from app.main import create_app
from tests.factories import PASSWORD, make_account
from tests.web.conftest import SETTINGS, Visitor, signed_in, text_of, visitor

EMAIL = "alice@example.org"
NEW_PASSWORD = "a sentence nobody guesses"


def cookie(answer: httpx.Response, name: str) -> Morsel[str]:
    """The cookie `name` that an answer sets."""
    set_cookies = answer.headers.get_list("set-cookie")
    found = [morsel for text in set_cookies for key, morsel in SimpleCookie(text).items() if key == name]
    assert len(found) == 1, set_cookies
    return found[0]


def set_cookie(person: Visitor, name: str, value: str) -> None:
    """Put another value in the place of a cookie that the browser may hold."""
    for held in [held for held in person.client.cookies.jar if held.name == name]:
        person.client.cookies.jar.clear(held.domain, held.path, held.name)
    person.client.cookies.set(name, value)


def value_of(answer: httpx.Response, name: str) -> str:
    """What a form's field holds."""
    field = re.search(rf'<input[^>]*name="{name}"[^>]*>', answer.text)
    assert field, f"no field {name}"
    value = re.search(r'value="([^"]*)"', field.group())
    return unescape(value.group(1)) if value else ""


async def sign_in(person: Visitor, password: str = PASSWORD, status: int = 303, **more: str) -> httpx.Response:
    return await person.post("/sign-in", status, email=EMAIL, password=password, **more)


async def is_in(person: Visitor) -> bool:
    answer = await person.client.get("/account")
    return answer.status_code == 200


async def test_a_password_signs_in_with_a_new_token_each_time(carol: Visitor) -> None:
    await make_account()
    form = await carol.get("/sign-in?next=/decks")
    assert value_of(form, "next") == "/decks"
    first = await sign_in(carol, next="/decks")
    assert first.headers["location"] == "/decks"
    morsel = cookie(first, "loci_session")
    assert morsel["httponly"]
    assert (morsel["samesite"], morsel["path"], morsel["secure"]) == ("lax", "/", "")
    assert int(morsel["max-age"]) == SETTINGS.session_days * 86400
    assert await is_in(carol)
    second = await sign_in(carol)
    assert cookie(second, "loci_session").value != morsel.value
    set_cookie(carol, "loci_session", morsel.value)
    assert not await is_in(carol), "the browser's former session is still open"


async def test_a_planted_token_is_not_taken_over(carol: Visitor) -> None:
    await make_account()
    set_cookie(carol, "loci_session", "planted")
    answer = await sign_in(carol)
    assert cookie(answer, "loci_session").value.startswith("loci_web_")


async def test_under_https_the_cookie_belongs_to_this_host_alone(rollback: None) -> None:
    settings = replace(SETTINGS, public_url="https://loci.example.org")
    person = visitor(create_app(settings), settings)
    await make_account()
    answer = await sign_in(person)
    morsel = cookie(answer, "__Host-loci")
    assert morsel["secure"]
    assert morsel["httponly"]
    assert (morsel["samesite"], morsel["path"], morsel["domain"]) == ("lax", "/", "")
    assert answer.headers["strict-transport-security"] == "max-age=31536000"
    left = await person.post("/sign-out")
    dropped = cookie(left, "__Host-loci")
    assert (dropped["max-age"], dropped["path"]) == ("0", "/")
    assert dropped["secure"], "a browser keeps a __Host- cookie unless the order to drop it is Secure"
    assert cookie(left, "loci_flash")["secure"]


async def test_a_wrong_password_shows_the_form_again_with_the_address(carol: Visitor) -> None:
    await make_account()
    answer = await sign_in(carol, "not the password", 422, next="/decks?tag=a&q=b")
    assert "The e-mail address or the password is wrong." in text_of(answer)
    assert value_of(answer, "email") == EMAIL
    assert value_of(answer, "password") == ""
    assert value_of(answer, "next") == "/decks?tag=a&q=b"
    unknown = await carol.post("/sign-in", 422, email="nobody@example.org", password=PASSWORD)
    assert text_of(unknown) == text_of(answer), "a stranger learns who has an account"


async def test_an_empty_form_is_refused_and_not_a_fault(carol: Visitor) -> None:
    for path in ("/sign-in", "/sign-up", "/password/forgotten", "/password/reset"):
        await carol.post(path, 422)


async def test_who_is_signed_in_needs_no_form(alice: Visitor) -> None:
    for path in ("/sign-in", "/sign-up"):
        answer = await alice.get(f"{path}?next=/decks", 303)
        assert answer.headers["location"] == "/decks"


@pytest.mark.parametrize(
    "elsewhere",
    ["//evil.example", "https://evil.example", "/\\evil.example", "\\\\evil.example", "/\t/evil.example", "/\n/evil",
     "javascript:alert(1)", "evil", "", " //evil.example", "/\r\nset-cookie: a=b"],
)  # fmt: skip
async def test_next_leads_nowhere_else(carol: Visitor, elsewhere: str) -> None:
    await make_account()
    for answer in (
        await sign_in(carol, next=elsewhere),
        await carol.client.get("/sign-in", params={"next": elsewhere}),
    ):
        location = httpx.URL("http://testserver").join(answer.headers["location"])
        assert location.host == "testserver"
        assert "set-cookie: a" not in str(answer.headers)


async def test_next_may_hold_any_letter(carol: Visitor) -> None:
    await make_account()
    answer = await sign_in(carol, next="/search?q=東京&tag=a%20b")
    assert answer.headers["location"] == "/search?q=%E6%9D%B1%E4%BA%AC&tag=a%20b"


async def test_a_page_that_needs_an_account_leads_to_sign_in_and_back(carol: Visitor) -> None:
    await make_account()
    answer = await carol.get("/activity?tool=create_deck&client=a%26b", 303)
    form = await carol.get(answer.headers["location"])
    back = await sign_in(carol, next=value_of(form, "next"))
    assert back.headers["location"] == "/activity?tool=create_deck&client=a%26b"
    assert (await carol.get("/keys")).status_code == 200


async def test_a_post_without_session_leads_to_sign_in(carol: Visitor) -> None:
    answer = await carol.post("/account/profile", name="x")
    assert answer.headers["location"] == "/sign-in"


async def test_too_many_guesses_are_told_when_to_come_back(carol: Visitor) -> None:
    await make_account()
    for _ in range(10):
        await sign_in(carol, "not the password", 422)
    answer = await sign_in(carol, "not the password", 429)
    assert 0 < int(answer.headers["retry-after"]) <= 30
    assert re.search(r"Try again in \d+ seconds\.", text_of(answer))
    assert value_of(answer, "email") == EMAIL
    await sign_in(carol, PASSWORD, 429)


async def test_too_many_accounts_from_one_place_are_held_up(carol: Visitor) -> None:
    for _ in range(20):
        await carol.post("/sign-up", 409, email=(await _taken()), password=PASSWORD)
    answer = await carol.post("/sign-up", 429, email="late@example.org", password=PASSWORD, name="Late")
    assert int(answer.headers["retry-after"]) > 0
    assert (value_of(answer, "email"), value_of(answer, "name")) == ("late@example.org", "Late")


async def _taken() -> str:
    from app.accounts.queries import account_by_email

    if await account_by_email("taken@example.org") is None:
        await make_account("taken@example.org")
    return "taken@example.org"


async def test_signing_up_makes_an_account_and_signs_in(carol: Visitor) -> None:
    form = await carol.get("/sign-up?next=/decks")
    answer = await carol.post(
        "/sign-up",
        email="New@Example.org",
        password=PASSWORD,
        name="New",
        zone="Asia/Tokyo",
        next=value_of(form, "next"),
    )
    assert answer.headers["location"] == "/decks"
    shown = await carol.get("/decks")
    assert "Welcome. Your account is ready." in text_of(shown)
    assert "Welcome" not in text_of(await carol.get("/decks")), "a note is shown once"
    assert value_of(await carol.get("/account"), "name") == "New"
    assert value_of(await carol.get("/settings/study"), "zone") == "Asia/Tokyo"


async def test_a_zone_that_does_not_exist_is_utc(carol: Visitor) -> None:
    await carol.submit("/sign-up", email=EMAIL, password=PASSWORD, zone="Moon/Base")
    assert value_of(await carol.get("/settings/study"), "zone") == "UTC"


@pytest.mark.parametrize(
    ("field", "value", "status", "said"),
    [
        ("email", "not an address", 422, "This is not an e-mail address."),
        ("password", "short", 422, "The password is shorter than 10 characters."),
        ("password", "password1234", 422, "among the first that anybody would guess"),
        ("name", "n" * 81, 422, "The name is longer than 80 characters."),
        ("email", "taken@example.org", 409, "has an account already"),
    ],
)
async def test_a_refused_sign_up_keeps_what_was_entered(
    carol: Visitor, field: str, value: str, status: int, said: str
) -> None:
    await make_account("taken@example.org")
    entered = {"email": EMAIL, "name": "Alice", "password": PASSWORD, "zone": "Europe/Berlin", field: value}
    answer = await carol.post("/sign-up", status, **entered)
    assert said in text_of(answer)
    for name in ("email", "name", "zone"):
        assert value_of(answer, name) == entered[name]
    assert value_of(answer, "password") == ""
    if status == 422:
        assert f'href="#f-{field}"' in answer.text
        assert f'id="f-{field}-error"' in answer.text


async def test_a_server_may_take_no_new_accounts(rollback: None) -> None:
    settings = replace(SETTINGS, signup=False)
    person = visitor(create_app(settings), settings)
    assert 'name="password"' not in (await person.get("/sign-up")).text
    assert 'href="/sign-up' not in (await person.get("/sign-in")).text
    answer = await person.post("/sign-up", 422, email=EMAIL, password=PASSWORD)
    assert "This server does not take new accounts." in text_of(answer)
    assert not answer.headers.get_list("set-cookie")
    await sign_in(person, status=422)


async def test_signing_out_ends_the_session_itself(carol: Visitor) -> None:
    await make_account()
    token = cookie(await sign_in(carol), "loci_session").value
    answer = await carol.post("/sign-out")
    assert answer.headers["location"] == "/sign-in"
    assert "You are signed out." in text_of(await carol.get("/sign-in"))
    set_cookie(carol, "loci_session", token)
    assert not await is_in(carol)
    await carol.post("/sign-out")  # once more does no harm


async def test_a_forgotten_password_is_replaced_by_mail(
    carol: Visitor, application: Litestar, capsys: pytest.CaptureFixture[str]
) -> None:
    account = await make_account()
    elsewhere = await signed_in(application, account)
    asked = await carol.post("/password/forgotten", 200, email=EMAIL.upper())
    unknown = await carol.post("/password/forgotten", 200, email="nobody@example.org")
    assert text_of(asked) == text_of(unknown)
    context = jobs.JobContext(SETTINGS, PrintingMailer())
    assert await jobs.run_one(context)
    assert await jobs.run_one(context)
    assert not await jobs.run_one(context)
    printed = capsys.readouterr().out
    assert printed.count("--- mail to ") == 1, "an address without account got mail"
    assert f"--- mail to {EMAIL} ---" in printed
    [link] = re.findall(r"http://testserver(/\S+)", printed.partition("Open this address")[2])
    form = await carol.get(link)
    token = value_of(form, "token")
    weak = await carol.post("/password/reset", 422, token=token, password="short")
    assert value_of(weak, "token") == token, "the link is good for another try"
    answer = await carol.post("/password/reset", token=token, password=NEW_PASSWORD)
    assert cookie(answer, "loci_session").value.startswith("loci_web_")
    assert "Your password is changed." in text_of(await carol.get("/"))
    assert not await is_in(elsewhere), "another browser is still signed in"
    again = await carol.post("/password/reset", 422, token=token, password="another good sentence")
    assert "This link was used" in text_of(again)
    assert 'name="password"' not in again.text, "a form that cannot succeed is offered"
    await carol.post("/sign-out")
    await sign_in(carol, PASSWORD, 422)
    await sign_in(carol, NEW_PASSWORD)


async def test_a_reset_link_ends_after_an_hour(carol: Visitor) -> None:
    account = await make_account()
    made = clock.now() - timedelta(minutes=61)
    mail = await accounts.issue_password_reset(account.id, now=made, base_url="http://testserver")
    assert mail is not None
    [token] = re.findall(r"token=(\S+)", mail.text)
    await carol.post("/password/reset", 422, token=token, password=NEW_PASSWORD)
    await sign_in(carol)


async def test_mail_with_links_is_limited_with_the_address_kept(carol: Visitor) -> None:
    for _ in range(10):
        await carol.post("/password/forgotten", 200, email="nobody@example.org")
    answer = await carol.post("/password/forgotten", 429, email="nobody@example.org")
    assert int(answer.headers["retry-after"]) > 0
    assert value_of(answer, "email") == "nobody@example.org"
    bad = await carol.post("/password/forgotten", 422, email="nobody")
    assert value_of(bad, "email") == "nobody"


async def test_a_letter_that_is_half_a_letter_is_no_fault(carol: Visitor) -> None:
    body = b"email=%ED%A0%80&password=%ED%A0%80%00&next=%ED%A0%80"
    answer = await carol.client.post(
        "/sign-in", content=body, headers={"content-type": "application/x-www-form-urlencoded"}
    )
    assert answer.status_code == 422


async def test_the_links_above_the_form_lead_on_as_well(carol: Visitor) -> None:
    page = await carol.get("/sign-in?next=/connections")
    assert page.text.count('href="/sign-up?next=/connections"') == 2
    assert 'href="/sign-up"' not in page.text
