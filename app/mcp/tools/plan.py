"""The tool that says what to study now, and why."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from app.decks import queries
from app.domain.modes import Goal, Mode
from app.domain.scopes import Scope
from app.domain.study_plan import Block, BlockKind, Source, StudyPlan
from app.mcp.plans import study_clock
from app.mcp.spec import Call, Input, Kind, Output, Reply, Toolset, ToolSpec
from app.mcp.tools.fields import Count, DeckId, Minutes, StudyGoal, StudyMode
from app.study.planning import study_plan_of
from app.study.views import Next


class GetStudyPlan(Input):
    deck_id: Annotated[int, Meta(ge=1, description="Id of a deck; left out: all decks together.")] | UnsetType = UNSET
    mode: StudyMode = "flashcards"
    goal: StudyGoal | UnsetType = UNSET
    minutes: Minutes | UnsetType = UNSET


class PlanBlock(Output, kw_only=True):
    kind: Annotated[str, Meta(description="learning, reviews, new, all or sample.")]
    questions: Count
    minutes: Annotated[float, Meta(ge=0)]
    reason: Annotated[str, Meta(description="Why this comes now, to tell the person.")]
    expected_recall: (
        Annotated[float, Meta(ge=0, le=1, description="The share of the reviews likely to be known.")] | UnsetType
    ) = UNSET


class Plan(Output, kw_only=True):
    deck_id: DeckId | UnsetType = UNSET
    deck_title: str | UnsetType = UNSET
    mode: str
    goal: Annotated[str, Meta(description="As asked for, or chosen by what waits.")]
    source: Annotated[
        str,
        Meta(description="personal: reckoned with the person's own fitted parameters; scheduler: with the standard."),
    ]
    expected_minutes: Annotated[float, Meta(ge=0)]
    seconds_per_question: Annotated[float, Meta(ge=0)]
    questions: Count
    blocks: Annotated[list[PlanBlock], Meta(description="In the order in which a session asks.")]
    left_out: Annotated[Count, Meta(description="Questions that wait but do not fit into the time.")]
    beyond_today: Annotated[Count, Meta(description="Cards that wait beyond the day's limits.")]
    due_tomorrow: Count


async def get_study_plan(call: Call, given: GetStudyPlan) -> Reply[Plan]:
    account_id, clock = call.caller.account_id, study_clock(call.caller)
    made, waiting = await study_plan_of(
        account_id,
        deck_id=given.deck_id or None,
        mode=Mode(given.mode),
        goal=Goal(given.goal) if given.goal else None,
        minutes=given.minutes or None,
        clock=clock,
        now=call.now,
    )
    deck = await queries.deck(account_id, given.deck_id, clock=clock, now=call.now) if given.deck_id else None
    output = Plan(
        deck_id=deck.id if deck else UNSET,
        deck_title=deck.title if deck else UNSET,
        mode=given.mode,
        goal=made.goal.value,
        source=made.source.value,
        expected_minutes=round(made.minutes, 1),
        seconds_per_question=round(made.seconds_per_question, 1),
        questions=made.questions,
        blocks=[_block(block, made) for block in made.blocks],
        left_out=made.left_out,
        beyond_today=waiting.beyond,
        due_tomorrow=waiting.tomorrow,
    )
    return Reply(output, _text(output, waiting))


def _block(block: Block, made: StudyPlan) -> PlanBlock:
    return PlanBlock(
        kind=block.kind.value,
        questions=block.questions,
        minutes=round(block.minutes, 1),
        reason=_reason(block, made),
        expected_recall=UNSET if block.recall_share is None else round(block.recall_share, 3),
    )


def _reason(block: Block, made: StudyPlan) -> str:
    whose = "your own reviews" if made.source is Source.PERSONAL else "the standard memory model"
    share = "" if block.recall_share is None else f" By {whose} about {block.recall_share:.0%} of them are still known."
    if block.kind is BlockKind.LEARNING:
        return "They are in the middle of their learning steps; a short wait is over, so they come first."
    if block.kind is BlockKind.REVIEWS and made.goal is Goal.RETAIN:
        return f"They would be forgotten within a week; the weakest come first.{share}"
    if block.kind is BlockKind.REVIEWS:
        return f"They are due today; those that are still known best come first, before they fade.{share}"
    if block.kind is BlockKind.NEW:
        if made.goal is Goal.LEARN:
            return "They were never studied, and learning new cards is the goal; the day's limit is kept."
        return "They were never studied; they come after what is due, within the day's limit."
    if block.kind is BlockKind.ALL:
        return "Every active card is asked once, in no order, and missed ones again; no due date changes."
    return "A spread over tags and difficulties shows what is known and what is not; no due date changes."


def _text(plan: Plan, waiting: Next) -> str:
    where = f"{plan.deck_title} (deckId {plan.deck_id})" if plan.deck_title else "all decks"
    if not plan.blocks:
        lines = [f"Nothing to do now in {where} for the goal {plan.goal}."]
        if waiting.beyond:
            lines.append(f"{waiting.beyond} more wait beyond the day's limits.")
        lines += [f"Due tomorrow: {waiting.tomorrow}.", "The goal cram asks every active card all the same."]
        return "\n".join(lines)
    lines = [
        f"Plan for {where}: {plan.questions} questions, about {plan.expected_minutes:g} minutes "
        f"(goal {plan.goal}, mode {plan.mode}, {plan.source})."
    ]
    lines += [
        f"{place}. {block.questions} {_WORDS[block.kind]}, about {block.minutes:g} min. {block.reason}"
        for place, block in enumerate(plan.blocks, 1)
    ]
    if plan.left_out:
        lines.append(f"{plan.left_out} more do not fit into the time.")
    lines.append("To begin: render_study_session with the same deckId, mode, goal and minutes.")
    return "\n".join(lines)


_WORDS = {
    BlockKind.LEARNING.value: "in learning steps",
    BlockKind.REVIEWS.value: "due reviews",
    BlockKind.NEW.value: "new",
    BlockKind.ALL.value: "of all cards",
    BlockKind.SAMPLE.value: "as a sample",
}


GET_STUDY_PLAN = ToolSpec(
    name="get_study_plan",
    title="Get study plan",
    description=(
        "What to study now in a deck or in all decks: blocks in their order, each with the number of questions, the "
        "expected minutes and a reason to tell the person. Without a goal it is chosen by what waits. source says "
        "whether it is reckoned with parameters fitted to the person's own reviews or with the standard ones. It "
        "starts nothing and shows no cards."
    ),
    toolsets=frozenset({Toolset.STUDY}),
    scope=Scope.STATS_READ,
    kind=Kind.READ,
    input=GetStudyPlan,
    output=Plan,
    handler=get_study_plan,
)
