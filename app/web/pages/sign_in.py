"""Signing in and up, signing out, and a new password by mail."""

from __future__ import annotations

from typing import Any

from litestar import Response, get, post
from litestar.datastructures import Cookie
from litestar.params import FromQuery

from app.accounts import service
from app.accounts.views import AccountView
from app.core import clock
from app.domain.errors import N_, AppError, InvalidInput, RateLimited, Unavailable
from app.oauth import connections
from app.ui.render import translate
from app.web.context import (
    HtmlRequest,
    address_of,
    done,
    forget_cookie,
    go,
    maybe_signed_in,
    own_path,
    page,
    party_of,
    reader_of,
    user_agent_of,
    web_context,
)
from app.web.errors import STATUS, with_retry_after
from app.web.forms import Form

_DAY_SECONDS = 24 * 3600
_EMPTY = {"email": "", "name": "", "zone": ""}


def refusal(request: HtmlRequest, error: AppError) -> tuple[int, list[tuple[str | None, str]]]:
    """The status and the (field, text) pairs with which a form is shown again."""
    reader = reader_of(request)
    text = translate(reader, error.message, **error.params)
    if error.hint:
        text += " " + translate(reader, error.hint, **error.params)
    field = error.field if isinstance(error, InvalidInput) else None
    return STATUS[error.code], [(field, text)]


def form_again(request: HtmlRequest, template: str, error: AppError, *, nav: str, **shown: Any) -> Response[str]:
    """The form that was refused, with what was entered and why."""
    status, errors = refusal(request, error)
    return with_retry_after(page(request, template, status=status, nav=nav, errors=errors, **shown), error)


async def with_session(request: HtmlRequest, response: Response[Any], token: str) -> Response[Any]:
    """The response with the cookie that keeps the browser signed in; the session it had before is closed."""
    web = web_context(request)
    former = request.cookies.get(web.session_cookie)
    if former:
        await service.sign_out(former)
    response.set_cookie(
        Cookie(
            web.session_cookie,
            value=token,
            max_age=web.settings.session_days * _DAY_SECONDS,
            httponly=True,
            samesite="lax",
            secure=web.settings.secure_cookies,
        )
    )
    return response


async def open_session(request: HtmlRequest, account: AccountView) -> str:
    """A new session for this browser; gives its token."""
    return await service.open_session(
        account.id,
        now=clock.now(),
        address=address_of(request),
        user_agent=user_agent_of(request),
        session_days=web_context(request).settings.session_days,
    )


@get("/sign-in")
async def sign_in_page(request: HtmlRequest, next: FromQuery[str] = "/") -> Response[Any]:
    """The sign-in form; `next` is where it leads."""
    if await maybe_signed_in(request):
        return go(request, own_path(next))
    return page(
        request,
        "account/sign_in.html",
        nav="sign-in",
        errors=[],
        email="",
        next=own_path(next),
        with_passkeys=party_of(request).is_usable,
    )


@post("/sign-in", status_code=200)
async def sign_in(request: HtmlRequest) -> Response[Any]:
    """Check e-mail and password; a new token each time, so that a planted one is worth nothing."""
    form = await Form.of(request)
    email, target = form.text("email"), own_path(form.text("next"))
    try:
        _, token = await service.sign_in(
            email,
            form.secret("password"),
            now=clock.now(),
            address=address_of(request),
            user_agent=user_agent_of(request),
            session_days=web_context(request).settings.session_days,
        )
    except (InvalidInput, RateLimited, Unavailable) as error:
        return form_again(
            request,
            "account/sign_in.html",
            error,
            nav="sign-in",
            email=email,
            next=target,
            with_passkeys=party_of(request).is_usable,
        )
    return await with_session(request, go(request, target), token)


@get("/sign-up")
async def sign_up_page(request: HtmlRequest, next: FromQuery[str] = "/") -> Response[Any]:
    """The form for a new account."""
    if await maybe_signed_in(request):
        return go(request, own_path(next))
    return page(request, "account/sign_up.html", nav="sign-up", errors=[], values=_EMPTY, next=own_path(next))


@post("/sign-up", status_code=200)
async def sign_up(request: HtmlRequest) -> Response[Any]:
    """Create an account and sign this browser in."""
    form = await Form.of(request)
    values = {name: form.text(name) for name in ("email", "name", "zone")}
    target = own_path(form.text("next"))
    try:
        if not web_context(request).settings.signup:
            raise InvalidInput(N_("This server does not take new accounts."), N_("Ask its operator for one."))
        account = await service.sign_up(
            values["email"],
            form.secret("password"),
            now=clock.now(),
            name=values["name"],
            zone=service.known_zone(values["zone"]),
            address=address_of(request),
        )
    except AppError as error:
        return form_again(request, "account/sign_up.html", error, nav="sign-up", values=values, next=target)
    token = await open_session(request, account)
    return await with_session(request, go(request, target, done(N_("Welcome. Your account is ready."))), token)


@post("/sign-out", status_code=200)
async def sign_out(request: HtmlRequest) -> Response[None]:
    """End this browser's session."""
    web = web_context(request)
    token = request.cookies.get(web.session_cookie)
    if token:
        await service.sign_out(token)
    response = go(request, "/sign-in", done(N_("You are signed out.")))
    forget_cookie(request, response, web.session_cookie)
    return response


@get("/password/forgotten")
async def forgotten_page(request: HtmlRequest) -> Response[str]:
    """Asks for the address that the link goes to."""
    return page(request, "account/forgotten.html", nav="sign-in", errors=[], email="")


@post("/password/forgotten", status_code=200)
async def forgotten(request: HtmlRequest) -> Response[str]:
    """Queue the mail; the answer is the same whether there is such an account or not."""
    form = await Form.of(request)
    email = form.text("email")
    try:
        await service.request_password_reset(email, now=clock.now(), address=address_of(request))
    except AppError as error:
        return form_again(request, "account/forgotten.html", error, nav="sign-in", email=email)
    return page(request, "account/forgotten_sent.html", nav="sign-in")


@get("/password/reset")
async def reset_page(request: HtmlRequest, token: FromQuery[str] = "") -> Response[str]:
    """The form behind the link of the mail."""
    return page(request, "account/reset.html", nav="sign-in", errors=[], token=token)


@post("/password/reset", status_code=200)
async def reset(request: HtmlRequest) -> Response[Any]:
    """Set the new password; all browsers are signed out but this one, which is signed in."""
    form = await Form.of(request)
    token = form.text("token")
    try:
        account = await service.reset_password(
            token, form.secret("password"), now=clock.now(), shut_others_out=form.switch("shut_others_out")
        )
        if form.switch("shut_others_out"):
            await connections.disconnect_all(account.id)
    except AppError as error:
        return form_again(request, "account/reset.html", error, nav="sign-in", token=token)
    session = await open_session(request, account)
    note = done(N_("Your password is changed. All other browsers are signed out."))
    return await with_session(request, go(request, "/", note), session)


HANDLERS = [
    sign_in_page,
    sign_in,
    sign_up_page,
    sign_up,
    sign_out,
    forgotten_page,
    forgotten,
    reset_page,
    reset,
]
