"""A card with its schedule, as `get_card` gives it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from app.decks import queries as decks
from app.domain import cloze, scheduling
from app.domain.calendar import StudyClock
from app.domain.scheduling import Rating, SchedulingOptions, State
from app.mcp.spec import Output
from app.mcp.tools.cards import Flashcard, card_fields
from app.mcp.tools.fields import Count, Instant
from app.media.queries import media_of
from app.study import queries
from app.study.settings_queries import settings_for
from app.study.views import ReviewView, StudyCard

RATING_WORDS = {"again": Rating.AGAIN, "hard": Rating.HARD, "good": Rating.GOOD, "easy": Rating.EASY}
_SHOWN_REVIEWS = 10


def rating_word(rating: Rating) -> str:
    return rating.name.lower()


def state_word(state: State) -> str:
    return state.name.lower()


class CardSchedule(Output, kw_only=True):
    state: Annotated[str, Meta(description="new, learning, review or relearning.")]
    due: Instant | UnsetType = UNSET
    stability: Annotated[float, Meta(description="Days until the probability of recall is 90 %.")] | UnsetType = UNSET
    difficulty: Annotated[float, Meta(ge=1, le=10)] | UnsetType = UNSET
    retrievability: Annotated[float, Meta(ge=0, le=1, description="Probability of recall now.")] | UnsetType = UNSET
    last_review: Instant | UnsetType = UNSET
    reps: Annotated[Count, Meta(description="How often it was answered.")]
    lapses: Annotated[Count, Meta(description="How often it was forgotten once it was known.")]
    suspended: bool
    buried_until: Instant | UnsetType = UNSET
    flag: Annotated[int, Meta(ge=0, le=7)]
    leech: Annotated[bool, Meta(description="Forgotten so often that its text is worth a change.")]


class ClozeQuestion(Output, kw_only=True):
    number: Annotated[int, Meta(ge=1, description="The number of its gaps.")]
    prompt: str
    answer: str
    schedule: CardSchedule


class LastReview(Output, kw_only=True):
    reviewed_at: Instant
    rating: Annotated[str, Meta(description="again, hard, good or easy.")]
    interval_days: Annotated[float, Meta(description="For how long it went away after it.")]
    elapsed_ms: Annotated[int, Meta(ge=0)] | UnsetType = UNSET
    number: Annotated[int, Meta(ge=1, description="Of a cloze card: which question.")] | UnsetType = UNSET


class CardFile(Output):
    side: Annotated[str, Meta(description="front or back.")]
    kind: Annotated[str, Meta(description="image or sound.")]
    name: str


class FullCard(Flashcard, kw_only=True):
    media: (
        Annotated[list[CardFile], Meta(description="Pictures and sounds, shown below the text of a side.")] | UnsetType
    ) = UNSET
    schedule: Annotated[CardSchedule, Meta(description="Of a cloze card: that of its first question.")]
    questions: (
        Annotated[list[ClozeQuestion], Meta(description="Of a cloze card: each of its questions.")] | UnsetType
    ) = UNSET
    last_reviews: Annotated[list[LastReview], Meta(description="The last 10 answers, the newest first.")]


async def card_details(account_id: int, card_id: int, *, clock: StudyClock, now: datetime) -> FullCard:
    """The card with its schedule as of `now`. Raises `NotFound`."""
    card = await decks.card(account_id, card_id)
    asked = await queries.questions_of(account_id, card_id)
    reviews = await queries.last_reviews(account_id, card_id, limit=_SHOWN_REVIEWS)
    options = (await settings_for(account_id, card.deck_id)).scheduling(clock)
    files = (await media_of(account_id, [card_id])).get(card_id, ())
    return FullCard(
        **card_fields(card),
        media=[CardFile(side=file.side.value, kind=file.kind.value, name=file.name) for file in files] or UNSET,
        schedule=_schedule(asked[0], options, now),
        questions=[_question(one, options, now) for one in asked if one.ordinal] or UNSET,
        last_reviews=[_review(review) for review in reviews],
    )


def _schedule(card: StudyCard, options: SchedulingOptions, now: datetime) -> CardSchedule:
    known = card.schedule
    chance = scheduling.retrievability(known, options, now)
    return CardSchedule(
        state=state_word(known.state),
        due=known.due or UNSET,
        stability=UNSET if known.stability is None else round(known.stability, 3),
        difficulty=UNSET if known.difficulty is None else round(known.difficulty, 3),
        retrievability=UNSET if chance is None else round(chance, 4),
        last_review=known.last_review or UNSET,
        reps=known.reps,
        lapses=known.lapses,
        suspended=card.suspended,
        buried_until=card.buried_until if card.buried_until and card.buried_until > now else UNSET,
        flag=card.flag,
        leech=card.leech,
    )


def _question(card: StudyCard, options: SchedulingOptions, now: datetime) -> ClozeQuestion:
    return ClozeQuestion(
        number=card.ordinal,
        prompt=cloze.question(card.front, card.ordinal).plain,
        answer=cloze.typed_answer(card.front, card.ordinal),
        schedule=_schedule(card, options, now),
    )


def _review(review: ReviewView) -> LastReview:
    return LastReview(
        reviewed_at=review.reviewed_at,
        rating=rating_word(review.rating),
        interval_days=round(review.interval_days, 4),
        elapsed_ms=UNSET if review.elapsed_ms is None else review.elapsed_ms,
        number=review.ordinal or UNSET,
    )


def details_text(card: FullCard) -> str:
    """The card for the model to read."""
    lines = [
        f"cardId {card.card_id} in {card.deck_title} (deckId {card.deck_id}), version {card.version}",
        f"Front: {card.front}",
        f"Back: {card.back}",
        *([f"Tags: {', '.join(card.tags)}"] if card.tags else []),
        *(f"{one.kind.capitalize()} on the {one.side}: {one.name}" for one in card.media or ()),
    ]
    if card.questions:
        lines += [f"Question {one.number}: {one.prompt} ({_said(one.schedule)})" for one in card.questions]
    else:
        lines.append(f"Schedule: {_said(card.schedule)}")
    if card.last_reviews:
        answers = (f"{review.reviewed_at:%Y-%m-%d} {review.rating}" for review in card.last_reviews)
        lines.append(f"Last answers: {', '.join(answers)}")
    return "\n".join(lines)


def _said(known: CardSchedule) -> str:
    parts = [known.state]
    if known.due:
        parts.append(f"due {known.due:%Y-%m-%d %H:%M} UTC")
    if known.retrievability is not UNSET:
        parts.append(f"recalled now with {known.retrievability:.0%}")
    parts.append(f"answered {known.reps} times, forgotten {known.lapses}")
    parts += [word for word, is_so in (("suspended", known.suspended), ("leech", known.leech)) if is_so]
    return ", ".join(parts)
