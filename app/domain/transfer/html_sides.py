"""HTML as Anki's fields hold it, brought to the few tags that a side of a card keeps.

What has a meaning that would be lost with its tag becomes characters: readings above characters, raised and lowered
digits and letters, the lines and indents of preformatted text, the rows and cells of tables.
"""

from __future__ import annotations

import re
from typing import Final

# Anki's editor writes these, a `div` for each line; the names that are kept mean the same.
_RENAMED = re.compile(r"<(/?)(b|i|div)(?=[\s/>])", re.IGNORECASE)
_KEPT_NAME: Final = {"b": "strong", "i": "em", "div": "p"}

_ATTRIBUTES = r"(?:\s[^<>]{0,500})?"
_FALLBACK = re.compile(rf"<rp{_ATTRIBUTES}>[^<>]{{0,20}}</rp>", re.IGNORECASE)
_READING = re.compile(rf"<rt{_ATTRIBUTES}>([^<>]{{0,200}})</rt>", re.IGNORECASE)
_MOVED = re.compile(rf"<(su[pb]){_ATTRIBUTES}>([^<>]{{1,40}})</\1>", re.IGNORECASE)
_RAISED = str.maketrans("0123456789+-−=()abcdefghijklmnoprstuvwxyz", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ")
_LOWERED = str.maketrans("0123456789+-−=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ")


_PREFORMATTED = re.compile(rf"<pre{_ATTRIBUTES}>", re.IGNORECASE)
_PREFORMATTED_END = re.compile(r"</pre[ \t\n]{0,20}>", re.IGNORECASE)
_INDENT = re.compile(r"(?m)^[ \t]+")
_CELL_END = re.compile(r"</t[dh]\s*>\s*(?=<t[dh][\s>])", re.IGNORECASE)
_ROW_END = re.compile(r"</tr\s*>\s*(?=(?:</?t(?:body|head|foot)[^<>]{0,200}>\s*){0,3}<tr[\s>])", re.IGNORECASE)
_LARGE_HEADING = re.compile(r"<(/?)h[123](?=[\s/>])", re.IGNORECASE)


def kept_html(html: str) -> str:
    """The HTML of a field with the tags that mean what one of the kept ones does under that one's name."""
    if "<" not in html:
        return html
    html = _READING.sub(r"(\1)", _FALLBACK.sub("", html))
    html = _MOVED.sub(_moved, html)
    html = _CELL_END.sub(" | ", _ROW_END.sub("<br>", html))
    html = _with_lines(html)
    html = _LARGE_HEADING.sub(r"<\1h4", html)
    return _RENAMED.sub(lambda tag: f"<{tag[1]}{_KEPT_NAME[tag[2].lower()]}", html)


def _with_lines(html: str) -> str:
    """Preformatted text with its line ends as tags and its indents as spaces that stay. Goes once through the text."""
    pieces, at = list[str](), 0
    while (start := _PREFORMATTED.search(html, at)) and (end := _PREFORMATTED_END.search(html, start.end())):
        pieces += [html[at : start.start()], _lines(html[start.end() : end.start()])]
        at = end.end()
    return "".join([*pieces, html[at:]])


def _lines(text: str) -> str:
    text = text.replace("\r\n", "\n").strip("\n")
    text = _INDENT.sub(lambda indent: "\u00a0" * len(indent[0].expandtabs(4)), text)
    return "<p>" + text.replace("\n", "<br>") + "</p>"


def _moved(found: re.Match[str]) -> str:
    """Raised or lowered characters where each of them has such a form, else the text as it is."""
    table = _RAISED if found[1].lower() == "sup" else _LOWERED
    return found[2].translate(table) if all(ord(character) in table for character in found[2]) else found[0]
