"""The grammar of cloze deletions: how a text with `{{c1::hidden::hint}}` in it is taken apart.

It is Anki's grammar. `{{c`, numbers with commas between them and `::` open a deletion, `}}` closes the innermost one,
and what follows a `::` inside it is its hint, as far as the next deletion in it. Where Anki loses or breaks text, the
text is kept:

- A deletion that is never closed is text, and deletions inside it count.
- Numbers go from 1 to 500. A marker without any such number is text.
- Mathematics (MathJax's `\\(…\\)` and `\\[…\\]`) may stand in a deletion: braces and `::` of a formula neither close it
  nor start its hint. A deletion may also stand in a formula, and ends where its own braces are balanced.
- Deletions nest ten deep; what is deeper is text.

One reading of the text, whatever it holds: time and memory grow with its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

NUMBER_MAX: Final = 500
NESTING_MAX: Final = 10

_OPEN, _CLOSE, _HINT, _TAG = "open", "close", "hint", "tag"

_MARKER = r"(?P<open>\{\{c[0-9,]++::)"
_HINT_MARK = r"(?P<hint>::)"
_OUTSIDE = rf"{_MARKER}|(?P<close>\}}\}})|(?P<formula>\\[(\[])|{_HINT_MARK}"
_INSIDE = rf"{_MARKER}|(?P<escaped>\\.)|(?P<brace>[{{}}])|{_HINT_MARK}"
# The second of each pair is for HTML; in plain text, `<}}>` closes a deletion.
_OUTSIDE_FORMULA = re.compile(rf"{_OUTSIDE}|(?P<tag>(?!))"), re.compile(rf"{_OUTSIDE}|(?P<tag><[^<>]*+>)")
_INSIDE_FORMULA = (
    re.compile(rf"{_INSIDE}|(?P<tag>(?!))", re.DOTALL),
    re.compile(rf"{_INSIDE}|(?P<tag><[^<>]*+>)", re.DOTALL),
)
_FORMULA_END = {r"\(": r"\)", r"\[": r"\]"}


@dataclass(frozen=True, slots=True)
class Text:
    text: str


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag of HTML, with its angle brackets; only in a text that was read as HTML."""

    html: str


@dataclass(frozen=True, slots=True)
class Hint:
    """What follows `::`; where a deletion has several, the last one counts."""

    nodes: tuple[Text | Tag, ...]

    @property
    def text(self) -> str:
        return "".join(node.text for node in self.nodes if isinstance(node, Text))


@dataclass(frozen=True, slots=True)
class Deletion:
    numbers: frozenset[int]
    nodes: tuple[Node, ...]

    @property
    def hint(self) -> str:
        """The hint without tags; empty when there is none."""
        hints = [node for node in self.nodes if isinstance(node, Hint)]
        return hints[-1].text if hints else ""


Node = Text | Tag | Hint | Deletion


def parse(text: str, *, html: bool = False) -> tuple[Node, ...]:
    """The parts of `text` in order. With `html` it is HTML as `sanitize_rich` gives it, and tags are parts of it."""
    return _tree(text, _Reader(text, html).tokens)


def numbers_in(nodes: tuple[Node, ...]) -> frozenset[int]:
    """The numbers of all deletions, nested ones included."""
    found: set[int] = set()
    for node in nodes:
        if isinstance(node, Deletion):
            found |= node.numbers | numbers_in(node.nodes)
    return frozenset(found)


@dataclass(slots=True)
class _Token:
    kind: str
    start: int
    end: int
    numbers: frozenset[int] = frozenset()
    """Of an opening."""
    matched: bool = False
    """Of an opening: whether it is closed somewhere."""


@dataclass(slots=True)
class _Opened:
    token: _Token
    formula: int
    """Where the formula starts in which the deletion was opened; -1 outside."""
    braces: int
    """How many braces of that formula were open at the time."""


