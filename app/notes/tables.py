"""Rows of the notes area.

What a list needs is apart from the text, and the text apart from what a search looks at: lists and counts read narrow
rows. The primary keys are (account_id, id), see the migrations.
"""

from __future__ import annotations

from piccolo.columns import Array, BigInt, BigSerial, Boolean, Bytea, Integer, Text, Timestamptz
from piccolo.table import Table

from app.core.db import DB


class Note(Table, tablename="note", db=DB):
    """A note as it is now; deleted softly. Its text is that of its last version."""

    id = BigSerial(primary_key=True)
    account_id = BigInt()
    path = Text()
    path_key = Bytea(help_text="Digest of the path; unique among the live notes of an account")
    folder = Text(help_text="The path without its last part")
    tags = Array(base_column=Text())
    version = Integer(default=1)
    size_bytes = Integer()
    created_at = Timestamptz()
    updated_at = Timestamptz()
    deleted_at = Timestamptz(null=True, default=None)


class NoteFolder(Table, tablename="note_folder", db=DB):
    """How many live notes lie directly in a folder; kept by a trigger on note. A folder without notes has no row."""

    account_id = BigInt()
    folder_key = Bytea(primary_key=True, help_text="SHA-256 of the path: a path may be longer than an index takes")
    folder = Text()
    notes = Integer()


class NoteVersion(Table, tablename="note_version", db=DB):
    """What a note was from one change to the next, and who made it so."""

    id = BigSerial(primary_key=True)
    account_id = BigInt()
    note_id = BigInt()
    version = Integer(help_text="1, 2, … for a note")
    path = Text()
    frontmatter = Text(help_text="JSON, keys in their order")
    body = Text()
    size_bytes = Integer()
    deleted = Boolean(default=False, help_text="The change was a deletion; such a version has no text")
    author_kind = Text(help_text="browser, key or oauth")
    author_name = Text(help_text="Name of the connected client; empty for the browser")
    created_at = Timestamptz()


class NoteSearch(Table, tablename="note_search", db=DB):
    """What a search looks at; only live notes have a row."""

    account_id = BigInt()
    note_id = BigInt(primary_key=True)
    search_text = Text(help_text="Folded title, frontmatter tags and body")
    grams = Array(base_column=Integer(), help_text="Hashed letter pairs of search_text")
    updated_at = Timestamptz(help_text="That of the note: ranking needs it of every note that matches")


class NoteCard(Table, tablename="note_card", db=DB):
    """Where in a note a card came from."""

    account_id = BigInt()
    card_id = BigInt(primary_key=True)
    note_id = BigInt()
    heading = Text(help_text="The heading above the lines it was made of; may be empty")
    source = Text(help_text="Those lines")
    to_review = Boolean(default=False, help_text="The lines are no longer in the note as they were")
