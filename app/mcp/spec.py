"""The vocabulary of tool declarations: one `ToolSpec` a tool, from which everything else is derived."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from app.accounts.views import Caller
from app.core.settings import Settings
from app.domain.plans import Feature
from app.domain.scopes import Scope
from app.mcp.schema import JsonSchema


class Toolset(StrEnum):
    """A set of tools with an endpoint of its own, `/mcp/<value>`."""

    FLASHCARDS = "flashcards"
    STUDY = "study"
    MEMORY = "memory"


class Visibility(StrEnum):
    """Who is to call a tool, where the host keeps to MCP Apps."""

    ALL = "all"
    APP = "app"
    """The widget alone. The tool is listed and served like any other."""


class Kind(StrEnum):
    """What a call does to stored data. The four hints of a tool follow from it, and the action of its audit row."""

    READ = "read"
    WRITE = "write"
    """Adds something; the same call again may add something again."""
    IDEMPOTENT_WRITE = "idempotent_write"
    """Sets something; the same call again changes nothing more."""
    DESTRUCTIVE = "destructive"
    """Takes something away; the same call again changes nothing more."""

    @property
    def mutates(self) -> bool:
        return self is not Kind.READ

    @property
    def action(self) -> str:
        """The word in the audit row."""
        return "destructive" if self is Kind.DESTRUCTIVE else "write"


class Input(msgspec.Struct, forbid_unknown_fields=True, rename="camel", kw_only=True):
    """Arguments of a tool. A field that may be left out is `UNSET` by default, never null."""


class Output(msgspec.Struct, forbid_unknown_fields=True, rename="camel", kw_only=True):
    """Structured result of a tool. What is not known is left out, never null."""


InputT = TypeVar("InputT", bound=Input)
OutputT = TypeVar("OutputT", bound=Output)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What a handler knows besides its input."""

    caller: Caller
    settings: Settings
    now: datetime
    request_id: str


@dataclass(frozen=True, slots=True)
class Reply(Generic[OutputT]):
    """What a handler gives back.

    `text` is for the model: short lines with every id it may need. Without it the text is the JSON of `output`.
    `affected` names the rows that a mutating call touched, such as `card:12`, `deck:3` or `session:7`.
    """

    output: OutputT
    text: str | None = None
    affected: Sequence[str] = ()
    meta: Mapping[str, Any] | None = None
    """What a client may want to know about the result and a model need not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec(Generic[InputT, OutputT]):
    """One tool. `description` is product text: when to use the tool, what it needs, what it gives."""

    name: str
    title: str
    description: str
    toolsets: frozenset[Toolset]
    scope: Scope
    kind: Kind
    input: type[InputT]
    output: type[OutputT]
    handler: Callable[[Call, InputT], Awaitable[Reply[OutputT]]]
    feature: Feature | None = None
    """What the plan of the account must include."""
    output_schema: JsonSchema | None = None
    """A published schema that `output` cannot say."""
    idempotent_hint: bool | UnsetType | None = UNSET
    """A published hint that differs from what `kind` means; None leaves it out."""
    kept_characters: Mapping[str, int] = field(default_factory=dict[str, int])
    """Arguments that hold a whole file, and how many characters of each its audit row keeps."""
    visibility: Visibility = Visibility.ALL
    shows_widget: bool = False
    """Whether the host shows the study widget with the result."""


AnyTool = ToolSpec[Any, Any]
