"""Cards: one by itself, adding, editing, deleting."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from litestar import Response, get, post
from litestar.params import FromPath, FromQuery
from msgspec import UNSET

from app.accounts.views import SignedIn
from app.core import clock
from app.core.db import atomic
from app.decks import queries, service
from app.decks.changes import CardChanges, NewCard
from app.decks.views import CardView
from app.domain.errors import N_, AppError, Conflict, NotFound
from app.domain.richtext import sanitize_rich
from app.media.queries import media_of
from app.notes.queries import source_of_card
from app.study import queries as study
from app.web.context import HtmlRequest, Me, done, go, page, web_context
from app.web.forms import Form
from app.web.pages.media import BODY_MAX, add_files, files_of
from app.web.pages.refusals import Errors, said
from app.web.person import limits_of, study_clock
from app.web.undo import undo_token

_FIELDS = ("front", "back", "tags", "front_rich", "back_rich")
_EMPTY = dict.fromkeys(_FIELDS, "")


def _values(form: Form) -> dict[str, str]:
    return {name: form.text(name) for name in _FIELDS}


def tags_in(text: str) -> list[str]:
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
    return page(
        request,
        "cards/card.html",
        nav="decks",
        card=card,
        questions=await study.questions_of(me.account.id, card_id),
        source=await source_of_card(me.account.id, card_id),
        files=(await media_of(me.account.id, [card_id])).get(card_id, ()),
    )


@get("/decks/{deck_id:int}/cards/new")
async def new_card_page(request: HtmlRequest, me: Me, deck_id: FromPath[int]) -> Response[str]:
    """The form for a card."""
    deck = await queries.deck(me.account.id, deck_id, clock=study_clock(me), now=clock.now())
    return page(request, "cards/new.html", nav="decks", deck=deck, values=_EMPTY, errors=[])


@post("/decks/{deck_id:int}/cards/new", status_code=200, request_max_body_size=BODY_MAX)
async def add_card(request: HtmlRequest, me: Me, deck_id: FromPath[int]) -> Response[Any]:
    """Make a card with its pictures and sounds, or nothing at all, and offer the next form."""
    deck = await queries.deck(me.account.id, deck_id, clock=study_clock(me), now=clock.now())
    form = await Form.of(request)
    values = _values(form)
    files = await files_of(form)
    try:
        async with atomic():
            card_id = await service.add_card(
                me.account.id,
                NewCard(
                    front=values["front"],
                    back=values["back"],
                    front_rich=values["front_rich"] or None,
                    back_rich=values["back_rich"] or None,
                    tags=tags_in(values["tags"]),
                ),
                deck_id=deck_id,
                limits=limits_of(me, web_context(request).settings),
                now=clock.now(),
            )
            await add_files(request, me.account.id, card_id, files)
    except NotFound:
        raise
    except AppError as error:
        status, errors = said(request, error)
        return page(
            request,
            "cards/new.html",
            status=status,
            nav="decks",
            deck=deck,
            values=values,
            errors=errors,
            again=bool(files),
        )
    added = done(N_("The card is added. Here is room for the next."))
    return go(
        request, f"/decks/{deck_id}/cards/new", added, *_about_formatting(values["front_rich"], values["back_rich"])
    )


def _about_formatting(*sides: str) -> list[tuple[str, str, dict[str, object]]]:
    """A note for formatted sides of which something is not kept."""
    if any(sanitize_rich(side).removed for side in sides if side):
        return [("warn", N_("Formatting that Loci does not keep was left out."), {})]
    return []


@dataclass(frozen=True, slots=True)
class _Origin:
    """Where an edit began: on the card's own page, or in a study session."""

    session: int

    @classmethod
    def of(cls, name: str, session: str) -> _Origin:
        known = name == "study" and session.isascii() and session.isdigit() and len(session) < 19
        return cls(int(session) if known else 0)

    @property
    def name(self) -> str:
        return "study" if self.session else ""

    def back_to(self, card_id: int) -> str:
        """Where the card was met."""
        return f"/study/{self.session}" if self.session else f"/cards/{card_id}"


