"""Reads exports of ours, of accounts (zip or JSON) and of decks, as lines of a bundle. Runs in the reading process.

The file is a stranger's: every value is of a known type and within bounds before it becomes a line.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections import defaultdict
from collections.abc import Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final, cast

from app.domain.archives import ZIP_FAULTS
from app.domain.cards import CardText, card_text, clean_language, clean_source_title
from app.domain.errors import N_, InvalidInput
from app.domain.media import sniff
from app.domain.scheduling import Rating, Schedule, State
from app.domain.transfer.bundle import (
    MEDIA_MAX_BYTES,
    BroughtCard,
    BroughtDeck,
    BroughtMedia,
    BroughtNote,
    BroughtQuestion,
    BroughtReview,
    BroughtSettings,
    BroughtVersion,
    BundleEnd,
    CardOfNote,
    Line,
    MediaUse,
    ReadOrder,
    ScheduleChoice,
)
from app.domain.transfer.identity import guid_of
from app.domain.transfer.rows import Problem, Reason
from app.transfer.own_document import (
    CardMediaRow,
    CardRow,
    Document,
    NoteCardRow,
    ReviewRow,
    ScheduleRow,
    VersionRow,
    decoded,
)

DOCUMENT_MAX_BYTES: Final = 768 * 1_048_576
ENTRIES_MAX: Final = 200_000
_NAME: Final = "loci.json"


def read(path: Path, order: ReadOrder) -> Iterator[Line | bytes]:
    """The lines of an export. Raises `InvalidInput` for what is none, of another version, or beyond the limits."""
    if not zipfile.is_zipfile(path):
        if path.stat().st_size > DOCUMENT_MAX_BYTES:
            raise _too_large()
        yield from _Reader(decoded(path.read_bytes()), order, None).lines()
        return
    try:
        with zipfile.ZipFile(path) as archive:
            if len(archive.infolist()) > ENTRIES_MAX:
                raise _too_large()
            yield from _Reader(decoded(_entry(archive, _NAME, DOCUMENT_MAX_BYTES)), order, archive).lines()
    except (*ZIP_FAULTS, OSError, KeyError):
        raise InvalidInput(N_("The export is damaged."), N_("Export it again.")) from None


def _entry(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    """An entry, counted while it is unpacked: what the archive says of its size may be wrong."""
    with archive.open(name) as packed:
        data = packed.read(most + 1)
    if len(data) > most:
        raise _too_large()
    return data


def _too_large() -> InvalidInput:
    return InvalidInput(
        N_("The export is larger than what can be imported at once."), N_("Export the decks one by one.")
    )


class _Reader:
    def __init__(self, document: Document, order: ReadOrder, archive: zipfile.ZipFile | None) -> None:
        self._document, self._order, self._archive = document, order, archive
        self._files = (
            {name.rpartition("/")[2].partition(".")[0]: name for name in archive.namelist()} if archive else {}
        )
        self._numbers = {deck.id: number for number, deck in enumerate(document.decks)}
        self._sent: dict[str, bool] = {}
        self._origins = {origin.card_id: origin for origin in document.card_origins if origin.guid}

    def lines(self) -> Iterator[Line | bytes]:
        yield from self._decks()
        schedules: dict[int, list[ScheduleRow]] = defaultdict(list)
        reviews: dict[tuple[int, int], list[ReviewRow]] = defaultdict(list)
        media: dict[int, list[CardMediaRow]] = defaultdict(list)
        for schedule in self._document.schedules:
            schedules[schedule.card_id].append(schedule)
        for review in self._document.reviews:
            reviews[review.card_id, review.ordinal].append(review)
        for use in sorted(self._document.card_media, key=lambda use: (use.card_id, use.side, use.place)):
            media[use.card_id].append(use)
        count = 0
        for place, card in enumerate(self._document.cards, 1):
            questions = tuple(
                self._question(schedule, reviews.get((card.id, schedule.ordinal), ()))
                for schedule in schedules[card.id]
            )
            text, problem = self._text(place, card)
            if text is None:
                yield Line(problem=problem)
                continue
            uses = yield from self._media(media[card.id])
            yield Line(card=self._card(place, card, text, questions, uses))
            count += 1
        yield from self._notes()
        if self._document.account or self._document.study_settings:
            study = self._document.study_settings[0] if self._document.study_settings else {}
            yield Line(settings=BroughtSettings(account=_plain(self._document.account or {}), study=_plain(study)))
        yield Line(end=BundleEnd(format="loci", cards=count, numbered_by="card"))

    def _decks(self) -> Iterator[Line]:
        shelves = {collection.id: collection.title for collection in self._document.collections}
        settings = {row.get("deck_id"): row for row in self._document.deck_settings}
        for deck in self._document.decks:
            yield Line(
                deck=BroughtDeck(
                    number=self._numbers[deck.id],
                    name=deck.title[:1000],
                    description=deck.description[:1000],
                    language=_language(deck.language),
                    collection=shelves.get(deck.collection_id) if deck.collection_id is not None else None,
                    own=True,
                    created_at=deck.created_at,
                    deleted_at=deck.deleted_at,
                    settings=_plain(settings.get(deck.id, {})),
                )
            )

    def _text(self, place: int, card: CardRow) -> tuple[CardText | None, Problem | None]:
        if card.deck_id not in self._numbers:
            return None, Problem(place, Reason.WRONG_TYPE, N_("The card is in no deck of the export."))
        try:
            text, _ = card_text(
                front=card.front, back=card.back, front_rich=card.front_rich, back_rich=card.back_rich, tags=card.tags
            )
        except InvalidInput as error:
            return None, Problem(place, Reason.INVALID_TEXT, error.message, error.params)
        return text, None

    def _card(
        self,
        place: int,
        card: CardRow,
        text: CardText,
        questions: tuple[BroughtQuestion, ...],
        uses: tuple[MediaUse, ...],
    ) -> BroughtCard:
        guid, template = self._named(card.id)
        source = None
        with suppress(InvalidInput):
            source = clean_source_title(card.source_title)
        return BroughtCard(
            place=place,
            deck=self._numbers[card.deck_id],
            front=text.front,
            back=text.back,
            front_rich=text.front_rich,
            back_rich=text.back_rich,
            tags=text.tags,
            language=_language(card.language),
            source_title=source,
            guid=guid,
            template=template,
            created_at=card.created_at,
            updated_at=card.updated_at,
            deleted_at=card.deleted_at,
            deleted_with_deck=card.deleted_with_deck,
            version=card.version,
            questions=() if self._order.schedule is ScheduleChoice.RESET else questions,
            media=uses,
        )

    def _named(self, card_id: int) -> tuple[str, int]:
        """What the file calls a card: as the file that it came from did, else by the account that it comes from."""
        origin = self._origins.get(card_id)
        if origin is not None and origin.guid:
            return origin.guid, origin.template
        return guid_of(self._document.identity or "-" * 11, card_id), 0

    def _question(self, row: ScheduleRow, reviews: Sequence[ReviewRow]) -> BroughtQuestion:
        """The schedule of a row; one that no answer could lead to is that of a new card, with its marks."""
        marks = BroughtQuestion(
            ordinal=row.ordinal,
            suspended=row.suspended,
            buried_until=row.buried_until,
            flag=row.flag,
            leech=row.leech,
            gone=row.gone,
        )
        try:
            Schedule(
                State(row.state),
                row.step,
                row.due,
                row.stability,
                row.difficulty,
                row.last_review,
                row.reps,
                row.lapses,
            )
        except ValueError:
            return marks
        log = sorted(reviews, key=lambda review: review.rep)
        once = list({review.rep: review for review in log}.values())
        return replace(
            marks,
            state=row.state,
            step=row.step,
            due=row.due,
            stability=row.stability,
            difficulty=row.difficulty,
            last_review=row.last_review,
            reps=row.reps,
            lapses=row.lapses,
            reviews=tuple(_brought(review) for review in once if review.rep < max(row.reps, 1)),
        )

    def _media(self, uses: Sequence[CardMediaRow]) -> Generator[Line | bytes, None, tuple[MediaUse, ...]]:
        """Lines of contents that have not come yet; gives the uses whose contents are in the export."""
        kept: list[MediaUse] = []
        for use in uses:
            if use.digest not in self._sent:
                content = self._content(use.digest)
                self._sent[use.digest] = content is not None
                if content is not None:
                    yield Line(media=BroughtMedia(use.digest, len(content), sniff(content) or ""))
                    if self._order.media:
                        yield content
            if self._sent[use.digest]:
                kept.append(MediaUse(use.side, use.digest, use.name[:200]))
        return tuple(kept)

    def _content(self, digest: str) -> bytes | None:
        """A content of the export that is what its name says; None for any other."""
        name = self._files.get(digest)
        if self._archive is None or name is None:
            return None
        data = _entry(self._archive, name, MEDIA_MAX_BYTES)
        return data if hashlib.sha256(data).hexdigest() == digest and sniff(data) else None

    def _notes(self) -> Iterator[Line]:
        versions: dict[int, list[VersionRow]] = defaultdict(list)
        cards: dict[int, list[NoteCardRow]] = defaultdict(list)
        for version in self._document.note_versions:
            versions[version.note_id].append(version)
        for card in self._document.note_cards:
            cards[card.note_id].append(card)
        for note_id, own in versions.items():
            own.sort(key=lambda version: version.version)
            made = [
                CardOfNote(*self._named(card.card_id), card.heading[:1000], card.source[:10_000], card.to_review)
                for card in cards[note_id]
            ]
            yield Line(note=BroughtNote(tuple(_version(version) for version in own), tuple(made)))


def _brought(review: ReviewRow) -> BroughtReview:
    return BroughtReview(
        reviewed_at=review.reviewed_at,
        rating=Rating(review.rating).value,
        elapsed_ms=review.elapsed_ms,
        state_before=review.state_before,
        due=review.due,
        interval_days=review.interval_days,
        stability=review.stability,
        difficulty=review.difficulty,
        rep=review.rep,
    )


def _version(version: VersionRow) -> BroughtVersion:
    return BroughtVersion(
        version.version,
        version.path,
        version.frontmatter,
        version.body,
        version.deleted,
        version.author_kind,
        version.author_name,
        version.created_at,
    )


def _language(tag: str | None) -> str | None:
    with suppress(InvalidInput):
        return clean_language(tag)
    return None


def _plain(row: dict[str, object]) -> dict[str, object]:
    """The values of a row but for nothing, objects and lists that are too long to be numbers of anything."""
    return {
        name: value
        for name, value in row.items()
        if isinstance(value, str | int | float | bool)
        or (isinstance(value, list) and len(cast("list[object]", value)) < 100)
    }
