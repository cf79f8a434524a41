"""Pictures and sounds over HTTP: for their owner alone, in parts where a player asks, and never before the answer."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace

import httpx
import pytest

from app.core import clock, db
from app.domain.transfer.bundle import MEDIA_MAX_BYTES
from app.main import create_app
from tests.areas.deck_makers import make_card, make_deck
from tests.web.conftest import SETTINGS, Visitor, signed_in, text_of

pytestmark = pytest.mark.usefixtures("rollback")
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(100))
MP3 = b"ID3\x04 sound"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


def address(data: bytes) -> str:
    return f"/media/{hashlib.sha256(data).hexdigest()}"


async def card_of(person: Visitor) -> int:
    assert person.account is not None
    deck_id, _ = await make_deck(person.account.id, now=clock.now())
    return await make_card(person.account.id, deck_id, "front", "back")


async def send(person: Visitor, card_id: int, *files: tuple[str, str, bytes], **fields: str) -> httpx.Response:
    parts = [(f"{side}_files", (name, data, "application/octet-stream")) for side, name, data in files]
    return await person.client.post(f"/cards/{card_id}/media", data=fields, files=parts or [("x", ("", b""))])


async def test_files_of_both_sides_are_shown_and_removed(alice: Visitor) -> None:
    card_id = await card_of(alice)
    answer = await send(alice, card_id, ("front", "a cat.png", PNG), ("front", "say.mp3", MP3), ("back", "b.svg", SVG))
    assert answer.status_code == 303
    page = (await alice.get(f"/cards/{card_id}")).text
    assert f'<img src="{address(PNG)}" alt="a cat"' in page
    assert f'<audio src="{address(MP3)}"' in page
    assert page.index(address(PNG)) < page.index(address(MP3)) < page.index(address(SVG))
    await send(alice, card_id, remove_front="0")
    page = (await alice.get(f"/cards/{card_id}")).text
    assert address(PNG) not in page
    assert address(MP3) in page


async def test_a_file_is_its_owners_alone_and_can_run_nothing(alice: Visitor, bob: Visitor) -> None:
    await send(alice, await card_of(alice), ("front", "b.svg", SVG))
    answer = await alice.get(address(SVG))
    assert (answer.content, answer.headers["content-type"]) == (SVG, "image/svg+xml")
    assert answer.headers["content-security-policy"].endswith("sandbox")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "private" in answer.headers["cache-control"]
    await bob.get(address(SVG), 404)
    await alice.get("/media/" + "0" * 64, 404)
    await alice.get("/media/nonsense", 404)
    again = await alice.client.get(address(SVG), headers={"if-none-match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    ("asked", "status", "part"),
    [
        ("bytes=0-3", 206, slice(0, 4)),
        ("bytes=100-", 206, slice(100, None)),
        ("bytes=-5", 206, slice(-5, None)),
        ("bytes=90-9999", 206, slice(90, None)),
        ("bytes=0-0", 206, slice(0, 1)),
        ("bytes=9999-", 416, slice(0, 0)),
        ("bytes=5-2", 416, slice(0, 0)),
        ("bytes=-0", 416, slice(0, 0)),
        ("bytes=0-1,3-4", 200, slice(None)),
        ("lines=1-2", 200, slice(None)),
        ("bytes=" + "9" * 30 + "-", 200, slice(None)),
    ],
)
async def test_a_player_gets_the_part_that_it_asks_for(alice: Visitor, asked: str, status: int, part: slice) -> None:
    await send(alice, await card_of(alice), ("front", "a.png", PNG))
    answer = await alice.client.get(address(PNG), headers={"range": asked})
    assert (answer.status_code, answer.content) == (status, PNG[part])
    if status == 206:
        whole = range(len(PNG))[part]
        assert answer.headers["content-range"] == f"bytes {whole[0]}-{whole[-1]}/{len(PNG)}"


@pytest.mark.parametrize(
    ("data", "word"), [(b"MZ not a picture", "no picture"), (b"\x89PNG\r\n\x1a\n" + b"0" * MEDIA_MAX_BYTES, "5 MB")]
)
async def test_what_is_no_picture_is_refused_and_nothing_changes(alice: Visitor, data: bytes, word: str) -> None:
    card_id = await card_of(alice)
    answer = await send(alice, card_id, ("front", "good.png", PNG), ("back", "x.png", data))
    page = await alice.get(answer.headers["location"])
    assert word in text_of(page)
    assert await db.fetch_value("SELECT count(*) FROM card_media") == 0


async def test_a_new_card_comes_with_its_files_or_not_at_all(alice: Visitor) -> None:
    assert alice.account is not None
    deck_id, _ = await make_deck(alice.account.id, now=clock.now())
    path = f"/decks/{deck_id}/cards/new"
    words = {"front": "Which flag?", "back": "Chad", "tags": "flags"}

    async def post(*files: tuple[str, str, bytes]) -> httpx.Response:
        parts = [(f"{side}_files", (name, data, "application/octet-stream")) for side, name, data in files]
        return await alice.client.post(path, data=words, files=parts or [("front_files", ("", b""))])

    refused = await post(("front", "good.png", PNG), ("back", "evil.png", b"MZ nothing"))
    assert refused.status_code == 422
    assert "no picture" in text_of(refused)
    assert "Choose the files again" in text_of(refused)
    assert "Which flag?</textarea>" in refused.text
    assert await db.fetch_value("SELECT count(*) FROM card") == 0
    made = await post(("front", "flag.png", PNG), ("back", "say.mp3", MP3))
    assert (made.status_code, made.headers["location"]) == (303, path)
    words["front"] = "Without any"
    assert (await post()).status_code == 303
    deck = await alice.get(f"/decks/{deck_id}")
    assert text_of(deck).count("1 picture, 1 sound") == 1
    found = await alice.get("/search?q=flag")
    assert "1 picture, 1 sound" in text_of(found)
    card_id = await db.fetch_value("SELECT card_id FROM card_media LIMIT 1")
    assert address(MP3) in (await alice.get(f"/cards/{card_id}")).text


async def test_a_picture_has_its_room_before_it_is_there(alice: Visitor) -> None:
    card_id = await card_of(alice)
    header = PNG[:8] + b"\0\0\0\rIHDR"
    wide, high = (header + width.to_bytes(4) + height.to_bytes(4) for width, height in ((300, 200), (500, 3520)))
    await send(alice, card_id, ("front", "wide.png", wide), ("front", "high.png", high), ("front", "odd.png", PNG))
    page = (await alice.get(f"/cards/{card_id}")).text
    assert 'alt="wide" width="300" height="200"' in page
    assert 'alt="high" width="50" height="352"' in page
    assert 'alt="odd" loading' in page


async def test_changing_files_in_a_study_session_leads_back_to_it(alice: Visitor) -> None:
    card_id = await card_of(alice)
    changed = await send(alice, card_id, ("front", "a.png", PNG), origin="study", session="12")
    assert changed.headers["location"] == f"/cards/{card_id}/edit?origin=study&session=12"
    form = (await alice.get(changed.headers["location"])).text
    assert form.count('name="session" value="12"') == 2
    for session in ("x", "1" * 30, "1&a=b"):
        odd = await send(alice, card_id, ("front", "a.png", PNG), origin="study", session=session)
        assert odd.headers["location"] == f"/cards/{card_id}/edit"


async def test_an_account_without_room_is_told_so(alice: Visitor) -> None:
    assert alice.account is not None
    card_id = await card_of(alice)
    full = await signed_in(create_app(replace(SETTINGS, media_mb=0)), alice.account)
    page = await full.get((await send(full, card_id, ("front", "a.png", PNG))).headers["location"])
    assert "may take 0 MB in all" in text_of(page)
    assert await db.fetch_value("SELECT count(*) FROM media") == 0


async def test_what_a_player_asks_first_is_answered_without_the_content(alice: Visitor) -> None:
    await send(alice, await card_of(alice), ("front", "a.mp3", MP3))
    answer = await alice.client.head(address(MP3))
    assert (answer.status_code, answer.content, answer.headers["accept-ranges"]) == (200, b"", "bytes")
    assert (answer.headers["content-type"], answer.headers["content-length"]) == ("audio/mpeg", str(len(MP3)))


async def test_of_a_question_only_the_front_is_shown_and_no_name_gives_the_answer_away(alice: Visitor) -> None:
    card_id = await card_of(alice)
    await send(alice, card_id, ("front", "Paris.png", PNG), ("back", "back.mp3", MP3))
    begun = await alice.post("/study", mode="flashcards", goal="review")
    screen = (await alice.get(begun.headers["location"])).text
    assert f'<img src="{address(PNG)}" alt="Picture 1"' in screen
    assert "Paris" not in screen
    assert address(MP3) not in screen
    item = re.search(r'name="item" value="(\d+)"', screen)
    assert item
    shown = (await alice.post(begun.headers["location"] + "/reveal", 200, item=item[1], elapsed_ms=1)).text
    assert address(MP3) in shown


@pytest.mark.parametrize(
    ("mode", "front", "back"),
    [
        ("multiple_choice", 'name="choice"', "Show answer"),
        ("typed", 'name="answer"', "Show answer"),
        ("matching", 'name="choice"', "Show answer"),
        ("mixed", 'name="choice"', "Show answer"),
    ],
)
async def test_an_answer_without_words_is_recalled_and_a_question_without_words_asked_in_any_mode(
    alice: Visitor, mode: str, front: str, back: str
) -> None:
    assert alice.account is not None
    deck_id, _ = await make_deck(alice.account.id, now=clock.now())
    for number in range(6):
        await make_card(alice.account.id, deck_id, f"flag {number}", f"country {number}")
    shown = {
        await make_card(alice.account.id, deck_id, "[image]", "country 7"): front,
        await make_card(alice.account.id, deck_id, "Draw a country", "[image]"): back,
    }
    for card_id in shown:
        await send(alice, card_id, ("front", "Atlantis.png", PNG))
    begun = await alice.post("/study", deck=deck_id, mode=mode, goal="cram")
    for _ in range(20):
        screen = (await alice.get(begun.headers["location"])).text
        item = re.search(r'name="item" value="(\d+)"', screen)
        if not item:
            break
        card_id = int((re.search(r"/cards/(\d+)/edit", screen) or [0, 0])[1])
        if card_id in shown:
            assert shown.pop(card_id) in screen
            assert f'<img src="{address(PNG)}" alt="Picture 1"' in screen
            assert "Atlantis" not in screen
        await alice.post(begun.headers["location"] + "/suspend", 200, item=item[1], elapsed_ms=1)
    assert not shown


async def test_words_that_stand_for_a_picture_are_unseen_where_it_is_shown(alice: Visitor) -> None:
    assert alice.account is not None
    deck_id, _ = await make_deck(alice.account.id, now=clock.now())
    card_id = await make_card(alice.account.id, deck_id, "[image]", "[sound]", back_rich="<p>[sound]</p>")
    unseen = '<span class="hidden-label">[{}]</span>'
    assert "hidden-label" not in (await alice.get(f"/cards/{card_id}")).text.partition("<article")[2]
    await send(alice, card_id, ("front", "a.png", PNG), ("back", "b.mp3", MP3))
    page = (await alice.get(f"/cards/{card_id}")).text
    assert unseen.format("image") in page
    assert unseen.format("sound") in page
    begun = await alice.post("/study", deck=deck_id, mode="flashcards", goal="cram")
    screen = (await alice.get(begun.headers["location"])).text
    assert unseen.format("image") in screen
    assert "[sound]" not in screen
