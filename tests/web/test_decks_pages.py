"""Decks and collections: made, changed, deleted, listed, downloaded."""

from __future__ import annotations

import re

import pytest

from app.core import db
from tests.web.conftest import Visitor, ids_on, new_card, new_deck, text_of


async def test_a_deck_is_made_changed_and_filled(alice: Visitor) -> None:
    deck_id = await new_deck(alice, "首都", language="ja")
    await new_card(alice, deck_id, "日本", "東京", tags="アジア, 島")
    page = await alice.get(f"/decks/{deck_id}")
    assert 'lang="ja"' in page.text
    for words in ("首都", "日本", "東京", "アジア", "島", "1 card"):
        assert words in text_of(page)
    page = await alice.submit(f"/decks/{deck_id}/edit", title="Capitals", description="of the world", language="ja")
    assert "Saved." in text_of(page)
    assert "of the world" in text_of(page)


async def test_bad_input_is_shown_again_with_what_was_typed(alice: Visitor) -> None:
    page = await alice.post("/decks/new", 422, title="", description="kept words", language="")
    assert "kept words" in page.text
    assert 'role="alert"' in page.text
    deck_id = await new_deck(alice)
    page = await alice.post("/decks/new", 409, title=" CAPITALS", description="other", language="")
    assert "other" in page.text
    assert "You have a deck of this title already." in text_of(page)
    assert 'id="f-title-error"' in page.text
    page = await alice.post(f"/decks/{deck_id}/cards/new", 422, front="typed", back=" ", tags="")
    assert "typed" in page.text
    assert 'href="#f-back"' in page.text
    page = await alice.post(f"/decks/{deck_id}/cards/new", 422, front="x" * 1001, back="b", tags="")
    assert 'href="#f-front"' in page.text


async def test_a_deck_goes_to_the_trash_and_comes_back(alice: Visitor) -> None:
    deck_id = await new_deck(alice)
    card_id = await new_card(alice, deck_id, "card")
    asked = await alice.post(f"/decks/{deck_id}/delete", 200)
    assert "The deck and its 1 card go into the trash." in text_of(asked)
    page = await alice.submit(f"/decks/{deck_id}/delete", confirmed="1")
    assert "The deck is in the trash. Cards that went with it: 1." in text_of(page)
    assert "Capitals" in text_of(page)
    await alice.get(f"/decks/{deck_id}", 404)
    await alice.get(f"/cards/{card_id}", 404)
    page = await alice.submit(f"/trash/decks/{deck_id}/restore")
    assert "The deck is back. Cards that came with it: 1." in text_of(page)
    assert ids_on(page) == [card_id]
    await alice.post(f"/decks/{deck_id}/delete", confirmed="1")
    await alice.post(f"/trash/decks/{deck_id}/erase", 200)
    page = await alice.submit(f"/trash/decks/{deck_id}/erase", confirmed="1")
    assert "The trash is empty" in text_of(page)


async def test_collections_hold_decks_and_leave_them_behind(alice: Visitor) -> None:
    page = await alice.submit("/collections", title="Geography")
    shelf = int(re.findall(r'id="collection-(\d+)"', page.text)[0])
    deck_id = await new_deck(alice, collection_id=shelf)
    assert "Geography" in text_of(await alice.get(f"/decks/{deck_id}"))
    page = await alice.post("/collections", 409, title="geography ")
    assert "You have a collection of this title already." in text_of(page)
    assert 'value="geography"' in page.text
    page = await alice.submit(f"/collections/{shelf}/edit", title="The world")
    assert "The world" in text_of(page)
    page = await alice.submit(f"/collections/{shelf}/delete")
    assert "The world" not in text_of(page)
    assert "Capitals" in text_of(page)


async def test_long_lists_have_pages(alice: Visitor) -> None:
    deck_id = await new_deck(alice)
    cards = [await new_card(alice, deck_id, f"number {number}") for number in range(53)]
    first = await alice.get(f"/decks/{deck_id}")
    (following,) = re.findall(r'href="(/decks/\d+\?q=&amp;tag=&amp;cursor=[^"]+)"', first.text)
    second = await alice.get(following.replace("&amp;", "&"))
    assert ids_on(first) + ids_on(second) == cards


