"""Clients described by a document at their `client_id` (OAuth Client ID Metadata Documents)."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import urlsplit

import msgspec

from app.core.db import fetch_row
from app.core.ratelimit import Rate, check
from app.oauth.clients import CLIENT_COLUMNS, MetadataRefused, client_of, find_client, read_metadata
from app.oauth.fetching import FetchRefused, Get, Resolve, check_url, fetch, get_from, resolve_host
from app.oauth.views import Client

SHORTEST_CACHE: Final = timedelta(minutes=5)
USUAL_CACHE: Final = timedelta(hours=1)
LONGEST_CACHE: Final = timedelta(days=1)

# Each fetch is a request that a stranger makes this server send.
_BY_ASKER = Rate(calls=10, seconds=60, burst=10)
_BY_HOST = Rate(calls=30, seconds=60, burst=30)
_MAX_AGE = re.compile(r"(?:^|[,\s])max-age=(\d{1,9})(?:$|[,\s])", re.IGNORECASE)
_NO_CACHE = re.compile(r"no-store|no-cache", re.IGNORECASE)


class _Identity(msgspec.Struct):
    client_id: str
    client_secret: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


class ClientDocuments:
    """Finds clients, fetching the document of one that is described by it; what reaches outside can be replaced."""

    def __init__(self, resolve: Resolve = resolve_host, get: Get = get_from) -> None:
        self._resolve = resolve
        self._get = get

    async def find(self, client_id: str, *, now: datetime, asker: str) -> Client | None:
        """The client of that id, or None. `asker` is the network address on whose behalf a fetch is counted.

        Raises `MetadataRefused` when its document cannot be had or accepted, `RateLimited`.
        """
        known = await find_client(client_id)
        if not client_id.startswith("https://") or (known and known.fresh_until and known.fresh_until > now):
            return known
        try:
            host = check_url(client_id)
            await check(f"oauth-document:asker:{asker}", _BY_ASKER)
            await check(f"oauth-document:host:{host}", _BY_HOST)
            fetched = await fetch(client_id, resolve=self._resolve, get=self._get)
        except FetchRefused as refused:
            raise MetadataRefused("invalid_client", f"The client's metadata document: {refused}") from None
        return await _keep(client_id, fetched.body, now, now + _lifetime(fetched.headers.get("cache-control", "")))


async def _keep(client_id: str, body: bytes, now: datetime, fresh_until: datetime) -> Client:
    try:
        identity = msgspec.json.decode(body, type=_Identity)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise MetadataRefused("invalid_client_metadata", "The client's metadata document is no JSON object") from None
    if identity.client_id != client_id:
        raise MetadataRefused("invalid_client_metadata", "The client's metadata document has another client_id")
    given = read_metadata(body)
    if given.token_endpoint_auth_method != "none" or identity.client_secret is not msgspec.UNSET:  # noqa: S105 - a method
        raise MetadataRefused(
            "invalid_client_metadata", "A client with a metadata document has token_endpoint_auth_method none"
        )
    row = await fetch_row(
        "INSERT INTO oauth_client (client_id, kind, name, redirect_uris, auth_method, created_at, fresh_until) "  # noqa: S608 - constants
        "VALUES ($1, 'document', $2, $3, 'none', $4, $5) ON CONFLICT (client_id) DO UPDATE "
        "SET name = excluded.name, redirect_uris = excluded.redirect_uris, fresh_until = excluded.fresh_until "
        f"RETURNING {CLIENT_COLUMNS}",
        client_id,
        given.client_name,
        given.redirect_uris,
        now,
        fresh_until,
    )
    assert row is not None  # noqa: S101 - both arms return the row
    return client_of(row)


def document_host(client_id: str) -> str:
    """The host of a document's address: who answers for the client."""
    return urlsplit(client_id).netloc


def _lifetime(cache_control: str) -> timedelta:
    """How long a document is believed: what its host says, within five minutes and a day."""
    if _NO_CACHE.search(cache_control):
        return SHORTEST_CACHE
    found = _MAX_AGE.search(cache_control)
    if found is None:
        return USUAL_CACHE
    return min(max(timedelta(seconds=int(found.group(1))), SHORTEST_CACHE), LONGEST_CACHE)
