from __future__ import annotations

import re
from datetime import timedelta

import pytest

from app.core import clock, db
from app.domain.scheduling import Rating
from tests.web.conftest import Visitor, text_of
from tests.web.sitting import Sitting, sit_down
from tests.web.test_decks_pages import new_card, new_deck

CAPITALS = {
    "France": "Paris", "Spain": "Madrid", "Italy": "Rome", "Japan": "Tokyo", "Peru": "Lima", "Kenya": "Nairobi",
}  # fmt: skip


async def deck_with(person: Visitor, *fronts: str) -> tuple[int, list[int]]:
    deck_id = await new_deck(person)
    return deck_id, [await new_card(person, deck_id, front, f"answer of {front}") for front in fronts]


async def capitals(person: Visitor) -> int:
    deck_id = await new_deck(person)
    for front, back in CAPITALS.items():
        await new_card(person, deck_id, front, back)
    return deck_id


async def reviews() -> int:
    return int(await db.fetch_value("SELECT count(*) FROM review"))


async def test_a_question_its_answer_and_four_buttons(alice: Visitor) -> None:
    deck_id, _ = await deck_with(alice, "one", "two")
    sitting = await sit_down(alice, deck_id)
    assert "one" in sitting.text
    assert "answer of one" not in sitting.page.text
    assert "2 new 0 learning 0 due" in sitting.text
    assert "answer of one" in await sitting.step("reveal", elapsed_ms=1200)
    assert sitting.hidden("elapsed_ms") == "1200"
    labels = re.findall(r'rating-label">(\w+)</span> <span class="rating-next">([^<]+)<', sitting.page.text)
    assert [label for label, _ in labels] == ["Again", "Hard", "Good", "Easy"]
    assert [interval for _, interval in labels[:3]] == ["&lt;1m", "&lt;6m", "&lt;10m"]
    assert "two" in await sitting.keep(Rating.EASY, elapsed_ms=2500)
    assert "1 new 0 learning 0 due" in sitting.text
    assert await db.fetch_value("SELECT elapsed_ms FROM review") == 2500


async def test_answer_two_reload_and_be_at_the_third(alice: Visitor) -> None:
    """Case 15."""
    deck_id, _ = await deck_with(alice, "one", "two", "three")
    sitting = await sit_down(alice, deck_id)
    for _ in range(2):
        await sitting.keep(Rating.EASY)
    assert "three" in await sitting.reload()
    assert (await alice.get(f"{sitting.path}/keep", 303)).headers["location"] == sitting.path


async def test_the_same_form_twice_counts_once(alice: Visitor) -> None:
    deck_id, _ = await deck_with(alice, "one", "two")
    sitting = await sit_down(alice, deck_id)
    item = sitting.item
    for _ in range(2):
        page = await alice.post(f"{sitting.path}/keep", 200, item=item, rating=3)
        assert "two" in text_of(page)
    assert await reviews() == 1


async def test_undo_shows_the_card_again_with_its_answer(alice: Visitor) -> None:
    deck_id, _ = await deck_with(alice, "one", "two")
    sitting = await sit_down(alice, deck_id)
    assert "no answer to take back" in await sitting.step("undo")
    item = sitting.item
    await sitting.keep(Rating.AGAIN)
    assert "answer of one" in await sitting.step("undo")
    assert sitting.item == item
    assert await reviews() == 0


@pytest.mark.parametrize("mode", ["multiple_choice", "typed", "cloze", "mixed", "matching", "flashcards"])
async def test_a_whole_session_of_plain_forms(alice: Visitor, mode: str) -> None:
    deck_id = await capitals(alice)
    sitting = await sit_down(alice, deck_id, mode=mode)
    for _ in range(20):
        if "Done for now" in sitting.text:
            break
        for front, back in CAPITALS.items():
            if 'class="pair"' not in sitting.page.text and front in sitting.text:
                assert back not in sitting.text or sitting.options(), "the answer waits"
        await answer(sitting)
    # Pairs are kept as Good, so a new card has its next step in the same session.
    answers = await reviews()
    assert f"{answers} answers, {answers} right" in sitting.text
    assert answers == 6 if mode in {"flashcards", "multiple_choice", "typed", "cloze"} else answers > 6


async def answer(sitting: Sitting) -> None:
    """Answer rightly, see the verdict, keep it."""
    front = next((front for front in CAPITALS if front in sitting.text), "")
    if options := sitting.options():
        said = await sitting.step("answer", choice=options.index(CAPITALS[front]))
        assert "Right" in said
    elif 'class="pair"' in sitting.page.text:
        lefts = re.findall(r'<label for="pair-\d"[^>]*>([^<]*)</label>', sitting.page.text)
        rights = re.findall(r'<option value="\d">([^<]*)</option>', sitting.page.text)[: len(lefts)]
        pairs = {f"pair-{place}": rights.index(CAPITALS[left]) for place, left in enumerate(lefts)}
        assert f"{len(lefts)} of {len(lefts)} pairs are right" in await sitting.step("answer", **pairs)
    elif 'name="answer"' in sitting.page.text:
        assert "Right" in await sitting.step("answer", answer=CAPITALS[front].lower())
    else:
        assert CAPITALS[front] in await sitting.step("reveal")
    await sitting.keep(Rating.EASY if 'name="rating"' in sitting.page.text else None)


