"""How the stand-in reads a request: Stripe's nested forms, and which parameters the client's own types allow."""

from __future__ import annotations

import re
from typing import Any

from app.billing.fake_state import Json


class Refused(Exception):
    """An answer that is an error."""

    def __init__(self, status: int, message: str, code: str | None = None, param: str | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.code, self.param = status, message, code, param


def nested(pairs: list[tuple[str, str]]) -> Json:
    """`a[b][0]=c` as `{"a": {"b": ["c"]}}`."""
    tree: Json = {}
    for name, value in pairs:
        *outer, last = re.findall(r"[^\[\]]+", name)
        inner = tree
        for part in outer:
            inner = inner.setdefault(part, {})
        inner[last] = value
    return {name: _lists(value) for name, value in tree.items()}


def _lists(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    inner: Json = {name: _lists(each) for name, each in value.items()}  # pyright: ignore[reportUnknownVariableType]
    return list(inner.values()) if inner and all(name.isdigit() for name in inner) else inner


def check_parameters(given: Json, types: Any) -> None:
    """Refuse a parameter that the client's type does not have, two levels deep."""
    known = types.__annotations__
    module = __import__(types.__module__, fromlist=["*"])
    for name, value in given.items():
        if name not in known:
            raise Refused(400, f"Received unknown parameter: {name}", "parameter_unknown")
        inner = getattr(module, types.__name__ + "".join(word.capitalize() for word in name.split("_")), None)
        singular = getattr(module, types.__name__ + "".join(w.capitalize() for w in name.rstrip("s").split("_")), None)
        for each in value if isinstance(value, list) else [value]:  # pyright: ignore[reportUnknownVariableType]
            for part in each if isinstance(each, dict) else ():  # pyright: ignore[reportUnknownVariableType]
                shape = inner or singular
                if shape is not None and part not in shape.__annotations__:
                    raise Refused(400, f"Received unknown parameter: {name}[{part}]", "parameter_unknown")
