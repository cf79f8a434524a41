"""The authorization endpoint, `/authorize`: the page that asks a person, and what they decided.

A decision is answered by a page of ours that leads on, not by a redirect: browsers hold a form's redirects to
`form-action`, and would stop at a client on another host.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from litestar import Response, get, post

from app.accounts import service as accounts
from app.accounts.throttle import network
from app.accounts.views import SignedIn
from app.core import clock, logs
from app.domain.errors import N_, AppError, InvalidInput
from app.domain.plans import ai_write_refusal
from app.domain.redirects import destination
from app.domain.scopes import PLAN_SCOPES, SENTENCES, Scope
from app.oauth import consent as consents
from app.oauth.consent import AuthorizationRefused
from app.oauth.documents import document_host
from app.oauth.views import Consent
from app.ui.render import translate
from app.web import attempts
from app.web.attempts import Attempt, authorization_context
from app.web.context import (
    HtmlRequest,
    address_of,
    forget_cookie,
    go,
    maybe_signed_in,
    page,
    reader_of,
    web_context,
)
from app.web.errors import STATUS, with_retry_after
from app.web.forms import Form
from app.web.pages.sign_in import refusal

_log = logs.get_logger(__name__)
_OVER = N_("This request is too old. Go back to the app and connect again.")
_REASONS = {
    "invalid_client": N_("The app that sent you here is not known to this server, or could not be looked up."),
    "invalid_redirect_uri": N_("The app describes itself in a way that this server does not accept."),
    "invalid_client_metadata": N_("The app describes itself in a way that this server does not accept."),
    "invalid_request": N_("The app that sent you here made a request that is not complete."),
}


@get("/authorize")
async def authorize_page(request: HtmlRequest) -> Response[Any]:
    """Ask the person, after signing in where that is needed."""
    context = authorization_context(request.app.state)
    pending = request.query_params.get("pending")
    if pending is None:
        attempt: Attempt | None = Attempt.begin(request.query_params.multi_items())
    else:
        attempt = Attempt.read(pending, context.signer)
    if attempt is None:
        return _too_old(request)
    attempts.bind(request, attempt.id)
    me = await maybe_signed_in(request)
    found = await _check(request, attempt, me)
    if isinstance(found, Response):
        return found
    if me is None:
        _log.info("oauth_authorize", outcome="sign_in")
        response: Response[Any] = Response(
            None, status_code=303, headers={"location": _sign_in_path(attempt.path(context.signer))}
        )
    else:
        _log.info("oauth_authorize", outcome="asked", account=me.account.id)
        response = _consent_page(request, attempt, found, ticked=found.offered)
    attempts.remember(response, attempt.id, secure=web_context(request).settings.secure_cookies)
    return response


@post("/authorize", status_code=200)
async def decide(request: HtmlRequest) -> Response[Any]:
    """Allow, cancel, or go on as somebody else."""
    context = authorization_context(request.app.state)
    form = await Form.of(request)
    attempt = Attempt.read(form.text("pending"), context.signer)
    if attempt is None:
        return _too_old(request)
    attempts.bind(request, attempt.id)
    me = await maybe_signed_in(request)
    here = attempt.path(context.signer)
    if me is None:
        return go(request, _sign_in_path(here))
    if form.text("decision") == "switch":
        return await _switch(request, here)
    if form.text("account") != str(me.account.id):  # another tab signed in as somebody else: ask again, showing whom
        return go(request, here)
    found = await _check(request, attempt, me)
    if isinstance(found, Response):
        return found
    if form.text("decision") != "allow":
        location = consents.deny(context.policy, attempt.pairs, found, now=clock.now())
        _log.info("oauth_consent", outcome="denied", account=me.account.id)
        return _onward(request, found, location, allowed=False)
    wanted = frozenset(scope for scope in Scope if scope.value in form.texts("scope"))
    try:
        location = await consents.allow(
            context.policy,
            attempt.pairs,
            found,
            account_id=me.account.id,
            ticked=wanted,
            attempt=attempt.id,
            now=clock.now(),
        )
    except InvalidInput as error:
        status, errors = refusal(request, error)
        return _consent_page(request, attempt, found, ticked=wanted, status=status, errors=errors)
    _log.info("oauth_consent", outcome="allowed", account=me.account.id, scopes=len(wanted & found.offered))
    return _onward(request, found, location, allowed=True)


async def _check(request: HtmlRequest, attempt: Attempt, me: SignedIn | None) -> Consent | Response[Any]:
    """What to ask, or the answer to a request that cannot be granted."""
    context = authorization_context(request.app.state)
    try:
        return await consents.check(
            context.policy,
            context.documents,
            attempt.pairs,
            account_id=me.account.id if me else None,
            now=clock.now(),
            asker=network(address_of(request)),
        )
    except AuthorizationRefused as refused:
        _log.info("oauth_authorize", outcome=refused.error, why=refused.description)
        # After a form, signing in included, the policy would stop a redirect to another host.
        if refused.location and request.method == "GET" and "pending" not in request.query_params:
            return Response(None, status_code=302, headers={"location": refused.location, "cache-control": "no-store"})
        return _failed(request, _REASONS.get(refused.error, _REASONS["invalid_request"]), refused.description)
    except AppError as error:
        _log.info("oauth_authorize", outcome=error.code.value)
        reader = reader_of(request)
        text = translate(reader, error.message, **error.params)
        return with_retry_after(_failed(request, text, "", status=STATUS[error.code]), error)


def _consent_page(
    request: HtmlRequest,
    attempt: Attempt,
    found: Consent,
    *,
    ticked: frozenset[Scope],
    status: int = 200,
    errors: list[tuple[str | None, str]] | None = None,
) -> Response[Any]:
    return page(
        request,
        "oauth/consent.html",
        status=status,
        nav="consent",
        pending=attempt.signed(authorization_context(request.app.state).signer),
        name=found.client.name,
        verified_host=document_host(found.client.client_id) if found.client.kind == "document" else "",
        onward=destination(found.redirect_uri),
        known=found.known,
        sentences=[sentence for sentence in SENTENCES if sentence.scope in found.offered],
        ticked=ticked,
        refusal=_write_refusal(request, found.offered),
        errors=errors or [],
    )


def _write_refusal(request: HtmlRequest, offered: frozenset[Scope]) -> tuple[str, str] | None:
    """What the person's plan keeps the client from, of what it asks to write."""
    me: SignedIn | None = request.scope["state"].get("signed_in")
    if me is None or not offered & PLAN_SCOPES:
        return None
    settings = web_context(request).settings
    return ai_write_refusal(me.account.plan, settings.plan_figures, plans_on=settings.plans)


