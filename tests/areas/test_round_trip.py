"""An account with everything in it goes out as one file and comes back in another account: equal but for ids."""

from __future__ import annotations

import copy
import io
import json
import zipfile
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from app.accounts.views import AccountView
from app.core import db
from app.core.db import atomic
from app.decks import service as decks
from app.decks.changes import NewCard
from app.decks.limits import Limits
from app.domain.note_cards import cards_in
from app.domain.plans import PLANS, Plan
from app.domain.scheduling import Rating
from app.domain.study_settings import StudyChoices
from app.domain.transfer.bundle import Side
from app.media import service as media
from app.notes import cards as note_cards
from app.notes import service as notes
from app.notes.views import BROWSER
from app.study import sessions, starting
from app.study.settings import choose_for_account, choose_for_deck
from app.transfer.account_zip import account_zip
from app.transfer.export import document
from app.transfer.views import ImportState
from tests.areas.importing import bring
from tests.factories import NOW, make_account

pytestmark = pytest.mark.usefixtures("committed")
LIMITS = Limits(PLANS[Plan.PRO], 500)
PNG = b"\x89PNG\r\n\x1a\n picture"
MP3 = b"ID3\x04 sound"


async def whole(pieces: AsyncIterator[bytes]) -> bytes:
    return b"".join([piece async for piece in pieces])


async def full_account() -> AccountView:
    """Something in every table that an export has."""
    account = await make_account(plan=Plan.PRO)
    id = account.id
    shelf = await decks.create_collection(id, title="Languages", now=NOW)
    french = await decks.create_deck(
        id, title="French", description="Words\nand more", language="fr", collection_id=shelf, limits=LIMITS, now=NOW
    )
    await decks.create_deck(id, title="Empty", limits=LIMITS, now=NOW)
    loose = await decks.create_deck(id, title="Loose", limits=LIMITS, now=NOW)
    gone = await decks.create_deck(id, title="Gone", limits=LIMITS, now=NOW)
    made = await decks.import_cards(
        id,
        [
            NewCard(front="chat", back="cat", tags=("animal", "two words")),
            NewCard(front="chien", back="dog", back_rich="<strong>dog</strong>"),
            NewCard(front="{{c1::Oslo}} is in {{c2::Norway::country}}", back="!"),
            NewCard(front="suspended", back="x"),
            NewCard(front="deleted", back="x"),
        ],
        deck_id=french, source_title="A book", language="fr", limits=LIMITS, now=NOW,
    )  # fmt: skip
    await decks.import_cards(id, [NewCard(front="chat", back="cat")], deck_id=loose, limits=LIMITS, now=NOW)
    await decks.import_cards(id, [NewCard(front="gone too", back="x")], deck_id=gone, limits=LIMITS, now=NOW)
    await study(id, french)
    await db.execute("UPDATE card_schedule SET flag = 3, leech = true WHERE card_id = $1", made.imported_ids[0])
    await db.execute("UPDATE card_schedule SET suspended = true WHERE card_id = $1", made.imported_ids[3])
    await decks.delete_cards(id, [made.imported_ids[4]], now=NOW + timedelta(hours=1))
    await decks.delete_deck(id, gone, now=NOW + timedelta(hours=2))
    async with atomic():
        room = await media.room_of(id, 10**6)
        for card_id, side, name, data in (
            (made.imported_ids[0], Side.FRONT, "a cat.png", PNG),
            (made.imported_ids[0], Side.BACK, "say.mp3", MP3),
            (made.imported_ids[1], Side.BACK, "again.png", PNG),
        ):
            await media.add_to_card(id, card_id, side, name, data, room, now=NOW)
    await choose_for_account(
        id, StudyChoices(new_per_day=7, desired_retention=0.85), zone="Asia/Tokyo", rollover_hour=3
    )
    await choose_for_deck(id, french, StudyChoices(learning_steps=(timedelta(minutes=5),), leech_threshold=4))
    await write_notes(id, loose)
    return account


