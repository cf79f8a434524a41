"""The plan: what each has, what is used, and the way to Stripe's pages for paying, changing and cancelling."""

from __future__ import annotations

from typing import Any

from litestar import Response, get, post

from app.accounts import queries as accounts
from app.accounts.views import SignedIn
from app.billing import queries as billing
from app.billing import service, sync
from app.billing.gateway import Gateway, PaymentsUnavailable, Price
from app.billing.queries import PlanStanding
from app.core import clock, queue
from app.core.settings import Settings
from app.decks import queries as decks
from app.domain.billing import GIVING, Interval, Standing
from app.domain.errors import N_, AppError, NotFound
from app.domain.plans import Plan, ai_write_refusal, effective_plan, limits_for
from app.notes import queries as note_queries
from app.ui.plan_view import plan_name, price_text, standing_text
from app.web.context import HtmlRequest, Me, done, go, pace, page, reader_of, web_context
from app.web.errors import with_retry_after
from app.web.forms import Form
from app.web.pages.sign_in import refusal
from app.web.security import policy_for_forms

_STRIPE = ("https://checkout.stripe.com", "https://billing.stripe.com")


@get("/plan")
async def plan_page(request: HtmlRequest, me: Me) -> Response[str]:
    """What each plan has, what of it is used, and what to do."""
    return await _page(request, me)


@get("/account/plan", sync_to_thread=False)
def former_address(request: HtmlRequest) -> Response[None]:
    """Where the page was before; AI clients may have shown this address."""
    return go(request, "/plan")


@get(["/plan/checkout", "/plan/portal", "/plan/resume"], sync_to_thread=False)
def after_reload(request: HtmlRequest) -> Response[None]:
    """The address of a form, opened by itself."""
    return go(request, "/plan")


@post("/plan/checkout", status_code=200)
async def checkout(request: HtmlRequest, me: Me) -> Response[Any]:
    """On to Stripe's page for paying."""
    form = await Form.of(request)
    settings = web_context(request).settings
    price_id = form.text("price")
    try:
        url = await service.start_checkout(_gateway(request), me.account, price_id, settings, now=clock.now())
    except AppError as error:
        return await _refused(request, me, error, price_id)
    return _away(url)


@post("/plan/portal", status_code=200)
async def portal(request: HtmlRequest, me: Me) -> Response[Any]:
    """On to Stripe's page for changing, cancelling and invoices."""
    try:
        url = await service.open_portal(_gateway(request), me.account, web_context(request).settings)
    except AppError as error:
        return await _refused(request, me, error)
    return _away(url)


@post("/plan/resume", status_code=200)
async def resume(request: HtmlRequest, me: Me) -> Response[Any]:
    """Take a cancellation back."""
    try:
        await service.resume(_gateway(request), me.account.id, web_context(request).settings, now=clock.now())
    except AppError as error:
        return await _refused(request, me, error)
    return go(request, "/plan", done(N_("The cancellation is taken back.")))


@get("/plan/back")
async def back(request: HtmlRequest, me: Me) -> Response[None]:
    """Back from Stripe: what has become of it is read at once, or a little later by a job."""
    await pace(me)
    settings = web_context(request).settings
    gateway = _gateway_or_none(request)
    if gateway is None:
        return go(request, "/plan")
    try:
        await sync.refresh(gateway, me.account.id, grace=service.grace_of(settings), now=clock.now())
    except PaymentsUnavailable:
        await queue.enqueue(sync.REFRESH_JOB, {"account_id": me.account.id}, clock.now())
        note = N_("Stripe cannot be asked at the moment. If you have paid, do not pay again: this page shows it soon.")
        return go(request, "/plan", ("info", note, {}))
    found = await billing.standing(me.account.id, settings, now=clock.now())
    paid = "paid" in request.query_params
    if found.standing in GIVING and (paid or (found.verdict and found.verdict.plan is not me.account.plan)):
        plan = (await accounts.account(me.account.id)).plan
        return go(request, "/plan", done(N_("You are on %(plan)s now."), plan=plan_name(plan)))
    if paid and not found.is_running:
        note = N_("Stripe has not confirmed the payment yet. This page shows the plan once it has.")
        return go(request, "/plan", ("info", note, {}))
    return go(request, "/plan")


async def _page(
    request: HtmlRequest, me: SignedIn, *, status: int = 200, errors: Any = (), price_id: str = ""
) -> Response[str]:
    settings = web_context(request).settings
    reader = reader_of(request)
    plan = effective_plan(me.account.plan, settings.plans)
    standing = await billing.standing(me.account.id, settings, now=clock.now())
    offers = await billing.offers(settings.stripe_livemode) if settings.takes_payments else []
    texts = {offer.price_id: price_text(reader, offer.amount, offer.currency, offer.interval) for offer in offers}
    open_offers = _open_to(offers, standing)
    response = page(
        request,
        "account/plan.html",
        status=status,
        nav="account",
        errors=list(errors),
        plan=plan,
        plans=[(each, limits_for(each, settings.plan_figures)) for each in Plan],
        prices={each: [texts[o.price_id] for o in offers if o.plan is each] for each in Plan},
        limits=limits_for(plan, settings.plan_figures),
        refusal=ai_write_refusal(plan, settings.plan_figures),
        usage=await decks.usage(me.account.id),
        notes=await note_queries.usage(me.account.id),
        standing=standing,
        sentence=standing_text(reader, standing),
        good=standing.standing in {Standing.ACTIVE, Standing.TRIAL},
        ending=standing.standing is Standing.ENDING,
        choices=[(o.price_id, f"{plan_name(o.plan)}, {texts[o.price_id]}") for o in open_offers],
        chosen=price_id or next((o.price_id for o in open_offers if o.interval is Interval.MONTH), ""),
        trial_days=0 if standing.subscription else settings.stripe_trial_days,
    )
    if settings.takes_payments:
        response.headers["content-security-policy"] = policy_for_forms(*_origins(settings))
    return response


def _open_to(offers: list[Price], standing: PlanStanding) -> list[Price]:
    """What the person may subscribe to: nothing beside a running subscription, and nothing that they were given."""
    if standing.is_running:
        return []
    order = list(Plan)
    return [offer for offer in offers if order.index(offer.plan) > order.index(standing.granted)]


def _origins(settings: Settings) -> tuple[str, ...]:
    return (settings.stripe_api_url,) if settings.stripe_api_url else _STRIPE


async def _refused(request: HtmlRequest, me: SignedIn, error: AppError, price_id: str = "") -> Response[str]:
    status, errors = refusal(request, error)
    return with_retry_after(await _page(request, me, status=status, errors=errors, price_id=price_id), error)


def _gateway_or_none(request: HtmlRequest) -> Gateway | None:
    return request.app.state.payments  # type: ignore[no-any-return]


def _gateway(request: HtmlRequest) -> Gateway:
    found = _gateway_or_none(request)
    if found is None:
        raise NotFound(N_("This server takes no payments."), N_("Its operator sets plans: ask them to change yours."))
    return found


def _away(url: str) -> Response[None]:
    return Response(None, status_code=303, headers={"location": url})


HANDLERS = [plan_page, former_address, after_reload, checkout, portal, resume, back]
