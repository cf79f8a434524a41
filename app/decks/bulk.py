"""Commands on many cards at once: delete, restore, move, tag. What a card's schedule says never changes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime

from asyncpg import Record

from app.core.db import atomic, execute, execute_many, fetch
from app.decks.limits import Limits, room_for_cards
from app.decks.rows import (
    bulk_result,
    checked_ids,
    live_deck,
    lock_writes,
    move_schedules,
    possible,
    refuse_equals,
    touch_decks,
)
from app.decks.views import BulkResult
from app.domain.cards import TAGS_MAX, clean_tags, search_document, title_key
from app.domain.errors import N_, Conflict, InvalidInput
from app.domain.search_text import grams


async def _own_cards(account_id: int, card_ids: Iterable[int]) -> list[Record]:
    """Rows of the account's cards among these, live and deleted."""
    return await fetch(
        "SELECT id, deck_id, front, back, tags, card_key, deleted_at FROM card "
        "WHERE account_id = $1 AND id = ANY ($2::bigint[]) ORDER BY id",
        account_id,
        [id for id in card_ids if possible(id)],
    )


async def _live_cards(account_id: int, card_ids: Iterable[int]) -> list[Record]:
    return [row for row in await _own_cards(account_id, card_ids) if row["deleted_at"] is None]


async def delete_cards(account_id: int, card_ids: Sequence[int], *, now: datetime) -> BulkResult:
    """Move live cards to the trash; those that are there already count as not found. Raises `InvalidInput`."""
    wanted = checked_ids(card_ids)
    async with atomic():
        await lock_writes(account_id)
        rows = await fetch(
            "UPDATE card SET deleted_at = $3, deleted_with_deck = false "
            "WHERE account_id = $1 AND id = ANY ($2::bigint[]) AND deleted_at IS NULL RETURNING id, deck_id",
            account_id,
            [id for id in wanted if possible(id)],
            now,
        )
        done = {row["id"] for row in rows}
        if done:
            await _set_live(account_id, done, live=False)
            await touch_decks(account_id, (row["deck_id"] for row in rows), now)
    return bulk_result(wanted, done)


async def _set_live(account_id: int, card_ids: Iterable[int], *, live: bool) -> None:
    await execute(
        "UPDATE card_schedule SET live = $3 WHERE account_id = $1 AND card_id = ANY ($2::bigint[])",
        account_id,
        list(card_ids),
        live,
    )


async def restore_cards(account_id: int, card_ids: Sequence[int], *, limits: Limits, now: datetime) -> BulkResult:
    """Bring cards back from the trash into their decks; live ones count as done.

    All or nothing. Raises `Conflict` for a card of a deleted deck and for one that would be equal to a live card or to
    another of these, `DeckCardLimitExceeded`, `PlanRequired`, `InvalidInput`.
    """
    wanted = checked_ids(card_ids)
    async with atomic():
        await lock_writes(account_id)
        rows = await _own_cards(account_id, wanted)
        by_deck: dict[int, dict[int, bytes]] = defaultdict(dict)
        for row in rows:
            if row["deleted_at"] is not None:
                by_deck[row["deck_id"]][row["id"]] = row["card_key"]
        await _refuse_deleted_decks(account_id, by_deck)
        for deck_id, keys in by_deck.items():
            await refuse_equals(account_id, deck_id, keys)
            await room_for_cards(account_id, deck_id, len(keys), limits)
            await execute(
                "UPDATE card SET deleted_at = NULL, deleted_with_deck = false "
                "WHERE account_id = $1 AND id = ANY ($2::bigint[])",
                account_id,
                list(keys),
            )
            await _set_live(account_id, keys, live=True)
        await touch_decks(account_id, by_deck, now)
    return bulk_result(wanted, {row["id"] for row in rows})


async def _refuse_deleted_decks(account_id: int, deck_ids: Iterable[int]) -> None:
    rows = await fetch(
        "SELECT id FROM deck WHERE account_id = $1 AND id = ANY ($2::bigint[]) AND deleted_at IS NOT NULL ORDER BY id",
        account_id,
        list(deck_ids),
    )
    if rows:
        raise Conflict(
            N_("Some of these cards belong to deleted decks: %(deck_ids)s."),
            N_("Restore the deck first; the cards that were deleted with it come back with it. Nothing was changed."),
            deck_ids=", ".join(str(row["id"]) for row in rows),
        )


async def move_cards(
    account_id: int, card_ids: Sequence[int], deck_id: int, *, limits: Limits, now: datetime
) -> BulkResult:
    """Move live cards to another live deck with their schedules; those in it already count as done.

    All or nothing. Raises `NotFound` for the deck, `Conflict` for equal cards, `DeckCardLimitExceeded`, `InvalidInput`.
    """
    wanted = checked_ids(card_ids)
    async with atomic():
        await lock_writes(account_id)
        await live_deck(account_id, deck_id)
        rows = await _live_cards(account_id, wanted)
        moving = {row["id"]: row["card_key"] for row in rows if row["deck_id"] != deck_id}
        if moving:
            await refuse_equals(account_id, deck_id, moving)
            await room_for_cards(account_id, deck_id, len(moving), limits, new_to_account=False)
            await execute(
                "UPDATE card SET deck_id = $3, version = version + 1, updated_at = $4 "
                "WHERE account_id = $1 AND id = ANY ($2::bigint[])",
                account_id,
                list(moving),
                deck_id,
                now,
            )
            await move_schedules(account_id, list(moving), deck_id)
            await touch_decks(account_id, {deck_id, *(row["deck_id"] for row in rows)}, now)
    return bulk_result(wanted, {row["id"] for row in rows})


async def tag_cards(
    account_id: int, card_ids: Sequence[int], *, add: Sequence[str] = (), remove: Sequence[str] = (), now: datetime
) -> BulkResult:
    """Put tags on live cards and take tags off them; tags are compared like titles.

    All or nothing. Raises `InvalidInput` for a tag, or for a card that would have more than 12 of them.
    """
    wanted = checked_ids(card_ids)
    added, _ = clean_tags(add)
    removed = {title_key(tag) for tag in remove}
    async with atomic():
        await lock_writes(account_id)
        rows = await _live_cards(account_id, wanted)
        changed = {row["id"]: (row, tags) for row in rows if (tags := _retagged(row, added, removed)) != row["tags"]}
        if changed:
            await execute_many(
                "UPDATE card SET tags = $3, search_text = $4, grams = $5, version = version + 1, updated_at = $6 "
                "WHERE account_id = $1 AND id = $2",
                [
                    (account_id, id, tags, document, grams(account_id, document), now)
                    for id, (row, tags) in changed.items()
                    for document in [search_document(row["front"], row["back"], tags)]
                ],
            )
            await touch_decks(account_id, (row["deck_id"] for row, _ in changed.values()), now)
    return bulk_result(wanted, {row["id"] for row in rows})


def _retagged(row: Record, added: Sequence[str], removed: set[str]) -> list[str]:
    tags = {title_key(tag): tag for tag in row["tags"] if title_key(tag) not in removed}
    for tag in added:
        tags.setdefault(title_key(tag), tag)
    if len(tags) > TAGS_MAX:
        raise InvalidInput(
            N_("Card %(card_id)s would have %(count)d tags; at most %(max)d are allowed."),
            N_("Remove some of its tags first. Nothing was changed."),
            field="tags",
            card_id=row["id"],
            count=len(tags),
            max=TAGS_MAX,
        )
    return list(tags.values())
