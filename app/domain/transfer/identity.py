"""The GUIDs of our own exports: by them a card is found when its file comes back to the account that it left."""

from __future__ import annotations

import base64
import hashlib
import re
from datetime import datetime
from typing import Final

_FORM: Final = re.compile(r"Lc-([A-Za-z0-9_-]{11})-([0-9]{1,19})")


def identity_of(account_id: int, created_at: datetime) -> str:
    """Eleven characters that are an account's own: the same on each export, others on another server."""
    known = f"{account_id} {created_at.isoformat()}".encode()
    return base64.urlsafe_b64encode(hashlib.blake2b(known, digest_size=8).digest()).decode().rstrip("=")


def guid_of(identity: str, card_id: int) -> str:
    """The GUID of an account's card."""
    return f"Lc-{identity}-{card_id}"


def card_of(guid: str, identity: str) -> int | None:
    """The id of the account's card that a GUID names; None for a GUID of anything else."""
    form = _FORM.fullmatch(guid)
    return int(form[2]) if form and form[1] == identity else None
