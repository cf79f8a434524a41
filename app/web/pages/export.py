"""Downloads: the whole account as zip, JSON or Anki package; one deck as table, JSON or Anki package."""

from __future__ import annotations

from litestar import get
from litestar.params import FromPath, FromQuery
from litestar.response import Stream

from app.core import clock
from app.decks import queries
from app.transfer.account_zip import account_zip
from app.transfer.export import cards_csv, document
from app.transfer.packing import anki_package
from app.web.context import Me
from app.web.person import study_clock

_APKG = "application/octet-stream"


def _attachment(name: str) -> dict[str, str]:
    return {"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"}


@get("/account/export")
async def export_account(me: Me) -> Stream:
    """Everything in the account."""
    return Stream(
        document(me.account.id, now=clock.now()), media_type="application/json", headers=_attachment("loci.json")
    )


@get("/account/export.zip")
async def export_zip(me: Me) -> Stream:
    """Everything in the account with its pictures, sounds and notes; what another account imports."""
    return Stream(
        account_zip(me.account.id, now=clock.now()),
        media_type="application/zip",
        headers=_attachment("loci-export.zip"),
    )


@get("/account/export.apkg")
async def export_anki(me: Me) -> Stream:
    """All live decks as an Anki package."""
    pieces = anki_package(me.account.id, now=clock.now())
    return Stream(pieces, media_type=_APKG, headers=_attachment("loci.apkg"))


@get("/decks/{deck_id:int}/export")
async def export_deck(me: Me, deck_id: FromPath[int], format: FromQuery[str] = "csv") -> Stream:
    """The live cards of a deck: `csv`, `json` (lossless) or `apkg`."""
    deck = await queries.deck(me.account.id, deck_id, clock=study_clock(me), now=clock.now())
    name = f"loci-deck-{deck.id}"
    if format == "apkg":
        pieces = anki_package(me.account.id, deck_id=deck.id, now=clock.now())
        return Stream(pieces, media_type=_APKG, headers=_attachment(f"{name}.apkg"))
    if format == "json":
        text = document(me.account.id, deck_id=deck.id, now=clock.now())
        return Stream(text, media_type="application/json", headers=_attachment(f"{name}.json"))
    return Stream(cards_csv(me.account.id, deck.id), media_type="text/csv", headers=_attachment(f"{name}.csv"))


HANDLERS = [export_account, export_zip, export_anki, export_deck]
