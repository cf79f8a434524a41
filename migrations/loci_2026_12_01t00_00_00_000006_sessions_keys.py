"""Keys and indexes of study sessions; siblings of a card, and what of it is active, in counts and indexes."""

from __future__ import annotations

from piccolo.apps.migrations.auto.migration_manager import MigrationManager

from app.core.db import execute

ID = "2026-12-01T00:00:00:000006"
VERSION = "1.38.0"
DESCRIPTION = "Keys of study sessions"

STATEMENTS = (
    # A card may have several questions.
    "ALTER TABLE card_schedule DROP CONSTRAINT card_schedule_pkey, ADD PRIMARY KEY (account_id, card_id, ordinal), "
    "ADD COLUMN active boolean NOT NULL GENERATED ALWAYS AS (live AND NOT gone AND NOT suspended) STORED",
    "DROP INDEX review_once",
    "CREATE UNIQUE INDEX review_once ON review (account_id, card_id, ordinal, rep)",
    # What may be asked. A review moves `due`, never a text row.
    "DROP INDEX card_schedule_due, card_schedule_new",
    "CREATE INDEX card_schedule_due ON card_schedule (account_id, deck_id, due) INCLUDE (state, buried_until) "
    "WHERE active AND state > 0",
    "CREATE INDEX card_schedule_new ON card_schedule (account_id, deck_id, card_id, ordinal) "
    "WHERE active AND state = 0",
    "CREATE INDEX card_schedule_buried ON card_schedule (account_id, deck_id, buried_until) "
    "WHERE buried_until IS NOT NULL",
    # Cards are counted once, their questions one by one.
    """
    CREATE OR REPLACE FUNCTION deck_count_add() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO deck_count AS d (account_id, deck_id, cards, new_cards)
      SELECT account_id, deck_id, count(*) FILTER (WHERE live AND lead), count(*) FILTER (WHERE active AND state = 0)
        FROM added GROUP BY account_id, deck_id ORDER BY account_id, deck_id
      ON CONFLICT (account_id, deck_id)
      DO UPDATE SET cards = d.cards + excluded.cards, new_cards = d.new_cards + excluded.new_cards;
      RETURN NULL;
    END $$
    """,
    """
    CREATE OR REPLACE FUNCTION deck_count_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO deck_count AS d (account_id, deck_id, cards, new_cards)
      SELECT account_id, deck_id, sum(cards), sum(fresh) FROM (
        SELECT account_id, deck_id, (live AND lead)::int AS cards, (active AND state = 0)::int AS fresh FROM added
        UNION ALL
        SELECT account_id, deck_id, -(live AND lead)::int, -(active AND state = 0)::int FROM removed
      ) AS change
      GROUP BY account_id, deck_id HAVING sum(cards) <> 0 OR sum(fresh) <> 0 ORDER BY account_id, deck_id
      ON CONFLICT (account_id, deck_id)
      DO UPDATE SET cards = d.cards + excluded.cards, new_cards = d.new_cards + excluded.new_cards;
      RETURN NULL;
    END $$
    """,
    """
    CREATE OR REPLACE FUNCTION deck_count_remove() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE deck_count AS d SET cards = d.cards - taken.cards, new_cards = d.new_cards - taken.fresh
        FROM (SELECT account_id, deck_id, count(*) FILTER (WHERE live AND lead) AS cards,
                     count(*) FILTER (WHERE active AND state = 0) AS fresh
                FROM removed GROUP BY account_id, deck_id) AS taken
       WHERE d.account_id = taken.account_id AND d.deck_id = taken.deck_id;
      RETURN NULL;
    END $$
    """,
    # Sessions
    "ALTER TABLE study_session DROP CONSTRAINT study_session_pkey, ADD PRIMARY KEY (account_id, id), "
    "ADD FOREIGN KEY (account_id) REFERENCES account (id) ON DELETE CASCADE, "
    "ADD FOREIGN KEY (account_id, deck_id) REFERENCES deck (account_id, id) ON DELETE CASCADE",
    "ALTER TABLE study_item DROP CONSTRAINT study_item_pkey, ADD PRIMARY KEY (account_id, id), "
    "ADD FOREIGN KEY (account_id) REFERENCES account (id) ON DELETE CASCADE, "
    "ADD FOREIGN KEY (account_id, session_id) REFERENCES study_session (account_id, id) ON DELETE CASCADE, "
    "ADD FOREIGN KEY (account_id, card_id) REFERENCES card (account_id, id) ON DELETE CASCADE",
    "CREATE INDEX study_session_open ON study_session (account_id, created_at) WHERE finished_at IS NULL",
    "CREATE INDEX study_item_of_session ON study_item (account_id, session_id, place)",
    "CREATE INDEX study_item_of_card ON study_item (account_id, card_id)",
    "CREATE UNIQUE INDEX study_item_review_key ON study_item (account_id, session_id, review_key) "
    "WHERE review_key IS NOT NULL",
)


async def forwards() -> MigrationManager:
    manager = MigrationManager(migration_id=ID, app_name="loci", description=DESCRIPTION)

    async def run() -> None:
        for statement in STATEMENTS:
            await execute(statement)

    manager.add_raw(run)
    return manager
