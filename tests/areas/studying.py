"""Sessions as tests take them."""

from __future__ import annotations

from datetime import datetime

from app.accounts.views import AccountView
from app.core import db
from app.domain.calendar import StudyClock
from app.domain.scheduling import Rating
from app.study import sessions, starting
from app.study.starting import Wish
from app.study.views import Kept, Session
from tests.areas.deck_makers import make_card, make_deck
from tests.factories import NOW

CLOCK = StudyClock("UTC", 4)


async def begin(account: AccountView, now: datetime = NOW, **wish: object) -> Session:
    return await starting.start(account.id, Wish(**wish), clock=CLOCK, now=now)  # type: ignore[arg-type]


async def keep(
    account: AccountView, session: Session, rating: Rating | None = None, now: datetime = NOW, **more: object
) -> tuple[Kept, Session]:
    assert session.item is not None
    return await sessions.keep(account.id, session.id, session.item.id, rating, clock=CLOCK, now=now, **more)  # type: ignore[arg-type]


async def submit(account: AccountView, session: Session, given: object, now: datetime = NOW) -> Session:
    assert session.item is not None
    return await sessions.submit(account.id, session.id, session.item.id, given, clock=CLOCK, now=now)  # type: ignore[arg-type]


async def reviews() -> int:
    return int(await db.fetch_value("SELECT count(*) FROM review"))


async def words(account: AccountView, count: int = 12) -> tuple[int, list[int]]:
    deck_id, _ = await make_deck(account.id)
    pairs = [("France", "Paris"), ("Spain", "Madrid"), ("Italy", "Rome"), ("Japan", "Tokyo"), ("Peru", "Lima"),
             ("Kenya", "Nairobi"), ("Egypt", "Cairo"), ("Norway", "Oslo"), ("Chile", "Santiago"), ("Cuba", "Havana"),
             ("Ghana", "Accra"), ("Austria", "Vienna")]  # fmt: skip
    return deck_id, [await make_card(account.id, deck_id, front, back) for front, back in pairs[:count]]
