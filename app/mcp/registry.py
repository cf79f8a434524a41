"""All tools, checked when the module is imported, and what clients are told of each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import mcp_types as types
from msgspec import UNSET

from app.domain.scopes import Scope
from app.mcp.schema import JsonSchema, schema_of
from app.mcp.spec import AnyTool, Kind, Toolset, Visibility
from app.mcp.tools import (
    account,
    card_batches,
    cards,
    decks,
    imports,
    memory,
    memory_reading,
    plan,
    search,
    stats,
    study,
    study_cards,
    transfer,
)
from app.mcp.tools import widget as study_widget
from app.mcp.widget import widget

# The order is the order of tools/list: reading first, then studying, writing, deleting and restoring.
TOOLS: tuple[AnyTool, ...] = (
    decks.LIST_DECKS,
    study_cards.GET_DECK,
    search.SEARCH_FLASHCARDS,
    study_cards.SEARCH_CARDS,
    cards.GET_FLASHCARD,
    study_cards.GET_CARD,
    search.SEARCH,
    search.FETCH,
    plan.GET_STUDY_PLAN,
    study.GET_STUDY_SESSION,
    account.GET_ACCOUNT_STATUS,
    stats.GET_LEARNING_STATS,
    study.RENDER_STUDY_SESSION,
    study.START_STUDY_SESSION,
    study.RECORD_REVIEW,
    decks.CREATE_DECK,
    decks.UPDATE_DECK,
    imports.IMPORT_FLASHCARDS,
    card_batches.CREATE_CARDS,
    transfer.IMPORT_DECK,
    cards.UPDATE_FLASHCARD,
    study_cards.UPDATE_CARD,
    cards.DELETE_FLASHCARDS,
    study_cards.DELETE_CARD,
    decks.DELETE_DECK,
    decks.RESTORE_DECK,
    cards.RESTORE_FLASHCARDS,
    memory_reading.MEMORY_SEARCH,
    memory_reading.MEMORY_READ,
    memory_reading.MEMORY_LIST,
    memory.MEMORY_WRITE,
    memory.MEMORY_EDIT,
    memory.MEMORY_DELETE,
    study_widget.STUDY_STEP,
    study_widget.STUDY_REVEAL,
    study_widget.STUDY_ANSWER,
    study_widget.STUDY_RATE,
    study_widget.STUDY_UNDO,
    study_widget.STUDY_SET_ASIDE,
    study_widget.STUDY_SETTINGS,
)

LONGEST_NAME = 64
LONGEST_DESCRIPTION = 2047
_NAME = re.compile(r"[a-z][a-z0-9]*(?:__?[a-z0-9]+)*")
_IDENTITY = ("email", "profile")
_WRITING = frozenset({Scope.DECKS_WRITE, Scope.STUDY_WRITE, Scope.MEMORY_WRITE})
# Showing a session may start one, so this scope is good for either kind; a tool that only shows says so by its kind.
_EITHER = frozenset({Scope.STUDY_RENDER})
_SCOPES = _WRITING | _EITHER | {Scope.DECKS_READ, Scope.STATS_READ, Scope.MEMORY_READ}


class RegistryError(TypeError):
    """A declaration that clients would refuse; raised at import, so it never reaches one."""


def check(tools: Iterable[AnyTool]) -> Mapping[str, AnyTool]:
    """The tools by name; raises `RegistryError` for a declaration that breaks a rule."""
    by_name: dict[str, AnyTool] = {}
    for tool in tools:
        for broken, rule in (
            (tool.name in by_name, "the name is taken"),
            (not _NAME.fullmatch(tool.name) or len(tool.name) > LONGEST_NAME, "the name is not snake case or too long"),
            (not tool.title.strip(), "the title is empty"),
            (not tool.description.strip() or len(tool.description) > LONGEST_DESCRIPTION, "the description's length"),
            (not tool.toolsets, "it is in no toolset"),
            (tool.scope not in _SCOPES, "the scope is not one that a tool may have"),
            (tool.kind is Kind.READ and tool.scope in _WRITING, "it reads and asks for a scope to write"),
            (
                tool.kind is not Kind.READ and tool.scope not in _WRITING | _EITHER,
                "it writes and asks for a scope to read",
            ),
        ):
            if broken:
                raise RegistryError(f"{tool.name}: {rule}")
        by_name[tool.name] = tool
    return by_name


BY_NAME: Mapping[str, AnyTool] = check(TOOLS)


@dataclass(frozen=True, slots=True)
class Surface:
    """The tools of one endpoint: a toolset, or all of them; everything in it, or only what changes nothing."""

    toolset: Toolset | None
    readonly: bool

    @property
    def path(self) -> str:
        """The endpoint's path, `/mcp` for everything."""
        middle = f"/{self.toolset.value}" if self.toolset else ""
        return f"/mcp{middle}{'/readonly' if self.readonly else ''}"

    def offers(self, tool: AnyTool) -> bool:
        return (self.toolset is None or self.toolset in tool.toolsets) and not (self.readonly and tool.kind.mutates)

    def tool(self, name: str) -> AnyTool | None:
        """The tool of that name, if this endpoint has it."""
        tool = BY_NAME.get(name)
        return tool if tool is not None and self.offers(tool) else None

    def visible(self, scopes: frozenset[Scope]) -> list[AnyTool]:
        """The tools that a caller with these scopes can call here, in their one order."""
        return [tool for tool in TOOLS if self.offers(tool) and tool.scope in scopes]

    def scopes(self) -> list[str]:
        """All that a client may ask for here: what the tools need, after who the person is."""
        needed = {tool.scope for tool in TOOLS if self.offers(tool)}
        return [*_IDENTITY, *(scope.value for scope in Scope if scope in needed)]


