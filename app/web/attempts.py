"""An attempt to connect a client: its identifier, and the request that waits while the person signs in.

The request travels signed in the address, so two tabs do not disturb each other and signing in, signing up or
changing the account keeps it. The identifier also stays in a cookie for a while: it is on every log line of the
browser until then, the sign-in page's included, and on every error page that the person may report.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from litestar import Response
from litestar.datastructures import Cookie, State

from app.core import logs
from app.core.settings import Settings
from app.core.signing import Signer
from app.domain.scopes import Scope
from app.oauth.consent import PARAMETERS
from app.oauth.documents import ClientDocuments
from app.oauth.views import Policy
from app.oauth.work import Parameters
from app.web.context import HtmlRequest, forget_cookie

PENDING_SECONDS = 1800
_COOKIE = "loci_attempt"
_ID = re.compile(r"ofid_[0-9a-f]{20}")


@dataclass(frozen=True, slots=True)
class AuthorizationContext:
    """What the pages and endpoints of the authorization server share; lives as long as the application."""

    policy: Policy
    documents: ClientDocuments
    signer: Signer

    @classmethod
    def of(
        cls, settings: Settings, endpoints: dict[str, frozenset[Scope]], documents: ClientDocuments | None = None
    ) -> AuthorizationContext:
        """`endpoints` are the paths of the MCP endpoints, with the scopes that their tools need; the first leads."""
        resources = {settings.base_url + path: scopes for path, scopes in endpoints.items()}
        policy = Policy(settings.base_url, resources, next(iter(resources)))
        return cls(policy, documents or ClientDocuments(), Signer(settings.signing_key(), "authorization request"))


def authorization_context(state: State) -> AuthorizationContext:
    return state.authorization  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True)
class Attempt:
    """A request to connect a client, under its identifier."""

    id: str
    pairs: Parameters

    @classmethod
    def begin(cls, pairs: Iterable[tuple[str, str]] = ()) -> Attempt:
        """A new attempt with what is known of the parameters."""
        kept = [pair for pair in pairs if pair[0] in PARAMETERS]
        return cls("ofid_" + secrets.token_hex(10), kept)

    @classmethod
    def read(cls, text: str, signer: Signer) -> Attempt | None:
        """The attempt that waits in `text`, or None when it is too old or not ours."""
        value: Any = signer.read(text, PENDING_SECONDS)
        return cls(value[0], [(name, given) for name, given in value[1]]) if value else None

    def signed(self, signer: Signer) -> str:
        return signer.sign([self.id, [list(pair) for pair in self.pairs]])

    def path(self, signer: Signer) -> str:
        """The address at which the attempt goes on."""
        return "/authorize?" + urlencode({"pending": self.signed(signer)})


def bind(request: HtmlRequest, attempt_id: str) -> None:
    """From here on the request's log lines and error pages carry the identifier."""
    request.scope["state"]["attempt"] = attempt_id
    logs.bind(attempt=attempt_id)


def bind_from_cookie(request: HtmlRequest) -> None:
    """The same for a page between, such as signing in."""
    held = request.cookies.get(_COOKIE, "")
    if _ID.fullmatch(held):
        bind(request, held)


def remember(response: Response[Any], attempt_id: str, *, secure: bool) -> None:
    """Let the pages until the decision know of the attempt."""
    response.set_cookie(
        Cookie(_COOKIE, value=attempt_id, max_age=PENDING_SECONDS, httponly=True, samesite="lax", secure=secure)
    )


def forget(request: HtmlRequest, response: Response[Any]) -> None:
    """The attempt is over."""
    forget_cookie(request, response, _COOKIE)
