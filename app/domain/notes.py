"""What a note holds and how it changes: limits, tags, edits, what a search looks at, what a reader is given at once.

Body and frontmatter are kept as they were sent. A body is counted in bytes of UTF-8, since it is whole files that come
and go here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from app.domain.errors import N_, Conflict, InvalidInput
from app.domain.note_links import CODE_SPAN, lines_of
from app.domain.note_paths import title_of
from app.domain.search_text import fold
from app.domain.unicode_forms import normal_form

BODY_MAX_BYTES: Final = 1_048_576
FRONTMATTER_MAX_BYTES: Final = 16_384
FRONTMATTER_DEPTH: Final = 16
TAG_MAX: Final = 128
"""Code points; what is longer is no tag, since no search could ask for it."""
TAGS_MAX: Final = 500
READ_MAX_BYTES: Final = 65_536
"""Of a body that one reading gives."""
SNIPPET_LENGTH: Final = 200
_LINES_NAMED: Final = 20

Frontmatter = dict[str, Any]

_UNFIT = re.compile("[\0\ud800-\udfff]")
_DIGITS = re.compile(r"\d+")
# ASCII signs but _ - /, general and CJK punctuation and full-width signs end a tag.
_TAG_SIGN = (
    r"\s\x00-\x1f!-,.:-@\[-^`{-~\u2000-\u206f\u3000-\u3020\u3030\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
)
_INLINE_TAG = re.compile(rf"(?:^|(?<=[\s(]))#([^{_TAG_SIGN}]{{1,{TAG_MAX}}})(?![^{_TAG_SIGN}])")


@dataclass(frozen=True, slots=True)
class NoteText:
    """Frontmatter and body that have passed the rules of this module; `note_text` makes it."""

    frontmatter: Frontmatter
    body: str

    @property
    def size_bytes(self) -> int:
        return len(self.body.encode()) + len(msgspec.json.encode(self.frontmatter)) * bool(self.frontmatter)


def note_text(frontmatter: Mapping[str, Any], body: str) -> NoteText:
    """The text of a note. Raises `InvalidInput` when it is too large or no valid Unicode."""
    if _UNFIT.search(body):
        raise InvalidInput(
            N_("The body holds a character that cannot be stored (NUL, or half of a surrogate pair)."),
            N_("Send the text as valid Unicode."),
            field="body",
        )
    size = len(body.encode())
    if size > BODY_MAX_BYTES:
        raise InvalidInput(
            N_("The body has %(size)d bytes; at most %(max)d are allowed."),
            N_("Split it over several notes."),
            field="body",
            size=size,
            max=BODY_MAX_BYTES,
        )
    _check_value(frontmatter, FRONTMATTER_DEPTH)
    size = len(msgspec.json.encode(frontmatter))
    if size > FRONTMATTER_MAX_BYTES:
        raise InvalidInput(
            N_("The frontmatter has %(size)d bytes; at most %(max)d are allowed."),
            N_("Put longer text into the body."),
            field="frontmatter",
            size=size,
            max=FRONTMATTER_MAX_BYTES,
        )
    return NoteText(dict(frontmatter), body)


def _check_value(value: Any, depth: int) -> None:
    if depth < 0:
        raise InvalidInput(
            N_("The frontmatter is nested too deeply."), N_("Keep it to a few levels."), field="frontmatter"
        )
    if isinstance(value, Mapping):
        for key, inner in value.items():  # pyright: ignore[reportUnknownVariableType]
            _check_value(key, depth - 1)
            _check_value(inner, depth - 1)
    elif isinstance(value, list | tuple):
        for inner in value:  # pyright: ignore[reportUnknownVariableType]
            _check_value(inner, depth - 1)
    elif isinstance(value, str) and _UNFIT.search(value):
        raise InvalidInput(
            N_("The frontmatter holds a character that cannot be stored (NUL, or half of a surrogate pair)."),
            N_("Send the text as valid Unicode."),
            field="frontmatter",
        )


def tags_of(text: NoteText) -> tuple[str, ...]:
    """The union of the frontmatter's `tags` and the inline `#tags`, each once, without those that are digits only.

    The frontmatter's come first: a list of texts, or one text with spaces or commas between the tags. What stands in
    code is no tag.
    """
    kept = dict.fromkeys([*frontmatter_tags(text.frontmatter), *inline_tags(text.body)])
    return tuple(kept)[:TAGS_MAX]


def frontmatter_tags(frontmatter: Mapping[str, Any]) -> list[str]:
    """The tags that the frontmatter names."""
    named = frontmatter.get("tags")
    if isinstance(named, str):
        named = re.split(r"[,\s]+", named)
    if not isinstance(named, list):
        return []
    texts: list[str] = [tag for tag in named if isinstance(tag, str)]  # pyright: ignore[reportUnknownVariableType]
    return [tag for tag in (text.strip().removeprefix("#").strip() for text in texts) if _is_tag(tag)]


def inline_tags(body: str) -> list[str]:
    """The `#tags` in a body, in their order, without those in code."""
    if "#" not in body:
        return []
    found: list[str] = []
    for line in without_code(body).split("\n"):
        if "#" in line:
            found += [match[1].rstrip("/") for match in _INLINE_TAG.finditer(line)]
    return [tag for tag in found if _is_tag(tag)]


def _is_tag(tag: str) -> bool:
    return 0 < len(tag) <= TAG_MAX and not _DIGITS.fullmatch(tag)


def without_code(body: str) -> str:
    """The body with fenced code and code spans blanked, line ends kept."""
    if "`" not in body and "~~~" not in body:
        return body
    return "\n".join(
        "" if in_code else CODE_SPAN.sub(" ", line) if "`" in line else line for line, in_code in lines_of(body)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteEdit:
    """What `memory__edit` asks for; None where nothing was said."""

    mode: str = "replace"
    body: str | None = None
    frontmatter: Mapping[str, Any] | None = None
    old_str: str | None = None
    new_str: str | None = None


def edited(text: NoteText, edit: NoteEdit) -> NoteText:
    """The text after an edit: the frontmatter's top-level keys merged, the body changed as the mode says.

    Raises `InvalidInput` for an edit that says nothing or mixes modes, and `Conflict` when the text to replace is not
    there exactly once.
    """
    _check_edit(edit)
    frontmatter = {**text.frontmatter, **(edit.frontmatter or {})}
    body = text.body
    if edit.mode == "str_replace" and edit.old_str is not None:
        body = _replaced(body, edit.old_str, edit.new_str or "")
    elif edit.mode == "append" and edit.body is not None:
        body = body + ("" if body.endswith("\n") or not body else "\n") + edit.body
    elif edit.mode == "replace" and edit.body is not None:
        body = edit.body
    return note_text(frontmatter, body)


def _check_edit(edit: NoteEdit) -> None:
    if edit.mode == "str_replace":
        if edit.body is not None:
            raise InvalidInput(
                N_("body is not used with mode str_replace."), N_("Put the new text into new_str."), field="body"
            )
        if edit.old_str is None:
            raise InvalidInput(
                N_("mode str_replace needs old_str."), N_("Pass the exact text to replace."), field="old_str"
            )
        return
    if edit.old_str is not None or edit.new_str is not None:
        raise InvalidInput(
            N_("old_str and new_str are used with mode str_replace alone."),
            N_("Set mode to str_replace, or leave them out."),
            field="mode",
        )
    if edit.body is None and not edit.frontmatter:
        raise InvalidInput(N_("The edit changes nothing."), N_("Pass body, frontmatter or old_str."), field="body")


def _replaced(body: str, old: str, new: str) -> str:
    places: list[int] = []
    at = body.find(old)
    while at != -1 and len(places) <= _LINES_NAMED:
        places.append(at)
        at = body.find(old, at + 1)
    if not places:
        raise Conflict(
            N_("old_str does not occur in the body, so nothing was replaced."),
            N_("Read the note again and copy the text exactly, spaces and line ends included."),
        )
    if len(places) > 1:
        lines = [1 + body.count("\n", 0, place) for place in places[:_LINES_NAMED]]
        raise Conflict(
            N_("old_str occurs more than once, in lines %(lines)s; nothing was replaced."),
            N_("Take in more of the text around it, so that it occurs once."),
            lines=", ".join(map(str, lines)) + (", …" if len(places) > _LINES_NAMED else ""),
        )
    return body[: places[0]] + new + body[places[0] + len(old) :]


@dataclass(frozen=True, slots=True)
class Clamped:
    """The part of a body that one reading gives, and the sizes in bytes."""

    body: str
    shown_bytes: int
    total_bytes: int

    @property
    def cut(self) -> bool:
        return self.shown_bytes < self.total_bytes


def clamped(body: str, max_bytes: int = READ_MAX_BYTES) -> Clamped:
    """The first `max_bytes` of a body in UTF-8, ended between two code points."""
    encoded = body.encode()
    if len(encoded) <= max_bytes:
        return Clamped(body, len(encoded), len(encoded))
    shown = encoded[:max_bytes].decode(errors="ignore")
    return Clamped(shown, len(shown.encode()), len(encoded))


SEPARATOR: Final = "\x1f"
"""Between the fields of a search text: no match spans two."""


def search_document(path: str, text: NoteText) -> str:
    """What a search looks at, folded: title, the frontmatter's tags, body. Inline tags are part of the body."""
    fields = (title_of(path), *frontmatter_tags(text.frontmatter), text.body)
    return SEPARATOR.join(fold(field) for field in fields)


def snippet(body: str, query: str, length: int = SNIPPET_LENGTH) -> str:
    """About `length` characters of the body around the first match, on one line; its beginning when none is in it."""
    body = normal_form("NFC", body)
    at = _place(body, fold(query))
    start = max(0, at - length // 2)
    if start:
        # A word is not cut in two where its start is near.
        space = body.find(" ", start, start + 20)
        start = space + 1 if 0 <= space < at else start
    wide = body[start : start + 4 * length]
    shown = " ".join(wide.split())
    cut = shown[:length].rstrip()
    more = len(shown) > len(cut) or start + 4 * length < len(body.rstrip())
    return ("…" if start else "") + cut + ("…" if more else "")


def _place(body: str, folded_query: str) -> int:
    """Where in the body the match starts; 0 for none. Folding may lengthen a text, so places are mapped back."""
    folded = fold(body)
    at = folded.find(folded_query)
    if at <= 0 or len(folded) == len(body):
        return max(0, at)
    passed = 0
    for place, character in enumerate(body):
        if passed >= at:
            return place
        passed += len(character.casefold())
    return 0
