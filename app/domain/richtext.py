"""Formatted sides of cards: the twelve tags that are kept, how everything else goes, plain text to and from them."""

from __future__ import annotations

import html as entities
import re
from dataclasses import dataclass
from typing import Final

import nh3

from app.domain.errors import N_, InvalidInput


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ALLOWED_TAGS: Final = _words("p strong em mark ul ol li blockquote h4 h5 br code")

# Only these names make a tag; `<producer>` and `<n` are text. Current HTML, what browsers still know of older HTML, and
# the letters of MathML that no prose uses. The content of an svg is a drawing, so its inner names are not needed.
HTML_ELEMENTS: Final = ALLOWED_TAGS | _words("""
    a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big blink body button canvas
    caption center cite col colgroup data datalist dd del details dfn dialog dir div dl dt embed fieldset figcaption
    figure font footer form frame frameset h1 h2 h3 h6 head header hgroup hr html i iframe image img input ins isindex
    kbd keygen label legend link listing main map marquee math menu menuitem meta meter nav nobr noembed noframes
    noscript object optgroup option output param picture plaintext pre progress q rb rp rt rtc ruby s samp script search
    section select selectedcontent slot small source span strike style sub summary sup svg table tbody td template
    textarea tfoot th thead time title tr track tt u var video wbr xmp
    mi mn mo mover mfrac mroot mrow mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover
""")

# These go with what is inside them: code and drawings, never something to read.
_VANISHING = _words("script style svg")

# Words on either side of these stand apart on a page, so they must not run together once the tag is gone.
_APART = _words("""
    address article aside body caption center dd details dialog dir div dl dt fieldset figcaption figure footer form
    frameset h1 h2 h3 h6 head header hgroup hr html legend listing main menu nav optgroup option plaintext pre search
    section select summary table tbody td tfoot th thead title tr xmp
""")

# `<b and c>` is a comparison: an attribute without a value counts only when HTML knows it as one that needs none.
_BARE_ATTRIBUTES = _words("""
    allowfullscreen async autofocus autoplay checked compact contenteditable controls default defer disabled download
    formnovalidate hidden inert ismap itemscope loop multiple muted nomodule noresize noshade novalidate nowrap open
    playsinline readonly required reversed selected
""")

# Where markup may start: a comment, a document type, or a name that ends as a tag's name does.
_START = re.compile(r"<(?:!--|!doctype\b|(/?)([a-z][a-z0-9]*)(?=[\s/>]))", re.IGNORECASE)
_COMMENT_END = re.compile(r"--!?>")
_DOCTYPE_END = re.compile(r"[^<>]*+>")
_VANISHING_END = re.compile(rf"</({'|'.join(sorted(_VANISHING))})\b[^<>]*+>", re.IGNORECASE)
# Possessive where it can be: the text may be hostile. Not around alternatives, which Python before 3.11.5 gets wrong
# (its issue 106052); there what is tried again fails at once.
_VALUE = r"""\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s"'=<>`]++)"""
_ATTRIBUTE = re.compile(rf"""(?:\s++|(?<=["']))([a-z_:@][\w:.@-]*+)({_VALUE})?""", re.IGNORECASE)
_TAG_END = re.compile(rf"(?P<attributes>(?:{_ATTRIBUTE.pattern})*)\s*+(?P<slash>/?)\s*+>", re.IGNORECASE)
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")

# Stands where a tag was: nh3 drops it, yet `&am<u>p;` does not become an entity by losing its tag.
_SEAM = "<!---->"

# What can go besides tags; none of these is the name of a tag.
COMMENTS: Final = "comments"
ATTRIBUTES: Final = "attributes"
NESTING: Final = "nesting"

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
    """Names of removed tags in order of appearance, then any of `comments`, `attributes` and `nesting`."""


def sanitize_rich(html: str) -> RichText:
    """Keep the twelve tags without attributes; drop other HTML tags but not their text; keep everything else as text.

    A `<` that starts no HTML tag is text and comes back escaped. `script`, `style` and `svg` go with their content when
    they are closed; one that is never closed is text. Formatting nested deeper than a hundred tags goes altogether.
    Cleaning what was cleaned changes nothing. Raises `InvalidInput` for text that is not valid Unicode.
    """
    try:
        html.encode()
    except UnicodeEncodeError:
        raise InvalidInput(
            N_("The formatted text holds half of a character (a lone surrogate)."),
            N_("Send the text as valid Unicode."),
        ) from None
    scan = _Scan(html)
    cleaned = _settled(scan.kept)
    if cleaned is None:
        text = _CONTROLS.sub("", plain_from_rich(scan.kept.replace(_SEAM, "")))
        return RichText(rich_from_plain(text), (*scan.removed, *scan.notes, NESTING))
    return RichText(cleaned, (*scan.removed, *scan.notes))


