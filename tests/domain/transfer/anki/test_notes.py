"""Notes as cards: cloze and normal types, files, tags, decks, and what is said about them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from app.domain.transfer.anki.media_refs import MediaRef
from app.domain.transfer.anki.note_types import Deck, NoteType, decks_of_json, note_types_of_json
from app.domain.transfer.anki.note_values import NoteRow
from app.domain.transfer.anki.notes import Notes
from app.domain.transfer.anki.notices import EACH_MAX, Notices
from app.domain.transfer.anki.schedules import CardRow, Scheduling
from app.domain.transfer.anki.sides import CardTemplate
from app.domain.transfer.bundle import BroughtCard, MediaUse, ReadOrder, Side
from app.domain.transfer.rows import Reason

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
ID = 1_700_000_000_000
BASIC = CardTemplate.of("Card 1", "{{Front}}", "{{FrontSide}}<hr id=answer>{{Back}}")
REVERSED = CardTemplate.of("Card 2", "{{Back}}", "{{FrontSide}}<hr id=answer>{{Front}}")
SHOWN = frozenset({"Front", "Back"})
TYPES = {
    1: NoteType("Basic", False, ("Front", "Back", "Notes"), {0: BASIC, 1: REVERSED}, shown_fields=SHOWN),
    2: NoteType(
        "Cloze", True, ("Front", "Back"),
        {0: CardTemplate.of("Cloze", "{{cloze:Front}}", "{{cloze:Front}}<br>{{Back}}")}, shown_fields=SHOWN,
    ),
    3: NoteType("Image Occlusion", True, ("Occlusion", "Image"), image_occlusion=True),
}  # fmt: skip
ROW = CardRow(1, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "")


class Reader:
    """Reads notes and keeps what was said."""

    def __init__(self) -> None:
        self.notices = Notices()
        decks = {7: Deck("A::B", "About <b>it</b>")}
        scheduling = Scheduling.of(ReadOrder("x", NOW), 1_600_000_000, 0)
        self.notes = Notes(TYPES, decks, scheduling, self.find, self.notices)
        self.count = 0

    def find(self, ref: MediaRef, _: int) -> tuple[str, str] | None:
        return (f"digest of {ref.names[0]}", ref.names[0]) if ref.names else None

    def read(
        self, *fields: str, type: int = 1, rows: tuple[CardRow, ...] = (ROW,), tags: str = ""
    ) -> list[BroughtCard]:
        self.count += 1
        note = NoteRow(ID + self.count, f"guid{self.count}", type, 1_700_000_000, tags, "\x1f".join(fields))
        return list(self.notes.cards(self.count, note, rows, {}))

    def said(self) -> list[str]:
        return [str(line.problem or line.warning) for line in self.notices.take()]


def test_each_template_is_a_card_with_the_identity_of_its_note() -> None:
    reader = Reader()
    first, second = reader.read("one", "<b>two</b>", rows=(ROW, replace(ROW, id=2, ordinal=1)))
    assert (first.front, first.back, first.back_rich, first.template) == ("one", "two", "<strong>two</strong>", 0)
    assert (second.front, second.front_rich, second.back, second.template) == ("two", "<strong>two</strong>", "one", 1)
    assert first.guid == second.guid == "guid1"
    assert first.created_at == datetime.fromtimestamp((ID + 1) / 1000, UTC)
    (deck,) = reader.notes.take_decks()
    assert (deck.number, deck.name, deck.description) == (0, "A::B", "About it")
    assert reader.notes.take_decks() == []


def test_a_cloze_note_is_one_card_with_a_question_for_each_number() -> None:
    learnt = replace(ROW, type=2, queue=2, due=1_000, ivl=5, factor=2500, reps=1)
    rows = tuple(replace(learnt, id=ordinal, ordinal=ordinal) for ordinal in (0, 2, 4))
    (card,) = Reader().read("{{c1::a}} <i>{{c3::b::hint}}</i> {{c2::c}}", "more", type=2, rows=rows)
    assert (card.front, card.back, card.template) == ("{{c1::a}} {{c3::b::hint}} {{c2::c}}", "more", 0)
    assert card.front_rich == "{{c1::a}} <em>{{c3::b::hint}}</em> {{c2::c}}"
    assert [(question.ordinal, question.gone) for question in card.questions] == [(1, False), (3, False), (5, True)]


def test_a_cloze_note_without_more_has_its_text_for_a_back() -> None:
    (card,) = Reader().read("{{c1::a}} b", "", type=2)
    assert (card.back, card.back_rich) == ("a b", None)


def test_a_cloze_marker_in_a_normal_note_type_keeps_its_schedule() -> None:
    learnt = replace(ROW, type=2, queue=2, due=1_000, ivl=5, reps=1)
    (card,) = Reader().read("what is {{c2::this}}", "that", rows=(learnt,))
    assert [question.ordinal for question in card.questions] == [2]


def test_formatting_that_cuts_a_deletion_goes() -> None:
    reader = Reader()
    (card,) = reader.read("{{c1<b>::a}}</b>", "x", type=2)
    assert (card.front, card.front_rich) == ("{{c1::a}}", None)
    assert "formatting" in reader.said()[0]


def test_a_side_of_files_alone_has_a_word_and_two_of_them_are_told_apart() -> None:
    reader = Reader()
    cards = [reader.read(f'<img src="{name}">', "same")[0] for name in ("a.png", "b.png", "a.png", "c.png")]
    assert [card.front for card in cards] == ["[image]", "[image 2]", "[image]", "[image 3]"]
    assert cards[1].media == (MediaUse(Side.FRONT, "digest of b.png", "b.png"),)
    (sound,) = reader.read("<b>[sound:a.mp3]</b>", "same")
    assert (sound.front, sound.front_rich) == ("[sound]", None)
    texts = [reader.read(f'which? <b>now</b><img src="{name}">', "x")[0] for name in ("a.png", "b.png")]
    assert [card.front for card in texts] == ["which? now", "which? now [image 2]"]
    assert texts[1].front_rich == "which? <strong>now</strong>[image 2]"
    backs = [reader.read("say it", f"[sound:{name}]")[0] for name in ("a.mp3", "b.mp3")]
    assert [card.back for card in backs] == ["[sound]", "[sound 2]"]


def test_files_in_a_deletion_are_on_the_back() -> None:
    (card,) = Reader().read('<img src="q.png">it is {{c1::<img src="a.png">}}', "", type=2)
    assert (card.front, card.back) == ("it is {{c1::[image]}}", "it is [image]")
    assert [(use.side, use.name) for use in card.media] == [(Side.FRONT, "q.png"), (Side.BACK, "a.png")]


def test_a_side_has_no_more_files_than_a_side_may_have() -> None:
    reader = Reader()
    pictures = ["".join(f'<img src="{side}{number}.png">' for number in range(15)) for side in "ab"]
    (card,) = reader.read(f"{{{{c1::x{pictures[0]}}}}}", pictures[1], type=2)
    assert len(card.media) == 20
    assert reader.said() == ["A side names too many files: 10 were left out."]


def test_what_no_card_can_hold_is_a_problem_of_its_note() -> None:
    reader = Reader()
    assert reader.read("", "back") == []
    assert reader.read("front", "<br>") == []
    assert reader.read("x" * 1_001, "back") == []
    assert reader.read("nothing hidden", "back", type=2) == []
    assert reader.read("x", "y", type=3) == []
    assert reader.read("x", "y", type=9) == []
    assert reader.read("x", "y", rows=(replace(ROW, ordinal=5),)) == []
    problems = [line.problem for line in reader.notices.take()]
    assert [problem.reason for problem in problems if problem] == [
        Reason.MISSING_SIDE, Reason.MISSING_SIDE, Reason.INVALID_TEXT, Reason.MISSING_SIDE, Reason.NOT_SUPPORTED,
        Reason.WRONG_TYPE, Reason.WRONG_TYPE,
    ]  # fmt: skip
    assert [problem.line for problem in problems if problem] == list(range(1, 8))


def test_a_field_on_no_side_is_named_once() -> None:
    reader = Reader()
    for number in range(3):
        reader.read(f"{number}", "b", "<br>" if number == 0 else "a remark")
    assert reader.said() == ["The field “Notes” is on neither side of the cards, so it was left out."]


def test_tags_that_are_too_long_keep_their_last_parts_and_the_leech_becomes_a_mark() -> None:
    reader = Reader()
    long = "::".join(["AK_Step1", "Pathology", "General", "Inflammation_and_repair"])
    tags = f"leech {long} {'x' * 41} " + " ".join(f"t{number}" for number in range(12))
    lapsed = replace(ROW, type=2, queue=2, due=5, ivl=3, lapses=8)
    first, second = reader.read("a", "b", tags=tags, rows=(lapsed, replace(ROW, id=2, ordinal=1)))
    assert first.tags == ("General::Inflammation_and_repair", *(f"t{number}" for number in range(11)))
    assert first.questions[0].leech
    assert second.questions == ()
    assert reader.said() == ["Tags were shortened or left out: 3. A card has 12, of 40 characters each."]


def test_raised_digits_and_readings_stay_readable() -> None:
    (card,) = Reader().read("x<sup>2</sup> H<sub>2</sub>O", "<ruby>漢字<rp>(</rp><rt>かんじ</rt><rp>)</rp></ruby>")
    assert (card.front, card.back) == ("x² H₂O", "漢字(かんじ)")


def test_many_of_one_notice_are_counted() -> None:
    reader = Reader()
    for _ in range(EACH_MAX + 7):
        reader.read("", "")
    assert len(reader.notices.take()) == EACH_MAX
    (rest,) = reader.notices.rest()
    assert rest.problem
    assert (rest.problem.reason, rest.problem.params) == (Reason.MISSING_SIDE, {"count": 7})
    assert rest.problem.line == EACH_MAX + 1


def test_both_forms_of_a_collection_give_the_same_steps() -> None:
    decks = decks_of_json(
        '{"5": {"name": "D", "desc": "d", "conf": 9}, "6": {"name": "F", "dyn": 1}}',
        '{"9": {"new": {"delays": [1, 10, 60]}, "lapse": {"delays": []}}}',
    )
    assert (decks[5].steps.learning, decks[5].steps.relearning) == (3, 0)
    assert decks[6].filtered
    types = note_types_of_json(
        '{"3": {"name": "N", "type": 0, "flds": [{"name": "B", "ord": 1}, {"name": "A", "ord": 0}]}}'
    )
    assert types[3].fields == ("A", "B")
