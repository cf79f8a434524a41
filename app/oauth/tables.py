"""Rows of the authorization server. Codes, tokens and client secrets are stored as hashes."""

from __future__ import annotations

from piccolo.columns import UUID, Array, BigInt, BigSerial, Bytea, Text, Timestamptz
from piccolo.table import Table

from app.core.db import DB


class OAuthClient(Table, tablename="oauth_client", db=DB):
    """A program that asks people for access: registered by itself, or described by a document at its `client_id`."""

    id = BigSerial(primary_key=True)
    client_id = Text(unique=True)
    kind = Text(help_text="registered or document")
    name = Text(help_text="What the program calls itself")
    redirect_uris = Array(base_column=Text())
    auth_method = Text(help_text="none, client_secret_post or client_secret_basic")
    secret_hash = Bytea(null=True, default=None)
    created_at = Timestamptz()
    used_at = Timestamptz(null=True, default=None, help_text="First token; a client without one expires")
    fresh_until = Timestamptz(null=True, default=None, help_text="When its document is fetched anew")


class OAuthConnection(Table, tablename="oauth_connection", db=DB):
    """What a person has allowed a client. Disconnecting erases it, and every code and token with it."""

    id = BigSerial(primary_key=True)
    account_id = BigInt()
    client = BigInt(help_text="Row of oauth_client")
    client_name = Text(help_text="Its name when the person last agreed")
    redirect_host = Text(help_text="Where the person was last sent back to")
    scopes = Array(base_column=Text(), help_text="What is allowed now: a token reaches no further, whatever it carries")
    created_at = Timestamptz()
    agreed_at = Timestamptz(help_text="The last time that the person agreed")
    used_at = Timestamptz(null=True, default=None)


class OAuthAuthorizationCode(Table, tablename="oauth_authorization_code", db=DB):
    """The short-lived proof that a person agreed, exchanged once. `family` names all tokens that come of it."""

    id = BigSerial(primary_key=True)
    account_id = BigInt()
    token_hash = Bytea(unique=True)
    connection_id = BigInt()
    family = UUID()
    scopes = Array(base_column=Text())
    resource = Text(help_text="The MCP endpoint that the tokens are for (RFC 8707)")
    redirect_uri = Text(help_text="Empty when the request named none")
    code_challenge = Text()
    attempt = Text(help_text="The identifier shown on the consent page")
    created_at = Timestamptz()
    expires_at = Timestamptz()
    used_at = Timestamptz(null=True, default=None)


class OAuthAccessToken(Table, tablename="oauth_access_token", db=DB):
    """A bearer token of one MCP endpoint."""

    id = BigSerial(primary_key=True)
    account_id = BigInt()
    token_hash = Bytea(unique=True)
    connection_id = BigInt()
    family = UUID()
    scopes = Array(base_column=Text())
    resource = Text()
    created_at = Timestamptz()
    expires_at = Timestamptz()


class OAuthRefreshToken(Table, tablename="oauth_refresh_token", db=DB):
    """Gives a new pair of tokens once, and again within the grace of `app.oauth.exchange`."""

    id = BigSerial(primary_key=True)
    account_id = BigInt()
    token_hash = Bytea(unique=True)
    connection_id = BigInt()
    family = UUID()
    scopes = Array(base_column=Text())
    resource = Text()
    created_at = Timestamptz()
    expires_at = Timestamptz()
    used_at = Timestamptz(null=True, default=None, help_text="When it was first exchanged")
