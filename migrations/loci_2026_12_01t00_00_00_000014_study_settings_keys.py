"""Keys of the study settings, and the ranges that the scheduler can follow: whoever writes, no study page meets others."""

from piccolo.apps.migrations.auto.migration_manager import MigrationManager

from app.core.db import execute

ID = "2026-12-01T00:00:00:000014"
VERSION = "1.38.0"
DESCRIPTION = "keys of the study settings"

RANGES = (
    "ADD CHECK (desired_retention BETWEEN 0.7 AND 0.97), "
    "ADD CHECK (maximum_interval_days BETWEEN 1 AND 36500), "
    "ADD CHECK (new_per_day BETWEEN 0 AND 9999), "
    "ADD CHECK (reviews_per_day BETWEEN 0 AND 9999), "
    "ADD CHECK (leech_threshold BETWEEN 2 AND 99)"
)

STATEMENTS = (
    "ALTER TABLE study_settings ADD FOREIGN KEY (account_id) REFERENCES account (id) ON DELETE CASCADE, "
    "ADD CHECK (cardinality(parameters) = 21), ADD CHECK (cardinality(proposed_parameters) = 21), "
    "ADD CHECK (fit_outcome IN ('fitted', 'too_few', 'no_better', 'failed'))",
    f"ALTER TABLE study_settings {RANGES}",
    "ALTER TABLE deck_settings DROP CONSTRAINT deck_settings_pkey, ADD PRIMARY KEY (account_id, deck_id), "
    "ADD FOREIGN KEY (account_id, deck_id) REFERENCES deck (account_id, id) ON DELETE CASCADE",
    f"ALTER TABLE deck_settings {RANGES}",
)


async def forwards() -> MigrationManager:
    manager = MigrationManager(migration_id=ID, app_name="loci", description=DESCRIPTION)

    async def run() -> None:
        for statement in STATEMENTS:
            await execute(statement)

    manager.add_raw(run)
    return manager
