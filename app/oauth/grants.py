# pyright: basic, reportOptionalMemberAccess=false, reportArgumentType=false, reportReturnType=false
# pyright: reportAttributeAccessIssue=false
# Authlib carries no types, so strict checking would report each of its values; what leaves these modules is typed.
"""What OAuth 2.1 asks of the two grants and of revocation, where Authlib is laxer or has nothing.

S256 alone and always, RFC 8707, public clients at each endpoint, the grace of a refresh token. `server.work` is the
request's `Work`.
"""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any, ClassVar

from authlib.oauth2 import OAuth2Error
from authlib.oauth2.rfc6749 import InvalidRequestError, grants
from authlib.oauth2.rfc7009 import RevocationEndpoint
from authlib.oauth2.rfc7636 import CodeChallenge

from app.core.tokens import OAUTH_CODE, new_token, token_hash
from app.oauth.models import ProtocolClient, ProtocolToken, Request
from app.oauth.work import Work, belongs, revoke_family

CODE_LIFETIME = timedelta(seconds=60)
REUSE_KNOWN = timedelta(days=14)
"""How long a refresh token that was exchanged is kept, to notice that it comes again."""
REFRESH_GRACE = timedelta(minutes=2)
"""Within it an exchanged refresh token works again: two processes of one client, an answer that was lost."""
CODE_GRACE = timedelta(seconds=10)
"""Within it a code that comes again is refused and no more: a click or a request that was sent twice."""
CLIENT_AUTH_METHODS = ["client_secret_basic", "client_secret_post", "none"]


class InvalidTarget(OAuth2Error):
    """RFC 8707, section 2."""

    error = "invalid_target"
    description = "The resource is none of this server's MCP endpoints, or not the one that was agreed to"


class ProofKey(CodeChallenge):
    SUPPORTED_CODE_CHALLENGE_METHOD: ClassVar = ["S256"]

    def validate_code_challenge(self, grant: Any, redirect_uri: str) -> None:
        data = grant.request.payload.data
        if not data.get("code_challenge"):
            raise InvalidRequestError("PKCE is required: 'code_challenge' is missing")
        if data.get("code_challenge_method") != "S256":
            raise InvalidRequestError("'code_challenge_method' must be S256")
        if len(data["code_challenge"]) != 43:
            raise InvalidRequestError("Invalid 'code_challenge'")
        super().validate_code_challenge(grant, redirect_uri)

    def validate_code_verifier(self, grant: Any, result: Any) -> None:
        if not grant.request.form.get("code_verifier"):
            raise InvalidRequestError("Missing 'code_verifier'")
        super().validate_code_verifier(grant, result)


class ResourceIndicator:
    def __call__(self, grant: Any) -> None:
        grant.register_hook("after_validate_authorization_request_payload", self.at_authorization)
        grant.register_hook("after_validate_token_request", self.at_token)

    def at_authorization(self, grant: Any, _redirect_uri: str) -> None:
        work: Work = grant.server.work
        named = _resources(grant.request) or {work.policy.default_resource}
        if len(named) > 1 or not named <= set(work.policy.resources):
            raise InvalidTarget
        (work.resource,) = named

    def at_token(self, grant: Any, _result: Any) -> None:
        check_resource(grant, grant.request.authorization_code)


def check_resource(grant: Any, token: ProtocolToken) -> None:
    """A resource may be named again at the token endpoint, and must then be the one that was agreed to."""
    if not _resources(grant.request) <= {token.row["resource"]}:
        raise InvalidTarget


def _resources(request: Request) -> set[str]:
    return {value.removesuffix("/") for value in request.payload.datalist.get("resource", []) if value}


