"""What a signed-in person's account means for a request: their study days, their limits."""

from __future__ import annotations

from app.accounts.views import SignedIn
from app.core.settings import Settings
from app.decks.limits import Limits
from app.domain.calendar import StudyClock
from app.domain.plans import limits_for


def study_clock(me: SignedIn) -> StudyClock:
    """The person's study days."""
    return StudyClock(me.account.zone, me.account.rollover_hour)


def limits_of(me: SignedIn, settings: Settings) -> Limits:
    """What the person's account may hold."""
    return Limits(limits_for(me.account.plan, settings.plan_figures, plans_on=settings.plans), settings.deck_card_cap)
