"""Reading posted forms: typed fields, with an `InvalidInput` that names the field."""

from __future__ import annotations

import re
from typing import Any

from litestar import Request
from litestar.datastructures import FormMultiDict, UploadFile

from app.domain.errors import N_, InvalidInput

MAXIMUM_ID = 2**63 - 1
_ID = re.compile(r"[0-9]{1,19}")
_SURROGATES = re.compile(r"[\ud800-\udfff]")
_WHOLE = re.compile(r"-?[0-9]{1,10}")


class Form:
    """The fields of one posted form."""

    def __init__(self, fields: FormMultiDict) -> None:
        self._fields = fields

    @classmethod
    async def of(cls, request: Request[Any, Any, Any]) -> Form:
        """The form in the body of `request` (urlencoded or multipart). Raises `InvalidInput` for text in no charset."""
        try:
            return cls(await request.form())
        except (LookupError, UnicodeError):
            raise InvalidInput(N_("The form is not valid text."), N_("Send it as UTF-8.")) from None

    def text(self, name: str, default: str = "") -> str:
        """The field as it was sent, without surrounding white space; browsers send line ends as CRLF."""
        value = self._fields.get(name)
        return self._clean(name, value).strip() if isinstance(value, str) else default

    def secret(self, name: str) -> str:
        """The field exactly as it was sent."""
        value = self._fields.get(name)
        return value if isinstance(value, str) and not _SURROGATES.search(value) else ""

    def has(self, name: str) -> bool:
        return name in self._fields

    def switch(self, name: str) -> bool:
        """Whether a box was ticked."""
        return self.text(name) not in {"", "0", "off"}

    def texts(self, name: str) -> list[str]:
        return [self._clean(name, value) for value in self._fields.getall(name, []) if isinstance(value, str)]

    async def files(self, name: str, most_bytes: int) -> list[tuple[str, bytes]]:
        """The chosen files of that field with their names; of one that is larger a byte more than `most_bytes`."""
        return [
            (part.filename, await part.read(most_bytes + 1))
            for part in self._fields.getall(name, [])
            if isinstance(part, UploadFile) and part.filename
        ]

    def id(self, name: str) -> int | None:
        """A row's id, None where the field is empty."""
        text = self.text(name)
        return self._as_id(name, text) if text else None

    def ids(self, name: str) -> list[int]:
        """The ids of all ticked boxes of that name."""
        return [self._as_id(name, text) for text in self.texts(name)]

    def whole(self, name: str) -> int:
        """A whole number of 32 bits."""
        text = self.text(name)
        if not _WHOLE.fullmatch(text) or not -(2**31) <= int(text) < 2**31:
            raise InvalidInput(N_("A whole number is needed here."), field=name)
        return int(text)

    @staticmethod
    def _clean(name: str, value: str) -> str:
        if _SURROGATES.search(value):
            raise InvalidInput(N_("The form is not valid text."), N_("Send it as UTF-8."), field=name)
        return value.replace("\r\n", "\n").replace("\0", "")

    @staticmethod
    def _as_id(name: str, text: str) -> int:
        if not _ID.fullmatch(text) or not 0 < int(text) <= MAXIMUM_ID:
            raise InvalidInput(N_("This is not one of the choices."), field=name)
        return int(text)
