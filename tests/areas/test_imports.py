"""Imports on real rows: what comes in, what is recognised, resuming, undoing, limits, owners."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from app.core import db
from app.decks import service as decks
from app.domain.errors import Conflict, InvalidInput, NotFound
from app.domain.plans import Plan
from app.domain.transfer.identity import card_of, guid_of, identity_of
from app.transfer import imports
from app.transfer.importing import run_import, run_preview
from app.transfer.views import Choices, Duplicates, ImportState
from tests.areas.deck_makers import LIMITS
from tests.areas.importing import SETTINGS, bring, pieces, upload
from tests.factories import NOW, make_account

pytestmark = pytest.mark.usefixtures("committed")
WORDS = "front,back,tags\nun,one,french\ndeux,two,french\n,nothing,\n"


def package(data: Path) -> bytes:
    return (data / "decks" / "modern_anki21b_20cards.apkg").read_bytes()


async def titles(account_id: int) -> list[str]:
    rows = await db.fetch(
        "SELECT d.title, c.title AS shelf FROM deck d LEFT JOIN collection c ON c.account_id = d.account_id "
        "AND c.id = d.collection_id WHERE d.account_id = $1 AND d.deleted_at IS NULL ORDER BY d.id",
        account_id,
    )
    return [f"{row['shelf']}/{row['title']}" if row["shelf"] else row["title"] for row in rows]


async def fronts(account_id: int, deck: str | None = None) -> list[str]:
    rows = await db.fetch(
        "SELECT c.front FROM card c JOIN deck d ON d.account_id = c.account_id AND d.id = c.deck_id "
        "WHERE c.account_id = $1 AND c.deleted_at IS NULL AND ($2::text IS NULL OR d.title = $2) ORDER BY c.id",
        account_id,
        deck,
    )
    return [row["front"] for row in rows]


# --- what comes in


async def test_a_table_comes_in_with_a_reason_for_every_row_that_is_not_taken() -> None:
    account = await make_account()
    view = await bring(account.id, "mots.csv", WORDS)
    assert view.state is ImportState.DONE
    assert view.result is not None
    assert (view.result.created, view.result.not_taken_count) == (2, 1)
    assert view.result.not_taken[0].line == 4
    assert (await titles(account.id), await fronts(account.id)) == (["mots"], ["un", "deux"])
    assert await db.fetch_value("SELECT count(*) FROM import_piece") == 0


async def test_the_preview_says_what_the_import_then_does(data: Path) -> None:
    account = await make_account()
    import_id = await upload(account.id, "demo.apkg", package(data))
    view = await imports.imported(account.id, import_id)
    assert view.preview is not None
    assert (view.state, view.preview.cards, view.preview.new) == (ImportState.READY, 20, 20)
    assert await fronts(account.id) == []
    await imports.begin(account.id, import_id, Choices(), now=NOW)
    await run_import(account.id, import_id, settings=SETTINGS, now=NOW)
    assert len(await fronts(account.id, "MCP Reviewer Demo")) == 20
    again = await imports.imported(account.id, await upload(account.id, "demo.apkg", package(data)))
    assert again.preview is not None
    assert (again.preview.new, again.preview.known) == (0, 20)


async def test_decks_inside_decks_go_on_a_shelf_and_a_title_that_is_taken_there_stays_apart() -> None:
    account = await make_account()
    rows = "front\tback\tdeck\na\t1\tFrench::Verbs\nb\t2\tSpanish::Verbs\nc\t3\tFrench::Verbs::Hard\nd\t4\tLoose\n"
    for _ in range(2):
        view = await bring(account.id, "x.tsv", rows)
        assert view.state is ImportState.DONE, view
    assert await titles(account.id) == ["French/Verbs", "Spanish/Spanish::Verbs", "French/Verbs::Hard", "Loose"]
    assert sorted(await fronts(account.id)) == ["a", "b", "c", "d"]


async def test_a_deck_over_the_cap_goes_on_in_a_second_one() -> None:
    account = await make_account()
    rows = "front,back\n" + "".join(f"f{number},b{number}\n" for number in range(12))
    small = replace(SETTINGS, deck_card_cap=5)
    import_id = await imports.start_import(account.id, "many.csv", pieces(rows.encode()), max_bytes=10**6, now=NOW)
    await run_preview(account.id, import_id, settings=small, now=NOW)
    view = await imports.imported(account.id, import_id)
    assert view.preview is not None
    assert (view.preview.decks[0].parts, view.preview.new_decks) == (3, 3)
    await imports.begin(account.id, import_id, Choices(), now=NOW)
    await run_import(account.id, import_id, settings=small, now=NOW)
    assert await titles(account.id) == ["many", "many (2)", "many (3)"]
    assert [len(await fronts(account.id, title)) for title in await titles(account.id)] == [5, 5, 2]
    view = await bring(account.id, "many.csv", rows, settings=small)
    assert view.result is not None
    assert (view.result.created, view.result.known) == (0, 12)


@pytest.mark.parametrize(
    ("name", "text", "format"),
    [
        ("set.txt", "chat\tcat\nchien\tdog\n", "quizlet"),
        ("set.txt", "#separator:Tab\n#html:true\nchat\t<b>cat</b>\nchien\tdog\n", "table"),
        ("set.json", '[{"front": "chat", "back": "cat"}, ["chien", "dog"]]', "json"),
        ("set.md", "# Animals\n\nchat :: cat\n\nchien :: dog\n", "markdown"),
        ("set.csv", "chat;cat\nchien;dog\n", "table"),
    ],
)
async def test_every_text_format(name: str, text: str, format: str) -> None:
    account = await make_account()
    view = await bring(account.id, name, text)
    assert view.preview is not None, view.failure
    assert (view.preview.format, await fronts(account.id)) == (format, ["chat", "chien"])


@pytest.mark.parametrize(
    "data_", [b"", b"   \n", b"\xff\xfe\xfd", b"PK\x03\x04 nonsense", b"SQLite format 3\0 x", b"{"]
)
async def test_what_cannot_be_read_says_why_and_leaves_nothing(data_: bytes) -> None:
    account = await make_account()
    if not data_:
        with pytest.raises(InvalidInput):
            await imports.start_import(account.id, "x", pieces(data_), max_bytes=100, now=NOW)
        assert await imports.recent(account.id) == ()
        return
    view = await bring(account.id, "x.apkg", data_)
    if view.state is ImportState.DONE:
        pytest.fail("it was taken")
    assert view.failure is not None
    assert view.failure.message
    assert await db.fetch_value("SELECT count(*) FROM import_piece") == 0


# --- what is here already


async def test_choices_of_what_becomes_of_cards_that_are_here(data: Path) -> None:
    account = await make_account()
    await bring(account.id, "demo.apkg", package(data))
    card = await db.fetch_row("SELECT id, front FROM card WHERE account_id = $1 ORDER BY id LIMIT 1", account.id)
    assert card is not None
    await db.execute("UPDATE card SET front = 'changed', card_key = '\\x00' WHERE id = $1", card["id"])
    skipped = await bring(account.id, "demo.apkg", package(data))
    assert skipped.result is not None
    assert (skipped.result.known, (await fronts(account.id))[0]) == (20, "changed")
    updated = await bring(account.id, "demo.apkg", package(data), duplicates=Duplicates.UPDATE)
    assert updated.result is not None
    assert (updated.result.updated, (await fronts(account.id))[0]) == (20, card["front"])
    both = await bring(account.id, "demo.apkg", package(data), duplicates=Duplicates.KEEP_BOTH)
    assert both.result is not None
    assert (both.result.created, len(await fronts(account.id))) == (20, 40)
    assert await titles(account.id) == ["MCP Reviewer Demo", "MCP Reviewer Demo (2)"]


async def test_a_card_in_the_trash_stays_there_and_is_told(data: Path) -> None:
    account = await make_account()
    await bring(account.id, "demo.apkg", package(data))
    card_id = await db.fetch_value("SELECT min(id) FROM card WHERE account_id = $1", account.id)
    await decks.delete_cards(account.id, [card_id], now=NOW)
    view = await bring(account.id, "demo.apkg", package(data))
    assert view.result is not None
    assert (view.result.in_trash, view.result.created, len(await fronts(account.id))) == (1, 0, 19)


async def test_equal_rows_of_one_file_become_one_card() -> None:
    account = await make_account()
    view = await bring(account.id, "x.csv", "front,back\na,b\nA ,B\na,c\n")
    assert view.result is not None
    assert (view.result.created, view.result.repeated) == (2, 1)


async def test_all_cards_into_a_deck_of_ones_choice() -> None:
    account, other = await make_account(), await make_account("other@example.org")
    deck_id = await decks.create_deck(account.id, title="Mine", limits=LIMITS, now=NOW)
    await bring(account.id, "x.csv", "front,back,deck\na,b,One\nc,d,Two\n", deck_id=deck_id)
    assert (await titles(account.id), await fronts(account.id, "Mine")) == (["Mine"], ["a", "c"])
    view = await bring(other.id, "x.csv", "front,back\na,b\n", deck_id=deck_id)
    assert (view.state, await titles(other.id)) == (ImportState.FAILED, [])


# --- once, whole, resumed


class Killed(BaseException):
    """The end of a process in the middle of its work."""


async def test_a_fault_is_told_and_what_came_in_can_be_undone(monkeypatch: pytest.MonkeyPatch) -> None:
    account = await make_account()
    rows = "front,back\n" + "".join(f"f{number},b{number}\n" for number in range(600))
    from app.transfer import inserting

    write = inserting.write

    async def faulty(head: Any, batch: Any, *more: Any) -> Any:
        if batch.start:
            raise ZeroDivisionError
        return await write(head, batch, *more)

    monkeypatch.setattr(inserting, "write", faulty)
    view = await bring(account.id, "many.csv", rows)
    assert view.failure is not None
    assert (view.state, len(await fronts(account.id))) == (ImportState.FAILED, 500)
    assert await imports.undo(account.id, view.id, now=NOW) == 500


async def test_a_killed_import_goes_on_where_it_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    account = await make_account()
    rows = "front,back\n" + "".join(f"f{number},b{number}\n" for number in range(1_200))
    import_id = await upload(account.id, "many.csv", rows)
    await imports.begin(account.id, import_id, Choices(), now=NOW)
    from app.transfer import inserting

    write, calls = inserting.write, 0

    async def dying(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise Killed
        return await write(*arguments)

    monkeypatch.setattr(inserting, "write", dying)
    with pytest.raises(Killed):
        await run_import(account.id, import_id, settings=SETTINGS, now=NOW)
    view = await imports.imported(account.id, import_id)
    assert (view.state, view.progress, len(await fronts(account.id))) == (ImportState.IMPORTING, 500, 500)
    monkeypatch.setattr(inserting, "write", write)
    await run_import(account.id, import_id, settings=SETTINGS, now=NOW)
    view = await imports.imported(account.id, import_id)
    assert view.result is not None
    assert (view.state, view.result.created, len(await fronts(account.id))) == (ImportState.DONE, 1_200, 1_200)
    assert await titles(account.id) == ["many", "many (2)", "many (3)"]


async def test_two_runners_of_one_import_make_every_card_once() -> None:
    account = await make_account()
    rows = "front,back\n" + "".join(f"f{number},b{number}\n" for number in range(1_100))
    import_id = await upload(account.id, "many.csv", rows)
    await imports.begin(account.id, import_id, Choices(duplicates=Duplicates.KEEP_BOTH), now=NOW)
    await asyncio.gather(*(run_import(account.id, import_id, settings=SETTINGS, now=NOW) for _ in range(2)))
    view = await imports.imported(account.id, import_id)
    assert (view.state, len(await fronts(account.id))) == (ImportState.DONE, 1_100)


async def test_undo_takes_back_what_it_made_and_nothing_else() -> None:
    account = await make_account()
    await bring(account.id, "mots.csv", "front,back\nun,one\n")
    view = await bring(account.id, "more.csv", "front,back,deck\nun,one,mots\ntrois,three,mots\nquatre,four,new\n")
    assert sorted(await fronts(account.id)) == ["quatre", "trois", "un"]
    assert await imports.undo(account.id, view.id, now=NOW) == 2
    assert (await fronts(account.id), await titles(account.id)) == (["un"], ["mots"])
    assert (await imports.imported(account.id, view.id)).state is ImportState.UNDONE
    assert await imports.undo(account.id, view.id, now=NOW) == 0
    trashed = await db.fetch_value(
        "SELECT count(*) FROM card WHERE account_id = $1 AND deleted_at IS NOT NULL", account.id
    )
    assert trashed == 2


async def test_a_cancelled_import_does_nothing_more_and_its_file_is_gone() -> None:
    account = await make_account()
    import_id = await upload(account.id, "mots.csv", WORDS)
    await imports.begin(account.id, import_id, Choices(), now=NOW)
    await imports.cancel(account.id, import_id, now=NOW)
    await run_import(account.id, import_id, settings=SETTINGS, now=NOW)
    assert await fronts(account.id) == []
    assert await db.fetch_value("SELECT count(*) FROM import_piece") == 0
    with pytest.raises(Conflict):
        await imports.begin(account.id, import_id, Choices(), now=NOW)


async def test_a_plan_that_is_too_small_is_said_before_and_kept_to() -> None:
    account = await make_account(plan=Plan.FREE)
    rows = "front,back\n" + "".join(f"f{number},b{number}\n" for number in range(2_001))
    import_id = await upload(account.id, "many.csv", rows)
    view = await imports.imported(account.id, import_id)
    assert view.preview is not None
    assert view.preview.refusal is not None
    await imports.begin(account.id, import_id, Choices(), now=NOW)
    await run_import(account.id, import_id, settings=SETTINGS, now=NOW)
    view = await imports.imported(account.id, import_id)
    assert view.failure is not None
    assert (view.state, len(await fronts(account.id))) == (ImportState.FAILED, 2_000)
    assert await imports.undo(account.id, import_id, now=NOW) == 2_000


async def test_three_at_once_and_no_file_over_the_limit() -> None:
    account = await make_account()
    with pytest.raises(InvalidInput):
        await imports.start_import(account.id, "x.csv", pieces(b"x" * 101), max_bytes=100, now=NOW)
    for _ in range(imports.UNFINISHED_MAX):
        await upload(account.id, "mots.csv", WORDS)
    with pytest.raises(Conflict):
        await upload(account.id, "mots.csv", WORDS)


async def test_an_upload_keeps_nobody_waiting_and_can_be_cancelled_on_its_way() -> None:
    account = await make_account()
    half, go_on = asyncio.Event(), asyncio.Event()

    async def slowly() -> AsyncIterator[bytes]:
        yield WORDS.encode()[:20]
        half.set()
        await go_on.wait()
        yield WORDS.encode()[20:]

    def begun() -> asyncio.Task[int]:
        half.clear()
        go_on.clear()
        return asyncio.create_task(imports.start_import(account.id, "mots.csv", slowly(), max_bytes=1_000, now=NOW))

    sending = begun()
    await half.wait()
    async with asyncio.timeout(10):
        await decks.create_deck(account.id, title="Meanwhile", limits=LIMITS, now=NOW)
    (view,) = await imports.recent(account.id)
    assert view.state is ImportState.UPLOADING
    go_on.set()
    assert await sending == view.id
    assert (await imports.imported(account.id, view.id)).state is ImportState.READING

    sending = begun()
    await half.wait()
    await imports.cancel(account.id, (await imports.recent(account.id))[0].id, now=NOW)
    go_on.set()
    with pytest.raises(Conflict):
        await sending
    assert [each.id for each in await imports.recent(account.id)] == [view.id]


async def test_of_an_upload_that_breaks_off_nothing_is_left() -> None:
    account = await make_account()

    async def broken() -> AsyncIterator[bytes]:
        yield b"front,back"
        raise ConnectionError

    with pytest.raises(ConnectionError):
        await imports.start_import(account.id, "mots.csv", broken(), max_bytes=1_000, now=NOW)
    with pytest.raises(InvalidInput):
        await imports.start_import(account.id, "mots.csv", pieces(b""), max_bytes=1_000, now=NOW)
    assert await imports.recent(account.id) == ()
    assert await db.fetch_value("SELECT count(*) FROM import_piece") == 0


async def test_anothers_import_is_not_there() -> None:
    alice, bob = await make_account(), await make_account("bob@example.org")
    import_id = await upload(alice.id, "mots.csv", WORDS)
    for command in (
        imports.imported(bob.id, import_id),
        imports.begin(bob.id, import_id, Choices(), now=NOW),
        imports.read_again(bob.id, import_id, Choices(), now=NOW),
        imports.cancel(bob.id, import_id, now=NOW),
        imports.undo(bob.id, import_id, now=NOW),
    ):
        with pytest.raises(NotFound):
            await command
    assert await imports.recent(bob.id) == ()


async def test_other_options_of_a_table_make_another_preview() -> None:
    account = await make_account()
    import_id = await upload(account.id, "x.csv", "one,eins,de\ntwo,zwei,de\n")
    await imports.read_again(account.id, import_id, Choices(columns=("back", "front", "")), now=NOW)
    await run_preview(account.id, import_id, settings=SETTINGS, now=NOW)
    view = await imports.imported(account.id, import_id)
    assert view.preview is not None
    assert [sample.front for sample in view.preview.samples] == ["eins", "zwei"]


async def test_uploads_are_forgotten_after_a_day_and_reports_after_ninety() -> None:
    account = await make_account()
    import_id = await upload(account.id, "mots.csv", WORDS)
    await db.execute(
        "INSERT INTO import_job (account_id, name, size_bytes, state, progress, made_decks, created_at, "
        "changed_at) VALUES ($1, 'cut off', 0, 'uploading', 0, '[]', $2, $2)",
        account.id,
        NOW,
    )
    await imports.sweep(NOW + timedelta(hours=23))
    assert (await imports.imported(account.id, import_id)).state is ImportState.READY
    await imports.sweep(NOW + timedelta(hours=25))
    assert (await imports.imported(account.id, import_id)).state is ImportState.CANCELLED
    assert {view.state for view in await imports.recent(account.id)} == {ImportState.CANCELLED}
    assert await db.fetch_value("SELECT count(*) FROM import_piece") == 0
    await imports.sweep(NOW + timedelta(days=91))
    with pytest.raises(NotFound):
        await imports.imported(account.id, import_id)


async def test_a_guid_of_ours_names_its_card_in_its_account_alone() -> None:
    alice, bob = await make_account(), await make_account("bob@example.org")
    one, other = (identity_of(account.id, account.created_at) for account in (alice, bob))
    assert card_of(guid_of(one, 77), one) == 77
    assert card_of(guid_of(one, 77), other) is None
    assert card_of("anything else", one) is None
