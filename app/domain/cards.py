"""What the text of collections, decks and cards may be: limits, cleaning, comparison and what of it is searched.

A length is counted in code points of what was sent, line ends made one character each, before anything is trimmed or
removed: whoever is told "1,000 characters" can check that without knowing what the cleaning does.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

from app.domain.errors import N_, InvalidInput
from app.domain.richtext import ATTRIBUTES, COMMENTS, NESTING, plain_from_rich, sanitize_rich
from app.domain.search_text import normalize
from app.domain.unicode_forms import stream_safe

FRONT_MAX: Final = 1_000
BACK_MAX: Final = 4_000
FRONT_RICH_MAX: Final = 4_000
BACK_RICH_MAX: Final = 8_000
TAGS_MAX: Final = 12
TAG_MAX: Final = 40
SOURCE_TITLE_MAX: Final = 160
DECK_TITLE_MAX: Final = 120
DECK_DESCRIPTION_MAX: Final = 1_000
COLLECTION_TITLE_MAX: Final = 120
CARDS_PER_CALL_MAX: Final = 100
DECK_CARD_CAP: Final = 500
"""Live cards of one deck unless a setting says otherwise."""

IMPORT_LANGUAGES: Final = ("ja", "en", "ko")
"""What `import_flashcards` publishes as its choice; a deck may name any language."""

_LINE_ENDS = re.compile(r"\r\n?")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_SURROGATES = re.compile("[\ud800-\udfff]")
_INVISIBLE = frozenset({"Cc", "Cf", "Zl", "Zp", "Zs"})  # controls, formatting, separators
_SPACE = re.compile(r"\s+")
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[a-z]{4})?(?:-(?:[a-z]{2}|[0-9]{3}))?(?:-[a-z0-9]{5,8})?", re.IGNORECASE)


def clean_text(value: str, field: str, max: int) -> str:
    """Text of several lines: control characters but line end and tab removed, line ends made LF, ends trimmed.

    Raises `InvalidInput`, naming `field`, for more than `max` code points, half a surrogate pair, and text in which
    nothing can be seen.
    """
    text = _checked(value, field, max).strip()
    if not _visible(text):
        raise InvalidInput(
            N_("%(name)s is empty."), N_("Give it at least one visible character."), field=field, name=field
        )
    return text


def clean_optional_text(value: str | None, field: str, max: int) -> str:
    """As `clean_text`, with an empty string for None and for text in which nothing can be seen."""
    text = _checked(value or "", field, max).strip()
    return text if _visible(text) else ""


def clean_title(value: str, field: str = "title", max: int = DECK_TITLE_MAX) -> str:
    """Text of one line: as `clean_text`, with each run of spaces and line ends made one space."""
    return _SPACE.sub(" ", clean_text(value, field, max))


def clean_source_title(value: str | None) -> str | None:
    """Where cards come from, on one line; None when nothing is said."""
    return _SPACE.sub(" ", clean_optional_text(value, "sourceTitle", SOURCE_TITLE_MAX)) or None


def clean_language(value: str | None) -> str | None:
    """A language tag (BCP 47: language, script, region, one variant) in its usual letter case; None for none.

    Raises `InvalidInput` for anything else.
    """
    tag = (value or "").strip().replace("_", "-")
    if not tag:
        return None
    if not _LANGUAGE.fullmatch(tag):
        raise InvalidInput(
            N_("The language is not a language tag."), N_("Use one like en, ja, ko or pt-BR."), field="language"
        )
    language, *rest = tag.lower().split("-")
    cases = {2: str.upper, 4: str.title}
    return "-".join([language, *(cases.get(len(part), str)(part) for part in rest)])


def clean_tags(tags: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Tags in the order given, trimmed, inner spaces made one, equal ones (`title_key`) kept once; and warnings.

    Raises `InvalidInput` for more than 12 tags, a tag over 40 code points and an empty one.
    """
    if len(tags) > TAGS_MAX:
        raise InvalidInput(
            N_("A card has at most %(max)d tags; %(count)d were given."),
            N_("Leave some out."),
            field="tags",
            max=TAGS_MAX,
            count=len(tags),
        )
    kept: dict[str, str] = {}
    for tag in tags:
        cleaned = clean_title(tag, "tags", TAG_MAX)
        kept.setdefault(title_key(cleaned), cleaned)
    dropped = len(tags) - len(kept)
    warnings = (f"removed duplicate tags: {dropped}.",) if dropped else ()
    return tuple(kept.values()), warnings


