"""The pages that people see, a module for each subject."""

from __future__ import annotations

from app.web.pages import (
    account,
    activity,
    authorize,
    card_marks,
    cards,
    collections,
    connect,
    connections,
    decks,
    developers,
    export,
    home,
    imports,
    keys,
    many_cards,
    media,
    note_cards,
    note_history,
    note_transfer,
    notes,
    passkeys,
    plan,
    search,
    sign_in,
    statistics,
    study,
    study_settings,
    trash,
)

PAGES = [
    handler
    for module in (
        home,
        sign_in,
        account,
        plan,
        passkeys,
        keys,
        authorize,
        connections,
        connect,
        developers,
        activity,
        export,
        imports,
        decks,
        cards,
        card_marks,
        collections,
        many_cards,
        media,
        study,
        study_settings,
        statistics,
        search,
        trash,
        notes,
        note_history,
        note_transfer,
        note_cards,
    )
    for handler in module.HANDLERS
]
