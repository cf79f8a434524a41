"""`/webhooks/stripe`: events of Stripe's are verified and stored, and answered before any of them is worked on.

There is no session and no cookie here; the signature says who speaks.
"""

from __future__ import annotations

from typing import Any

from litestar import MediaType, Request, Response, Router, post
from litestar.exceptions import HTTPException

from app.accounts.throttle import network
from app.billing import events
from app.billing.events import EventRefused
from app.core import clock, logs
from app.core.ratelimit import Rate, check
from app.core.settings import Settings
from app.domain.errors import AppError, RateLimited
from app.web.context import address_of

_MOST_BYTES = 1_048_576
# Of one address: enough for a key that was changed a moment too late, too few to wear the server out.
_REFUSALS = Rate(calls=120, seconds=60, burst=240)
_log = logs.get_logger(__name__)

MachineRequest = Request[Any, Any, Any]


def create_webhook_routes(settings: Settings) -> Router:
    """The endpoint; without payments it refuses everything, since it has no secret to verify with."""

    @post("/webhooks/stripe", status_code=200)
    async def stripe_event(request: MachineRequest) -> Response[dict[str, str]]:
        try:
            event = events.verify(
                await request.body(),
                request.headers.get("stripe-signature"),
                settings.stripe_webhook_secrets if settings.takes_payments else (),
                livemode=settings.stripe_livemode,
            )
        except EventRefused as refused:
            _log.warning("billing_event_refused", why=str(refused))
            await check(f"webhook-refused:{network(address_of(request))}", _REFUSALS)
            return _answer("refused", 400)
        fresh = await events.receive(event, now=clock.now())
        _log.info("billing_event", kind=event.kind, event_id=event.stripe_id, fresh=fresh)
        return _answer("received", 200)

    return Router(
        "/",
        route_handlers=[stripe_event],
        before_request=_as_it_is,  # in place of the check for other sites' pages: no cookie counts here
        request_max_body_size=_MOST_BYTES,
        exception_handlers={AppError: _app_error, HTTPException: _http_error, Exception: _unexpected},
    )


async def _as_it_is(request: MachineRequest) -> None:
    """Nothing is refused for where it comes from."""


def _answer(word: str, status: int) -> Response[dict[str, str]]:
    return Response({"status": word}, status_code=status, media_type=MediaType.JSON)


def _app_error(_request: MachineRequest, error: AppError) -> Response[dict[str, str]]:
    """Stripe tries again later, whatever it was."""
    if isinstance(error, RateLimited):
        response = _answer("too many requests", 429)
        response.headers["retry-after"] = str(error.retry_after_seconds)
        return response
    return _answer("unavailable", 503)


def _http_error(_request: MachineRequest, error: HTTPException) -> Response[dict[str, str]]:
    return _answer("refused", error.status_code)


def _unexpected(_request: MachineRequest, error: Exception) -> Response[dict[str, str]]:
    incident = logs.incident_id()
    _log.error("unexpected_failure", incident=incident, exc_info=error)
    return _answer(f"incident {incident}", 500)