def _onward(request: HtmlRequest, found: Consent, location: str, *, allowed: bool) -> Response[Any]:
    response = page(
        request,
        "oauth/onward.html",
        nav="consent",
        location=location,
        onward=destination(found.redirect_uri),
        allowed=allowed,
    )
    attempts.forget(request, response)
    return response


async def _switch(request: HtmlRequest, here: str) -> Response[Any]:
    """Sign out, and sign in again with the request kept."""
    web = web_context(request)
    token = request.cookies.get(web.session_cookie)
    if token:
        await accounts.sign_out(token)
    response = go(request, _sign_in_path(here))
    forget_cookie(request, response, web.session_cookie)
    _log.info("oauth_authorize", outcome="switched")
    return response


def _sign_in_path(here: str) -> str:
    return f"/sign-in?next={quote(here, safe='')}"


def _too_old(request: HtmlRequest) -> Response[Any]:
    attempts.bind(request, str(request.scope["state"].get("attempt") or Attempt.begin().id))
    _log.info("oauth_authorize", outcome="too_old")
    return _failed(request, _OVER, "")


def _failed(request: HtmlRequest, text: str, detail: str, *, status: int = 400) -> Response[Any]:
    reader = reader_of(request)
    return page(
        request,
        "oauth/failed.html",
        status=status,
        nav="consent",
        text=translate(reader, text),
        detail=detail,
    )


HANDLERS = [authorize_page, decide]
