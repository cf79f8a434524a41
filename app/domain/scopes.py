"""What an AI client may be allowed to do: the scopes, their wire form, and the sentences people read about them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from app.domain.errors import N_, InvalidInput


class Scope(StrEnum):
    """In the order in which they are always written."""

    EMAIL = "email"
    PROFILE = "profile"
    DECKS_READ = "decks:read"
    DECKS_WRITE = "decks:write"
    STATS_READ = "stats:read"
    STUDY_WRITE = "study:write"
    STUDY_RENDER = "study:render"
    MEMORY_READ = "memory:read"
    MEMORY_WRITE = "memory:write"
    OFFLINE_ACCESS = "offline_access"


# Refresh tokens are issued whether or not `offline_access` was asked for, so offering it would be a box without effect.
DEFAULT_SCOPES: Final = frozenset(Scope) - {Scope.OFFLINE_ACCESS}
"""What is offered to a client that asks for nothing, or only for `email profile`."""


PLAN_SCOPES: Final = frozenset({Scope.DECKS_WRITE, Scope.MEMORY_WRITE})
"""The scopes whose tools write, which not every plan includes for AI clients."""


class Group(StrEnum):
    """Under which heading a permission stands."""

    SEE = "see"
    CHANGE = "change"
    STUDY = "study"
    STAY = "stay"


@dataclass(frozen=True, slots=True)
class ScopeSentence:
    """What a scope means to the person who grants it; both texts are message ids of the translation catalogue."""

    scope: Scope
    group: Group
    text: str
    deletes: str = ""
    """What the scope also lets a client delete and how that comes back; shown apart. Empty when nothing."""


SENTENCES: Final = (
    ScopeSentence(Scope.EMAIL, Group.SEE, N_("See your e-mail address")),
    ScopeSentence(Scope.PROFILE, Group.SEE, N_("See your name, your language and your plan")),
    ScopeSentence(Scope.DECKS_READ, Group.SEE, N_("See and search your collections, decks and cards")),
    ScopeSentence(
        Scope.DECKS_WRITE,
        Group.CHANGE,
        N_("Create and edit decks and cards"),
        N_("Delete and restore decks and cards. What is deleted stays in your trash, where you can bring it back."),
    ),
    ScopeSentence(Scope.STATS_READ, Group.SEE, N_("See your learning statistics and study plans")),
    ScopeSentence(Scope.STUDY_WRITE, Group.STUDY, N_("Start study sessions and record your answers")),
    ScopeSentence(Scope.STUDY_RENDER, Group.STUDY, N_("Show you study sessions inside the chat, and start them")),
    ScopeSentence(Scope.MEMORY_READ, Group.SEE, N_("Read and search your notes")),
    ScopeSentence(
        Scope.MEMORY_WRITE,
        Group.CHANGE,
        N_("Write and edit notes"),
        N_("Delete notes. Every version is kept, and you can bring a note back."),
    ),
    ScopeSentence(Scope.OFFLINE_ACCESS, Group.STAY, N_("Stay connected until you disconnect it")),
)
"""One for each scope, in the order of `Scope`."""


def parse_scopes(value: str | Iterable[str]) -> frozenset[Scope]:
    """The scopes of a space-separated text, or of names one by one; none for an empty one.

    Raises `InvalidInput` when a name is no scope, without repeating it.
    """
    names = value.split() if isinstance(value, str) else list(value)
    try:
        return frozenset(map(Scope, names))
    except ValueError:
        raise InvalidInput(
            N_("There is no such scope."), N_("The scopes are %(scopes)s."), field="scope", scopes=", ".join(Scope)
        ) from None


def format_scopes(scopes: Iterable[Scope]) -> str:
    """The scopes as a space-separated text, each once, in the order of `Scope`."""
    granted = frozenset(scopes)
    return " ".join(scope for scope in Scope if scope in granted)
