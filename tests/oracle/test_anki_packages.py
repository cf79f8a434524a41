"""Packages that Anki made, read by us and imported by Anki into an empty collection: the same cards in both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from app.core import clock
from app.domain.calendar import ONE_DAY, StudyClock
from app.domain.cloze import answer as cloze_answer
from app.domain.cloze import cloze_numbers
from app.domain.cloze import question as cloze_question
from app.domain.scheduling import Schedule, State
from app.domain.transfer.bundle import BroughtCard, BroughtQuestion, Line, ReadOrder, ScheduleChoice, Side
from app.transfer.packages import read
from tests.oracle import anki_collections as anki

DAYS = StudyClock("UTC", 4)


@dataclass(frozen=True)
class Ours:
    lines: list[Line]
    now: datetime
    contents: list[bytes]

    @property
    def decks(self) -> dict[int, str]:
        return {line.deck.number: line.deck.name for line in self.lines if line.deck}

    @property
    def cards(self) -> list[BroughtCard]:
        return [line.card for line in self.lines if line.card]

    def of(self, front: str) -> BroughtCard:
        return next(card for card in self.cards if card.front == front)

    def questions(self) -> dict[tuple[str, int], tuple[BroughtCard, BroughtQuestion]]:
        """By GUID and Anki's number of the card."""
        found: dict[tuple[str, int], tuple[BroughtCard, BroughtQuestion]] = {}
        for card in self.cards:
            given = {question.ordinal: question for question in card.questions}
            for ordinal in anki_ordinals(card):
                number = ordinal - 1 if ordinal else card.template
                found[card.guid or "", number] = card, given.get(ordinal, BroughtQuestion(ordinal))
        return found


def anki_ordinals(card: BroughtCard) -> tuple[int, ...]:
    return cloze_numbers(card.front) or (0,)


def ours(package: Path, choice: ScheduleChoice = ScheduleChoice.KEEP) -> Ours:
    now = clock.now()
    found = list(read(package, ReadOrder(package.name, now, schedule=choice)))
    lines = [line for line in found if isinstance(line, Line)]
    return Ours(lines, now, [content for content in found if isinstance(content, bytes)])


@dataclass(frozen=True)
class Both:
    package: Path
    fsrs: bool
    ours: Ours
    theirs: dict[tuple[str, int], anki.Theirs]
    worked_out: dict[tuple[str, int], tuple[float, float]]
    """The memory that Anki works out from log, ease and interval when FSRS is switched on."""


