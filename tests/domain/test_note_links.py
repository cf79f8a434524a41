"""Links that go on meaning the same note after a move, in every way in which Markdown writes them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.note_links import NotePaths, relinked, relinked_values

RENAMES = {"plan.md": "plans/2027/new plan (draft).md"}
BEFORE = NotePaths(["plan.md", "a/other.md", "with space.md", "p(1).md"])
AFTER = BEFORE.renamed(RENAMES)


def moved(body: str, folder: str = "") -> str:
    return relinked(body, (folder, folder), (BEFORE, AFTER), RENAMES)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[[plan]]", "[[new plan (draft)]]"),
        ("![[plan#Goals|the plan]]", "![[new plan (draft)#Goals|the plan]]"),
        ("[p](plan.md)", "[p](plans/2027/new%20plan%20%28draft%29.md)"),
        ('[p](plan.md#goals "title")', '[p](plans/2027/new%20plan%20%28draft%29.md#goals "title")'),
        ("[p](<plan.md>)", "[p](<plans/2027/new plan (draft).md>)"),
        ("[p](<plan.md#the goals> 't')", "[p](<plans/2027/new plan (draft).md#the goals> 't')"),
        ('[ref]: plan.md "title"', '[ref]: plans/2027/new%20plan%20%28draft%29.md "title"'),
        ("  [ref]: <plan.md>", "  [ref]: <plans/2027/new plan (draft).md>"),
        ("![[plan]] and [p](plan.md)", "![[new plan (draft)]] and [p](plans/2027/new%20plan%20%28draft%29.md)"),
    ],
)
def test_a_link_follows_its_note(before: str, after: str) -> None:
    assert moved(before) == after
    # ... and back again, from the other end
    back = {new: old for old, new in RENAMES.items()}
    assert relinked(after, ("", ""), (AFTER, BEFORE), back) == before


@pytest.mark.parametrize(
    ("folder", "before", "after"),
    [
        ("a", "[p](../plan.md)", "[p](../plans/2027/new%20plan%20%28draft%29.md)"),
        ("a", "[p](<../plan.md>)", "[p](<../plans/2027/new plan (draft).md>)"),
    ],
)
def test_a_link_is_read_from_the_folder_of_its_note(folder: str, before: str, after: str) -> None:
    assert moved(before, folder) == after


@pytest.mark.parametrize("target", ["p(1).md", "<p(1).md>", "p%281%29.md", "<with space.md>", "with%20space.md"])
def test_a_target_with_parentheses_or_spaces_is_understood(target: str) -> None:
    renames = {"p(1).md": "q.md", "with space.md": "q.md"}
    after = BEFORE.renamed(renames)
    assert "q.md" in relinked(f"[x]({target})", ("", ""), (BEFORE, after), renames)


@pytest.mark.parametrize(
    "text",
    [
        "`[[plan]]` and `[p](plan.md)`",
        "```\n[[plan]]\n[ref]: plan.md\n```",
        "[p](https://example.org/plan.md)",
        "[p](plan.txt) [p]() [[]] [p](#plan.md)",
        "see [1]: plan.md in the middle",
        "[[unknown]] [p](unknown.md)",
    ],
)
def test_what_is_no_link_to_it_stays(text: str) -> None:
    assert moved(text) == text


def test_links_in_metadata_follow_too() -> None:
    value = {
        "up": "[[plan]]",
        "related": ["[[a/other]]", "[[plan|it]]"],
        "[[plan]]": 1,
        "n": None,
        "deep": {"x": "[[plan]]"},
    }
    assert relinked_values(value, moved) == {
        "up": "[[new plan (draft)]]",
        "related": ["[[a/other]]", "[[new plan (draft)|it]]"],
        "[[plan]]": 1,
        "n": None,
        "deep": {"x": "[[new plan (draft)]]"},
    }


@given(st.text(st.sampled_from("[]()<>|#!:` \n\\plan.md%20a/"), max_size=60))
def test_nothing_moves_nothing_changes(body: str) -> None:
    assert relinked(body, ("", ""), (BEFORE, BEFORE), {}) == body


def test_hostile_links_take_no_time() -> None:
    for piece in ("](", "](<", "](a(", "[[", "[a]: ", "`", "](()"):
        relinked(piece * 20_000, ("", ""), (BEFORE, AFTER), RENAMES)
