# pyright: basic, reportOptionalMemberAccess=false, reportArgumentType=false, reportReturnType=false
# pyright: reportAttributeAccessIssue=false
# Authlib carries no types, so strict checking would report each of its values; what leaves these modules is typed.
"""Rows and requests in the form that Authlib reads them."""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Mapping

from asyncpg import Record
from authlib.oauth2.rfc6749 import OAuth2Payload, OAuth2Request

from app.core.tokens import token_hash
from app.domain.redirects import matches
from app.domain.scopes import Scope, format_scopes
from app.oauth.views import Client
from app.oauth.work import Parameters, Work, belongs

SCOPES = frozenset(scope.value for scope in Scope)


class Payload(OAuth2Payload):
    def __init__(self, pairs: Parameters) -> None:
        self._lists: defaultdict[str, list[str]] = defaultdict(list)
        for name, value in pairs:
            self._lists[name].append(value)
        # An empty parameter is one that was left out (RFC 6749, section 3.1).
        self._first = {name: values[0] for name, values in self._lists.items() if values[0]}

    @property
    def data(self) -> dict[str, str]:
        return self._first

    @property
    def datalist(self) -> defaultdict[str, list[str]]:
        return self._lists


class Request(OAuth2Request):
    """A request as Authlib reads it. Transport security is the reverse proxy's, so the address is given as https."""

    def __init__(self, method: str, path: str, pairs: Parameters, headers: Mapping[str, str]) -> None:
        super().__init__(method, "https://loci" + path, headers=dict(headers))
        self.payload = Payload(pairs)

    @property
    def values(self) -> dict[str, str]:
        """The parameters, the first of each name; empty ones are left out."""
        return self.payload.data

    @property
    def granted_scope(self) -> str:
        """What Authlib made of the scope that was asked for."""
        return self.scope or ""

    @property
    def args(self) -> dict[str, str]:
        return self.payload.data

    @property
    def form(self) -> dict[str, str]:
        return self.payload.data


class ProtocolClient:
    def __init__(self, client: Client) -> None:
        self.row = client
        self.client_id = client.client_id

    def get_client_id(self) -> str:
        return self.row.client_id

    def get_default_redirect_uri(self) -> str | None:
        return self.row.redirect_uris[0] if len(self.row.redirect_uris) == 1 else None

    def get_allowed_scope(self, scope: str | None) -> str:
        """What is known of what was asked for; other words are passed over, as RFC 6749, section 3.3, allows."""
        return format_scopes(Scope(word) for word in (scope or "").split() if word in SCOPES)

    def check_redirect_uri(self, redirect_uri: str) -> bool:
        return any(matches(registered, redirect_uri) for registered in self.row.redirect_uris)

    def check_client_secret(self, client_secret: str) -> bool:
        stored = self.row.secret_hash
        return stored is not None and secrets.compare_digest(stored, token_hash(client_secret))

    def check_endpoint_auth_method(self, method: str, _endpoint: str) -> bool:
        """A public client shows no secret; one that has a secret may send it in either place."""
        return (method == "none") == (self.row.auth_method == "none")

    def check_response_type(self, response_type: str) -> bool:
        return response_type == "code"

    def check_grant_type(self, grant_type: str) -> bool:
        return grant_type in {"authorization_code", "refresh_token"}


class ProtocolToken:
    """A row of a code, a refresh token or an access token."""

    code_challenge_method = "S256"

    def __init__(self, row: Record, work: Work) -> None:
        self.row = row
        self._work = work

    @property
    def code_challenge(self) -> str:
        return self.row["code_challenge"]

    def get_redirect_uri(self) -> str | None:
        """What the token request must repeat, None when it names none."""
        return self.row["redirect_uri"] if self._work.names_redirect else None

    def get_scope(self) -> str:
        return format_scopes(Scope(word) for word in self.row["scopes"])

    def check_client(self, client: ProtocolClient) -> bool:
        return belongs(self._work, client.row)
