"""Access keys: create one, see it once, revoke it."""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import Any

from litestar import Response, get, post
from litestar.params import FromPath

from app.accounts import queries, service
from app.accounts.views import KeyView, SignedIn
from app.core import clock, idempotency
from app.core.db import atomic
from app.domain.errors import N_, AppError, Conflict, InvalidInput, NotFound
from app.domain.scopes import DEFAULT_SCOPES, SENTENCES, Scope, parse_scopes
from app.web.context import HtmlRequest, Me, done, go, page, web_context
from app.web.errors import with_retry_after
from app.web.forms import Form
from app.web.pages.sign_in import refusal

_LIFETIMES = {"30": timedelta(days=30), "90": timedelta(days=90), "365": timedelta(days=365), "": None}
_FORM_ID_LETTERS = 64


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
        sentences=[sentence for sentence in SENTENCES if sentence.scope in DEFAULT_SCOPES],
        endpoint=web_context(request).settings.base_url + "/mcp",
        form_id=secrets.token_urlsafe(16),
        **context,
    )


@get("/keys")
async def keys_page(request: HtmlRequest, me: Me) -> Response[str]:
    """The keys there are and a form for another."""
    return await _keys_page(request, me)


@post("/keys", status_code=200)
async def create_key(request: HtmlRequest, me: Me) -> Response[str]:
    """Create a key and show it, this once; a form that is sent again (the answer was reloaded) creates nothing."""
    form = await Form.of(request)
    name, lifetime, wanted = form.text("name"), form.text("lifetime"), form.texts("scope")
    try:
        key, token = await _create(me.account.id, form.text("form_id"), name, lifetime, wanted)
    except AppError as error:
        status, errors = refusal(request, error)
        ticked = frozenset(scope for scope in Scope if scope.value in wanted)
        response = await _keys_page(
            request, me, status=status, errors=errors, name=name, ticked=ticked, lifetime=lifetime
        )
        return with_retry_after(response, error)
    return await _keys_page(request, me, new_key=key, new_token=token)


async def _create(account_id: int, form_id: str, name: str, lifetime: str, wanted: list[str]) -> tuple[KeyView, str]:
    now = clock.now()
    if lifetime not in _LIFETIMES:
        raise InvalidInput(N_("This is not one of the choices."), field="lifetime")
    if not 0 < len(form_id) <= _FORM_ID_LETTERS:
        raise InvalidInput(N_("The form came without its number."), N_("Send it again."))
    lasts = _LIFETIMES[lifetime]
    async with atomic():
        if await idempotency.begin(account_id, "key form", form_id, None, now):
            raise Conflict(
                N_("This form was sent before and its key is in the list; it cannot be shown again."),
                N_("If you did not copy it, revoke it and create another."),
            )
        key, token = await service.create_key(
            account_id, name, parse_scopes(wanted), now=now, expires_at=now + lasts if lasts else None
        )
        await idempotency.finish(account_id, "key form", form_id, {"key_id": key.id})  # never the secret
    return key, token


@post("/keys/{key_id:int}/revoke", status_code=200)
async def revoke_key(request: HtmlRequest, me: Me, key_id: FromPath[int]) -> Response[Any]:
    """Refuse the key from its next call on, after a question."""
    form = await Form.of(request)
    if not form.switch("confirmed"):
        held = {key.id: key.name for key in await queries.keys(me.account.id)}
        if key_id not in held:
            raise NotFound(N_("There is no such access key."))
        return page(
            request,
            "account/confirm.html",
            nav="keys",
            question=N_("Revoke this key?"),
            subject=held[key_id],
            text=N_("Its next call is refused. A revoked key cannot be brought back."),
            label=N_("Revoke"),
            back=(N_("Keys"), "/keys"),
        )
    await service.revoke_key(me.account.id, key_id, now=clock.now())
    return go(request, "/keys", done(N_("The key is revoked. Its next call is refused.")))


@get("/keys/{key_id:int}/revoke", sync_to_thread=False)
def after_reload(request: HtmlRequest, key_id: FromPath[int]) -> Response[None]:  # noqa: ARG001 - part of the path
    """The address of a posted form, opened by itself."""
    return go(request, "/keys")


HANDLERS = [keys_page, create_key, revoke_key, after_reload]
