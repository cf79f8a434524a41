"""Six at once, on connections of their own: one code gives one pair, one refresh token within its grace gives many."""

from __future__ import annotations

import asyncio

from app.core import db
from app.oauth.grants import REFRESH_GRACE
from tests.oauth.conftest import App, Browser
from tests.oauth.test_refusals import age


async def test_six_exchanges_of_one_code_give_one_pair(app: App, alice: Browser) -> None:
    for _ in range(3):
        code = await app.code(alice)
        answers = await asyncio.gather(*(app.exchange(code) for _ in range(6)))
        won = [answer.json() for answer in answers if answer.status_code == 200]
        lost = [answer.json()["error"] for answer in answers if answer.status_code != 200]
        assert len(won) == 1
        assert lost == ["invalid_grant"] * 5
        assert await app.tools(won[0]["access_token"])


async def test_six_refreshes_within_the_grace_all_work_and_one_after_it_ends_the_family(
    app: App, alice: Browser
) -> None:
    other = await app.connect(alice)
    first = await app.connect(alice)
    answers = await asyncio.gather(*(app.refresh(first["refresh_token"]) for _ in range(6)))
    assert [answer.status_code for answer in answers] == [200] * 6
    pairs = [answer.json() for answer in answers]
    assert len({pair["access_token"] for pair in pairs} | {pair["refresh_token"] for pair in pairs}) == 12
    for pair in pairs:
        assert await app.tools(pair["access_token"])
    assert (await app.refresh(pairs[0]["refresh_token"])).status_code == 200
    await age("oauth_refresh_token", REFRESH_GRACE)
    assert (await app.refresh(first["refresh_token"])).json()["error"] == "invalid_grant"
    for pair in (first, *pairs):
        assert (await app.call(pair["access_token"])).status_code == 401
        assert (await app.refresh(pair["refresh_token"])).json()["error"] == "invalid_grant"
    # The family of another consent of the same client goes on.
    assert await app.tools(other["access_token"])
    assert (await app.refresh(other["refresh_token"])).status_code == 200


async def test_disconnecting_between_refreshes_leaves_nothing(app: App, alice: Browser) -> None:
    pair = await app.connect(alice)
    connection = await db.fetch_value("SELECT id FROM oauth_connection")
    *refreshed, gone = await asyncio.gather(
        *(app.refresh(pair["refresh_token"]) for _ in range(5)),
        alice.post(f"/connections/{connection}/disconnect", {"confirmed": "1"}),
    )
    assert gone.status_code == 303
    for answer in refreshed:
        if answer.status_code == 200:
            assert (await app.call(answer.json()["access_token"])).status_code == 401
    assert (await app.call(pair["access_token"])).status_code == 401
    for table in ("oauth_access_token", "oauth_refresh_token", "oauth_authorization_code"):
        assert await db.fetch_value(f"SELECT count(*) FROM {table}") == 0  # noqa: S608 - names of this list


async def test_two_consents_at_once_make_one_connection(app: App, alice: Browser) -> None:
    page = await alice.get(app.address())
    answers = await asyncio.gather(*(alice.decide(page) for _ in range(4)))
    assert [answer.status_code for answer in answers] == [200] * 4
    assert await db.fetch_value("SELECT count(*) FROM oauth_connection") == 1
