"""From a study session to the fragment that the browser (and the chat widget) shows: one template set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from babel.numbers import format_decimal
from markupsafe import Markup, escape

from app.domain import cloze
from app.domain.cloze import ClozePrompt, SegmentKind
from app.domain.cloze_rich import rich_answer, rich_cloze_numbers, rich_question
from app.domain.differences import Segment
from app.domain.errors import N_
from app.domain.grading import Note, Verdict
from app.domain.intervals import SHORT_FORMS, WITHIN_FORM, short_interval
from app.domain.modes import Goal, ItemKind, Mode
from app.domain.scheduling import Rating, State
from app.domain.transfer.bundle import Side
from app.media.queries import MediaView
from app.study.views import Item, Report, Session, StudyCard
from app.ui.render import Reader, beside_files, translate

MODES: Mapping[Mode, tuple[str, str]] = {
    Mode.FLASHCARDS: (N_("Flashcards"), N_("Recall the answer, look, and say how well you knew it.")),
    Mode.MULTIPLE_CHOICE: (N_("Multiple choice"), N_("Pick the answer among others of the deck.")),
    Mode.TYPED: (N_("Typed"), N_("Write the answer; small slips are told apart from mistakes.")),
    Mode.MATCHING: (N_("Matching"), N_("Pair fronts with backs, a few at a time.")),
    Mode.CLOZE: (N_("Fill the gaps"), N_("Write what belongs in the gap of a text.")),
    Mode.MIXED: (N_("Mixed"), N_("What each card can bear, harder as you know it better.")),
}
GOALS: Mapping[Goal, tuple[str, str]] = {
    Goal.REVIEW: (N_("Review"), N_("What is due first, then new cards.")),
    Goal.LEARN: (N_("Learn"), N_("New cards first, then what is due.")),
    Goal.RETAIN: (N_("Keep for a date"), N_("What you would forget until then, the weakest first.")),
    Goal.CRAM: (N_("Cram"), N_("Every card, whatever its schedule; nothing is rescheduled.")),
    Goal.DIAGNOSE: (
        N_("Find the gaps"),
        N_("A sample over tags and difficulties, with a report; nothing is rescheduled."),
    ),
}
_VERDICTS: Mapping[Verdict, tuple[str, str]] = {
    Verdict.CORRECT: ("good", N_("Right")),
    Verdict.ALMOST: ("warn", N_("Almost")),
    Verdict.WRONG: ("bad", N_("Not right")),
}
_NOTES: Mapping[Note, str] = {
    Note.CASE_OR_PUNCTUATION: N_("but for capitals or punctuation"),
    Note.SAME_VALUE: N_("written in another way"),
    Note.ACCENTS: N_("mind the accents"),
    Note.KANA: N_("mind hiragana and katakana"),
    Note.SPACING: N_("mind the spaces"),
    Note.ARTICLE: N_("the article is another one"),
    Note.UNIT: N_("mind the unit"),
    Note.TYPO: N_("a slip of the fingers"),
    Note.EMPTY: N_("nothing was written"),
    Note.OTHER_CARD: N_("that is the answer of another card"),
}


@dataclass(frozen=True, slots=True)
class RatingButton:
    """One of the buttons of a verdict, with what it would do."""

    value: int
    label: str
    interval: str
    key: str
    printed: str
    usual: bool


@dataclass(frozen=True, slots=True)
class ItemView:
    """A question as `templates/study/screen.html` shows it. `answer` and the rest are empty until it may be seen."""

    item: Item
    prompt: Markup
    answer: Markup | None
    more: Markup | None
    """The back of a cloze card, which is shown with its answer."""
    buttons: tuple[RatingButton, ...]
    verdict: str | None
    verdict_sign: str
    difference: tuple[Segment, ...]
    can_override: bool
    unmoved: bool = False
    """Whether the answer leaves the card's day as it is, because it was only recognised."""

    front_files: tuple[MediaView, ...] = ()
    back_files: tuple[MediaView, ...] = ()
    """Pictures and sounds; those of the back once it may be seen."""

    @property
    def current(self) -> str:
        """The kind of the card, as the counts name it."""
        return {State.NEW: "new", State.REVIEW: "due"}.get(self.item.card.schedule.state, "learning")


@dataclass(frozen=True, slots=True)
class StudyScreen:
    """All that `templates/study/screen.html` needs."""

    session: Session
    view: ItemView | None
    report: Report | None
    leave: str
    elapsed_ms: int = 0
    message: str = ""
    wrong: str = ""
    """What was the matter with the last form, beside its field."""
    typed: str = ""
    """What was in that field."""
    embedded: bool = False
    """Whether it stands in a chat: pages open beside it."""
    single_keys: bool = True
    """Whether keys without a modifier act (WCAG 2.1.4)."""

    @property
    def base(self) -> str:
        return f"/study/{self.session.id}"


def screen(
    session: Session,
    reader: Reader,
    *,
    report: Report | None = None,
    files: Sequence[MediaView] = (),
    **more: str | int,
) -> StudyScreen:
    """The screen of a session in the reader's language. `files` are the pictures and sounds of the present card."""
    leave = f"/decks/{session.deck_id}" if session.deck_id else "/"
    view = (
        item_view(session.item, session.goal, reader, files, embedded=bool(more.get("embedded")))
        if session.item
        else None
    )
    return StudyScreen(session, view, report, leave, **more)  # type: ignore[arg-type]


