"""Keys and indexes of notes. As everywhere the account leads each primary key and index."""

from piccolo.apps.migrations.auto.migration_manager import MigrationManager

from app.core.db import execute

ID = "2026-12-01T00:00:00:000008"
VERSION = "1.38.0"
DESCRIPTION = "keys of notes"

OF_A_NOTE = "ADD FOREIGN KEY (account_id, note_id) REFERENCES note (account_id, id) ON DELETE CASCADE"

STATEMENTS = (
    "ALTER TABLE note DROP CONSTRAINT note_pkey, ADD PRIMARY KEY (account_id, id), "
    "ADD FOREIGN KEY (account_id) REFERENCES account (id) ON DELETE CASCADE",
    f"ALTER TABLE note_version DROP CONSTRAINT note_version_pkey, ADD PRIMARY KEY (account_id, id), {OF_A_NOTE}, "
    "ADD UNIQUE (account_id, note_id, version)",
    f"ALTER TABLE note_search DROP CONSTRAINT note_search_pkey, ADD PRIMARY KEY (account_id, note_id), {OF_A_NOTE}",
    f"ALTER TABLE note_card DROP CONSTRAINT note_card_pkey, ADD PRIMARY KEY (account_id, card_id), {OF_A_NOTE}, "
    "ADD FOREIGN KEY (account_id, card_id) REFERENCES card (account_id, id) ON DELETE CASCADE",
    "CREATE UNIQUE INDEX note_path ON note (account_id, path_key) WHERE deleted_at IS NULL",
    "CREATE INDEX note_deleted ON note (account_id, deleted_at, id) WHERE deleted_at IS NOT NULL",
    "CREATE INDEX note_card_note ON note_card (account_id, note_id)",
    # As the index of cards (docs/decisions/0006): the account is mixed into each number.
    "CREATE INDEX note_search_grams ON note_search USING gin (grams)",
    # Counting the matches of a common word reads every text: notes of usual length lie in their rows, not packed.
    "ALTER TABLE note_search SET (toast_tuple_target = 8160)",
    "ALTER TABLE note_search ALTER COLUMN search_text SET STORAGE MAIN",
    # Versions come in the order of their times, and the sweep asks for the oldest of all accounts.
    "CREATE INDEX note_version_time ON note_version USING brin (created_at)",
)


async def forwards() -> MigrationManager:
    manager = MigrationManager(migration_id=ID, app_name="loci", description=DESCRIPTION)

    async def run() -> None:
        for statement in STATEMENTS:
            await execute(statement)

    manager.add_raw(run)
    return manager
