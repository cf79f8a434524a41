"""What a page's handler knows of its request: who is signed in, in what language to answer, notes for the next page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias
from urllib.parse import quote

from litestar import Request, Response
from litestar.datastructures import Cookie
from litestar.di import NamedDependency
from litestar.enums import MediaType
from litestar.exceptions import NotAuthorizedException

from app.accounts import queries
from app.accounts.ceremony import RelyingParty
from app.accounts.views import AccountView, SignedIn
from app.core import clock, ratelimit
from app.core.ratelimit import Rate
from app.core.settings import Settings
from app.core.signing import Signer
from app.domain.errors import AppError
from app.ui.reference import Reference
from app.ui.render import Reader, render, translate

# Faster than anybody studies, slow enough that one account cannot keep a server busy.
_PACE = Rate(calls=300, seconds=60, burst=200)
_FLASH = "loci_flash"
_FLASH_SECONDS = 60
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]", "::1"})

HtmlRequest = Request[Any, Any, Any]


@dataclass(frozen=True, slots=True)
class WebContext:
    """Values that live as long as the application."""

    settings: Settings
    reference: Reference
    flash: Signer
    challenge: Signer

    @classmethod
    def of(cls, settings: Settings, reference: Reference) -> WebContext:
        """`reference` describes the MCP server, which the pages cannot import."""
        key = settings.signing_key()
        return cls(settings, reference, Signer(key, "flash"), Signer(key, "passkey challenge"))

    @property
    def session_cookie(self) -> str:
        """`__Host-` where the browser accepts it: set by this host alone, over https, for all paths."""
        return "__Host-loci" if self.settings.secure_cookies else "loci_session"


class SignInNeeded(NotAuthorizedException):
    """The page is for signed-in people."""


def web_context(request: HtmlRequest) -> WebContext:
    return request.app.state.web  # type: ignore[no-any-return]


async def maybe_signed_in(request: HtmlRequest) -> SignedIn | None:
    """Who is signed in, looked up once a request."""
    state = request.scope["state"]
    if "signed_in" not in state:
        web = web_context(request)
        token = request.cookies.get(web.session_cookie)
        state["signed_in"] = (
            await queries.signed_in(token, now=clock.now(), idle_days=web.settings.session_idle_days) if token else None
        )
    return state["signed_in"]  # type: ignore[no-any-return]


async def signed_in(request: HtmlRequest) -> SignedIn:
    """Who is signed in; raises `SignInNeeded`, which leads to the sign-in page and back."""
    found = await maybe_signed_in(request)
    if found is None:
        raise SignInNeeded
    if request.method == "POST":
        await pace(found)
    return found


async def pace(me: SignedIn) -> None:
    """Take one of the account's costly requests (every post, each search); raises `RateLimited`."""
    await ratelimit.check(f"web:{me.account.id}", _PACE)


# A page that needs an account says so by a parameter `me: Me`; `app.main` names `signed_in` as what gives it.
Me: TypeAlias = NamedDependency[SignedIn]


def address_of(request: HtmlRequest) -> str:
    """The address of the browser, as far as the trusted proxies tell."""
    return request.client.host if request.client else ""


def user_agent_of(request: HtmlRequest) -> str:
    """What the browser calls itself, cut to a line."""
    return request.headers.get("user-agent", "")[:200]


def party_of(request: HtmlRequest) -> RelyingParty:
    """This server as a passkey knows it: its public address, or on one's own machine the one in the address bar.

    A passkey belongs to a name, so `http://localhost:8000` can have some and `http://127.0.0.1:8000` cannot.
    """
    settings = web_context(request).settings
    if not settings.public_url and request.url.hostname in _LOOPBACK:
        return RelyingParty.of(f"{request.url.scheme}://{request.url.netloc}")
    return RelyingParty.of(settings.base_url)


def reader_of(request: HtmlRequest) -> Reader:
    """The reader of the answer: the signed-in person, else whom the browser describes."""
    me: SignedIn | None = request.scope["state"].get("signed_in")
    if me is None:
        return Reader()
    return Reader(me.account.language, me.account.zone)


def page(request: HtmlRequest, template: str, *, status: int = 200, nav: str = "", **context: Any) -> Response[str]:
    """An HTML page; the flash notes that wait are shown on it and forgotten."""
    web = web_context(request)
    me: SignedIn | None = request.scope["state"].get("signed_in")
    account: AccountView | None = me.account if me else None
    reader = reader_of(request)
    noted: list[tuple[str, str, dict[str, object]]] = web.flash.read(request.cookies.get(_FLASH), _FLASH_SECONDS) or []
    body = render(
        template,
        reader,
        lang=reader.language,
        account=account,
        page=nav,
        flash=[(kind, translate(reader, message, **params)) for kind, message, params in noted],
        now=clock.now(),
        settings=web.settings,
        status=status,
        attempt=request.scope["state"].get("attempt", ""),
        **context,
    )
    response = Response(body, status_code=status, media_type=MediaType.HTML)
    if noted:
        forget_cookie(request, response, _FLASH)
    return response


def go(request: HtmlRequest, path: str, *notes: tuple[str, str, dict[str, object]]) -> Response[None]:
    """303 to a page of ours, with notes (kind, message id, params) for it to show. Kinds: info, good, warn, bad."""
    response: Response[None] = Response(None, status_code=303, headers={"location": path})
    if notes:
        web = web_context(request)
        response.set_cookie(
            Cookie(
                _FLASH,
                value=web.flash.sign([list(note) for note in notes]),
                max_age=_FLASH_SECONDS,
                httponly=True,
                samesite="lax",
                secure=web.settings.secure_cookies,
            )
        )
    return response


def forget_cookie(request: HtmlRequest, response: Response[Any], name: str) -> None:
    """Make the browser drop a cookie; it keeps one named `__Host-…` unless the order to drop it is Secure as well."""
    secure = web_context(request).settings.secure_cookies
    response.set_cookie(Cookie(name, value="", max_age=0, expires=0, httponly=True, secure=secure))


def done(message: str, **params: object) -> tuple[str, str, dict[str, object]]:
    """A note that something was done."""
    return "good", message, params


def failed(error: AppError) -> tuple[str, str, dict[str, object]]:
    """A note that something was refused, and why."""
    return "bad", f"{error.message} {error.hint}".strip(), dict(error.params)


def own_path(path: str | None, default: str = "/") -> str:
    """`path`, fit for a header, if it leads to a page of ours, else `default`: never to another host."""
    if not path or not path.startswith("/") or path.startswith(("//", "/\\")) or any(ord(c) < 32 for c in path):
        return default
    return quote(path, safe="/?#%&=+:,;@!$'()*~[]", errors="replace")