async def study(account_id: int, deck_id: int) -> None:
    from app.domain.calendar import StudyClock
    from app.domain.modes import Goal, Mode

    clock = StudyClock("UTC", 4)
    for day, rating in ((0, Rating.GOOD), (1, Rating.EASY), (12, Rating.AGAIN)):
        now = NOW + timedelta(days=day)
        wish = starting.Wish(deck_id=deck_id, mode=Mode.FLASHCARDS, goal=Goal.LEARN)
        session = await starting.start(account_id, wish, clock=clock, now=now)
        for _ in range(3):
            view = await sessions.session(account_id, session.id, clock=clock, now=now)
            if view.item is None:
                break
            await sessions.reveal(account_id, session.id, view.item.id, clock=clock, now=now)
            await sessions.keep(account_id, session.id, view.item.id, rating, elapsed_ms=4_000, clock=clock, now=now)


async def write_notes(account_id: int, deck_id: int) -> None:
    common: dict[str, Any] = {"author": BROWSER, "limit": 100}
    body = "# Birds\n\nowl :: a bird at night\n"
    first = await notes.write_note(
        account_id, "nature/birds.md", body=body, frontmatter={"tags": ["birds"], "n": 1}, now=NOW, **common
    )
    later = NOW + timedelta(minutes=1)
    await notes.write_note(
        account_id, "nature/birds.md", body=body + "\nmore", frontmatter={"n": 2}, now=later, **common
    )
    await note_cards.cards_from_note(account_id, first.id, cards_in(body), deck_id=deck_id, limits=LIMITS, now=later)
    await notes.write_note(account_id, "gone.md", body="x", frontmatter={}, now=NOW, **common)
    await notes.delete_note_at(account_id, "gone.md", author=BROWSER, now=later)


def comparable(text: bytes) -> dict[str, Any]:
    """A document without what differs between accounts: ids give way to what they name."""
    whole_ = json.loads(text)
    titles = {row["id"]: row["title"] for row in whole_["collections"]}
    deck_names = {row["id"]: (row["title"], row["created_at"]) for row in whole_["decks"]}
    cards = {row["id"]: (row["front"], row["back"], str(deck_names[row["deck_id"]])) for row in whole_["cards"]}
    paths = {row["id"]: (row["path"], row["created_at"]) for row in whole_["notes"]}
    names: dict[str, Any] = {
        "collection_id": titles, "deck_id": deck_names, "card_id": cards, "note_id": paths,
    }  # fmt: skip
    found: dict[str, Any] = {}
    for table, rows in whole_.items():
        if not isinstance(rows, list) or table in {"activity", "card_origins", "media"}:
            continue
        plain: list[str] = []
        for row in copy.deepcopy(rows):
            row.pop("id", None)
            row.pop("account_id", None)
            for key, known in names.items():
                if row.get(key) is not None:
                    row[key] = str(known[row[key]])
            if table in {"collections", "decks"}:
                row.pop("updated_at")
                row.pop("created_at", None) if table == "collections" else None
            if table == "cards":
                row.pop("version")
            plain.append(json.dumps(row, sort_keys=True))
        found[table] = sorted(plain)
    found["media"] = sorted((row["digest"], row["mime"], row["size_bytes"]) for row in whole_["media"])
    found["zone"] = (whole_["account"]["zone"], whole_["account"]["rollover_hour"])
    return found


