"""Passkeys: the two halves of each ceremony for `static/js/passkeys.js`, renaming and removing as plain forms."""

from __future__ import annotations

from typing import Any

import msgspec
from litestar import MediaType, Request, Response, get, post
from litestar.datastructures import Cookie
from litestar.params import FromPath

from app.accounts import passkeys, queries
from app.accounts.ceremony import CHALLENGE_LIFE, Ceremony
from app.core import clock
from app.domain.errors import N_, AppError, Conflict, InvalidInput, NotFound
from app.ui.browsers import browser_name
from app.web.context import (
    HtmlRequest,
    Me,
    address_of,
    done,
    failed,
    forget_cookie,
    go,
    own_path,
    page,
    party_of,
    user_agent_of,
    web_context,
)
from app.web.errors import with_retry_after
from app.web.forms import Form
from app.web.pages.sign_in import refusal, with_session

_CHALLENGE = "loci_challenge"


class _Answer(msgspec.Struct):
    credential: msgspec.Raw
    name: str = ""
    next: str = "/"


def _begin(request: HtmlRequest, ceremony: Ceremony) -> Response[str]:
    web = web_context(request)
    response = Response(ceremony.options, media_type=MediaType.JSON, headers={"cache-control": "no-store"})
    response.set_cookie(
        Cookie(
            _CHALLENGE,
            value=web.challenge.sign(ceremony.challenge),
            max_age=int(CHALLENGE_LIFE.total_seconds()),
            path="/",
            httponly=True,
            samesite="strict",
            secure=web.settings.secure_cookies,
        )
    )
    return response


def _challenge(request: HtmlRequest) -> str:
    signed = request.cookies.get(_CHALLENGE)
    challenge = web_context(request).challenge.read(signed, int(CHALLENGE_LIFE.total_seconds()))
    if not isinstance(challenge, str):
        raise InvalidInput(N_("This took too long."), N_("Try again."))
    return challenge


async def _answer(request: HtmlRequest) -> _Answer:
    try:
        return msgspec.json.decode(await request.body(), type=_Answer)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        raise InvalidInput(N_("The passkey was not accepted."), N_("Try again.")) from None


def _leads_to(request: HtmlRequest, path: str) -> Response[Any]:
    response = Response({"location": path}, media_type=MediaType.JSON, headers={"cache-control": "no-store"})
    forget_cookie(request, response, _CHALLENGE)
    return response


def _refused(request: Request[Any, Any, Any], error: AppError) -> Response[Any]:
    """What the script shows beside its button."""
    status, [(_, text)] = refusal(request, error)
    return with_retry_after(Response({"error": text}, status_code=status, media_type=MediaType.JSON), error)


@post("/passkeys/sign-in/options", status_code=200)
async def sign_in_options(request: HtmlRequest) -> Response[str]:
    """What the browser asks its passkeys with."""
    return _begin(request, passkeys.authentication(party_of(request), now=clock.now()))


@post("/passkeys/sign-in", status_code=200, exception_handlers={AppError: _refused})
async def sign_in(request: HtmlRequest) -> Response[Any]:
    """Check the browser's answer and sign it in."""
    answer = await _answer(request)
    _, token = await passkeys.sign_in(
        bytes(answer.credential).decode(),
        challenge=_challenge(request),
        party=party_of(request),
        now=clock.now(),
        address=address_of(request),
        user_agent=user_agent_of(request),
        session_days=web_context(request).settings.session_days,
    )
    return await with_session(request, _leads_to(request, own_path(answer.next)), token)


@post("/account/passkeys/options", status_code=200, exception_handlers={AppError: _refused})
async def register_options(request: HtmlRequest, me: Me) -> Response[str]:
    """What the browser makes a passkey with."""
    return _begin(request, await passkeys.registration(me.account.id, party_of(request), now=clock.now()))


@post("/account/passkeys", status_code=200, exception_handlers={AppError: _refused})
async def register(request: HtmlRequest, me: Me) -> Response[Any]:
    """Keep the passkey that the browser made."""
    answer = await _answer(request)
    await passkeys.register(
        me.account.id,
        answer.name or browser_name(user_agent_of(request)),
        bytes(answer.credential).decode(),
        challenge=_challenge(request),
        party=party_of(request),
        now=clock.now(),
    )
    return _leads_to(request, "/account#passkeys")


@post("/account/passkeys/{passkey_id:int}/remove", status_code=200)
async def remove(request: HtmlRequest, me: Me, passkey_id: FromPath[int]) -> Response[Any]:
    """Forget a passkey, after a question; the last way in stays."""
    form = await Form.of(request)
    if not form.switch("confirmed"):
        held = {passkey.id: passkey.name for passkey in await queries.passkeys(me.account.id)}
        if passkey_id not in held:
            raise NotFound(N_("There is no such passkey."))
        return page(
            request,
            "account/confirm.html",
            nav="account",
            question=N_("Remove this passkey?"),
            subject=held[passkey_id],
            text=N_("It signs nobody in any more. Your device may still offer it until you remove it there too."),
            label=N_("Remove"),
            back=(N_("Account"), "/account#passkeys"),
        )
    try:
        await passkeys.remove_passkey(me.account.id, passkey_id)
    except Conflict as error:
        return go(request, "/account#passkeys", failed(error))
    return go(request, "/account#passkeys", done(N_("The passkey is removed.")))


@post("/account/passkeys/{passkey_id:int}/rename", status_code=200)
async def rename(request: HtmlRequest, me: Me, passkey_id: FromPath[int]) -> Response[None]:
    """Give a passkey another name."""
    form = await Form.of(request)
    try:
        await passkeys.rename_passkey(me.account.id, passkey_id, form.text("name"))
    except InvalidInput as error:
        return go(request, "/account#passkeys", failed(error))
    return go(request, "/account#passkeys", done(N_("Saved.")))


@get("/account/passkeys/{passkey_id:int}/remove", sync_to_thread=False)
def after_reload(request: HtmlRequest, passkey_id: FromPath[int]) -> Response[None]:  # noqa: ARG001 - part of the path
    """The address of a posted form, opened by itself."""
    return go(request, "/account#passkeys")


HANDLERS = [sign_in_options, sign_in, register_options, register, remove, rename, after_reload]
