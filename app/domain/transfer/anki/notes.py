"""Notes with their cards as cards of ours.

A card of a normal note type is one card; all cards of a cloze note are one card with a question for each number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from app.domain.cards import FRONT_MAX, card_key
from app.domain.errors import N_, InvalidInput
from app.domain.transfer.anki.card_sides import BothSides, both_sides, media_uses, numbered
from app.domain.transfer.anki.log import LogLine
from app.domain.transfer.anki.media_refs import MediaRef
from app.domain.transfer.anki.note_types import Deck, NoteType
from app.domain.transfer.anki.note_values import DeckNumbers, NoteRow, NoteValues, label
from app.domain.transfer.anki.notices import Notices
from app.domain.transfer.anki.schedules import CardRow, Scheduling
from app.domain.transfer.anki.sides import FIELD_MAX, CardTemplate, Named, is_blank, sides
from app.domain.transfer.bundle import BroughtCard, BroughtDeck, BroughtQuestion, Side
from app.domain.transfer.rows import Reason

CARDS_MAX: Final = 600
"""Cards of one note; no note type makes more."""

FindMedia = Callable[[MediaRef, int], tuple[str, str] | None]
"""Digest and name of the file that a note (by its place) means, None if there is none that can be taken."""


@dataclass(slots=True)
class _Seen:
    """What must be known of the cards before."""

    guids: set[str] = field(default_factory=set[str])
    files: dict[tuple[int, bytes], tuple[str, ...]] = field(default_factory=dict[tuple[int, bytes], tuple[str, ...]])
    """Of the first card with a text in a deck."""
    others: dict[tuple[int, bytes], dict[tuple[str, ...], int]] = field(
        default_factory=dict[tuple[int, bytes], dict[tuple[str, ...], int]]
    )
    """The numbers of those with the same text and other files."""
    unshown: set[tuple[int, int]] = field(default_factory=set[tuple[int, int]])
    """Note type and place of fields of which was said that they are on no side."""
    note_types: set[int] = field(default_factory=set[int])
    removed: set[str] = field(default_factory=set[str])


class Notes:
    """Reads one note after the other; new decks and notices wait to be taken before the cards that come with them."""

    def __init__(
        self,
        note_types: Mapping[int, NoteType],
        decks: Mapping[int, Deck],
        scheduling: Scheduling,
        find: FindMedia,
        notices: Notices,
    ) -> None:
        self._note_types, self._scheduling = note_types, scheduling
        self._decks = DeckNumbers(decks)
        self._find, self._notices = find, notices
        self._seen = _Seen()

    def take_decks(self) -> list[BroughtDeck]:
        """The decks that came up since the last time."""
        new, self._decks.new = self._decks.new, []
        return new

    @property
    def removed_tags(self) -> tuple[str, ...]:
        """Names of the HTML tags whose meaning was lost somewhere."""
        return tuple(sorted(self._seen.removed))

    def cards(
        self, place: int, note: NoteRow, rows: Sequence[CardRow], logs: Mapping[int, Sequence[LogLine]]
    ) -> Iterator[BroughtCard]:
        """The cards of the note at `place` (from 1), in the order of their templates; `logs` by the card's id."""
        note_type = self._note_types.get(note.note_type)
        if note_type is None:
            self._problem(place, Reason.WRONG_TYPE, N_("The package does not hold the note type of this note."))
            return
        if note_type.image_occlusion:
            self._problem(place, Reason.NOT_SUPPORTED, N_("Cards that hide a part of a picture cannot be taken yet."))
            return
        values = note.flds.split("\x1f", len(note_type.fields))[: len(note_type.fields)]
        if any(len(value) > FIELD_MAX for value in values):
            self._problem(place, Reason.INVALID_TEXT, N_("A field of this note is too long to be a side of a card."))
            return
        self._look_at(place, note.note_type, note_type, values)
        fields = dict.fromkeys(note_type.fields, "") | dict(zip(note_type.fields, values, strict=False))
        common = self._values(place, note)
        if note_type.cloze:
            yield from self._cloze(place, note_type, fields, rows, logs, common)
            return
        leeches = _leeches(rows) if common.leech else frozenset[int]()
        for _, row in sorted({row.ordinal: row for row in reversed(rows)}.items()):
            template = note_type.templates.get(row.ordinal)
            if template is None:
                message = N_("The note type of this note has no template for one of its cards.")
                self._problem(place, Reason.WRONG_TYPE, message)
                continue
            if both := self._both(place, note_type, template, fields, row.own_deck, common, cloze=False):
                ordinal = both.numbers[0] if both.numbers else 0
                question = self._question(row, logs, ordinal, leech=row.id in leeches)
                yield self._card(place, both, row.own_deck, row.ordinal, common, (question,))

    def _cloze(
        self,
        place: int,
        note_type: NoteType,
        fields: Mapping[str, str],
        rows: Sequence[CardRow],
        logs: Mapping[int, Sequence[LogLine]],
        common: NoteValues,
    ) -> Iterator[BroughtCard]:
        template = note_type.templates.get(min(note_type.templates, default=0))
        if template is None or not rows:
            return
        ordered = sorted({row.ordinal: row for row in reversed(rows) if 0 <= row.ordinal < CARDS_MAX}.items())
        if not ordered:
            return
        deck = ordered[0][1].own_deck
        both = self._both(place, note_type, template, fields, deck, common, cloze=True)
        if both is None:
            return
        if not both.numbers:
            self._problem(place, Reason.MISSING_SIDE, N_("The note hides nothing: it has no cloze deletion."))
            return
        leeches = _leeches(rows) if common.leech else frozenset[int]()
        questions: list[BroughtQuestion] = []
        for ordinal, row in ordered:
            question = self._question(row, logs, ordinal + 1, leech=row.id in leeches)
            if ordinal + 1 in both.numbers:
                questions.append(question)
            elif question.state:
                questions.append(replace(question, gone=True))
        yield self._card(place, both, deck, 0, common, tuple(questions))

    def _both(
        self,
        place: int,
        note_type: NoteType,
        template: CardTemplate,
        fields: Mapping[str, str],
        deck: int,
        common: NoteValues,
        *,
        cloze: bool,
    ) -> BothSides | None:
        """Both sides, or None after a problem."""
        named = Named(common.given_tags, note_type.name, self._decks.name(deck), template.name)
        made = sides(template, fields, named, cloze=cloze)
        if made.cut:
            self._problem(place, Reason.INVALID_TEXT, N_("The template makes a side of this note that is too long."))
            return None
        if is_blank(made.front):
            self._problem(place, Reason.MISSING_SIDE, N_("A card of this note has nothing on its front."))
            return None
        try:
            both = both_sides(made.front, made.back, cloze=cloze)
        except InvalidInput as error:
            self._problem(place, Reason.INVALID_TEXT, error.message, **error.params)
            return None
        if not both.front.plain or not both.back.plain:
            message = (
                N_("A card of this note has nothing on its back.")
                if both.front.plain
                else N_("A card of this note has nothing on its front.")
            )
            self._problem(place, Reason.MISSING_SIDE, message)
            return None
        self._losses(place, both)
        return both

    def _losses(self, place: int, both: BothSides) -> None:
        for side in (both.front, both.back):
            self._seen.removed |= side.removed
            if side.beyond:
                message = N_("A side names too many files: %(count)d were left out.")
                self._warning(place, Reason.LEFT_OUT, message, count=side.beyond)
            if side.unformatted:
                message = N_("The formatting of a side was left out: it was too long, or broke a deletion.")
                self._warning(place, Reason.CHANGED, message)

    def _question(
        self, row: CardRow, logs: Mapping[int, Sequence[LogLine]], ordinal: int, *, leech: bool
    ) -> BroughtQuestion:
        steps = self._decks.steps(row.own_deck)
        question = self._scheduling.question(row, logs.get(row.id, ()), steps, ordinal)
        return replace(question, leech=True) if leech else question

    def _card(
        self,
        place: int,
        both: BothSides,
        deck: int,
        template: int,
        common: NoteValues,
        questions: tuple[BroughtQuestion, ...],
    ) -> BroughtCard:
        number = self._decks.number(deck)
        both = self._apart(number, both)
        pairs = (Side.FRONT, both.front), (Side.BACK, both.back)
        return BroughtCard(
            place=place,
            deck=number,
            front=both.front.plain,
            back=both.back.plain,
            front_rich=both.front.rich,
            back_rich=both.back.rich,
            tags=common.tags,
            guid=common.guid,
            template=template,
            created_at=common.created_at,
            updated_at=common.updated_at,
            questions=tuple(each for each in questions if each != BroughtQuestion(each.ordinal)),
            media=media_uses(pairs, lambda ref: self._find(ref, place)),
        )

    def _apart(self, deck: int, both: BothSides) -> BothSides:
        """With a number where only the files tell the card from one before it."""
        files = tuple(ref.source for side in (both.front, both.back) for ref in side.refs)
        key = deck, card_key(both.front.plain, both.back.plain)
        if self._seen.files.setdefault(key, files) == files or not files:
            return both
        others = self._seen.others.setdefault(key, {})
        number = others.setdefault(files, len(others) + 2)
        if both.back.word and not both.front.word:
            return replace(both, back=numbered(both.back, number))
        side = numbered(both.front, number) if both.front.refs else both.front
        if side is both.front:
            return replace(both, back=numbered(both.back, number))
        return both if len(side.plain) > FRONT_MAX else replace(both, front=side)

    def _values(self, place: int, note: NoteRow) -> NoteValues:
        values = NoteValues.of(note, self._scheduling.order.now)
        if values.changed_tags:
            message = N_("Tags were shortened or left out: %(count)d. A card has 12, of 40 characters each.")
            self._warning(place, Reason.CHANGED, message, count=values.changed_tags)
        if values.guid in self._seen.guids:
            message = N_("The identity of this note stands in the package twice; it is known by its text.")
            self._warning(place, Reason.CHANGED, message)
            return replace(values, guid=None)
        if values.guid:
            self._seen.guids.add(values.guid)
        return values

    def _look_at(self, place: int, key: int, note_type: NoteType, values: Sequence[str]) -> None:
        """Say once of a note type what its templates do wrong, and once of each field that none of them shows it."""
        if key not in self._seen.note_types:
            self._seen.note_types.add(key)
            names = frozenset(note_type.fields)
            if any(template.faults(names) for template in note_type.templates.values()):
                message = N_("A template of the note type is broken; it was followed as far as it goes.")
                self._warning(place, Reason.CHANGED, message)
        shown = note_type.shown_fields
        for at, (name, value) in enumerate(zip(note_type.fields, values, strict=False)):
            if name not in shown and (key, at) not in self._seen.unshown and not is_blank(value):
                self._seen.unshown.add((key, at))
                message = N_("The field “%(field)s” is on neither side of the cards, so it was left out.")
                self._warning(place, Reason.LEFT_OUT, message, field=label(name))

    def _problem(self, place: int, reason: Reason, message: str, **params: object) -> None:
        self._notices.problem(place, reason, message, **params)

    def _warning(self, place: int, reason: Reason, message: str, **params: object) -> None:
        self._notices.warning(place, reason, message, **params)


def _leeches(rows: Sequence[CardRow]) -> frozenset[int]:
    """Anki's mark is on the note; the card that brought it there is the one that was forgotten most."""
    most = max((row.lapses for row in rows), default=0)
    return frozenset(row.id for row in rows if row.lapses == most)
