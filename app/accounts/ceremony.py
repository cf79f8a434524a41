"""What the two halves of a WebAuthn ceremony share: who the server is, and the challenge that the caller keeps between.

A challenge carries its own time: it is good for five minutes, and after a passkey was used only a challenge that was
made later is good for it, so an answer cannot be played twice.
"""

from __future__ import annotations

import ipaddress
import secrets
import struct
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TypeVar
from urllib.parse import urlsplit

from cryptography.exceptions import UnsupportedAlgorithm
from webauthn.helpers.exceptions import WebAuthnException

from app.domain.errors import N_, InvalidInput

CHALLENGE_LIFE = timedelta(minutes=5)
_CHALLENGE_BYTES = 32
_TIME_BYTES = 8
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_RESPONSE_LETTERS = 65_536
# What the library raises, besides its own errors, for an answer that is built wrongly.
_MALFORMED = (
    WebAuthnException,
    UnsupportedAlgorithm,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    OverflowError,
    RecursionError,
    struct.error,
)
Verified = TypeVar("Verified")


@dataclass(frozen=True, slots=True)
class RelyingParty:
    """This server as an authenticator knows it: `id` is the host, `origin` scheme, host and port."""

    id: str
    origin: str

    @classmethod
    def of(cls, base_url: str) -> RelyingParty:
        """The relying party of a public address such as `https://loci.example.org`."""
        parts = urlsplit(base_url)
        host = parts.hostname or ""
        standard = {"https": 443, "http": 80}.get(parts.scheme)
        shown = f"[{host}]" if ":" in host else host
        port = "" if parts.port in {None, standard} else f":{parts.port}"
        return cls(host, f"{parts.scheme}://{shown}{port}")

    @property
    def is_usable(self) -> bool:
        """Whether browsers offer passkeys here: over https or at localhost, and never at a bare IP address."""
        try:
            ipaddress.ip_address(self.id)
        except ValueError:
            return self.origin.startswith("https://") or self.id == "localhost" or self.id.endswith(".localhost")
        return False


@dataclass(frozen=True, slots=True)
class Ceremony:
    """What the browser gets (`options`, JSON) and what the caller keeps until it answers (`challenge`)."""

    options: str
    challenge: str


def new_challenge(now: datetime) -> bytes:
    """Eight bytes of time (microseconds since 1970), then 24 random ones."""
    microseconds = (now - _EPOCH) // timedelta(microseconds=1)
    return microseconds.to_bytes(_TIME_BYTES, "big") + secrets.token_bytes(_CHALLENGE_BYTES - _TIME_BYTES)


def made_at(challenge: bytes) -> datetime:
    """When a challenge was made. Raises `OverflowError` for bytes that hold no time."""
    return _EPOCH + timedelta(microseconds=int.from_bytes(challenge[:_TIME_BYTES], "big"))


def as_text(challenge: bytes) -> str:
    """A challenge as the caller keeps it."""
    return urlsafe_b64encode(challenge).rstrip(b"=").decode()


def living(text: str, now: datetime) -> bytes:
    """The challenge in `text`, or `InvalidInput` when it is none or older than `CHALLENGE_LIFE`."""
    try:
        challenge = urlsafe_b64decode(text + "=" * (-len(text) % 4))
        age = now - made_at(challenge)
    except (ValueError, OverflowError):
        raise refused() from None
    if len(challenge) != _CHALLENGE_BYTES or not timedelta(0) <= age <= CHALLENGE_LIFE:
        raise InvalidInput(N_("This took longer than five minutes."), N_("Start again."))
    return challenge


def checked(response: str, check: Callable[[], Verified]) -> Verified:
    """What `check` gives; an answer that is too long, malformed or wrong is `InvalidInput`."""
    if len(response) > _RESPONSE_LETTERS:
        raise refused()
    try:
        return check()
    except _MALFORMED:
        raise refused() from None


def refused() -> InvalidInput:
    """The one answer to whatever does not verify."""
    return InvalidInput(N_("The passkey could not be verified."), N_("Start again."))
