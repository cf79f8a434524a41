"""Tools on how learning goes."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from app.domain.scopes import Scope
from app.domain.statistics import Retention, Share
from app.domain.weak_cards import RECENT_DAYS, WeakReason
from app.mcp.plans import study_clock
from app.mcp.spec import Call, Input, Kind, Output, Reply, Toolset, ToolSpec
from app.mcp.tools.fields import Count, DeckId
from app.stats import queries
from app.stats.views import LearningStats, WeakCard
from app.study.settings import settings_for

_LONGEST_DAYS = 365
Percent = Annotated[float, Meta(ge=0, le=100, description="Absent when there are fewer than 30 answers.")]


class GetLearningStats(Input):
    deck_id: DeckId | UnsetType = UNSET
    days: Annotated[
        int, Meta(ge=1, le=_LONGEST_DAYS, description="How many of the last study days to look at, today included.")
    ] = 30


class AnswerShare(Output):
    answers: Annotated[Count, Meta(description="How many answers this is a share of.")]
    passed: Annotated[Count, Meta(description="How many of them were not Again.")]
    percent: Percent | UnsetType = UNSET


class TrueRetention(Output):
    all: AnswerShare
    young: Annotated[AnswerShare, Meta(description="Cards whose interval was under 21 days.")]
    mature: Annotated[AnswerShare, Meta(description="Cards whose interval was 21 days or more.")]


class Due(Output):
    now: Annotated[Count, Meta(description="To answer now, overdue cards included.")]
    today: Annotated[Count, Meta(description="To answer today, learning steps that end later today included.")]
    within_seven_days: Annotated[
        Count,
        Meta(
            description="To answer today and in the six days after it.",
        ),
    ]


class WeakFlashcard(Output):
    card_id: int
    deck_id: int
    deck_title: str
    front: str
    reasons: Annotated[list[WeakReason], Meta(description="Why it is weak, the weightiest first.")]
    lapses: Annotated[Count, Meta(description="How often it was forgotten in review.")]
    recent_agains: Annotated[Count, Meta(description=f"Answers Again in the last {RECENT_DAYS} days.")]
    retrievability: Annotated[float, Meta(ge=0, le=1, description="Probability of recall now.")]
    difficulty: Annotated[float, Meta(ge=1, le=10)]


class LearningStatsOutput(Output):
    days: int
    accuracy: Annotated[AnswerShare, Meta(description="Over all answers, those to new cards and in learning included.")]
    true_retention: Annotated[
        TrueRetention, Meta(description="Over answers to cards that had been known for a day or more.")
    ]
    due: Due
    weak_cards: Annotated[list[WeakFlashcard], Meta(description="At most ten, the weakest first.")]


async def get_learning_stats(call: Call, given: GetLearningStats) -> Reply[LearningStatsOutput]:
    settings = await settings_for(call.caller.account_id, given.deck_id or None)
    found = await queries.learning_stats(
        call.caller.account_id,
        given.deck_id or None,
        days=given.days,
        options=settings.scheduling(study_clock(call.caller)),
        now=call.now,
    )
    output = LearningStatsOutput(
        days=found.days,
        accuracy=_share(found.accuracy),
        true_retention=_retention(found.retention),
        due=Due(now=found.due_now, today=found.due_today, within_seven_days=found.due_7_days),
        weak_cards=[_weak(card) for card in found.weak],
    )
    return Reply(output, _text(found))


GET_LEARNING_STATS = ToolSpec(
    name="get_learning_stats",
    title="Get learning statistics",
    description=(
        "Read how the person's learning goes, over all decks or in one: accuracy, true retention, what is due, weak "
        "cards. Accuracy and retention are those of the last days, each with the number of answers behind it; due is "
        "counted now, today and within 7 days; each weak card has its reasons (often forgotten, many recent Agains, "
        "probably forgotten by now, very difficult). Say the "
        "number of answers along with a percentage; of fewer than 30 there is none. Answers of cards are not shown."
    ),
    toolsets=frozenset({Toolset.STUDY}),
    scope=Scope.STATS_READ,
    kind=Kind.READ,
    input=GetLearningStats,
    output=LearningStatsOutput,
    handler=get_learning_stats,
)


def _share(share: Share) -> AnswerShare:
    percent = UNSET if share.percent is None else round(share.percent, 1)
    return AnswerShare(answers=share.whole, passed=share.part, percent=percent)


def _retention(retention: Retention) -> TrueRetention:
    return TrueRetention(all=_share(retention.all), young=_share(retention.young), mature=_share(retention.mature))


def _weak(card: WeakCard) -> WeakFlashcard:
    return WeakFlashcard(
        card_id=card.card_id,
        deck_id=card.deck_id,
        deck_title=card.deck_title,
        front=card.front,
        reasons=list(card.reasons),
        lapses=card.standing.lapses,
        recent_agains=card.standing.agains,
        retrievability=round(card.standing.retrievability, 3),
        difficulty=round(card.standing.difficulty, 2),
    )


def _text(found: LearningStats) -> str:
    lines = [
        f"Last {found.days} days: {_said(found.accuracy)} answers right; true retention {_said(found.retention.all)} "
        f"(young {_said(found.retention.young)}, mature {_said(found.retention.mature)}).",
        f"Due: {found.due_now} now, {found.due_today} today, {found.due_7_days} within 7 days.",
        "Weak cards:" if found.weak else "No weak cards.",
    ]
    for card in found.weak:
        reasons = ", ".join(reason.replace("_", " ") for reason in card.reasons)
        lines.append(f"- {card.front} (cardId {card.card_id}, {card.deck_title}): {reasons}")
    return "\n".join(lines)


def _said(share: Share) -> str:
    counts = f"{share.part} of {share.whole}"
    return counts if share.percent is None else f"{share.percent:.1f} % ({counts})"
