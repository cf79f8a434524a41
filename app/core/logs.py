"""Logs: one line of JSON (or text) per event, with the request id; never stored text, tokens or e-mail addresses."""

from __future__ import annotations

import logging
import re
import secrets
import sys
import traceback
from collections.abc import MutableMapping
from typing import Any, cast

import structlog

_FRAMES = 12
_REQUEST_ID = re.compile(r"[A-Za-z0-9_.-]{8,64}")


class _StandardError(logging.Handler):
    """Writes to what `sys.stderr` is at the time, not to what it was when logging was set up."""

    def emit(self, record: logging.LogRecord) -> None:
        sys.stderr.write(self.format(record) + "\n")


def configure(level: str, form: str) -> None:
    """Set up structlog, and the standard library's loggers through it, on standard error."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _without_message,
    ]
    renderer: Any = structlog.processors.JSONRenderer() if form == "json" else structlog.dev.ConsoleRenderer()
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    handler = _StandardError()
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    # The libraries' own lines repeat ours, or carry addresses with query strings and what was sent.
    for noisy in ("uvicorn.access", "httpx", "httpcore", "mcp", "stripe"):
        logging.getLogger(noisy).setLevel(logging.WARNING)


def _without_message(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """An exception as its class and its frames.

    Its message is left out: a database's error quotes the values of the statement, which may be what a person stored.
    """
    given = event.pop("exc_info", None)
    error: object = sys.exc_info()[1] if given is True else given
    if isinstance(given, tuple):
        error = cast("tuple[object, ...]", given)[1]
    if isinstance(error, BaseException):
        frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
        event["error"] = f"{type(error).__module__}.{type(error).__qualname__}"
        event["frames"] = [f"{frame.filename.rsplit('/app/', 1)[-1]}:{frame.lineno} {frame.name}" for frame in frames]
    return event


def get_logger(name: str) -> structlog.stdlib.BoundLogger:
    """A logger whose calls take an event name and fields."""
    return structlog.stdlib.get_logger(name)


def request_id(given: str | None = None) -> str:
    """The caller's request id if it is well-formed, else a new one."""
    if given and _REQUEST_ID.fullmatch(given):
        return given
    return "req_" + secrets.token_hex(10)


def incident_id() -> str:
    """An id under which an unexpected failure is logged and shown."""
    return "inc_" + secrets.token_hex(6)


def bind(**fields: str) -> None:
    """Put these fields on every further line of the current request."""
    structlog.contextvars.bind_contextvars(**fields)
