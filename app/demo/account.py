"""`loci demo`: an account with real decks and a believable past, to look around in."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta

from app.accounts import queries as accounts_queries
from app.accounts import service as accounts
from app.decks import service as decks
from app.decks.limits import Limits
from app.demo.decks import DemoDeck, demo_decks, history
from app.domain.calendar import StudyClock
from app.domain.errors import N_, Conflict
from app.domain.plans import Plan, limits_for
from app.domain.scheduling import Rating, SchedulingOptions
from app.domain.study_settings import STANDARD
from app.study import answers
from app.study.queries import questions_of

_CARDS_PER_CALL = 100
_AGE = timedelta(days=50)
_SEED = 20


async def make_demo_account(email: str, *, now: datetime, deck_card_cap: int) -> str:
    """Make the account on the Pro plan with all demo decks, some of them studied; its password.

    Raises `Conflict` when the address has an account: nothing in it is touched.
    """
    if await accounts_queries.account_by_email(email) is not None:
        raise Conflict(
            N_("There is an account with this address already; nothing was changed."),
            N_("Choose another with --email, or set a password with `loci account password`."),
        )
    password = secrets.token_urlsafe(12)
    born = now - _AGE
    account = await accounts.sign_up(email, password, now=born, name="Demo", plan=Plan.PRO)
    options = SchedulingOptions(clock=StudyClock(account.zone, account.rollover_hour))
    limits = Limits(limits_for(Plan.PRO), deck_card_cap)
    shelves: dict[str, int] = {}
    for deck in demo_decks():
        if deck.collection and deck.collection not in shelves:
            shelves[deck.collection] = await decks.create_collection(account.id, title=deck.collection, now=born)
        card_ids = await _make_deck(account.id, deck, shelves.get(deck.collection), limits, born)
        for index, reviewed_at, rating in history(deck, _SEED, now, options=options):
            (card,) = await questions_of(account.id, card_ids[index])
            await answers.keep(
                account.id,
                card,
                Rating(rating),
                elapsed_ms=2000 + 700 * (index % 9),
                options=options,
                leech_threshold=STANDARD.leech_threshold,
                now=reviewed_at,
            )
    return password


async def _make_deck(
    account_id: int, deck: DemoDeck, collection_id: int | None, limits: Limits, now: datetime
) -> list[int]:
    deck_id = await decks.create_deck(
        account_id,
        title=deck.title,
        description=deck.description,
        language=deck.language,
        collection_id=collection_id,
        limits=limits,
        now=now,
    )
    card_ids: list[int] = []
    for start in range(0, len(deck.cards), _CARDS_PER_CALL):
        part = [
            decks.NewCard(
                front=card.front,
                back=card.back,
                front_rich=card.front_rich,
                back_rich=card.back_rich,
                tags=card.tags,
            )
            for card in deck.cards[start : start + _CARDS_PER_CALL]
        ]
        made = await decks.import_cards(account_id, part, deck_id=deck_id, limits=limits, now=now)
        card_ids += made.imported_ids
    return card_ids