async def test_the_whole_account_can_be_downloaded(alice: Visitor) -> None:
    deck_id = await new_deck(alice, "=Capitals")
    card_id = await new_card(alice, deck_id, "Japan", '"Tokyo", formerly\nEdo', tags="asia")
    answer = await alice.get("/account/export")
    assert answer.headers["content-disposition"] == 'attachment; filename="loci.json"'
    export = answer.json()
    assert export["account"]["email"] == "alice@example.org"
    assert [card["id"] for card in export["cards"]] == [card_id]
    assert export["decks"][0]["title"] == "=Capitals"
    assert not {"password_hash", "token_hash"} & set(export["account"])
    answer = await alice.get(f"/decks/{deck_id}/export")
    assert answer.text == 'front,back,tags\r\nJapan,"""Tokyo"", formerly\nEdo",asia\r\n'


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("title", "\u200b", "Title is empty."),
        ("title", "t" * 121, "Title has 121 characters; at most 120 are allowed."),
        ("description", "d" * 1001, "Description has 1001 characters"),
        ("language", "not a language", "not a language tag"),
        ("collection_id", "x", "not one of the choices"),
    ],
)
async def test_each_field_of_a_deck_says_what_is_wrong_with_it(
    alice: Visitor, field: str, value: str, said: str
) -> None:
    deck_id = await new_deck(alice)
    await alice.post("/collections", title="Shelf")
    form = {"title": "Kept", "description": "kept words", "language": "ja", "collection_id": "", field: value}
    for path in ("/decks/new", f"/decks/{deck_id}/edit"):
        page = await alice.post(path, 422, **form)
        assert said in text_of(page)
        assert f'href="#f-{field}"' in page.text
        assert f'id="f-{field}-error"' in page.text
        assert form["description"] in page.text
        assert form["title"] in page.text


async def test_a_collection_that_went_meanwhile_can_be_replaced(alice: Visitor) -> None:
    await alice.post("/collections", title="Shelf")
    page = await alice.post("/decks/new", 404, title="Deck", description="kept", language="", collection_id=987_654)
    assert "This collection is gone. Choose another." in text_of(page)
    assert "kept" in page.text


async def test_an_edit_without_the_field_keeps_the_collection(alice: Visitor) -> None:
    shelf = await db.fetch_value("SELECT max(id) FROM collection") or 0
    await alice.post("/collections", title="Shelf")
    shelf = await db.fetch_value("SELECT max(id) FROM collection WHERE id > $1", shelf)
    deck_id = await new_deck(alice, collection_id=shelf)
    await alice.post(f"/decks/{deck_id}/edit", title="Other", description="", language="")
    assert await db.fetch_value("SELECT collection_id FROM deck WHERE id = $1", deck_id) == shelf
    await alice.post(f"/decks/{deck_id}/edit", title="Other", description="", language="", collection_id="")
    assert await db.fetch_value("SELECT collection_id FROM deck WHERE id = $1", deck_id) is None


async def test_a_renamed_collection_may_not_take_the_name_of_another(alice: Visitor) -> None:
    await alice.post("/collections", title="One")
    page = await alice.submit("/collections", title="Two")
    two = re.findall(r'id="collection-(\d+)"', page.text)[-1]
    page = await alice.post(f"/collections/{two}/edit", 409, title="one")
    assert "You have a collection of this title already." in text_of(page)
    page = await alice.post(f"/collections/{two}/edit", 422, title=" ")
    assert "Title is empty." in text_of(page)


async def test_titles_carry_the_language_of_their_cards(alice: Visitor) -> None:
    deck_id = await new_deck(alice, "直", language="zh-Hans")
    await new_card(alice, deck_id, "骨")
    for path in ("/", "/decks", f"/decks/{deck_id}"):
        page = await alice.get(path)
        assert re.search(r'lang="zh-Hans"[^>]*>直<', page.text), path
    assert re.search(r'lang="zh-Hans"[^>]*>骨<', page.text)
    card_id = ids_on(page)[0]
    assert 'lang="zh-Hans">骨</div>' in (await alice.get(f"/cards/{card_id}")).text


async def test_a_foreign_place_in_a_list_leads_to_its_top(alice: Visitor) -> None:
    deck_id = await new_deck(alice)
    await new_card(alice, deck_id, "card")
    page = await alice.get(f"/decks/{deck_id}?cursor=rubbish", 422)
    assert "Start again from its top." in text_of(page)
    await alice.get("/decks?cursor=rubbish", 422)
    assert "No card here matches." in text_of(await alice.get(f"/decks/{deck_id}?tag=%01x"))
