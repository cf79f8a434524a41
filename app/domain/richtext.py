"""Formatted sides of cards: the twelve tags that are kept, how everything else goes, and plain text to and from them."""

from __future__ import annotations

import html as entities
import re
from dataclasses import dataclass
from typing import Final

import nh3

from app.domain.errors import InvalidInput, N_

ALLOWED_TAGS: Final = frozenset("p strong em mark ul ol li blockquote h4 h5 br code".split())

# Only these names make a tag; `<producer>` and `<n` are text. Current HTML, what browsers still know of older HTML, and
# the letters of MathML that no prose uses. The content of an svg is a drawing, so its inner names are not needed.
HTML_ELEMENTS: Final = ALLOWED_TAGS | frozenset(
    """
    a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big blink body button canvas
    caption center cite col colgroup data datalist dd del details dfn dialog dir div dl dt embed fieldset figcaption
    figure font footer form frame frameset h1 h2 h3 h6 head header hgroup hr html i iframe image img input ins isindex
    kbd keygen label legend link listing main map marquee math menu menuitem meta meter nav nobr noembed noframes
    noscript object optgroup option output param picture plaintext pre progress q rb rp rt rtc ruby s samp script search
    section select selectedcontent slot small source span strike style sub summary sup svg table tbody td template
    textarea tfoot th thead time title tr track tt u var video wbr xmp
    mi mn mo mover mfrac mroot mrow mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover
    """.split()
)

# These go with what is inside them: code and drawings, never something to read.
_VANISHING = frozenset({"script", "style", "svg"})

# Words on either side of these stand apart on a page, so they must not run together once the tag is gone.
_APART = frozenset(
    """
    address article aside body caption center dd details dialog dir div dl dt fieldset figcaption figure footer form
    frameset h1 h2 h3 h6 head header hgroup hr html legend listing main menu nav optgroup option plaintext pre search
    section select summary table tbody td tfoot th thead title tr xmp
    """.split()
)

# `<b and c>` is a comparison: an attribute without a value counts only when HTML knows it as one that needs none.
_BARE_ATTRIBUTES = frozenset(
    """
    allowfullscreen async autofocus autoplay checked compact contenteditable controls default defer disabled download
    formnovalidate hidden inert ismap itemscope loop multiple muted nomodule noresize noshade novalidate nowrap open
    playsinline readonly required reversed selected
    """.split()
)

_COMMENT = re.compile(r"<!--(?:-?>|.*?--!?>)", re.DOTALL)
_DOCTYPE = re.compile(r"<!doctype\b[^<>]*>", re.IGNORECASE)
_NAME = re.compile(r"<(/?)([a-z][a-z0-9]*)(?=[\s/>])", re.IGNORECASE)
# Possessive throughout: the text may be hostile, so nothing is ever tried twice.
_ATTRIBUTES = re.compile(
    r"""((?:\s++[a-z_:@][\w:.@-]*+(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s"'=<>`]++))?+)*+)\s*+(/?)>""", re.IGNORECASE
)
_ATTRIBUTE = re.compile(r"""([a-z_:@][\w:.@-]*+)(\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s"'=<>`]++))?+""", re.IGNORECASE)
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")

# Stands where a tag was: nh3 drops it, yet `&am<u>p;` does not become an entity by losing its tag.
_SEAM = "<!---->"

_cleaner = nh3.Cleaner(
    tags=set(ALLOWED_TAGS),
    clean_content_tags=set(),
    attributes={"*": set()},  # without the star nh3 keeps `title` and `lang`
    strip_comments=True,
    link_rel=None,
)


@dataclass(frozen=True, slots=True)
class RichText:
    """HTML that is safe to place in a page as it is, and what had to go for that."""

    html: str
    removed: tuple[str, ...]
    """Names of removed tags in order of appearance, then `comments` and `attributes` where some were dropped."""


@dataclass(frozen=True, slots=True)
class _Tag:
    name: str
    closing: bool
    attributes: bool
    end: int


