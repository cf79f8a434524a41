"""Answers in which signs carry the meaning: formulas, code, commands. `x != y` is not `x = y`, nor `n!` `n`.

In prose a sign parts words or ends a sentence, and leaving it out is no mistake; here it is another answer. What is a
formula is told from the text alone, so that a typed answer and an expected one are each read in the same way.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from app.domain.differences import distance_within

_CALL: Final = (  # not the article a(n)
    r"(?<![^\W\d_])[^\W\d_]\((?!(?<=[aA]\()n\))"
    r"(?:[^\W\d_]|[^()]{0,40}[^\w()][^()]{0,40}|[^()]{0,40}\d[^()]{0,40}|)\)"
)
_CJK: Final = r"\u3005-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7a3"
_SIGNS: Final = re.compile(
    "|".join(
        (
            r"[\\^{}]|::|__|\[\]",
            # The signs of programs and of factorials, where no exclamation ends a word: !a, a?b:c, n!
            rf"(?<![{_CJK}])[!?](?=[^\W{_CJK}]|[(\[])",
            r"(?<![^\W_])[^\W\d_]!| \? [^?:]{1,40} : ",
            # An index, a call of a function with a name of one letter, an interval.
            r"[^\W_]\[",
            _CALL,
            r"^[\[(][^\W_]{1,8}, ?[^\W_]{1,8}\]$|^\[[^\W_]{1,8}, ?[^\W_]{1,8}[\])]$",
            # A minus, an option of a command, a decrement.
            r"^-(?=[^\W\d_](?:[^\w]|$))|(?<= )-{1,2}(?=[^\W\d_])|^--(?=[^\W\d_])|(?<=\w)--(?= |$)",
            r"(?<![^\W_])[^\W_] - [^\W_](?![^\W_])",
            # Derivatives, and the charge of a common ion: `un-` is a prefix.
            r"''(?!\w)|[^\W\d_]'\(|^(?i:cl|br|f|i|h|oh|cn|hs|scn|ocn|no[23]|clo[234]?|hco3|hso4|mno4|o2)-$",
        )
    )
)


def is_formula(form: str) -> bool:
    """Whether the signs of a shown form carry its meaning."""
    if form.isalnum():
        return False
    if any(unicodedata.category(sign) == "Sm" for sign in set(form)):
        return True
    return bool(_SIGNS.search(form))


def is_optional(form: str, start: int, end: int) -> bool:
    """Whether the parentheses at `start:end` of a shown form hold something that may be left out: `colo(u)r`.

    Not the argument of a function; in a formula only words that stand apart.
    """
    if not is_formula(form):
        return True
    apart = (not start or form[start - 1] == " ") and form[end : end + 1] in {"", " "}
    return apart and bool(_WORDS.fullmatch(form, start + 1, end - 1))


_WORDS = re.compile(r"(?:[^\W\d_]+ )*[^\W\d_]{3,}(?: [^\W\d_]+)*")


def is_relation(form: str) -> bool:
    """Whether a shown form says that something equals something, or is less or more."""
    return bool(_RELATION.search(form))


_RELATION = re.compile(r"\w\)? ?[=<>≈≠≤≥] ?[-(]?\w")

_SAME: Final = str.maketrans(
    {"→": "->", "⇒": "=>", "≤": "<=", "≥": ">=", "≠": "!=", "×": "*", "·": "*", "⋅": "*", "∙": "*", "∗": "*", "÷": "/"}
    | {'"': None, "`": "'", "_": None, ",": " "}
)
_SPACES: Final = re.compile(r" {2,}")
_DUNDER: Final = re.compile(r"__+")
_OF_PROSE: Final = re.compile(r"(?<=\w)[.;:]+(?=$| [\w(])|(?<=[^\W\d_]{2})[!?](?= |$)|(?<=[^\W\d_])'(?=[^\W\d_])")
_HYPHEN: Final = re.compile(r"(?<=[^\W\d_]{2})-(?=[^\W\d_]{2})")
# Not before an option of a command: `ls -l` is not `ls-l`.
_AROUND_SIGNS: Final = re.compile(r" (?=[^\w ])(?!--?[^\W\d_])|(?<=[^\w ]) ")
_SIGNED_POWER: Final = re.compile(r"\^\((-?\w{1,20})\)")
_POWER: Final = re.compile(r"(?<=[^\W\d])\^(?=\d)")
_TIMES: Final = re.compile(r"(?<=\w)\*(?=[^\W\d_])")


def formula_keys(lowered: str) -> frozenset[str]:
    """The keys of a formula in lower case: without the spaces around signs and the punctuation of prose.

    Two where a sign of multiplication may be left out, or a hyphen may part words.
    """
    text = _DUNDER.sub("\ufdef", lowered).translate(_SAME).replace("\ufdef", "__")
    text = _OF_PROSE.sub("", _SPACES.sub(" ", text))
    found = set[str]()
    for hyphen in ("", " "):
        key = _AROUND_SIGNS.sub("", _HYPHEN.sub(hyphen, text)).strip(" ")
        key = _POWER.sub("", _SIGNED_POWER.sub(r"^\1", key))
        found |= {key, _TIMES.sub("", key)}
    return frozenset(found - {""}) or frozenset({lowered} - {""})


def is_near(given: str, expected: str) -> bool:
    """Whether two keys of formulas differ by one slip in a long word, and in no sign, short name or digit."""
    ours, theirs = _TOKENS.findall(given), _TOKENS.findall(expected)
    if len(ours) != len(theirs):
        return False
    other = [(one, two) for one, two in zip(ours, theirs, strict=True) if one != two]
    return len(other) == 1 and len(other[0][1]) >= _WORD_FROM and distance_within(*other[0], 1) is not None


_WORD_FROM: Final = 5
_TOKENS: Final = re.compile(r"[^\W\d_]+|.", re.DOTALL)
