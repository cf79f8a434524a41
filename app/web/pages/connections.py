"""Connections: the clients that a person has allowed something, what they may do, and how to end it."""

from __future__ import annotations

from typing import Any

from litestar import Response, get, post
from litestar.params import FromPath

from app.domain.errors import N_
from app.domain.scopes import SENTENCES
from app.oauth import connections
from app.web.context import HtmlRequest, Me, done, go, page, web_context
from app.web.forms import Form


@get("/connections")
async def connections_page(request: HtmlRequest, me: Me) -> Response[str]:
    """The connected clients, the last used first."""
    return page(
        request,
        "account/connections.html",
        nav="connections",
        connections=await connections.connections(me.account.id),
        sentences=SENTENCES,
        endpoint=web_context(request).settings.base_url + "/mcp",
    )


@post("/connections/{connection_id:int}/disconnect", status_code=200)
async def disconnect(request: HtmlRequest, me: Me, connection_id: FromPath[int]) -> Response[Any]:
    """End the connection from its next call on, after a question."""
    form = await Form.of(request)
    if not form.switch("confirmed"):
        return page(
            request,
            "account/confirm.html",
            nav="connections",
            question=N_("Disconnect this app?"),
            subject=(await connections.connection(me.account.id, connection_id)).client_name,
            text=N_("Its next call is refused. To use it again, connect it anew from the app."),
            label=N_("Disconnect"),
            back=(N_("Connections"), "/connections"),
        )
    await connections.disconnect(me.account.id, connection_id)
    return go(request, "/connections", done(N_("The app is disconnected. Its next call is refused.")))


@get("/connections/{connection_id:int}/disconnect", sync_to_thread=False)
def after_reload(request: HtmlRequest, connection_id: FromPath[int]) -> Response[None]:  # noqa: ARG001 - part of the path
    """The address of a posted form, opened by itself."""
    return go(request, "/connections")


HANDLERS = [connections_page, disconnect, after_reload]
