"""Writing one batch of an import: decks, cards, schedules, answers, pictures and sounds, notes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from msgspec import UNSET

from app.core.db import execute
from app.decks.cards import update_card
from app.decks.changes import CardChanges
from app.decks.inserts import CheckedCard, insert_cards
from app.decks.limits import room_for_cards
from app.domain.cards import CardText
from app.domain.errors import N_, AppError, Conflict
from app.domain.transfer.bundle import BroughtCard, BroughtNote, BroughtSettings, Line, ScheduleChoice
from app.domain.transfer.rows import Problem, Reason
from app.media import service as media
from app.transfer import own_rows
from app.transfer.known_cards import Action, Planned
from app.transfer.schedules import Brought, write_further, write_schedules
from app.transfer.targets import Part, Target, add_part, is_in_trash, made_of, remember_decks
from app.transfer.views import Result

if TYPE_CHECKING:
    from app.transfer.importing import Import

MEDIA_AT_ONCE: Final = 32 * 1_048_576
"""Bytes of pictures and sounds after which a batch ends."""
NOTES_AT_ONCE: Final = 100
PROBLEMS_KEPT: Final = 500
_MEGABYTE = 1_048_576


@dataclass(slots=True)
class Batch:
    """What came between two points of the bundle. `start` counts the cards of the file before it."""

    start: int
    cards: list[BroughtCard] = field(default_factory=list[BroughtCard])
    contents: list[bytes] = field(default_factory=list[bytes])
    own_decks: list[int] = field(default_factory=list[int])
    """Decks of our own export, which are made even when they have no cards."""
    notes: list[BroughtNote] = field(default_factory=list[BroughtNote])
    settings: BroughtSettings | None = None
    problems: list[Problem] = field(default_factory=list[Problem])
    last: bool = False
    _media_bytes: int = 0

    @property
    def end(self) -> int:
        return self.start + len(self.cards)

    def add(self, line: Line) -> None:
        if line.card is not None:
            self.cards.append(line.card)
        elif line.note is not None:
            self.notes.append(line.note)
        elif line.settings is not None:
            self.settings = line.settings
        elif line.problem is not None:
            self.problems.append(line.problem)
        elif line.deck is not None and line.deck.own:
            self.own_decks.append(line.deck.number)
        elif line.end is not None:
            self.last = True

    def add_content(self, content: bytes) -> None:
        self.contents.append(content)
        self._media_bytes += len(content)

    def full(self, cards: int) -> bool:
        """Whether a unit of work has enough in it. Only a card ends one, so that its media stand before it."""
        if len(self.cards) >= cards or len(self.notes) >= NOTES_AT_ONCE:
            return True
        return self._media_bytes >= MEDIA_AT_ONCE and bool(self.cards)


async def write(head: Import, batch: Batch, plan: Sequence[Planned], before: Result) -> Result:
    """Write the batch; what the import has done with it. Raises what the limits of the plan raise."""
    problems = list(batch.problems)
    account_id = head.account.id
    stored = await _store_media(head, batch, problems)
    made_decks: list[int] = []
    for number in batch.own_decks:
        if head.choices.decks is None or number in head.choices.decks:
            await _deck_of_our_own(head, head.targets[number], made_decks)
    created = await _create(head, [each for each in plan if each.action is Action.CREATE], made_decks)
    updated = await _update(head, [each for each in plan if each.action is Action.UPDATE], problems)
    await _attach(account_id, [*created, *updated], stored)
    reviews = await _schedules(head, created, updated)
    await own_rows.trash_cards(account_id, [(card_id, planned.card) for planned, card_id, _ in created])
    await _remember_origins(head, created, [each for each in plan if each.card_id is not None])
    if made_decks:
        await remember_decks(account_id, head.id, made_decks)
    notes = 0
    for note in batch.notes:
        notes += await own_rows.bring_note(head, note, problems)
    if batch.last:
        await _trash_decks(head)
    if batch.settings is not None and head.choices.settings:
        await own_rows.take_settings(account_id, batch.settings)
    count = {action: sum(each.action is action for each in plan) for action in Action}
    return Result(
        created=before.created + len(created),
        updated=before.updated + len(updated),
        known=before.known + count[Action.KNOWN],
        in_trash=before.in_trash + count[Action.IN_TRASH],
        repeated=before.repeated + count[Action.REPEATED],
        reviews=before.reviews + reviews,
        media=before.media + len(stored),
        notes=before.notes + notes,
        not_taken=(*before.not_taken, *problems)[:PROBLEMS_KEPT],
        not_taken_count=before.not_taken_count + len(problems),
    )


Written = tuple[Planned, int, int]
"""A planned card, its id and its deck."""


async def _store_media(head: Import, batch: Batch, problems: list[Problem]) -> set[str]:
    """The digests of the contents that are stored now. One that cannot be kept is a problem of its own."""
    stored: set[str] = set()
    if not batch.contents:
        return stored
    room = await media.room_of(head.account.id, head.settings.media_mb * _MEGABYTE)
    for content in batch.contents:
        try:
            digest, _ = await media.store(head.account.id, content, room, now=head.now)
        except AppError as error:
            problems.append(Problem(0, Reason.LEFT_OUT, error.message, dict(error.params)))
        else:
            stored.add(digest)
    return stored


async def _deck_of_our_own(head: Import, target: Target, made: list[int]) -> None:
    brought = target.brought
    if brought.deleted_at is not None and await is_in_trash(head.account.id, brought):
        return
    if not target.parts:
        made.append((await add_part(head.account.id, target, head.limits, head.now)).deck_id)
        await own_rows.deck_settings(head.account.id, made[-1], brought.settings)


async def _trash_decks(head: Import) -> None:
    """Decks that were in the trash where they come from, once all their cards are in them."""
    for brought in head.decks.values():
        if brought.deleted_at is not None:
            made = await made_of(head.account.id, head.id, (await head.target(brought)).deck_ids())
            await own_rows.trash_decks(head.account.id, made, brought.deleted_at)


async def _create(head: Import, plan: Sequence[Planned], made_decks: list[int]) -> list[Written]:
    """Insert new cards, deck by deck, each into the first part with room for it."""
    into: dict[int, list[Planned]] = defaultdict(list)
    taken: set[tuple[int, bytes]] = set()
    for planned in plan:
        target = head.targets[planned.card.deck]
        part = await _part_for(head, target, planned, taken, made_decks)
        part.room -= 1
        taken.add((part.deck_id, planned.key))
        into[part.deck_id].append(planned)
    written: list[Written] = []
    for deck_id, cards in into.items():
        await room_for_cards(head.account.id, deck_id, len(cards), head.limits)
        fresh = [_checked(place, each) for place, each in enumerate(cards, 1)]
        ids = await insert_cards(head.account.id, deck_id, fresh, head.now)
        written += [(planned, card_id, deck_id) for planned, card_id in zip(cards, ids, strict=True)]
    return written


async def _part_for(
    head: Import, target: Target, planned: Planned, taken: set[tuple[int, bytes]], made_decks: list[int]
) -> Part:
    for part in target.parts:
        has_equal = part.deck_id in planned.taken_decks or (part.deck_id, planned.key) in taken
        if part.room > 0 and not has_equal:
            return part
    part = await add_part(head.account.id, target, head.limits, head.now)
    made_decks.append(part.deck_id)
    return part


def _checked(place: int, planned: Planned) -> CheckedCard:
    card = planned.card
    text = CardText(card.front, card.back, card.front_rich, card.back_rich, card.tags)
    return CheckedCard(place, text, planned.key, card.language, card.source_title, card.created_at, card.updated_at)


async def _update(head: Import, plan: Sequence[Planned], problems: list[Problem]) -> list[Written]:
    """Give cards that are there the text and tags of the file; one that would equal another stays as it is."""
    written: list[Written] = []
    for planned in plan:
        card, card_id = planned.card, planned.card_id or 0
        changes = CardChanges(
            front=card.front,
            back=card.back,
            front_rich=card.front_rich or "",
            back_rich=card.back_rich or "",
            tags=card.tags or UNSET,
        )
        try:
            done = await update_card(head.account.id, card_id, changes, limits=head.limits, now=head.now)
        except Conflict:
            message = N_("Not updated: the deck has another card with this text.")
            problems.append(Problem(card.place, Reason.CHANGED, message))
        else:
            written.append((planned, card_id, done.deck_id))
    return written


async def _attach(account_id: int, written: Sequence[Written], stored: set[str]) -> None:
    """Pictures and sounds of the cards. One whose content came with an earlier batch is stored already."""
    uses: list[media.Use] = []
    for planned, card_id, _ in written:
        places: dict[str, int] = defaultdict(int)
        for use in planned.card.media:
            uses.append(media.Use(card_id, use.side, places[use.side], use.digest, use.name))
            places[use.side] += 1
    kept = stored | await media.stored_among(account_id, {use.digest for use in uses} - stored)
    changed = [card_id for planned, card_id, _ in written if planned.action is Action.UPDATE]
    if changed:
        await media.detach(account_id, changed)
    await media.attach(account_id, [use for use in uses if use.digest in kept])


async def _schedules(head: Import, created: Sequence[Written], updated: Sequence[Written]) -> int:
    """Schedules and answers that come along; how many answers."""
    new, old = (
        [
            Brought(card_id, deck_id, question)
            for planned, card_id, deck_id in written
            for question in planned.card.questions
        ]
        for written in (created, updated)
    )
    reviews = await write_schedules(head.account.id, new)
    if head.choices.schedule is not ScheduleChoice.RESET:
        reviews += await write_further(head.account.id, old)
    return reviews


async def _remember_origins(head: Import, created: Sequence[Written], known: Sequence[Planned]) -> None:
    """By what the file calls its cards they are found next time; those that it made can be undone."""
    rows = [(card_id, planned.card.guid, planned.card.template, head.id) for planned, card_id, _ in created]
    rows += [
        (planned.card_id, planned.card.guid, planned.card.template, None)
        for planned in known
        if planned.card.guid and planned.card_id
    ]
    if not rows:
        return
    ids, guids, templates, imports = zip(*rows, strict=True)
    await execute(
        "INSERT INTO card_origin (account_id, card_id, guid, template, import_id) "
        "SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::smallint[], $5::bigint[]) "
        "ON CONFLICT (account_id, card_id) DO NOTHING",
        head.account.id,
        list(ids),
        list(guids),
        list(templates),
        list(imports),
    )
