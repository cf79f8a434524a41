"""The offer to bring back cards that were deleted a moment ago: which ones, signed into the next page's address."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from app.core.signing import Signer
from app.web.context import HtmlRequest, web_context

_SECONDS = 600
_LENGTH = 4000  # longer addresses are refused here and there; the trash has the cards as well


@lru_cache(maxsize=4)
def _signer(key: bytes) -> Signer:
    return Signer(key, "undo")


def undo_token(request: HtmlRequest, card_ids: Sequence[int]) -> str:
    """What the address of the next page carries; "" for no cards and for too many."""
    if not card_ids:
        return ""
    token = _signer(web_context(request).settings.signing_key()).sign(list(card_ids))
    return token if len(token) <= _LENGTH else ""


def cards_of(request: HtmlRequest, token: str) -> list[int]:
    """The ids that a token names; none when it is old or not ours."""
    if not token:
        return []
    return _signer(web_context(request).settings.signing_key()).read(token, _SECONDS) or []