@pytest.fixture(
    scope="module",
    params=[(True, False), (True, True), (False, False), (False, True)],
    ids=["fsrs-modern", "fsrs-legacy", "sm2-modern", "sm2-legacy"],
)
def both(request: pytest.FixtureRequest, utc: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    fsrs, legacy = request.param
    folder = tmp_path_factory.mktemp("packages")
    package = folder / "everything.apkg"
    with anki.collection(folder / "from", fsrs=fsrs) as source:
        anki.fill(source)
        anki.export(source, package, legacy=legacy)
    with anki.collection(folder / "to", fsrs=fsrs) as target:
        anki.imported(target, package)
        theirs = anki.theirs(target)
        target.set_config("fsrs", True)
        yield Both(package, fsrs, ours(package), theirs, anki.memories(target))


def test_there_are_the_same_cards_in_the_same_decks(both: Both) -> None:
    assert set(both.ours.questions()) == set(both.theirs)
    assert len(both.theirs) >= 25
    for key, (card, _) in both.ours.questions().items():
        assert both.ours.decks[card.deck] == both.theirs[key].deck
    end = both.ours.lines[-1].end
    assert end
    assert end.cards == len(both.ours.cards)
    assert [line for line in both.ours.lines if line.problem] == []


def test_the_texts_and_tags_are_the_same(both: Both) -> None:
    for key, (card, question) in both.ours.questions().items():
        theirs = both.theirs[key]
        assert card.tags == tuple(tag for tag in theirs.tags if tag != "leech")
        if theirs.cloze:
            assert cloze_question(card.front, question.ordinal).plain == theirs.front
            revealed = cloze_answer(card.front, question.ordinal).plain
            assert theirs.answer in {revealed, f"{revealed} {card.back}"}
        else:
            assert card.front in {theirs.front, "[image]"}
            assert card.back == theirs.answer
    assert both.ours.of("Paris").back_rich == "France &amp; <strong>more</strong>"


def test_states_due_dates_counts_and_marks_are_the_same(both: Both) -> None:
    today = DAYS.study_day(both.ours.now)
    for key, (_, question) in both.ours.questions().items():
        theirs = both.theirs[key]
        assert question.state == theirs.type
        assert question.reps == theirs.reps
        assert question.lapses == theirs.lapses
        assert question.flag == theirs.flag
        assert question.suspended is (theirs.queue == -1)
        assert bool(question.buried_until) is (theirs.queue in {-2, -3})
        assert question.leech is ("leech" in theirs.tags)
        if question.state:
            assert question.due
            if theirs.in_days:
                assert DAYS.study_day(question.due) == today + timedelta(days=theirs.due)
                assert question.due == DAYS.start_of(DAYS.study_day(question.due))
            else:
                assert question.due.timestamp() == theirs.due
        if question.buried_until:
            assert question.buried_until == DAYS.start_of(today + ONE_DAY)


def test_the_memory_is_what_anki_has_or_would_work_out(both: Both) -> None:
    compared = 0
    for key, (_, question) in both.ours.questions().items():
        memory = both.theirs[key].memory or both.worked_out.get(key)
        assert both.theirs[key].memory is None or both.fsrs
        if memory and question.state == State.REVIEW:
            assert (question.stability, question.difficulty) == pytest.approx(memory, rel=2e-3)
            compared += 1
    assert compared >= 9


def test_every_schedule_is_valid_and_every_answer_comes_along(both: Both) -> None:
    for key, (_, question) in both.ours.questions().items():
        Schedule(
            State(question.state), question.step, question.due, question.stability, question.difficulty,
            question.last_review, question.reps, question.lapses,
        )  # fmt: skip
        assert len(question.reviews) == both.theirs[key].answers
        assert list(question.reviews) == sorted(question.reviews, key=lambda review: review.reviewed_at)
        if question.reviews and question.state:
            assert question.last_review == pytest.approx(question.reviews[-1].reviewed_at, abs=timedelta(seconds=2))


def test_pictures_and_sounds_come_once_before_their_card(both: Both) -> None:
    announced = [line.media for line in both.ours.lines if line.media]
    assert {media.mime for media in announced} == {"image/png", "audio/mpeg"}
    assert both.ours.contents == [anki.PNG, anki.MP3]
    assert [media.size for media in announced] == [len(anki.PNG), len(anki.MP3)]
    picture, sound = both.ours.of("[image]").media, both.ours.of("heard").media
    assert [(use.side, use.name) for use in (*picture, *sound)] == [(Side.FRONT, "a b é.png"), (Side.BACK, "say.mp3")]
    assert {use.digest for use in (*picture, *sound)} == {media.digest for media in announced}


def test_learning_steps_are_counted_from_the_options_of_the_deck(both: Both) -> None:
    steps = {card.front: card.questions[0].step for card in both.ours.cards if card.front.startswith("learning")}
    assert steps["learning 0"] == 0
    assert steps["learning 2"] == 1
    assert steps["learning 3"] is None  # Easy leads to review at once


def test_resetting_leaves_marks_and_nothing_else(both: Both) -> None:
    fresh = ours(both.package, ScheduleChoice.RESET)
    assert len(fresh.cards) == len(both.ours.cards)
    assert {question.state for card in fresh.cards for question in card.questions} == {0}
    assert not any(question.reviews for card in fresh.cards for question in card.questions)
    assert fresh.of("suspended").questions[0].suspended


def test_replaying_works_out_due_days_from_the_answers(both: Both) -> None:
    replayed = ours(both.package, ScheduleChoice.REPLAY)
    for card in replayed.cards:
        for question in card.questions:
            if question.state == State.REVIEW and question.reviews:
                last = question.reviews[-1]
                assert (question.stability, question.difficulty) == (last.stability, last.difficulty)
                assert question.due
                days = DAYS.days_between(last.reviewed_at, question.due)
                assert days == max(1, int(last.stability + 0.5))  # by the retention at which stability is measured


def test_a_preview_brings_no_contents(both: Both) -> None:
    order = ReadOrder("x", both.ours.now, media=False)
    lines = list(read(both.package, order))
    assert not any(isinstance(line, bytes) for line in lines)
    assert len(lines) == len(both.ours.lines)


def test_a_package_of_today_from_elsewhere(data: Path) -> None:
    found = ours(data / "decks" / "modern_anki21b_20cards.apkg")
    assert len(found.cards) == 20
    assert found.decks == {0: "MCP Reviewer Demo"}
    assert {card.tags for card in found.cards} == {("mcp-reviewer-demo", "spanish")}
    assert found.of("hola").back == "hello"
    assert not any(line.problem or line.warning for line in found.lines)


def test_a_whole_collection_with_and_without_its_newest_form(utc: None, tmp_path: Path) -> None:
    for legacy in (False, True):
        with anki.collection(tmp_path / f"from {legacy}", fsrs=True) as source:
            anki.fill(source)
            cards = source.card_count()
            package = tmp_path / f"{legacy}.colpkg"
            source.export_collection_package(str(package), include_media=True, legacy=legacy)
        assert len(ours(package).questions()) == cards
