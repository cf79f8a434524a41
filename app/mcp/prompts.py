"""Ready-made requests that a client offers the person, as a command or a button. Product text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import mcp_types as types
from mcp import MCPError

from app.domain.scopes import Scope
from app.mcp.dispatch import McpRequest
from app.mcp.instructions import GOOD_CARDS, NO_SECRETS
from app.mcp.spec import Toolset

_LONGEST = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptSpec:
    """One prompt. `text` makes it of the arguments, which are all optional and cut to 500 characters."""

    name: str
    title: str
    description: str
    toolset: Toolset
    scope: Scope
    arguments: Mapping[str, str] = field(default_factory=dict[str, str])
    """Names and what each is for."""
    text: Callable[[Mapping[str, str]], str]


def _cards(given: Mapping[str, str]) -> str:
    deck = given.get("deck", "")
    where = f"the deck “{deck}”" if deck else "the deck that fits best, or a new one if none does; ask me which"
    focus = f" Keep to this: {given['focus']}." if given.get("focus") else ""
    return (
        f"Make flashcards of what we talked about in this conversation, for {where}.{focus}\n\n{GOOD_CARDS}\n\n"
        "Look with search_flashcards for cards that are there already and leave those out. Show me the cards as a "
        "numbered list first and wait for my yes; then save them with import_flashcards."
    )


def _note_cards(given: Mapping[str, str]) -> str:
    path = given.get("path", "")
    which = f"my note at `{path}`" if path else "one of my notes (ask me which, memory__search finds it)"
    return (
        f"Read {which} with memory__read and make flashcards of it.\n\n{GOOD_CARDS}\n\nShow me the cards as a numbered "
        "list first and wait for my yes; then save them with import_flashcards, with the note's title as sourceTitle."
    )


def _study(given: Mapping[str, str]) -> str:
    deck = given.get("deck", "")
    which = f"the deck “{deck}”" if deck else "the deck with the most cards due (list_decks tells)"
    return (
        f"Let us study now, in {which}. If there is a tool that shows a study session here, use it. Otherwise ask "
        "me one card at a time: show the front alone, wait for my answer, then show the back and say what was "
        "missing. Never show a back before I have answered. Finish after ten cards, or when I say stop, and tell me "
        "what to look at again."
    )


def _week(_given: Mapping[str, str]) -> str:
    return (
        "Help me look back on my week of learning. See with list_decks what is due and new in each deck, and with "
        "memory__search what I noted lately, if you may read my notes. Then tell me in a few lines: what is due now, "
        "which deck needs me most, what I noted that is on no card yet, and three small things to do next week. Change "
        "nothing unless I ask for it."
    )


def _remember(given: Mapping[str, str]) -> str:
    what = given.get("what", "")
    about = f"this: {what}" if what else "what matters for later from this conversation: decisions, facts, preferences"
    return (
        f"Remember {about}.\n\nLook with memory__search whether there is a note on it; if so, change that one with "
        "memory__edit, else write a new one at a fitting path. Keep it short and clear without this conversation. Show "
        f"me the text and the path first and wait for my yes. {NO_SECRETS}"
    )


_DECK = {"deck": "Title of the deck."}
PROMPTS: tuple[PromptSpec, ...] = (
    PromptSpec(
        name="make_cards",
        title="Make cards from this conversation",
        description="Turns what was talked about into flashcards, shown before they are saved.",
        toolset=Toolset.FLASHCARDS,
        scope=Scope.DECKS_WRITE,
        arguments={**_DECK, "focus": "What the cards should be about."},
        text=_cards,
    ),
    PromptSpec(
        name="make_cards_from_note",
        title="Make cards from a note",
        description="Reads a note and turns it into flashcards, shown before they are saved.",
        toolset=Toolset.MEMORY,
        scope=Scope.MEMORY_READ,
        arguments={"path": "Path of the note."},
        text=_note_cards,
    ),
    PromptSpec(
        name="study_now",
        title="Study now",
        description="Goes through cards that are due, one by one.",
        toolset=Toolset.FLASHCARDS,
        scope=Scope.DECKS_READ,
        arguments=_DECK,
        text=_study,
    ),
    PromptSpec(
        name="weekly_review",
        title="Weekly review",
        description="Looks back on a week of learning and ahead to the next.",
        toolset=Toolset.FLASHCARDS,
        scope=Scope.DECKS_READ,
        text=_week,
    ),
    PromptSpec(
        name="remember",
        title="Remember this",
        description="Keeps something from the conversation as a note.",
        toolset=Toolset.MEMORY,
        scope=Scope.MEMORY_WRITE,
        arguments={"what": "What to remember; left out, what matters in the conversation."},
        text=_remember,
    ),
)


def _offered(request: McpRequest) -> list[PromptSpec]:
    """What the endpoint and the caller's scopes reach; a read-only endpoint has no prompt that leads to writing."""
    writes = {Scope.DECKS_WRITE, Scope.MEMORY_WRITE}
    return [
        prompt
        for prompt in PROMPTS
        if request.surface.toolset in {None, prompt.toolset}
        and prompt.scope in request.caller.scopes
        and not (request.surface.readonly and prompt.scope in writes)
    ]


def list_prompts(request: McpRequest) -> types.ListPromptsResult:
    """The prompts of this endpoint."""
    return types.ListPromptsResult(
        prompts=[
            types.Prompt(
                name=prompt.name,
                title=prompt.title,
                description=prompt.description,
                arguments=[
                    types.PromptArgument(name=name, description=meaning, required=False)
                    for name, meaning in prompt.arguments.items()
                ],
            )
            for prompt in _offered(request)
        ]
    )


def get_prompt(request: McpRequest, name: str, arguments: Mapping[str, str] | None) -> types.GetPromptResult:
    """The request in the person's words. Raises `MCPError` for a prompt that is not offered and a wrong argument."""
    prompt = next((prompt for prompt in _offered(request) if prompt.name == name), None)
    if prompt is None:
        raise MCPError(code=types.INVALID_PARAMS, message="Unknown prompt; prompts/list names those of this endpoint.")
    given = dict(arguments or {})
    if set(given) - set(prompt.arguments):
        taken = ", ".join(prompt.arguments) or "none"
        raise MCPError(code=types.INVALID_PARAMS, message=f"Unknown argument; this prompt takes {taken}.")
    short = {name: " ".join(value.split())[:_LONGEST] for name, value in given.items()}
    return types.GetPromptResult(
        description=prompt.description,
        messages=[types.PromptMessage(role="user", content=types.TextContent(type="text", text=prompt.text(short)))],
    )
