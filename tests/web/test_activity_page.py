"""Activity: what AI clients did, from real rows of the audit."""

from __future__ import annotations

import csv
import io
import re
from datetime import timedelta

from app.audit import service as audit
from app.core import clock
from tests.web.conftest import Visitor, text_of


async def note(person: Visitor, number: int = 0, **fields: object) -> None:
    assert person.account
    values: dict[str, object] = {
        "client_kind": "key",
        "client_id": 1,
        "client_name": "laptop",
        "tool": "create_deck",
        "action": "write",
        "input_summary": audit.summarise({"title": f"Deck {number}"}),
        "affected_ids": [f"deck:{number}"],
        "request_id": f"req_{number:08}",
        "now": clock.now() - timedelta(minutes=100 - number),
        **fields,
    }
    await audit.record(person.account.id, **values)  # type: ignore[arg-type]


def rows(text: str) -> list[str]:
    return re.findall(r'<li class="row">.*?</li>', text, flags=re.DOTALL)


async def test_nothing_yet_says_what_will_be_here(alice: Visitor, bob: Visitor) -> None:
    await note(bob)
    shown = await alice.get("/activity")
    assert "Nothing yet" in text_of(shown)
    assert 'href="/keys"' in shown.text
    assert "laptop" not in shown.text


async def test_events_are_listed_newest_first_with_what_they_touched(alice: Visitor) -> None:
    await note(alice, 1)
    await note(
        alice, 2, tool="delete_flashcards", affected_ids=[f"card:{n}" for n in range(8)], client_name="<i>me</i>"
    )
    shown = await alice.get("/activity")
    first, second = rows(shown.text)
    assert "delete_flashcards" in first
    assert "card:0, card:1, card:2, card:3, card:4 and 3 more" in first
    assert "&lt;i&gt;me&lt;/i&gt;" in first
    assert "deck:1" in second


async def test_filters_hold_over_the_pages_and_in_the_file(alice: Visitor) -> None:
    for number in range(60):
        await note(alice, number, client_name="R&D =1+1", tool="update_deck")
    for number in range(60, 63):
        await note(alice, number)
    await note(alice, 63, tool="update_deck")
    shown = await alice.get("/activity?tool=update_deck&client=R%26D+%3D1%2B1")
    assert len(rows(shown.text)) == 50
    assert re.search(r'<option value="update_deck" selected>', shown.text)
    assert re.search(r'<option value="R&amp;D =1\+1" selected>', shown.text)
    [more] = re.findall(r'href="(/activity\?[^"]*cursor=[^"]*)"', shown.text)
    rest = await alice.get(more.replace("&amp;", "&"))
    assert len(rows(rest.text)) == 10
    assert "cursor=" not in rest.text
    assert "deck:59" in rows(shown.text)[0]
    assert "deck:0" in rows(rest.text)[-1]
    [file] = re.findall(r'href="(/activity/export[^"]*)"', shown.text)
    exported = list(csv.reader(io.StringIO((await alice.get(file.replace("&amp;", "&"))).text)))
    assert len(exported) == 61
    assert {row[1] for row in exported[1:]} == {"R&D =1+1"}
    assert len(rows((await alice.get("/activity?tool=&client=")).text)) == 50


async def test_a_filter_without_matches_offers_everything(alice: Visitor) -> None:
    await note(alice, 1)
    shown = await alice.get("/activity?tool=delete_deck")
    assert "Nothing matches." in text_of(shown)
    assert 'href="/activity"' in shown.text


async def test_a_cursor_that_is_none_is_refused(alice: Visitor) -> None:
    for cursor in ("x", "AAAA"):
        await alice.get(f"/activity?cursor={cursor}", 422)


async def test_the_file_has_every_event_and_no_formula(alice: Visitor, bob: Visitor) -> None:
    await note(bob, 5)
    await note(alice, 1, client_name="=HYPERLINK(1)", input_summary='@{"a": "x\r\ny"}', affected_ids=[])
    await note(alice, 2, client_name="-2")
    answer = await alice.get("/activity/export")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-disposition"] == 'attachment; filename="loci-activity.csv"'
    assert answer.headers["cache-control"] == "no-store"
    header, second, first = csv.reader(io.StringIO(answer.text, newline=""))
    assert header == ["time", "client", "tool", "action", "affected", "input", "request"]
    assert (first[1], first[5], first[6]) == ("'=HYPERLINK(1)", '\'@{"a": "x\r\ny"}', "req_00000001")
    assert second[1] == "'-2"


async def test_a_long_input_is_shown_whole_up_to_its_limit(alice: Visitor) -> None:
    await note(alice, 1, input_summary=audit.summarise({"content": "長" * 5000}))
    [row] = rows((await alice.get("/activity")).text)
    assert row.count("長") > 600
    assert "…" in row
