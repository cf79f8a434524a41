"""Cards: one by itself, adding, editing, deleting, and many of a deck at once."""

from __future__ import annotations

import re
from typing import Any

from litestar import Response, get, post
from litestar.params import FromPath, FromQuery
from msgspec import UNSET

from app.core import clock
from app.decks import queries, service
from app.decks.changes import CardChanges, NewCard
from app.decks.views import CardView
from app.domain.errors import N_, AppError, Conflict, InvalidInput, NotFound
from app.study import queries as study
from app.web.context import HtmlRequest, Me, done, failed, go, page, web_context
from app.web.forms import Form
from app.web.pages.sign_in import refusal
from app.web.person import limits_of, study_clock

_FIELDS = ("front", "back", "tags", "front_rich", "back_rich")
_EMPTY = dict.fromkeys(_FIELDS, "")


def _values(form: Form) -> dict[str, str]:
    return {name: form.text(name) for name in _FIELDS}


def _tags(text: str) -> list[str]:
    """Tags are written with commas (or the ideographic ones) between them."""
    return [tag for tag in (part.strip().removeprefix("#") for part in re.split(r"[,、,\n]", text)) if tag]


def _values_of(card: CardView) -> dict[str, str]:
    return {
        "front": card.front,
        "back": card.back,
        "tags": ", ".join(card.tags),
        "front_rich": card.front_rich or "",
        "back_rich": card.back_rich or "",
    }


@get("/cards/{card_id:int}")
async def card_page(request: HtmlRequest, me: Me, card_id: FromPath[int]) -> Response[str]:
    """Both sides of a card and when it comes back; the address that AI clients link to."""
    card = await queries.card(me.account.id, card_id)
    waiting = await study.card_to_answer(me.account.id, card_id)
    return page(request, "cards/card.html", nav="decks", card=card, schedule=waiting.schedule)


@get("/decks/{deck_id:int}/cards/new")
async def new_card_page(request: HtmlRequest, me: Me, deck_id: FromPath[int]) -> Response[str]:
    """The form for a card."""
    deck = await queries.deck(me.account.id, deck_id, clock=study_clock(me), now=clock.now())
    return page(request, "cards/new.html", nav="decks", deck=deck, values=_EMPTY, errors=[])


@post("/decks/{deck_id:int}/cards/new", status_code=200)
async def add_card(request: HtmlRequest, me: Me, deck_id: FromPath[int]) -> Response[Any]:
    """Make a card and offer the next form."""
    deck = await queries.deck(me.account.id, deck_id, clock=study_clock(me), now=clock.now())
    form = await Form.of(request)
    values = _values(form)
    try:
        await service.add_card(
            me.account.id,
            NewCard(
                front=values["front"],
                back=values["back"],
                front_rich=values["front_rich"] or None,
                back_rich=values["back_rich"] or None,
                tags=_tags(values["tags"]),
            ),
            deck_id=deck_id,
            limits=limits_of(me, web_context(request).settings),
            now=clock.now(),
        )
    except AppError as error:
        status, errors = refusal(request, error)
        return page(request, "cards/new.html", status=status, nav="decks", deck=deck, values=values, errors=errors)
    return go(request, f"/decks/{deck_id}/cards/new", done(N_("The card is added. Here is room for the next.")))


def _back_to(card: CardView, origin: str, extra: str, rep: int | None) -> str:
    """Where an edit leads back to: the study page at the same card, or the card."""
    if origin == "study" and rep is not None:
        return f"/decks/{card.deck_id}/study?card={card.id}&rep={rep}&extra={extra if extra.isdigit() else 0}"
    return f"/cards/{card.id}"


async def _edit_page(
    request: HtmlRequest,
    card: CardView,
    values: dict[str, str],
    *,
    origin: str,
    extra: str,
    status: int = 200,
    errors: Any = (),
    stored: CardView | None = None,
) -> Response[str]:
    return page(
        request,
        "cards/edit.html",
        status=status,
        nav="decks",
        card=card,
        values=values,
        errors=list(errors),
        origin=origin,
        extra=extra if extra.isdigit() else "0",
        stored=stored,
    )


@get("/cards/{card_id:int}/edit")
async def edit_card_page(
    request: HtmlRequest, me: Me, card_id: FromPath[int], origin: FromQuery[str] = "", extra: FromQuery[str] = "0"
) -> Response[str]:
    """The card's text; `origin=study` leads back to studying."""
    card = await queries.card(me.account.id, card_id)
    return await _edit_page(request, card, _values_of(card), origin=origin, extra=extra)


