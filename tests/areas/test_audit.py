"""The audit: what a row holds, and how the rows are filtered, paged and exported."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.audit import queries, service
from app.audit.views import EventView
from app.core import cursors, db
from app.domain.errors import InvalidInput
from tests.factories import NOW, make_account


async def record(account_id: int, **changes: Any) -> None:
    given: dict[str, Any] = {
        "client_kind": "key",
        "client_id": 1,
        "client_name": "laptop",
        "tool": "import_flashcards",
        "action": "write",
        "input_summary": "{}",
        "affected_ids": ("deck:3", "card:12"),
        "request_id": "req-1",
        "now": NOW,
    }
    await service.record(account_id, **{**given, **changes})


async def test_a_call_is_written_down_as_it_was(rollback: None) -> None:
    account = await make_account()
    await record(account.id, input_summary=service.summarise({"deckTitle": "Capitals", "cards": []}))
    page = await queries.events(account.id)
    assert page.next_cursor is None
    assert page.items == (
        EventView(
            id=page.items[0].id,
            client_kind="key",
            client_id=1,
            client_name="laptop",
            tool="import_flashcards",
            action="write",
            input_summary='{"deckTitle":"Capitals","cards":[]}',
            affected_ids=("deck:3", "card:12"),
            request_id="req-1",
            created_at=NOW,
        ),
    )


async def test_a_row_stands_or_falls_with_the_call(rollback: None) -> None:
    account = await make_account()
    with pytest.raises(RuntimeError):
        async with db.atomic():
            await record(account.id)
            raise RuntimeError
    assert (await queries.events(account.id)).items == ()


@given(st.text(max_size=3000))
def test_a_summary_is_cut_between_characters_and_says_so(text: str) -> None:
    summary = service.summarise({"text": text})
    assert len(summary.encode()) <= 2048
    whole = service.summarise({"text": text[:100]})
    assert summary[:100] == whole[:100]
    assert summary.endswith(("…", '"}'))


def test_a_summary_is_cut_only_when_it_is_longer_than_2048_bytes() -> None:
    frame = len('{"t":""}')
    fits = service.summarise({"t": "x" * (2048 - frame)})
    assert len(fits) == 2048
    assert fits.endswith('x"}')
    cut = service.summarise({"t": "x" * (2048 - frame + 1)})
    assert (len(cut.encode()), cut[-2:]) == (2048, "x…")
    wide = service.summarise(["語" * 1000])
    assert 2043 <= len(wide.encode()) <= 2048


async def test_a_row_takes_any_summary_whatever_it_holds(rollback: None) -> None:
    account = await make_account()
    await record(account.id, input_summary="a\x00b" + "語" * 1000)
    await record(account.id, input_summary=service.summarise({"text": "\x00"}))
    newest, oldest = (await queries.events(account.id)).items
    assert newest.input_summary == '{"text":"\\u0000"}'
    assert oldest.input_summary.startswith("a b語")
    assert len(oldest.input_summary.encode()) <= 2048


async def test_rows_are_filtered_by_tool_client_and_time(rollback: None) -> None:
    account, bob = await make_account(), await make_account("bob@example.org")
    await record(account.id, request_id="1")
    await record(account.id, request_id="2", tool="delete_deck", now=NOW + timedelta(hours=1))
    await record(account.id, request_id="3", client_name="phone", now=NOW + timedelta(hours=2))
    await record(bob.id, request_id="bob")

    async def found(**filters: Any) -> list[str]:
        page = await queries.events(account.id, **filters)
        assert [event async for event in queries.all_events(account.id, **filters)] == list(page.items)
        return [event.request_id for event in page.items]

    assert await found() == ["3", "2", "1"]
    assert await found(tool="delete_deck") == ["2"]
    assert await found(client="phone") == ["3"]
    assert await found(client="phone", tool="delete_deck") == []
    assert await found(since=NOW + timedelta(hours=1)) == ["3", "2"]
    assert await found(until=NOW + timedelta(hours=1)) == ["1"]
    assert await queries.clients(account.id) == ("laptop", "phone")
    assert await queries.tools(account.id) == ("delete_deck", "import_flashcards")
    assert await queries.clients(bob.id) == ("laptop",)


async def test_pages_follow_one_another_without_gap_or_repetition(rollback: None) -> None:
    account = await make_account()
    for turn in range(25):
        await record(account.id, request_id=str(turn), now=NOW + timedelta(microseconds=turn // 3))
    seen: list[str] = []
    cursor: str | None = None
    for size in (7, 7, 7, 7):
        page = await queries.events(account.id, cursor=cursor, limit=size)
        seen += [event.request_id for event in page.items]
        cursor = page.next_cursor
    assert cursor is None
    assert seen == [str(turn) for turn in reversed(range(25))]
    assert len((await queries.events(account.id, limit=0)).items) == 1
    exact = await queries.events(account.id, limit=25)
    assert exact.next_cursor is None


async def test_an_export_reads_past_its_page_size(rollback: None, monkeypatch: pytest.MonkeyPatch) -> None:
    account = await make_account()
    monkeypatch.setattr(queries, "_EXPORT_PAGE", 4)
    for turn in range(8):
        await record(account.id, request_id=str(turn))
    assert [event.request_id async for event in queries.all_events(account.id)] == list("76543210")


@pytest.mark.parametrize(
    "cursor",
    [
        "nonsense",
        cursors.encode("decks", (1, 2)),
        cursors.encode("audit", (1,)),
        cursors.encode("audit", ("1", "2")),
        cursors.encode("audit", (-1, 2)),
        cursors.encode("audit", (10**30, 2)),
        cursors.encode("audit", (1, 2**63)),
    ],
)
async def test_a_bad_cursor_is_invalid_input(rollback: None, cursor: str) -> None:
    account = await make_account()
    with pytest.raises(InvalidInput):
        await queries.events(account.id, cursor=cursor)


async def test_the_last_cursor_there_can_be_is_no_fault(rollback: None) -> None:
    account = await make_account()
    await record(account.id)
    end = (datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(
        microseconds=1
    )
    page = await queries.events(account.id, cursor=cursors.encode("audit", (end, 2**63 - 1)))
    assert len(page.items) == 1
