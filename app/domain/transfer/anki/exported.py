"""What our cards are in an Anki package: HTML fields, tags, and the numbers of a card and of its log."""

from __future__ import annotations

import html
import json
import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from app.domain.calendar import ONE_DAY, StudyClock
from app.domain.cloze import is_cloze
from app.domain.media import MediaKind
from app.domain.richtext import rich_from_plain
from app.domain.scheduling import State
from app.domain.transfer.bundle import BroughtCard, BroughtQuestion, BroughtReview

LEECH_TAG: Final = "leech"
_SUSPENDED, _BURIED = -1, -3
# The words of `card_sides.WORDS`, with a number where two cards would be equal.
_WORD: Final = re.compile(r"\[(?:image|sound)(?: \d+)?\]")
_DAY_LEARNING: Final = 3
_FACTOR: Final = 2_500
_DAYS_BEFORE: Final = 3_650


@dataclass(frozen=True, slots=True)
class ExportDays:
    """How a package counts days: from `created`, a day in the person's zone, ten years before the export."""

    clock: StudyClock
    now: datetime

    @property
    def created(self) -> date:
        return self.clock.study_day(self.now) - timedelta(days=_DAYS_BEFORE)

    @property
    def created_at(self) -> datetime:
        """Noon of that day: the same date whatever the hour of the rollover."""
        return self.clock.start_of(self.created) + timedelta(hours=12 - self.clock.rollover_hour)

    @property
    def offset_minutes(self) -> int:
        """Minutes west of Greenwich at `created_at`, as Anki keeps them."""
        offset = self.created_at.astimezone(ZoneInfo(self.clock.zone)).utcoffset() or timedelta()
        return -int(offset.total_seconds() // 60)

    def number(self, moment: datetime) -> int:
        return (self.clock.study_day(moment) - self.created).days


@dataclass(frozen=True, slots=True)
class CardNumbers:
    """Columns of Anki's cards."""

    ord: int
    type: int
    queue: int
    due: int
    ivl: int
    factor: int
    reps: int
    lapses: int
    left: int
    flags: int
    data: str


@dataclass(frozen=True, slots=True)
class LogNumbers:
    """Columns of Anki's log. `id` is the time of the answer in milliseconds."""

    id: int
    ease: int
    ivl: int
    last_ivl: int
    factor: int
    time: int
    type: int


def is_cloze_card(card: BroughtCard) -> bool:
    return is_cloze(card.front)


def field_html(plain: str, rich: str | None, files: tuple[tuple[MediaKind, str], ...]) -> str:
    """A side as HTML: its formatted form or its text escaped, then its pictures and sounds.

    A side that says nothing but that it is a picture or sound is that alone, so that it comes back the same.
    """
    # Of two spaces HTML shows one.
    shown = rich or rich_from_plain(plain).replace("  ", " &nbsp;")
    if files and _WORD.fullmatch(plain):
        shown = ""
    marks = [
        f'<img src="{html.escape(name)}">' if kind is MediaKind.IMAGE else f"[sound:{name}]" for kind, name in files
    ]
    return "<br>".join(filter(None, [shown, *marks]))


def tags_of(card: BroughtCard) -> list[str]:
    """Tags without spaces; `leech` for a card with a question that is one."""
    tags = [tag.replace(" ", "_").replace("\u3000", "_") for tag in card.tags]
    if any(question.leech for question in card.questions) and LEECH_TAG not in tags:
        tags.append(LEECH_TAG)
    return tags


def card_numbers(
    question: BroughtQuestion, days: ExportDays, *, position: int, steps: int, relearning_steps: int, retention: float
) -> CardNumbers:
    """The row of a question. `position` is its place among new cards; the steps say how many are left."""
    state = State(question.state)
    type_, queue, due, left = state.value, state.value, position, 0
    if question.due is not None:
        due = days.number(question.due)
        if state in {State.LEARNING, State.RELEARNING}:
            whole = steps if state is State.LEARNING else relearning_steps
            left = max(1, whole - (question.step or 0))
            if _on_a_later_day(question, days):
                queue = _DAY_LEARNING
            else:
                queue, due = State.LEARNING.value, int(question.due.timestamp())
    if question.suspended:
        queue = _SUSPENDED
    elif question.buried_until is not None and question.buried_until > days.now:
        queue = _BURIED
    return CardNumbers(
        ord=max(question.ordinal - 1, 0),
        type=type_,
        queue=queue,
        due=due,
        ivl=_interval(question, days),
        factor=0 if state is State.NEW else _FACTOR,
        reps=question.reps,
        lapses=question.lapses,
        left=left,
        flags=question.flag,
        data=_memory(question, retention),
    )


def _on_a_later_day(question: BroughtQuestion, days: ExportDays) -> bool:
    due, last = question.due, question.last_review
    if due is None or last is None:
        return False
    return due == days.clock.start_of(days.clock.study_day(due)) and days.number(due) > days.number(last)


def _interval(question: BroughtQuestion, days: ExportDays) -> int:
    if question.state != State.REVIEW or question.due is None or question.last_review is None:
        return 0
    return max(1, days.number(question.due) - days.number(question.last_review))


def _memory(question: BroughtQuestion, retention: float) -> str:
    if question.stability is None or question.difficulty is None:
        return ""
    memory = {"s": round(question.stability, 4), "d": round(question.difficulty, 3), "dr": retention}
    if question.last_review is not None:
        memory["lrt"] = int(question.last_review.timestamp())
    return json.dumps(memory, separators=(",", ":"))


def log_numbers(reviews: tuple[BroughtReview, ...]) -> list[LogNumbers]:
    """The rows of a question's answers, which stand in order of time."""
    rows: list[LogNumbers] = []
    last = 0
    for review in reviews:
        interval = _log_interval(review.interval_days)
        state = State(review.state_before)
        kind = {State.REVIEW: 1, State.RELEARNING: 2}.get(state, 0)
        milliseconds = int(review.reviewed_at.timestamp() * 1000)
        rows.append(LogNumbers(milliseconds, review.rating, interval, last, _FACTOR, review.elapsed_ms or 0, kind))
        last = interval
    return rows


def _log_interval(days: float) -> int:
    """Whole days, or seconds below zero for a step."""
    return round(days) if days >= 1 else -max(1, round(days * ONE_DAY.total_seconds()))
