"""The account page: profile, password, browsers, passkeys and the end of an account."""

from __future__ import annotations

import json
import re
from datetime import timedelta

import httpx
import pytest
from litestar import Litestar

from app.accounts import queries
from app.accounts.ceremony import RelyingParty
from app.core import clock, db
from tests.areas.authenticator import SoftwareAuthenticator
from tests.factories import PASSWORD, make_account
from tests.web.conftest import Visitor, signed_in, text_of, visitor
from tests.web.test_sign_in import NEW_PASSWORD, cookie, is_in, sign_in, value_of

PROFILE = {
    "name": "Alice",
    "theme": "dark",
    "language": "en",
    "single_keys": "1",
}


def chosen(answer: httpx.Response, select: str) -> str:
    """The selected option of a list."""
    options = re.search(rf'<select[^>]*name="{select}".*?</select>', answer.text, flags=re.DOTALL)
    assert options
    [value] = re.findall(r'value="([^"]*)" selected', options.group())
    return value


async def test_the_profile_is_kept_and_the_look_follows(alice: Visitor) -> None:
    shown = await alice.submit("/account/profile", **PROFILE)
    assert "Saved." in text_of(shown)
    assert (value_of(shown, "name"), chosen(shown, "theme")) == ("Alice", "dark")
    assert 'data-theme="dark"' in shown.text
    assert re.search(r'name="single_keys"[^>]* checked', shown.text)
    shown = await alice.submit("/account/profile", **{**PROFILE, "single_keys": ""})
    assert not re.search(r'name="single_keys"[^>]* checked', shown.text)


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("theme", "pink", "There is no such theme."),
        ("language", "tlh", "This is not one of the choices."),
        ("name", "n" * 81, "longer than 80 characters"),
    ],
)
async def test_a_refused_profile_keeps_what_was_entered(alice: Visitor, field: str, value: str, said: str) -> None:
    answer = await alice.post("/account/profile", 422, **{**PROFILE, field: value})
    assert said in text_of(answer)
    assert value_of(answer, "name") == {**PROFILE, field: value}["name"]
    assert value_of(await alice.get("/account"), "name") == "", "a refused profile was stored"


async def test_a_new_password_signs_the_other_browsers_out(alice: Visitor, application: Litestar) -> None:
    assert alice.account
    elsewhere = await signed_in(application, alice.account)
    shown = await alice.submit("/account/password", current=PASSWORD, new=NEW_PASSWORD)
    assert "Your password is changed." in text_of(shown)
    assert await is_in(alice)
    assert not await is_in(elsewhere)
    someone = visitor(application)
    await sign_in(someone, PASSWORD, 422)
    await sign_in(someone, NEW_PASSWORD)


@pytest.mark.parametrize(
    ("current", "new", "field", "said"),
    [
        ("not the password", NEW_PASSWORD, "current", "This is not the present password."),
        (PASSWORD, "short", "new", "shorter than 10 characters"),
        (PASSWORD, "alice@example.org", "new", "among the first"),
    ],
)
async def test_a_refused_password_says_which_field(
    alice: Visitor, current: str, new: str, field: str, said: str
) -> None:
    answer = await alice.post("/account/password", 422, current=current, new=new)
    assert said in text_of(answer)
    assert f'href="#f-{field}"' in answer.text
    assert f'id="f-{field}-error"' in answer.text
    assert PASSWORD not in answer.text


async def test_guessing_the_present_password_is_held_up(alice: Visitor) -> None:
    for _ in range(10):
        await alice.post("/account/password", 422, current="not the password", new=NEW_PASSWORD)
    answer = await alice.post("/account/password", 429, current=PASSWORD, new=NEW_PASSWORD)
    assert int(answer.headers["retry-after"]) > 0
    answer = await alice.post("/account/delete", 429, email="alice@example.org", password=PASSWORD)
    assert int(answer.headers["retry-after"]) > 0


