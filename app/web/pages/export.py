"""Downloads: the whole account as JSON, one deck as CSV."""

from __future__ import annotations

from litestar import get
from litestar.params import FromPath
from litestar.response import Stream

from app.core import clock
from app.decks import queries
from app.transfer.export import cards_csv, document
from app.web.context import Me
from app.web.person import study_clock


def _attachment(name: str) -> dict[str, str]:
    return {"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"}


@get("/account/export")
async def export_account(me: Me) -> Stream:
    """Everything in the account."""
    return Stream(
        document(me.account.id, now=clock.now()), media_type="application/json", headers=_attachment("loci.json")
    )


@get("/decks/{deck_id:int}/export")
async def export_deck(me: Me, deck_id: FromPath[int]) -> Stream:
    """The live cards of a deck."""
    deck = await queries.deck(me.account.id, deck_id, clock=study_clock(me), now=clock.now())
    return Stream(
        cards_csv(me.account.id, deck.id),
        media_type="text/csv",
        headers=_attachment(f"loci-deck-{deck.id}.csv"),
    )


HANDLERS = [export_account, export_deck]
