"""What passes between a request's rows in the database and the protocol engine that judges them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from asyncpg import Record

from app.domain.scopes import Scope
from app.oauth.views import Client, Policy

Parameters = list[tuple[str, str]]


class ProtocolError(Exception):
    """A request that is not sound: the word and the sentence for the client."""

    def __init__(self, error: str, description: str) -> None:
        super().__init__(error)
        self.error = error
        self.description = description


@dataclass(slots=True)
class Work:
    """The rows of one request, and the statements that it led to."""

    policy: Policy
    now: datetime
    client: Client | None = None
    connection: Record | None = None
    code: Record | None = None
    refresh: Record | None = None
    access: Record | None = None
    granted: frozenset[Scope] = frozenset()
    resource: str = ""
    attempt: str = ""
    names_redirect: bool = True
    """Whether the token request names its redirect address, which must then be that of the code."""
    event: str = ""
    """What happened beyond the answer, for the log."""
    statements: list[tuple[Any, ...]] = field(default_factory=list[tuple[Any, ...]])

    def then(self, sql: str, *values: object) -> None:
        self.statements.append((sql, *values))


@dataclass(slots=True)
class Answer:
    """An HTTP answer. `body` is a mapping for JSON, or nothing beside a redirect."""

    status: int
    body: Mapping[str, Any]
    headers: dict[str, str]

    @property
    def location(self) -> str:
        return self.headers.get("Location", "")

    @location.setter
    def location(self, value: str) -> None:
        self.headers["Location"] = value


def belongs(work: Work, client: Client) -> bool:
    """Whether what the request names was issued to this client."""
    return work.connection is not None and work.connection["client"] == client.id


def revoke_family(work: Work, row: Record, why: str) -> None:
    """Erase every token that came of one consent."""
    work.event = why
    for table in ("oauth_access_token", "oauth_refresh_token"):
        work.then(
            f"DELETE FROM {table} WHERE account_id = $1 AND connection_id = $2 AND family = $3",  # noqa: S608 - two names
            row["account_id"],
            row["connection_id"],
            row["family"],
        )
