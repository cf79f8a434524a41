"""Every way in which a request can fail for a reason that the caller can act on.

    AppError
    ├── InvalidInput            a field is wrong; `field` names it where there is one
    ├── NotFound                no such row for this account (another person's row included)
    ├── Conflict                the row changed, the key was used for something else, the place is taken
    ├── PlanRequired            the plan does not include this, or its figure for cards or notes is used up
    ├── DeckLimitExceeded       the account holds as many decks as its plan allows
    ├── DeckCardLimitExceeded   the deck holds as many cards as one deck may
    ├── RestrictedContent       the text holds something that must not be stored
    ├── SessionFinished         the study session is over
    ├── AlreadyAnswered         the item was answered before
    ├── RateLimited             too many calls; `retry_after_seconds` says when
    └── Unavailable             a part is down for the moment; the same call may go through later

An error knows nothing of HTTP: each edge maps `code` to what it speaks. `message` and `hint` are message ids of the
translation catalogue with `%(name)s` places, filled from `params`; they never carry text that a person stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import ClassVar


class ErrorCode(StrEnum):
    """The stable codes of the contract, section 3."""

    PLAN_REQUIRED = "PLAN_REQUIRED"
    INVALID_INPUT = "INVALID_INPUT"
    NOT_FOUND = "NOT_FOUND"
    CONFLICT = "CONFLICT"
    DECK_CARD_LIMIT_EXCEEDED = "DECK_CARD_LIMIT_EXCEEDED"
    DECK_LIMIT_EXCEEDED = "DECK_LIMIT_EXCEEDED"
    RESTRICTED_CONTENT = "RESTRICTED_CONTENT"
    SESSION_FINISHED = "SESSION_FINISHED"
    ALREADY_ANSWERED = "ALREADY_ANSWERED"
    RATE_LIMITED = "RATE_LIMITED"
    UNAVAILABLE = "UNAVAILABLE"


def N_(message: str) -> str:  # noqa: N802 - the name that gettext tools look for
    """Mark a message for the translation catalogue without translating it here."""
    return message


class AppError(Exception):
    """A failure with a stable code, a sentence that says what is wrong and a hint that says what to do."""

    code: ClassVar[ErrorCode]

    def __init__(self, message: str, hint: str = "", **params: object) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.params: Mapping[str, object] = params

    def __str__(self) -> str:
        text = f"{self.message} {self.hint}".strip()
        return text % self.params if self.params else text


class InvalidInput(AppError):
    code = ErrorCode.INVALID_INPUT

    def __init__(self, message: str, hint: str = "", *, field: str | None = None, **params: object) -> None:
        super().__init__(message, hint, **params)
        self.field = field


class NotFound(AppError):
    code = ErrorCode.NOT_FOUND


class Conflict(AppError):
    code = ErrorCode.CONFLICT


class PlanRequired(AppError):
    code = ErrorCode.PLAN_REQUIRED


class DeckLimitExceeded(AppError):
    code = ErrorCode.DECK_LIMIT_EXCEEDED


class DeckCardLimitExceeded(AppError):
    code = ErrorCode.DECK_CARD_LIMIT_EXCEEDED


class RestrictedContent(AppError):
    code = ErrorCode.RESTRICTED_CONTENT


class SessionFinished(AppError):
    code = ErrorCode.SESSION_FINISHED


class AlreadyAnswered(AppError):
    code = ErrorCode.ALREADY_ANSWERED


class RateLimited(AppError):
    code = ErrorCode.RATE_LIMITED

    def __init__(self, message: str, hint: str = "", *, retry_after_seconds: int, **params: object) -> None:
        super().__init__(message, hint, retry_after_seconds=retry_after_seconds, **params)
        self.retry_after_seconds = retry_after_seconds


class Unavailable(AppError):
    code = ErrorCode.UNAVAILABLE
