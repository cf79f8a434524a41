"""What a refused form of decks and cards says to a person.

The areas name fields and rows as AI clients know them (`frontRich`, ids); here they get the words that the page uses.
"""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.errors import N_, AppError, Conflict, InvalidInput, NotFound
from app.ui.render import translate
from app.web.context import HtmlRequest, failed, reader_of
from app.web.pages.sign_in import refusal

Errors = list[tuple[str | None, str]]

# By the area's name of a field: that of the form, and its label.
_FIELDS: Mapping[str, tuple[str, str]] = {
    "title": ("title", N_("Title")),
    "description": ("description", N_("Description")),
    "language": ("language", N_("Language of the cards")),
    "collection_id": ("collection_id", N_("Collection")),
    "front": ("front", N_("Front")),
    "back": ("back", N_("Back")),
    "frontRich": ("front_rich", N_("Front, formatted")),
    "backRich": ("back_rich", N_("Back, formatted")),
    "tags": ("tags", N_("Tags")),
}

_EQUAL_CARD = N_(
    "This deck has a card with the same front and back. Change that card, or give this one another front or back."
)
_EQUAL_CARDS = N_(
    "Some of these cards would have the same front and back as another card of the deck. Nothing was changed: "
    "change or delete one of each first."
)
_NOT_THERE = N_("This part of the list cannot be shown. Start again from its top.")

# By the parameter that an area's conflict carries, the first that fits: the field of the form, and what it says there.
_CONFLICTS: Mapping[str, tuple[str, str]] = {
    "card_ids": ("front", _EQUAL_CARD),
    "card_id": ("front", _EQUAL_CARD),
    "deck_id": ("title", N_("You have a deck of this title already. Choose another title.")),
    "collection_id": ("title", N_("You have a collection of this title already. Choose another title.")),
}


def said(request: HtmlRequest, error: AppError) -> tuple[int, Errors]:
    """The status and the (field, text) pairs with which a form of decks and cards is shown again."""
    reader = reader_of(request)
    status, errors = refusal(request, error)
    if isinstance(error, Conflict):
        for name, (field, text) in _CONFLICTS.items():
            if name in error.params:
                return status, [(field, translate(reader, text))]
    elif isinstance(error, NotFound):
        # The form's own row was found before: this is the one that was chosen in it.
        return status, [("collection_id", translate(reader, N_("This collection is gone. Choose another.")))]
    elif isinstance(error, InvalidInput):
        if error.field == "cursor":
            return status, [(None, translate(reader, _NOT_THERE))]
        if error.field is None or error.field not in _FIELDS:
            return status, [(None, text) for _, text in errors]
        field, label = _FIELDS[error.field]
        named = InvalidInput(
            error.message, error.hint, field=field, **{**error.params, "name": translate(reader, label)}
        )
        return refusal(request, named)
    return status, errors


def noted(error: AppError) -> tuple[str, str, dict[str, object]]:
    """The note for the next page when cards were not moved or restored."""
    if isinstance(error, Conflict) and "card_ids" in error.params:
        return "bad", _EQUAL_CARDS, {}
    return failed(error)
