"""The decks that the demo account is filled with, and the past in which they were studied."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.demo.decks import HISTORY_DAYS, DemoDeck, demo_decks, history
from app.domain.calendar import StudyClock
from app.domain.cards import (
    DECK_CARD_CAP,
    DECK_DESCRIPTION_MAX,
    card_key,
    card_text,
    clean_language,
    clean_optional_text,
    clean_title,
)
from app.domain.richtext import plain_from_rich, sanitize_rich
from app.domain.scheduling import Rating, Schedule, SchedulingOptions, State, answer, is_due

NOW = datetime(2026, 6, 1, 12, 34, 56, tzinfo=UTC)
DECKS = demo_decks()
BEGUN = tuple(deck for deck in DECKS if history(deck, 1, NOW))
every_deck = pytest.mark.parametrize("deck", DECKS, ids=lambda deck: deck.title)
every_begun_deck = pytest.mark.parametrize("deck", BEGUN, ids=lambda deck: deck.title)
instants = st.integers(0, 5 * 365 * 24 * 60).map(lambda minutes: NOW + timedelta(minutes=minutes))
clocks = st.builds(
    StudyClock,
    st.sampled_from(["UTC", "Europe/Berlin", "Asia/Tokyo", "America/St_Johns", "Pacific/Kiritimati"]),
    st.integers(0, 23),
)


def replayed(deck: DemoDeck, seed: int, now: datetime, options: SchedulingOptions) -> dict[int, Schedule]:
    """What the cards come to under ids of their own."""
    schedules: dict[int, Schedule] = {}
    for index, at, rating in history(deck, seed, now, options=options):
        schedule = schedules.get(index, Schedule.new())
        schedules[index] = answer(schedule, rating, options, card_id=90_001 + 7 * index, now=at).schedule
    return schedules


# Texts


def test_there_are_six_decks_in_three_collections_and_each_has_its_size() -> None:
    assert [(deck.collection, deck.title, deck.language, len(deck.cards)) for deck in DECKS] == [
        ("Geography", "World capitals: English", "en", 219),
        ("Geography", "World capitals: Deutsch", "de", 219),
        ("Geography", "World capitals: 日本語", "ja", 219),
        ("Languages", "Japanese vocabulary", "ja", 120),
        ("Science", "Science: ideas and common mistakes", "en", 60),
        ("Science", "How memory works", "en", 15),
    ]


@every_deck
def test_the_deck_itself_is_within_every_limit_and_needs_no_cleaning(deck: DemoDeck) -> None:
    assert clean_title(deck.title) == deck.title
    assert clean_title(deck.collection) == deck.collection
    assert clean_optional_text(deck.description, "description", DECK_DESCRIPTION_MAX) == deck.description
    assert clean_language(deck.language) == deck.language
    assert len(deck.cards) <= DECK_CARD_CAP


@every_deck
def test_every_card_is_within_every_limit_and_needs_no_cleaning(deck: DemoDeck) -> None:
    for card in deck.cards:
        text, warnings = card_text(
            front=card.front, back=card.back, front_rich=card.front_rich, back_rich=card.back_rich, tags=card.tags
        )
        assert warnings == ()
        assert (text.front, text.back, text.front_rich, text.back_rich, text.tags) == (
            card.front,
            card.back,
            card.front_rich,
            card.back_rich,
            card.tags,
        )
        assert card.tags


@every_deck
def test_no_question_is_asked_twice_in_a_deck(deck: DemoDeck) -> None:
    assert len({card_key(card.front, "") for card in deck.cards}) == len(deck.cards)


@every_deck
def test_sanitising_a_rich_side_changes_nothing(deck: DemoDeck) -> None:
    for card in deck.cards:
        for side in filter(None, (card.front_rich, card.back_rich)):
            rich = sanitize_rich(side)
            assert (rich.html, rich.removed) == (side, ())


def test_a_rich_front_says_what_the_plain_one_says() -> None:
    rich = [card for deck in DECKS for card in deck.cards if card.front_rich]
    assert rich
    for card in rich:
        assert plain_from_rich(card.front_rich or "") == card.front


def test_what_looks_like_a_tag_is_still_there_in_the_rich_side() -> None:
    backs = [plain_from_rich(card.back_rich or "") for deck in DECKS for card in deck.cards]
    assert any("0 < v < c" in back for back in backs)
    assert any("d<x>/dt = <p>/m" in back for back in backs)


def test_the_same_countries_have_their_capital_in_each_language() -> None:
    english, german, japanese = ({card.front: card.back for card in deck.cards} for deck in DECKS[:3])
    assert english.keys() == german.keys() == japanese.keys()
    assert (english["Japan"], german["Japan"], japanese["Japan"]) == ("Tokyo", "Tokio", "東京")
    assert (english["Austria"], german["Austria"], japanese["Austria"]) == ("Vienna", "Wien", "ウィーン")


def test_regions_are_tags_in_plain_words() -> None:
    france = next(card for card in DECKS[0].cards if card.front == "France")
    assert france.tags == ("Europe", "European Union", "Mediterranean")


# The past


@every_deck
def test_three_decks_were_begun_and_none_is_used_up(deck: DemoDeck) -> None:
    begun = {index for index, _, _ in history(deck, 1, NOW)}
    assert len(BEGUN) == 3
    assert bool(begun) is (deck in BEGUN)
    assert begun == set(range(len(begun)))
    assert len(begun) < len(deck.cards)


@every_begun_deck
def test_the_same_arguments_give_the_same_past_and_another_seed_another(deck: DemoDeck) -> None:
    assert history(deck, 1, NOW) == history(deck, 1, NOW)
    assert history(deck, 1, NOW) != history(deck, 2, NOW)


# A past is a thousand answers, so few examples are tried.
@settings(max_examples=15)
@given(seed=st.integers(), now=instants, clock=clocks)
def test_reviews_follow_each_other_on_study_days_before_today(seed: int, now: datetime, clock: StudyClock) -> None:
    options = SchedulingOptions(clock=clock)
    days_ago: set[int] = set()
    for deck in BEGUN:
        times = [at for _, at, _ in history(deck, seed, now, options=options)]
        assert all(earlier < later for earlier, later in pairwise(times))
        assert all(at < now and at.tzinfo is UTC for at in times)
        days_ago.update(clock.days_between(at, now) for at in times)
    assert {1, HISTORY_DAYS} <= days_ago <= set(range(1, HISTORY_DAYS + 1))


@every_begun_deck
def test_each_card_is_reviewed_only_when_it_is_due_and_not_twice_at_once(deck: DemoDeck) -> None:
    options = SchedulingOptions()
    schedules: dict[int, Schedule] = {}
    for index, at, rating in history(deck, 1, NOW):
        before = schedules.get(index, Schedule.new())
        assert before.state is State.NEW or is_due(before, options.clock, at)
        assert before.last_review is None or before.last_review < at
        schedules[index] = answer(before, rating, options, card_id=index, now=at).schedule


def test_most_days_were_studied_and_there_was_a_pause() -> None:
    clock = StudyClock()
    days = sorted({clock.study_day(at) for deck in BEGUN for _, at, _ in history(deck, 1, NOW)})
    assert 30 <= len(days) <= HISTORY_DAYS - 4
    assert max(later - earlier for earlier, later in pairwise(days)) >= timedelta(days=5)


def test_people_study_in_the_evening_of_their_own_zone() -> None:
    tokyo = SchedulingOptions(clock=StudyClock("Asia/Tokyo"))
    hours = {(at + timedelta(hours=9)).hour for deck in BEGUN for _, at, _ in history(deck, 1, NOW, options=tokyo)}
    assert hours <= {19, 20, 21, 22}


def test_ratings_are_those_of_somebody_who_mostly_knows_the_answer() -> None:
    ratings = Counter(rating for deck in BEGUN for seed in range(5) for _, _, rating in history(deck, seed, NOW))
    total = sum(ratings.values())
    shares = {rating: ratings[rating] / total for rating in Rating}
    expected = {Rating.AGAIN: 0.10, Rating.HARD: 0.08, Rating.GOOD: 0.70, Rating.EASY: 0.12}
    assert shares == pytest.approx(expected, abs=0.015)


@settings(max_examples=15)
@given(seed=st.integers(), now=instants, clock=clocks)
def test_some_cards_are_due_today_and_most_later(seed: int, now: datetime, clock: StudyClock) -> None:
    options = SchedulingOptions(clock=clock)
    schedules = [schedule for deck in BEGUN for schedule in replayed(deck, seed, now, options).values()]
    due = [schedule for schedule in schedules if is_due(schedule, clock, now)]
    assert 10 <= len(due) < len(schedules) / 3
    assert {schedule.state for schedule in due} >= {State.REVIEW}


@every_begun_deck
def test_gaps_between_the_reviews_of_a_card_grow(deck: DemoDeck) -> None:
    clock = StudyClock()
    gaps: dict[int, list[int]] = {}
    last: dict[int, datetime] = {}
    for index, at, _ in history(deck, 1, NOW):
        if index in last and (days := clock.days_between(last[index], at)):
            gaps.setdefault(index, []).append(days)
        last[index] = at
    several = [days for days in gaps.values() if len(days) >= 2]
    assert several
    assert sum(days[-1] for days in several) > 1.5 * sum(days[0] for days in several)
