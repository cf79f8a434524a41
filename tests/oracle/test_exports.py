"""Packages of ours, imported by Anki: nothing is lost, and the same package again makes nothing new."""

from __future__ import annotations

import html
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from app.accounts.views import AccountView
from app.core import clock, db
from app.decks import service as decks
from app.decks.changes import CardChanges, NewCard
from app.decks.limits import Limits
from app.domain.calendar import StudyClock
from app.domain.plans import PLANS, Plan
from app.domain.transfer.bundle import BroughtCard, Line, ReadOrder
from app.domain.transfer.identity import guid_of
from app.transfer.bundling import bundle, identity
from app.transfer.packages import read
from app.transfer.packing import write_package
from tests.areas.importing import bring
from tests.factories import make_account
from tests.oracle import anki_collections as anki

DAYS = StudyClock("UTC", 4)
LIMITS = Limits(PLANS[Plan.PRO], 500)
# Texts that look like markup, formulas of spreadsheets and of mathematics.
ODD = (
    "a <producer> b",
    "for i<n; x>0 & y",
    "\\(x<y\\) and 5 < 6",
    "=1+1",
    "two\nlines  apart",
    "&amp; &lt;",
    "語 [かな]",
)


@dataclass(frozen=True)
class Given:
    account: AccountView
    package: Path
    folder: Path


@pytest_asyncio.fixture
async def given(committed: None, utc: None, tmp_path: Path) -> Given:
    """An account with everything that Anki's own package brings, and cards of its own; and its package."""
    account = await make_account(plan=Plan.PRO)
    theirs = tmp_path / "theirs.apkg"
    with anki.collection(tmp_path / "from", fsrs=True) as source:
        anki.fill(source)
        anki.export(source, theirs, legacy=False)
    view = await bring(account.id, "theirs.apkg", theirs.read_bytes(), now=clock.now())
    assert view.failure is None
    made = await decks.create_deck(account.id, title="Odd", limits=LIMITS, now=clock.now())
    new = [NewCard(front=text, back=text[::-1], tags=("two words",)) for text in ODD]
    new.append(NewCard(front="rich", back="a b\nc", back_rich="<p>a <strong>b</strong></p><ul><li>c</li></ul>"))
    await decks.import_cards(account.id, new, deck_id=made, limits=LIMITS, now=clock.now())
    package = tmp_path / "ours.apkg"
    await write_package(account.id, package, now=clock.now())
    return Given(account, package, tmp_path)


async def cards_of(account_id: int) -> tuple[dict[str, BroughtCard], dict[int, str]]:
    lines = [line async for line in bundle(account_id) if isinstance(line, Line)]
    names = {
        line.deck.number: "::".join(filter(None, [line.deck.collection, line.deck.name])) for line in lines if line.deck
    }
    return {line.card.guid or "": line.card for line in lines if line.card}, names


def log_of(collection: Any, package: Path) -> Any:
    options = anki.ImportAnkiPackageOptions(with_scheduling=True)
    request = anki.ImportAnkiPackageRequest(package_path=str(package), options=options)
    return collection.import_anki_package(request).log


async def test_anki_has_every_card_as_it_is_here(given: Given) -> None:
    ours, names = await cards_of(given.account.id)
    with anki.collection(given.folder / "to", fsrs=True) as target:
        log = log_of(target, given.package)
        theirs = anki.theirs(target)
        answers = target.db.scalar("SELECT count() FROM revlog")
        problems = target.fix_integrity()
    assert (len(log.new), len(log.conflicting), len(log.missing_notetype), len(log.missing_deck)) == (
        len(ours),
        0,
        0,
        0,
    )
    assert len(log.empty_first_field) == 0
    assert problems[1], problems
    today = DAYS.study_day(clock.now())
    seen = 0
    for guid, card in ours.items():
        for question in card.questions:
            if question.gone:
                continue
            seen += 1
            other = theirs[guid, max(question.ordinal - 1, 0)]
            assert other.deck == names[card.deck]
            expected = [tag.replace(" ", "_") for tag in card.tags] + ["leech"] * question.leech
            assert sorted(other.tags) == sorted(expected)
            assert (other.type, other.reps, other.lapses, other.flag) == (
                question.state, question.reps, question.lapses, question.flag,
            )  # fmt: skip
            assert (other.queue == -1) is question.suspended
            assert other.answers == len(question.reviews)
            if question.due and other.in_days:
                assert today + timedelta(days=other.due) == DAYS.study_day(question.due)
            elif question.due:
                assert other.due == int(question.due.timestamp())
            if question.stability and question.difficulty and question.state == 2:
                assert other.memory is not None
                assert other.memory[0] == pytest.approx(question.stability, rel=1e-3, abs=1e-3)
                assert other.memory[1] == pytest.approx(question.difficulty, rel=1e-3, abs=2e-3)
    assert seen == len(theirs) >= 30
    assert answers == sum(len(question.reviews) for card in ours.values() for question in card.questions)


