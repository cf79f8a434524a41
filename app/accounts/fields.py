"""What a person types about themselves, cleaned or refused: e-mail addresses, names, time zones."""

from __future__ import annotations

import re
import unicodedata

from app.domain.calendar import zone_names
from app.domain.errors import N_, InvalidInput
from app.domain.unicode_forms import normal_form

EMAIL_BYTES = 254  # RFC 5321, 4.5.3.1.3, less the angle brackets
LOCAL_PART_BYTES = 64  # RFC 5321, 4.5.3.1.1
NAME_LETTERS = 80
_LONGEST_NAME = 4 * NAME_LETTERS  # before marks are joined to their letters

# RFC 5322's atext and the dot; letters beyond ASCII as in RFC 6531. Quoted local parts are refused on purpose.
_LOCAL_PART = re.compile(r"(?:[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]|[^\W\x00-\x7f])+")
_DOMAIN_LABEL = re.compile(r"(?!-)(?:[a-zA-Z0-9-]|[^\W_\x00-\x7f]){1,63}(?<!-)")
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,2}")


def clean_email(text: str) -> str:
    """An address as it is stored: trimmed, NFKC, its letters' case as typed. Raises `InvalidInput`."""
    email = normal_form("NFKC", text.strip()) if len(text) <= 4 * EMAIL_BYTES else ""
    local_part, _, domain = email.partition("@")
    labels = domain.split(".")
    well_formed = (
        _LOCAL_PART.fullmatch(local_part)
        and all(_DOMAIN_LABEL.fullmatch(label) for label in labels)
        and (len(labels) > 1 or domain.casefold() == "localhost")
    )
    if not well_formed or len(email.encode()) > EMAIL_BYTES or len(local_part.encode()) > LOCAL_PART_BYTES:
        raise InvalidInput(N_("This is not an e-mail address."), N_("Enter one like name@example.org."), field="email")
    return email


def email_key(email: str) -> str:
    """What makes two cleaned addresses the same: letter case does not tell them apart."""
    return normal_form("NFKC", email.casefold())


def clean_name(text: str, *, field: str = "name", required: bool = False) -> str:
    """One line of up to 80 characters, NFC, trimmed. Raises `InvalidInput`."""
    name = normal_form("NFC", text.strip()) if len(text) <= _LONGEST_NAME else text
    if len(name) > NAME_LETTERS:
        raise InvalidInput(
            N_("The name is longer than %(limit)s characters."), N_("Shorten it."), field=field, limit=NAME_LETTERS
        )
    if not is_line(name):
        raise InvalidInput(N_("The name holds a control character."), N_("Type it anew."), field=field)
    if required and not name:
        raise InvalidInput(N_("The name is missing."), N_("Enter a name."), field=field)
    return name


def is_line(text: str) -> bool:
    """Whether `text` is free of control characters, line separators and surrogates (which UTF-8 cannot hold)."""
    return not any(unicodedata.category(letter) in {"Cc", "Cs", "Zl", "Zp"} for letter in text)


def as_line(text: str, limit: int) -> str:
    """What a browser says of itself, fit to be stored: up to `limit` letters, without control characters."""
    return "".join(letter for letter in text[:limit] if is_line(letter)).strip()


def check_zone(zone: str) -> str:
    """`zone` if it is an IANA time zone, else `InvalidInput`."""
    if zone not in zone_names():
        raise InvalidInput(
            N_("There is no such time zone."), N_("Use an IANA name such as Europe/Berlin."), field="zone"
        )
    return zone


def known_zone(zone: str) -> str:
    """`zone` if it is an IANA time zone, else UTC: for what a browser says about itself."""
    return zone if zone in zone_names() else "UTC"


def check_rollover_hour(hour: int) -> int:
    """`hour` if a study day can start at it, else `InvalidInput`."""
    if not 0 <= hour <= 23:
        raise InvalidInput(
            N_("A study day starts at an hour from 0 to 23."), N_("Most people choose 4."), field="rollover_hour"
        )
    return hour


def check_language(language: str) -> str:
    """`language` if it has the shape of a language tag, else `InvalidInput`."""
    if not _LANGUAGE.fullmatch(language):
        raise InvalidInput(N_("There is no such language."), N_("Choose one of the list."), field="language")
    return language
