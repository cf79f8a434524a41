"""Clients that register themselves (RFC 7591): what they may ask to be, how one is found, when one is forgotten."""

from __future__ import annotations

import re
import secrets
import unicodedata
from datetime import datetime, timedelta
from typing import Annotated, Any, Final, cast

import msgspec
from asyncpg import Record
from msgspec import Meta

from app.core.db import execute, fetch_row
from app.core.tokens import OAUTH_SECRET, new_token, token_hash
from app.domain.redirects import RedirectRefused, check_redirect
from app.oauth.views import AuthMethod, Client

UNUSED_CLIENT = timedelta(days=1)
MOST_REDIRECTS: Final = 20
AUTH_METHODS: Final[tuple[AuthMethod, ...]] = ("none", "client_secret_post", "client_secret_basic")
GRANT_TYPES: Final = ("authorization_code", "refresh_token")
CLIENT_COLUMNS = "id, client_id, kind, name, redirect_uris, auth_method, secret_hash, fresh_until"

_NAME_LETTERS = 80
_LONGEST_CLIENT_ID = 2000
_CLIENT_ID = re.compile(r"[!-~]+")


class MetadataRefused(Exception):
    """A client's description cannot be accepted. `error` is the word of RFC 7591, section 3.2.2."""

    def __init__(self, error: str, description: str) -> None:
        super().__init__(description)
        self.error = error
        self.description = description


class ClientMetadata(msgspec.Struct, kw_only=True):
    """What is read of a client's description; RFC 7591 has the rest ignored."""

    redirect_uris: Annotated[list[str], Meta(min_length=1, max_length=MOST_REDIRECTS)]
    client_name: str = ""
    token_endpoint_auth_method: str = "none"  # noqa: S105 - the name of a method
    grant_types: list[str] = msgspec.field(default_factory=lambda: list(GRANT_TYPES))
    response_types: list[str] = msgspec.field(default_factory=lambda: ["code"])


def read_metadata(body: bytes) -> ClientMetadata:
    """The description in a JSON body, checked; raises `MetadataRefused`."""
    try:
        given = msgspec.json.decode(body, type=ClientMetadata)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):  # ValidationError is a DecodeError
        raise MetadataRefused(
            "invalid_client_metadata", f"Send a JSON object whose redirect_uris are 1 to {MOST_REDIRECTS} addresses"
        ) from None
    for uri in given.redirect_uris:
        try:
            check_redirect(uri)
        except RedirectRefused as refused:
            raise MetadataRefused("invalid_redirect_uri", str(refused)) from None
    if given.token_endpoint_auth_method not in AUTH_METHODS:
        raise MetadataRefused("invalid_client_metadata", f"token_endpoint_auth_method is one of {_list(AUTH_METHODS)}")
    if "authorization_code" not in given.grant_types:
        raise MetadataRefused("invalid_client_metadata", "grant_types has authorization_code")
    if "code" not in given.response_types:
        raise MetadataRefused("invalid_client_metadata", "response_types has code")
    given.client_name = clean_name(given.client_name)
    return given


async def register(given: ClientMetadata, *, now: datetime) -> dict[str, Any]:
    """Add a client; gives the answer of RFC 7591, section 3.2.1. A secret is in it once and never again."""
    client_id = "loci_client_" + secrets.token_hex(16)
    secret = None if given.token_endpoint_auth_method == "none" else new_token(OAUTH_SECRET)  # noqa: S105 - likewise
    await execute(
        "INSERT INTO oauth_client (client_id, kind, name, redirect_uris, auth_method, secret_hash, created_at) "
        "VALUES ($1, 'registered', $2, $3, $4, $5, $6)",
        client_id,
        given.client_name,
        given.redirect_uris,
        given.token_endpoint_auth_method,
        token_hash(secret) if secret else None,
        now,
    )
    answer: dict[str, Any] = {
        "client_id": client_id,
        "client_id_issued_at": int(now.timestamp()),
        "redirect_uris": given.redirect_uris,
        "token_endpoint_auth_method": given.token_endpoint_auth_method,
        "grant_types": [grant for grant in GRANT_TYPES if grant in given.grant_types or grant == "refresh_token"],
        "response_types": ["code"],
    }
    if given.client_name:
        answer["client_name"] = given.client_name
    if secret:
        answer |= {"client_secret": secret, "client_secret_expires_at": 0}
    return answer


async def find_client(client_id: str | None) -> Client | None:
    """The client of that id, as it is stored; a metadata document is not fetched here."""
    if not client_id or len(client_id) > _LONGEST_CLIENT_ID or not _CLIENT_ID.fullmatch(client_id):
        return None
    row = await fetch_row(
        f"SELECT {CLIENT_COLUMNS} FROM oauth_client WHERE client_id = $1",  # noqa: S608 - constants
        client_id,
    )
    return client_of(row) if row else None


def client_of(row: Record) -> Client:
    """A row of `CLIENT_COLUMNS`."""
    return Client(
        id=row["id"],
        client_id=row["client_id"],
        kind=row["kind"],
        name=row["name"],
        redirect_uris=tuple(row["redirect_uris"]),
        auth_method=cast("AuthMethod", row["auth_method"]),
        secret_hash=row["secret_hash"],
        fresh_until=row["fresh_until"],
    )


def clean_name(text: str) -> str:
    """What a client calls itself, as one line of letters that can be seen: no controls and no marks that turn text."""
    line = unicodedata.normalize("NFC", text[: 4 * _NAME_LETTERS])
    seen = (" " if letter.isspace() else letter for letter in line if unicodedata.category(letter)[0] != "C")
    return " ".join("".join(seen).split())[:_NAME_LETTERS].strip()


async def sweep_clients(now: datetime) -> None:
    """Forget the clients that never completed a flow; one that did is kept for ever."""
    await execute(
        "DELETE FROM oauth_client WHERE used_at IS NULL AND created_at < $1 "
        "AND NOT EXISTS (SELECT 1 FROM oauth_connection WHERE client = oauth_client.id)",
        now - UNUSED_CLIENT,
    )


def _list(words: tuple[str, ...]) -> str:
    return ", ".join(words)
