"""How a person studies: the study day, limits and scheduling for all decks and for one, and the fitted parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, TypeVar

from litestar import Response, get, post
from litestar.params import FromPath

from app.accounts.fields import check_rollover_hour, check_zone
from app.accounts.views import SignedIn
from app.core import clock
from app.decks import queries as decks
from app.domain.calendar import zone_names
from app.domain.errors import N_, Conflict, InvalidInput
from app.domain.fitting import MINIMUM_REVIEWS
from app.domain.plans import Feature, includes
from app.domain.study_settings import CHOICES, StudyChoices, read_choices, relative_load, write_choices
from app.study import fitting, settings, settings_queries
from app.ui.render import translate
from app.web.context import HtmlRequest, Me, done, failed, go, page, reader_of, web_context
from app.web.forms import Form
from app.web.pages.refusals import Errors
from app.web.pages.sign_in import refusal
from app.web.person import study_clock

_HERE = "/settings/study"
_OWN = f"{_HERE}#own"
_SAMPLES = (0.80, 0.85, 0.90, 0.95, 0.97)
_ROUND = 5  # an estimate is not given to the last review
_Read = TypeVar("_Read")
_LABELS: Mapping[str, str] = {
    "zone": N_("Time zone"),
    "rollover_hour": N_("A new study day starts at"),
    "new_per_day": N_("New cards a day"),
    "reviews_per_day": N_("Reviews a day"),
    "desired_retention": N_("Desired retention in percent"),
    "learning_steps": N_("Steps of a new card"),
    "relearning_steps": N_("Steps of a forgotten card"),
    "maximum_interval_days": N_("Longest interval in days"),
    "leech_threshold": N_("Lapses that make a leech"),
    "bury_siblings": N_("Keep sibling cards apart"),
}


def _texts(form: Form) -> dict[str, str]:
    return {name: form.text(name) for name in CHOICES}


def _said(request: HtmlRequest, errors: list[InvalidInput]) -> Errors:
    """(field, text) pairs, all of them, as they stand at the fields."""
    return [pair for error in errors for pair in refusal(request, error)[1]]


def _form(request: HtmlRequest, errors: Errors) -> dict[str, Any]:
    """What both forms show: the labels, the error at each field, and in the list above it with the field's label."""
    reader = reader_of(request)
    listed = [(field, f"{translate(reader, _LABELS[field])}: {text}" if field else text) for field, text in errors]
    return {"labels": _LABELS, "errors": listed, "wrong": dict(errors)}


@get(_HERE)
async def study_settings_page(request: HtmlRequest, me: Me) -> Response[str]:
    """The settings that hold for all decks, and the parameters."""
    return await _account_page(request, me)


async def _account_page(
    request: HtmlRequest,
    me: SignedIn,
    *,
    status: int = 200,
    errors: Errors | None = None,
    values: Mapping[str, str] | None = None,
) -> Response[str]:
    current = await settings.settings_for(me.account.id)
    own = await settings_queries.own_parameters(me.account.id)
    shown = values or {
        **write_choices(current),
        "zone": me.account.zone,
        "rollover_hour": str(me.account.rollover_hour),
    }
    return page(
        request,
        "settings/study.html",
        status=status,
        nav="settings",
        values=shown,
        **_form(request, errors or []),
        retention=current.desired_retention,
        loads=[(share, _ROUND * round(100 * relative_load(share, current) / _ROUND)) for share in _SAMPLES],
        zones=sorted(zone for zone in zone_names() if "/" in zone or zone == "UTC"),
        rollover_hours=[(hour, f"{hour}:00") for hour in range(24)],
        chosen=await settings_queries.account_choices(me.account.id) != StudyChoices(),
        own=own,
        may_fit=_may_fit(request, me),
        minimum_reviews=MINIMUM_REVIEWS,
        reviews=await settings_queries.reviews_to_fit(me.account.id),
    )


@post(_HERE, status_code=200)
async def save_study_settings(request: HtmlRequest, me: Me) -> Response[Any]:
    """Keep the study day and what holds for all decks, or say all that is wrong."""
    form = await Form.of(request)
    texts = _texts(form) | {"bury_siblings": "1" if form.switch("bury_siblings") else "0"}
    choices, errors = read_choices(texts)
    refused: list[InvalidInput] = []
    zone = _attempt(refused, lambda: check_zone(form.text("zone")))
    rollover_hour = _attempt(refused, lambda: check_rollover_hour(form.whole("rollover_hour")))
    if zone is None or rollover_hour is None or errors:
        values = texts | {name: form.text(name) for name in ("zone", "rollover_hour")}
        return await _account_page(request, me, status=422, errors=_said(request, refused + errors), values=values)
    await settings.choose_for_account(me.account.id, choices, zone=zone, rollover_hour=rollover_hour)
    return go(request, _HERE, done(N_("Saved. Your next answers follow these settings.")))


@post(f"{_HERE}/reset", status_code=200)
async def reset_study_settings(request: HtmlRequest, me: Me) -> Response[None]:
    """Back to the standard values."""
    await settings.choose_standard(me.account.id)
    return go(request, _HERE, done(N_("The standard settings hold again. Decks with settings of their own keep them.")))