async def test_browsers_are_listed_and_signed_out_one_by_one_or_all(alice: Visitor, application: Litestar) -> None:
    assert alice.account
    others = [await signed_in(application, alice.account) for _ in range(3)]
    shown = await alice.get("/account")
    actions = re.findall(r'action="(/account/sessions/\d+/revoke)"', shown.text)
    assert len(actions) == 3, "the browser in use offers to sign itself out"
    assert "this one" in text_of(shown)
    shown = await alice.submit(actions[0])
    assert "That browser is signed out." in text_of(shown)
    assert [await is_in(other) for other in others].count(False) == 1
    await alice.post(actions[0], 404)
    await alice.submit("/account/sessions/revoke-others")
    assert not any([await is_in(other) for other in others])
    assert await is_in(alice)


async def test_another_persons_session_does_not_exist(alice: Visitor, bob: Visitor) -> None:
    assert bob.account
    [session] = await queries.sessions(bob.account.id, now=clock.now(), current_session_id=None)
    await alice.post(f"/account/sessions/{session.id}/revoke", 404)
    assert await is_in(bob)


async def test_a_session_ends_when_it_was_not_used_for_two_weeks(alice: Visitor) -> None:
    await db.execute("UPDATE web_session SET seen_at = $1", clock.now() - timedelta(days=14, minutes=1))
    assert not await is_in(alice)


async def test_an_account_is_erased_after_address_and_password(alice: Visitor, application: Litestar) -> None:
    wrong = await alice.post("/account/delete", 422, email="bob@example.org", password=PASSWORD)
    assert "Type your e-mail address to confirm." in text_of(wrong)
    assert '<details class="confirm" open>' in wrong.text
    wrong = await alice.post("/account/delete", 422, email="alice@example.org", password="not the password")
    assert 'id="f-password-error"' in wrong.text
    answer = await alice.post("/account/delete", email="ALICE@example.org", password=PASSWORD)
    assert cookie(answer, "loci_session")["max-age"] == "0"
    assert "Your account and everything in it are erased." in text_of(await alice.get("/sign-in"))
    await sign_in(visitor(application), status=422)


async def test_the_address_of_a_refused_form_leads_back(alice: Visitor) -> None:
    for path in ("/account/profile", "/account/password", "/account/delete"):
        assert (await alice.get(path, 303)).headers["location"] == "/account"


async def test_the_plan_page_says_what_is_used(alice: Visitor) -> None:
    said = text_of(await alice.get("/plan"))
    assert "You are on Plus" in said
    assert "Decks 0 of 200" in said
    assert "Notes 0 of 5,000" in said


# Passkeys, with a software authenticator.

PARTY = RelyingParty.of("http://localhost:8000")


@pytest.fixture
def key() -> SoftwareAuthenticator:
    return SoftwareAuthenticator(PARTY.origin)


@pytest.fixture
def at_localhost(alice: Visitor) -> Visitor:
    """Alice at an address where passkeys work."""
    from tests.web.test_security import application_at

    made = visitor(*application_at(PARTY.origin))
    made.account = alice.account
    made.client.cookies.set("loci_session", alice.client.cookies["loci_session"])
    return made


async def send(person: Visitor, path: str, status: int = 200, /, **body: object) -> httpx.Response:
    answer = await person.client.post(path, json=body)
    assert answer.status_code == status, answer.text
    return answer


async def add(person: Visitor, key: SoftwareAuthenticator, name: str = "Phone", status: int = 200) -> httpx.Response:
    options = await send(person, "/account/passkeys/options")
    return await send(person, "/account/passkeys", status, credential=json.loads(key.create(options.text)), name=name)


async def enter(person: Visitor, key: SoftwareAuthenticator, next: str = "/", status: int = 200) -> httpx.Response:
    options = await send(person, "/passkeys/sign-in/options")
    return await send(person, "/passkeys/sign-in", status, credential=json.loads(key.get(options.text)), next=next)


async def test_a_passkey_is_added_signs_in_and_is_removed(at_localhost: Visitor, key: SoftwareAuthenticator) -> None:
    person = at_localhost
    challenge = cookie(await send(person, "/account/passkeys/options"), "loci_challenge")
    assert challenge["httponly"]
    assert (challenge["samesite"], challenge["max-age"]) == ("strict", "300")
    added = await add(person, key)
    assert added.json() == {"location": "/account#passkeys"}
    assert cookie(added, "loci_challenge")["max-age"] == "0"
    await person.post("/sign-out")
    entered = await enter(person, key, "/decks?tag=a")
    assert entered.json() == {"location": "/decks?tag=a"}
    assert cookie(entered, "loci_session")["httponly"]
    assert (await enter(person, key, "//evil.example")).json() == {"location": "/"}
    shown = await person.get("/account")
    [remove] = re.findall(r'action="(/account/passkeys/\d+/remove)"', shown.text)
    question = await person.post(remove, 200)
    assert "Remove this passkey? Phone" in text_of(question)
    assert "Phone" in text_of(await person.get("/account")), "removed without an answer"
    shown = await person.submit(remove, confirmed="1")
    assert "The passkey is removed." in text_of(shown)
    await person.post(remove, 404)
    refused = await enter(person, key, status=422)
    assert refused.json()["error"].startswith("This passkey is not known here.")


