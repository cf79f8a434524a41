"""Keys of media. As everywhere the account leads each primary key and index."""

from piccolo.apps.migrations.auto.migration_manager import MigrationManager

from app.core.db import execute

ID = "2026-12-01T00:00:00:000018"
VERSION = "1.38.0"
DESCRIPTION = "keys of media"

STATEMENTS = (
    "ALTER TABLE media DROP CONSTRAINT media_pkey, ADD PRIMARY KEY (account_id, id), ADD UNIQUE (account_id, digest), "
    "ADD FOREIGN KEY (account_id) REFERENCES account (id) ON DELETE CASCADE",
    # Pictures and sounds are packed already.
    "ALTER TABLE media ALTER COLUMN content SET STORAGE EXTERNAL",
    "ALTER TABLE card_media DROP CONSTRAINT card_media_pkey, ADD PRIMARY KEY (account_id, card_id, side, place), "
    "ADD CHECK (side IN ('front', 'back')), "
    "ADD FOREIGN KEY (account_id, card_id) REFERENCES card (account_id, id) ON DELETE CASCADE, "
    "ADD FOREIGN KEY (account_id, digest) REFERENCES media (account_id, digest) ON DELETE CASCADE",
    "CREATE INDEX card_media_content ON card_media (account_id, digest)",
)


async def forwards() -> MigrationManager:
    manager = MigrationManager(migration_id=ID, app_name="loci", description=DESCRIPTION)

    async def run() -> None:
        for statement in STATEMENTS:
            await execute(statement)

    manager.add_raw(run)
    return manager
