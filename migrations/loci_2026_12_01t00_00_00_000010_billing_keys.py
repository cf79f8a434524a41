"""Keys, indexes and the trigger of entitlements and billing.

As everywhere the account leads each primary key and index; a customer is found by its name at Stripe through a hash
index, before its account is known. Whatever erases an account erases its customer row, and that leaves a job behind
which ends the subscriptions at Stripe: no way of deleting an account can forget them.
"""

from piccolo.apps.migrations.auto.migration_manager import MigrationManager

from app.core.db import execute

ID = "2026-12-01T00:00:00:000010"
VERSION = "1.38.0"
DESCRIPTION = "keys of billing"

OF_A_CUSTOMER = ("billing_subscription", "billing_checkout")

STATEMENTS = (
    "ALTER TABLE entitlement DROP CONSTRAINT entitlement_pkey, ADD PRIMARY KEY (account_id, source), "
    "ADD FOREIGN KEY (account_id) REFERENCES account (id) ON DELETE CASCADE",
    "CREATE INDEX entitlement_until ON entitlement (account_id, until) WHERE until IS NOT NULL",
    # Until now the column of the account was all there was, and only the operator wrote it.
    "INSERT INTO entitlement (account_id, source, plan, given_at) "
    "SELECT id, 'operator', plan, created_at FROM account WHERE plan <> 'free'",
    "ALTER TABLE billing_customer DROP CONSTRAINT billing_customer_pkey, ADD PRIMARY KEY (account_id, id), "
    "ADD UNIQUE (account_id, livemode), "
    "ADD FOREIGN KEY (account_id) REFERENCES account (id) ON DELETE CASCADE",
    "CREATE INDEX billing_customer_stripe_id ON billing_customer USING hash (stripe_id)",
    *(
        f"ALTER TABLE {table} DROP CONSTRAINT {table}_pkey, ADD PRIMARY KEY (account_id, id), "
        "ADD FOREIGN KEY (account_id, customer_id) REFERENCES billing_customer (account_id, id) ON DELETE CASCADE"
        for table in OF_A_CUSTOMER
    ),
    "ALTER TABLE billing_subscription ADD UNIQUE (account_id, stripe_id)",
    """
    CREATE FUNCTION close_billing_customer() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO job (kind, payload, run_at, attempts, created_at)
      VALUES (
        'billing_close', jsonb_build_object('customer', old.stripe_id, 'livemode', old.livemode), now(), 0, now()
      );
      RETURN old;
    END $$
    """,
    "CREATE TRIGGER billing_customer_closes AFTER DELETE ON billing_customer FOR EACH ROW "
    "WHEN (old.stripe_id IS NOT NULL) EXECUTE FUNCTION close_billing_customer()",
)


async def forwards() -> MigrationManager:
    manager = MigrationManager(migration_id=ID, app_name="loci", description=DESCRIPTION)

    async def run() -> None:
        for statement in STATEMENTS:
            await execute(statement)

    manager.add_raw(run)
    return manager
