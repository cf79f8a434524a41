"""A dry run of an import: the same plan, with nothing written."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from app.core.db import fetch_row
from app.domain.errors import N_
from app.domain.transfer.bundle import BroughtCard, BundleEnd, Line
from app.domain.transfer.identity import identity_of
from app.domain.transfer.rows import Problem
from app.transfer.known_cards import Action, KnownCards
from app.transfer.targets import Target
from app.transfer.views import Preview, PreviewDeck, Sample

if TYPE_CHECKING:
    from app.transfer.importing import Import

_AT_ONCE: Final = 500
_SAMPLES, _SAMPLES_OF_DECK, _SAMPLE_LENGTH = 12, 3, 300
_PROBLEMS = 300


@dataclass(slots=True)
class _Seen:
    """What has been read so far."""

    cards: Counter[int] = field(default_factory=Counter[int])
    new: Counter[int] = field(default_factory=Counter[int])
    actions: Counter[Action] = field(default_factory=Counter[Action])
    scheduled: int = 0
    reviews: int = 0
    media: int = 0
    notes: int = 0
    has_settings: bool = False
    samples: list[Sample] = field(default_factory=list[Sample])
    sampled: Counter[int] = field(default_factory=Counter[int])
    problems: list[Problem] = field(default_factory=list[Problem])
    warnings: list[Problem] = field(default_factory=list[Problem])
    problem_count: int = 0
    end: BundleEnd | None = None


async def preview(head: Import, lines: AsyncGenerator[Line | bytes, None]) -> Preview:
    """What an import of these lines would do. Raises `InvalidInput` for a file that cannot be read."""
    known = KnownCards(head.account.id, identity_of(head.account.id, head.account.created_at), head.choices.duplicates)
    seen = _Seen()
    cards: list[BroughtCard] = []
    async with aclosing(lines):
        async for line in lines:
            if isinstance(line, bytes):
                continue
            if line.deck is not None:
                head.decks[line.deck.number] = line.deck
                await head.find_target(line.deck.number)
            elif line.card is not None:
                cards.append(line.card)
                _take(seen, head, line.card)
            else:
                _note(seen, line)
            if len(cards) >= _AT_ONCE or line.end is not None:
                await _plan(seen, known, cards, head.targets)
                cards = []
    return await _preview(head, seen, seen.end or BundleEnd("", 0))


def _take(seen: _Seen, head: Import, card: BroughtCard) -> None:
    seen.cards[card.deck] += 1
    seen.scheduled += any(question.state for question in card.questions)
    seen.reviews += sum(len(question.reviews) for question in card.questions)
    if len(seen.samples) < _SAMPLES and seen.sampled[card.deck] < _SAMPLES_OF_DECK:
        seen.sampled[card.deck] += 1
        deck = head.decks[card.deck].name
        seen.samples.append(Sample(deck, card.front[:_SAMPLE_LENGTH], card.back[:_SAMPLE_LENGTH], card.tags))


def _note(seen: _Seen, line: Line) -> None:
    if line.media is not None:
        seen.media += 1
    elif line.note is not None:
        seen.notes += 1
    elif line.settings is not None:
        seen.has_settings = True
    elif line.problem is not None:
        seen.problem_count += 1
        if len(seen.problems) < _PROBLEMS:
            seen.problems.append(line.problem)
    elif line.warning is not None and len(seen.warnings) < _PROBLEMS:
        seen.warnings.append(line.warning)
    elif line.end is not None:
        seen.end = line.end


async def _plan(seen: _Seen, known: KnownCards, cards: list[BroughtCard], targets: dict[int, Target]) -> None:
    for planned in await known.plan(cards, targets):
        seen.actions[planned.action] += 1
        if planned.action is Action.CREATE:
            seen.new[planned.card.deck] += 1


async def _preview(head: Import, seen: _Seen, end: BundleEnd) -> Preview:
    cap = head.limits.deck_card_cap
    decks: list[PreviewDeck] = []
    shared: dict[int, int] = {}
    for number, brought in head.decks.items():
        target = head.targets[number]
        room = sum(max(part.room, 0) for part in target.parts) + shared.get(id(target), 0)
        added = -(-max(seen.new[number] - room, 0) // cap)
        shared[id(target)] = shared.get(id(target), 0) + added * cap - seen.new[number]
        decks.append(
            PreviewDeck(
                number=number,
                name=brought.name,
                title=target.title,
                collection=target.collection,
                cards=seen.cards[number],
                new=seen.new[number],
                exists=bool(target.parts),
                parts=len(target.parts) + added,
            )
        )
    new_decks = sum(deck.parts for deck in decks) - sum(len(target.parts) for target in head.targets.values())
    return Preview(
        format=end.format,
        numbered_by=end.numbered_by,
        cards=end.cards,
        new=seen.actions[Action.CREATE],
        known=seen.actions[Action.KNOWN] + seen.actions[Action.UPDATE],
        in_trash=seen.actions[Action.IN_TRASH],
        repeated=seen.actions[Action.REPEATED],
        scheduled=seen.scheduled,
        reviews=seen.reviews,
        media=seen.media,
        notes=seen.notes,
        has_settings=seen.has_settings,
        decks=tuple(decks),
        new_decks=new_decks,
        samples=tuple(seen.samples),
        problems=tuple(seen.problems),
        warnings=tuple(seen.warnings),
        problem_count=seen.problem_count,
        columns=end.columns,
        separator=end.separator,
        header_used=end.header_used,
        refusal=await _refusal(head, seen.actions[Action.CREATE], new_decks),
    )


async def _refusal(head: Import, cards: int, decks: int) -> tuple[str, dict[str, object]] | None:
    """Why not all of it fits under the plan."""
    row = await fetch_row(
        "SELECT (SELECT count(*) FROM deck WHERE account_id = $1 AND deleted_at IS NULL) AS decks, "
        "(SELECT coalesce(sum(cards), 0)::bigint FROM deck_count WHERE account_id = $1) AS cards",
        head.account.id,
    )
    used_cards, used_decks = (row["cards"], row["decks"]) if row else (0, 0)
    plan = head.limits.plan_limits
    if used_cards + cards > plan.cards:
        message = N_("The plan allows %(limit)s cards; %(used)s are in use, and this file brings %(added)s more.")
        return message, {"limit": plan.cards, "used": used_cards, "added": cards}
    if used_decks + decks > plan.decks:
        message = N_("The plan allows %(limit)s decks; %(used)s are in use, and this file needs %(added)s more.")
        return message, {"limit": plan.decks, "used": used_decks, "added": decks}
    return None