def title_key(title: str) -> str:
    """The form in which titles and tags are compared: NFKC, case folded, spaces trimmed and collapsed."""
    return _compared(title)


def card_key(front: str, back: str) -> bytes:
    """16 bytes that are equal for cards that count as one: sides equal after NFKC, case folding and spacing.

    Accents and the two kana kinds count: `résumé` and `resume` are two cards. The length of the front goes in before
    it, so that no text moves from one side to the other unnoticed.
    """
    digest = blake2b(digest_size=16)
    side = _compared(front).encode()
    digest.update(len(side).to_bytes(8, "big"))
    digest.update(side)
    digest.update(_compared(back).encode())
    return digest.digest()


def search_document(front: str, back: str, tags: Iterable[str]) -> str:
    """The normal form of what a search looks at, each side and tag on its own line, so that no match spans two."""
    return "\n".join(normalize(part) for part in (front, back, *tags))


@dataclass(frozen=True, slots=True)
class CardText:
    """The text of a card that has passed every rule of this module; `card_text` makes it."""

    front: str
    back: str
    front_rich: str | None
    back_rich: str | None
    tags: tuple[str, ...]


def card_text(
    *,
    front: str,
    back: str,
    front_rich: str | None = None,
    back_rich: str | None = None,
    tags: Sequence[str] = (),
) -> tuple[CardText, tuple[str, ...]]:
    """The cleaned text of a card, and what was changed as sentences to put after `Card 3: `.

    The sentences name fields and tags of HTML, never text of the card. Raises `InvalidInput` with the field's name.
    """
    plain_front, plain_back = clean_text(front, "front", FRONT_MAX), clean_text(back, "back", BACK_MAX)
    shown_front, front_warnings = clean_rich(front_rich, "frontRich", FRONT_RICH_MAX)
    shown_back, back_warnings = clean_rich(back_rich, "backRich", BACK_RICH_MAX)
    kept_tags, tag_warnings = clean_tags(tags)
    text = CardText(plain_front, plain_back, shown_front, shown_back, kept_tags)
    return text, (*front_warnings, *back_warnings, *tag_warnings)


def clean_rich(value: str | None, field: str, max: int) -> tuple[str | None, tuple[str, ...]]:
    """A formatted side as it may be shown, None when nothing readable is left of it; and warnings.

    Raises `InvalidInput` like `clean_text`, except that an empty side is none.
    """
    sent = clean_optional_text(value, field, max)
    if not sent:
        return None, ()
    rich = sanitize_rich(sent)
    tags = [name for name in rich.removed if name not in {ATTRIBUTES, COMMENTS, NESTING}]
    warnings: list[str] = []
    if tags:
        warnings.append(f"removed tags from {field}: {', '.join(tags)}.")
    if ATTRIBUTES in rich.removed:
        warnings.append(f"removed all attributes from {field}.")
    if COMMENTS in rich.removed:
        warnings.append(f"removed comments from {field}.")
    if NESTING in rich.removed:
        warnings.append(f"removed the formatting of {field}, which was nested too deeply.")
    if not _visible(plain_from_rich(rich.html)):
        warnings.append(f"left out {field}, which has no text to show.")
        return None, tuple(warnings)
    return rich.html, tuple(warnings)


def _checked(value: str, field: str, max: int) -> str:
    text = _LINE_ENDS.sub("\n", value)
    if len(text) > max:
        raise InvalidInput(
            N_("%(name)s has %(length)d characters; at most %(max)d are allowed."),
            N_("Shorten it, or split it into several."),
            field=field,
            name=field,
            length=len(text),
            max=max,
        )
    if _SURROGATES.search(text):
        raise InvalidInput(
            N_("%(name)s holds half of a character (a lone surrogate)."),
            N_("Send the text as valid Unicode."),
            field=field,
            name=field,
        )
    return _CONTROLS.sub("", text)


def _visible(text: str) -> bool:
    return any(unicodedata.category(character) not in _INVISIBLE for character in text)


def _compared(text: str) -> str:
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", stream_safe(text)).casefold())
    return _SPACE.sub(" ", folded).strip()
