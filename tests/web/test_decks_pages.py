from __future__ import annotations

import re

import httpx

from app.core import db
from tests.web.conftest import Visitor, text_of


async def new_deck(person: Visitor, title: str = "Capitals", **more: object) -> int:
    answer = await person.post("/decks/new", **{"title": title, "description": "", "language": "", **more})
    found = re.fullmatch(r"/decks/(\d+)/cards/new", answer.headers["location"])
    assert found
    return int(found.group(1))


async def new_card(person: Visitor, deck_id: int, front: str, back: str = "back", tags: str = "") -> int:
    await person.post(f"/decks/{deck_id}/cards/new", front=front, back=back, tags=tags, front_rich="", back_rich="")
    return await db.fetch_value("SELECT max(id) FROM card")


def ids_on(answer: httpx.Response) -> list[int]:
    return [int(found) for found in re.findall(r'id="card-(\d+)"', answer.text)]


async def test_a_newcomer_is_told_what_to_do(alice: Visitor) -> None:
    assert "Nothing to study yet" in text_of(await alice.get("/"))
    assert "No decks yet" in text_of(await alice.get("/decks"))
    assert "The trash is empty" in text_of(await alice.get("/trash"))


async def test_somebody_who_is_not_signed_in_reads_what_it_is(carol: Visitor) -> None:
    page = await carol.get("/")
    assert "Keep what you learn." in text_of(page)
    assert "http://testserver/mcp" in page.text


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
    page = await alice.post(f"/decks/{deck_id}/cards/new", 422, front="typed", back=" ", tags="")
    assert "typed" in page.text
    assert 'href="#f-back"' in page.text
    page = await alice.post(f"/decks/{deck_id}/cards/new", 422, front="x" * 1001, back="b", tags="")
    assert 'href="#f-front"' in page.text


async def test_the_same_card_twice_is_a_conflict_and_nothing_typed_is_lost(alice: Visitor) -> None:
    deck_id = await new_deck(alice)
    await new_card(alice, deck_id, "Japan", "Tokyo")
    page = await alice.post(f"/decks/{deck_id}/cards/new", 409, front="japan ", back="TOKYO", tags="kept")
    assert "same front and back" in text_of(page)
    assert "kept" in page.text


async def test_text_that_looks_like_a_tag_is_shown_as_it_was_typed(alice: Visitor) -> None:
    """Case 5."""
    deck_id = await new_deck(alice)
    front, back = "a <producer> b", r"for i<n; x>0, \(x<y\) and 5 < 6"
    card_id = await new_card(alice, deck_id, front, back)
    for path in (f"/decks/{deck_id}", f"/cards/{card_id}", f"/cards/{card_id}/edit", "/search?q=producer"):
        assert front in text_of(await alice.get(path)), path
    page = await alice.post(f"/decks/{deck_id}/study/reveal", 200, card=card_id, rep=0)
    assert front in text_of(page)
    assert back in text_of(page)


async def test_a_rich_side_is_cleaned_before_it_is_shown(alice: Visitor) -> None:
    deck_id = await new_deck(alice)
    rich = '<p onclick="x()"><strong>Tokyo</strong><script>alert(1)</script> <a href="//evil">link</a></p>'
    answer = await alice.post(
        f"/decks/{deck_id}/cards/new", 303, front="Japan", back="Tokyo", tags="", front_rich="", back_rich=rich
    )
    assert answer.headers["location"].endswith("/cards/new")
    card_id = await db.fetch_value("SELECT max(id) FROM card")
    page = await alice.get(f"/cards/{card_id}")
    assert "<strong>Tokyo</strong>" in page.text
    assert "onclick" not in page.text
    assert "alert(1)" not in page.text
    assert "evil" not in page.text


async def test_an_edit_that_comes_too_late_shows_both_texts(alice: Visitor) -> None:
    deck_id = await new_deck(alice)
    card_id = await new_card(alice, deck_id, "Japan", "Tokyo")
    await alice.post(
        f"/cards/{card_id}/edit", front="Japan", back="Tōkyō", tags="", version=1, front_rich="", back_rich=""
    )
    page = await alice.post(
        f"/cards/{card_id}/edit", 409, front="Japan", back="Edo", tags="", version=1, front_rich="", back_rich=""
    )
    assert "Tōkyō" in text_of(page)
    assert "Edo" in page.text
    assert 'name="version" value="2"' in page.text
    await alice.post(
        f"/cards/{card_id}/edit", front="Japan", back="Edo", tags="", version=2, front_rich="", back_rich=""
    )
    assert "Edo" in text_of(await alice.get(f"/cards/{card_id}"))


