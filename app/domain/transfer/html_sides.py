"""HTML as Anki's fields hold it, brought to the few tags that a side of a card keeps.

What has a meaning that would be lost with its tag becomes characters: readings above characters, raised and lowered
digits and letters.
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


def kept_html(html: str) -> str:
    """The HTML of a field with the tags that mean what one of the kept ones does under that one's name."""
    if "<" not in html:
        return html
    html = _READING.sub(r"(\1)", _FALLBACK.sub("", html))
    html = _MOVED.sub(_moved, html)
    return _RENAMED.sub(lambda tag: f"<{tag[1]}{_KEPT_NAME[tag[2].lower()]}", html)


def _moved(found: re.Match[str]) -> str:
    """Raised or lowered characters where each of them has such a form, else the text as it is."""
    table = _RAISED if found[1].lower() == "sup" else _LOWERED
    return found[2].translate(table) if all(ord(character) in table for character in found[2]) else found[0]
