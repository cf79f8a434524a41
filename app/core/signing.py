"""Short-lived signed values for cookies: what a browser may hold for a while but not change."""

from __future__ import annotations

from typing import Any

from itsdangerous import BadData, URLSafeTimedSerializer


class Signer:
    """Signs JSON values for one purpose, so that a value of one cookie is worthless in another."""

    def __init__(self, key: bytes, purpose: str) -> None:
        self._serializer = URLSafeTimedSerializer(key, salt=f"loci.{purpose}")

    def sign(self, value: object) -> str:
        """`value` as URL-safe text with a time and a signature."""
        signed = self._serializer.dumps(value)
        return signed.decode() if isinstance(signed, bytes) else signed

    def read(self, text: str | None, max_age_seconds: int) -> Any | None:
        """The value, or None when the text is missing, too old or not ours."""
        if not text:
            return None
        try:
            return self._serializer.loads(text, max_age=max_age_seconds)
        except BadData:
            return None