@post(f"{_HERE}/fit", status_code=200)
async def fit_parameters(request: HtmlRequest, me: Me) -> Response[None]:
    """Have the parameters fitted."""
    if await fitting.ask_for_fit(me.account.id, allowed=_may_fit(request, me), now=clock.now()):
        return go(request, _OWN, done(N_("Your parameters are being fitted. Nothing changes until you agree.")))
    return go(request, _OWN, ("info", N_("Your parameters are being fitted already."), {}))


@post(f"{_HERE}/parameters", status_code=200)
async def answer_proposal(request: HtmlRequest, me: Me) -> Response[None]:
    """Use the fitted parameters, keep those in use, or go back to the standard set."""
    form = await Form.of(request)
    match form.text("do"):
        case "use":
            try:
                await settings.use_fitted_parameters(me.account.id, _moment(form.text("fitted")))
            except Conflict as error:
                return go(request, _OWN, failed(error))
            return go(request, _OWN, done(N_("Your own parameters are in use from your next answer on.")))
        case "keep":
            await settings.dismiss_fit(me.account.id)
            return go(request, _OWN, done(N_("Nothing was changed.")))
        case "standard":
            await settings.use_standard_parameters(me.account.id)
            return go(request, _OWN, done(N_("The standard set is in use from your next answer on.")))
        case _:
            raise InvalidInput(N_("This is not one of the choices."), field="do")


@get([f"{_HERE}/reset", f"{_HERE}/fit", f"{_HERE}/parameters"], sync_to_thread=False)
def after_reload(request: HtmlRequest) -> Response[None]:
    """The address of a posted form, opened by itself."""
    return go(request, _HERE)


@get("/decks/{deck_id:int}/settings")
async def deck_settings_page(request: HtmlRequest, me: Me, deck_id: FromPath[int]) -> Response[str]:
    """What holds for one deck, where it differs from all decks."""
    return await _deck_page(request, me, deck_id)


async def _deck_page(
    request: HtmlRequest,
    me: SignedIn,
    deck_id: int,
    *,
    status: int = 200,
    errors: Errors | None = None,
    values: Mapping[str, str] | None = None,
) -> Response[str]:
    deck = await decks.deck(me.account.id, deck_id, clock=study_clock(me), now=clock.now())
    choices = await settings_queries.deck_choices(me.account.id, deck_id)
    return page(
        request,
        "settings/deck.html",
        status=status,
        nav="decks",
        deck=deck,
        values=values or write_choices(choices),
        standard=write_choices(await settings.settings_for(me.account.id)),
        chosen=choices != StudyChoices(),
        **_form(request, errors or []),
    )


@post("/decks/{deck_id:int}/settings", status_code=200)
async def save_deck_settings(request: HtmlRequest, me: Me, deck_id: FromPath[int]) -> Response[Any]:
    """Keep what holds for one deck, or say all that is wrong."""
    form = await Form.of(request)
    texts = _texts(form)
    choices, errors = read_choices(texts)
    if errors:
        return await _deck_page(request, me, deck_id, status=422, errors=_said(request, errors), values=texts)
    await settings.choose_for_deck(me.account.id, deck_id, choices)
    return go(request, f"/decks/{deck_id}/settings", done(N_("Saved. Your next answers follow these settings.")))


@post("/decks/{deck_id:int}/settings/reset", status_code=200)
async def reset_deck_settings(request: HtmlRequest, me: Me, deck_id: FromPath[int]) -> Response[None]:
    """Let the deck follow the settings of all decks again."""
    await settings.choose_for_deck(me.account.id, deck_id, StudyChoices())
    return go(request, f"/decks/{deck_id}/settings", done(N_("This deck follows the settings of all decks again.")))


@get("/decks/{deck_id:int}/settings/reset", sync_to_thread=False)
def after_deck_reload(request: HtmlRequest, deck_id: FromPath[int]) -> Response[None]:
    """The address of a posted form, opened by itself."""
    return go(request, f"/decks/{deck_id}/settings")


def _may_fit(request: HtmlRequest, me: SignedIn) -> bool:
    operator = web_context(request).settings
    return includes(me.account.plan, Feature.OWN_PARAMETERS, operator.plan_figures, plans_on=operator.plans)


def _attempt(refused: list[InvalidInput], read: Callable[[], _Read]) -> _Read | None:
    """What `read` gives; None, and one more refusal, when it refuses."""
    try:
        return read()
    except InvalidInput as error:
        refused.append(error)
        return None


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
        moment.utctimetuple()
    except (ValueError, OverflowError):
        moment = None
    if moment is None or moment.tzinfo is None:
        raise InvalidInput(N_("This is not one of the choices."), field="fitted")
    return moment


HANDLERS = [
    study_settings_page,
    save_study_settings,
    reset_study_settings,
    fit_parameters,
    answer_proposal,
    after_reload,
    deck_settings_page,
    save_deck_settings,
    reset_deck_settings,
    after_deck_reload,
]
