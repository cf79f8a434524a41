"""Access keys: create one, see it once, revoke it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from litestar import Response, get, post

from app.accounts import queries, service
from app.accounts.views import SignedIn
from app.core import clock
from app.domain.errors import N_, AppError, InvalidInput
from app.domain.scopes import DEFAULT_SCOPES, SENTENCES, Scope, parse_scopes
from app.web.context import HtmlRequest, done, go, page, web_context
from app.web.forms import Form
from app.web.pages.sign_in import refusal

_LIFETIMES = {"30": timedelta(days=30), "90": timedelta(days=90), "365": timedelta(days=365), "": None}


async def _keys_page(request: HtmlRequest, me: SignedIn, *, status: int = 200, **shown: Any) -> Response[str]:
    context: dict[str, Any] = {
        "errors": [],
        "name": "",
        "ticked": DEFAULT_SCOPES,
        "lifetime": "",
        "new_key": None,
        "new_token": None,
        **shown,
    }
    return page(
        request,
        "account/keys.html",
        status=status,
        nav="keys",
        keys=await queries.keys(me.account.id),
        sentences=SENTENCES,
        endpoint=web_context(request).settings.base_url + "/mcp",
        **context,
    )


@get("/keys")
async def keys_page(request: HtmlRequest, me: SignedIn) -> Response[str]:
    """The keys there are and a form for another."""
    return await _keys_page(request, me)


@post("/keys", status_code=200)
async def create_key(request: HtmlRequest, me: SignedIn) -> Response[str]:
    """Create a key and show it, this once."""
    form = await Form.of(request)
    name, lifetime, wanted = form.text("name"), form.text("lifetime"), form.texts("scope")
    now = clock.now()
    try:
        if lifetime not in _LIFETIMES:
            raise InvalidInput(N_("This is not one of the choices."), field="lifetime")
        lasts = _LIFETIMES[lifetime]
        expires_at: datetime | None = now + lasts if lasts else None
        key, token = await service.create_key(me.account.id, name, parse_scopes(wanted), now=now, expires_at=expires_at)
    except AppError as error:
        status, errors = refusal(request, error)
        ticked = frozenset(scope for scope in Scope if scope.value in wanted)
        return await _keys_page(request, me, status=status, errors=errors, name=name, ticked=ticked, lifetime=lifetime)
    return await _keys_page(request, me, new_key=key, new_token=token)


@post("/keys/{key_id:int}/revoke", status_code=200)
async def revoke_key(request: HtmlRequest, me: SignedIn, key_id: int) -> Response[None]:
    """Refuse the key from its next call on."""
    await service.revoke_key(me.account.id, key_id, now=clock.now())
    return go(request, "/keys", done(N_("The key is revoked. Its next call is refused.")))


HANDLERS = [keys_page, create_key, revoke_key]
