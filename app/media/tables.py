"""Rows of the media area."""

from __future__ import annotations

from piccolo.columns import BigInt, BigSerial, Bytea, Integer, SmallInt, Text, Timestamptz
from piccolo.table import Table

from app.core.db import DB


class Media(Table, tablename="media", db=DB):
    """The content of a picture or sound, once in an account however many cards use it."""

    id = BigSerial(primary_key=True)
    account_id = BigInt()
    digest = Bytea(help_text="SHA-256 of the content")
    mime = Text(help_text="By its first bytes")
    size_bytes = Integer()
    width = SmallInt(null=True, default=None, help_text="CSS pixels of a picture whose header says so")
    height = SmallInt(null=True, default=None)
    content = Bytea()
    created_at = Timestamptz()


class CardMedia(Table, tablename="card_media", db=DB):
    """That a side of a card shows or plays a content."""

    account_id = BigInt()
    card_id = BigInt(primary_key=True)
    side = Text(help_text="front or back")
    place = SmallInt(help_text="Order on the side, from 0")
    digest = Bytea()
    name = Text(help_text="The file's name where it came from")
