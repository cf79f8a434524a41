"""Fields that several tools share, with their limits and the sentences that clients show."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

DeckId = Annotated[int, Meta(ge=1, description="Id of a deck, as list_decks gave it.")]
CardId = Annotated[int, Meta(ge=1, description="Id of a card, as a search or an import gave it.")]
CardIds = Annotated[
    list[Annotated[int, Meta(ge=1)]],
    Meta(min_length=1, max_length=100, description="Ids of 1 to 100 cards, as the tools gave them."),
]
# In the order of the published shape; msgspec sorts a Literal's values, and leaves out their type.
Language = Annotated[
    Literal["ja", "en", "ko"],
    Meta(
        description="Main language of the explanations.",
        extra_json_schema={"type": "string", "enum": ["ja", "en", "ko"]},
    ),
]
Query = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=200,
        description="A piece of the text to find, in any script. Letter case, accents and character width do not matter.",
    ),
]
Cursor = Annotated[
    str, Meta(max_length=1024, description="nextCursor of the previous page, as it was. Left out: the first page.")
]
Front = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=1000,
        description="The question or prompt, as plain text. Ask for one clear thing.",
    ),
]
Back = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=4000,
        description="The answer, as plain text: short, and complete without the source.",
    ),
]
_TAGS_ALLOWED = "p, strong, em, mark, ul, ol, li, blockquote, h4, h5, br, code"
FrontRich = Annotated[
    str,
    Meta(max_length=4000, description=f"The front as HTML, optional. Kept: {_TAGS_ALLOWED}; no attributes."),
]
BackRich = Annotated[
    str,
    Meta(max_length=8000, description="The back as HTML, optional, with the same elements."),
]
Tags = Annotated[
    list[Annotated[str, Meta(min_length=1, max_length=40)]],
    Meta(
        max_length=12,
        description="Short labels for sorting and finding, 12 at most. Nothing that identifies a person.",
    ),
]
DeckTitle = Annotated[str, Meta(min_length=1, max_length=120, description="Title of the deck.")]
DeckDescription = Annotated[str, Meta(max_length=2000, description="What the deck is about.")]
Count = Annotated[int, Meta(ge=0)]
Version = Annotated[
    int,
    Meta(
        ge=1,
        le=2**31 - 1,
        description="version of the card as get_flashcard gave it; a card changed since then is left alone (CONFLICT).",
    ),
]
