"""Importing through the pages, as forms without script."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from app.core import clock, db
from app.transfer.importing import run_import, run_preview
from tests.web.conftest import SETTINGS, Visitor, text_of

pytestmark = pytest.mark.usefixtures("rollback")
CSV = b"front,back,tags,deck\nun,one,french,A::B\ndeux,two,,A::B\ntrois,three,,C\n,nothing,,\n"


async def sent(person: Visitor, name: str, data: bytes) -> httpx.Response:
    return await person.client.post("/import", files={"file": (name, data, "application/octet-stream")})


async def read(person: Visitor, name: str = "words.csv", data: bytes = CSV) -> str:
    """Upload a file and have it read; the address of the import."""
    answer = await sent(person, name, data)
    assert answer.status_code == 303, text_of(answer)
    address = answer.headers["location"]
    waiting = await person.get(address)
    assert "The file is being read." in text_of(waiting)
    assert 'http-equiv="refresh"' in waiting.text
    assert person.account is not None
    await run_preview(person.account.id, int(address.rsplit("/", 1)[1]), settings=SETTINGS, now=clock.now())
    return address


async def applied(person: Visitor, address: str, **fields: Any) -> str:
    await person.post(f"{address}/begin", **fields)
    assert person.account is not None
    await run_import(person.account.id, int(address.rsplit("/", 1)[1]), settings=SETTINGS, now=clock.now())
    return text_of(await person.get(address))


async def test_from_a_file_to_its_cards_and_back(alice: Visitor) -> None:
    address = await read(alice)
    preview = text_of(await alice.get(address))
    assert "3 cards" in preview
    assert "1 row is not taken" in preview
    assert "Nothing is stored yet." in preview
    assert await db.fetch_value("SELECT count(*) FROM card") == 0
    done = await applied(alice, address, into="file", duplicates="skip")
    assert "All of the file has been dealt with." in done
    assert await db.fetch_value("SELECT count(*) FROM card") == 3
    assert "words.csv" in text_of(await alice.get("/import"))
    undone = await alice.submit(f"{address}/undo", confirmed="1")
    assert "Cards moved to the trash: 3." in text_of(undone)
    assert await db.fetch_value("SELECT count(*) FROM card WHERE deleted_at IS NULL") == 0


async def test_only_the_decks_that_are_ticked(alice: Visitor) -> None:
    address = await read(alice)
    refused = await alice.post(f"{address}/begin", 422, decks="1", into="file")
    assert "Choose at least one deck" in text_of(refused)
    await applied(alice, address, decks="1", deck="1", into="file")
    assert [row["front"] for row in await db.fetch("SELECT front FROM card")] == ["trois"]


async def test_digits_that_are_no_numbers_are_none_of_the_decks(alice: Visitor) -> None:
    address = await read(alice)
    for deck in ("²", "٣", "9" * 5_000):
        refused = await alice.post(f"{address}/begin", 422, decks="1", deck=deck, into="file")
        assert "Choose at least one deck" in text_of(refused)


@pytest.mark.parametrize("length", [b"\xb2", b"9" * 5_000])
async def test_a_length_that_is_no_number_is_refused(alice: Visitor, length: bytes) -> None:
    request = alice.client.build_request("POST", "/import", files={"file": ("words.csv", CSV, "text/csv")})
    request.headers = httpx.Headers(
        [pair for pair in request.headers.raw if pair[0].lower() != b"content-length"] + [(b"content-length", length)]
    )
    assert (await alice.client.send(request)).status_code == 400


async def test_all_into_one_deck_with_a_title_that_is_needed(alice: Visitor) -> None:
    address = await read(alice)
    refused = await alice.post(f"{address}/begin", 422, into="title", title="")
    assert "Give it one" in text_of(refused)
    await applied(alice, address, into="title", title="Everything")
    assert [row["title"] for row in await db.fetch("SELECT title FROM deck")] == ["Everything"]


async def test_another_reading_of_the_columns(alice: Visitor) -> None:
    address = await read(alice, data=b"a;1\nb;2\n")
    await alice.post(f"{address}/again", separator=";", header="no", column=["back", "front"])
    assert alice.account is not None
    await run_preview(alice.account.id, int(address.rsplit("/", 1)[1]), settings=SETTINGS, now=clock.now())
    await applied(alice, address, separator=";", header="no", column=["back", "front"], into="file")
    assert {row["front"] for row in await db.fetch("SELECT front FROM card")} == {"1", "2"}


async def test_no_file_an_empty_one_and_one_that_is_nothing(alice: Visitor) -> None:
    nothing = await alice.client.post("/import", data={"x": "y"})
    assert (nothing.status_code, "No file is chosen" in text_of(nothing)) == (422, True)
    empty = await sent(alice, "x.csv", b"")
    assert (empty.status_code, "empty" in text_of(empty)) == (422, True)
    address = await read(alice, "x.apkg", b"PK\x03\x04 broken")
    page = text_of(await alice.get(address))
    assert "damaged" in page
    assert "Import another file" in page


async def test_what_the_file_says_is_text_on_the_page(alice: Visitor) -> None:
    address = await read(alice, "<script>x.csv", b"front,back,deck\n<img src=x onerror=alert(1)>,b,<b>D</b>\n")
    page = (await alice.get(address)).text
    assert "<img src=x" not in page
    assert "<b>D" not in page
    assert "&lt;script&gt;x.csv" in page


async def test_cancelling(alice: Visitor) -> None:
    address = await read(alice)
    page = await alice.submit(f"{address}/cancel")
    assert "Cancelled." in text_of(page)
    await alice.post(f"{address}/begin", 409, into="file")