async def test_a_passkey_gets_another_name(at_localhost: Visitor, key: SoftwareAuthenticator) -> None:
    await add(at_localhost, key, "")
    shown = await at_localhost.get("/account")
    assert "Firefox, Linux" in text_of(shown), "a passkey without name is called after its browser"
    [rename] = re.findall(r'action="(/account/passkeys/\d+/rename)"', shown.text)
    shown = await at_localhost.submit(rename, name="Old phone")
    assert "Old phone" in text_of(shown)
    shown = await at_localhost.submit(rename, name=" ")
    assert "The name is missing." in text_of(shown)
    assert "Old phone" in text_of(shown)


async def test_the_last_way_in_stays(at_localhost: Visitor, key: SoftwareAuthenticator) -> None:
    await add(at_localhost, key)
    await db.execute("UPDATE account SET password_hash = NULL")
    [remove] = re.findall(r'action="(/account/passkeys/\d+/remove)"', (await at_localhost.get("/account")).text)
    shown = await at_localhost.submit(remove, confirmed="1")
    assert "This passkey is the only way into the account." in text_of(shown)
    await enter(at_localhost, key)
    shown = await at_localhost.submit("/account/password", new=NEW_PASSWORD)
    assert "Your password is changed." in text_of(shown)
    await sign_in(at_localhost, NEW_PASSWORD)


async def test_another_persons_passkey_does_not_exist(
    at_localhost: Visitor, key: SoftwareAuthenticator, bob: Visitor
) -> None:
    await add(at_localhost, key)
    [passkey_id] = re.findall(r"/account/passkeys/(\d+)/remove", (await at_localhost.get("/account")).text)
    for confirmed in ("", "1"):
        await bob.client.get("/account")
        answer = await bob.client.post(f"/account/passkeys/{passkey_id}/remove", data={"confirmed": confirmed})
        assert answer.status_code in {303, 404}
    assert (await bob.client.post(f"/account/passkeys/{passkey_id}/rename", data={"name": "x"})).status_code == 404
    assert "Phone" in text_of(await at_localhost.get("/account"))


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"credential": 1}', b'{"credential": {"id": "x"}}', b"\xff"])
async def test_a_broken_answer_is_refused_as_json(at_localhost: Visitor, body: bytes) -> None:
    for path in ("/account/passkeys", "/passkeys/sign-in"):
        await send(at_localhost, f"{path}/options" if path == "/account/passkeys" else "/passkeys/sign-in/options")
        answer = await at_localhost.client.post(path, content=body, headers={"content-type": "application/json"})
        assert answer.status_code == 422, answer.text
        assert answer.json()["error"]


async def test_an_answer_without_its_question_is_refused(at_localhost: Visitor, key: SoftwareAuthenticator) -> None:
    await add(at_localhost, key)
    options = await send(at_localhost, "/passkeys/sign-in/options")
    at_localhost.client.cookies.delete("loci_challenge")
    answer = await send(at_localhost, "/passkeys/sign-in", 422, credential=json.loads(key.get(options.text)))
    assert answer.json()["error"] == "This took too long. Try again."


async def test_where_browsers_offer_no_passkeys_the_page_says_so(alice: Visitor) -> None:
    said = text_of(await alice.get("/account"))
    assert "Browsers offer passkeys over https and at localhost only." in said


async def test_a_page_shows_no_secret(alice: Visitor) -> None:
    assert await make_account("other@example.org")
    shown = await alice.get("/account")
    for secret in ("loci_web_", "argon2", PASSWORD, "other@example.org"):
        assert secret not in shown.text
