"""Fields that several tools share, with their limits and the sentences that clients show."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from msgspec import Meta

from app.domain import cards as domain
from app.domain.modes import Goal, Mode
from app.domain.sessions import MAX_MINUTES
from app.mcp.schema import ENUM_ORDER

DeckId = Annotated[int, Meta(ge=1, description="Id of a deck, as list_decks gave it.")]
CardId = Annotated[int, Meta(ge=1, description="Id of a card, as a search or an import gave it.")]
SessionId = Annotated[int, Meta(ge=1, description="Id of a study session, as the tool that started it gave it.")]
ItemId = Annotated[int, Meta(ge=1, description="Id of the question to answer: itemId of the session's item.")]
StudyMode = Annotated[
    Literal["flashcards", "multiple_choice", "typed", "matching", "cloze", "mixed"],
    Meta(
        description=(
            "How questions are asked. A card that a mode does not suit is asked in the nearest way that does; mixed "
            "chooses for each card by how well it is known."
        ),
        extra_json_schema={"type": "string", ENUM_ORDER: [mode.value for mode in Mode]},
    ),
]
StudyGoal = Annotated[
    Literal["learn", "review", "cram", "retain", "diagnose"],
    Meta(
        description=(
            "learn: new cards first. review: what is due first. cram: every active card, without changing when any "
            "comes back. retain: what would be forgotten within a week. diagnose: a spread of cards, to see what is "
            "known; changes nothing either."
        ),
        extra_json_schema={"type": "string", ENUM_ORDER: [goal.value for goal in Goal]},
    ),
]
Minutes = Annotated[int, Meta(ge=1, le=MAX_MINUTES, description="How long the person wants to study.")]
CardIds = Annotated[
    list[Annotated[int, Meta(ge=1)]],
    Meta(
        min_length=1, max_length=domain.CARDS_PER_CALL_MAX, description="Ids of 1 to 100 cards, as the tools gave them."
    ),
]
# In the order of the published shape: msgspec sorts the values of a Literal and leaves out their type.
Language = Annotated[
    Literal["ja", "en", "ko"],
    Meta(
        description="Main language of the explanations.",
        extra_json_schema={"type": "string", ENUM_ORDER: list(domain.IMPORT_LANGUAGES)},
    ),
]
Query = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=200,
        description="A piece of the text, in any script. Letter case, accents and character width do not matter.",
    ),
]
Cursor = Annotated[
    str, Meta(max_length=1024, description="nextCursor of the previous page, as it was. Left out: the first page.")
]
Front = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=domain.FRONT_MAX,
        description="The question or prompt, as plain text. Ask for one clear thing.",
    ),
]
Back = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=domain.BACK_MAX,
        description="The answer, as plain text: short, and complete without the source.",
    ),
]
_TAGS_ALLOWED = "p, strong, em, mark, ul, ol, li, blockquote, h4, h5, br, code"
FrontRich = Annotated[
    str,
    Meta(
        max_length=domain.FRONT_RICH_MAX,
        description=f"The front as HTML, optional. Kept: {_TAGS_ALLOWED}; no attributes.",
    ),
]
BackRich = Annotated[
    str,
    Meta(max_length=domain.BACK_RICH_MAX, description="The back as HTML, optional, with the same elements."),
]
Tags = Annotated[
    list[Annotated[str, Meta(min_length=1, max_length=domain.TAG_MAX)]],
    Meta(
        max_length=domain.TAGS_MAX,
        description="Short labels for sorting and finding, 12 at most. Nothing that identifies a person.",
    ),
]
DeckTitle = Annotated[str, Meta(min_length=1, max_length=domain.DECK_TITLE_MAX, description="Title of the deck.")]
DeckDescription = Annotated[str, Meta(max_length=domain.DECK_DESCRIPTION_MAX, description="What the deck is about.")]
Count = Annotated[int, Meta(ge=0)]
Instant = Annotated[datetime, Meta(tz=True)]
NextCursor = Annotated[str, Meta(description="Pass it as cursor for the next page; absent on the last.")]
Warnings = Annotated[
    list[str], Meta(description="What was changed or left out on the way in; nothing that needs another call.")
]
Version = Annotated[
    int,
    Meta(
        ge=1,
        le=2**31 - 1,
        description="version of the card as it was read; a card changed since then is left alone (CONFLICT).",
    ),
]
