"""From failures to pages: one map from error codes to statuses, one page for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, TypeVar
from urllib.parse import quote

from litestar import Request, Response
from litestar.enums import MediaType
from litestar.exceptions import HTTPException

from app.core import logs
from app.domain.errors import N_, AppError, ErrorCode, RateLimited
from app.ui.render import translate
from app.web.context import SignInNeeded, page, reader_of

_log = logs.get_logger(__name__)
Body = TypeVar("Body")

STATUS: Mapping[ErrorCode, int] = {
    ErrorCode.PLAN_REQUIRED: 403,
    ErrorCode.INVALID_INPUT: 422,
    ErrorCode.NOT_FOUND: 404,
    ErrorCode.CONFLICT: 409,
    ErrorCode.DECK_CARD_LIMIT_EXCEEDED: 409,
    ErrorCode.DECK_LIMIT_EXCEEDED: 409,
    ErrorCode.RESTRICTED_CONTENT: 422,
    ErrorCode.SESSION_FINISHED: 409,
    ErrorCode.ALREADY_ANSWERED: 409,
    ErrorCode.RATE_LIMITED: 429,
    ErrorCode.UNAVAILABLE: 503,
}

_TITLES: Mapping[int, tuple[str, str]] = {
    400: (N_("That request did not make sense"), N_("Go back and try again.")),
    403: (N_("This is not possible here"), N_("Go back and try again from the page itself.")),
    404: (N_("There is nothing here"), N_("It may have been deleted, or the address is mistyped.")),
    405: (N_("That request did not make sense"), N_("Go back and try again.")),
    409: (N_("That did not work"), N_("Something changed in the meantime. Go back and look again.")),
    413: (N_("That is too large"), N_("Send less at once.")),
    422: (N_("That did not work"), N_("Go back and correct what was entered.")),
    429: (N_("Slow down a moment"), N_("Too many requests in a short time. Try again shortly.")),
    500: (N_("Something went wrong on our side"), N_("Nothing you entered before is lost. Please try again.")),
    503: (N_("Loci cannot be reached at the moment"), N_("Try again in a few seconds.")),
}


def app_error(request: Request[Any, Any, Any], error: AppError) -> Response[str]:
    """The page for a failure that the person can act on."""
    status = STATUS[error.code]
    reader = reader_of(request)
    text = translate(reader, error.message, **error.params)
    if error.code is ErrorCode.NOT_FOUND:
        text = translate(reader, _TITLES[404][1])  # the words of a missing row speak of ids, to AI clients
    elif error.hint:
        text += " " + translate(reader, error.hint, **error.params)
    return with_retry_after(_page(request, status, text), error)


def with_retry_after(response: Response[Body], error: AppError) -> Response[Body]:
    """The response, saying when to try again where `error` knows."""
    if isinstance(error, RateLimited):
        response.headers["retry-after"] = str(error.retry_after_seconds)
    return response


def http_error(request: Request[Any, Any, Any], error: HTTPException) -> Response[Any]:
    """The page for what the framework refused."""
    if isinstance(error, SignInNeeded):
        back = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        target = "/sign-in" if request.method != "GET" or back == "/" else f"/sign-in?next={quote(back, safe='')}"
        return Response(None, status_code=303, headers={"location": target})
    status = error.status_code if error.status_code in _TITLES else (500 if error.status_code >= 500 else 400)
    response = _page(request, status)
    if error.headers and "allow" in error.headers:  # which methods there are, with a 405
        response.headers["allow"] = error.headers["allow"]
    return response


def unexpected(request: Request[Any, Any, Any], error: Exception) -> Response[str]:
    """The page for a fault of ours: an incident id and nothing else."""
    incident = logs.incident_id()
    _log.error("unexpected_failure", incident=incident, exc_info=error)
    return _page(request, 500, incident=incident)


def _page(request: Request[Any, Any, Any], status: int, text: str = "", incident: str = "") -> Response[str]:
    title, standard = _TITLES[status]
    reader = reader_of(request)
    try:
        return page(
            request,
            "errors/error.html",
            status=status,
            title=translate(reader, title),
            text=text or translate(reader, standard),
            incident=incident,
            back_href=None,
            back_label=None,
        )
    except Exception:
        _log.error("error_page_failed", exc_info=True)
        return Response(HTTPStatus(status).phrase, status_code=status, media_type=MediaType.TEXT)
