"""Keys and indexes of imports. As everywhere the account leads each primary key and index."""

from piccolo.apps.migrations.auto.migration_manager import MigrationManager

from app.core.db import execute

ID = "2026-12-01T00:00:00:000016"
VERSION = "1.38.0"
DESCRIPTION = "keys of imports"

STATEMENTS = (
    "ALTER TABLE import_job DROP CONSTRAINT import_job_pkey, ADD PRIMARY KEY (account_id, id), "
    "ADD FOREIGN KEY (account_id) REFERENCES account (id) ON DELETE CASCADE",
    "ALTER TABLE import_piece DROP CONSTRAINT import_piece_pkey, ADD PRIMARY KEY (account_id, import_id, place), "
    "ADD FOREIGN KEY (account_id, import_id) REFERENCES import_job (account_id, id) ON DELETE CASCADE",
    # Files are packed already.
    "ALTER TABLE import_piece ALTER COLUMN data SET STORAGE EXTERNAL",
    "ALTER TABLE card_origin DROP CONSTRAINT card_origin_pkey, ADD PRIMARY KEY (account_id, card_id), "
    "ADD FOREIGN KEY (account_id, card_id) REFERENCES card (account_id, id) ON DELETE CASCADE, "
    "ADD FOREIGN KEY (account_id, import_id) REFERENCES import_job (account_id, id) ON DELETE SET NULL (import_id)",
    "CREATE INDEX card_origin_guid ON card_origin (account_id, guid, template) WHERE guid IS NOT NULL",
    "CREATE INDEX card_origin_import ON card_origin (account_id, import_id) WHERE import_id IS NOT NULL",
)


async def forwards() -> MigrationManager:
    manager = MigrationManager(migration_id=ID, app_name="loci", description=DESCRIPTION)

    async def run() -> None:
        for statement in STATEMENTS:
            await execute(statement)

    manager.add_raw(run)
    return manager
