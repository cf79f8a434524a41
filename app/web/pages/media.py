"""Pictures and sounds of cards: their contents for their owner alone, and the form that adds and removes them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from litestar import Request, Response, get, post
from litestar.params import FromPath

from app.core import clock
from app.core.db import atomic
from app.decks import queries as decks
from app.decks.rows import lock_writes
from app.domain.errors import N_, AppError, InvalidInput
from app.domain.transfer.bundle import MEDIA_MAX_BYTES, Side
from app.media import queries, service
from app.web.context import HtmlRequest, Me, done, failed, go, web_context
from app.web.forms import Form

_MEGABYTE = 1_048_576
BODY_MAX = 8 * MEDIA_MAX_BYTES
"""Bytes of a form with files."""
_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})")
_HEADERS = {
    # An SVG is a document that could run scripts and load things: here it can do neither.
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    "cache-control": "private, max-age=31536000, immutable",
    "accept-ranges": "bytes",
}


@get("/media/{digest:str}")
async def media_file(request: Request[Any, Any, Any], me: Me, digest: FromPath[str]) -> Response[bytes]:
    """The content of a picture or sound, or the part of it that a player asks for."""
    content = await queries.content(me.account.id, digest)
    tag = f'"{digest}"'
    headers = {**_HEADERS, "etag": tag}
    if tag in request.headers.get("if-none-match", ""):
        return Response(b"", status_code=304, headers=headers)
    size = len(content.data)
    asked = _RANGE.fullmatch(request.headers.get("range", ""))
    if asked is None or request.headers.get("if-range", tag) != tag:
        return Response(content.data, media_type=content.mime, headers=headers)
    part = _part(asked[1], asked[2], size)
    if part is None:
        return Response(b"", status_code=416, headers=headers | {"content-range": f"bytes */{size}"})
    first, last = part
    headers["content-range"] = f"bytes {first}-{last}/{size}"
    return Response(content.data[first : last + 1], status_code=206, media_type=content.mime, headers=headers)


def _part(first: str, last: str, size: int) -> tuple[int, int] | None:
    """The first and last byte of a range (RFC 9110, 14.1.2); None for one that holds nothing."""
    if not first and not last:
        return None
    if not first:
        return (max(size - int(last), 0), size - 1) if int(last) and size else None
    if int(first) >= size:
        return None
    end = min(int(last), size - 1) if last else size - 1
    return (int(first), end) if int(first) <= end else None


@post("/cards/{card_id:int}/media", status_code=303, request_max_body_size=BODY_MAX)
async def change_media(request: HtmlRequest, me: Me, card_id: FromPath[int]) -> Response[Any]:
    """Take the ticked ones off the card and put the chosen files on it: all of it or nothing."""
    card = await decks.card(me.account.id, card_id)
    form = await Form.of(request)
    back = f"/cards/{card.id}/edit{_met_in(form)}"
    try:
        new = await files_of(form)
        removed = {side: [_place(text) for text in form.texts(f"remove_{side}")] for side in Side}
        if not new and not any(removed.values()):
            raise InvalidInput(N_("No file is chosen."), N_("Choose a picture or sound, or tick one to remove."))
        async with atomic():
            await lock_writes(me.account.id)
            for side, places in removed.items():
                await service.remove_from_card(me.account.id, card.id, side, places)
            await add_files(request, me.account.id, card.id, new)
    except AppError as error:
        return go(request, back, failed(error))
    return go(request, back, done(N_("Pictures and sounds are as you chose.")))


def _met_in(form: Form) -> str:
    """That the edit began in a study session, to which saving leads back."""
    origin, session = form.text("origin"), form.text("session")
    return f"?origin=study&session={session}" if origin == "study" and re.fullmatch(r"[0-9]{1,18}", session) else ""


NewFile = tuple[Side, str, bytes]


async def files_of(form: Form) -> list[NewFile]:
    """The files that were chosen for the sides of a card."""
    return [(side, *file) for side in Side for file in await form.files(f"{side.value}_files", MEDIA_MAX_BYTES)]


async def add_files(request: HtmlRequest, account_id: int, card_id: int, files: Sequence[NewFile]) -> None:
    """Put files on a card, in the current unit of work and with the account's lock. Raises as `add_to_card`."""
    if not files:
        return
    room = await service.room_of(account_id, web_context(request).settings.media_mb * _MEGABYTE)
    for side, name, data in files:
        await service.add_to_card(account_id, card_id, side, name, data, room, now=clock.now())


def _place(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,4}", text):
        raise InvalidInput(N_("This is not one of the choices."), field="media")
    return int(text)


HANDLERS = [media_file, change_media]
