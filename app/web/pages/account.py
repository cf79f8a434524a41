"""The account: profile, password, passkeys, signed-in browsers, plan, export, deletion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from litestar import Response, get, post
from litestar.params import FromPath

from app.accounts import queries, service
from app.accounts.views import SignedIn
from app.billing import queries as billing
from app.core import clock
from app.decks import queries as decks
from app.domain.errors import N_, AppError, InvalidInput
from app.domain.plans import effective_plan, limits_for
from app.notes import queries as note_queries
from app.ui.plan_view import standing_text
from app.ui.translations import languages
from app.web.context import HtmlRequest, Me, done, forget_cookie, go, page, party_of, reader_of, web_context
from app.web.errors import with_retry_after
from app.web.forms import Form
from app.web.pages.sign_in import refusal

LANGUAGE_NAMES = {"en": "English", "ja": "日本語", "ko": "한국어"}


_PROFILE = ("name", "language", "theme")


async def _account_page(
    request: HtmlRequest,
    me: SignedIn,
    *,
    status: int = 200,
    section: str = "",
    errors: Any = (),
    profile: Mapping[str, object] | None = None,
) -> Response[str]:
    """The page; `section` is the form that was refused, with its `errors`, `profile` what was entered into that one."""
    now = clock.now()
    settings = web_context(request).settings
    plan = effective_plan(me.account.plan, settings.plans)
    standing = await billing.standing(me.account.id, settings, now=now)
    return page(
        request,
        "account/account.html",
        status=status,
        nav="account",
        section=section,
        errors=list(errors),
        profile=profile or {name: getattr(me.account, name) for name in (*_PROFILE, "single_keys")},
        sessions=await queries.sessions(me.account.id, now=now, current_session_id=me.session_id),
        passkeys=await queries.passkeys(me.account.id),
        plan=plan,
        limits=limits_for(plan, settings.plan_figures),
        with_passkeys=party_of(request).is_usable,
        usage=await decks.usage(me.account.id),
        notes=await note_queries.usage(me.account.id),
        sentence=standing_text(reader_of(request), standing),
        subscribed=standing.is_running,
        languages=[(code, LANGUAGE_NAMES.get(code, code)) for code in languages()],
    )


async def _refused(
    request: HtmlRequest, me: SignedIn, error: AppError, section: str, profile: Mapping[str, object] | None = None
) -> Response[str]:
    status, errors = refusal(request, error)
    response = await _account_page(request, me, status=status, section=section, errors=errors, profile=profile)
    return with_retry_after(response, error)


@get("/account")
async def account_page(request: HtmlRequest, me: Me) -> Response[str]:
    """Everything about the account on one page."""
    return await _account_page(request, me)


@get(["/account/profile", "/account/password", "/account/delete"], sync_to_thread=False)
def after_reload(request: HtmlRequest) -> Response[None]:
    """The address of a form that was refused, opened by itself."""
    return go(request, "/account")


@post("/account/profile", status_code=200)
async def save_profile(request: HtmlRequest, me: Me) -> Response[None] | Response[str]:
    """Name, language, theme, single keys."""
    form = await Form.of(request)
    try:
        language = form.text("language")
        if language not in languages():
            raise InvalidInput(N_("This is not one of the choices."), field="language")
        await service.update_profile(
            me.account.id,
            name=form.text("name"),
            language=language,
            theme=form.text("theme"),
            single_keys=form.switch("single_keys"),
        )
    except AppError as error:
        profile = {name: form.text(name) for name in _PROFILE} | {"single_keys": form.switch("single_keys")}
        return await _refused(request, me, error, "profile", profile)
    return go(request, "/account", done(N_("Saved.")))


@post("/account/password", status_code=200)
async def change_password(request: HtmlRequest, me: Me) -> Response[None] | Response[str]:
    """A new password; the other browsers are signed out."""
    form = await Form.of(request)
    try:
        if me.account.has_password:
            await service.change_password(
                me.account.id,
                form.secret("current"),
                form.secret("new"),
                now=clock.now(),
                keep_session_id=me.session_id,
            )
        else:
            await service.set_password(
                me.account.id, form.secret("new"), now=clock.now(), keep_session_id=me.session_id
            )
    except AppError as error:
        return await _refused(request, me, error, "password")
    return go(request, "/account", done(N_("Your password is changed. All other browsers are signed out.")))


@post("/account/sessions/{session_id:int}/revoke", status_code=200)
async def revoke_session(request: HtmlRequest, me: Me, session_id: FromPath[int]) -> Response[None]:
    """Sign one browser out."""
    await service.revoke_session(me.account.id, session_id)
    return go(request, "/account#browsers", done(N_("That browser is signed out.")))


@post("/account/sessions/revoke-others", status_code=200)
async def revoke_other_sessions(request: HtmlRequest, me: Me) -> Response[None]:
    """Sign every browser out but this one."""
    await service.revoke_other_sessions(me.account.id, me.session_id)
    return go(request, "/account#browsers", done(N_("All other browsers are signed out.")))


@post("/account/delete", status_code=200)
async def delete_account(request: HtmlRequest, me: Me) -> Response[None] | Response[str]:
    """Erase the account and everything in it, after the password once more."""
    form = await Form.of(request)
    try:
        if form.text("email").casefold() != me.account.email.casefold():
            raise InvalidInput(N_("Type your e-mail address to confirm."), field="email")
        settings = web_context(request).settings
        subscribed = (await billing.standing(me.account.id, settings, now=clock.now())).is_running
        await service.delete_account(me.account.id, form.secret("password"))
    except AppError as error:
        return await _refused(request, me, error, "delete")
    erased = N_("Your account and everything in it are erased.")
    with_plan = N_("Your account and everything in it are erased. Your subscription is being cancelled.")
    response = go(request, "/sign-in", done(with_plan if subscribed else erased))
    forget_cookie(request, response, web_context(request).session_cookie)
    return response


HANDLERS = [
    account_page,
    after_reload,
    save_profile,
    change_password,
    revoke_session,
    revoke_other_sessions,
    delete_account,
]
