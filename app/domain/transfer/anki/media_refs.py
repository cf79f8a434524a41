"""Which pictures and sounds a side names, and the side without them.

`<img>`, `<audio>`, `<video>`, `<source>` and `[sound:…]` go out of the text. Until a side is finished, a mark stands
where each of them was: in a cloze text it decides whether the file belongs to the question or to what is hidden.
"""

from __future__ import annotations

import base64
import html as entities
import re
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from urllib.parse import unquote

from app.domain.cloze_grammar import Deletion, Node, Text, parse
from app.domain.media import MEDIA_OF_SIDE_MAX

REFERENCES_MAX: Final = MEDIA_OF_SIDE_MAX
"""Files that one side may name; the others are left out."""
NAME_MAX: Final = 255


class Kind(StrEnum):
    IMAGE = "image"
    SOUND = "sound"


@dataclass(frozen=True, slots=True)
class MediaRef:
    """A file that a side names; `names` are its possible names, the likeliest first, none where it can have none."""

    kind: Kind
    names: tuple[str, ...]
    source: str
    """As it is written, its beginning."""
    remote: bool = False
    """An address of another server."""
    content: bytes | None = None
    """Of a picture or sound that is written into the text itself."""


@dataclass(frozen=True, slots=True)
class Marked:
    """HTML with a mark for each file, and how many files more than `REFERENCES_MAX` were named."""

    html: str
    refs: tuple[MediaRef, ...]
    beyond: int = 0


# Noncharacters, which no text holds (Unicode 23.7): they are taken out of what comes in.
_OPEN, _CLOSE = "\ufdd0", "\ufdd1"
_MARK = re.compile(f"{_OPEN}([0-9]+){_CLOSE}")
_NONCHARACTERS = re.compile(f"[{_OPEN}{_CLOSE}]")

_START = re.compile(
    r"<(?:/(?:audio|video|source)(?=[\s/>])|(img|audio|video|source)(?=[\s/>]))|\[sound:", re.IGNORECASE
)
_ATTRIBUTE = re.compile(r"""([^\s=>"'/]++)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'>]++)))?""")
_TAG_BREAK = re.compile(r"""["'>]""")
# Quotes of one tag: so that many unfinished tags do not read the text many times.
_QUOTES_MAX = 60
_REMOTE = re.compile(r"(?:[a-z][a-z0-9+.-]{1,30}:|//)", re.IGNORECASE)
_NO_NAME = re.compile(r"""[/\\\x00-\x1f\x7f:*?"<>|\ud800-\udfff]""")


def marked(html: str) -> Marked:
    """`html` with marks in place of its files; in time that grows with its length."""
    html = _NONCHARACTERS.sub("", html)
    if not _START.search(html):
        return Marked(html, ())
    pieces: list[str] = []
    refs: list[MediaRef] = []
    beyond = position = 0
    for start, end, kind, source in _found(html):
        pieces.append(html[position:start])
        position = end
        if kind is None or source is None:
            continue
        if len(refs) >= REFERENCES_MAX:
            beyond += 1
            continue
        pieces.append(mark(len(refs)))
        content = _written(source)
        remote = content is None and bool(_REMOTE.match(source.strip()))
        names = () if remote or content is not None else _names(source, percent_first=html[start] == "<")
        refs.append(MediaRef(kind, names, source[:NAME_MAX], remote, content))
    pieces.append(html[position:])
    return Marked("".join(pieces), tuple(refs), beyond)


def mark(place: int) -> str:
    return f"{_OPEN}{place}{_CLOSE}"


def hidden_marks(text: str) -> tuple[frozenset[int], frozenset[int]]:
    """Of a cloze text: the files inside a deletion, and those that are the first of a deletion without any text."""
    inside: set[int] = set()
    alone: set[int] = set()
    _walk(parse(text), inside, alone)
    return frozenset(inside), frozenset(alone)