async def test_a_slip_is_shown_and_i_was_right_counts(alice: Visitor) -> None:
    deck_id = await capitals(alice)
    sitting = await sit_down(alice, deck_id, mode="typed")
    said = await sitting.step("answer", answer="Parris")
    assert "Almost: a slip of the fingers" in said
    assert "<del>r</del>" in sitting.page.text
    assert "I was right" in said
    await sitting.keep(was_right="1")
    assert await db.fetch_value("SELECT rating FROM review") == Rating.GOOD
    assert "that is the answer of another card" in await sitting.step("answer", answer="Paris")


async def test_i_do_not_know_is_an_answer(alice: Visitor) -> None:
    deck_id = await capitals(alice)
    sitting = await sit_down(alice, deck_id, mode="typed")
    assert "Not right: nothing was written" in await sitting.step("answer", answer="no idea at all", unknown="1")


async def test_a_board_that_is_not_filled_in_says_so_and_is_still_there(alice: Visitor) -> None:
    deck_id = await capitals(alice)
    sitting = await sit_down(alice, deck_id, mode="matching")
    assert "Not every left side has a right one" in await sitting.step("answer", **{"pair-0": 1})
    assert "Which belong together?" in sitting.text
    places = {f"pair-{place}": 0 for place in range(6)}
    assert "used twice" in await sitting.step("answer", **places)


async def test_a_cloze_with_a_formatted_side_hides_and_marks_its_gap(alice: Visitor) -> None:
    deck_id = await new_deck(alice)
    await alice.post(
        f"/decks/{deck_id}/cards/new",
        front="{{c1::Tallinn::city}} lies on the {{c2::Baltic}}",
        back="Estonia",
        tags="",
        front_rich="<p><strong>{{c1::Tallinn::city}}</strong> lies on the {{c2::Baltic}}</p>",
        back_rich="",
    )
    sitting = await sit_down(alice, deck_id, mode="cloze")
    assert "<strong><mark>[city]</mark></strong> lies on the Baltic" in sitting.page.text
    assert "Tallinn" not in sitting.page.text
    await sitting.step("answer", answer="tallinn")
    assert "<mark>Tallinn</mark>" in sitting.page.text
    assert "Estonia" in sitting.text


async def test_suspended_and_buried_cards_step_aside_and_come_back(alice: Visitor) -> None:
    deck_id, (one, two, _) = await deck_with(alice, "one", "two", "three")
    sitting = await sit_down(alice, deck_id)
    assert "two" in await sitting.step("suspend")
    assert "three" in await sitting.step("bury")
    assert "suspended" in text_of(await alice.get(f"/cards/{one}"))
    assert "asked again tomorrow" in text_of(await alice.get(f"/cards/{two}"))
    for card_id in (one, two):
        await alice.post(f"/cards/{card_id}/resume")
    sitting = await sit_down(alice, deck_id)
    assert "3 new" in sitting.text
    await alice.post(f"/cards/{one}/suspend")
    assert "two" in await sitting.reload()


async def test_marks_of_a_card(alice: Visitor) -> None:
    _, (card_id,) = await deck_with(alice, "one")
    await alice.post(f"/cards/{card_id}/flag", flag=1)
    assert "Take the flag away" in text_of(await alice.get(f"/cards/{card_id}"))
    await alice.post(f"/cards/{card_id}/flag", 422, flag=9)
    await db.execute("UPDATE card_schedule SET leech = true")
    assert "forgotten so often" in text_of(await alice.get(f"/cards/{card_id}"))
    await alice.post(f"/cards/{card_id}/settle")
    assert "forgotten so often" not in text_of(await alice.get(f"/cards/{card_id}"))
    for step in ("suspend", "resume", "flag", "settle"):
        assert (await alice.get(f"/cards/{card_id}/{step}", 303)).headers["location"] == f"/cards/{card_id}"


async def test_another_persons_session_is_not_there(alice: Visitor, bob: Visitor) -> None:
    deck_id, _ = await deck_with(alice, "one")
    sitting = await sit_down(alice, deck_id)
    await bob.get(sitting.path, 404)
    for step in ("reveal", "answer", "keep", "suspend", "bury", "undo", "finish", "more"):
        await bob.post(f"{sitting.path}/{step}", 404, item=sitting.item, rating=3)
    await bob.post("/study", 404, deck=deck_id)
    assert await reviews() == 0


