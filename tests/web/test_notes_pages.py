"""The pages of notes, as forms and links."""

from __future__ import annotations

import io
import re
import zipfile
from html import unescape

import httpx
import pytest

from app.core import db
from app.notes import service
from app.notes.views import Author
from app.web.pages import notes
from tests.factories import NOW
from tests.web.conftest import Visitor, new_deck, text_of


async def new_note(
    person: Visitor, path: str = "work/plan", body: str = "# Plan\n\nShip it #q3", **more: object
) -> int:
    """A note made through its form; its id."""
    answer = await person.post("/notes/new", path=path, body=body, **{"frontmatter": "", "do": "save", **more})
    found = re.fullmatch(r"/notes/(\d+)", answer.headers["location"])
    assert found
    return int(found.group(1))


async def test_a_note_is_written_read_edited_and_found(alice: Visitor) -> None:
    note_id = await new_note(alice, frontmatter="type: task\ntags: [work]")
    page = await alice.get(f"/notes/{note_id}")
    assert "<h2>Plan</h2>" in page.text
    assert "#q3" in text_of(page)
    assert 'href="/notes?tag=work"' in page.text
    assert "task" in text_of(page)
    tree = await alice.get("/notes")
    assert f'href="/notes/{note_id}"' in tree.text
    assert 'href="/notes?folder=work"' in tree.text
    form = await alice.get(f"/notes/{note_id}/edit")
    assert "type: task" in form.text
    await alice.submit(f"/notes/{note_id}/edit", body="now hidden treasure", frontmatter="", version=1, do="save")
    assert "hidden treasure" in text_of(await alice.get("/notes?q=TREASURE"))
    assert "No note holds this text" in text_of(await alice.get("/notes?q=nothing-like-this"))
    assert "plan" in text_of(await alice.get("/notes?folder=work"))


async def test_the_address_of_a_path_leads_to_the_note(alice: Visitor, bob: Visitor) -> None:
    note_id = await new_note(alice, "日本/メモ", "x")
    answer = await alice.client.get("/notes/at", params={"path": "日本/メモ.md"})
    assert answer.headers["location"] == f"/notes/{note_id}"
    for path in ("none.md", "../x", ""):
        assert (await alice.client.get("/notes/at", params={"path": path})).status_code == 404
    assert (await bob.client.get("/notes/at", params={"path": "日本/メモ.md"})).status_code == 404


async def test_what_is_refused_comes_back_with_the_text(alice: Visitor) -> None:
    for fields, words in (
        ({"path": "../x"}, "only dots"),
        ({"body": "password: hunter2"}, "a password or secret"),
        ({"frontmatter": "- a"}, "not a mapping"),
        ({"path": ""}, "from 1 to"),
    ):
        sent = {"path": "a", "body": "kept text", "frontmatter": "", "do": "save", **fields}
        page = await alice.post("/notes/new", 422, **sent)
        assert words in text_of(page)
        assert str(sent["body"]) in page.text
    await new_note(alice, "taken")
    page = await alice.post("/notes/new", 409, path="taken", body="other", frontmatter="", do="save")
    assert "Another note is at this path" in text_of(page)


async def test_a_preview_keeps_nothing(alice: Visitor) -> None:
    page = await alice.post("/notes/new", 200, path="a", body="**bold**", frontmatter="", do="preview")
    assert "<strong>bold</strong>" in page.text
    assert await db.fetch_value("SELECT count(*) FROM note") == 0
    note_id = await new_note(alice)
    page = await alice.post(f"/notes/{note_id}/edit", 200, body="*new*", frontmatter="", version=1, do="preview")
    assert "<em>new</em>" in page.text
    assert await db.fetch_value("SELECT version FROM note") == 1


async def test_a_note_that_an_ai_changed_meanwhile_is_not_overwritten(alice: Visitor) -> None:
    assert alice.account
    note_id = await new_note(alice, "shared", "first")
    await service.write_note(
        alice.account.id,
        "shared.md",
        body="from Claude",
        frontmatter={},
        author=Author("oauth", "Claude"),
        limit=9,
        now=NOW,
    )
    page = await alice.post(f"/notes/{note_id}/edit", 409, body="mine", frontmatter="", version=1, do="save")
    assert "from Claude" in page.text
    assert ">\nmine</textarea>" in page.text
    assert 'name="version" value="2"' in page.text
    await alice.post(f"/notes/{note_id}/edit", body="mine", frontmatter="", version=2, do="save")
    history = text_of(await alice.get(f"/notes/{note_id}/history"))
    assert "by Claude" in history
    assert "by you, in the browser" in history