async def test_an_edit_while_studying_leads_back_to_the_same_card(alice: Visitor) -> None:
    deck_id = await new_deck(alice)
    await new_card(alice, deck_id, "first")
    second = await new_card(alice, deck_id, "second")
    page = await alice.submit(
        f"/cards/{second}/edit",
        front="second, mended",
        back="back",
        tags="",
        version=1,
        origin="study",
        extra="20",
        front_rich="",
        back_rich="",
    )
    assert "second, mended" in text_of(page)
    assert 'name="extra" value="20"' in page.text


async def test_many_cards_at_once(alice: Visitor) -> None:
    one, two = await new_deck(alice, "One"), await new_deck(alice, "Two")
    cards = [await new_card(alice, one, f"card {number}") for number in range(4)]
    page = await alice.submit(f"/decks/{one}/cards", do="tag", tag="new, #hot", card_id=cards[:2])
    assert "Cards changed: 2." in text_of(page)
    assert ids_on(await alice.get(f"/decks/{one}?tag=hot")) == cards[:2]
    page = await alice.submit(f"/decks/{one}/cards", do="untag", tag="new", card_id=cards[:2])
    assert "Cards changed: 2." in text_of(page)
    page = await alice.submit(f"/decks/{one}/cards", do="move", to=two, card_id=cards[:3])
    assert "Cards moved: 3." in text_of(page)
    assert ids_on(await alice.get(f"/decks/{two}")) == cards[:3]
    asked = await alice.post(f"/decks/{two}/cards", 200, do="delete", card_id=cards[:2])
    assert "Delete 2 cards?" in text_of(asked)
    assert len(ids_on(await alice.get(f"/decks/{two}"))) == 3
    page = await alice.submit(f"/decks/{two}/cards", do="delete", confirmed="1", card_id=cards[:2])
    assert "Cards in the trash: 2." in text_of(page)
    page = await alice.submit("/trash/cards", do="restore", card_id=cards[:1])
    assert "Cards restored: 1." in text_of(page)
    asked = await alice.post("/trash/cards", 200, do="erase", card_id=cards[1])
    assert "Erase for good?" in text_of(asked)
    page = await alice.submit("/trash/cards", do="erase", confirmed="1", card_id=cards[1])
    assert "The trash is empty" in text_of(page)


async def test_an_action_without_what_it_needs_says_so(alice: Visitor) -> None:
    deck_id = await new_deck(alice)
    card_id = await new_card(alice, deck_id, "card")
    for fields, words in (
        ({"do": "delete"}, "No card is ticked."),
        ({"do": "move", "card_id": card_id}, "No deck is chosen."),
        ({"do": "tag", "card_id": card_id, "tag": " "}, "No tag is given."),
        ({"do": "dance", "card_id": card_id}, "not one of the choices"),
        ({"do": "delete", "card_id": "x"}, "not one of the choices"),
    ):
        assert words in text_of(await alice.submit(f"/decks/{deck_id}/cards", **fields))
    assert ids_on(await alice.get(f"/decks/{deck_id}")) == [card_id]


async def test_a_deck_goes_to_the_trash_and_comes_back(alice: Visitor) -> None:
    deck_id = await new_deck(alice)
    card_id = await new_card(alice, deck_id, "card")
    asked = await alice.post(f"/decks/{deck_id}/delete", 200)
    assert "The deck and its 1 card go into the trash." in text_of(asked)
    page = await alice.submit(f"/decks/{deck_id}/delete", confirmed="1")
    assert "Capitals" in text_of(page)
    await alice.get(f"/decks/{deck_id}", 404)
    await alice.get(f"/cards/{card_id}", 404)
    page = await alice.submit(f"/trash/decks/{deck_id}/restore")
    assert "The deck is back, and 1 cards with it." in text_of(page)
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
    assert "geography" in page.text
    page = await alice.submit(f"/collections/{shelf}/edit", title="The world")
    assert "The world" in text_of(page)
    page = await alice.submit(f"/collections/{shelf}/delete")
    assert "The world" not in text_of(page)
    assert "Capitals" in text_of(page)


async def test_search_finds_any_part_in_any_script(alice: Visitor) -> None:
    deck_id = await new_deck(alice)
    await new_card(alice, deck_id, "お酒を飲む", "to drink")
    for query in ("飲", "飲む", "ｵ酒", "DRINK"):
        assert "お酒を飲む" in text_of(await alice.get(f"/search?q={query}")), query
        assert "お酒を飲む" in text_of(await alice.get(f"/decks/{deck_id}?q={query}")), query
    assert "No card holds this text." in text_of(await alice.get("/search?q=nothing"))
    page = await alice.get("/search?q=drink&cursor=rubbish", 422)
    assert "cursor" in text_of(page)
    await alice.get(f"/decks/{deck_id}?cursor=rubbish", 422)


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
