"""Cards: shown, added, edited by two at once, changed in numbers."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from app.core import clock, db
from app.domain.scheduling import Rating
from app.main import create_app
from tests.factories import make_account
from tests.web.conftest import SETTINGS, Visitor, ids_on, new_card, new_deck, signed_in, text_of
from tests.web.sitting import sit_down, study_card


async def test_the_same_card_twice_is_a_conflict_and_nothing_typed_is_lost(alice: Visitor) -> None:
    deck_id = await new_deck(alice)
    await new_card(alice, deck_id, "Japan", "Tokyo")
    page = await alice.post(f"/decks/{deck_id}/cards/new", 409, front="japan ", back="TOKYO", tags="kept")
    assert "This deck has a card with the same front and back." in text_of(page)
    assert 'id="f-front-error"' in page.text
    assert "kept" in page.text


async def test_text_that_looks_like_a_tag_is_shown_as_it_was_typed(alice: Visitor) -> None:
    """Case 5."""
    deck_id = await new_deck(alice)
    front, back = "a <producer> b", r"for i<n; x>0, \(x<y\) and 5 < 6"
    card_id = await new_card(alice, deck_id, front, back)
    for path in (f"/decks/{deck_id}", f"/cards/{card_id}", f"/cards/{card_id}/edit", "/search?q=producer"):
        assert front in text_of(await alice.get(path)), path
    sitting = await sit_down(alice, deck_id)
    said = await sitting.step("reveal")
    assert front in said
    assert back in said


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
    assert "Nothing of yours is lost" in text_of(page)
    await alice.post(
        f"/cards/{card_id}/edit", front="Japan", back="Edo", tags="", version=2, front_rich="", back_rich=""
    )
    assert "Edo" in text_of(await alice.get(f"/cards/{card_id}"))


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


def token_of(answer: httpx.Response) -> str:
    """The offer to undo, in the address that a deletion leads to."""
    return parse_qs(urlsplit(answer.headers["location"]).query).get("undo", [""])[0]


async def test_a_card_shows_when_it_comes_back(alice: Visitor) -> None:
    deck_id = await new_deck(alice)
    card_id = await new_card(alice, deck_id, "Japan", "Tokyo", tags="asia")
    page = text_of(await alice.get(f"/cards/{card_id}"))
    for words in ("Japan", "Tokyo", "asia", "Capitals", "not answered yet"):
        assert words in page
    await study_card(alice, deck_id, Rating.EASY)
    due = await db.fetch_value("SELECT due FROM card_schedule WHERE card_id = $1", card_id)
    assert due is not None
    page = text_of(await alice.get(f"/cards/{card_id}"))
    assert "in review" in page
    assert f"{due:%B} {due.day}, {due:%Y}" in page


async def test_times_are_those_of_the_persons_zone(alice: Visitor) -> None:
    assert alice.account is not None
    deck_id = await new_deck(alice)
    card_id = await new_card(alice, deck_id, "Japan")
    await db.execute("UPDATE card SET created_at = '2026-01-31 23:30:00+00' WHERE id = $1", card_id)
    assert "January 31, 2026" in text_of(await alice.get(f"/cards/{card_id}"))
    await db.execute("UPDATE account SET zone = 'Asia/Tokyo' WHERE id = $1", alice.account.id)
    assert "February 1, 2026" in text_of(await alice.get(f"/cards/{card_id}"))


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("front", "x" * 1001, "Front has 1001 characters; at most 1000 are allowed."),
        ("back", "\u200b", "Back is empty."),
        ("front_rich", "x" * 4001, "Front, formatted has 4001 characters"),
        ("back_rich", "x" * 8001, "Back, formatted has 8001 characters"),
        ("tags", ",".join(f"t{number}" for number in range(13)), "at most 12 tags"),
        ("tags", "x" * 41, "Tags has 41 characters; at most 40 are allowed."),
    ],
)
async def test_each_field_of_a_card_says_what_is_wrong_with_it(
    alice: Visitor, field: str, value: str, said: str
) -> None:
    deck_id = await new_deck(alice)
    card_id = await new_card(alice, deck_id, "Japan")
    form = {"front": "kept front", "back": "kept back", "tags": "kept", "front_rich": "", "back_rich": "", "version": 1}
    for path in (f"/decks/{deck_id}/cards/new", f"/cards/{card_id}/edit"):
        page = await alice.post(path, 422, **{**form, field: value})
        assert said in text_of(page)
        assert f'href="#f-{field}"' in page.text
        assert f'id="f-{field}-error"' in page.text
        assert "kept front" in page.text or "kept back" in page.text
        assert not field.endswith("rich") or "<details open>" in page.text


async def test_an_edit_may_not_make_two_cards_equal(alice: Visitor) -> None:
    deck_id = await new_deck(alice)
    await new_card(alice, deck_id, "Japan", "Tokyo")
    card_id = await new_card(alice, deck_id, "Japan", "Kyoto")
    page = await alice.post(f"/cards/{card_id}/edit", 409, front="JAPAN", back="tokyo", tags="", version=1)
    assert "This deck has a card with the same front and back." in text_of(page)
    assert "JAPAN" in page.text


async def test_formatting_that_is_not_kept_or_is_outdated_is_mentioned(alice: Visitor) -> None:
    deck_id = await new_deck(alice)
    page = await alice.submit(
        f"/decks/{deck_id}/cards/new",
        front="Japan",
        back="Tokyo",
        tags="",
        back_rich='<p class="x">Tokyo</p>',
    )
    assert "Formatting that Loci does not keep was left out." in text_of(page)
    card_id = await db.fetch_value("SELECT max(id) FROM card")
    page = await alice.submit(
        f"/cards/{card_id}/edit", front="Japan", back="Kyoto", tags="", version=1, back_rich="<p>Tokyo</p>"
    )
    assert "A formatted side still showed the old text, so it was removed." in text_of(page)
    assert "Tokyo" not in text_of(page).split("Kyoto")[1]
    page = await alice.submit(
        f"/cards/{card_id}/edit", front="Japan", back="Edo", tags="", version=2, back_rich="<p><em>Edo</em></p>"
    )
    assert "was removed" not in text_of(page)
    assert "<em>Edo</em>" in page.text


async def test_cancelling_an_edit_leads_back_to_where_it_began(alice: Visitor) -> None:
    deck_id = await new_deck(alice)
    card_id = await new_card(alice, deck_id, "Japan")
    page = await alice.get(f"/cards/{card_id}/edit?origin=study&session=12")
    assert 'href="/study/12"' in page.text
    for session in ("²", "-1", "x", "9" * 30):
        page = await alice.get(f"/cards/{card_id}/edit?origin=study&session={session}")
        assert 'name="session" value="0"' in page.text
    assert f'href="/cards/{card_id}"' in (await alice.get(f"/cards/{card_id}/edit?origin=elsewhere")).text


async def test_a_deleted_card_can_be_brought_back_at_once(alice: Visitor) -> None:
    deck_id = await new_deck(alice)
    card_id = await new_card(alice, deck_id, "Japan")
    await new_card(alice, deck_id, "England")
    answer = await alice.post(f"/cards/{card_id}/delete")
    page = await alice.get(answer.headers["location"])
    assert "The card is in the trash." in text_of(page)
    assert f'action="/decks/{deck_id}/cards/restore"' in page.text
    assert f'<input type="hidden" name="card_id" value="{card_id}">' in page.text
    page = await alice.submit(f"/decks/{deck_id}/cards/restore", card_id=card_id)
    assert "Cards restored: 1." in text_of(page)
    assert "Undo the deletion" not in text_of(page)
    assert card_id in ids_on(page)


async def test_an_offer_to_undo_that_is_not_ours_is_none(alice: Visitor) -> None:
    deck_id = await new_deck(alice)
    card_id = await new_card(alice, deck_id, "Japan")
    token = token_of(await alice.post(f"/decks/{deck_id}/cards", do="delete", confirmed="1", card_id=card_id))
    assert "Undo the deletion" in text_of(await alice.get(f"/decks/{deck_id}?undo={token}"))
    for forged in (token[:-1], token[::-1], "[1]", "x"):
        assert "Undo the deletion" not in text_of(await alice.get(f"/decks/{deck_id}?undo={forged}"))
    page = await alice.submit(f"/decks/{deck_id}/cards/restore")
    assert "No card is ticked." in text_of(page)


async def test_after_an_action_the_list_stands_where_it_stood(alice: Visitor) -> None:
    deck_id = await new_deck(alice)
    cards = [await new_card(alice, deck_id, f"needle {number}", tags="a b") for number in range(3)]
    other = await new_card(alice, deck_id, "something else")
    page = await alice.get(f"/decks/{deck_id}?q=needle&tag=a%20b")
    assert 'name="in_q" value="needle"' in page.text
    view = {"in_q": "needle", "in_tag": "a b"}
    answer = await alice.post(f"/decks/{deck_id}/cards", do="tag", tag="x", card_id=cards[0], **view)
    assert answer.headers["location"] == f"/decks/{deck_id}?q=needle&tag=a+b"
    asked = await alice.post(f"/decks/{deck_id}/cards", 200, do="delete", card_id=cards[0], **view)
    assert 'name="in_tag" value="a b"' in asked.text
    page = await alice.submit(f"/decks/{deck_id}/cards", do="delete", confirmed="1", card_id=cards[0], **view)
    assert set(ids_on(page)) == set(cards[1:])
    assert other not in ids_on(page)


async def test_moving_onto_equal_cards_changes_nothing_and_says_why(alice: Visitor) -> None:
    one, two = await new_deck(alice, "One"), await new_deck(alice, "Two")
    card_id = await new_card(alice, one, "Japan", "Tokyo")
    await new_card(alice, two, "Japan", "Tokyo")
    page = await alice.submit(f"/decks/{one}/cards", do="move", to=two, card_id=card_id)
    assert "would have the same front and back as another card of the deck" in text_of(page)
    assert ids_on(page) == [card_id]


async def test_a_full_deck_says_so_and_keeps_what_was_typed(rollback: None) -> None:
    settings = replace(SETTINGS, deck_card_cap=1)
    person = await signed_in(create_app(settings), await make_account(now=clock.now()))
    deck_id = await new_deck(person)
    await new_card(person, deck_id, "Japan")
    page = await person.post(f"/decks/{deck_id}/cards/new", 409, front="England", back="London", tags="")
    assert "A deck holds at most 1 cards" in text_of(page)
    assert "England" in page.text
