from __future__ import annotations

import unicodedata
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.transfer.anki.media_refs import (
    REFERENCES_MAX,
    Kind,
    finished,
    hidden_marks,
    marked,
    usable_name,
)


@pytest.mark.parametrize(
    ("html", "text", "names"),
    [
        ('<img src="a.png">', "", ["a.png"]),
        ("<IMG class='x>y' SRC = 'a b.png' />z", "z", ["a b.png"]),
        ("<img src=a.png>z", "z", ["a.png"]),
        ('<img alt="src=no" data-src="no" src="yes.png">', "", ["yes.png"]),
        ('<img src="a%20b.png">', "", ["a b.png"]),
        ('<img src="R&amp;D.png">', "", ["R&D.png"]),
        ('<img src="e\u0301.png">', "", ["é.png"]),
        ("a [sound:b c.mp3] d", "a  d", ["b c.mp3"]),
        ("[sound:100%.mp3]", "", ["100%.mp3"]),
        ("<audio controls src='a.ogg'></audio>", "", ["a.ogg"]),
        ("<video><source src='a.mp4'><source src='b.webm'></video>x", "x", ["a.mp4", "b.webm"]),
        ("<img>x", "x", []),
        ("<image src='a'> <imgs>", "<image src='a'> <imgs>", []),
        ("[sound:open", "[sound:open", []),
        ("a < b <img", "a < b <img", []),
    ],
)
def test_files_go_out_of_the_text(html: str, text: str, names: list[str]) -> None:
    found = marked(html)
    assert finished(found.html) == text
    assert [ref.names[0] for ref in found.refs] == names


@pytest.mark.parametrize(
    "source",
    ["https://e.example/x.png", "//e.example/x.png", "data:text/html;base64,AA==", "data:image/png;base64,A", "file:x"],
)
def test_what_is_elsewhere_is_remote(source: str) -> None:
    (ref,) = marked(f'<img src="{source}">').refs
    assert (ref.remote, ref.names) == (True, ())


@pytest.mark.parametrize(
    "name", ["../a", "a/b", "..", ".", "a\\b", "%2e%2e%2fa", "a\x00b", "C:a", "", "x" * 300, "a\nb"]
)
def test_a_name_that_leads_elsewhere_is_none(name: str) -> None:
    assert all(ref.names == () for ref in marked(f"[sound:{name}]").refs)
    assert not usable_name(name) or "%" in name


def test_a_side_has_so_many_files_and_no_more() -> None:
    found = marked("<img src=a>" * (REFERENCES_MAX + 3))
    assert (len(found.refs), found.beyond) == (REFERENCES_MAX, 3)


def test_kinds_and_order() -> None:
    found = marked("[sound:a.mp3]<img src=b.png>")
    assert [ref.kind for ref in found.refs] == [Kind.SOUND, Kind.IMAGE]
    assert finished(found.html, {1: "[image]"}) == "[image]"


@pytest.mark.parametrize(
    ("text", "inside", "alone"),
    [
        ("<img src=a> {{c1::b}}", set(), set()),
        ("{{c1::<img src=a>}}", {0}, {0}),
        ("{{c1::<img src=a><img src=b>}}", {0, 1}, {0}),
        ("{{c1::x <img src=a>}} <img src=b>", {0}, set()),
        ("{{c1::<div><img src=a></div>&nbsp;::hint}}", {0}, {0}),
        ("{{c1::{{c2::<img src=a>}}}}", {0}, {0}),
        ("{{c1::<img src=a> open", set(), set()),
    ],
)
def test_which_files_a_deletion_hides(text: str, inside: set[int], alone: set[int]) -> None:
    assert hidden_marks(marked(text).html) == (inside, alone)


html = st.lists(
    st.sampled_from(["<img", " src=", "'", '"', ">", "/>", "[sound:", "]", "<audio", "{{c1::", "}}", "a.png"])
    | st.text(max_size=4)
).map("".join)


@given(html)
def test_no_text_raises_and_what_is_left_names_nothing_more(text: str) -> None:
    found = marked(text)
    left = finished(found.html)
    assert len(left) <= len(text)
    assert "\ufdd0" not in left
    hidden_marks(found.html)


@given(st.text(min_size=1, max_size=40).filter(usable_name))
def test_a_name_survives_being_written_as_an_address(name: str) -> None:
    (ref,) = marked(f'<img src="{quote(name)}">').refs
    if name.strip() == name:
        assert ref.names[0] == unicodedata.normalize("NFC", name)


@pytest.mark.parametrize("address", ["data:image/png;base64,AA==", " DATA:image/svg+xml;charset=utf-8;base64,A A=\n="])
def test_a_picture_written_into_the_text_is_one_of_its_files(address: str) -> None:
    [ref] = marked(f'<img src="{address}">').refs
    assert (ref.kind, ref.content, ref.names, ref.remote) == (Kind.IMAGE, b"\0", (), False)
