"""Keys, foreign keys, indexes and triggers that Piccolo's columns cannot express.

The account leads every primary key and index, so that a row is found only through its owner and the tables can be
distributed by account. Foreign keys are (account_id, id) pairs: a card cannot point at another account's deck.
"""

from piccolo.apps.migrations.auto.migration_manager import MigrationManager

from app.core.db import execute

ID = "2026-12-01T00:00:00:000002"
VERSION = "1.38.0"
DESCRIPTION = "keys, indexes and triggers"

OWNED = (
    "web_session",
    "password_reset",
    "passkey",
    "access_key",
    "mcp_audit_events",
    "collection",
    "deck",
    "deck_count",
    "card",
    "card_schedule",
    "review",
    "idempotency_key",
)

STATEMENTS = (
    *(
        f"ALTER TABLE {table} DROP CONSTRAINT {table}_pkey, ADD PRIMARY KEY (account_id, id), "
        f"ADD FOREIGN KEY (account_id) REFERENCES account (id) ON DELETE CASCADE"
        for table in OWNED
        if table not in {"deck_count", "card_schedule", "idempotency_key"}
    ),
    # Rows named by what they belong to.
    "ALTER TABLE deck_count DROP CONSTRAINT deck_count_pkey, ADD PRIMARY KEY (account_id, deck_id)",
    "ALTER TABLE card_schedule DROP CONSTRAINT card_schedule_pkey, ADD PRIMARY KEY (account_id, card_id)",
    "ALTER TABLE idempotency_key DROP CONSTRAINT idempotency_key_pkey, ADD PRIMARY KEY (account_id, scope, key), "
    "ADD FOREIGN KEY (account_id) REFERENCES account (id) ON DELETE CASCADE",
    "ALTER TABLE deck ADD FOREIGN KEY (account_id, collection_id) REFERENCES collection (account_id, id)",
    "ALTER TABLE deck_count ADD FOREIGN KEY (account_id, deck_id) REFERENCES deck (account_id, id) ON DELETE CASCADE",
    "ALTER TABLE card ADD FOREIGN KEY (account_id, deck_id) REFERENCES deck (account_id, id) ON DELETE CASCADE",
    "ALTER TABLE card_schedule ADD FOREIGN KEY (account_id, card_id) REFERENCES card (account_id, id) ON DELETE CASCADE",
    "ALTER TABLE review ADD FOREIGN KEY (account_id, card_id) REFERENCES card (account_id, id) ON DELETE CASCADE",
    "ALTER TABLE rate_limit SET UNLOGGED",
    # Accounts
    "CREATE INDEX web_session_account ON web_session (account_id, seen_at)",
    "CREATE INDEX access_key_account ON access_key (account_id, created_at)",
    "CREATE INDEX mcp_audit_events_time ON mcp_audit_events (account_id, created_at, id)",
    # Decks
    "CREATE UNIQUE INDEX collection_title ON collection (account_id, title_key)",
    "CREATE INDEX deck_title ON deck (account_id, title_key) WHERE deleted_at IS NULL",
    "CREATE INDEX deck_deleted ON deck (account_id, deleted_at) WHERE deleted_at IS NOT NULL",
    "CREATE UNIQUE INDEX card_text ON card (account_id, deck_id, card_key) WHERE deleted_at IS NULL",
    "CREATE INDEX card_deck ON card (account_id, deck_id, id)",
    "CREATE INDEX card_deleted ON card (account_id, deleted_at) WHERE deleted_at IS NOT NULL",
    # Substring search by hashed letter pairs (docs/decisions/0006). New entries wait in the pending list, which every
    # query reads too; the worker empties it every few seconds. Without the list an import takes three times as long.
    "CREATE INDEX card_grams ON card USING gin (grams) WHERE deleted_at IS NULL",
    # Schedule: what is due in a deck, from the index alone. A review moves `due`, never a text row.
    "CREATE INDEX card_schedule_due ON card_schedule (account_id, deck_id, due) INCLUDE (state) WHERE live AND state > 0",
    "CREATE INDEX card_schedule_new ON card_schedule (account_id, deck_id, card_id) WHERE live AND state = 0",
    "ALTER TABLE card_schedule SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05)",
    # Study
    "CREATE UNIQUE INDEX review_once ON review (account_id, card_id, rep)",
    "CREATE INDEX review_of_deck ON review (account_id, deck_id, reviewed_at, id)",
    # Jobs
    "CREATE INDEX job_ready ON job (run_at) WHERE failed_at IS NULL",
    # Counts of a deck follow its schedule rows, whoever writes them.
    """
    CREATE FUNCTION deck_count_add() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO deck_count AS d (account_id, deck_id, cards, new_cards)
      SELECT account_id, deck_id, count(*) FILTER (WHERE live), count(*) FILTER (WHERE live AND state = 0)
        FROM added GROUP BY account_id, deck_id ORDER BY account_id, deck_id
      ON CONFLICT (account_id, deck_id)
      DO UPDATE SET cards = d.cards + excluded.cards, new_cards = d.new_cards + excluded.new_cards;
      RETURN NULL;
    END $$
    """,
    """
    CREATE FUNCTION deck_count_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO deck_count AS d (account_id, deck_id, cards, new_cards)
      SELECT account_id, deck_id, sum(cards), sum(fresh) FROM (
        SELECT account_id, deck_id, (live)::int AS cards, (live AND state = 0)::int AS fresh FROM added
        UNION ALL
        SELECT account_id, deck_id, -(live)::int, -(live AND state = 0)::int FROM removed
      ) AS change
      GROUP BY account_id, deck_id HAVING sum(cards) <> 0 OR sum(fresh) <> 0 ORDER BY account_id, deck_id
      ON CONFLICT (account_id, deck_id)
      DO UPDATE SET cards = d.cards + excluded.cards, new_cards = d.new_cards + excluded.new_cards;
      RETURN NULL;
    END $$
    """,
    """
    CREATE FUNCTION deck_count_remove() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE deck_count AS d SET cards = d.cards - gone.cards, new_cards = d.new_cards - gone.fresh
        FROM (SELECT account_id, deck_id, count(*) FILTER (WHERE live) AS cards,
                     count(*) FILTER (WHERE live AND state = 0) AS fresh
                FROM removed GROUP BY account_id, deck_id) AS gone
       WHERE d.account_id = gone.account_id AND d.deck_id = gone.deck_id;
      RETURN NULL;
    END $$
    """,
    "CREATE TRIGGER deck_count_add AFTER INSERT ON card_schedule REFERENCING NEW TABLE AS added "
    "FOR EACH STATEMENT EXECUTE FUNCTION deck_count_add()",
    "CREATE TRIGGER deck_count_change AFTER UPDATE ON card_schedule "
    "REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION deck_count_change()",
    "CREATE TRIGGER deck_count_remove AFTER DELETE ON card_schedule REFERENCING OLD TABLE AS removed "
    "FOR EACH STATEMENT EXECUTE FUNCTION deck_count_remove()",
)


async def forwards() -> MigrationManager:
    manager = MigrationManager(migration_id=ID, app_name="loci", description=DESCRIPTION)

    async def run() -> None:
        for statement in STATEMENTS:
            await execute(statement)

    manager.add_raw(run)
    return manager
