"""What Piccolo's own commands look for: the engine and the registry of apps."""

from __future__ import annotations

from piccolo.conf.apps import AppRegistry

from app.core.db import DB

__all__ = ["APP_REGISTRY", "DB"]

APP_REGISTRY = AppRegistry(apps=["app.piccolo_app"])