async def test_history_shows_differences_and_goes_back(alice: Visitor) -> None:
    note_id = await new_note(alice, "a", "one\ntwo")
    await alice.post(f"/notes/{note_id}/edit", body="one\nthree", frontmatter="", version=1, do="save")
    page = await alice.get(f"/notes/{note_id}/history/2")
    assert "added: three" in text_of(page)
    assert "removed: two" in text_of(page)
    assert "Go back" not in text_of(page)
    assert "Go back to this version" in text_of(await alice.get(f"/notes/{note_id}/history/1"))
    page = await alice.submit(f"/notes/{note_id}/history/1/restore")
    assert "one two" in text_of(page)
    assert await db.fetch_value("SELECT version FROM note") == 3
    await alice.get(f"/notes/{note_id}/history/9", 404)


async def test_moving_rewrites_links(alice: Visitor) -> None:
    note_id = await new_note(alice, "old/name", "I am [here](../other.md)")
    other = await new_note(alice, "other", "See [[name]], [[old/name|alias]], [md](old/name.md) and `[[name]]`.")
    page = await alice.get(f"/notes/{other}")
    assert page.text.count(f'href="/notes/{note_id}"') == 3
    page = await alice.submit(f"/notes/{note_id}/move", path="new/title")
    assert "Links were rewritten in other notes: 1" in text_of(page)
    body = await db.fetch_value("SELECT body FROM note_version WHERE note_id = $1 ORDER BY version DESC LIMIT 1", other)
    assert body == "See [[title]], [[new/title|alias]], [md](new/title.md) and `[[name]]`."
    page = await alice.get(f"/notes/{other}")
    assert page.text.count(f'href="/notes/{note_id}"') == 3
    await alice.post(f"/notes/{note_id}/move", 409, path="other")


async def test_a_folder_moves_with_its_notes_and_links(alice: Visitor) -> None:
    one = await new_note(alice, "a/one", "[two](two.md) [[a/two]]")
    two = await new_note(alice, "a/b/two", "[[one]]")
    outside = await new_note(alice, "out", "[[a/one]] [x](a/b/two.md)")
    page = await alice.submit("/notes/folder", folder="a", to="z/y")
    assert "Notes moved: 2" in text_of(page)
    assert await db.fetch_value("SELECT path FROM note WHERE id = $1", two) == "z/y/b/two.md"
    body = await db.fetch_value("SELECT body FROM note_version WHERE note_id = $1 ORDER BY version DESC", outside)
    assert body == "[[z/y/one]] [x](z/y/b/two.md)"
    assert one
    await alice.post("/notes/folder", 422, folder="z", to="z/y/x")
    await alice.post("/notes/folder", 404, folder="none", to="b")


async def test_a_deleted_note_comes_back_with_its_history(alice: Visitor) -> None:
    note_id = await new_note(alice, "a", "text")
    page = await alice.submit(f"/notes/{note_id}/delete")
    assert "The note is in the trash" in text_of(page)
    await alice.get(f"/notes/{note_id}", 404)
    assert "deleted" in text_of(await alice.get(f"/notes/{note_id}/history"))
    page = await alice.submit(f"/trash/notes/{note_id}/restore")
    assert "text" in text_of(page)
    await alice.post(f"/notes/{note_id}/delete")
    await new_note(alice, "b", "x")
    assert "Erase for good" in text_of(await alice.post(f"/trash/notes/{note_id}/erase", 200))
    await alice.post(f"/trash/notes/{note_id}/erase", confirmed="1")
    assert await db.fetch_value("SELECT count(*) FROM note_version WHERE note_id = $1", note_id) == 0


async def test_a_note_whose_path_was_taken_stays_in_the_trash(alice: Visitor) -> None:
    note_id = await new_note(alice, "a", "old")
    await alice.post(f"/notes/{note_id}/delete")
    taken = await new_note(alice, "b", "new")
    await alice.post(f"/notes/{taken}/move", path="a")
    page = await alice.submit(f"/trash/notes/{note_id}/restore")
    assert "Another note has taken its path" in text_of(page)


