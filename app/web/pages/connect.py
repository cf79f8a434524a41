"""The Connect pages: how to give an AI client the address of this server. Public, without an account."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from litestar import Response, get

from app.domain.errors import N_
from app.domain.plans import Plan, limits_for
from app.domain.richtext import ALLOWED_TAGS
from app.domain.scopes import SENTENCES, Group
from app.ui.reference import ToolReference
from app.web.connect.guides import GUIDES
from app.web.connect.troubles import troubles_of
from app.web.context import HtmlRequest, maybe_signed_in, page, web_context

_GROUP_OF = {sentence.scope: sentence.group for sentence in SENTENCES}
_BY_PATH = {guide.path: guide for guide in GUIDES}


@dataclass(frozen=True, slots=True)
class ToolGroup:
    """Tools that do the same kind of thing to what a person keeps."""

    heading: str
    text: str
    tools: Sequence[ToolReference]


@dataclass(frozen=True, slots=True)
class Example:
    """Something to say in a chat, the tool that it leads to, and what comes of it."""

    say: str
    tool: str
    comes: str


EXAMPLES = (
    Example(
        N_("Make six flashcards of what we just talked about and put them into my Rivers of Europe deck."),
        "import_flashcards",
        N_("The six are shown for you to agree with, then saved; one that is there already is skipped."),
    ),
    Example(
        N_("Which of my cards mention the Danube?"),
        "search_flashcards",
        N_("The cards are found by any piece of their text, in any script."),
    ),
    Example(
        N_("The answer on the card about the Rhine delta is too long. Halve it."),
        "update_flashcard",
        N_("The back is rewritten. When you see the card next stays as it was."),
    ),
    Example(
        N_("Quiz me on my Rivers of Europe deck for ten minutes."),
        "render_study_session",
        N_("You are asked one question at a time, due cards first; each answer is judged and moves its card."),
    ),
    Example(
        N_("Throw away the deck called Scratch, cards and all."),
        "delete_deck",
        N_("The deck goes to your trash, from which you or the chat can bring it back."),
    ),
    Example(
        N_("No, bring that deck back."),
        "restore_deck",
        N_("It returns with the cards that went with it, each on its schedule."),
    ),
)


def tool_groups(tools: Sequence[ToolReference]) -> list[ToolGroup]:
    """The tools by what they do, in the order of the list; groups without a tool are left out."""

    def those(group: Group, *, removes: bool = False) -> list[ToolReference]:
        return [tool for tool in tools if _GROUP_OF[tool.scope] is group and tool.removes is removes]

    groups = (
        ToolGroup(N_("Looking things up"), N_("Nothing is changed by these."), those(Group.SEE)),
        ToolGroup(N_("Studying"), N_("These record what you answer; no text changes."), those(Group.STUDY)),
        ToolGroup(
            N_("Creating, changing and restoring"),
            N_("The AI is told to show you what it is about to do and to wait for a yes; most apps ask as well."),
            those(Group.CHANGE),
        ),
        ToolGroup(
            N_("Deleting"),
            N_("Nothing is erased: what is deleted can be brought back, by the chat or by you."),
            [*those(Group.CHANGE, removes=True), *those(Group.STUDY, removes=True)],
        ),
    )
    return [group for group in groups if group.tools]


@get("/connect")
async def connect_page(request: HtmlRequest) -> Response[str]:
    """The address, the clients, what the tools do and what they need, and what people ask."""
    await maybe_signed_in(request)
    web = web_context(request)
    return page(
        request,
        "connect/overview.html",
        nav="connect",
        reference=web.reference,
        guides=GUIDES,
        troubles=troubles_of(plans=web.settings.plans),
        groups=tool_groups(web.reference.tools),
        plans=[(plan, limits_for(plan, web.settings.plan_figures)) for plan in Plan],
        examples=[example for example in EXAMPLES if web.reference.has(example.tool)],
        kept_tags=sorted(ALLOWED_TAGS),
        host=urlsplit(web.settings.base_url).netloc,
    )


@get(list(_BY_PATH))
async def guide_page(request: HtmlRequest) -> Response[str]:
    """The steps for one client."""
    await maybe_signed_in(request)
    web = web_context(request)
    guide = _BY_PATH[request.url.path.rstrip("/")]
    return page(
        request,
        "connect/guide.html",
        nav="connect",
        guide=guide,
        guides=GUIDES,
        troubles=troubles_of(guide, plans=web.settings.plans),
        reference=web.reference,
        host=urlsplit(web.settings.base_url).netloc,
        is_local=guide.calls_from_outside and not web.settings.secure_cookies,
    )


HANDLERS = [connect_page, guide_page]
