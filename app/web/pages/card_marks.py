"""What a person does with a card besides its text: suspend, take up, dig up, flag, settle a leech."""

from __future__ import annotations

from litestar import Response, get, post
from litestar.params import FromPath

from app.domain.errors import N_
from app.study import marks
from app.web.context import HtmlRequest, Me, done, go
from app.web.forms import Form


@post("/cards/{card_id:int}/suspend", status_code=200)
async def suspend(request: HtmlRequest, me: Me, card_id: FromPath[int]) -> Response[None]:
    """Ask the card no more."""
    await marks.set_suspended(me.account.id, card_id, suspended=True)
    return go(request, f"/cards/{card_id}", done(N_("Suspended. The card is not asked until you take it up again.")))


@post("/cards/{card_id:int}/resume", status_code=200)
async def resume(request: HtmlRequest, me: Me, card_id: FromPath[int]) -> Response[None]:
    """Ask the card again: it is neither suspended nor buried."""
    await marks.set_suspended(me.account.id, card_id, suspended=False)
    await marks.dig_up(me.account.id, card_id)
    return go(request, f"/cards/{card_id}", done(N_("The card is asked again, when it is due.")))


@post("/cards/{card_id:int}/flag", status_code=200)
async def flag(request: HtmlRequest, me: Me, card_id: FromPath[int]) -> Response[None]:
    """Set or take away the flag."""
    form = await Form.of(request)
    await marks.set_flag(me.account.id, card_id, form.whole("flag"))
    return go(request, f"/cards/{card_id}", done(N_("The flag is set as you chose.")))


@post("/cards/{card_id:int}/settle", status_code=200)
async def settle(request: HtmlRequest, me: Me, card_id: FromPath[int]) -> Response[None]:
    """The card is no leech any more."""
    await marks.clear_leech(me.account.id, card_id)
    return go(
        request, f"/cards/{card_id}", done(N_("Good. It is called a leech again only if it goes on being forgotten."))
    )


@get(
    [f"/cards/{{card_id:int}}/{step}" for step in ("suspend", "resume", "flag", "settle")],
    sync_to_thread=False,
)
def after_reload(request: HtmlRequest, card_id: FromPath[int]) -> Response[None]:
    """The address of a posted form, opened by itself."""
    return go(request, f"/cards/{card_id}")


HANDLERS = [suspend, resume, flag, settle, after_reload]
