from piccolo.apps.migrations.auto.migration_manager import MigrationManager

ID = "2026-12-01T00:00:00:000022"
VERSION = "1.38.0"
DESCRIPTION = "checkout url"


async def forwards():
    manager = MigrationManager(
        migration_id=ID, app_name="loci", description=DESCRIPTION
    )

    manager.drop_column(
        table_class_name="BillingCheckout",
        tablename="billing_checkout",
        column_name="url",
        db_column_name="url",
        schema=None,
    )

    return manager
