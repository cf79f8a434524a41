"""The whole account as one file."""

from __future__ import annotations

from typing import Any

from app.core import db
from app.domain.scheduling import Rating
from tests.web.conftest import Visitor, new_card, new_deck
from tests.web.sitting import sit_down


def by_id(rows: list[dict[str, Any]], key: str = "id") -> dict[int, dict[str, Any]]:
    return {row[key]: row for row in rows}


async def test_nothing_that_a_person_entered_is_missing(alice: Visitor) -> None:
    await alice.post("/collections", title="Geography")
    shelf = await db.fetch_value("SELECT max(id) FROM collection")
    deck_id = await new_deck(alice, "首都", description="of the world", language="ja", collection_id=shelf)
    studied = await new_card(alice, deck_id, "日本", "東京\nとうきょう", tags="アジア, 島")
    deleted = await new_card(alice, deck_id, "deleted")
    await alice.post(f"/cards/{deleted}/delete")
    await alice.post(
        f"/cards/{studied}/edit",
        front="日本",
        back="東京",
        tags="アジア, 島",
        version=1,
        back_rich="<p><strong>東京</strong></p>",
    )
    sitting = await sit_down(alice, deck_id)
    await sitting.keep(Rating.AGAIN)
    await sitting.keep(Rating.GOOD)
    export = (await alice.get("/account/export")).json()
    assert [shelf["title"] for shelf in export["collections"]] == ["Geography"]
    (deck,) = export["decks"]
    assert (deck["title"], deck["description"], deck["language"]) == ("首都", "of the world", "ja")
    assert deck["collection_id"] == shelf
    cards = by_id(export["cards"])
    assert cards[studied]["tags"] == ["アジア", "島"]
    assert cards[studied]["back_rich"] == "<p><strong>東京</strong></p>"
    assert cards[studied]["deleted_at"] is None
    assert cards[deleted]["deleted_at"] is not None
    schedule = by_id(export["schedules"], "card_id")[studied]
    assert schedule["reps"] == 2
    stored = await db.fetch_value("SELECT stability FROM card_schedule WHERE card_id = $1", studied)
    assert schedule["stability"] == stored, "a number lost digits"
    assert [(row["card_id"], row["rep"], row["rating"]) for row in export["reviews"]] == [
        (studied, 0, 1),
        (studied, 1, 3),
    ]


async def test_settings_and_parameters_go_with_it(alice: Visitor) -> None:
    assert alice.account
    deck_id = await new_deck(alice)
    chosen = {"zone": "UTC", "rollover_hour": 4, "learning_steps": "3m", "desired_retention": "80"}
    await alice.post("/settings/study", **chosen, bury_siblings="1")
    await alice.post(f"/decks/{deck_id}/settings", new_per_day=7)
    await db.execute("UPDATE study_settings SET parameters = $1", [0.25] * 21)
    export = (await alice.get("/account/export")).json()
    (of_account,) = export["study_settings"]
    assert (of_account["learning_steps"], of_account["desired_retention"]) == ("3m", 0.8)
    assert of_account["parameters"] == [0.25] * 21
    (of_deck,) = export["deck_settings"]
    assert (of_deck["deck_id"], of_deck["new_per_day"], of_deck["learning_steps"]) == (deck_id, 7, None)


async def test_it_holds_the_rows_of_its_owner_alone_and_no_secret(alice: Visitor, bob: Visitor) -> None:
    await new_card(alice, await new_deck(alice), "the secret of Alice")
    answer = await bob.get("/account/export")
    export = answer.json()
    assert "secret of Alice" not in answer.text
    assert export["decks"] == export["cards"] == export["schedules"] == export["reviews"] == []
    assert "argon2" not in answer.text
    assert bob.client.cookies["loci_session"] not in answer.text


async def test_an_account_of_several_thousand_cards_comes_in_order_and_whole(alice: Visitor) -> None:
    deck_id = await new_deck(alice)
    await new_card(alice, deck_id, "first")
    await db.execute(
        "INSERT INTO card "
        "(account_id, deck_id, created_at, updated_at, front, back, card_key, search_text, tags, grams) "
        "SELECT account_id, deck_id, created_at, updated_at, front || n, back, "
        "decode(lpad(to_hex(n), 32, '0'), 'hex'), search_text, tags, grams "
        "FROM card, generate_series(1, 2500) AS n"
    )
    answer = await alice.get("/account/export")
    cards = answer.json()["cards"]
    assert len(cards) == 2501
    assert [card["id"] for card in cards] == sorted(card["id"] for card in cards)