def zip_of(files: dict[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return out.getvalue()


async def upload(person: Visitor, name: str, data: bytes, status: int = 200, **fields: str) -> httpx.Response:
    sent = {"files": (name, data, "application/octet-stream")}
    answer = await person.client.post("/notes/import", data=fields, files=sent)
    assert answer.status_code == status, text_of(answer)
    return answer


async def test_a_vault_comes_in_with_links_and_goes_out_again(alice: Visitor) -> None:
    vault = {
        "Vault/.obsidian/app.json": "{}",
        "Vault/Welcome.md": "---\ntags: [start]\ndate: 2024-01-01\n---\nSee [[Ideas]] and ![[image.png]]",
        "Vault/Projects/Ideas.md": "An idea",
        "Vault/image.png": b"\x89PNG",
        "Vault/bad.md": b"\xff\x00\xfe",
        "Vault/secret.md": "password: hunter2",
    }
    page = await upload(alice, "vault.zip", zip_of(vault))
    assert "New notes: 2." in text_of(page)
    assert "Not imported: 2." in text_of(page)
    assert "image.png" in text_of(page)
    assert "a password or secret" in text_of(page)
    page = await alice.get("/notes")
    assert "Welcome" in text_of(page)
    archive = zipfile.ZipFile(io.BytesIO((await alice.get("/notes/export")).content))
    assert {name: archive.read(name).decode() for name in archive.namelist()} == {
        "Welcome.md": "---\ntags:\n- start\ndate: 2024-01-01\n---\nSee [[Ideas]] and ![[image.png]]",
        "Projects/Ideas.md": "An idea",
    }
    again = {"Welcome.md": "changed", "Projects/Ideas.md": "An idea"}
    page = await upload(alice, "again.zip", zip_of(again))
    assert "The same already: 1" in text_of(page)
    assert "Kept as they were" in text_of(page)
    page = await upload(alice, "again.zip", zip_of(again), replace="1")
    assert "Replaced: 1" in text_of(page)


async def test_a_folder_of_files_keeps_its_folders(alice: Visitor) -> None:
    sent = [
        ("files", ("My vault/.obsidian/app.json", b"{}", "application/json")),
        ("files", ("My vault/house/plan.md", b"# Plan", "text/markdown")),
        ("files", ("", b"", "application/octet-stream")),
    ]
    answer = await alice.client.post("/notes/import", data={"folder": "from here"}, files=sent)
    assert "New notes: 1." in text_of(answer)
    assert await db.fetch_value("SELECT path FROM note") == "from here/house/plan.md"
    assert "No file is chosen" in text_of(await alice.post("/notes/import", 422, folder=""))


async def test_hostile_archives_harm_nobody(alice: Visitor) -> None:
    tricks = {"../../etc/passwd.md": "x", "/abs.md": "x", "a/../../b.md": "x", "C:\\x.md": "x", "ok.md": "fine"}
    page = await upload(alice, "tricks.zip", zip_of(tricks))
    assert "Not imported:" in text_of(page)
    paths = {row["path"] for row in await db.fetch("SELECT path FROM note")}
    assert all(".." not in path and not path.startswith("/") for path in paths)
    assert "ok.md" in paths
    bomb = zip_of({f"{number}.md": b"0" * 1_080_000 for number in range(70)})
    assert "more than 64 MB" in text_of(await upload(alice, "bomb.zip", bomb, 422))
    assert "no zip archive" in text_of(await upload(alice, "x.zip", b"PK\x03\x04nonsense", 422))
    assert "no Markdown" in text_of(await upload(alice, "x.zip", zip_of({"a.txt": "x"}), 422))
    page = await upload(alice, "one.md", b"alone", folder="in/here")
    assert "New notes: 1." in text_of(page)
    assert await db.fetch_value("SELECT count(*) FROM note WHERE path = 'in/here/one.md'") == 1


CARDS = """# Capitals

capital of Japan :: Tokyo

Q: Capital of **France**?
A: Paris

The capital of {{c1::Spain}} is {{c2::Madrid}}.
"""


async def test_cards_are_made_of_a_note_and_marked_when_its_lines_change(alice: Visitor) -> None:
    note_id = await new_note(alice, "geo", CARDS, frontmatter="tags: [geo]")
    deck_id = await new_deck(alice)
    page = await alice.get(f"/notes/{note_id}/cards")
    assert "capital of Japan" in text_of(page)
    assert "Capital of France?" in text_of(page)
    assert "The capital of Spain is Madrid." in text_of(page)
    await alice.post(f"/notes/{note_id}/cards", 422, deck="", version=1, headings=0, card=["0"])
    await alice.post(f"/notes/{note_id}/cards", 422, deck=deck_id, version=1, headings=0)
    page = await alice.submit(f"/notes/{note_id}/cards", deck=deck_id, version=1, headings=0, card=["0", "1", "2"])
    assert "Cards made: 3." in text_of(page)
    card_id = await db.fetch_value("SELECT id FROM card WHERE front = 'capital of Japan'")
    page = await alice.get(f"/cards/{card_id}")
    assert "geo.md › Capitals" in text_of(page)
    assert "have changed" not in text_of(page)
    changed = CARDS.replace("Japan :: Tokyo", "Japan :: Tōkyō")
    await alice.post(f"/notes/{note_id}/edit", body=changed, frontmatter="", version=1, do="save")
    assert "have changed" in text_of(await alice.get(f"/cards/{card_id}"))
    assert "1 card was made of lines that have changed" in text_of(await alice.get(f"/notes/{note_id}"))
    assert await db.fetch_value("SELECT back FROM card WHERE id = $1", card_id) == "Tokyo"
    page = await alice.submit(f"/cards/{card_id}/checked")
    assert "have changed" not in text_of(page)


async def test_html_and_scripts_in_a_note_are_text(alice: Visitor) -> None:
    body = (
        "<script>alert(1)</script>\n\n<img src=x onerror=alert(1)>\n\n"
        '[x](javascript:alert(1)) [y](https://example.org "t")'
        "\n\n"
        "![pic](https://tracker.example/p.png)\n\n[[none]] [rel](none.md)\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    )
    page = await alice.get(f"/notes/{await new_note(alice, 'x', body)}")
    article = page.text.split('<article class="note-body"')[1].split("</article>")[0]
    assert "<script" not in article
    assert "<img" not in article
    assert 'href="javascript' not in article
    assert 'rel="nofollow noopener noreferrer"' in article
    assert "<td>1</td>" in article
    assert article.count("no-note") == 2


async def test_the_export_of_the_account_has_notes_and_all_their_versions(alice: Visitor) -> None:
    note_id = await new_note(alice, "a", "one", frontmatter="b: 1\na: 2")
    await alice.post(f"/notes/{note_id}/edit", body="two", frontmatter="b: 1\na: 2", version=1, do="save")
    export = (await alice.get("/account/export")).json()
    assert [note["path"] for note in export["notes"]] == ["a.md"]
    assert [version["body"] for version in export["note_versions"]] == ["one", "two"]
    assert export["note_versions"][0]["frontmatter"] == '{"b":1,"a":2}'


async def test_cards_of_a_long_note_come_in_pages(alice: Visitor) -> None:
    deck_id = await new_deck(alice)
    note_id = await new_note(alice, "words", "\n".join(f"front{number} :: back" for number in range(203)))
    page = await alice.get(f"/notes/{note_id}/cards")
    assert "Cards 1 to 200 of 203" in text_of(page)
    assert "front200" not in page.text
    page = await alice.submit(f"/notes/{note_id}/cards", deck=deck_id, version=1, headings=0, skip=0, card=["0", "199"])
    assert "Cards 201 to 203 of 203" in text_of(page)
    assert "Cards made: 2" in text_of(page)
    page = await alice.submit(f"/notes/{note_id}/cards", deck=deck_id, version=1, headings=0, skip=200, card=["202"])
    assert "Cards made: 1" in text_of(page)
    assert [row["front"] for row in await db.fetch("SELECT front FROM card ORDER BY id")] == [
        "front0", "front199", "front202",
    ]  # fmt: skip
    for skip in ("-1", "x", "²", "9" * 5_000, "100000"):
        assert (await alice.get(f"/notes/{note_id}/cards?skip={skip}")).status_code == 200


async def test_a_large_folder_comes_in_pages(alice: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notes, "_FOLDER", 3)
    for number in range(5):
        await new_note(alice, f"big/note{number}", "text")
    page = await alice.get("/notes?folder=big")
    assert "note2" in page.text
    assert "note3" not in page.text
    page = await alice.get(unescape(re.search(r'href="(/notes\?folder=big[^"]*skip=3)"', page.text)[1]))  # type: ignore[index]
    assert "note4" in page.text
    assert "note2" not in page.text
    for skip in ("-1", "²", "9" * 5_000):
        assert (await alice.get(f"/notes?folder=big&skip={skip}")).status_code == 200


async def test_a_list_of_tasks_shows_its_boxes(alice: Visitor) -> None:
    body = "- [ ] open\n- [x] *done*\n* [X] `too`\n- [ ]none\n- [y] no task\n\n[ ] prose\n\n1. [ ] numbered"
    page = await alice.get(f"/notes/{await new_note(alice, 'tasks', body)}")
    for item in (
        "☐ open",
        "☑ <em>done</em>",
        "☑ <code>too</code>",
        "[ ]none",
        "[y] no task",
        "[ ] prose",
        "☐ numbered",
    ):
        assert item in page.text, item
