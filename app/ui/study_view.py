"""From a study session's state to the fragment that the browser (and the chat widget) shows: one template set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from babel.numbers import format_decimal

from app.domain.intervals import SHORT_FORMS, WITHIN_FORM, short_interval
from app.domain.scheduling import Outcome, Rating, State
from app.study.views import Counts, StudyCard
from app.ui.render import Reader, translate


@dataclass(frozen=True, slots=True)
class RatingButton:
    """One of the four buttons of a verdict, with what it would do."""

    value: int
    label: str
    interval: str
    key: str
    printed: str
    usual: bool


@dataclass(frozen=True, slots=True)
class StudyScreen:
    """All that `templates/study/screen.html` needs. `card` None: nothing is left; `revealed`: the answer is shown."""

    deck_id: int
    deck_title: str
    counts: Counts
    extra_new: int
    card: StudyCard | None = None
    revealed: bool = False
    buttons: tuple[RatingButton, ...] = ()
    elapsed_ms: int = 0
    can_undo: bool = False
    tomorrow: int = 0
    message: str = ""

    @property
    def current(self) -> str | None:
        """The kind of the present card, as the counts name it."""
        if self.card is None:
            return None
        return {State.NEW: "new", State.REVIEW: "due"}.get(self.card.schedule.state, "learning")

    @property
    def total(self) -> int:
        return self.counts.total + self.counts.today.answers


def interval_text(interval: timedelta, reader: Reader) -> str:
    """An interval as a button shows it, in the reader's language: `<10m`, `2d`, `1.2mo`."""
    short = short_interval(interval)
    text = translate(reader, SHORT_FORMS[short.unit], number=format_decimal(short.number, locale=reader.language))
    return translate(reader, WITHIN_FORM, interval=text) if short.within else text


def rating_buttons(preview: Mapping[Rating, Outcome], reader: Reader) -> tuple[RatingButton, ...]:
    """The four buttons in order, Good being the usual one."""
    labels = {
        Rating.AGAIN: translate(reader, "Again"),
        Rating.HARD: translate(reader, "Hard"),
        Rating.GOOD: translate(reader, "Good"),
        Rating.EASY: translate(reader, "Easy"),
    }
    return tuple(
        RatingButton(
            value=int(rating),
            label=labels[rating],
            interval=interval_text(preview[rating].interval, reader),
            key=f"Digit{int(rating)}",
            printed=str(int(rating)),
            usual=rating is Rating.GOOD,
        )
        for rating in Rating
    )
