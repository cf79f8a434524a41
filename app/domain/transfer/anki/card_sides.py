"""A side of HTML as a card holds it: plain text, formatted text, and the files that go with it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from app.domain.cards import BACK_MAX, BACK_RICH_MAX, FRONT_MAX, FRONT_RICH_MAX, clean_optional_text
from app.domain.cloze import cloze_numbers, revealed
from app.domain.cloze_rich import rich_cloze_numbers
from app.domain.richtext import ATTRIBUTES, COMMENTS, NESTING, RichText, plain_from_rich, sanitize_rich
from app.domain.transfer.anki.media_refs import REFERENCES_MAX, Kind, Marked, MediaRef, finished, hidden_marks, marked
from app.domain.transfer.bundle import MediaUse, Side
from app.domain.transfer.html_sides import kept_html

WORDS: Final = {Kind.IMAGE: "[image]", Kind.SOUND: "[sound]"}
"""What stands for a file where a side has no other text."""

_LIMITS: Final = {Side.FRONT: (FRONT_MAX, FRONT_RICH_MAX), Side.BACK: (BACK_MAX, BACK_RICH_MAX)}
_MARKUP: Final = re.compile("[<&]")
_SILENT: Final = frozenset({ATTRIBUTES, COMMENTS, "img", "audio", "video", "source"})


@dataclass(frozen=True, slots=True)
class CardSide:
    """`plain` is empty where nothing can be read; then `refs` may still say that there is something."""

    plain: str
    rich: str | None
    refs: tuple[MediaRef, ...] = ()
    removed: frozenset[str] = frozenset()
    """Tags of HTML whose meaning is lost."""
    beyond: int = 0
    unformatted: bool = False
    """Whether formatting went because it was too long or too deep."""

    @property
    def word(self) -> str | None:
        """What it is but for its files, if it is nothing else."""
        return WORDS[self.refs[0].kind] if self.refs and self.plain == WORDS[self.refs[0].kind] else None


@dataclass(frozen=True, slots=True)
class BothSides:
    front: CardSide
    back: CardSide
    numbers: tuple[int, ...] = ()
    """Of the deletions; empty for a card with one question."""


def both_sides(front: str, back: str, *, cloze: bool) -> BothSides:
    """The sides of a card from their HTML. Raises `InvalidInput` for text that no card can hold.

    Files inside a deletion of a cloze text go with the back: on the front they would show what is asked for.
    """
    marked_front, marked_back = marked(front), marked(back)
    hidden, words = (frozenset[int](), dict[int, str]())
    if cloze and marked_front.refs:
        hidden, alone = hidden_marks(marked_front.html)
        words = {place: WORDS[marked_front.refs[place].kind] for place in alone}
    front_side = _side(marked_front, Side.FRONT, words, lambda place: place not in hidden)
    back_side = _side(marked_back, Side.BACK, {}, lambda _: True)
    moved = tuple(ref for place, ref in enumerate(marked_front.refs) if place in hidden)
    numbers = cloze_numbers(front_side.plain) if "{{c" in front_side.plain else ()
    if numbers:
        front_side = _same_deletions(front_side, numbers)
        plain = "" if back_side.word else back_side.plain
        if moved or not plain:
            text = plain or clean_optional_text(revealed(front_side.plain), "back", BACK_MAX)
            rich = back_side.rich if plain else None
            refs = (*moved, *back_side.refs)
            beyond = back_side.beyond + max(0, len(refs) - REFERENCES_MAX)
            back_side = CardSide(text, rich, refs[:REFERENCES_MAX], back_side.removed, beyond, back_side.unformatted)
    return BothSides(front_side, back_side, numbers)


def media_uses(
    sides: Iterable[tuple[Side, CardSide]], found: Callable[[MediaRef], tuple[str, str] | None]
) -> tuple[MediaUse, ...]:
    """The files of the sides in order, each once on a side; `found` gives digest and name of one that there is."""
    uses: dict[MediaUse, None] = {}
    for side, each in sides:
        for ref in each.refs:
            if file := found(ref):
                uses[MediaUse(side, *file)] = None
    return tuple(uses)


def numbered(side: CardSide, number: int) -> CardSide:
    """The side with a number in the word for its file, so that two cards with different files are two cards."""
    if not side.refs:
        return side
    word = WORDS[side.refs[0].kind]
    counted = f"{word[:-1]} {number}]"
    if side.word:
        return CardSide(counted, None, side.refs, side.removed, side.beyond, side.unformatted)
    rich = f"{side.rich}{' ' if not side.rich.endswith('>') else ''}{counted}" if side.rich else None
    return CardSide(f"{side.plain} {counted}", rich, side.refs, side.removed, side.beyond, side.unformatted)


def _side(found: Marked, side: Side, words: dict[int, str], own: Callable[[int], bool]) -> CardSide:
    most, most_rich = _LIMITS[side]
    html = finished(found.html, words) if found.refs else found.html
    sanitized = sanitize_rich(kept_html(html)) if _MARKUP.search(html) else RichText(html, ())
    plain = clean_optional_text(plain_from_rich(sanitized.html), side.value, most)
    refs = tuple(ref for place, ref in enumerate(found.refs) if own(place))
    removed = frozenset(sanitized.removed)
    formatted = "<" in sanitized.html
    too_long = formatted and len(sanitized.html) > most_rich
    rich = sanitized.html if formatted and plain and not too_long else None
    if not plain and refs:
        plain = WORDS[refs[0].kind]
    return CardSide(plain, rich, refs, removed - _SILENT - {NESTING}, found.beyond, too_long or NESTING in removed)


def _same_deletions(side: CardSide, numbers: tuple[int, ...]) -> CardSide:
    """Without formatting that cuts a deletion in two."""
    if side.rich is None or rich_cloze_numbers(side.rich) == numbers:
        return side
    return CardSide(side.plain, None, side.refs, side.removed, side.beyond, unformatted=True)
