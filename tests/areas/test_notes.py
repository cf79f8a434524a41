"""Notes on real rows: races, restoring, retention, limits, relinking, ownership."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from app.core import db
from app.decks.limits import Limits
from app.domain.errors import AppError, Conflict, NotFound, PlanRequired
from app.domain.note_cards import cards_in
from app.domain.notes import NoteEdit
from app.domain.plans import PLANS, Plan
from app.domain.vaults import VaultFile
from app.notes import queries, service
from app.notes.cards import cards_from_note
from app.notes.moves import move_folder
from app.notes.views import BROWSER, Author, Written
from tests.areas.deck_makers import make_deck
from tests.factories import NOW, make_account

CLAUDE, GPT = Author("oauth", "Claude"), Author("oauth", "ChatGPT")


async def write(
    account_id: int,
    path: str,
    body: str = "x",
    *,
    author: Author = BROWSER,
    limit: int = 1000,
    at: Any = NOW,
    **more: Any,
) -> Written:
    return await service.write_note(account_id, path, body=body, frontmatter=more, author=author, limit=limit, now=at)


async def body_at(account_id: int, path: str) -> str:
    return (await queries.note_at(account_id, path)).body


async def outcomes(*commands: Any) -> list[Any]:
    return await asyncio.gather(*commands, return_exceptions=True)


# --- at the same time


async def test_of_two_edits_of_the_same_words_one_wins_and_the_other_is_told(committed: None):
    account = await make_account()
    await write(account.id, "a.md", "the old words")
    done = await outcomes(
        *(
            service.edit_note(
                account.id,
                "a.md",
                NoteEdit(mode="str_replace", old_str="old", new_str=f"new{number}"),
                author=CLAUDE,
                now=NOW,
            )
            for number in range(8)
        )
    )
    won = [item for item in done if isinstance(item, Written)]
    assert len(won) == 1
    assert all(isinstance(item, Conflict) for item in done if item not in won)
    assert (await body_at(account.id, "a.md")).startswith("the new")
    assert await db.fetch_value("SELECT count(*) FROM note_version") == 2


async def test_what_is_appended_at_the_same_time_is_all_there(committed: None):
    account = await make_account()
    await write(account.id, "a.md", "start")
    await outcomes(
        *(
            service.edit_note(account.id, "a.md", NoteEdit(mode="append", body=f"line {n}"), author=GPT, now=NOW)
            for n in range(12)
        )
    )
    lines = (await body_at(account.id, "a.md")).split("\n")
    assert sorted(lines[1:]) == sorted(f"line {n}" for n in range(12))
    rows = await db.fetch("SELECT version FROM note_version ORDER BY version")
    assert [row["version"] for row in rows] == list(range(1, 14))


async def test_of_two_saves_from_the_same_version_one_is_kept_and_the_other_is_told(committed: None):
    account = await make_account()
    note = await write(account.id, "a.md", "start")
    done = await outcomes(
        *(
            service.save_note(
                account.id, note.id, body=f"text {n}", frontmatter={}, expected_version=1, author=BROWSER, now=NOW
            )
            for n in range(5)
        )
    )
    assert sum(isinstance(item, Written) for item in done) == 1
    assert sum(isinstance(item, Conflict) for item in done) == 4


async def test_the_plan_holds_when_many_write_at_once(committed: None):
    account = await make_account()
    done = await outcomes(*(write(account.id, f"{n}.md", limit=3) for n in range(8)))
    assert sum(isinstance(item, Written) for item in done) == 3
    assert sum(isinstance(item, PlanRequired) for item in done) == 5
    assert await queries.usage(account.id) == 3


async def test_one_path_written_by_many_is_one_note(committed: None):
    account = await make_account()
    await outcomes(*(write(account.id, "a.md", f"text {n}") for n in range(8)))
    assert await db.fetch_value("SELECT count(*) FROM note") == 1
    assert await db.fetch_value("SELECT version FROM note") == 8


# --- going back


async def test_every_version_can_be_brought_back_and_is_a_new_one(rollback: None):
    account = await make_account()
    note = await write(account.id, "a.md", "one", type="task", tags=["x"])
    await write(account.id, "a.md", "two")
    back = await service.restore_version(account.id, note.id, 1, author=BROWSER, now=NOW)
    assert back.version == 3
    view = await queries.note(account.id, note.id)
    assert (view.body, view.frontmatter, view.tags) == ("one", {"type": "task", "tags": ["x"]}, ("x",))
    again = await service.restore_version(account.id, note.id, 3, author=BROWSER, now=NOW)
    assert not again.changed
    for number in (0, 4, -1, 2**40):
        with pytest.raises(NotFound):
            await service.restore_version(account.id, note.id, number, author=BROWSER, now=NOW)


async def test_a_deleted_note_is_gone_everywhere_and_comes_back_whole(rollback: None):
    account = await make_account()
    note = await write(account.id, "work/a.md", "kiwi #fruit")
    await service.delete_note_at(account.id, "work/a.md", author=CLAUDE, now=NOW)
    assert (await queries.search_notes(account.id, "kiwi")).items == ()
    assert (await queries.tree(account.id)).files == 0
    assert await queries.tags(account.id) == ()
    assert [item.path for item in (await queries.trash_notes(account.id)).items] == ["work/a.md"]
    with pytest.raises(PlanRequired):
        await service.restore_note(account.id, note.id, author=BROWSER, limit=0, now=NOW)
    await service.restore_note(account.id, note.id, author=BROWSER, limit=9, now=NOW)
    assert [hit.path for hit in (await queries.search_notes(account.id, "kiwi")).items] == ["work/a.md"]
    versions = (await queries.versions(account.id, note.id)).items
    assert [(entry.version, entry.deleted, entry.author) for entry in versions] == [
        (3, False, BROWSER),
        (2, True, CLAUDE),
        (1, False, BROWSER),
    ]


async def test_a_note_written_anew_where_one_was_deleted_goes_on_with_its_history(rollback: None):
    account = await make_account()
    first = await write(account.id, "a.md", "one")
    await service.delete_note_at(account.id, "a.md", author=BROWSER, now=NOW)
    second = await write(account.id, "a.md", "two")
    assert (second.id, second.version) == (first.id, 3)
    assert (await queries.trash_notes(account.id)).items == ()


# --- retention


async def test_old_versions_go_and_what_a_note_says_never_does(rollback: None):
    account = await make_account()
    days = [NOW + timedelta(days=day) for day in range(5)]
    note = await write(account.id, "a.md", "one", at=days[0])
    await write(account.id, "a.md", "two", at=days[1])
    await write(account.id, "a.md", "three", at=days[4])
    lone = await write(account.id, "old.md", "kept", at=days[0])
    gone = await write(account.id, "gone.md", "text", at=days[0])
    await service.delete_note_at(account.id, "gone.md", author=BROWSER, now=days[1])

    async def versions(note_id: int) -> list[int]:
        rows = await db.fetch("SELECT version FROM note_version WHERE note_id = $1 ORDER BY version", note_id)
        return [row["version"] for row in rows]

    early = NOW - timedelta(days=1)
    assert await service.sweep_notes(deleted_before=early, versions_before=days[2]) == 1
    assert await versions(note.id) == [2, 3]
    assert await versions(lone.id) == [1]
    assert await versions(gone.id) == [1, 2], "the last text of a note in the trash stays"
    assert await service.sweep_notes(deleted_before=days[2], versions_before=early) == 1
    assert await versions(gone.id) == []


# --- links


async def test_links_mean_the_same_after_a_move_whatever_their_form(rollback: None):
    account = await make_account()
    moved = await write(account.id, "a/Über uns.md", "[sibling](b%20c.md) and [[b c]]")
    await write(
        account.id, "a/b c.md", "[up](%C3%9Cber%20uns.md#part) [[Über uns#part|us]] [x](https://e.org/%C3%9Cber.md)"
    )
    await write(account.id, "other.md", "```\n[[Über uns]]\n```\n[[über UNS]] [[none]] ![[Über uns]]")
    done = await service.move_note(account.id, moved.id, "z/New.md", author=BROWSER, now=NOW)
    assert done.relinked == 2
    assert await body_at(account.id, "z/New.md") == "[sibling](../a/b%20c.md) and [[b c]]"
    assert (
        await body_at(account.id, "a/b c.md")
        == "[up](../z/New.md#part) [[New#part|us]] [x](https://e.org/%C3%9Cber.md)"
    )
    assert await body_at(account.id, "other.md") == "```\n[[Über uns]]\n```\n[[New]] [[none]] ![[New]]"


async def test_a_title_that_is_no_longer_the_only_one_is_written_as_a_path(rollback: None):
    account = await make_account()
    await write(account.id, "x/same.md", "1")
    moved = await write(account.id, "y/unique.md", "2")
    await write(account.id, "links.md", "[[unique]] [[same]]")
    await service.move_note(account.id, moved.id, "y/same.md", author=BROWSER, now=NOW)
    assert await body_at(account.id, "links.md") == "[[y/same]] [[same]]"


# --- search


async def test_search_ranks_by_matches_then_by_time_and_reads_every_script(rollback: None):
    account = await make_account()
    for place, (path, body) in enumerate(
        [
            ("one.md", "kiwi kiwi kiwi"),
            ("two.md", "Kiwi and KIWI"),
            ("three.md", "a kiwi"),
            ("kiwi.md", "nothing"),
            ("日本.md", "吾輩は猫である。猫。"),
            ("ko.md", "가나다라"),
            ("signs.md", "100% _x_ \\ '\""),
            ("acc.md", "Résumé ÉTÉ straße"),
        ]
    ):
        await write(account.id, path, body, at=NOW + timedelta(seconds=place))

    async def found(query: str, **more: Any) -> list[tuple[str, int]]:
        return [(hit.path, hit.score) for hit in (await queries.search_notes(account.id, query, **more)).items]

    assert await found("KIWI") == [("one.md", 3), ("two.md", 2), ("kiwi.md", 1), ("three.md", 1)]
    assert await found("猫") == [("日本.md", 2)]
    assert await found("나다") == [("ko.md", 1)]
    assert await found("%") == [("signs.md", 1)]
    assert await found("_x_") == [("signs.md", 1)]
    assert await found("\\") == [("signs.md", 1)]
    assert await found("été") == [("acc.md", 1)]
    assert await found("ete") == [], "a search of notes is literal"
    assert await found("STRASSE") == [("acc.md", 1)]
    assert await found("k", folder="none") == []


# --- whose


async def test_another_accounts_notes_are_like_missing_ones(rollback: None):
    alice, bob = await make_account(), await make_account("bob@example.org")
    note = await write(alice.id, "secret.md", "kiwi")
    commands = (
        lambda: queries.note(bob.id, note.id),
        lambda: queries.note_at(bob.id, "secret.md"),
        lambda: queries.versions(bob.id, note.id),
        lambda: queries.version(bob.id, note.id, 1),
        lambda: service.delete_note(bob.id, note.id, author=BROWSER, now=NOW),
        lambda: service.move_note(bob.id, note.id, "x.md", author=BROWSER, now=NOW),
        lambda: service.restore_note(bob.id, note.id, author=BROWSER, limit=9, now=NOW),
        lambda: service.restore_version(bob.id, note.id, 1, author=BROWSER, now=NOW),
        lambda: service.erase_note(bob.id, note.id),
    )
    for command in commands:
        with pytest.raises(NotFound):
            await command()
    assert (await queries.search_notes(bob.id, "kiwi")).items == ()
    assert (await write(bob.id, "secret.md", "mine")).id != note.id
    assert await body_at(alice.id, "secret.md") == "kiwi"


async def test_an_import_takes_what_it_can_and_names_the_rest(rollback: None):
    account = await make_account()
    await write(account.id, "there.md", "mine")
    files = [
        VaultFile("new.md", "---\na: 1\n---\nbody"),
        VaultFile("there.md", "theirs"),
        VaultFile("bad.md", "---\n- list\n---\n"),
        VaultFile("secret.md", "password: hunter2"),
        VaultFile("over.md", "one too many"),
    ]
    done = await service.import_notes(account.id, files, replace=False, author=BROWSER, limit=2, now=NOW)
    assert (done.created, done.replaced, done.kept) == (1, 0, ["there.md"])
    assert [file.name for file in done.refused] == ["bad.md", "secret.md", "over.md"]
    assert (await queries.note_at(account.id, "new.md")).frontmatter == {"a": 1}
    with pytest.raises(AppError):
        await queries.note_at(account.id, "over.md")


async def test_the_counts_of_folders_follow_every_way_of_changing_notes(rollback: None) -> None:
    account = await make_account()

    async def counted() -> dict[str, int]:
        rows = await db.fetch("SELECT folder, notes FROM note_folder WHERE account_id = $1", account.id)
        true = await db.fetch(
            "SELECT folder, count(*) AS notes FROM note WHERE account_id = $1 AND deleted_at IS NULL GROUP BY folder",
            account.id,
        )
        assert {row["folder"]: row["notes"] for row in rows} == {row["folder"]: row["notes"] for row in true}
        return {row["folder"]: row["notes"] for row in rows}

    for path in ("a/one.md", "a/two.md", "b/three.md", "four.md", "x" * 500 + "/" + "語" * 500 + ".md"):
        await write(account.id, path, "text")
    assert await counted() == {"a": 2, "b": 1, "": 1, "x" * 500: 1}
    await move_folder(account.id, "a", "c/d", author=BROWSER, now=NOW)
    assert await counted() == {"c/d": 2, "b": 1, "": 1, "x" * 500: 1}
    gone = await queries.note_at(account.id, "b/three.md")
    await service.delete_note_at(account.id, "b/three.md", author=BROWSER, now=NOW)
    assert "b" not in await counted()
    await service.restore_note(account.id, gone.id, author=BROWSER, limit=100, now=NOW)
    assert (await counted())["b"] == 1
    await db.execute("DELETE FROM note WHERE account_id = $1 AND folder = 'b'", account.id)
    assert "b" not in await counted()


async def test_a_card_is_to_review_when_its_line_goes_on_and_not_when_its_note_was_in_the_trash(rollback: None) -> None:
    account = await make_account()
    deck_id, _ = await make_deck(account.id)
    body = "Pi :: 3.14\r\nE :: 2.7\n"
    made = await write(account.id, "maths.md", body)
    limits = Limits(PLANS[Plan.PRO], 500)
    await cards_from_note(account.id, made.id, cards_in(body), deck_id=deck_id, limits=limits, now=NOW)

    async def marked() -> list[str]:
        rows = await db.fetch("SELECT source FROM note_card WHERE to_review ORDER BY card_id")
        return [row["source"] for row in rows]

    await service.delete_note_at(account.id, "maths.md", author=BROWSER, now=NOW)
    await service.restore_note(account.id, made.id, author=BROWSER, limit=100, now=NOW)
    assert await marked() == []
    await write(account.id, "maths.md", "Pi :: 3.14159 (not 3.14)\nE :: 2.7\n")
    assert await marked() == ["Pi :: 3.14"]


async def test_a_card_that_was_checked_is_watched_again(rollback: None) -> None:
    account = await make_account()
    deck_id, _ = await make_deck(account.id)
    made = await write(account.id, "maths.md", "Pi :: 3.14\n")
    limits = Limits(PLANS[Plan.PRO], 500)
    cards, _ = await cards_from_note(
        account.id, made.id, cards_in("Pi :: 3.14\n"), deck_id=deck_id, limits=limits, now=NOW
    )
    for text in ("Pi :: 3.1416\n", "Pi :: 3.14159\n", "Now a sentence.\n"):
        await write(account.id, "maths.md", text)
        [found] = await queries.cards_of_note(account.id, made.id)
        assert found.to_review, text
        await service.mark_checked(account.id, cards[0])
        [found] = await queries.cards_of_note(account.id, made.id)
        assert not found.to_review
    with pytest.raises(NotFound):
        await service.mark_checked((await make_account("bob@example.org")).id, cards[0])


async def test_links_in_metadata_are_rewritten_when_their_note_moves(rollback: None) -> None:
    account = await make_account()
    plan = await write(account.id, "plan.md", "text")
    await write(account.id, "other.md", "nothing here", up="[[plan]]")
    done = await service.move_note(account.id, plan.id, "work/scheme.md", author=BROWSER, now=NOW)
    assert done.relinked == 1
    assert (await queries.note_at(account.id, "other.md")).frontmatter == {"up": "[[scheme]]"}


async def test_every_entry_of_a_large_folder_can_be_reached(rollback: None) -> None:
    account = await make_account()
    for number in range(7):
        await write(account.id, f"big/note{number}.md", "text")
    for number in range(4):
        await write(account.id, f"big/sub{number}/inner.md", "text")
    seen: list[str] = []
    skip: int | None = 0
    while skip is not None:
        tree = await queries.tree(account.id, "big", folder_entries=3, tree_entries=10, skip=skip)
        seen += [entry.path for entry in tree.entries]
        assert tree.files == 11
        skip = tree.next_skip
    assert seen == [f"big/sub{number}" for number in range(4)] + [f"big/note{number}.md" for number in range(7)]
    assert (await queries.tree(account.id, "big", skip=10_000)).entries == ()
