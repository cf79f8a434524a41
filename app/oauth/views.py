"""What the authorization server shows of its rows, and what its parts hand to each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from app.domain.scopes import Scope

AuthMethod = Literal["none", "client_secret_post", "client_secret_basic"]
ClientKind = Literal["registered", "document"]


@dataclass(frozen=True, slots=True)
class Policy:
    """What the server answers for: its name, and its MCP endpoints (absolute URLs) with what their tools need."""

    issuer: str
    resources: Mapping[str, frozenset[Scope]]
    default_resource: str
    """What a request is for that names no resource, as clients of before RFC 8707 do."""


@dataclass(frozen=True, slots=True)
class Client:
    """A client as the server knows it. `secret_hash` never leaves the area."""

    id: int
    client_id: str
    kind: ClientKind
    name: str
    redirect_uris: tuple[str, ...]
    auth_method: AuthMethod
    secret_hash: bytes | None
    fresh_until: datetime | None


@dataclass(frozen=True, slots=True)
class Consent:
    """What a person is asked: a request that was found to be sound."""

    client: Client
    redirect_uri: str
    resource: str
    offered: frozenset[Scope]
    """What may be ticked, and is at first."""
    known: bool
    """Whether the person has allowed this client something before."""


@dataclass(frozen=True, slots=True)
class ConnectionView:
    """A client that the person has connected. `client_host` is the verified host of a metadata document, else empty."""

    id: int
    client_name: str
    client_host: str
    redirect_host: str
    scopes: frozenset[Scope]
    created_at: datetime
    agreed_at: datetime
    used_at: datetime | None