class _Scan:
    """One reading of a text: `kept` holds allowed tags, entities and text, `removed` and `notes` what went."""

    def __init__(self, html: str) -> None:
        self.kept = ""
        self.removed: dict[str, None] = {}
        self.notes: dict[str, None] = {}
        self._html = html
        self._last_end = {end[1].lower(): end.start() for end in _VANISHING_END.finditer(html)}
        self._last_comment_end = max(html.rfind("-->"), html.rfind("--!>"))
        self._after_text = False
        pieces: list[str] = []
        position = 0
        while start := _START.search(html, position):
            pieces.append(self._text(position, start.start()))
            piece, position = self._markup(start) or ("&lt;", start.start() + 1)
            pieces.append(piece)
            if piece != _SEAM:
                self._after_text = not piece.startswith("<") and piece != "\n"
        pieces.append(self._text(position, len(html)))
        self.kept = "".join(pieces)

    def _text(self, start: int, end: int) -> str:
        text = self._html[start:end].replace("<", "&lt;")
        if text:
            self._after_text = not text[-1].isspace()
        return text

    def _markup(self, start: re.Match[str]) -> tuple[str, int] | None:
        """What stays of the markup at `start` and where it ends; None when it is text."""
        closing, name = start[1], (start[2] or "").lower()
        if not name:
            return self._declaration(start)
        if name not in HTML_ELEMENTS:
            return None
        if name in _VANISHING and not closing and self._last_end.get(name, -1) > start.start():
            ends = _VANISHING_END.finditer(self._html, start.end())
            self.removed[name] = None
            return _SEAM, next(end.end() for end in ends if end[1].lower() == name)
        tag = _TAG_END.match(self._html, start.end())
        if tag is None or not _plausible(tag["attributes"]):
            return None
        if name in _VANISHING and not closing and not tag["slash"]:
            return None
        if name not in ALLOWED_TAGS:
            self.removed[name] = None
            return "\n" if name in _APART and self._after_text else _SEAM, tag.end()
        if tag["attributes"]:
            self.notes[ATTRIBUTES] = None
        return f"</{name}>" if closing and name != "br" else f"<{name}>", tag.end()

    def _declaration(self, start: re.Match[str]) -> tuple[str, int] | None:
        comment = start[0] == "<!--"
        if comment and self._last_comment_end < start.start():
            return None
        # `<!-->` is a whole comment: its two dashes may serve as the first half of its end.
        end = (
            _COMMENT_END.search(self._html, start.end() - 2) if comment else _DOCTYPE_END.match(self._html, start.end())
        )
        if end is None:
            return None
        if comment:
            self.notes[COMMENTS] = None
        else:
            self.removed["doctype"] = None
        return _SEAM, end.end()


def _plausible(attributes: str) -> bool:
    """Whether these are attributes as HTML has them, rather than words after a less-than sign."""
    return all(value or name.lower() in _BARE_ATTRIBUTES for name, value in _ATTRIBUTE.findall(attributes))


def _settled(html: str) -> str | None:
    """The balanced form of allowed tags and text that is the same when it is read once more; None if there is none.

    HTML's repair of crossed tags can nest a heading in a heading, which the next reading takes apart; few rounds settle
    it. Deep nesting is refused because each further level makes every later tag dearer to place.
    """
    for _ in range(8):
        if _depth(html) > _DEEPEST:
            return None
        cleaned = _CONTROLS.sub("", _cleaner.clean(html).replace("\r", "\n")).strip()
        if cleaned == html:
            return cleaned
        html = cleaned
    return None


def _depth(html: str) -> int:
    """How many tags at most are open at once, those apart that end by themselves (`p`, `li`)."""
    opened = dict.fromkeys(ALLOWED_TAGS, 0)
    now = deepest = 0
    for closing, name in _NESTING_TAG.findall(html):
        if not closing:
            opened[name] += 1
            now += 1
            deepest = max(deepest, now)
        elif opened[name]:
            opened[name] -= 1
            now -= 1
    return deepest


_NESTING_TAG = re.compile(r"<(/?)(strong|em|mark|ul|ol|blockquote|h4|h5|code)>")
_DEEPEST = 100

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