def item_view(
    item: Item, goal: Goal, reader: Reader, files: Sequence[MediaView] = (), *, embedded: bool = False
) -> ItemView:
    verdict, sign = None, ""
    if item.grade is not None and not item.pairs:
        sign, word = _VERDICTS[item.grade.verdict]
        note = _NOTES.get(item.grade.note) if item.kind is not ItemKind.CHOICE else None
        verdict = translate(reader, word) + (f": {translate(reader, note)}" if note else "")
    elif item.pairs:
        right = sum(pair.correct for pair in item.pairs)
        sign = "good" if right == len(item.pairs) else "bad"
        verdict = translate(reader, N_("%(right)s of %(all)s pairs are right"), right=right, all=len(item.pairs))
    typed = item.kind in {ItemKind.TYPED, ItemKind.CLOZE}
    front, back = (tuple(file for file in files if file.side is side) for side in Side)
    # A chat shows a link in place of the files themselves.
    front_seen, back_seen = ((), ()) if embedded else (front, back)
    return ItemView(
        item=item,
        prompt=beside_files(prompt(item.card), item.card.front, front_seen),
        answer=beside_files(answer(item.card), item.card.back, back_seen) if item.seen else None,
        more=_back(item.card) if item.seen and item.card.ordinal and item.card.back else None,
        buttons=buttons(item, goal, reader),
        verdict=verdict,
        verdict_sign=sign,
        difference=item.grade.difference if item.grade and typed else (),
        can_override=bool(item.grade and typed and item.grade.verdict is not Verdict.CORRECT),
        unmoved=bool(goal.schedules and item.grade and not item.keeps),
        front_files=front,
        back_files=back if item.seen else (),
    )


def prompt(card: StudyCard) -> Markup:
    """What is asked, as HTML: the front, or of a cloze the text with its gap."""
    if not card.ordinal:
        return _side(card.front_rich, card.front)
    if card.front_rich and card.ordinal in rich_cloze_numbers(card.front_rich):
        return Markup(rich_question(card.front_rich, card.ordinal))  # noqa: S704 - sanitised HTML gives such again
    return _segments(cloze.question(card.front, card.ordinal))


def answer(card: StudyCard) -> Markup:
    """What was asked for, as HTML: the back, or of a cloze the text with the gap filled and marked."""
    if not card.ordinal:
        return _back(card)
    if card.front_rich and card.ordinal in rich_cloze_numbers(card.front_rich):
        return Markup(rich_answer(card.front_rich, card.ordinal))  # noqa: S704 - as above
    return _segments(cloze.answer(card.front, card.ordinal))


def _back(card: StudyCard) -> Markup:
    return _side(card.back_rich, card.back)


def _side(rich: str | None, plain: str) -> Markup:
    return Markup(rich) if rich else _lines(plain)  # noqa: S704 - sanitised when stored


def _lines(text: str) -> Markup:
    return Markup("<br>").join(text.split("\n"))


def _segments(shown: ClozePrompt) -> Markup:
    parts = [
        _lines(segment.shown) if segment.kind is SegmentKind.TEXT else Markup("<mark>%s</mark>") % _lines(segment.shown)
        for segment in shown.segments
    ]
    return Markup("").join(escape(part) for part in parts)


def interval_text(interval: timedelta, reader: Reader) -> str:
    """An interval as a button shows it, in the reader's language: `<10m`, `2d`, `1.2mo`."""
    short = short_interval(interval)
    text = translate(reader, SHORT_FORMS[short.unit], number=format_decimal(short.number, locale=reader.language))
    return translate(reader, WITHIN_FORM, interval=text) if short.within else text


def buttons(item: Item, goal: Goal, reader: Reader) -> tuple[RatingButton, ...]:
    """The ratings that may be pressed now, the usual one marked; none where the answer moves no schedule anyway."""
    if not item.seen:
        return ()
    labels = {
        Rating.AGAIN: translate(reader, "Again"),
        Rating.HARD: translate(reader, "Hard"),
        Rating.GOOD: translate(reader, "Good"),
        Rating.EASY: translate(reader, "Easy"),
    }
    usual = item.suggested or Rating.GOOD
    if item.outcomes is not None and item.kind is not ItemKind.MATCHING:
        return tuple(
            _button(rating, labels[rating], interval_text(item.outcomes[rating].interval, reader), usual)
            for rating in Rating
        )
    if item.grade is None and not goal.schedules:
        labels |= {Rating.AGAIN: translate(reader, "Not yet"), Rating.GOOD: translate(reader, "Knew it")}
        return tuple(_button(rating, labels[rating], "", usual) for rating in (Rating.AGAIN, Rating.GOOD))
    return ()


def _button(rating: Rating, label: str, interval: str, usual: Rating) -> RatingButton:
    return RatingButton(int(rating), label, interval, f"Digit{int(rating)}", str(int(rating)), rating is usual)