class _Reader:
    """One reading of a text: `tokens` holds its markers, hints and tags in order, each opening matched or not."""

    def __init__(self, text: str, html: bool) -> None:
        self.tokens: list[_Token] = []
        self._text = text
        self._html = html
        self._opened: list[_Opened] = []
        self._last_end = {start: text.rfind(end) for start, end in _FORMULA_END.items()}
        position = 0
        while found := _OUTSIDE_FORMULA[html].search(text, position):
            position = found.end()
            if found["formula"]:
                position = self._formula(found["formula"], position)
            elif found["open"]:
                self._open(found, -1, 0)
            elif found["close"]:
                self._close(found.start())
            else:
                self.tokens.append(_Token(found.lastgroup or "", *found.span()))

    def _formula(self, opening: str, start: int) -> int:
        """Read the formula that starts here, and say where it ends; without an end the delimiter is text."""
        if self._last_end[opening] < start:
            return start
        end = self._text.index(_FORMULA_END[opening], start)
        position, braces = start, 0
        while found := _INSIDE_FORMULA[self._html].search(self._text, position, end):
            position = found.end()
            own = bool(self._opened) and self._opened[-1].formula == start
            if found["open"]:
                if self._open(found, start, braces):
                    braces = 0
            elif found["brace"] == "{":
                braces += 1
            elif found["brace"] and braces:
                braces -= 1
            elif found["brace"] and own and self._text.startswith("}}", found.start()) and position < end:
                braces = self._close(found.start())
                position += 1
            elif found["tag"] or (found["hint"] and own and not braces):
                self.tokens.append(_Token(found.lastgroup or "", *found.span()))
        return end + 2

    def _open(self, found: re.Match[str], formula: int, braces: int) -> bool:
        numbers = _numbers(found["open"])
        if numbers:
            token = _Token(_OPEN, *found.span(), numbers)
            self.tokens.append(token)
            self._opened.append(_Opened(token, formula, braces))
        return bool(numbers)

    def _close(self, start: int) -> int:
        """Close the innermost deletion, if one is open; how many braces were open around it."""
        if not self._opened:
            return 0
        opened = self._opened.pop()
        opened.token.matched = True
        self.tokens.append(_Token(_CLOSE, start, start + 2))
        return opened.braces


def _numbers(marker: str) -> frozenset[int]:
    digits = (part.lstrip("0") for part in marker[3:-2].split(","))
    return frozenset(int(part) for part in digits if 0 < len(part) <= 3 and int(part) <= NUMBER_MAX)


@dataclass(slots=True)
class _Frame:
    """A deletion, or the whole text, while its parts are collected."""

    numbers: frozenset[int] = frozenset()
    nodes: list[Node] = field(default_factory=list[Node])
    hint: list[Text | Tag] | None = None

    def add(self, node: Text | Tag) -> None:
        if self.hint is not None:
            self.hint.append(node)
        else:
            self.nodes.append(node)

    def end_hint(self) -> None:
        if self.hint is not None:
            self.nodes.append(Hint(tuple(self.hint)))
            self.hint = None


def _tree(text: str, tokens: Iterable[_Token]) -> tuple[Node, ...]:
    frames = [_Frame()]
    too_deep = position = 0
    for token in tokens:
        frame = frames[-1]
        deletion = token.kind == _CLOSE or (token.kind == _OPEN and token.matched)
        if deletion and (too_deep or (token.kind == _OPEN and len(frames) > NESTING_MAX)):
            too_deep += 1 if token.kind == _OPEN else -1
            continue
        if not deletion and token.kind != _TAG and (token.kind == _OPEN or len(frames) == 1 or frame.hint is not None):
            continue
        if token.start > position:
            frame.add(Text(text[position : token.start]))
        position = token.end
        if token.kind == _TAG:
            frame.add(Tag(text[token.start : token.end]))
        elif token.kind == _HINT:
            frame.hint = []
        elif token.kind == _OPEN:
            frame.end_hint()
            frames.append(_Frame(token.numbers))
        else:
            frame.end_hint()
            frames.pop()
            frames[-1].nodes.append(Deletion(frame.numbers, tuple(frame.nodes)))
    if position < len(text):
        frames[0].add(Text(text[position:]))
    return tuple(frames[0].nodes)
