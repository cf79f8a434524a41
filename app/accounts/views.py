"""What the accounts area shows of its rows. No secret and no hash is ever part of a view."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from app.domain.plans import Plan
from app.domain.scopes import Scope


@dataclass(frozen=True, slots=True)
class AccountView:
    """A person. `zone` is an IANA time zone, `rollover_hour` the local hour at which a study day starts."""

    id: int
    email: str
    name: str
    plan: Plan
    zone: str
    rollover_hour: int
    language: str
    theme: str
    single_keys: bool
    has_password: bool
    created_at: datetime


@dataclass(frozen=True, slots=True)
class SessionView:
    """A signed-in browser; `current` marks the one that asks."""

    id: int
    created_at: datetime
    seen_at: datetime
    expires_at: datetime
    user_agent: str
    address: str
    current: bool


@dataclass(frozen=True, slots=True)
class KeyView:
    """An access key; `tail` is the last four letters of its secret."""

    id: int
    name: str
    tail: str
    scopes: frozenset[Scope]
    created_at: datetime
    used_at: datetime | None
    expires_at: datetime | None
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True)
class PasskeyView:
    """A passkey; `backed_up` says that its owner's other devices may hold it too."""

    id: int
    name: str
    backed_up: bool
    created_at: datetime
    used_at: datetime | None


@dataclass(frozen=True, slots=True)
class SignedIn:
    """The person behind a browser's session token."""

    account: AccountView
    session_id: int


@dataclass(frozen=True, slots=True)
class Caller:
    """The client behind a bearer token, and for whom it acts."""

    account_id: int
    email: str
    plan: Plan
    zone: str
    rollover_hour: int
    language: str
    single_keys: bool
    scopes: frozenset[Scope]
    client_kind: Literal["key", "oauth"]
    client_id: int
    """Id of the access key or of the connection."""
    client_name: str
    asks_in_band: bool = False
    """Whether the client learns from a tool's result, not from a status, that it needs a wider consent."""


@dataclass(frozen=True, slots=True)
class Admission:
    """The client behind a bearer token, and whether its call is within the account's rate."""

    caller: Caller
    seconds_to_wait: float
    """0 when the call may go on."""
