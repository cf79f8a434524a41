# pyright: basic, reportOptionalMemberAccess=false, reportArgumentType=false, reportReturnType=false
# pyright: reportAttributeAccessIssue=false
# Authlib carries no types, so strict checking would report each of its values; what leaves these modules is typed.
"""Authlib's protocol engine on rows that were loaded before: it decides and queues, `app.oauth` loads and writes.

Authlib is synchronous. One `Core` serves one request: it reads from a `Work` the rows that the request names, locked
in the caller's transaction, and appends to it the statements that carry out what was decided.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from authlib.common.urls import add_params_to_uri
from authlib.oauth2 import OAuth2Error
from authlib.oauth2.rfc6749 import AuthorizationServer, InvalidClientError, InvalidGrantError, InvalidScopeError
from authlib.oauth2.rfc9207 import IssuerParameter

from app.core.tokens import OAUTH_ACCESS, OAUTH_REFRESH, new_token, token_hash
from app.oauth.grants import CodeGrant, ProofKey, RefreshGrant, ResourceIndicator, Revocation
from app.oauth.models import SCOPES, ProtocolClient, Request
from app.oauth.work import Answer, ProtocolError, Work

ACCESS_LIFETIME = timedelta(hours=1)
REFRESH_LIFETIME = timedelta(days=90)


class _Issuer(IssuerParameter):
    def __init__(self, issuer: str) -> None:
        self._issuer = issuer

    def get_issuer(self) -> str:
        return self._issuer


class Core(AuthorizationServer):
    """Authlib's server for one request."""

    def __init__(self, work: Work) -> None:
        super().__init__()
        self.work = work
        self.register_grant(CodeGrant, [ProofKey(), ResourceIndicator()])
        self.register_grant(RefreshGrant)
        self.register_endpoint(Revocation)
        self.register_extension(_Issuer(work.policy.issuer))
        self.register_token_generator("default", self._new_tokens)

    def token_answer(self, request: Request) -> Answer:
        """What the token endpoint answers."""
        return self.create_token_response(request)

    def revocation_answer(self, request: Request) -> Answer:
        """What the revocation endpoint answers."""
        return self.create_endpoint_response("revocation", request)

    def check_authorization(self, request: Request) -> None:
        """Raises `ProtocolError` when the request is not sound; else `request` and `work` are filled in."""
        try:
            self.get_consent_grant(request)
        except OAuth2Error as error:
            raise ProtocolError(error.error, error.get_error_description() or error.error) from None

    def authorization_answer(self, request: Request, account_id: int | None) -> str:
        """Where the browser goes once the person has decided; without an account they have cancelled."""
        grant = self.get_consent_grant(request, account_id)
        return self.create_authorization_response(request, grant_user=account_id, grant=grant).location

    def refusal_location(self, redirect_uri: str, error: str, description: str, state: str) -> str:
        """Where the browser tells the client of a failure."""
        told = OAuth2Error(description, error=error, redirect_uri=redirect_uri, state=state)
        return add_params_to_uri(dict(told()[2])["Location"], [("iss", self.work.policy.issuer)])

    def query_client(self, client_id: str) -> ProtocolClient | None:
        client = self.work.client
        return ProtocolClient(client) if client is not None and client.client_id == client_id else None

    def authenticate_client(self, request: Any, methods: list[str], endpoint: str = "token") -> ProtocolClient:
        """As Authlib's, with 401 in each case: hosts take it as the sign to register anew."""
        try:
            return super().authenticate_client(request, methods, endpoint)
        except InvalidClientError:
            raise InvalidClientError("The client is unknown, or its secret is not right", status_code=401) from None

    def validate_requested_scope(self, scope: str | None) -> None:
        if scope and not SCOPES.intersection(scope.split()):
            raise InvalidScopeError

    def _new_tokens(self, scope: str, **_given: Any) -> dict[str, Any]:
        return {
            "access_token": new_token(OAUTH_ACCESS),
            "token_type": "Bearer",
            "expires_in": int(ACCESS_LIFETIME.total_seconds()),
            "refresh_token": new_token(OAUTH_REFRESH),
            "scope": scope,
        }

    def save_token(self, token: dict[str, Any], request: Any) -> None:  # noqa: ARG002 - Authlib's
        """An access token has the scopes that were asked for now, a refresh token always those of its family."""
        work = self.work
        source = work.code or work.refresh
        assert source is not None  # noqa: S101 - nothing else leads to a token
        assert work.connection is not None  # noqa: S101 - loaded with the source
        allowed = set(work.connection["scopes"])
        now_granted = [word for word in token["scope"].split() if word in allowed]
        if not now_granted:
            raise InvalidGrantError("Nothing of this scope is allowed any longer")
        token["scope"] = " ".join(now_granted)
        for table, value, scopes, lifetime in (
            ("oauth_access_token", token["access_token"], now_granted, ACCESS_LIFETIME),
            ("oauth_refresh_token", token["refresh_token"], list(source["scopes"]), REFRESH_LIFETIME),
        ):
            work.then(
                f"INSERT INTO {table} (account_id, token_hash, connection_id, family, scopes, resource, created_at, "  # noqa: S608 - two names
                "expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
                source["account_id"],
                token_hash(value),
                source["connection_id"],
                source["family"],
                scopes,
                source["resource"],
                work.now,
                work.now + lifetime,
            )
        work.then(
            "UPDATE oauth_client SET used_at = $2 WHERE id = $1 AND used_at IS NULL",
            work.connection["client"],
            work.now,
        )

    def send_signal(self, name: str, *args: Any, **kwargs: Any) -> None:
        """Nobody listens."""

    def create_oauth2_request(self, request: Any) -> Any:
        return request

    def handle_response(self, status: int, body: Any, headers: Iterable[tuple[str, str]]) -> Answer:
        return Answer(status, dict(body) if body else {}, dict(headers))