async def _edit_page(
    request: HtmlRequest,
    me: SignedIn,
    card: CardView,
    origin: _Origin,
    values: dict[str, str],
    *,
    status: int = 200,
    errors: Errors | None = None,
    stored: CardView | None = None,
) -> Response[str]:
    """The form with `values`; `stored` is what the card says now when somebody else changed it meanwhile."""
    questions = await study.questions_of(me.account.id, card.id)
    return page(
        request,
        "cards/edit.html",
        status=status,
        nav="decks",
        card=card,
        values=values,
        origin=origin,
        back=origin.back_to(card.id),
        language=questions[0].language,
        errors=errors or [],
        stored=stored,
        files=(await media_of(me.account.id, [card.id])).get(card.id, ()),
    )


@get("/cards/{card_id:int}/edit")
async def edit_card_page(
    request: HtmlRequest, me: Me, card_id: FromPath[int], origin: FromQuery[str] = "", session: FromQuery[str] = ""
) -> Response[str]:
    """The card's text; `origin=study` leads back to studying."""
    card = await queries.card(me.account.id, card_id)
    return await _edit_page(request, me, card, _Origin.of(origin, session), _values_of(card))


@post("/cards/{card_id:int}/edit", status_code=200)
async def edit_card(request: HtmlRequest, me: Me, card_id: FromPath[int]) -> Response[Any]:
    """Keep the text. If somebody changed it meanwhile, both texts are shown and nothing is lost."""
    before = await queries.card(me.account.id, card_id)
    form = await Form.of(request)
    values, origin = _values(form), _Origin.of(form.text("origin"), form.text("session"))
    shown = _values_of(before)
    try:
        after = await service.update_card(
            me.account.id,
            card_id,
            CardChanges(
                front=values["front"],
                back=values["back"],
                front_rich=UNSET if values["front_rich"] == shown["front_rich"] else values["front_rich"],
                back_rich=UNSET if values["back_rich"] == shown["back_rich"] else values["back_rich"],
                tags=tags_in(values["tags"]),
            ),
            expected_version=form.whole("version"),
            limits=limits_of(me, web_context(request).settings),
            now=clock.now(),
        )
    except NotFound:
        raise
    except AppError as error:
        status, errors = said(request, error)
        card = await queries.card(me.account.id, card_id)
        if isinstance(error, Conflict) and "version" in error.params:
            return await _edit_page(request, me, card, origin, values, status=status, stored=card)
        return await _edit_page(request, me, card, origin, values, status=status, errors=errors)
    notes = [
        done(N_("Saved. Its schedule is as it was.")),
        *_about_formatting(values["front_rich"], values["back_rich"]),
    ]
    if _lost_formatting(before, after, values):
        notes.append(("warn", N_("A formatted side still showed the old text, so it was removed."), {}))
    return go(request, origin.back_to(card_id), *notes)


def _lost_formatting(before: CardView, after: CardView, values: dict[str, str]) -> bool:
    """Whether a formatted side went because the plain text beside it changed, and not because the person emptied it."""
    return bool(
        (before.front_rich and values["front_rich"] and not after.front_rich)
        or (before.back_rich and values["back_rich"] and not after.back_rich)
    )


@post("/cards/{card_id:int}/delete", status_code=200)
async def delete_card(request: HtmlRequest, me: Me, card_id: FromPath[int]) -> Response[None]:
    """Put one card into the trash."""
    card = await queries.card(me.account.id, card_id)
    await service.delete_cards(me.account.id, [card_id], now=clock.now())
    undo = undo_token(request, [card_id])
    return go(request, f"/decks/{card.deck_id}?undo={undo}", done(N_("The card is in the trash.")))


@get("/cards/{card_id:int}/delete", sync_to_thread=False)
def after_reload(request: HtmlRequest, card_id: FromPath[int]) -> Response[None]:
    """The address of a posted form, opened by itself."""
    return go(request, f"/cards/{card_id}")


HANDLERS = [card_page, new_card_page, add_card, edit_card_page, edit_card, delete_card, after_reload]
