"""Endpoints of the authorization server for machines: token, registration, revocation, metadata.

They carry no cookie, so any page may call them (CORS), and they answer in JSON whatever happens.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl

from litestar import HttpMethod, Request, Response, Router, get, post, route
from litestar.enums import MediaType
from litestar.exceptions import HTTPException
from litestar.handlers import HTTPRouteHandler

from app.accounts.throttle import network
from app.core import clock, logs
from app.core.ratelimit import Rate, check
from app.core.settings import Settings
from app.domain.errors import AppError, RateLimited
from app.domain.scopes import DEFAULT_SCOPES, format_scopes
from app.oauth import clients, exchange
from app.oauth.grants import CLIENT_AUTH_METHODS
from app.oauth.work import Answer, Parameters
from app.web.attempts import authorization_context
from app.web.context import address_of

_MOST_BYTES = 65_536
_MOST_FIELDS = 40
# Hosts register a client for each of their people, from few addresses.
_REGISTRATIONS = Rate(calls=60, seconds=60, burst=200)
# Refused requests of one address: enough for any honest host, too few to wear the database out.
_REFUSALS = Rate(calls=300, seconds=60, burst=300)
_CORS = {"access-control-allow-origin": "*"}
_NO_STORE = {"cache-control": "no-store", "pragma": "no-cache"}
_PREFLIGHT = {
    **_CORS,
    "access-control-allow-methods": "GET, POST, OPTIONS",
    "access-control-allow-headers": "Authorization, Content-Type, Accept, Mcp-Protocol-Version",
    "access-control-max-age": "7200",
}
_FORM = "application/x-www-form-urlencoded"
_log = logs.get_logger(__name__)

MachineRequest = Request[Any, Any, Any]


@post("/token", status_code=200)
async def token(request: MachineRequest) -> Response[Any]:
    """RFC 6749, section 3.2."""
    pairs = await _form(request)
    if isinstance(pairs, Answer):
        return await _counted(request, pairs)
    policy = authorization_context(request.app.state).policy
    authorization = request.headers.get("authorization", "")
    return await _counted(request, await exchange.exchange(policy, pairs, authorization, now=clock.now()))


@post("/revoke", status_code=200)
async def revoke(request: MachineRequest) -> Response[Any]:
    """RFC 7009."""
    pairs = await _form(request)
    if isinstance(pairs, Answer):
        return await _counted(request, pairs)
    policy = authorization_context(request.app.state).policy
    authorization = request.headers.get("authorization", "")
    return await _counted(request, await exchange.revoke(policy, pairs, authorization, now=clock.now()))


@post("/register", status_code=201)
async def register(request: MachineRequest) -> Response[Any]:
    """RFC 7591: open, and limited by address."""
    await check(f"oauth-register:{network(address_of(request))}", _REGISTRATIONS)
    try:
        given = clients.read_metadata(await request.body())
    except clients.MetadataRefused as refused:
        _log.info("oauth_register", outcome=refused.error)
        return await _counted(request, exchange.error(refused.error, refused.description))
    answer = await clients.register(given, now=clock.now())
    _log.info("oauth_register", outcome="ok", client=answer["client_id"])
    return _json(Answer(201, answer, {}))


def metadata(settings: Settings) -> dict[str, Any]:
    """The metadata of RFC 8414, with what RFC 9207 and client-id metadata documents add."""
    base = settings.base_url
    return {
        "issuer": base,
        "authorization_endpoint": f"{base}/authorize",
        "token_endpoint": f"{base}/token",
        "registration_endpoint": f"{base}/register",
        "revocation_endpoint": f"{base}/revoke",
        # `offline_access` is left out: a refresh token comes with every access token.
        "scopes_supported": format_scopes(DEFAULT_SCOPES).split(),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": list(clients.GRANT_TYPES),
        "token_endpoint_auth_methods_supported": CLIENT_AUTH_METHODS,
        "revocation_endpoint_auth_methods_supported": CLIENT_AUTH_METHODS,
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": True,
        "client_id_metadata_document_supported": True,
    }


def create_authorization_routes(settings: Settings, endpoints: list[str]) -> Router:
    """The endpoints, and the metadata wherever clients look for it.

    RFC 8414 puts it at the root; clients of an MCP endpoint with a path also ask at the path's own places, with the
    well-known part before the path or after it, and under OpenID's name. `endpoints` are the paths of those.
    """
    paths = [
        "/.well-known/oauth-authorization-server",
        "/.well-known/openid-configuration",
        *(f"/.well-known/oauth-authorization-server{path}" for path in endpoints),
        *(f"/.well-known/openid-configuration{path}" for path in endpoints),
        *(f"{path}/.well-known/openid-configuration" for path in endpoints),
    ]
    document = metadata(settings)

    @get(paths, sync_to_thread=False)
    def server_metadata() -> Response[dict[str, Any]]:
        return Response(document, media_type=MediaType.JSON, headers={**_CORS, "cache-control": "public, max-age=300"})

    @route([*paths, "/token", "/register", "/revoke"], http_method=HttpMethod.OPTIONS, sync_to_thread=False)
    def preflight() -> Response[None]:
        return Response(None, status_code=204, headers=_PREFLIGHT)

    # The preflight first: a path without OPTIONS is given the framework's own.
    handlers: list[HTTPRouteHandler] = [preflight, token, revoke, register, server_metadata]
    return Router(
        "/",
        route_handlers=handlers,
        before_request=_as_it_is,  # in place of the check for other sites' pages, which may call these
        request_max_body_size=_MOST_BYTES,
        exception_handlers={AppError: _app_error, HTTPException: _http_error, Exception: _unexpected},
    )


async def _as_it_is(request: MachineRequest) -> None:
    """Nothing is refused for where it comes from."""


async def _form(request: MachineRequest) -> Parameters | Answer:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _FORM:
        return exchange.error("invalid_request", f"Send the parameters as {_FORM}")
    try:
        return parse_qsl(
            (await request.body()).decode(), keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="strict"
        )
    except ValueError:
        return exchange.error("invalid_request", "The body is no form")


async def _counted(request: MachineRequest, answer: Answer) -> Response[Any]:
    if answer.status >= 400:
        await check(f"oauth-refused:{network(address_of(request))}", _REFUSALS)
    return _json(answer)


def _json(answer: Answer) -> Response[Any]:
    kept = {name: value for name, value in answer.headers.items() if name.lower() == "www-authenticate"}
    return Response(
        dict(answer.body),
        status_code=answer.status,
        media_type=MediaType.JSON,
        headers={**kept, **_CORS, **_NO_STORE, "access-control-expose-headers": "WWW-Authenticate, Retry-After"},
    )


def _app_error(_request: MachineRequest, error: AppError) -> Response[Any]:
    if isinstance(error, RateLimited):
        response = _json(exchange.error("temporarily_unavailable", "Too many requests in a short time", 429))
        response.headers["retry-after"] = str(error.retry_after_seconds)
        return response
    return _json(exchange.error("temporarily_unavailable", "Try again in a few seconds", 503))


def _http_error(_request: MachineRequest, error: HTTPException) -> Response[Any]:
    return _json(exchange.error("invalid_request", "The request is too large or not complete", error.status_code))


def _unexpected(_request: MachineRequest, error: Exception) -> Response[Any]:
    incident = logs.incident_id()
    _log.error("unexpected_failure", incident=incident, exc_info=error)
    return _json(exchange.error("server_error", f"Incident {incident}", 500))