def sanitize_rich(html: str) -> RichText:
    """Keep the twelve tags without attributes; drop other HTML tags but not their text; keep everything else as text.

    A `<` that starts no HTML tag is text and comes back escaped. `script`, `style` and `svg` go with their content when
    they are closed; one that is never closed is text. Cleaning what was cleaned changes nothing.
    Raises `InvalidInput` for text that is not valid Unicode.
    """
    try:
        html.encode()
    except UnicodeEncodeError:
        raise InvalidInput(
            N_("The formatted text holds half of a character (a lone surrogate)."),
            N_("Send the text as valid Unicode."),
        ) from None
    pieces: list[str] = []
    removed: dict[str, None] = {}
    comments = attributes = False
    position = 0
    while (start := html.find("<", position)) >= 0:
        pieces.append(html[position:start])
        if skipped := _COMMENT.match(html, start):
            comments = True
            pieces.append(_SEAM)
            position = skipped.end()
        elif skipped := _DOCTYPE.match(html, start):
            removed["doctype"] = None
            pieces.append(_SEAM)
            position = skipped.end()
        elif (tag := _tag_at(html, start)) is None:
            pieces.append("&lt;")
            position = start + 1
        else:
            position = tag.end
            if tag.name in ALLOWED_TAGS:
                attributes = attributes or tag.attributes
                pieces.append(f"</{tag.name}>" if tag.closing and tag.name != "br" else f"<{tag.name}>")
            else:
                removed[tag.name] = None
                pieces.append("\n" if tag.name in _APART and _ends_in_text(pieces) else _SEAM)
    pieces.append(html[position:])
    cleaned = _settled("".join(pieces))
    notes = [*removed, *(["comments"] if comments else []), *(["attributes"] if attributes else [])]
    return RichText(cleaned, tuple(notes))


def _settled(html: str) -> str:
    """The balanced form of allowed tags and text that is the same when it is read once more.

    HTML's repair of crossed tags can nest a heading in a heading, which the next reading takes apart; few rounds settle
    it. What would not settle loses its formatting rather than show differently after each edit.
    """
    for _ in range(8):
        cleaned = _CONTROLS.sub("", _cleaner.clean(html).replace("\r", "\n")).strip()
        if cleaned == html:
            return cleaned
        html = cleaned
    return rich_from_plain(plain_from_rich(html))


def _tag_at(html: str, start: int) -> _Tag | None:
    """The HTML tag that starts at `start`, with the content of an element that vanishes; None for text."""
    opening = _NAME.match(html, start)
    if opening is None:
        return None
    closing, name = opening[1] == "/", opening[2].lower()
    if name not in HTML_ELEMENTS:
        return None
    if name in _VANISHING and not closing:
        end = re.compile(rf"</{name}\b[^>]*>", re.IGNORECASE).search(html, opening.end())
        if end:
            return _Tag(name, closing=False, attributes=False, end=end.end())
    rest = _ATTRIBUTES.match(html, opening.end())
    if rest is None or (name in _VANISHING and not closing and not rest[2]):
        return None
    for attribute, value in _ATTRIBUTE.findall(rest[1]):
        if not value and attribute.lower() not in _BARE_ATTRIBUTES:
            return None
    return _Tag(name, closing, attributes=bool(rest[1].strip()), end=rest.end())


def _ends_in_text(pieces: list[str]) -> bool:
    last = next((piece for piece in reversed(pieces) if piece and piece != _SEAM), "")
    return bool(last) and not last[-1].isspace() and (last[-1] != ">" or not last.startswith("<"))


_BREAKING = re.compile(r"<(?:br|/?(?:p|ul|ol|li|blockquote|h4|h5))>")
_INLINE = re.compile(r"</?(?:strong|em|mark|code)>")


def plain_from_rich(html: str) -> str:
    """The readable text of HTML that `sanitize_rich` gave: one line for each block and after each `br`."""
    spaced = re.sub(r"[ \t\n\f\r]+", " ", html)
    lines = _INLINE.sub("", _BREAKING.sub("\n", spaced)).split("\n")
    return "\n".join(line for raw in lines if (line := entities.unescape(raw).replace("\xa0", " ").strip()))


def rich_from_plain(text: str) -> str:
    """Plain text as HTML that shows it unchanged: characters of markup escaped, line ends as `br`."""
    return entities.escape(text, quote=False).replace("\r\n", "\n").replace("\n", "<br>")
