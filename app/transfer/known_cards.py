"""Which cards of a file the account has already: by their GUIDs, else by their text within the decks they go to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.core.db import fetch
from app.domain.cards import card_key
from app.domain.transfer.bundle import BroughtCard
from app.domain.transfer.identity import card_of
from app.transfer.targets import Target
from app.transfer.views import Duplicates


class Action(StrEnum):
    CREATE = "create"
    UPDATE = "update"
    KNOWN = "known"
    IN_TRASH = "in_trash"
    REPEATED = "repeated"


@dataclass(frozen=True, slots=True)
class Planned:
    """A card of the file and what becomes of it; `card_id` is the card that it is, or is equal to."""

    card: BroughtCard
    key: bytes
    action: Action
    card_id: int | None = None
    taken_decks: frozenset[int] = frozenset()
    """Decks that have an equal card."""


_BY_GUID = """
SELECT wanted.place, c.id, (c.deleted_at IS NOT NULL) AS deleted
  FROM unnest($2::text[], $3::smallint[], $4::int[]) AS wanted (guid, template, place)
  JOIN card_origin o ON o.account_id = $1 AND o.guid = wanted.guid AND o.template = wanted.template
  JOIN card c ON c.account_id = $1 AND c.id = o.card_id
 ORDER BY (c.deleted_at IS NOT NULL), c.id
"""


class KnownCards:
    """Finds the cards of one file; those it has planned are remembered, so that equal ones in the file are met."""

    def __init__(self, account_id: int, identity: str, duplicates: Duplicates) -> None:
        self._account_id, self._identity, self._duplicates = account_id, identity, duplicates
        self._met: set[tuple[str, bytes]] = set()

    async def plan(self, cards: Sequence[BroughtCard], targets: dict[int, Target]) -> list[Planned]:
        """What becomes of each card, in their order."""
        keys = [card_key(card.front, card.back) for card in cards]
        by_guid = await self._by_guid(cards)
        by_text = await self._by_text(cards, keys, targets)
        planned: list[Planned] = []
        for place, (card, key) in enumerate(zip(cards, keys, strict=True)):
            target = targets[card.deck]
            decks = by_text.get(key, {})
            equal = {deck_id: decks[deck_id] for deck_id in target.deck_ids() if deck_id in decks}
            met = (target.title, key)
            known = by_guid.get(place)
            if known is None and equal:
                known = (next(iter(equal.values())), False)
            if known is not None and (self._duplicates is not Duplicates.KEEP_BOTH or known[1]):
                action = self._of_known(known[1])
                planned.append(Planned(card, key, action, known[0]))
            elif met in self._met:
                planned.append(Planned(card, key, Action.REPEATED))
            else:
                self._met.add(met)
                planned.append(Planned(card, key, Action.CREATE, taken_decks=frozenset(equal)))
        return planned

    def _of_known(self, deleted: bool) -> Action:
        if deleted:
            return Action.IN_TRASH
        return Action.UPDATE if self._duplicates is Duplicates.UPDATE else Action.KNOWN

    async def _by_guid(self, cards: Sequence[BroughtCard]) -> dict[int, tuple[int, bool]]:
        """By its place: the card of the account with this GUID, and whether it is in the trash. Live ones first."""
        foreign: list[tuple[str, int, int]] = []
        own: dict[int, int] = {}
        for place, card in enumerate(cards):
            if card.guid is None:
                continue
            card_id = card_of(card.guid, self._identity)
            if card_id is None:
                foreign.append((card.guid, card.template, place))
            else:
                own[place] = card_id
        found: dict[int, tuple[int, bool]] = {}
        if foreign:
            guids, templates, places = zip(*foreign, strict=True)
            for row in await fetch(_BY_GUID, self._account_id, list(guids), list(templates), list(places)):
                found.setdefault(row["place"], (row["id"], row["deleted"]))
        if own:
            rows = await fetch(
                "SELECT id, deleted_at FROM card WHERE account_id = $1 AND id = ANY ($2::bigint[])",
                self._account_id,
                list(own.values()),
            )
            there = {row["id"]: row["deleted_at"] is not None for row in rows}
            found |= {place: (card_id, there[card_id]) for place, card_id in own.items() if card_id in there}
        return found

    async def _by_text(
        self, cards: Sequence[BroughtCard], keys: Sequence[bytes], targets: dict[int, Target]
    ) -> dict[bytes, dict[int, int]]:
        """By its key: the live cards of the target decks with that text, by their decks."""
        deck_ids = sorted({deck_id for card in cards for deck_id in targets[card.deck].deck_ids()})
        if not deck_ids:
            return {}
        rows = await fetch(
            "SELECT card_key, deck_id, id FROM card WHERE account_id = $1 AND deck_id = ANY ($2::bigint[]) "
            "AND card_key = ANY ($3::bytea[]) AND deleted_at IS NULL ORDER BY id",
            self._account_id,
            deck_ids,
            list(keys),
        )
        found: dict[bytes, dict[int, int]] = {}
        for row in rows:
            found.setdefault(row["card_key"], {})[row["deck_id"]] = row["id"]
        return found