class CodeGrant(grants.AuthorizationCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = CLIENT_AUTH_METHODS
    server: Any

    def generate_authorization_code(self) -> str:
        return new_token(OAUTH_CODE)

    def save_authorization_code(self, code: str, request: Request) -> None:
        work = self.server.work
        assert work.connection is not None  # noqa: S101 - the caller loaded it with the person's consent
        work.then(
            "INSERT INTO oauth_authorization_code (account_id, token_hash, connection_id, family, scopes, resource, "
            "redirect_uri, code_challenge, attempt, created_at, expires_at) "
            "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
            work.connection["account_id"],
            token_hash(code),
            work.connection["id"],
            uuid.uuid4(),
            sorted(work.granted),
            work.resource,
            request.payload.redirect_uri or "",
            request.payload.data["code_challenge"],
            work.attempt,
            work.now,
            work.now + CODE_LIFETIME,
        )

    def validate_token_request(self) -> None:
        """OAuth 2.1 (draft, section 10.2): a client need not name its redirect again, since PKCE binds the code to it.

        One that does must name the same.
        """
        self.server.work.names_redirect = bool(self.request.form.get("redirect_uri"))
        super().validate_token_request()

    def query_authorization_code(self, code: str, client: ProtocolClient) -> ProtocolToken | None:  # noqa: ARG002 - Authlib's
        work = self.server.work
        row = work.code
        if row is None or not belongs(work, client.row):
            return None
        if row["used_at"] is not None:
            if work.now - row["used_at"] > CODE_GRACE:
                revoke_family(work, row, "code_reused")
            return None
        return ProtocolToken(row, work) if row["expires_at"] > work.now else None

    def delete_authorization_code(self, authorization_code: ProtocolToken) -> None:
        row = authorization_code.row
        self.server.work.then(
            "UPDATE oauth_authorization_code SET used_at = $3 WHERE account_id = $1 AND id = $2",
            row["account_id"],
            row["id"],
            self.server.work.now,
        )

    def authenticate_user(self, authorization_code: ProtocolToken) -> int:
        return authorization_code.row["account_id"]


class RefreshGrant(grants.RefreshTokenGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = CLIENT_AUTH_METHODS
    INCLUDE_NEW_REFRESH_TOKEN = True
    server: Any

    def authenticate_refresh_token(self, refresh_token: str) -> ProtocolToken | None:  # noqa: ARG002 - Authlib's
        work = self.server.work
        row = work.refresh
        if row is None or not belongs(work, self.request.client.row) or row["expires_at"] <= work.now:
            return None
        if row["used_at"] is not None and work.now - row["used_at"] > REFRESH_GRACE:
            revoke_family(work, row, "refresh_reused")
            return None
        return ProtocolToken(row, work)

    def validate_token_request(self) -> None:
        super().validate_token_request()
        check_resource(self, self.request.refresh_token)

    def authenticate_user(self, refresh_token: ProtocolToken) -> int:
        return refresh_token.row["account_id"]

    def revoke_old_credential(self, refresh_token: ProtocolToken) -> None:
        row, work = refresh_token.row, self.server.work
        work.then(
            "UPDATE oauth_refresh_token SET used_at = $3, expires_at = least(expires_at, $4) "
            "WHERE account_id = $1 AND id = $2 AND used_at IS NULL",
            row["account_id"],
            row["id"],
            work.now,
            work.now + REUSE_KNOWN,
        )


class Revocation(RevocationEndpoint):
    CLIENT_AUTH_METHODS = CLIENT_AUTH_METHODS
    server: Any

    def query_token(self, token_string: str, token_type_hint: str | None) -> ProtocolToken | None:  # noqa: ARG002 - Authlib's
        row = self.server.work.refresh or self.server.work.access
        return ProtocolToken(row, self.server.work) if row else None

    def revoke_token(self, token: ProtocolToken, request: Request) -> None:  # noqa: ARG002 - Authlib's
        work = self.server.work
        if work.refresh is not None:
            revoke_family(work, token.row, "revoked")
        else:
            work.event = "revoked"
            work.then(
                "DELETE FROM oauth_access_token WHERE account_id = $1 AND id = $2",
                token.row["account_id"],
                token.row["id"],
            )