@post("/cards/{card_id:int}/edit", status_code=200)
async def edit_card(request: HtmlRequest, me: Me, card_id: FromPath[int]) -> Response[Any]:
    """Keep the text. If somebody changed it meanwhile, both texts are shown and nothing is lost."""
    card = await queries.card(me.account.id, card_id)
    form = await Form.of(request)
    values, origin, extra = _values(form), form.text("origin"), form.text("extra")
    shown = _values_of(card)
    try:
        await service.update_card(
            me.account.id,
            card_id,
            CardChanges(
                front=values["front"],
                back=values["back"],
                front_rich=UNSET if values["front_rich"] == shown["front_rich"] else values["front_rich"],
                back_rich=UNSET if values["back_rich"] == shown["back_rich"] else values["back_rich"],
                tags=_tags(values["tags"]),
            ),
            expected_version=form.whole("version"),
            limits=limits_of(me, web_context(request).settings),
            now=clock.now(),
        )
    except AppError as error:
        status, errors = refusal(request, error)
        stored = card if isinstance(error, Conflict) and form.text("version") != str(card.version) else None
        return await _edit_page(
            request, card, values, origin=origin, extra=extra, status=status, errors=errors, stored=stored
        )
    waiting = await study.card_to_answer(me.account.id, card_id)
    return go(request, _back_to(card, origin, extra, waiting.rep), done(N_("Saved. Its schedule is as it was.")))


@post("/cards/{card_id:int}/delete", status_code=200)
async def delete_card(request: HtmlRequest, me: Me, card_id: FromPath[int]) -> Response[None]:
    """Put one card into the trash."""
    card = await queries.card(me.account.id, card_id)
    await service.delete_cards(me.account.id, [card_id], now=clock.now())
    return go(request, f"/decks/{card.deck_id}", done(N_("The card is in the trash, where you can restore it.")))


@post("/decks/{deck_id:int}/cards", status_code=200)
async def change_many(request: HtmlRequest, me: Me, deck_id: FromPath[int]) -> Response[Any]:
    """Move, tag, untag or delete the ticked cards of a deck."""
    deck = await queries.deck(me.account.id, deck_id, clock=study_clock(me), now=clock.now())
    form = await Form.of(request)
    here, now = f"/decks/{deck_id}", clock.now()
    try:
        card_ids = form.ids("card_id")
        if not card_ids:
            raise InvalidInput(N_("No card is ticked."), N_("Tick the cards first."))
        match form.text("do"):
            case "move":
                target = form.id("to")
                if target is None:
                    raise InvalidInput(N_("No deck is chosen."), N_("Choose the deck to move the cards to."))
                limits = limits_of(me, web_context(request).settings)
                moved = await service.move_cards(me.account.id, card_ids, target, limits=limits, now=now)
                return go(request, here, done(N_("Cards moved: %(count)s."), count=len(moved.done_ids)))
            case "tag" | "untag" as what:
                tags = _tags(form.text("tag"))
                if not tags:
                    raise InvalidInput(N_("No tag is given."), N_("Write the tag beside the button."))
                add, remove = (tags, []) if what == "tag" else ([], tags)
                changed = await service.tag_cards(me.account.id, card_ids, add=add, remove=remove, now=now)
                return go(request, here, done(N_("Cards changed: %(count)s."), count=len(changed.done_ids)))
            case "delete":
                if not form.switch("confirmed"):
                    return page(request, "cards/delete_many.html", nav="decks", deck=deck, card_ids=card_ids)
                gone = await service.delete_cards(me.account.id, card_ids, now=now)
                note = done(N_("Cards in the trash: %(count)s. You can restore them there."), count=len(gone.done_ids))
                return go(request, here, note)
            case _:
                raise InvalidInput(N_("This is not one of the choices."), field="do")
    except NotFound:
        raise
    except AppError as error:
        return go(request, here, failed(error))


@get("/decks/{deck_id:int}/cards", sync_to_thread=False)
def after_reload(request: HtmlRequest, deck_id: FromPath[int]) -> Response[None]:
    """The address of a posted form, opened by itself."""
    return go(request, f"/decks/{deck_id}")


@get("/cards/{card_id:int}/delete", sync_to_thread=False)
def after_reload_of_delete(request: HtmlRequest, card_id: FromPath[int]) -> Response[None]:
    """The address of a posted form, opened by itself."""
    return go(request, f"/cards/{card_id}")


HANDLERS = [
    card_page,
    new_card_page,
    add_card,
    edit_card_page,
    edit_card,
    delete_card,
    change_many,
    after_reload,
    after_reload_of_delete,
]
