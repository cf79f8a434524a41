"""Paths, tags, edits, snippets and the clamp of notes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.errors import Conflict, InvalidInput
from app.domain.note_paths import (
    ancestors,
    clean_folder,
    clean_path,
    file_name,
    folder_of,
    joined,
    path_in_uri,
    relative_path,
    title_of,
    uri_of,
)
from app.domain.notes import (
    BODY_MAX_BYTES,
    NoteEdit,
    NoteText,
    clamped,
    edited,
    note_text,
    search_document,
    snippet,
    tags_of,
)
from app.domain.search_text import fold, grams, literal_grams

TEXT = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\0"), max_size=60)
PART = st.text(
    st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters="/\\"), min_size=1, max_size=12
).filter(lambda part: part not in {".", ".."} and not part.endswith(".md") and part.strip())


@pytest.mark.parametrize(
    "path",
    [
        "a.md",
        "work/tasks/auth.md",
        "日本語/メモ.md",
        "a b/c.d.md",
        "A.md",
        "..a.md",
        "a..b/c.md",
        "🦆.md",
        "x" * 1021 + ".md",
    ],
)
def test_a_path_that_is_good_stays_as_it_is(path: str):
    assert clean_path(path) == path


@pytest.mark.parametrize(
    "path",
    [
        "", "/a.md", "a", "a.MD", "a.md/", ".md", "a/.md", "a//b.md", "./a.md", "../a.md", "a/../b.md", "a\\b.md",
        "a\nb.md", "a\0.md", "a\x85.md", "\ud800.md", "x.md/a.md", "x" * 1022 + ".md",
    ],
)  # fmt: skip
def test_a_path_that_is_none_is_refused_without_being_repeated(path: str):
    with pytest.raises(InvalidInput) as refused:
        clean_path(path)
    assert refused.value.field == "path"


def test_folders_are_written_with_or_without_slashes_at_the_end():
    assert [clean_folder(folder) for folder in ("", "/", "  ", "work", "work/", "work//", "a/b/")] == [
        "", "", "", "work", "work", "work", "a/b",
    ]  # fmt: skip
    for folder in ("/work", "a/../b", "a\\b", "x.md", "x" * 1025):
        with pytest.raises(InvalidInput):
            clean_folder(folder)


@given(st.lists(PART, min_size=1, max_size=5))
def test_what_follows_from_a_path_fits_together(parts: list[str]):
    path = "/".join(parts) + ".md"
    assert clean_path(path) == path
    assert title_of(path) == parts[-1]
    assert folder_of(path) == "/".join(parts[:-1])
    assert ancestors(folder_of(path)) == ["/".join(parts[:count]) for count in range(1, len(parts))]
    assert path_in_uri(uri_of(path)) == path
    assert clean_path(file_name(path)) == file_name(path)
    for folder in ("", "other", folder_of(path), "a/b/c"):
        assert joined(folder, relative_path(path, folder)) == path


def test_a_relative_path_does_not_lead_out_of_the_root():
    assert joined("a", "../../../etc/x.md") == "etc/x.md"
    assert joined("a/b", "/c.md") == "c.md"


TAGS: list[tuple[dict[str, Any], str, tuple[str, ...]]] = [
    ({"tags": ["work"]}, "Ship it #q3", ("work", "q3")),
    ({"tags": ["a", "#b", " c ", "2024", "", 5, None]}, "", ("a", "b", "c")),
    ({"tags": "one, two three"}, "", ("one", "two", "three")),
    ({"tags": {"no": "list"}}, "", ()),
    ({"tag": ["x"]}, "", ()),
    ({}, "# Heading\n## Other\n#tag#not a#no #1984 #a1 #1a", ("tag", "a1", "1a")),
    ({}, "#日本語 #한국어 #हिन्दी #ไทย #naïve #proj/sub #snake_case #kebab-case", (
        "日本語", "한국어", "हिन्दी", "ไทย", "naïve", "proj/sub", "snake_case", "kebab-case",
    )),
    ({}, "(#in) #end, #dot. #q? #a #a", ("in", "end", "dot", "q", "a")),
    ({}, "`#code` ``#more`` #yes\n```\n#fenced\n```\n#after\n~~~c\n#x\n~~~\n#last", ("yes", "after", "last")),
    ({}, "```\n#never closed", ()),
    ({}, "http://x.example/#anchor &#35; \\#x", ()),
    ({"tags": ["Case"]}, "#case", ("Case", "case")),
]  # fmt: skip


@pytest.mark.parametrize(("frontmatter", "body", "tags"), TAGS)
def test_tags_are_those_of_the_frontmatter_and_those_in_the_text(
    frontmatter: dict[str, Any], body: str, tags: tuple[str, ...]
):
    assert tags_of(note_text(frontmatter, body)) == tags


def test_a_tag_of_128_letters_is_one_and_a_longer_one_is_none():
    assert tags_of(note_text({"tags": ["x" * 128, "y" * 129]}, f"#{'z' * 128} #{'w' * 129}")) == ("x" * 128, "z" * 128)


def edit(before: str, metadata: dict[str, Any] | None = None, /, **asked: Any) -> NoteText:
    return edited(note_text(metadata or {}, before), NoteEdit(**asked))


def test_edits_replace_append_and_swap_a_part():
    assert edit("old", body="new").body == "new"
    assert edit("old", body="").body == ""
    assert edit("one", mode="append", body="two").body == "one\ntwo"
    assert edit("one\n", mode="append", body="two").body == "one\ntwo"
    assert edit("", mode="append", body="two").body == "two"
    assert edit("a b c", mode="str_replace", old_str="b", new_str="$1 \\1").body == "a $1 \\1 c"
    assert edit("a b c", mode="str_replace", old_str=" b").body == "a c"


def test_frontmatter_merges_at_its_top_level_alone():
    merged = edit("x", {"a": 1, "b": {"c": 2}}, frontmatter={"b": {"d": 3}, "e": None})
    assert merged == NoteText({"a": 1, "b": {"d": 3}, "e": None}, "x")
    assert edit("x", {"a": 1}, mode="append", frontmatter={"a": 2}) == NoteText({"a": 2}, "x")


def test_text_to_replace_must_be_there_exactly_once():
    with pytest.raises(Conflict, match="does not occur"):
        edit("secret words", mode="str_replace", old_str="other", new_str="x")
    with pytest.raises(Conflict, match=r"lines 1, 3;") as refused:
        edit("ab\nx\nab", mode="str_replace", old_str="ab", new_str="x")
    assert "ab" not in str(refused.value).replace("Take in more of the text around it", "").split()
    with pytest.raises(Conflict, match="lines 1, 1;"):
        edit("aaa", mode="str_replace", old_str="aa", new_str="x")
    with pytest.raises(Conflict, match="…"):
        edit("x\n" * 50, mode="str_replace", old_str="x", new_str="y")


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"mode": "append"},
        {"mode": "str_replace"},
        {"mode": "str_replace", "old_str": "x", "body": "y"},
        {"old_str": "x", "new_str": "y"},
        {"mode": "append", "body": "x", "new_str": "y"},
        {"frontmatter": {}},
    ],
)
def test_an_edit_that_says_nothing_or_mixes_modes_is_refused(asked: dict[str, Any]):
    with pytest.raises(InvalidInput):
        edit("x", **asked)


def test_a_body_may_be_of_the_largest_size_and_no_larger():
    assert note_text({}, "ü" * (BODY_MAX_BYTES // 2)).body
    with pytest.raises(InvalidInput):
        note_text({}, "ü" * (BODY_MAX_BYTES // 2) + "x")
    with pytest.raises(InvalidInput):
        edit("x" * BODY_MAX_BYTES, mode="append", body="y")


@pytest.mark.parametrize(
    "frontmatter",
    [{"a": "\0"}, {"\0": 1}, {"a": ["\ud800"]}, {"a": "x" * 16_385}, {"k" * 16_380: 1}],
)
def test_frontmatter_that_cannot_be_kept_is_refused(frontmatter: dict[str, Any]):
    with pytest.raises(InvalidInput):
        note_text(frontmatter, "")


def test_frontmatter_may_be_nested_but_not_without_end():
    value: Any = 1
    for _ in range(15):
        value = [value]
    assert note_text({"a": value}, "")
    for _ in range(3):
        value = [value]
    with pytest.raises(InvalidInput):
        note_text({"a": value}, "")


@given(TEXT, st.integers(0, 80))
def test_the_clamp_gives_a_beginning_of_whole_characters(body: str, size: int):
    part = clamped(body, size)
    assert body.startswith(part.body)
    assert part.shown_bytes == len(part.body.encode()) <= max(size, part.shown_bytes * (not part.cut))
    assert part.cut == (part.body != body)
    if part.cut:
        assert part.shown_bytes + len(body[len(part.body)].encode()) > size


@given(TEXT, TEXT, TEXT)
def test_a_text_is_found_by_any_part_of_it_in_any_case(before: str, part: str, after: str):
    whole, needle = fold(before + part + after), fold(part.swapcase())
    if needle in whole:
        for fields in (whole, "title\x1f" + whole):
            assert set(literal_grams(7, needle)) <= set(grams(7, fields))


def test_the_search_text_has_each_text_once():
    text = note_text({"tags": ["Work"], "other": "not"}, "Body #inline")
    assert search_document("a/Title.md", text).split("\x1f") == ["title", "work", "body #inline"]


@given(TEXT.map(lambda text: text * 20), st.integers(0, 300))
def test_a_snippet_is_one_short_line_with_the_match_in_it(noise: str, at: int):
    body = noise[:at] + " ptarmigan " + noise[at:]
    shown = snippet(body, "PTARMIGAN")
    assert len(shown) <= 202
    assert "\n" not in shown
    assert "ptarmigan" in shown.casefold()


def test_a_snippet_without_a_match_is_the_beginning():
    assert snippet("one two", "other") == "one two"
    assert snippet("", "x") == ""
    assert snippet("word " * 100, "nothing").endswith("word…")