SURFACES: tuple[Surface, ...] = tuple(
    surface
    for toolset in (None, *Toolset)
    for readonly in (False, True)
    if any((surface := Surface(toolset, readonly)).offers(tool) for tool in TOOLS)
)


@cache
def input_schema(name: str) -> JsonSchema | None:
    """The input schema of a tool, or None when there is no such tool."""
    tool = BY_NAME.get(name)
    return schema_of(tool.input) if tool else None


def security_schemes(tool: AnyTool) -> list[dict[str, Any]]:
    """What a client must be granted for the tool, in the form that ChatGPT reads."""
    return [{"type": "oauth2", "scopes": [*_IDENTITY, tool.scope.value]}]


@cache
def wire(name: str) -> types.Tool:
    """The tool as `tools/list` gives it. (`app.mcp.server` adds the top-level `securitySchemes`.)"""
    tool = BY_NAME[name]
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=schema_of(tool.input),
        output_schema=tool.output_schema or schema_of(tool.output),
        annotations=types.ToolAnnotations(
            read_only_hint=not tool.kind.mutates,
            destructive_hint=tool.kind is Kind.DESTRUCTIVE,
            idempotent_hint=tool.kind is not Kind.WRITE if tool.idempotent_hint is UNSET else tool.idempotent_hint,
            open_world_hint=False,  # a closed world: the account's own decks, cards and notes
        ),
        _meta={"securitySchemes": security_schemes(tool), **_widget_meta(tool)},
    )


def _widget_meta(tool: AnyTool) -> dict[str, Any]:
    """What a host of MCP Apps, and ChatGPT in its own words, must know of a tool with the widget or behind it."""
    app_only = tool.visibility is Visibility.APP
    if not app_only and not tool.shows_widget:
        return {}
    ui: dict[str, Any] = {"visibility": ["app"] if app_only else ["model", "app"]}
    meta: dict[str, Any] = {"ui": ui, "openai/widgetAccessible": True}
    if tool.shows_widget:
        ui["resourceUri"] = meta["openai/outputTemplate"] = widget().uri
    else:
        meta["openai/visibility"] = "private"
    return meta
