"""Counts of the folders of notes follow the notes, whoever writes them: a list of folders reads hundreds of rows, not all."""

from piccolo.apps.migrations.auto.migration_manager import MigrationManager

from app.core.db import execute

ID = "2026-12-01T00:00:00:000020"
VERSION = "1.38.0"
DESCRIPTION = "counts of note folders"

KEY = "sha256(convert_to(folder, 'UTF8'))"


def function(name: str, changes: str) -> str:
    """A trigger function that adds `changes` (account_id, folder, notes) to the counts and drops those that reach zero."""
    return f"""
    CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO note_folder AS f (account_id, folder_key, folder, notes)
      SELECT account_id, {KEY}, folder, sum(notes) FROM ({changes}) AS change
       GROUP BY account_id, folder HAVING sum(notes) <> 0 ORDER BY account_id, 2
      ON CONFLICT (account_id, folder_key) DO UPDATE SET notes = f.notes + excluded.notes;
      DELETE FROM note_folder AS f USING (SELECT DISTINCT account_id, folder FROM ({changes}) AS change WHERE notes < 0) AS gone
       WHERE f.account_id = gone.account_id AND f.folder_key = {KEY.replace("folder,", "gone.folder,")} AND f.notes = 0;
      RETURN NULL;
    END $$
    """


ADDED = "SELECT account_id, folder, 1 AS notes FROM added WHERE deleted_at IS NULL"
REMOVED = "SELECT account_id, folder, -1 AS notes FROM removed WHERE deleted_at IS NULL"

STATEMENTS = (
    "ALTER TABLE note_folder DROP CONSTRAINT note_folder_pkey, ADD PRIMARY KEY (account_id, folder_key), "
    "ADD FOREIGN KEY (account_id) REFERENCES account (id) ON DELETE CASCADE",
    function("note_folder_add", ADDED),
    function("note_folder_change", f"{ADDED} UNION ALL {REMOVED}"),
    # Not `function`: notes that go with their account find the counts gone, and must not bring them back.
    f"""
    CREATE FUNCTION note_folder_remove() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE note_folder AS f SET notes = f.notes - gone.notes
        FROM (SELECT account_id, folder, count(*) AS notes FROM removed WHERE deleted_at IS NULL GROUP BY account_id, folder)
             AS gone
       WHERE f.account_id = gone.account_id AND f.folder_key = {KEY.replace("folder,", "gone.folder,")};
      DELETE FROM note_folder AS f USING removed
       WHERE f.account_id = removed.account_id AND f.folder_key = {KEY.replace("folder,", "removed.folder,")} AND f.notes = 0;
      RETURN NULL;
    END $$
    """,
    # The notes of a few folders; a collision of the hash costs a comparison.
    "CREATE INDEX note_in_folder ON note (account_id, hashtextextended(folder, 0)) WHERE deleted_at IS NULL",
    "CREATE TRIGGER note_folder_add AFTER INSERT ON note REFERENCING NEW TABLE AS added "
    "FOR EACH STATEMENT EXECUTE FUNCTION note_folder_add()",
    "CREATE TRIGGER note_folder_change AFTER UPDATE ON note REFERENCING OLD TABLE AS removed NEW TABLE AS added "
    "FOR EACH STATEMENT EXECUTE FUNCTION note_folder_change()",
    "CREATE TRIGGER note_folder_remove AFTER DELETE ON note REFERENCING OLD TABLE AS removed "
    "FOR EACH STATEMENT EXECUTE FUNCTION note_folder_remove()",
    f"INSERT INTO note_folder (account_id, folder_key, folder, notes) SELECT account_id, {KEY}, folder, count(*) FROM note "
    "WHERE deleted_at IS NULL GROUP BY account_id, folder",
)


async def forwards() -> MigrationManager:
    manager = MigrationManager(migration_id=ID, app_name="loci", description=DESCRIPTION)

    async def run() -> None:
        for statement in STATEMENTS:
            await execute(statement)

    manager.add_raw(run)
    return manager
