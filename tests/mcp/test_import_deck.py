"""`import_deck`: a text becomes cards, with a reason for every row that does not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app.accounts.views import AccountView
from app.core import db
from tests.mcp.conftest import Client


def reasons(done: dict[str, Any]) -> list[tuple[int, str]]:
    return [(row["line"], row["reason"]) for row in done["notTaken"]]


@pytest.mark.parametrize(
    ("format", "content", "imported", "left_out"),
    [
        ("csv", 'front,back\n"L1\nL2",A\n#include?,B\n', 2, []),
        ("csv", '\ufeff"front","back"\r\n"a","b"\r\n', 1, []),
        ("csv", 'a,b\nonly front\nc,d,e,f,g\n"open,x\nh,i\nA,b', 2,
         [(2, "missing_side"), (3, "too_many_fields"), (4, "unclosed_quote"), (6, "equal_row")]),
        ("csv", "a;b\nc;d", 2, []),
        ("csv", "What is a|b?,x|y\nq|r?,s|t", 2, []),
        ("tsv", "Vorderseite\tRückseite\tTags\na, b\tc, d\tx y\n\te\n", 1, [(3, "missing_side")]),
        ("tsv", "#separator:comma\na,b\tc", 1, []),
        ("json", '[{"front": "a", "back": "b", "tags": ["t"]}, ["c", "d"], {"front": "e"}, 5]', 2,
         [(3, "invalid_text"), (4, "wrong_type")]),
        ("json", '{"cards": [{"question": "a", "answer": 1.50}]}', 1, []),
    ],
)  # fmt: skip
async def test_a_text_is_taken_row_by_row_with_a_reason_for_each_that_is_not(
    client: Client, alice: AccountView, format: str, content: str, imported: int, left_out: list[tuple[int, str]]
):
    done = await client.done("import_deck", {"format": format, "content": content, "title": "File"})
    assert done["importedCount"] == imported
    assert reasons(done) == left_out
    assert done["notTakenCount"] == len(left_out)
    assert done["deckCreated"]
    assert all(row["message"] for row in done["notTaken"])
    assert await db.fetch_value("SELECT count(*) FROM card") == imported


async def test_an_import_sent_again_makes_nothing_twice(client: Client, alice: AccountView):
    given = {"format": "csv", "content": "a,b\nc,d", "title": " file "}
    first = await client.done("import_deck", given)
    again = await client.done("import_deck", {**given, "title": "FILE"})
    assert (again["deckId"], again["importedCount"], again["deckCreated"]) == (first["deckId"], 0, False)
    assert reasons(again) == [(1, "equal_card"), (2, "equal_card")]


async def test_columns_header_and_collection_are_as_the_caller_says(client: Client, alice: AccountView):
    shelf = await db.fetch_value(
        "INSERT INTO collection (account_id, title, title_key, created_at, updated_at) "
        "VALUES ($1, 'shelf', 'shelf', now(), now()) RETURNING id",
        alice.id,
    )
    given = {"format": "csv", "content": "front,back,rest\nx,y,z", "title": "File", "collectionId": shelf}
    done = await client.done("import_deck", {**given, "hasHeader": False, "columns": ["back", "front", ""]})
    assert done["importedCount"] == 2
    [first, _] = (await client.done("get_deck", {"deckId": done["deckId"], "includeCards": True}))["cards"]
    assert (first["front"], first["back"]) == ("back", "front")
    assert (await client.done("get_deck", {"deckId": done["deckId"]}))["collectionId"] == shelf
    for wrong in (
        {"deckId": done["deckId"]},
        {"columns": ["front"]},
        {"format": "xml"},
        {"format": "json", "content": "{"},
        {"collectionId": 999_999},
    ):
        assert (await client.refused("import_deck", {**given, **wrong}))["code"] in {"INVALID_INPUT", "NOT_FOUND"}
    await client.refused("import_deck", {"format": "csv", "content": "a,b"})
    await client.refused(
        "import_deck", {"format": "csv", "content": "a,b", "deckId": done["deckId"], "collectionId": shelf}
    )


async def test_five_hundred_rows_are_taken_and_the_rest_is_counted(client: Client, alice: AccountView):
    content = "\n".join(f"front {number},back" for number in range(520))
    done = await client.done("import_deck", {"format": "csv", "content": content, "title": "Large"})
    assert (done["importedCount"], done["notTakenCount"]) == (500, 20)
    assert reasons(done) == [(501, "too_many_rows")]


async def test_the_audit_row_keeps_two_hundred_characters_of_the_content(client: Client, alice: AccountView):
    content = "front,back\n" + "\n".join(f"número {number},b" for number in range(300))
    await client.done("import_deck", {"format": "csv", "content": content, "title": "File"})
    summary = await db.fetch_value("SELECT input_summary FROM mcp_audit_events WHERE tool = 'import_deck'")
    assert json.loads(summary) == {"format": "csv", "content": content[:200], "title": "File"}
