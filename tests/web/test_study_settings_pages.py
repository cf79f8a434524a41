"""The study settings of all decks and of one, the fitted parameters: as a person without JavaScript meets them."""

from __future__ import annotations

import re
from typing import Any

import httpx
import pytest

from app import jobs
from app.accounts import service as accounts
from app.core import clock, db
from app.core.mail import PrintingMailer
from app.domain.plans import Plan
from app.domain.study_settings import STANDARD
from app.study.settings import settings_for
from tests.areas.test_fitting import make_reviewed_account
from tests.web.conftest import SETTINGS, Visitor, new_card, new_deck, signed_in, text_of
from tests.web.test_account_page import chosen
from tests.web.test_sign_in import value_of

PAGE = "/settings/study"
FORM = {
    "zone": "Asia/Tokyo",
    "rollover_hour": "5",
    "new_per_day": "7",
    "reviews_per_day": "70",
    "bury_siblings": "",
    "desired_retention": "85",
    "learning_steps": "2m 1d",
    "relearning_steps": "none",
    "maximum_interval_days": "365",
    "leech_threshold": "5",
}
WRONG = {
    "zone": "Moon/Base",
    "rollover_hour": "noon",
    "new_per_day": "many",
    "reviews_per_day": "10000",
    "desired_retention": "100",
    "learning_steps": "soon",
    "relearning_steps": "99d",
    "maximum_interval_days": "0",
    "leech_threshold": "1",
}
CONTEXT = jobs.JobContext(SETTINGS, PrintingMailer())


def errors_on(answer: httpx.Response) -> list[str]:
    """The fields that the list above the form leads to."""
    return re.findall(r'<li><a href="#f-(\w+)">', answer.text)


def fields_on(answer: httpx.Response, names: Any) -> dict[str, str]:
    return {name: value_of(answer, name) for name in names if name not in {"rollover_hour", "bury_siblings"}}


async def test_what_is_chosen_is_kept_and_shown(alice: Visitor) -> None:
    assert alice.account
    shown = await alice.submit(PAGE, **FORM)
    assert "Saved." in text_of(shown)
    assert fields_on(shown, FORM) == {n: v for n, v in FORM.items() if n not in {"rollover_hour", "bury_siblings"}}
    assert chosen(shown, "rollover_hour") == "5"
    assert not re.search(r'name="bury_siblings"[^>]* checked', shown.text)
    settings = await settings_for(alice.account.id)
    assert (settings.new_per_day, settings.desired_retention, settings.relearning_steps) == (7, 0.85, ())
    shown = await alice.submit(PAGE, **{**FORM, "bury_siblings": "1"})
    assert re.search(r'name="bury_siblings"[^>]* checked', shown.text)


async def test_a_refused_form_keeps_what_was_typed_and_says_all_that_is_wrong(alice: Visitor) -> None:
    assert alice.account
    answer = await alice.post(PAGE, 422, **WRONG)
    assert sorted(errors_on(answer)) == sorted(WRONG)
    assert answer.text.count('aria-invalid="true"') == len(WRONG)
    assert fields_on(answer, WRONG) == {n: v for n, v in WRONG.items() if n != "rollover_hour"}
    assert await settings_for(alice.account.id) == STANDARD
    assert value_of(await alice.get(PAGE), "zone") == "UTC", "a part of a refused form was stored"
    answer = await alice.post(PAGE, 422, **{**FORM, "learning_steps": "10x"})
    assert errors_on(answer) == ["learning_steps"]
    assert "Write numbers with s, m, h or d" in text_of(answer)


async def test_there_is_a_way_back_to_the_standard(alice: Visitor) -> None:
    assert alice.account
    assert "Back to the standard settings" not in (await alice.get(PAGE)).text
    assert "Back to the standard settings" in (await alice.submit(PAGE, **FORM)).text
    shown = await alice.submit(f"{PAGE}/reset")
    assert value_of(shown, "new_per_day") == str(STANDARD.new_per_day)
    assert value_of(shown, "zone") == "Asia/Tokyo", "the study day was taken back too"
    assert await settings_for(alice.account.id) == STANDARD
    await alice.submit(PAGE, zone="UTC", rollover_hour=4, bury_siblings=1)
    assert await settings_for(alice.account.id) == STANDARD, "an empty field is not the standard"


async def test_a_deck_may_differ(alice: Visitor) -> None:
    assert alice.account
    deck_id = await new_deck(alice)
    path = f"/decks/{deck_id}/settings"
    assert f'href="{path}"' in (await alice.get(f"/decks/{deck_id}/edit")).text
    await alice.post(PAGE, **FORM)
    shown = await alice.get(path)
    assert "For all decks: 7." in text_of(shown)
    assert "For all decks: 2m 1d." in text_of(shown)
    assert value_of(shown, "new_per_day") == ""
    assert chosen(shown, "bury_siblings") == ""
    shown = await alice.submit(path, new_per_day=0, learning_steps="", bury_siblings="1")
    assert (value_of(shown, "new_per_day"), chosen(shown, "bury_siblings")) == ("0", "1")
    settings = await settings_for(alice.account.id, deck_id)
    assert (settings.new_per_day, settings.reviews_per_day, settings.bury_siblings) == (0, 70, True)
    shown = await alice.submit(f"{path}/reset")
    assert value_of(shown, "new_per_day") == ""
    assert await settings_for(alice.account.id, deck_id) == await settings_for(alice.account.id)


