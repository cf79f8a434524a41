"""Rows of the transfer area: uploads on their way in, and where cards came from."""

from __future__ import annotations

from piccolo.columns import JSONB, BigInt, BigSerial, Bytea, Integer, SmallInt, Text, Timestamptz
from piccolo.table import Table

from app.core.db import DB


class ImportJob(Table, tablename="import_job", db=DB):
    """A file that a person brought, from its upload to its report."""

    id = BigSerial(primary_key=True)
    account_id = BigInt()
    name = Text(help_text="As the file was called")
    size_bytes = BigInt()
    state = Text(help_text="uploading, reading, ready, importing, done, failed, cancelled or undone")
    choices = JSONB(null=True, default=None, help_text="What the person chose")
    preview = JSONB(null=True, default=None)
    result = JSONB(null=True, default=None, help_text="Counts so far, and the rows that were not taken")
    failure = JSONB(null=True, default=None, help_text="Message id, hint and parameters")
    progress = Integer(default=0, help_text="Cards of the file that have been dealt with")
    made_decks = JSONB(default="[]", help_text="Ids of the decks that it made")
    created_at = Timestamptz()
    changed_at = Timestamptz()


class ImportPiece(Table, tablename="import_piece", db=DB):
    """A piece of an upload: whichever process reads it puts the file together."""

    account_id = BigInt()
    import_id = BigInt(primary_key=True)
    place = Integer()
    data = Bytea()


class CardOrigin(Table, tablename="card_origin", db=DB):
    """That a card came in with a file, and what the file called it: a file that comes again finds its cards."""

    account_id = BigInt()
    card_id = BigInt(primary_key=True)
    guid = Text(null=True, default=None, help_text="The file's identity of the note")
    template = SmallInt(default=0, help_text="Which card of the note")
    import_id = BigInt(null=True, default=None)
