"""The application: the only place that wires everything together."""

from __future__ import annotations

import asyncio
import gc
import multiprocessing
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from litestar import Litestar, Request, Response
from litestar.datastructures import CacheControlHeader, State
from litestar.di import Provide
from litestar.exceptions import HTTPException, NotFoundException, PermissionDeniedException
from litestar.static_files import create_static_files_router  # pyright: ignore[reportUnknownVariableType]
from litestar.types import ASGIApp

from app import jobs
from app.billing.gateway import gateway_for
from app.core import db, logs
from app.core.settings import Settings
from app.domain.errors import AppError
from app.domain.scopes import Scope
from app.mcp.endpoint import create_mcp_routes
from app.mcp.reference import reference
from app.mcp.registry import SURFACES
from app.ui.render import STATIC
from app.web import attempts
from app.web.api.health import health
from app.web.api.oauth import create_authorization_routes
from app.web.api.webhooks import create_webhook_routes
from app.web.attempts import AuthorizationContext
from app.web.context import WebContext, signed_in
from app.web.errors import app_error, http_error, unexpected
from app.web.forms import MAXIMUM_ID
from app.web.frame import RequestFrame
from app.web.pages import PAGES
from app.web.security import is_cross_site

_FORM_BYTES = 2_000_000  # one page of a hundred cards at their limits
_STATIC_SECONDS = 365 * 24 * 3600


def create_app(settings: Settings) -> Litestar:
    """The application for one process; the database must be configured and migrated before its lifespan starts."""
    mcp_routes, mcp_lifespan = create_mcp_routes(settings)
    endpoints = {surface.path: frozenset(map(Scope, surface.scopes())) for surface in SURFACES}

    payments = gateway_for(settings)

    @asynccontextmanager
    async def lifespan(_app: Litestar) -> AsyncGenerator[None, None]:
        _end_with_parent()
        await db.open_pool(settings.pool_size)
        try:
            async with mcp_lifespan(), jobs.running(settings):
                _settle_heap()
                yield
        finally:
            if payments is not None:
                await payments.close()
            await db.close_pool()

    async def refuse(request: Request[Any, Any, Any]) -> Response[Any] | None:
        """What another site sent, and a path with a number that no row can have."""
        if is_cross_site(request.scope, settings.base_url):
            raise PermissionDeniedException
        attempts.bind_from_cookie(request)
        if any(isinstance(value, int) and not 0 < value <= MAXIMUM_ID for value in request.path_params.values()):
            raise NotFoundException
        return None

    return Litestar(
        route_handlers=[
            *PAGES,
            health,
            *mcp_routes,
            create_authorization_routes(settings, list(endpoints)),
            create_webhook_routes(settings),
            create_static_files_router(
                "/static",
                directories=[STATIC],
                cache_control=CacheControlHeader(max_age=_STATIC_SECONDS, public=True, immutable=True),
                include_in_schema=False,
            ),
        ],
        dependencies={"me": Provide(signed_in)},
        exception_handlers={AppError: app_error, HTTPException: http_error, Exception: unexpected},
        before_request=refuse,
        lifespan=[lifespan],
        state=State(
            {
                "web": WebContext.of(settings, reference(settings)),
                "settings": settings,
                "payments": payments,
                "authorization": AuthorizationContext.of(settings, endpoints),
            }
        ),
        request_max_body_size=_FORM_BYTES,
        openapi_config=None,
        logging_config=None,
        debug=False,
    )


def asgi() -> ASGIApp:
    """What a server process runs: settings from the environment, logs, the application in its frame."""
    settings = Settings.read()
    logs.configure(settings.log_level, settings.log_format)
    db.configure(settings.database_url)
    return RequestFrame(create_app(settings), settings)


def _settle_heap() -> None:
    """Keep the garbage collector from walking the modules' objects at each full collection.

    Those walks were the slowest hundredth of all answers; what is loaded now stays until the process ends.
    """
    gc.collect()
    gc.freeze()
    gc.enable()
    gc.set_threshold(10_000, 20, 50)


def _end_with_parent() -> None:
    """In a process that a supervisor started: end when the supervisor is gone, so that its port is free again."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        asyncio.get_running_loop().add_reader(parent.sentinel, os._exit, 1)
