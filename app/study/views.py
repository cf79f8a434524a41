"""What the study area shows: a session, the question to answer now, what an answer did, and what a deck has waiting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from app.domain.answers import Facts
from app.domain.fitting import FitOutcome
from app.domain.grading import Grade, Note, Verdict
from app.domain.modes import Goal, ItemKind, Mode
from app.domain.scheduling import Outcome, Rating, Schedule, State


@dataclass(frozen=True, slots=True)
class StudyCard:
    """A question of a card with its schedule. `rep` is how often it was answered before.

    `ordinal` 0 asks the back for the front; another number asks that cloze of the front.
    """

    id: int
    ordinal: int
    deck_id: int
    deck_title: str
    front: str
    back: str
    front_rich: str | None
    back_rich: str | None
    tags: tuple[str, ...]
    language: str | None
    version: int
    suspended: bool
    buried_until: datetime | None
    flag: int
    leech: bool
    schedule: Schedule

    @property
    def rep(self) -> int:
        return self.schedule.reps


@dataclass(frozen=True, slots=True)
class CardRow:
    """A card in a list. `state` is that of its question that is due first, `suspended` when all of them are."""

    id: int
    deck_id: int
    deck_title: str
    front: str
    back: str
    tags: tuple[str, ...]
    state: State
    due: datetime | None
    suspended: bool
    leech: bool


@dataclass(frozen=True, slots=True)
class ReviewView:
    """An answer in the log. `interval_days` is what it led to; time in milliseconds, None when it was not measured."""

    ordinal: int
    reviewed_at: datetime
    rating: Rating
    interval_days: float
    elapsed_ms: int | None


@dataclass(frozen=True, slots=True)
class Answered:
    """What an answered question may show: the right answer, why the verdict is what it is, and the pairs of a board.

    `sentence` is the text of a cloze with every gap filled.
    """

    kind: ItemKind
    right_answer: str
    given: str | None
    note: Note | None
    sentence: str | None
    pairs: tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class Today:
    """What was answered in the present study day."""

    answers: int
    again: int
    new: int
    reviews: int


@dataclass(frozen=True, slots=True)
class Counts:
    """What is left today in a deck. `new` and `due` are already cut to what the day allows; the rest is beyond it.

    `today` is what was answered so far.
    """

    new: int
    learning: int
    due: int
    new_beyond: int
    due_beyond: int
    next_learning_due: datetime | None
    today: Today

    @property
    def total(self) -> int:
        return self.new + self.learning + self.due


@dataclass(frozen=True, slots=True)
class Pair:
    """One pair of a board as it was answered: the card's two sides and what was chosen for its left one."""

    card_id: int
    left: str
    right: str
    chosen: str
    correct: bool


@dataclass(frozen=True, slots=True)
class Item:
    """A question as it stands: asked, turned over, graded or answered.

    `options` are the choices, `left` and `right` the sides of a board; which of them is right is not here. `grade`,
    `pairs` and `outcomes` are there once the answer may be seen: `outcomes` what each button would do.
    """

    id: int
    kind: ItemKind
    card: StudyCard
    facts: Facts
    status: str
    options: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    right: tuple[str, ...] = ()
    right_option: int | None = None
    revealed: bool = False
    given: str | None = None
    grade: Grade | None = None
    pairs: tuple[Pair, ...] = ()
    overridden: bool = False
    suggested: Rating | None = None
    keeps: bool = True
    """Whether its rating moves the schedule."""
    outcomes: Mapping[Rating, Outcome] | None = None

    @property
    def seen(self) -> bool:
        """Whether the learner may see the answer."""
        return self.revealed or self.grade is not None or bool(self.pairs)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a session is: answers so far by verdict, and what is left by kind."""

    answered: int
    correct: int
    almost: int
    wrong: int
    new: int
    learning: int
    due: int
    other: int
    """Left in a session that schedules nothing."""

    @property
    def left(self) -> int:
        return self.new + self.learning + self.due + self.other

    @property
    def total(self) -> int:
        return self.answered + self.left


@dataclass(frozen=True, slots=True)
class Session:
    """A session and its present question; None with `resumes_at` in a pause, None without it when it is finished."""

    id: int
    deck_id: int | None
    deck_title: str | None
    mode: Mode
    goal: Goal
    horizon_days: int | None
    created_at: datetime
    finished_at: datetime | None
    progress: Progress
    item: Item | None
    resumes_at: datetime | None
    undoes: int | None
    """The question whose answer can be taken back, the last one of today."""

    @property
    def finished(self) -> bool:
        return self.finished_at is not None

    @property
    def can_undo(self) -> bool:
        return self.undoes is not None


@dataclass(frozen=True, slots=True)
class OpenSession:
    """A session that can be gone on with. `deck_title` None: it is about all decks."""

    id: int
    deck_title: str | None
    mode: Mode
    goal: Goal
    created_at: datetime
    answers: int


@dataclass(frozen=True, slots=True)
class Kept:
    """The outcome of an answer. `repeated` when it had been given before and this is its first outcome.

    `due` and `interval_days` are those of the schedule after it; None where the answer moved none.
    """

    item_id: int
    card_id: int
    verdict: Verdict
    rating: Rating
    due: datetime | None
    interval_days: float | None
    repeated: bool
    became_leech: bool = False


@dataclass(frozen=True, slots=True)
class Missed:
    """A card answered wrong in a session, for its report. `front` of a cloze has its gaps as gaps."""

    card_id: int
    front: str
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TagResult:
    """How a session's answers went for one tag."""

    tag: str
    answers: int
    correct: int


@dataclass(frozen=True, slots=True)
class Next:
    """What waits in the decks of a session: now, within the day's limits (`due`, `new`) and beyond, and tomorrow."""

    due: int
    new: int
    beyond: int
    tomorrow: int


@dataclass(frozen=True, slots=True)
class Report:
    """What a finished session says of itself."""

    answers: int
    correct: int
    almost: int
    wrong: int
    new_cards: int
    seconds: int
    missed: tuple[Missed, ...]
    by_tag: tuple[TagResult, ...]
    next: Next


@dataclass(frozen=True, slots=True)
class FitView:
    """A fit that ended `at`: on how many reviews, and the log-loss on them before and after where compared."""

    outcome: FitOutcome
    at: datetime
    reviews: int
    log_loss_before: float | None
    log_loss_after: float | None


@dataclass(frozen=True, slots=True)
class OwnParameters:
    """What an account has of fitted parameters. `parameters` None: the standard set is in use.

    `asked_at` is set while a fit is under way, `last` until its answer was taken note of, `proposed` until the person
    agreed or declined.
    """

    parameters: tuple[float, ...] | None = None
    used: FitView | None = None
    asked_at: datetime | None = None
    last: FitView | None = None
    proposed: tuple[float, ...] | None = None