async def test_texts_that_look_like_something_else_come_out_as_they_are(given: Given) -> None:
    with anki.collection(given.folder / "to", fsrs=True) as target:
        anki.imported(target, given.package)
        deck = target.decks.id("Odd")
        fields = target.db.list("SELECT n.flds FROM notes n JOIN cards c ON c.nid = n.id WHERE c.did = ?", deck)
    fronts = {html.unescape(text.split("\x1f")[0].replace("<br>", "\n")).replace("\xa0", " ") for text in fields}
    assert set(ODD) <= fronts


async def test_the_same_package_again_makes_nothing_new_and_a_changed_card_updates_its_note(given: Given) -> None:
    with anki.collection(given.folder / "to", fsrs=True) as target:
        first = log_of(target, given.package)
        again = log_of(target, given.package)
        assert (len(again.new), len(again.updated), len(again.duplicate)) == (0, 0, len(first.new))
        card_id = await db.fetch_value("SELECT id FROM card WHERE front = 'rich'")
        later = clock.now() + timedelta(minutes=5)
        await decks.update_card(given.account.id, card_id, CardChanges(back="changed"), limits=LIMITS, now=later)
        package = given.folder / "later.apkg"
        await write_package(given.account.id, package, now=later)
        third = log_of(target, package)
        assert (len(third.new), len(third.updated)) == (0, 1)
        guid = guid_of(await identity(given.account.id), card_id)
        assert anki.theirs(target)[guid, 0].answer == "changed"


async def test_our_package_comes_back_to_its_account_and_to_another_one(given: Given) -> None:
    again = await bring(given.account.id, "ours.apkg", given.package.read_bytes(), now=clock.now())
    assert again.result is not None
    assert (again.result.created, again.result.known) == (0, len((await cards_of(given.account.id))[0]))
    other = await make_account("other@example.org", plan=Plan.PRO)
    moved = await bring(other.id, "ours.apkg", given.package.read_bytes(), now=clock.now())
    assert moved.result is not None
    before, names = await cards_of(given.account.id)
    after, other_names = await cards_of(other.id)
    assert (moved.result.created, moved.result.not_taken_count) == (len(before), 0)

    def plain(cards: dict[str, BroughtCard], decks_: dict[int, str]) -> list[Any]:
        return sorted(
            (card.front, card.back, decks_[card.deck], [use.side for use in card.media], marks(card))
            for card in cards.values()
        )

    def marks(card: BroughtCard) -> list[Any]:
        return [
            (q.ordinal, q.state, q.reps, q.lapses, q.suspended, q.flag, q.leech, len(q.reviews)) for q in card.questions
        ]

    assert plain(after, other_names) == plain(before, names)


async def test_a_package_of_one_deck_has_its_cards_alone(given: Given) -> None:
    deck_id = await db.fetch_value("SELECT id FROM deck WHERE title = 'Odd'")
    package = given.folder / "odd.apkg"
    await write_package(given.account.id, package, deck_id=deck_id, now=clock.now())
    lines = [line for line in read(package, ReadOrder("odd.apkg", clock.now())) if isinstance(line, Line)]
    assert {line.deck.name for line in lines if line.deck} == {"Odd"}
    assert sum(line.card is not None for line in lines) == len(ODD) + 1