def finished(text: str, words: dict[int, str] | None = None) -> str:
    """The text without marks, those in `words` replaced by their word."""
    given = words or {}
    return _MARK.sub(lambda found: given.get(int(found[1]), ""), text)


def usable_name(name: str) -> bool:
    """Whether a file of a package may be called that: one name, no path, nothing that a file system takes apart."""
    return bool(name) and len(name) <= NAME_MAX and name not in {".", ".."} and not _NO_NAME.search(name)


def _found(html: str) -> Iterator[tuple[int, int, Kind | None, str | None]]:
    """Start, end, kind and source of each; a tag without a source has none."""
    last = {quote: html.rfind(quote) for quote in "\"'>]"}
    position = 0
    while start := _START.search(html, position):
        if start[0].startswith("["):
            end = html.find("]", start.end(), start.end() + 1_000) + 1 if last["]"] > start.start() else 0
            if not end:
                position = start.end()
                continue
            yield start.start(), end, Kind.SOUND, entities.unescape(html[start.end() : end - 1])
            position = end
            continue
        end = _tag_end(html, start.end(), last)
        if end is None:
            position = start.end()
            continue
        name = (start[1] or "").lower()
        source = _source(html[start.end() : end]) if name else None
        yield start.start(), end, Kind.IMAGE if name == "img" else Kind.SOUND, source
        position = end


def _tag_end(html: str, position: int, last: dict[str, int]) -> int | None:
    """After the `>` of a tag whose name ends at `position`: a quoted value may hold one."""
    for _ in range(_QUOTES_MAX):
        found = _TAG_BREAK.search(html, position) if last[">"] >= position else None
        if found is None:
            return None
        if found[0] == ">":
            return found.end()
        if last[found[0]] <= found.start():
            position = found.end()
            continue
        position = html.index(found[0], found.end()) + 1
    return None


def _source(attributes: str) -> str | None:
    for found in _ATTRIBUTE.finditer(attributes):
        if found[1].lower() == "src":
            value = found[2] or found[3] or found[4]
            return entities.unescape(value) if value else None
    return None


_DATA = re.compile(r"\s*data:(?:image|audio|video)/[a-z0-9.+-]{1,60}(?:;[a-z0-9=.-]{1,60}){0,4};base64,", re.IGNORECASE)


def _written(source: str) -> bytes | None:
    """The content of a `data:` address (RFC 2397) in Base64; None for any other address."""
    if not (start := _DATA.match(source)):
        return None
    with suppress(ValueError):
        return base64.b64decode("".join(source[start.end() :].split()), validate=True)
    return None


def _names(source: str, *, percent_first: bool) -> tuple[str, ...]:
    written = source.strip()
    decoded = unquote(written, errors="replace")
    found = (decoded, written) if percent_first else (written, decoded)
    forms = dict.fromkeys(unicodedata.normalize("NFC", name) for name in found if len(name) <= NAME_MAX)
    return tuple(name for name in forms if usable_name(name)) if usable_name(decoded) else ()


def _walk(nodes: tuple[Node, ...], inside: set[int], alone: set[int]) -> None:
    for node in nodes:
        if not isinstance(node, Deletion):
            continue
        places = [int(found) for found in _MARK.findall("".join(_texts((node,))))]
        inside.update(places)
        own = "".join(each.text for each in node.nodes if isinstance(each, Text))
        nested = any(isinstance(each, Deletion) for each in node.nodes)
        if places and not nested and not _visible(own):
            alone.add(places[0])
        _walk(node.nodes, inside, alone)


def _texts(nodes: tuple[Node, ...]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, Deletion):
            yield from _texts(node.nodes)
            if node.hint:
                yield node.hint
        elif isinstance(node, Text):
            yield node.text


def _visible(html: str) -> bool:
    return bool(re.sub(r"<[^<>]*+>|&nbsp;|\s++", "", _MARK.sub("", html)))