@pytest.mark.parametrize("form", ["zip", "json"])
async def test_an_account_comes_back_from_its_export(form: str) -> None:
    alice = await full_account()
    before = await whole(document(alice.id, now=NOW))
    assert all(json.loads(before)[table] for table in json.loads(before) if table not in {"activity", "card_origins"})
    file = await whole(account_zip(alice.id, now=NOW)) if form == "zip" else before
    bob = await make_account("bob@example.org", plan=Plan.PRO)
    view = await bring(bob.id, f"loci.{form}", file, settings_too=True)
    assert view.state is ImportState.DONE, view.failure
    assert view.result is not None
    assert view.result.not_taken == ()
    after = comparable(await whole(document(bob.id, now=NOW)))
    expected = comparable(before)
    if form == "json":  # contents are files of their own
        expected |= {"media": [], "card_media": []}
    for table in expected:
        assert after[table] == expected[table], table
    assert after == expected
    again = await bring(bob.id, f"loci.{form}", file, settings_too=True)
    assert again.result is not None
    assert (again.result.created, again.result.notes) == (0, 0)
    assert comparable(await whole(document(bob.id, now=NOW))) == expected


async def test_an_export_comes_back_to_its_own_account_without_a_change() -> None:
    alice = await full_account()
    before = comparable(await whole(document(alice.id, now=NOW)))
    view = await bring(alice.id, "loci.zip", await whole(account_zip(alice.id, now=NOW)), settings_too=True)
    assert view.result is not None
    assert (view.result.created, view.result.updated, view.result.notes) == (0, 0, 0)
    assert comparable(await whole(document(alice.id, now=NOW))) == before


async def test_one_deck_as_json_comes_back_whole() -> None:
    alice = await full_account()
    deck_id = await db.fetch_value("SELECT id FROM deck WHERE title = 'French'")
    text = await whole(document(alice.id, deck_id=deck_id, now=NOW))
    bob = await make_account("bob@example.org", plan=Plan.PRO)
    view = await bring(bob.id, "french.json", text)
    assert view.result is not None
    assert (view.result.created, view.result.not_taken_count) == (4, 0)
    assert "email" not in text.decode()
    rows = await db.fetch("SELECT title FROM deck WHERE account_id = $1", bob.id)
    assert [row["title"] for row in rows] == ["French"]


async def test_the_zip_holds_notes_and_tables_and_media_to_read_without_loci(tmp_path: Path) -> None:
    alice = await full_account()
    archive = zipfile.ZipFile(io.BytesIO(await whole(account_zip(alice.id, now=NOW))))
    names = set(archive.namelist())
    assert {"README.txt", "loci.json", "notes/nature/birds.md"} <= names
    assert sum(name.startswith("media/") for name in names) == 2
    assert any(name.startswith("decks/French") for name in names)
    assert archive.testzip() is None


async def test_an_export_that_was_tampered_with_is_refused_or_loses_only_what_is_wrong() -> None:
    alice, bob = await full_account(), await make_account("bob@example.org", plan=Plan.PRO)
    text = json.loads(await whole(document(alice.id, now=NOW)))
    for change in (
        lambda d: d | {"version": 99},
        lambda d: d | {"cards": "none"},
        lambda d: d | {"cards": [{"id": "x"}]},
        lambda d: d | {"schedules": [{"card_id": 1, "state": 9}]},
        lambda d: d | {"reviews": [{"card_id": 1, "rating": 7}]},
    ):
        view = await bring(bob.id, "loci.json", json.dumps(change(text)))
        assert view.state is ImportState.FAILED
    odd = copy.deepcopy(text)
    odd["cards"][0]["front"] = ""
    odd["cards"][1]["deck_id"] = 10**9
    odd["schedules"] = [row | {"stability": None} for row in odd["schedules"]]
    odd["deck_settings"] = [row | {"desired_retention": 7, "learning_steps": "soon"} for row in odd["deck_settings"]]
    odd["study_settings"] = [{"desired_retention": -1, "parameters": [1, 2], "new_per_day": "many"}]
    odd["account"]["zone"] = "Mars/Base"
    odd["note_versions"][0]["frontmatter"] = "{"
    view = await bring(bob.id, "loci.json", json.dumps(odd), settings_too=True)
    assert view.state is ImportState.DONE, view.failure
    assert view.result is not None
    assert view.result.not_taken_count >= 2
    assert await db.fetch_value("SELECT count(*) FROM card WHERE account_id = $1 AND deleted_at IS NULL", bob.id) > 0
