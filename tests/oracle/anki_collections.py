"""A collection of Anki's with a card of each kind, made by Anki itself, and what Anki says of a collection."""

from __future__ import annotations

import json
import re
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fsrs.scheduler import DEFAULT_PARAMETERS

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from anki.collection import Collection, ExportAnkiPackageOptions, ImportAnkiPackageOptions, ImportAnkiPackageRequest

PNG = b"\x89PNG\r\n\x1a\n" + b"picture"
MP3 = b"ID3\x04" + b"sound"
DAY_MS = 86_400_000


@contextmanager
def collection(folder: Path, *, fsrs: bool) -> Iterator[Any]:
    folder.mkdir()
    opened = Collection(str(folder / "collection.anki2"))
    opened.set_config("fsrs", fsrs)
    opened.set_config("rollover", 4)
    options = opened.decks.config_dict_for_deck_id(1)
    options["fsrsParams6"], options["desiredRetention"] = list(DEFAULT_PARAMETERS), 0.9
    opened.decks.update_config(options)
    try:
        yield opened
    finally:
        opened.close()


def add(collection: Any, note_type: str, deck: str, tags: str = "", **fields: str) -> list[int]:
    """Add a note and give the ids of its cards."""
    note = collection.new_note(collection.models.by_name(note_type))
    for name, value in fields.items():
        note[name.replace("_", " ")] = value
    note.tags = tags.split()
    collection.add_note(note, collection.decks.id(deck))
    return [int(card) for card in note.card_ids()]


def answer(collection: Any, card_id: int, rating: int) -> None:
    """Answer a card now, as with a button."""
    card = collection.get_card(card_id)
    card.start_timer()
    states = collection._backend.get_scheduling_states(card_id)
    given = collection.sched.build_answer(card=card, states=states, rating=rating - 1)
    collection._backend.answer_card(given)


def put_history(collection: Any, card_id: int, answers: list[tuple[int, int, int, int]], *, factor: int = 2500) -> None:
    """A card in review with a log: (days ago, rating, interval, kind) each; its memory is worked out by Anki."""
    now = int(time.time() * 1000)
    for days_ago, rating, interval, kind in answers:
        key = now - days_ago * DAY_MS
        while collection.db.scalar("SELECT 1 FROM revlog WHERE id = ?", key):
            key += 1
        collection.db.execute(
            "INSERT INTO revlog VALUES (?, ?, -1, ?, ?, 0, ?, 5000, ?)", key, card_id, rating, interval, factor, kind
        )
    days_ago, _, interval, _ = answers[-1]
    card = collection.get_card(card_id)
    card.type, card.queue, card.ivl, card.factor = 2, 2, interval, factor
    card.due = collection.sched.today - days_ago + interval
    card.reps, card.lapses = len(answers), sum(rating == 1 and kind == 1 for _, rating, _, kind in answers)
    if collection.get_config("fsrs"):
        state = collection.compute_memory_state(card_id)
        card.memory_state = _memory(card, state)
    collection.update_card(card)


def _memory(card: Any, state: Any) -> Any:
    from anki.cards_pb2 import FsrsMemoryState

    return FsrsMemoryState(stability=state.stability, difficulty=state.difficulty)


def fill(collection: Any) -> None:
    """A card of each kind."""
    media = Path(collection.media.dir())
    (media / "a b é.png").write_bytes(PNG)
    (media / "say.mp3").write_bytes(MP3)
    add(collection, "Basic", "Plain", "one two::three", Front="Paris", Back="France &amp; <b>more</b>")
    add(collection, "Basic (and reversed card)", "Languages::French::Nouns", Front="chat", Back="cat")
    add(collection, "Basic (optional reversed card)", "Languages::French", Front="un", Back="one", Add_Reverse="y")
    add(collection, "Basic (optional reversed card)", "Languages::French", Front="deux", Back="two")
    add(collection, "Basic (type in the answer)", "Plain", Front="2 + 2", Back="4")
    add(
        collection, "Cloze", "Cloze", Text="{{c1::Oslo}} is in {{c2::Norway::country}} and {{c1::cold}}", Back_Extra="!"
    )
    add(collection, "Cloze", "Cloze", Text="<i>{{c3::alone}}</i>")
    add(collection, "Basic", "Media", Front='<img src="a b é.png">', Back="a picture")
    add(collection, "Basic", "Media", Front="heard", Back="word [sound:say.mp3]")
    studied(collection)
    marked(collection)


def studied(collection: Any) -> None:
    new = [add(collection, "Basic", "Study", Front=f"learning {number}", Back=str(number))[0] for number in range(4)]
    for rating, card in enumerate(new, 1):
        answer(collection, card, rating)
    known = [add(collection, "Basic", "Study", Front=f"known {number}", Back=str(number))[0] for number in range(7)]
    put_history(collection, known[0], [(40, 3, -600, 0), (40, 3, 2, 0), (38, 3, 7, 1), (31, 4, 45, 1)])
    put_history(collection, known[1], [(20, 1, -60, 0), (20, 3, 1, 0), (19, 1, -600, 1), (19, 3, 1, 2), (18, 2, 3, 1)])
    put_history(collection, known[2], [(90, 3, 100, 1)], factor=2100)  # the log begins late
    put_history(collection, known[3], [(300, 4, 4, 0), (296, 3, 11, 1), (200, 3, 400, 1)], factor=1300)
    put_history(collection, known[6], [(120, 3, 40, 1), (75, 1, -600, 1), (75, 3, 9, 2), (60, 4, 80, 1)], factor=1900)
    answer_due(collection, known[4], 1)
    answer_due(collection, known[5], 3)


