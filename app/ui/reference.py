"""What the pages tell of the MCP server, as plain values: its tools, endpoints, limits and protocol versions.

`app.mcp.reference` makes them from the registry; the pages, which may not import `app.mcp`, only show them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.domain.plans import Plan
from app.domain.scopes import Scope

_FIRST_SENTENCE = re.compile(r".*?[.!?](?=\s|$)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolReference:
    """One tool as `tools/list` gives it, and what decides whether a call of it is served."""

    name: str
    title: str
    description: str
    scope: Scope
    mutates: bool
    removes: bool
    hints: Mapping[str, bool]
    """The four annotations under their names on the wire."""
    plans: frozenset[Plan]
    """The plans on which the dispatch lets a call pass."""
    endpoints: tuple[str, ...]
    """Paths of the endpoints that offer it."""
    input_schema: Mapping[str, Any]
    output_schema: Mapping[str, Any]

    @property
    def summary(self) -> str:
        """The first sentence of the description."""
        found = _FIRST_SENTENCE.match(self.description)
        return found.group() if found else self.description


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointReference:
    """One address that a client can be given."""

    path: str
    url: str
    metadata_url: str
    """Its protected resource metadata (RFC 9728)."""
    scopes: tuple[str, ...]
    tools: int
    readonly: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """The whole server."""

    tools: tuple[ToolReference, ...]
    endpoints: tuple[EndpointReference, ...]
    """The one with every tool first."""
    protocol_versions: tuple[str, ...]
    """Newest first."""
    most_body_bytes: int
    unauthorized_code: int
    """The JSON-RPC code in the body of a 401."""
    allowed_origins: tuple[str, ...]
    instructions: str
    """What every model is told when it connects."""
    good_cards: tuple[str, ...]
    """The rules for good cards out of the instructions, a sentence each."""

    @property
    def url(self) -> str:
        """The address with every tool."""
        return self.endpoints[0].url

    def has(self, tool: str) -> bool:
        return any(known.name == tool for known in self.tools)