async def test_bad_fields_are_refused_and_change_nothing(alice: Visitor) -> None:
    deck_id, _ = await deck_with(alice, "one")
    sitting = await sit_down(alice, deck_id)
    for field, value in (
        ("rating", "5"),
        ("rating", "0"),
        ("rating", "good"),
        ("rating", ""),
        ("item", "x"),
        ("item", ""),
        ("item", str(2**70)),
        ("item", "999999"),
    ):
        given = {"item": sitting.item, "rating": "3", field: value}
        page = await alice.client.post(f"{sitting.path}/keep", data=given)
        assert page.status_code == 200, (field, value, page.status_code)
        assert "one" in text_of(page)
    assert await reviews() == 0
    for wish in (
        {"mode": "dancing"},
        {"goal": "fame"},
        {"minutes": "0"},
        {"minutes": "many"},
        {"goal": "retain", "horizon_days": "999"},
    ):
        page = await alice.post("/study", 422, deck=deck_id, **wish)
        assert 'role="alert"' in page.text or "error" in page.text, wish
    await alice.get(f"/study/{2**63}", 404)


async def test_today_goes_on_where_it_stopped_and_the_start_page_offers_it(alice: Visitor) -> None:
    deck_id, _ = await deck_with(alice, "one", "two")
    sitting = await sit_down(alice, deck_id, resume="1")
    await sitting.keep(Rating.EASY)
    again = await sit_down(alice, deck_id, resume="1")
    assert again.path == sitting.path
    assert f'href="{sitting.path}"' in (await alice.get("/study")).text
    other = await sit_down(alice, deck_id)
    assert other.path != sitting.path
    assert await sitting.step("finish")
    assert (await sit_down(alice, deck_id, resume="1")).path == other.path
    assert "1 answer" in (await sitting.reload())


async def test_the_end_says_what_happened_and_what_is_next(alice: Visitor) -> None:
    deck_id, (first, _) = await deck_with(alice, "one", "two")
    sitting = await sit_down(alice, deck_id, goal="cram")
    cards = {"one": first}
    while "Done for now" not in sitting.text:
        await sitting.keep(Rating.AGAIN if "one" in sitting.text else Rating.GOOD)
    assert "Worth another look" in sitting.text
    assert f'href="/cards/{cards["one"]}"' in sitting.page.text
    assert "Go on: 2 more wait" in sitting.text
    empty = await sit_down(alice, await new_deck(alice, "Empty"))
    assert "Nothing is due here" in empty.text


async def test_a_diagnosis_reports_by_tag_and_moves_nothing(alice: Visitor) -> None:
    deck_id = await new_deck(alice)
    for number in range(4):
        await new_card(alice, deck_id, f"front {number}", "back", tags="even" if number % 2 == 0 else "odd")
    sitting = await sit_down(alice, deck_id, goal="diagnose")
    while "Done for now" not in sitting.text:
        await sitting.keep(Rating.AGAIN if "even" in sitting.text else Rating.GOOD)
    assert re.search(r"even 0 of 2 odd 2 of 2", sitting.text)
    assert await reviews() == 0


async def test_more_new_cards_than_the_day_allows_on_request(alice: Visitor) -> None:
    deck_id, _ = await deck_with(alice, *(f"card {number}" for number in range(22)))
    sitting = await sit_down(alice, deck_id)
    for _ in range(20):
        await sitting.keep(Rating.EASY)
    assert "20 more for today" in sitting.text
    location = (await alice.post(f"{sitting.path}/more")).headers["location"]
    assert "2 new" in text_of(await alice.get(location))


async def test_a_card_that_comes_back_in_a_while_is_waited_for(alice: Visitor) -> None:
    deck_id, _ = await deck_with(alice, "one")
    sitting = await sit_down(alice, deck_id)
    await sitting.keep(Rating.GOOD)
    await db.execute("UPDATE card_schedule SET due = $1", clock.now() + timedelta(minutes=30))
    await db.execute("DELETE FROM study_item WHERE status = 'shown'")
    assert "A short pause" in await sitting.reload()


async def test_a_card_deleted_meanwhile_is_passed_over(alice: Visitor) -> None:
    deck_id, (first, _) = await deck_with(alice, "one", "two")
    sitting = await sit_down(alice, deck_id)
    await alice.post(f"/cards/{first}/delete")
    alice.forget_notes()
    assert "two" in await sitting.reload()


async def test_an_edit_leads_back_to_the_session(alice: Visitor) -> None:
    deck_id, (first, _) = await deck_with(alice, "one", "two")
    sitting = await sit_down(alice, deck_id)
    await sitting.step("reveal")
    page = await alice.get(f"/cards/{first}/edit?origin=study&session={sitting.id}")
    version = re.findall(r'name="version" value="(\d+)"', page.text)[0]
    answer = await alice.post(
        f"/cards/{first}/edit", front="uno", back="the answer", tags="", front_rich="", back_rich="", version=version,
        origin="study", session=sitting.id,
    )  # fmt: skip
    assert answer.headers["location"] == sitting.path
    assert "uno" in await sitting.reload()


async def test_single_keys_can_be_turned_off(alice: Visitor) -> None:
    deck_id, _ = await deck_with(alice, "one")
    sitting = await sit_down(alice, deck_id)
    assert 'data-single-keys="off"' not in sitting.page.text
    await alice.post("/account/profile", name="", language="en", theme="dark", single_keys="")
    await sitting.reload()
    assert 'data-single-keys="off"' in sitting.page.text
    assert 'data-theme="dark"' in sitting.page.text
