"""Pictures and sounds of the card that a session asks."""

from __future__ import annotations

from app.domain.modes import ItemKind
from app.media.queries import MediaView, media_of
from app.study.views import Session


async def files_of_item(account_id: int, session: Session) -> tuple[MediaView, ...]:
    """Those of both sides; whoever shows them keeps back those of an answer that may not be seen yet.

    A board of pairs has none: a card with a side without words is on no board.
    """
    item = session.item
    if item is None or item.kind is ItemKind.MATCHING:
        return ()
    return (await media_of(account_id, [item.card.id])).get(item.card.id, ())