def answer_due(collection: Any, card: int, rating: int) -> None:
    put_history(collection, card, [(10, 3, -600, 0), (10, 3, 3, 0), (7, 3, 7, 1)])
    answer(collection, card, rating)


def marked(collection: Any) -> None:
    cards = {
        name: add(collection, "Basic", "Marks", "leech" if name == "leech" else "", Front=name, Back=name)[0]
        for name in ("suspended", "buried", "sibling", "flagged", "leech", "filtered", "filtered new", "moved")
    }
    for name in ("suspended", "leech", "filtered", "moved"):
        put_history(
            collection, cards[name], [(30, 3, -600, 0), (30, 3, 3, 0), (27, 3, 20, 1), (7, 1, 3, 1), (4, 3, 4, 1)]
        )
    collection.sched.suspend_cards([cards["suspended"], cards["leech"]])
    collection.sched.bury_cards([cards["buried"]], manual=True)
    collection.sched.bury_cards([cards["sibling"]], manual=False)
    collection.set_user_flag_for_cards(5, [cards["flagged"]])
    collection.sched.set_due_date([cards["moved"]], "12")
    filtered = collection.decks.new_filtered("Cram")
    deck = collection.decks.get(filtered)
    deck["terms"], deck["resched"] = [["front:filtered*", 100, 0]], True
    collection.decks.save(deck)
    assert collection.sched.rebuild_filtered_deck(filtered).count == 2


def export(collection: Any, to: Path, *, legacy: bool) -> None:
    options = ExportAnkiPackageOptions(with_scheduling=True, with_deck_configs=True, with_media=True, legacy=legacy)
    collection.export_anki_package(out_path=str(to), options=options, limit=None)


def imported(collection: Any, package: Path) -> None:
    options = ImportAnkiPackageOptions(with_scheduling=True, with_deck_configs=True)
    collection.import_anki_package(ImportAnkiPackageRequest(package_path=str(package), options=options))


@dataclass(frozen=True)
class Theirs:
    """What Anki has of a card."""

    deck: str
    front: str
    answer: str
    tags: tuple[str, ...]
    type: int
    queue: int
    due: int
    """Seconds of Unix time, or days from today."""
    in_days: bool
    reps: int
    lapses: int
    flag: int
    memory: tuple[float, float] | None
    answers: int
    cloze: bool


def theirs(collection: Any) -> dict[tuple[str, int], Theirs]:
    """Every card by its note's GUID and its template."""
    found: dict[tuple[str, int], Theirs] = {}
    for card_id in collection.find_cards(""):
        card = collection.get_card(card_id)
        note = card.note()
        rendered = card.render_output()
        data = json.loads(collection.db.scalar("SELECT data FROM cards WHERE id = ?", card_id) or "{}")
        due = card.odue if card.odid and card.odue else card.due
        in_days = due < 1_000_000_000
        found[note.guid, card.ord] = Theirs(
            deck=collection.decks.name(card.odid or card.did),
            front=shown(rendered.question_text),
            answer=shown(typed(rendered.answer_text, note).split("<hr id=answer>")[-1]),
            tags=tuple(note.tags),
            type=card.type,
            queue=card.queue,
            due=due - collection.sched.today if in_days else due,
            in_days=in_days,
            reps=card.reps,
            lapses=card.lapses,
            flag=card.flags & 7,
            memory=(data["s"], data["d"]) if "s" in data else None,
            answers=collection.db.scalar("SELECT count() FROM revlog WHERE cid = ? AND ease > 0", card_id),
            cloze=note.note_type()["type"] == 1,
        )
    return found


def memories(collection: Any) -> dict[tuple[str, int], tuple[float, float]]:
    """The memory that Anki works out of each card in review."""
    found: dict[tuple[str, int], tuple[float, float]] = {}
    for card_id in collection.find_cards("is:review"):
        card = collection.get_card(card_id)
        state = collection.compute_memory_state(card_id)
        if state.stability is not None:
            found[card.note().guid, card.ord] = state.stability, state.difficulty
    return found


def typed(html: str, note: Any) -> str:
    """With what is to be typed where Anki will compare it with what was typed."""
    return re.sub(r"\[\[type:([^\]]*)\]\]", lambda found: note[found[1]], html)


def shown(html: str) -> str:
    """The text of a side that Anki rendered, without what stands for its files."""
    text = re.sub(r"\[anki:play:\w:\d+\]|\[\[type:[^\]]*\]\]|<[^>]*>", "", html)
    return re.sub(r"\s+", " ", text.replace("&amp;", "&")).strip()
