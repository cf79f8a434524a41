"""Opaque secrets: a prefix that names the kind, 32 random letters, a checksum. Only their SHA-256 is ever stored."""

from __future__ import annotations

import hashlib
import secrets
import zlib

_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_RANDOM_LETTERS = 32  # 62^32 is about 190 bits
_CHECK_LETTERS = 6  # 62^6 holds a CRC-32

ACCESS_KEY = "loci_pat_"
WEB_SESSION = "loci_web_"
PASSWORD_RESET = "loci_rst_"  # noqa: S105 - a prefix, not a secret
OAUTH_CODE = "loci_oac_"
OAUTH_ACCESS = "loci_oat_"
OAUTH_REFRESH = "loci_ort_"
OAUTH_SECRET = "loci_ocs_"  # noqa: S105 - a prefix, not a secret


def new_token(prefix: str) -> str:
    """A fresh secret of the kind that `prefix` names."""
    letters = "".join(secrets.choice(_ALPHABET) for _ in range(_RANDOM_LETTERS))
    return f"{prefix}{letters}{_checksum(prefix + letters)}"


def is_well_formed(token: str, prefix: str) -> bool:
    """Whether `token` has the prefix, the length and the checksum of its kind; a typing slip costs no query."""
    body = token.removeprefix(prefix)
    if body == token or len(body) != _RANDOM_LETTERS + _CHECK_LETTERS or not body.isascii():
        return False
    return secrets.compare_digest(_checksum(token[:-_CHECK_LETTERS]), token[-_CHECK_LETTERS:])


def token_hash(token: str) -> bytes:
    """What is stored instead of the token: its SHA-256, 32 bytes. (The token is random, so no salt is needed.)"""
    return hashlib.sha256(token.encode()).digest()


def _checksum(text: str) -> str:
    number = zlib.crc32(text.encode())
    letters = ""
    for _ in range(_CHECK_LETTERS):
        number, place = divmod(number, len(_ALPHABET))
        letters = _ALPHABET[place] + letters
    return letters