async def test_a_refused_deck_form_keeps_what_was_typed(alice: Visitor) -> None:
    path = f"/decks/{await new_deck(alice)}/settings"
    wrong = {name: value for name, value in WRONG.items() if name not in {"zone", "rollover_hour"}}
    answer = await alice.post(path, 422, **wrong, bury_siblings="perhaps")
    assert sorted(errors_on(answer)) == sorted([*wrong, "bury_siblings"])
    assert fields_on(answer, wrong) == wrong
    assert await db.fetch_value("SELECT count(*) FROM deck_settings") == 0


async def test_the_settings_act_while_studying(alice: Visitor) -> None:
    deck_id = await new_deck(alice)
    for number in range(3):
        await new_card(alice, deck_id, f"card {number}")
    await alice.post(f"/decks/{deck_id}/settings", new_per_day=2, learning_steps="none", maximum_interval_days=1)
    session = (await alice.post("/study", deck=deck_id)).headers["location"]
    page = await alice.get(session)
    assert "2 new 0 learning 0 due" in text_of(page)
    [item, *_] = re.findall(r'name="item" value="(\d+)"', page.text)
    page = await alice.post(f"{session}/reveal", 200, item=item)
    assert re.findall(r'rating-next">([^<]+)<', page.text) == ["1d"] * 4
    page = await alice.post(f"{session}/keep", 200, item=item, rating=3)
    assert "1 new 0 learning 0 due" in text_of(page)


async def fitted(person: Visitor) -> httpx.Response:
    """The page after a fit."""
    await person.submit(f"{PAGE}/fit")
    assert await jobs.run_one(CONTEXT)
    return await person.get(PAGE)


def moment_of(page: httpx.Response) -> str:
    [moment] = re.findall(r'name="fitted" value="([^"]+)"', page.text)
    return moment


async def reviewed(application: Any) -> Visitor:
    await make_reviewed_account()
    account = await accounts.set_plan("alice@example.org", Plan.PLUS, now=clock.now())
    return await signed_in(application, account)


async def test_a_fit_is_shown_with_before_and_after_and_used_when_agreed(application: Any, rollback: None) -> None:
    alice = await reviewed(application)
    assert alice.account
    page = await alice.submit(f"{PAGE}/fit")
    assert "Nothing changes until you agree." in text_of(page)
    assert "Look again" in text_of(page)
    assert "Fit now" not in page.text
    assert "being fitted already" in text_of(await alice.submit(f"{PAGE}/fit"))
    assert await jobs.run_one(CONTEXT)
    page = await alice.get(PAGE)
    assert re.search(r"From [\d,]+ reviews Error now 0\.\d{4} Error with them 0\.\d{4}", text_of(page))
    assert "In use the standard set" in text_of(page)
    assert (await settings_for(alice.account.id)).parameters is None
    moment = moment_of(page)
    page = await alice.submit(f"{PAGE}/parameters", do="use", fitted=moment)
    assert "In use your own parameters" in text_of(page)
    assert len(re.findall(r"-?\d+\.\d{4}", text_of(page).split("The 21 numbers")[1])) == 21
    assert (await settings_for(alice.account.id)).parameters
    page = await alice.submit(f"{PAGE}/parameters", do="use", fitted=moment)
    assert "no longer the ones proposed" in text_of(page)
    page = await alice.submit(f"{PAGE}/parameters", do="standard")
    assert "In use the standard set" in text_of(page)
    assert (await settings_for(alice.account.id)).parameters is None


async def test_the_old_ones_can_be_kept(application: Any, rollback: None) -> None:
    alice = await reviewed(application)
    assert alice.account
    assert "Keep the old" in (await fitted(alice)).text
    page = await alice.submit(f"{PAGE}/parameters", do="keep")
    assert "New parameters are ready" not in page.text
    assert (await settings_for(alice.account.id)).parameters is None


async def test_too_few_reviews_are_told_with_their_number(alice: Visitor) -> None:
    assert "So far 0 of the 512 reviews" in text_of(await alice.get(PAGE))
    page = await fitted(alice)
    assert "There are 0 reviews to fit from, and 512 are needed" in text_of(page)


async def test_on_the_free_plan_it_is_said_and_refused(application: Any, rollback: None) -> None:
    alice = await reviewed(application)
    account = await accounts.set_plan("alice@example.org", Plan.FREE, now=clock.now())
    alice = await signed_in(application, account)
    page = await alice.get(PAGE)
    assert "part of Plus and Pro" in text_of(page)
    assert "Fit now" not in page.text
    answer = await alice.post(f"{PAGE}/fit", 403)
    assert "Move to Plus or Pro" in text_of(answer)
    assert await db.fetch_value("SELECT count(*) FROM job") == 0


@pytest.mark.parametrize("fields", [{}, {"do": "x"}, {"do": "use"}, {"do": "use", "fitted": "2026-01-01"}])
async def test_other_answers_are_refused(alice: Visitor, fields: dict[str, str]) -> None:
    await alice.post(f"{PAGE}/parameters", 422, **fields)


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "2026-01-01T00:00:00Z"])
async def test_moments_of_no_fit_are_answered_with_a_reason(alice: Visitor, moment: str) -> None:
    answer = await alice.client.post(f"{PAGE}/parameters", data={"do": "use", "fitted": moment})
    assert answer.status_code in {303, 422}
