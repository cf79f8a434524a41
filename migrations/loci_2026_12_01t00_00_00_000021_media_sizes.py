from piccolo.apps.migrations.auto.migration_manager import MigrationManager
from piccolo.columns.column_types import SmallInt
from piccolo.columns.indexes import IndexMethod

ID = "2026-12-01T00:00:00:000021"
VERSION = "1.38.0"
DESCRIPTION = "media sizes"


async def forwards():
    manager = MigrationManager(migration_id=ID, app_name="loci", description=DESCRIPTION)

    manager.add_column(
        table_class_name="Media",
        tablename="media",
        column_name="height",
        db_column_name="height",
        column_class_name="SmallInt",
        column_class=SmallInt,
        params={
            "default": None,
            "null": True,
            "primary_key": False,
            "unique": False,
            "index": False,
            "index_method": IndexMethod.btree,
            "choices": None,
            "db_column_name": None,
            "secret": False,
        },
        schema=None,
    )

    manager.add_column(
        table_class_name="Media",
        tablename="media",
        column_name="width",
        db_column_name="width",
        column_class_name="SmallInt",
        column_class=SmallInt,
        params={
            "default": None,
            "null": True,
            "primary_key": False,
            "unique": False,
            "index": False,
            "index_method": IndexMethod.btree,
            "choices": None,
            "db_column_name": None,
            "secret": False,
        },
        schema=None,
    )

    return manager
