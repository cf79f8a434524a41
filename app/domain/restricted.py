"""Obvious secrets in a text that is about to be stored where every connected AI client can read it.

A screen against accidents, not against anybody who wants to hide something: known shapes of keys, a password with its
value, one-time codes, US social security numbers, payment cards. Text that only speaks of such things passes. Each
pattern starts where a word starts and runs through it once, so the time is linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from app.domain.errors import N_, RestrictedContent

# A key is part of one long word, and a text has few of those.
_LONG_WORD: Final = re.compile(r"(?<![A-Za-z0-9_./:+=-])[A-Za-z0-9_./:+=-]{15,}+")
_START = r"(?<![A-Za-z0-9_-])"
_KEYS: Final = re.compile(
    _START + r"(?:gh[oprsu]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{36,255}|glpat-[A-Za-z0-9_-]{20,64}"
    r"|(?:AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Za-z])|AIza[0-9A-Za-z_-]{35}|ya29\.[0-9A-Za-z_-]{20,}+|GOCSPX-[0-9A-Za-z_-]{28}"
    r"|xox[abeprs]-[A-Za-z0-9-]{10,255}|xapp-[0-9]-[A-Za-z0-9-]{20,255}"
    r"|hooks\.slack\.com/services/T[A-Z0-9]{6,}+/\S{10,80}"
    r"|(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,255}|whsec_[A-Za-z0-9+/=]{24,255}|SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,64}"
    r"|npm_[A-Za-z0-9]{36}|pypi-AgE[A-Za-z0-9_-]{50,}+|hf_[A-Za-z0-9]{30,64}|gsk_[A-Za-z0-9]{40,64}|xai-[A-Za-z0-9]{40,128}"
    r"|r8_[A-Za-z0-9]{32,64}|do[opr]_v1_[a-f0-9]{64}|lin_api_[A-Za-z0-9]{32,64}|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"
    r"|sbp_[a-f0-9]{40}|ntn_[A-Za-z0-9]{40,64}|dapi[a-f0-9]{32}|[0-9]{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])"
    r"|loci_[a-z]{2,4}_[A-Za-z0-9_-]{20,255}|AccountKey=[A-Za-z0-9+/]{60,100}={0,2})"
)
_SK: Final = re.compile(_START + r"sk-[A-Za-z0-9_-]{20,400}")
_RUN: Final = re.compile(r"[A-Za-z0-9]{16}")
_JWT: Final = re.compile(_START + r"eyJ[A-Za-z0-9_-]{8,}+\.eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+")
_PRIVATE_KEY: Final = re.compile(
    r"-----BEGIN (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-[23]:"
    r"|AGE-SECRET-KEY-1[0-9A-Z]{58}"
)

# scheme://user:password@host, and what an HTTP header carries.
_ADDRESS: Final = re.compile(
    r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s:/@?#<>\"'`]{0,128}:(?P<value>[^\s/@?#<>\"'`]{4,256})@[^\s@]"
)
_HEADER: Final = re.compile(
    r"\bauthorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:bearer|basic|token)\s{1,3}(?P<value>[A-Za-z0-9._~+/=-]{16,2048})",
    re.IGNORECASE,
)
_BOT: Final = re.compile(_START + r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}(?![A-Za-z0-9_-])")
_ELEMENT: Final = re.compile(r"<(?:password|passwd|secret|apikey)>(?P<value>[^<>\s]{4,256})</", re.IGNORECASE)
# Twelve words or more that open a wallet (BIP 39), by their name.
_PHRASE: Final = re.compile(
    r"\b(?:seed|recovery|backup|mnemonic) (?:phrase|words?|seed)[*_`]{0,3}\s{0,3}[:=]\s{0,3}[*_`\"']{0,3}"
    r"(?:[a-z]{3,8}[ ,\n]{1,3}){11,23}[a-z]{3,8}\b",
    re.IGNORECASE,
)

# What holds a secret by its name, and what may stand between the name and the value: Markdown's marks, table bars.
_NAMES: Final = (
    r"(?:(?:pg|ssh[ -]?)?pass ?word|passwd|pwd|pw|pass ?phrase|passcode"
    r"|contraseña|mot de passe|passwort|kennwort|senha|пароль|密码|密碼"
    r"|パスワード|비밀번호)"
)
_TOKENISH: Final = (
    r"(?:(?:client|app|shared|signing|webhook)[ _-]?secret|secret[ _-]?(?:access[ _-]?)?key"
    r"|api[ _-]?(?:key|token|secret)"
    r"|(?:access|auth|bearer|refresh|session|bot)[ _-]?token|private[ _-]?key|secret|token)"
)
_BETWEEN: Final = r"[*_`\"'\])]{0,4}[ \t]{0,3}(?:[:=：|]|=>|:=)[ \t*_`\"'\[(]{0,8}"
_VALUE: Final = r"(?P<value>[^\s`\"'|,;<>]{4,256})(?P<after>[`\"'|,;]?[ \t]*(?P<next>[^\s|]?))"
_PASSWORD: Final = re.compile(rf"(?<![A-Za-z0-9]){_NAMES}(?: [A-Za-z]{{2,12}})?{_BETWEEN}{_VALUE}", re.IGNORECASE)
_PASSWORD_IS: Final = re.compile(
    rf"(?<![A-Za-z0-9]){_NAMES} is:? {{1,3}}[`\"']?(?P<value>[^\s`\"',;]{{4,256}})", re.IGNORECASE
)
_TOKEN: Final = re.compile(rf"(?<![A-Za-z0-9]){_TOKENISH}{_BETWEEN}{_VALUE}", re.IGNORECASE)
_PLACEHOLDER: Final = re.compile(
    r"(?:[*x.•…_#?-]+|required|optional|none|null|nil|empty|unset|true|false|tbd|todo|n/a|unknown|redacted|hidden|masked"
    r"|changeme|change_me|password|secret|token|string|text|example\S{0,40}|placeholder"
    r"|your\S{0,60}|my\S{0,4}(?:password|secret|key)"
    r"|<.*|\{.*|\$.*|\[.*|%.*|process\.env.*|os\.environ.*|env\..*|see|stored|kept|saved|https?://.*)[.!)\]}*_]*",
    re.IGNORECASE,
)

_CODE_NAMES: Final = (
    r"(?:otp|totp|2fa|mfa|(?:one[- ]time|verification|confirmation|security|login|log-in|sign-in|authentication|auth"
    r"|2fa|mfa|sms|access|recovery|backup) (?:pass)?code|one[- ]time password|認証コード|확인 코드|인증번호|验证码)"
)
_ONE_TIME: Final = re.compile(
    rf"(?<![A-Za-z0-9]){_CODE_NAMES}(?: for [A-Za-z]{{1,20}}| code){{0,2}}[*_`]{{0,3}} {{0,2}}(?:is|was|[:=：#-]| )"
    r"{0,2} {0,2}[*_`\"']{0,3}(?:[A-Z]-)?(?:\d{4,8}|\d{3}[ -]\d{3})(?!\w)(?![-/.:]\d)",
    re.IGNORECASE,
)
_RESCUE: Final = re.compile(
    r"(?<![A-Za-z0-9])(?:recovery|backup|rescue) codes?[*_`]{0,3} {0,2}(?:is|are|[:=])\s{0,3}[*_`\"'-]{0,3} {0,2}"
    r"(?=[a-z0-9-]{0,16}\d)(?:[a-z0-9]{3,8}-){1,5}[a-z0-9]{3,8}(?![\w-])",
    re.IGNORECASE,
)
_YOUR_CODE_IS: Final = re.compile(
    r"(?<![A-Za-z])(?:your|my|the) (?:[a-z]{1,16} ){0,2}code is:? {1,2}[*_`\"']{0,3}"
    r"(?:\d{6}|\d{3}[ -]\d{3})(?!\w)(?![-/.:]\d)",
    re.IGNORECASE,
)
_IS_YOUR_CODE: Final = re.compile(
    r"(?<![\w.:/-])(?:[A-Z]-)?(?:\d{4,8}|\d{3}[ -]\d{3}) is your (?:[A-Za-z0-9]{1,20} ){0,3}(?:code|otp|passcode)\b",
    re.IGNORECASE,
)

# What must not stand before a digit is asked after it, so that the engine jumps from digit to digit.
_SSN: Final = re.compile(r"[0-8](?<![\w.-].)\d\d-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])")
_NAMED_SSN: Final = re.compile(
    r"(?<![A-Za-z])(?:ssn|social security(?: (?:number|no\.?|#))?)[*_`]{0,3}(?: is|[:=#])? {0,3}[*_`]{0,3}"
    r"(?!000|666|9)\d{3}[ -]?(?!00)\d{2}[ -]?(?!0000)\d{4}(?!\d)",
    re.IGNORECASE,
)
_NUMBER_START: Final = re.compile(r"\d(?<![\d.].)")
_CARD: Final = re.compile(
    r"(?:\d{13,19}|\d{4}([ -])\d{4}\1\d{4}\1\d{4}(?:\1\d{3})?|\d{4}([ -])\d{6}\2\d{4,5})(?!\.?\d)"
)
# The first digits and the length of what card schemes issue (ISO/IEC 7812 ranges as the schemes publish them).
_SCHEMES: Final = re.compile(
    r"4\d{12}(?:\d{3}){0,2}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}"
    r"|3(?:0[0-5]|[689]\d)\d{11}|6(?:011|5\d\d|4[4-9]\d)\d{12}|62\d{14,17}|35(?:2[89]|[3-8]\d)\d{12}"
)

# Looked for first: most texts hold none of these words, and looking for a word is much quicker than for a pattern.
_PRIVATE_WORDS: Final = ("PRIVATE KEY", "PuTTY-User-Key", "AGE-SECRET")
_PASSWORD_WORDS: Final = (
    "pass",
    "pwd",
    "pw",
    "contraseña",
    "kennwort",
    "senha",
    "пароль",
    "密码",
    "密碼",
    "パスワード",
    "비밀번호",
)
_TOKEN_HINTS: Final = ("secret", "token", "key")
_CODE_WORDS: Final = ("otp", "2fa", "mfa", "code", "password", "コード", "코드", "인증", "验证")


def refuse_restricted(frontmatter: Mapping[str, Any], body: str) -> None:
    """Raise `RestrictedContent`, saying what kind of secret it is and never repeating it, for body or frontmatter."""
    kind = restricted_kind("\n".join([*_lines(frontmatter), body]))
    if kind:
        raise RestrictedContent(
            N_("The text seems to hold %(kind)s, which is not stored in notes. Nothing was saved."),
            N_("Take it out, or say where it is kept instead, and try again."),
            kind=kind,
        )


def restricted_kind(text: str) -> str:
    """What kind of secret the text holds, the first found, as a message id; an empty string for none."""
    return next((kind for kind, found in _KINDS if found(text)), "")


def _lines(value: Any, name: str = "") -> Iterator[str]:
    """`name: value` for every plain value, so that a secret in metadata reads like one in a text."""
    if isinstance(value, Mapping):
        for key, inner in value.items():  # pyright: ignore[reportUnknownVariableType]
            yield from _lines(inner, str(key))  # pyright: ignore[reportUnknownArgumentType]
    elif isinstance(value, list | tuple):
        for inner in value:  # pyright: ignore[reportUnknownVariableType]
            yield from _lines(inner, name)
    else:
        yield f"{name}: {value}"


def _has_key(text: str) -> bool:
    return any(
        any(_is_random(match[0]) for match in _KEYS.finditer(word[0]))
        or any(_is_random(match[0]) and _looks_generated(match[0]) for match in _SK.finditer(word[0]))
        for word in _LONG_WORD.finditer(text)
    )


def _is_random(key: str) -> bool:
    """`sk-xxxxxxxx` in an instruction is no key."""
    return len(set(key[-16:])) > 2


def _looks_generated(key: str) -> bool:
    """`sk-learn-based-notes-of-2024` is a name: words of one case, parted by hyphens."""
    kinds = sum(any(map(test, key[3:])) for test in (str.isdigit, str.islower, str.isupper))
    return kinds == 3 or _RUN.search(key) is not None


def _has_password(text: str) -> bool:
    lowered = text.lower()
    if any(word in lowered for word in _PASSWORD_WORDS):
        for match in _PASSWORD.finditer(text):
            value = match["value"].strip("*_`.,)")
            # `Password: stored in the safe` is a sentence: a plain word with more words after it.
            sentence = value.isalpha() and match["next"].isalpha() and " " in match["after"]
            if len(value) >= 4 and not _PLACEHOLDER.fullmatch(value) and not sentence:
                return True
        if any(_is_mixed(match["value"]) for match in _PASSWORD_IS.finditer(text)):
            return True
    if not any(word in lowered for word in _TOKEN_HINTS):
        return False
    return any(len(match["value"]) >= 8 and _is_mixed(match["value"]) for match in _TOKEN.finditer(text))


def _is_mixed(value: str) -> bool:
    """Letters with digits, as generated values have and words have not."""
    value = value.strip("*_`.,)")
    return (any(map(str.isdigit, value)) and any(map(str.isalpha, value)) and not _PLACEHOLDER.fullmatch(value)) or (
        len(value) >= 24 and value.isalnum() and value != value.lower()
    )


def _has_address(text: str) -> bool:
    """An address with a password in it, or a header that signs somebody in."""
    if "://" in text:
        for match in _ADDRESS.finditer(text):
            value = match["value"]
            if not _PLACEHOLDER.fullmatch(value) and value.lower() not in _STAND_INS and not value.isupper():
                return True
    if "uthorization" in text and any(len(set(match["value"][-16:])) > 4 for match in _HEADER.finditer(text)):
        return True
    if "</" in text and any(not _PLACEHOLDER.fullmatch(match["value"]) for match in _ELEMENT.finditer(text)):
        return True
    return _BOT.search(text) is not None


_STAND_INS: Final = frozenset({"pass", "passwd", "pw", "pwd"})


def _has_phrase(text: str) -> bool:
    lowered = text.lower()
    return any(word in lowered for word in ("phrase", "mnemonic", "seed")) and _PHRASE.search(text) is not None


def _has_one_time_code(text: str) -> bool:
    lowered = text.lower()
    if not any(word in lowered for word in _CODE_WORDS):
        return False
    return any(pattern.search(text) for pattern in (_ONE_TIME, _RESCUE, _YOUR_CODE_IS, _IS_YOUR_CODE))


def _has_ssn(text: str) -> bool:
    numbers = (match[0] for match in _SSN.finditer(text))
    return any(not number.startswith(("000", "666")) for number in numbers) or _NAMED_SSN.search(text) is not None


def _has_card(text: str) -> bool:
    numbers = (_CARD.match(text, start.start()) for start in _NUMBER_START.finditer(text))
    return any(_is_card(number[0].replace(" ", "").replace("-", "")) for number in numbers if number)


def _is_card(digits: str) -> bool:
    """A number in a range of the schemes whose last digit is right (Luhn's formula), and not one digit repeated."""
    if not _SCHEMES.fullmatch(digits) or len(set(digits)) < 2:
        return False
    doubled = [int(digit) * 2 for digit in digits[-2::-2]]
    return (sum(map(int, digits[-1::-2])) + sum(number - 9 * (number > 9) for number in doubled)) % 10 == 0


def _has_private_key(text: str) -> bool:
    return any(word in text for word in _PRIVATE_WORDS) and _PRIVATE_KEY.search(text) is not None


_KINDS: Final[tuple[tuple[str, Callable[[str], bool]], ...]] = (
    (N_("an access key or token"), _has_key),
    (N_("a signed token (JWT)"), lambda text: "eyJ" in text and _JWT.search(text) is not None),
    (N_("a private key"), _has_private_key),
    (N_("a password or secret"), _has_password),
    (N_("an address or header with a password"), _has_address),
    (N_("the words that open a wallet"), _has_phrase),
    (N_("a one-time code"), _has_one_time_code),
    (N_("a social security number"), _has_ssn),
    (N_("a payment card number"), _has_card),
)
