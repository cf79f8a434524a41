"""Cloze cards with formatting: question and answer as HTML, from HTML that `sanitize_rich` gave.

A deletion may hold tags and may cross them (`<p>{{c1::a</p><p>b}}</p>`). What is hidden takes its text along and leaves
the tags that the rest needs, so that what comes out is again HTML that `sanitize_rich` leaves as it is: safe to place
in a page. Gaps and what was hidden stand in `<mark>`. A marker with a tag inside it is no marker.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from app.domain.cloze import no_such_number, shown_gap
from app.domain.cloze_grammar import Deletion, Hint, Node, Tag, Text, numbers_in, parse
from app.domain.richtext import plain_from_rich, sanitize_rich

_INLINE = frozenset({"strong", "em", "mark", "code", "br"})
_Shown = Callable[[Deletion, bool], str]


def rich_cloze_numbers(html: str) -> tuple[int, ...]:
    """The numbers of the deletions in rising order."""
    return tuple(sorted(numbers_in(parse(html, html=True))))


def rich_question(html: str, number: int) -> str:
    """The side with `<mark>[...]</mark>`, or the hint in the brackets, for each deletion of `number`.

    Raises `InvalidInput` when there is none.
    """
    return _shown(html, number, _gap)


def rich_answer(html: str, number: int) -> str:
    """The side with everything shown, what `rich_question` hides in `<mark>`. Raises `InvalidInput` as it does."""
    return _shown(html, number, _revealed)


def rich_gap_texts(html: str, number: int) -> tuple[str, ...]:
    """What each gap hides as plain text, in order. Raises `InvalidInput` when there is none."""
    nodes = parse(html, html=True)
    if number not in numbers_in(nodes):
        raise no_such_number(number)
    return tuple(plain_from_rich("".join(_html(_flat(gap.nodes)))) for gap in _gaps(nodes, number))


def _shown(html: str, number: int, show: _Shown) -> str:
    nodes = parse(html, html=True)
    if number not in numbers_in(nodes):
        raise no_such_number(number)
    shown = _render(nodes, number, show, mark=True)
    if sanitize_rich(shown).html == shown:
        return shown
    # A mark was one level more than formatting may nest.
    return sanitize_rich(_render(nodes, number, show, mark=False)).html


def _render(nodes: tuple[Node, ...], number: int, show: _Shown, *, mark: bool) -> str:
    return "".join(_parts(nodes, number, show, mark=mark)).strip()


def _parts(nodes: tuple[Node, ...], number: int, show: _Shown, *, mark: bool) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, Text):
            yield node.text
        elif isinstance(node, Tag):
            yield node.html
        elif isinstance(node, Hint):
            yield _needed(node.nodes)
        elif number in node.numbers:
            yield show(node, mark)
        else:
            yield from _parts(node.nodes, number, show, mark=mark)


def _gaps(nodes: tuple[Node, ...], number: int) -> Iterator[Deletion]:
    for node in nodes:
        if isinstance(node, Deletion):
            if number in node.numbers:
                yield node
            else:
                yield from _gaps(node.nodes, number)


def _gap(deletion: Deletion, mark: bool) -> str:
    return _marked(shown_gap(deletion.hint), mark) + _needed(_flat(deletion.nodes, hints=True))


def _revealed(deletion: Deletion, mark: bool) -> str:
    """In one mark where only whole formatting of words is inside, else in a mark for each piece of text."""
    flat = list(_flat(deletion.nodes))
    names = {_name(node) for node in flat if isinstance(node, Tag)}
    if names <= _INLINE and not _needed(flat):
        return _marked("".join(_html(flat)), mark)
    return "".join(
        _marked(node.text, mark) if isinstance(node, Text) and node.text.strip() else part
        for node, part in zip(flat, _html(flat), strict=True)
    )


def _flat(nodes: Iterable[Node], *, hints: bool = False) -> Iterator[Text | Tag]:
    """The texts and tags of a deletion and of those in it. Of a hint, the tags that are needed, or with `hints` all."""
    for node in nodes:
        if isinstance(node, Deletion):
            yield from _flat(node.nodes, hints=hints)
        elif isinstance(node, Hint):
            yield from node.nodes if hints else _needed_tags(node.nodes)
        else:
            yield node


def _html(nodes: Iterable[Text | Tag]) -> Iterator[str]:
    return (node.text if isinstance(node, Text) else node.html for node in nodes)


def _marked(html: str, mark: bool) -> str:
    return f"<mark>{html}</mark>" if mark else html


def _name(tag: Tag) -> str:
    return tag.html.strip("</>")


def _needed(nodes: Iterable[Text | Tag]) -> str:
    return "".join(tag.html for tag in _needed_tags(nodes))


def _needed_tags(nodes: Iterable[Text | Tag]) -> list[Tag]:
    """The tags that must stay when the text between them goes: the fewest that leave the same elements open.

    A pair that opens and closes in here goes. What closes and is opened again goes too, from the outside inwards: the
    paragraphs on both sides of a gap become one.
    """
    closing: list[Tag] = []
    opening: list[Tag] = []
    for node in nodes:
        if not isinstance(node, Tag) or _name(node) == "br":
            continue
        if not node.html.startswith("</"):
            opening.append(node)
        elif opening:
            opening.pop()
        else:
            closing.append(node)
    same = 0
    while same < min(len(closing), len(opening)) and _name(closing[-1 - same]) == _name(opening[same]):
        same += 1
    return closing[: len(closing) - same] + opening[same:]
