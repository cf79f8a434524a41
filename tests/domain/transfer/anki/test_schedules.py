"""Rows of cards and of the log as questions."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.scheduling import Rating, Schedule, SchedulingOptions, State
from app.domain.scheduling import answer as answered
from app.domain.transfer.anki.log import LogLine, Model, answers
from app.domain.transfer.anki.note_types import Steps
from app.domain.transfer.anki.schedules import CardRow, Days, Scheduling
from app.domain.transfer.bundle import BroughtQuestion, ReadOrder, ScheduleChoice

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
CREATED = int(datetime(2025, 1, 1, 4, tzinfo=UTC).timestamp())
TODAY = (date(2026, 3, 10) - date(2025, 1, 1)).days


def scheduling(choice: ScheduleChoice = ScheduleChoice.KEEP, zone: str = "UTC", west: int | None = 0) -> Scheduling:
    return Scheduling.of(ReadOrder("x", NOW, zone, schedule=choice), CREATED, west)


def card(**values: object) -> CardRow:
    row = {
        "id": 1, "deck": 1, "ordinal": 0, "type": 2, "queue": 2, "due": TODAY + 3, "ivl": 10, "factor": 2500, "reps": 2,
        "lapses": 0, "left": 0, "home_due": 0, "home_deck": 0, "flags": 0, "data": "",
    }  # fmt: skip
    return CardRow(**(row | values))  # type: ignore[arg-type]


def line(days_ago: float, ease: int, ivl: int = 1, kind: int = 1, factor: int = 2500) -> LogLine:
    return LogLine(int((NOW - timedelta(days=days_ago)).timestamp() * 1000), ease, ivl, factor, 4_000, kind)


def question(row: CardRow, *lines: LogLine, choice: ScheduleChoice = ScheduleChoice.KEEP) -> BroughtQuestion:
    return scheduling(choice).question(row, lines, Steps())


def schedule(found: BroughtQuestion) -> Schedule:
    return Schedule(
        State(found.state), found.step, found.due, found.stability, found.difficulty, found.last_review, found.reps,
        found.lapses,
    )  # fmt: skip


def test_a_new_card_has_counts_alone() -> None:
    assert question(card(type=0, queue=0, due=77, reps=0)) == BroughtQuestion(0)


def test_a_card_in_review_is_due_at_the_start_of_its_day() -> None:
    found = question(card(data='{"s": 12.5, "d": 4.25, "lrt": 1773000000}'))
    assert found.due == datetime(2026, 3, 13, 4, tzinfo=UTC)
    assert (found.stability, found.difficulty) == (12.5, 4.25)
    assert found.last_review == datetime.fromtimestamp(1_773_000_000, UTC)


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/New_York", "Pacific/Apia"])
def test_days_count_from_where_the_collection_was_made_and_end_where_the_person_is(zone: str) -> None:
    made = datetime(2025, 1, 1, 4, tzinfo=UTC) + timedelta(hours=5)  # 4:00 in New York
    order = ReadOrder("x", NOW, zone)
    found = Scheduling.of(order, int(made.timestamp()), 300).question(card(due=10), (), Steps())
    assert found.due == scheduling(zone=zone).model.clock.start_of(date(2025, 1, 11))
    assert Days.of(int(made.timestamp()), None, "America/New_York").first == date(2025, 1, 1)


def test_learning_by_the_clock_and_by_the_day() -> None:
    seconds = int(NOW.timestamp()) + 600
    today = question(card(type=1, queue=1, due=seconds, left=1001, ivl=0), line(0.001, 1, -60, 0))
    later = question(card(type=3, queue=3, due=TODAY + 1, left=1), line(1, 1, 1, 1))
    assert (today.state, today.step) == (State.LEARNING, 1)
    assert today.due == datetime.fromtimestamp(seconds, UTC)
    assert (later.state, later.step) == (State.RELEARNING, 0)
    assert later.due == datetime(2026, 3, 11, 4, tzinfo=UTC)


def test_a_card_in_a_filtered_deck_is_as_at_home() -> None:
    found = question(card(due=-99_999, home_due=TODAY + 7, home_deck=5))
    assert found.due == datetime(2026, 3, 17, 4, tzinfo=UTC)
    assert card(home_deck=5).own_deck == 5


def test_the_first_schedulers_relearning_is_relearning() -> None:
    assert question(card(type=2, queue=1, due=int(NOW.timestamp()), left=1001)).state == State.RELEARNING


@pytest.mark.parametrize(
    ("queue", "suspended", "buried"),
    [(2, False, None), (-1, True, None), (-2, False, datetime(2026, 3, 11, 4, tzinfo=UTC)),
     (-3, False, datetime(2026, 3, 11, 4, tzinfo=UTC))],
)  # fmt: skip
def test_marks(queue: int, suspended: bool, buried: datetime | None) -> None:
    found = question(card(queue=queue, flags=8 + 3))
    assert (found.suspended, found.buried_until, found.flag) == (suspended, buried, 3)


def test_ease_and_interval_stand_for_a_memory() -> None:
    """fsrs-rs 0.9.3: `memory_state_from_sm2(2.5, 10, 0.9)`."""
    found = question(card())
    assert (found.stability, found.difficulty) == pytest.approx((10.0, 6.914056))
    assert found.last_review == datetime(2026, 3, 3, 4, tzinfo=UTC)


def test_the_log_gives_the_memory_that_our_own_scheduler_gives() -> None:
    times = [20.0, 19.99, 17.0, 8.0, 7.99, 2.0]
    ratings = [3, 3, 4, 1, 3, 3]
    kinds = [0, 0, 1, 1, 2, 1]
    ours = Schedule.new()
    lines: list[LogLine] = []
    for days_ago, rating, kind in zip(times, ratings, kinds, strict=True):
        at = NOW - timedelta(days=days_ago)
        ours = answered(ours, Rating(rating), SchedulingOptions(fuzz=False), card_id=1, now=at).schedule
        lines.append(line(days_ago, rating, kind=kind))
    found = question(card(), *lines)
    assert (found.stability, found.difficulty) == pytest.approx((ours.stability, ours.difficulty), rel=1e-4)
    assert [review.state_before for review in found.reviews] == [0, 1, 2, 2, 3, 2]
    assert found.last_review == found.reviews[-1].reviewed_at


def test_only_answers_that_moved_the_schedule_count() -> None:
    found = question(
        card(),
        line(30, 3, kind=0),
        line(20, 0, kind=4, factor=2500),  # the due date was set by hand
        line(15, 3, kind=3, factor=0),  # looked at without consequences
        line(14, 2, kind=3, factor=2300),  # answered early in a filtered deck
        line(10, 0, kind=5),
    )
    assert [(review.rating, review.state_before) for review in found.reviews] == [(3, 0), (2, 2)]


def test_a_history_begins_anew_when_the_card_was_made_new() -> None:
    again = [line(9, 3, -600, 0), line(8, 3, 1, 0)]
    before = [line(50, 4, 4, 0), line(40, 3, 30, 1)]
    forgotten = LogLine(line(10, 0).id, 0, 0, 0, 0, 4)
    alone, after = question(card(), *again), question(card(), *before, forgotten, *again)
    silent = question(card(), *before, *again)  # as older versions did it
    assert (alone.stability, alone.difficulty) == (after.stability, after.difficulty)
    assert (alone.stability, alone.difficulty) == (silent.stability, silent.difficulty)
    assert [review.state_before for review in after.reviews] == [0, 2, 0, 1]


def test_intervals_are_days_or_seconds() -> None:
    found = question(card(), line(3, 3, -600, 0), line(2, 3, 4, 0))
    first, second = found.reviews
    assert (first.interval_days, first.due - first.reviewed_at) == (600 / 86_400, timedelta(minutes=10))
    assert (second.interval_days, second.due) == (4.0, datetime(2026, 3, 12, 4, tzinfo=UTC))


def test_a_replay_makes_due_days_of_the_answers_and_keeps_what_has_none() -> None:
    lines = [line(20, 3, -600, 0), line(20, 3, 3, 0), line(17, 3, 500, 1)]
    row = card(data='{"s": 900, "d": 1.5}')
    kept, replayed = question(row, *lines), question(row, *lines, choice=ScheduleChoice.REPLAY)
    assert (kept.stability, kept.due) == (900, datetime(2026, 3, 13, 4, tzinfo=UTC))
    assert replayed.stability == replayed.reviews[-1].stability != 900
    assert replayed.due
    assert replayed.due != kept.due
    assert question(row, choice=ScheduleChoice.REPLAY) == question(row)


def test_a_reset_leaves_suspension_and_flag() -> None:
    found = question(card(queue=-1, flags=2), line(5, 3), choice=ScheduleChoice.RESET)
    assert found == BroughtQuestion(0, suspended=True, flag=2)


def test_lines_of_the_log_that_cannot_be_are_counted() -> None:
    given = [line(-5, 3), line(1, 3, 1 << 40), line(2, 3), line(2, 3), LogLine(5, 3, 1, 1, 1, 1)]
    found = answers(given, Model((), scheduling().model.clock), NOW)
    assert (len(found.reviews), found.dropped) == (1, 4)


numbers = st.integers(-(1 << 63), (1 << 63) - 1) | st.integers(-5, 5) | st.integers(0, 2_000_000_000)
rows = st.builds(
    CardRow, id=numbers, deck=numbers, ordinal=numbers, type=numbers | st.integers(0, 3),
    queue=numbers | st.integers(-3, 4), due=numbers, ivl=numbers, factor=numbers, reps=numbers, lapses=numbers,
    left=numbers, home_due=numbers, home_deck=numbers, flags=numbers,
    data=st.text(max_size=20)
    | st.sampled_from(['{"s": NaN, "d": 5}', '{"s": 5, "d": 1e400}', '{"s":1,"d":2,"lrt":-1}']),
)  # fmt: skip
lines = st.builds(
    LogLine, id=numbers | st.integers(1_700_000_000_000, 1_773_000_000_000), ease=numbers, ivl=numbers, factor=numbers,
    time=numbers, type=numbers | st.integers(0, 5),
)  # fmt: skip


@given(rows, st.lists(lines, max_size=8), st.sampled_from(ScheduleChoice))
def test_whatever_a_row_holds_the_schedule_is_valid(row: CardRow, log: list[LogLine], choice: ScheduleChoice) -> None:
    found = question(row, *log, choice=choice)
    valid = schedule(found)
    assert valid.reps >= len(found.reviews)
    assert not valid.last_review or valid.last_review <= NOW
    assert 0 <= found.flag <= 7
    assert valid.step is None or 0 <= valid.step <= 9
    for review in found.reviews:
        assert review.reviewed_at <= NOW
        assert 1 <= review.rating <= 4
        assert 0 <= review.interval_days <= 36_500
        assert review.elapsed_ms is None or 0 < review.elapsed_ms <= 60_000
        assert review.stability > 0
        assert 1 <= review.difficulty <= 10
