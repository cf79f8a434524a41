"""The authorization endpoint without its pages: is the request sound, what may be ticked, what was decided."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from app.core.db import atomic, execute, fetch_row
from app.domain.errors import N_, InvalidInput
from app.domain.redirects import destination, matches
from app.domain.scopes import Scope
from app.oauth.clients import MetadataRefused
from app.oauth.core import Core
from app.oauth.documents import ClientDocuments
from app.oauth.models import Request
from app.oauth.views import Client, Consent, Policy
from app.oauth.work import Parameters, ProtocolError, Work

# What may be in a request; the rest is passed over. One that comes twice is refused, but for the first.
PARAMETERS = (
    "resource",
    "response_type",
    "client_id",
    "redirect_uri",
    "scope",
    "state",
    "code_challenge",
    "code_challenge_method",
)
_IDENTITY = frozenset({Scope.EMAIL, Scope.PROFILE, Scope.OFFLINE_ACCESS})
_LONGEST_REQUEST = 8000


class AuthorizationRefused(Exception):
    """The request cannot be granted. `location` is where the client is told so; without one the person is told.

    `error` and `description` are those of RFC 6749, section 4.1.2.1, or of the client's metadata.
    """

    def __init__(self, error: str, description: str, location: str = "") -> None:
        super().__init__(error)
        self.error = error
        self.description = description
        self.location = location


async def check(
    policy: Policy, documents: ClientDocuments, pairs: Parameters, *, account_id: int | None, now: datetime, asker: str
) -> Consent:
    """What the person is to be asked, or `AuthorizationRefused`. Raises `RateLimited` when documents are fetched."""
    client = await _client(documents, pairs, now, asker)
    work = Work(policy, now, client=client)
    request, redirect_uri = _judge(work, pairs)
    asked = frozenset(Scope(word) for word in request.granted_scope.split())
    offered = policy.resources[work.resource] if asked <= _IDENTITY else asked
    kept = frozenset[Scope]()
    if account_id is not None:
        row = await fetch_row(
            "SELECT scopes FROM oauth_connection WHERE account_id = $1 AND client = $2", account_id, client.id
        )
        kept = frozenset(map(Scope, row["scopes"])) if row else kept
    # A client that needs more asks anew; what it was allowed before stays in its new token.
    offered = (offered | kept) - {Scope.OFFLINE_ACCESS}
    return Consent(client, redirect_uri, work.resource, offered, bool(kept))


async def allow(
    policy: Policy,
    pairs: Parameters,
    consent: Consent,
    *,
    account_id: int,
    ticked: Collection[Scope],
    attempt: str,
    now: datetime,
) -> str:
    """The person agrees: where the browser goes next, with a code. Raises `InvalidInput` when nothing is ticked.

    What was offered and not ticked is taken away from the client's older tokens as well.
    """
    granted = frozenset(ticked) & consent.offered
    if not granted:
        raise InvalidInput(N_("Nothing is ticked."), N_("Tick what the app may do, or press Cancel."), field="scope")
    work = Work(policy, now, client=consent.client, attempt=attempt)
    if _asks_to_stay(pairs):
        granted |= {Scope.OFFLINE_ACCESS}
    work.granted = granted
    async with atomic():
        work.connection = await fetch_row(
            "INSERT INTO oauth_connection AS c (account_id, client, client_name, redirect_host, scopes, created_at, "
            "agreed_at) VALUES ($1, $2, $3, $4, $5, $6, $6) ON CONFLICT (account_id, client) DO UPDATE SET "
            "client_name = excluded.client_name, redirect_host = excluded.redirect_host, "
            "agreed_at = excluded.agreed_at, "
            "scopes = ARRAY(SELECT unnest(c.scopes) EXCEPT SELECT unnest($7::text[]) UNION SELECT unnest($5::text[])) "
            "RETURNING id, account_id, client, scopes",
            account_id,
            consent.client.id,
            client_label(consent.client),
            destination(consent.redirect_uri).host,
            sorted(granted),
            now,
            sorted(consent.offered),
        )
        location = _answer(work, pairs, account_id)
        for sql, *values in work.statements:
            await execute(sql, *values)
    return location


def deny(policy: Policy, pairs: Parameters, consent: Consent, *, now: datetime) -> str:
    """The person cancels: where the browser goes next, with `access_denied`."""
    return _answer(Work(policy, now, client=consent.client), pairs, None)


def client_label(client: Client) -> str:
    """What a client is called in lists: its own name, or else where it is."""
    return client.name or destination(client.redirect_uris[0]).host


async def _client(documents: ClientDocuments, pairs: Parameters, now: datetime, asker: str) -> Client:
    values = [value for name, value in pairs if name == "client_id" and value]
    # The state belongs to the client and may hold anything; it is only ever sent back, encoded.
    unreadable = any(not value.isascii() or not value.isprintable() for name, value in pairs if name != "state")
    if unreadable or sum(len(name) + len(value) for name, value in pairs) > _LONGEST_REQUEST:
        raise AuthorizationRefused("invalid_request", "The request is too long or holds what no parameter may hold")
    if len(values) != 1:
        raise AuthorizationRefused("invalid_request", "The request does not name one client_id")
    try:
        client = await documents.find(values[0], now=now, asker=asker)
    except MetadataRefused as refused:
        raise AuthorizationRefused(refused.error, refused.description) from None
    if client is None:
        raise AuthorizationRefused("invalid_client", "The client is not registered here")
    return client


def _judge(work: Work, pairs: Parameters) -> tuple[Request, str]:
    """The request as Authlib accepts it, and its redirect address; nothing is sent to an address that is not known."""
    assert work.client is not None  # noqa: S101 - found before
    redirect_uri = _redirect(work.client, pairs)
    given = dict(pairs)
    core = Core(work)
    request = Request("GET", "/authorize", pairs, {})
    try:
        if _twice(pairs):
            raise ProtocolError("invalid_request", "A parameter is in the request twice")
        if not given.get("response_type"):
            raise ProtocolError("invalid_request", "Missing 'response_type'")
        if given["response_type"] != "code":
            raise ProtocolError("unsupported_response_type", "response_type is code")
        core.check_authorization(request)
    except ProtocolError as refused:
        location = core.refusal_location(redirect_uri, refused.error, refused.description, given.get("state", ""))
        raise AuthorizationRefused(refused.error, refused.description, location) from None
    return request, redirect_uri


def _redirect(client: Client, pairs: Parameters) -> str:
    values = [value for name, value in pairs if name == "redirect_uri" and value]
    if not values and len(client.redirect_uris) == 1:
        return client.redirect_uris[0]
    if len(values) != 1:
        raise AuthorizationRefused("invalid_request", "The request does not name one redirect_uri")
    redirect_uri = values[0]
    if not any(matches(registered, redirect_uri) for registered in client.redirect_uris):
        raise AuthorizationRefused("invalid_request", "The redirect_uri is not one that the client has registered")
    return redirect_uri


def _twice(pairs: Parameters) -> bool:
    names = [name for name, _ in pairs if name != "resource"]
    return len(names) != len(set(names))


def _answer(work: Work, pairs: Parameters, account_id: int | None) -> str:
    request = Request("POST", "/authorize", pairs, {})
    return Core(work).authorization_answer(request, account_id)


def _asks_to_stay(pairs: Parameters) -> bool:
    return any(name == "scope" and Scope.OFFLINE_ACCESS in value.split() for name, value in pairs)
