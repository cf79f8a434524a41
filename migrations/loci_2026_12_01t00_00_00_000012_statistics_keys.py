"""The log of answers knows the phase of its cards; answers by quarter of an hour follow it by trigger."""

from __future__ import annotations

from piccolo.apps.migrations.auto.migration_manager import MigrationManager

from app.core.db import execute

ID = "2026-12-01T00:00:00:000012"
VERSION = "1.38.0"
DESCRIPTION = "keys of statistics"

# The interval before an answer is that of the answer before, found by its time. A card that came with a schedule and
# without a log has none; then its due day tells, which starts a study day.
LAST_INTERVAL = """
coalesce((SELECT earlier.interval_days FROM review AS earlier
           WHERE earlier.account_id = {row}.account_id AND earlier.card_id = {row}.card_id
             AND earlier.ordinal = {row}.ordinal
             AND earlier.reviewed_at = ({row}.before->>'last_review')::timestamptz
           ORDER BY earlier.id DESC LIMIT 1),
         CASE WHEN {row}.state_before = 2 THEN greatest(1, ceil(extract(epoch FROM
           ({row}.before->>'due')::timestamptz - ({row}.before->>'last_review')::timestamptz) / 86400)) END)
"""

# Sums by quarter and phase over rows of the log; `sign` is 1 for what came and -1 for what went.
SUMS = """
SELECT account_id, date_bin('15 minutes', reviewed_at, '2000-01-01 00:00:00+00') AS quarter, phase,
       coalesce(sum(sign) FILTER (WHERE rating = 1), 0) AS again,
       coalesce(sum(sign) FILTER (WHERE rating = 2), 0) AS hard,
       coalesce(sum(sign) FILTER (WHERE rating = 3), 0) AS good,
       coalesce(sum(sign) FILTER (WHERE rating = 4), 0) AS easy,
       coalesce(sum(sign * least(greatest(elapsed_ms, 0), 60000)), 0) AS elapsed_ms,
       coalesce(sum(sign) FILTER (WHERE elapsed_ms IS NOT NULL), 0) AS timed
  FROM ({rows}) AS answers GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
"""
ROWS = "SELECT account_id, reviewed_at, phase, rating, elapsed_ms, {sign} AS sign FROM {table}"
ADDED, REMOVED = ROWS.format(sign=1, table="added"), ROWS.format(sign=-1, table="removed")
COUNTED = ("again", "hard", "good", "easy", "elapsed_ms", "timed")
SUMMED = ", ".join(f"{name} = c.{name} + change.{name}" for name in COUNTED)


def counted(rows: str) -> str:
    """Add the rows to the counts."""
    merged = SUMMED.replace("change.", "excluded.")
    return (
        f"INSERT INTO answer_count AS c (account_id, quarter, phase, {', '.join(COUNTED)}) {SUMS.format(rows=rows)} "
        f"ON CONFLICT (account_id, quarter, phase) DO UPDATE SET {merged}"
    )


# An update, because with an account its counts go too, and none may come back.
TAKEN_AWAY = (
    f"UPDATE answer_count AS c SET {SUMMED} FROM ({SUMS.format(rows=REMOVED)}) AS change "
    "WHERE c.account_id = change.account_id AND c.quarter = change.quarter AND c.phase = change.phase"
)


def followed(event: str, tables: str, statement: str) -> tuple[str, str]:
    """Run a statement over the rows that an event touched."""
    name = f"answer_count_{event.lower()}"
    return (
        f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {statement}; RETURN NULL; END $$",
        f"CREATE TRIGGER {name} AFTER {event} ON review REFERENCING {tables} "
        f"FOR EACH STATEMENT EXECUTE FUNCTION {name}()",
    )


STATEMENTS = (
    f"UPDATE review SET last_interval_days = {LAST_INTERVAL.format(row='review')} WHERE rep > 0",
    # app.domain.statistics.Phase
    "ALTER TABLE review ADD COLUMN phase smallint NOT NULL GENERATED ALWAYS AS (CASE "
    "WHEN state_before = 2 THEN CASE WHEN last_interval_days >= 21 THEN 4 ELSE 3 END "
    "WHEN last_interval_days >= 21 THEN 2 WHEN last_interval_days >= 1 THEN 1 ELSE 0 END) STORED",
    "CREATE FUNCTION review_last_interval() RETURNS trigger LANGUAGE plpgsql AS $$ "
    f"BEGIN NEW.last_interval_days := {LAST_INTERVAL.format(row='NEW')}; RETURN NEW; END $$",
    "CREATE TRIGGER review_last_interval BEFORE INSERT ON review FOR EACH ROW "
    "WHEN (NEW.last_interval_days IS NULL AND NEW.rep > 0) EXECUTE FUNCTION review_last_interval()",
    "ALTER TABLE answer_count DROP CONSTRAINT answer_count_pkey, ADD PRIMARY KEY (account_id, quarter, phase), "
    "ADD FOREIGN KEY (account_id) REFERENCES account (id) ON DELETE CASCADE",
    counted(ROWS.format(sign=1, table="review")),
    *followed("INSERT", "NEW TABLE AS added", counted(ADDED)),
    *followed("UPDATE", "OLD TABLE AS removed NEW TABLE AS added", counted(f"{ADDED} UNION ALL {REMOVED}")),
    *followed("DELETE", "OLD TABLE AS removed", TAKEN_AWAY),
    # Which cards were forgotten lately: a tenth of the log.
    "CREATE INDEX review_again ON review (account_id, reviewed_at) INCLUDE (card_id, deck_id) WHERE rating = 1",
)


async def forwards() -> MigrationManager:
    manager = MigrationManager(migration_id=ID, app_name="loci", description=DESCRIPTION)

    async def run() -> None:
        for statement in STATEMENTS:
            await execute(statement)

    manager.add_raw(run)
    return manager
