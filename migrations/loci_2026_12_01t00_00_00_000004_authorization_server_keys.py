"""Keys and indexes of the authorization server.

As everywhere the account leads each primary key and index; a code or a token is found by its hash, before its account
is known. Disconnecting a client is erasing its connection: codes and tokens go with it.
"""

from piccolo.apps.migrations.auto.migration_manager import MigrationManager

from app.core.db import execute

ID = "2026-12-01T00:00:00:000004"
VERSION = "1.38.0"
DESCRIPTION = "keys of the authorization server"

OF_A_CONNECTION = ("oauth_authorization_code", "oauth_access_token", "oauth_refresh_token")

STATEMENTS = (
    "ALTER TABLE oauth_connection DROP CONSTRAINT oauth_connection_pkey, ADD PRIMARY KEY (account_id, id), "
    "ADD UNIQUE (account_id, client), "
    "ADD FOREIGN KEY (account_id) REFERENCES account (id) ON DELETE CASCADE, "
    "ADD FOREIGN KEY (client) REFERENCES oauth_client (id)",
    *(
        f"ALTER TABLE {table} DROP CONSTRAINT {table}_pkey, ADD PRIMARY KEY (account_id, id), "
        "ADD FOREIGN KEY (account_id, connection_id) REFERENCES oauth_connection (account_id, id) ON DELETE CASCADE"
        for table in OF_A_CONNECTION
    ),
    *(f"CREATE INDEX {table}_family ON {table} (account_id, connection_id, family)" for table in OF_A_CONNECTION),
    # The sweep of clients asks whose connections a client has, whatever the account.
    "CREATE INDEX oauth_connection_client ON oauth_connection USING hash (client)",
    "CREATE INDEX oauth_client_unused ON oauth_client (created_at) WHERE used_at IS NULL",
)


async def forwards() -> MigrationManager:
    manager = MigrationManager(migration_id=ID, app_name="loci", description=DESCRIPTION)

    async def run() -> None:
        for statement in STATEMENTS:
            await execute(statement)

    manager.add_raw(run)
    return manager
